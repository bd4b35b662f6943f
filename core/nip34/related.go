package nip34

import "graspsync/core"

// related reads what an event refers to by its tags: ids of `e` and `E`, coordinates of `a` and `A`, either of `q`
// (RE-01). Deletions have their own meaning of `e` and `a`; of pull requests `a` is read beforehand. What cannot be
// read refers to nothing.
func (p *Parser) related(d *draft, out *core.Event) {
	if out.Kind == core.KindDeletion {
		return
	}
	repositories := out.Kind != core.KindPR && out.Kind != core.KindPRUpdate && out.Kind != core.KindAnnouncement && out.Kind != core.KindState
	ids, coords := map[core.EventID]bool{}, map[coordinate]bool{}
	for _, t := range d.ev.Tags {
		if len(t) < 2 {
			continue
		}
		switch t[0] {
		case "e", "E", "a", "A", "q":
		default:
			continue
		}
		if id, ok := ParseEventID(t[1]); ok && t[0] != "a" && t[0] != "A" {
			if !ids[id] {
				ids[id] = true
				out.Mentions = append(out.Mentions, id)
			}
			continue
		}
		c, want := parseCoordinate(t[1])
		if want != "" || c.kind != core.KindAnnouncement || CheckIdentifier(c.identifier) != nil || t[0] == "e" || t[0] == "E" {
			continue
		}
		if repositories && !coords[c] {
			coords[c] = true
			d.coords = append(d.coords, c)
		}
	}
}
