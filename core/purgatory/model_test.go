package purgatory

import (
	"slices"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"
)

func key(n int) (p PubKey) { p[31] = byte(n); return p }

// reach is the closure by plain search: everybody to be reached from owner over lists of those who have an
// announcement.
func reach(lists map[int][]int, owner int) map[int]bool {
	seen := map[int]bool{owner: true}
	for again := true; again; {
		again = false
		for who := range seen {
			for _, m := range lists[who] {
				if !seen[m] {
					seen[m], again = true, true
				}
			}
		}
	}
	return seen
}

// M-01, Q-01: closures are what plain search finds; two announcements are of one group exactly when each is
// reached from the other. // case 100
func TestClosuresAgreeWithPlainSearch(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		lists, anns := map[int][]int{}, []*Announcement{}
		for owner := range 6 {
			if rapid.IntRange(0, 3).Draw(t, "silent") == 0 {
				continue // listed by others perhaps: a leaf
			}
			a := &Announcement{Owner: key(owner), Closure: []PubKey{key(99)}}
			for m := range 6 {
				if rapid.IntRange(0, 3).Draw(t, "lists") == 0 {
					lists[owner] = append(lists[owner], m)
					a.Listed = append(a.Listed, key(m))
				}
			}
			anns = append(anns, a)
		}
		Closures(anns, 256)
		for _, a := range anns {
			from := reach(lists, int(a.Owner[31]))
			for m := range 6 {
				require.Equal(t, from[m], a.Authorises(key(m)), "%d for %d", m, a.Owner[31])
			}
			require.False(t, a.Authorises(key(99)), "what an older version listed")
			require.True(t, slices.IsSortedFunc(a.Closure, PubKey.Compare))
			for _, b := range anns {
				require.Equal(t, from[int(b.Owner[31])] && reach(lists, int(b.Owner[31]))[int(a.Owner[31])], Mutual(a, b))
			}
		}
	})
}

// M-02: a closure has at most 256 members, the owner among them.
func TestClosureIsBounded(t *testing.T) {
	a := &Announcement{Owner: key(1)}
	for i := range 2 * 256 {
		a.Listed = append(a.Listed, PubKey{byte(i >> 8), byte(i), 7})
	}
	Closures([]*Announcement{a}, 256)
	require.Len(t, a.Closure, 256)
	require.True(t, a.Authorises(key(1)))
}

// E-06: newer means later, or as late with the lower id. // case 102; mutant 29
func TestNewer(t *testing.T) {
	low, high := EventID{1}, EventID{2}
	for _, row := range []struct {
		at    int64
		id    EventID
		oldAt int64
		oldID EventID
		want  bool
	}{{2, high, 1, low, true}, {1, low, 2, high, false}, {1, low, 1, high, true}, {1, high, 1, low, false}, {1, low, 1, low, false}} {
		require.Equal(t, row.want, Newer(row.at, row.id, row.oldAt, row.oldID))
	}
}

// slowExpired remembers by a list.
type slowExpired struct {
	max  int
	ttl  Time
	list []slowID
}

type slowID struct {
	id     EventID
	owner  PubKey
	ident  Handle
	at     Time
	lifted bool
}

// slowEvidence is what evidence of one kind must beat, under one coordinate, while anything is remembered there.
type slowEvidence map[[2]int]Version

func (x *slowExpired) prune(now Time) {
	x.list = slices.DeleteFunc(x.list, func(e slowID) bool { return now-e.at >= x.ttl })
}

// E-03: ids are remembered for their time, within the bound, oldest out first, until evidence lifts them; one
// that expires once more counts again. // cases 72, 74, 75
func TestExpiredAgreesWithAList(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		limit, ttl := rapid.IntRange(0, 20).Draw(t, "max"), Time(rapid.IntRange(1, 40).Draw(t, "ttl"))
		x, s, now := NewExpired(limit, ttl), &slowExpired{max: limit, ttl: ttl}, Time(0)
		newest := slowEvidence{}
		forget := func() { // coordinates of which nothing is remembered
			for c := range newest {
				if !slices.ContainsFunc(s.list, func(e slowID) bool { return e.owner == key(c[0]) && e.ident == Handle(c[1]) }) {
					delete(newest, c)
				}
			}
		}
		for range rapid.IntRange(1, 120).Draw(t, "steps") {
			now += Time(rapid.IntRange(0, 3).Draw(t, "passes"))
			n := rapid.IntRange(0, 30).Draw(t, "id")
			id, owner, ident := EventID{byte(n)}, key(n%3), Handle(1+n%2)
			coord := [2]int{n % 3, 1 + n%2}
			what := Evidence{Kind: OfState, CreatedAt: int64(rapid.IntRange(0, 3).Draw(t, "created")), ID: EventID{byte(1 + n)}}
			switch rapid.IntRange(0, 4).Draw(t, "act") {
			case 0, 1:
				x.Add(id, owner, ident, now, what)
				s.prune(now)
				forget()
				at := slices.IndexFunc(s.list, func(e slowID) bool { return e.id == id })
				switch {
				case limit == 0:
				case at >= 0:
					s.list[at].lifted = false
				default:
					if len(s.list) == limit {
						s.list = s.list[1:]
					}
					forget()
					s.list = append(s.list, slowID{id, owner, ident, now, false})
					if v, ok := newest[coord]; !ok || Newer(what.CreatedAt, what.ID, v.CreatedAt, v.ID) {
						newest[coord] = Version{what.CreatedAt, what.ID}
					}
				}
			case 2, 3:
				kind := OfState
				if rapid.Bool().Draw(t, "by version") {
					if rapid.Bool().Draw(t, "other kind") {
						kind = OfPR
					}
					what.Kind = kind
					x.LiftBy(owner, ident, what)
					v, ok := newest[coord]
					if kind == OfState && ok && !Newer(what.CreatedAt, what.ID, v.CreatedAt, v.ID) {
						break
					}
				} else {
					x.Lift(owner, ident)
				}
				for i := range s.list {
					if s.list[i].owner == owner && s.list[i].ident == ident {
						s.list[i].lifted = true
					}
				}
			}
			s.prune(now)
			at := slices.IndexFunc(s.list, func(e slowID) bool { return e.id == id })
			require.Equal(t, at >= 0 && !s.list[at].lifted, x.Has(id, now))
			require.Equal(t, len(s.list), x.Len())
		}
	})
}

// A slot is given to one record at a time, the one given back last first.
func TestSlabGivesEachSlotOnce(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var s Slab[int]
		var out []int32
		for range rapid.IntRange(1, 100).Draw(t, "steps") {
			if len(out) > 0 && rapid.Bool().Draw(t, "free") {
				i := rapid.IntRange(0, len(out)-1).Draw(t, "which")
				s.Free(out[i])
				out = slices.Delete(out, i, i+1)
			} else {
				k := s.New()
				require.NotContains(t, out, k)
				out = append(out, k)
			}
			require.Equal(t, len(out), s.Len())
			require.LessOrEqual(t, len(out), len(s.Items))
		}
	})
}
