package nip34

import (
	"strconv"

	"graspsync/core"
)

// maxTargets bounds a deletion (S-06).
const maxTargets = 500

// pullRequest reads kinds 1618 and 1619 (PR-01, Q-13). Without an `a` tag it concerns no repository by
// itself; whether that is enough is not decided here.
func (p *Parser) pullRequest(d *draft, out *core.Event, rep *report) error {
	found := false
	for _, t := range d.ev.Tags {
		if len(t) == 0 || t[0] != "c" {
			continue
		}
		c := parseOID(second(t))
		if c.IsZero() {
			return refuse("tag c", second(t), "a commit id of 40 or 64 lower-case hex digits, not all zero")
		}
		if found && c != out.Commit {
			return refuse("tag c", second(t), "there once: "+out.Commit.String()+" is given too")
		}
		found, out.Commit = true, c
	}
	if !found {
		return refuse("tag c", "missing", "a commit id of 40 or 64 lower-case hex digits")
	}
	p.sources(d, rep)
	seen := map[coordinate]bool{}
	for _, t := range d.ev.Tags {
		if len(t) == 0 || t[0] != "a" {
			continue
		}
		c, want := parseCoordinate(second(t))
		if want == "" && c.kind != core.KindAnnouncement {
			continue // other events may be named too
		}
		if want == "" {
			if err := CheckIdentifier(c.identifier); err != nil {
				want = "kind:pubkey:identifier with an identifier " + err.(*Error).Want
			}
		}
		if want != "" {
			rep.add("tag a", second(t), want)
			continue
		}
		if !seen[c] {
			seen[c] = true
			d.coords = append(d.coords, c)
		}
	}
	return nil
}

// deletion reads kind 5 (DL-01). Whether the author may delete what is named is the core's to judge.
func (p *Parser) deletion(d *draft, out *core.Event, rep *report) error {
	seen := map[core.EventID]bool{}
	coords := map[coordinate]bool{}
	for _, t := range d.ev.Tags {
		if len(t) == 0 {
			continue
		}
		switch t[0] {
		case "e":
			id, ok := ParseEventID(second(t))
			if !ok {
				rep.add("tag e", second(t), "64 lower-case hex digits")
			} else if !seen[id] {
				seen[id] = true
				out.Targets = append(out.Targets, id)
			}
		case "a":
			c, want := parseCoordinate(second(t))
			if want == "" && (c.kind == core.KindAnnouncement || c.kind == core.KindState) {
				if err := CheckIdentifier(c.identifier); err != nil {
					want = "kind:pubkey:identifier with an identifier " + err.(*Error).Want
				}
			}
			if want != "" {
				rep.add("tag a", second(t), want)
			} else if !coords[c] {
				coords[c] = true
				d.deleted = append(d.deleted, c)
			}
		}
	}
	if n := len(out.Targets) + len(d.deleted); n > maxTargets {
		return refuse("event", strconv.Itoa(n)+" targets", "at most "+strconv.Itoa(maxTargets)+" targets")
	}
	return nil
}
