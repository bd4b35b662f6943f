package importer

import (
	"cmp"
	"slices"

	"graspsync/core"
	"graspsync/core/nip34"
)

// chooseService finds the host that most announcements name both as clone URL and as relay. Among
// equals the one that stands earlier in the clone lists is taken, then the lowest name. "" if none.
func chooseService(recs []record) string {
	type tally struct {
		host          string
		hits, sumRank int
	}
	var list []tally
	index := map[string]int{}
	for i := range recs {
		ev := recs[i].ev
		if ev.Kind != int(core.KindAnnouncement) {
			continue
		}
		relays := map[string]bool{}
		for _, t := range ev.Tags {
			for j, v := range t {
				if t[0] == "relays" && j > 0 {
					relays[relayHost(v)] = true
				}
			}
		}
		rank, seen := 0, map[string]bool{}
		for _, t := range ev.Tags {
			for j, v := range t {
				l, err := nip34.ParseURL(v)
				if t[0] != "clone" || j == 0 || err != nil || seen[l.Domain] {
					continue
				}
				seen[l.Domain] = true
				rank++
				if !relays[l.Domain] {
					continue
				}
				k, ok := index[l.Domain]
				if !ok {
					k = len(list)
					index[l.Domain] = k
					list = append(list, tally{host: l.Domain})
				}
				list[k].hits++
				list[k].sumRank += rank
			}
		}
	}
	if len(list) == 0 {
		return ""
	}
	best := slices.MinFunc(list, func(a, b tally) int {
		// equal hits: the smaller sum of places is the smaller mean place
		return cmp.Or(cmp.Compare(b.hits, a.hits), cmp.Compare(a.sumRank, b.sumRank), cmp.Compare(a.host, b.host))
	})
	return best.host
}
