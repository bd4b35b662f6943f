package fetch

import (
	"cmp"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"graspsync/core/value"
)

// noted is what the slow memory knows of one OID at one URL.
type noted struct {
	first, asked Time
	missing      bool
}

type slowURL struct {
	opened      int
	fingerprint [32]byte
	oids        map[OID]noted
}

// slow is the memory by maps and full scans.
type slow struct {
	urls, oids, opened int
	ttl                Time
	by                 map[Handle]*slowURL
}

func (s *slow) advertised(url Handle, f [32]byte) {
	u := s.by[url]
	if u == nil || u.fingerprint == f {
		return
	}
	u.fingerprint = f
	for o, n := range u.oids {
		n.missing = false
		u.oids[o] = n
	}
}

func (s *slow) oldest() (oldest Handle) {
	for h, x := range s.by {
		if oldest == 0 || x.opened < s.by[oldest].opened {
			oldest = h
		}
	}
	return oldest
}

func (s *slow) die(u *slowURL, now Time) {
	for o, n := range u.oids {
		if now-n.first >= s.ttl {
			delete(u.oids, o)
		}
	}
}

func (s *slow) expire(now Time) {
	for h := s.oldest(); h != 0; h = s.oldest() {
		if s.die(s.by[h], now); len(s.by[h].oids) > 0 {
			return
		}
		delete(s.by, h)
	}
}

func (s *slow) asked(url Handle, f [32]byte, o OID, now Time, missing bool) {
	if s.urls == 0 || s.oids == 0 {
		return
	}
	u := s.by[url]
	if u == nil {
		s.expire(now)
		if len(s.by) == s.urls {
			delete(s.by, s.oldest())
		}
		s.opened++
		u = &slowURL{opened: s.opened, fingerprint: f, oids: map[OID]noted{}}
		s.by[url] = u
	}
	n, known := u.oids[o]
	if !known {
		if len(u.oids) == s.oids {
			keys := make([]OID, 0, len(u.oids))
			for k := range u.oids {
				keys = append(keys, k)
			}
			delete(u.oids, slices.MinFunc(keys, func(a, b OID) int {
				return cmp.Or(cmp.Compare(u.oids[a].first, u.oids[b].first), a.Compare(b))
			}))
		}
		n.first = now
	}
	n.asked = now
	n.missing = n.missing || missing && u.fingerprint == f
	u.oids[o] = n
}

func (s *slow) choose(url Handle, now Time, memo bool, wants []Want, limit int) (chosen []OID, skipped, deferred int32) {
	known := map[OID]noted{}
	if u := s.by[url]; u != nil {
		s.die(u, now)
		known = u.oids
	}
	for _, w := range wants {
		if known[w.OID].missing && memo && !w.Past {
			skipped++
		}
	}
	rank := func(w Want) Time {
		if n, ok := known[w.OID]; ok {
			return n.asked
		}
		return -1
	}
	sorted := slices.Clone(wants)
	slices.SortFunc(sorted, func(a, b Want) int {
		return cmp.Or(cmp.Compare(rank(a), rank(b)), cmp.Compare(a.Seq, b.Seq))
	})
	for _, w := range sorted {
		switch {
		case known[w.OID].missing && memo && !w.Past:
		case len(chosen) < limit:
			chosen = append(chosen, w.OID)
		default:
			deferred++
		}
	}
	return chosen, skipped, deferred
}

// F-01, F-02, F-03: the memory chooses, skips, forgets and makes room as the slow one does. // cases 55, 56; mutants 35, 36, 63
func TestMemoAgreesWithSlowMemory(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		urls, oids := rapid.IntRange(0, 3).Draw(t, "urls"), rapid.IntRange(0, 4).Draw(t, "oids")
		ttl := Time(rapid.IntRange(1, 30).Draw(t, "ttl"))
		m := NewMemo(urls, oids, ttl)
		s := &slow{urls: urls, oids: oids, ttl: ttl, by: map[Handle]*slowURL{}}
		now := Time(0)
		for range rapid.IntRange(1, 60).Draw(t, "steps") {
			now += Time(rapid.IntRange(0, 5).Draw(t, "passes"))
			url := Handle(rapid.IntRange(1, 5).Draw(t, "url"))
			f := [32]byte{rapid.ByteRange(0, 1).Draw(t, "fingerprint")}
			o := oid(rapid.ByteRange(1, 6).Draw(t, "oid"))
			switch rapid.IntRange(0, 3).Draw(t, "act") {
			case 0:
				m.Advertised(url, f)
				s.advertised(url, f)
			case 1:
				missing := rapid.Bool().Draw(t, "missing")
				m.Asked(url, f, o, now, missing)
				s.asked(url, f, o, now, missing)
			case 2:
				m.Gained(url, o)
				if u := s.by[url]; u != nil {
					if _, ok := u.oids[o]; ok {
						if delete(u.oids, o); len(u.oids) == 0 {
							delete(s.by, url)
						}
					}
				}
			case 3:
				var wants []Want
				for i := range byte(6) {
					if rapid.Bool().Draw(t, "wanted") {
						wants = append(wants, Want{OID: oid(i + 1), Seq: uint32(9 - i), Past: rapid.IntRange(0, 4).Draw(t, "past") == 0})
					}
				}
				memo, limit := rapid.Bool().Draw(t, "memo"), rapid.IntRange(0, 4).Draw(t, "limit")
				want, skip, defr := s.choose(url, now, memo, wants, limit)
				got, skipped, deferred := m.Choose(url, now, memo, slices.Clone(wants), limit, nil)
				require.Equal(t, want, got)
				require.Equal(t, []int32{skip, defr}, []int32{skipped, deferred})
			}
			require.Equal(t, len(s.by), len(m.byURL))
			require.LessOrEqual(t, len(m.byURL), urls)
			n, k := m.Live(now)
			require.LessOrEqual(t, n, urls)
			require.LessOrEqual(t, k, n*oids)
		}
		m.Expire(now + 2*ttl)
		require.Empty(t, m.byURL, "I-8")
	})
}

// remote is a server for one pass: what it advertises, what it serves when asked for by id, and what comes
// along with what.
type remote struct {
	advertised, served, along map[OID]bool
}

// F-01, F-02, F-04, F-08: against any server a pass lists once, fetches the advertised wants in one batch, asks
// for each other want at most once and within its bound, fetches what was found, and ends. // cases 53, 54, 57, 58; mutant 40
func TestPassAgainstAnyServer(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		m := NewMemo(4, 16, value.Hour)
		r := remote{map[OID]bool{}, map[OID]bool{}, map[OID]bool{}}
		left := map[OID]uint32{}
		for i := range byte(8) {
			o := oid(i + 1)
			if rapid.Bool().Draw(t, "wanted") {
				left[o] = uint32(i)
			}
			r.advertised[o] = rapid.Bool().Draw(t, "advertised")
			r.served[o] = rapid.Bool().Draw(t, "served")
			r.along[o] = rapid.IntRange(0, 3).Draw(t, "along") == 0
		}
		truncated, refuses := rapid.Bool().Draw(t, "truncated"), rapid.Bool().Draw(t, "refuses")
		bound := rapid.IntRange(0, 8).Draw(t, "bound")
		wants := func() (out []Want) {
			for i := range byte(8) {
				if seq, ok := left[oid(i+1)]; ok {
					out = append(out, Want{OID: oid(i + 1), Seq: seq})
				}
			}
			return out
		}
		var adv []OID
		for _, w := range wants() {
			if r.advertised[w.OID] {
				adv = append(adv, w.OID)
			}
		}
		needed := len(left)
		var p Pass
		p.OnCompared(m, 1, [32]byte{1}, truncated, adv)
		step := p.AfterCompare(m, 1, 0, wants(), bound)
		fetches, probes, asked := 0, 0, map[OID]bool{}
		for step != End {
			require.Less(t, fetches+probes, 20, "the pass does not end")
			switch step {
			case Fetch:
				fetches++
				if fetches == 1 && len(adv) > 0 {
					require.Equal(t, adv, p.Ask, "one batch of all that is advertised")
				}
				if refuses && fetches == 1 && len(adv) > 0 {
					p.OnFetched(0, true, false)
				} else {
					got := int32(0)
					for _, o := range p.Ask {
						if _, wanted := left[o]; wanted {
							delete(left, o)
							got++
						}
					}
					for o := range left {
						if r.along[o] {
							delete(left, o)
							got++
						}
					}
					p.OnFetched(got, false, false)
				}
				step = p.AfterFetch(m, 1, 0, wants(), bound)
			case Probe:
				probes++
				o := p.Ask[0]
				require.Len(t, p.Ask, 1)
				require.False(t, asked[o], "asked twice")
				require.Contains(t, left, o, "asked for what is here")
				asked[o] = true
				step = p.OnProbed(m, 1, 0, r.served[o], !r.served[o], wants())
			}
		}
		require.Equal(t, Ending, p.Stage)
		require.LessOrEqual(t, probes, bound)
		require.LessOrEqual(t, fetches, 2)
		require.EqualValues(t, probes, p.Attempted)
		require.EqualValues(t, needed-len(left), p.Fetched)
		var again []Want
		for i := range byte(8) {
			if o := oid(i + 1); asked[o] {
				again = append(again, Want{OID: o})
				if r.served[o] {
					require.NotContains(t, left, o, "what was found is fetched")
				}
			}
		}
		_, skipped, _ := m.Choose(1, 1, true, again, 8, nil)
		remembered := p.Missing
		if truncated || refuses && len(adv) > 1 {
			remembered = skipped // F-04: nothing need be remembered
			if truncated {
				require.Zero(t, skipped)
			}
		}
		require.Equal(t, remembered, skipped, "exactly what was explicitly missing is skipped next time")
	})
}

// F-02: nothing is remembered when refs moved between compare and fetch.
func TestNothingIsRememberedWhenRefsMoved(t *testing.T) {
	m := NewMemo(4, 4, value.Hour)
	var p Pass
	w := []Want{{OID: oid(1)}, {OID: oid(2), Seq: 1}}
	p.OnCompared(m, 1, [32]byte{1}, false, []OID{oid(1)})
	require.Equal(t, Fetch, p.AfterCompare(m, 1, 0, w, 8))
	p.OnFetched(1, false, true)
	require.Equal(t, Probe, p.AfterFetch(m, 1, 0, w[1:], 8))
	require.Equal(t, End, p.OnProbed(m, 1, 0, false, true, w[1:]))
	_, skipped, _ := m.Choose(1, 1, true, []Want{{OID: oid(2)}}, 8, nil)
	require.Zero(t, skipped)
}
