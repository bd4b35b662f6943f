package core

import (
	"testing"

	"github.com/stretchr/testify/require"
)

// waved is a core whose one group wants oid 7 from the URLs of announcement(…); urls[i] lies on domain doms[i].
// All URLs are silent until let answer.
func waved(t *testing.T, cfg Config, doms ...int) *instant {
	d := newInstant(t, cfg)
	d.local[oid(1)] = true
	a := announcement(1, 1)
	for i, dom := range doms {
		a.Sources = append(a.Sources, Source{URL: url + Handle(i), Domain: domain + Handle(dom)})
		d.silent[url+Handle(i)] = true
	}
	d.event(a, FromSync)
	d.event(state(2, 1, oid(1)), FromSync)
	d.until(9 * Second)
	d.event(later(9, state(3, 1, oid(7))), FromSync)
	d.until(10 * Second)
	d.log, d.at = nil, nil
	return d
}

// started are the URLs asked so far, as numbers, with the instants.
func (d *instant) asked() (urls, at []int) {
	for i, e := range d.log {
		if e.Kind == EfCompare {
			urls, at = append(urls, int(e.URL-url)), append(at, int(d.at[i]/Second))
		}
	}
	return urls, at
}

func (d *instant) compareOf(u int) Effect {
	for _, e := range d.log {
		if e.Kind == EfCompare && e.URL == url+Handle(u) {
			return e
		}
	}
	d.t.Fatalf("URL %d was not asked", u)
	return Effect{}
}

// reply ends the pass on URL u with a class.
func (d *instant) reply(e Effect, class Class) {
	d.step(Input{Kind: InCompared, Ask: e.Ask, Class: class})
	d.settle()
}

// first is waved before its log was cut: the pass on URL 0, started at 10 s.
func first(t *testing.T, doms ...int) (*instant, Effect) {
	d := waved(t, DefaultConfig(), doms...)
	p := &d.c.passes.Items[0]
	for i := range d.c.passes.Items {
		if d.c.passes.Items[i].used {
			p = &d.c.passes.Items[i]
		}
	}
	require.Equal(t, 1, d.c.Stats().Passes)
	require.Equal(t, 10*Second, p.started)
	require.Equal(t, url, d.c.urls.At(p.url).url)
	return d, Effect{Ask: p.ask}
}

// H-01, H-02, H-03, A-02: when the second and third source of a wave start. // cases 60, 61, 62; mutants 37, 38, 53
func TestSecondAndThirdSource(t *testing.T) {
	t.Run("hedge after 30 s on another domain", func(t *testing.T) {
		d, _ := first(t, 0, 0, 1, 2)
		d.until(40*Second - 1)
		urls, _ := d.asked()
		require.Empty(t, urls)
		d.until(40 * Second)
		urls, at := d.asked()
		require.Equal(t, []int{2}, urls)
		require.Equal(t, []int{40}, at)
		require.True(t, d.compareOf(2).Hedge)
		d.until(2 * Minute)
		urls, _ = d.asked()
		require.Equal(t, []int{2}, urls, "no third while two run")
	})
	t.Run("no hedge on the same domain", func(t *testing.T) {
		d, _ := first(t, 0, 0, 0)
		d.until(2 * Minute)
		urls, _ := d.asked()
		require.Empty(t, urls)
	})
	t.Run("the next at once when one of two ends dry", func(t *testing.T) {
		d, _ := first(t, 0, 1, 2, 0)
		d.until(50 * Second)
		d.reply(d.compareOf(1), NotFound)
		urls, at := d.asked()
		require.Equal(t, []int{1, 2}, urls) // never on domain 0, where the first still runs
		require.Equal(t, 50, at[1])
		d.reply(d.compareOf(2), OK)
		urls, _ = d.asked()
		require.Equal(t, []int{1, 2}, urls)
	})
	t.Run("the next at once when the only one ends dry", func(t *testing.T) {
		d, p := first(t, 0, 0)
		d.until(15 * Second)
		d.reply(p, OK)
		urls, at := d.asked()
		require.Equal(t, []int{1}, urls)
		require.Equal(t, []int{15}, at)
	})
	t.Run("each has its own clock", func(t *testing.T) {
		d, p := first(t, 0, 1, 2)
		d.until(45 * Second)
		d.reply(p, OK) // the hedge of 40 s is alone now; the one that ended dry lets the next start
		urls, at := d.asked()
		require.Equal(t, []int{1, 2}, urls)
		require.Equal(t, []int{40, 45}, at)
	})
}

// an attempt ends with guests when all passes are 120 s old and nothing is left to start; a guest
// keeps its place, and what it brings counts. // case 52
func TestGuests(t *testing.T) {
	d, p := first(t, 0)
	d.until(130*Second - 1)
	require.Equal(t, 1, d.c.Stats().Attempts)
	d.until(130 * Second)
	require.Zero(t, d.c.Stats().Attempts)
	require.Equal(t, 1, d.c.Stats().Passes)
	d.until(4 * Minute)
	urls, _ := d.asked()
	require.Empty(t, urls, "its domain and URL are taken") // H-01
	d.remote[url] = map[OID]bool{oid(7): true}
	d.step(Input{Kind: InCompared, Ask: p.Ask, OIDs: []OID{oid(7)}})
	d.settle()
	require.Equal(t, []EventID{eventID(3)}, ids(d.reports(RepEndedReleased)))
}

// a source on the domain of a pass that is 10 min old does not keep the attempt open. // mutant 66
func TestSourceBehindAnOldPass(t *testing.T) {
	d, p := first(t, 0, 0)
	for at := 20 * Second; at < 11*Minute; at += 10 * Second { // the first is slow, but no stall (H-06)
		d.until(at)
		d.step(Input{Kind: InProgress, Ask: p.Ask, Bytes: int64(at / Second * 2000)})
		if at < 10*Minute+10*Second {
			require.Equal(t, 1, d.c.Stats().Attempts, "%s", at)
		}
	}
	require.Zero(t, d.c.Stats().Attempts)
	require.Equal(t, 1, d.c.Stats().Passes)
}

// every URL is tried once an attempt, and again in the next. // cases 29, 37, 52; mutant 10
func TestEveryURLOnceAnAttempt(t *testing.T) {
	d := served(t, DefaultConfig(), 1, 2, 3)
	d.class[url+2] = NotFound
	d.event(state(3, 1, oid(7)), FromSync)
	d.until(40 * Second)
	urls, at := d.asked()
	require.Equal(t, []int{1, 2, 3, 1, 2, 3}, urls) // U-01: in the order of the announcement
	require.Equal(t, []int{11, 11, 11, 31, 31, 31}, at)
}

// three sources each with one object: after each the state is looked at; it goes when the last came. // case 39
func TestObjectsFromThreeSources(t *testing.T) {
	d := served(t, DefaultConfig(), 1, 2, 3)
	for i := range 3 {
		d.remote[url+1+Handle(i)] = map[OID]bool{oid(10 + i): true}
	}
	d.event(state(3, 1, oid(10), oid(11), oid(12)), FromSync)
	d.until(15 * Second)
	require.Len(t, d.effectsOf(EfFetch), 3)
	require.Len(t, d.reports(RepEndedReleased), 1)
	require.Len(t, d.effectsOf(EfStoreEvent), 1) // H-05: released once
}

// H-05: the same object from two sources releases once. // case 63; mutant 48
func TestObjectDeliveredTwice(t *testing.T) {
	d, p := first(t, 0, 1)
	d.until(40 * Second)
	d.hold = func(e Effect) bool { return e.Kind == EfFetch }
	for _, e := range []Effect{p, d.compareOf(1)} {
		d.step(Input{Kind: InCompared, Ask: e.Ask, OIDs: []OID{oid(7)}})
	}
	require.Len(t, d.pending, 2)
	for _, e := range d.pending {
		d.step(Input{Kind: InFetched, Ask: e.Ask, OIDs: []OID{oid(7)}})
	}
	d.let()
	require.Len(t, d.effectsOf(EfStoreEvent), 1)
	require.Len(t, d.reports(RepEndedReleased), 1)
	require.Zero(t, d.c.Stats().Passes)
}

// H-06: a silent pass is warned of at 60 s, then every 5 min, and given up; a fast one is never ended for its
// age; a stall rests its URL, two stalls their domain. // case 64; mutant 65
func TestSilentAndSlowPasses(t *testing.T) {
	t.Run("silent", func(t *testing.T) {
		d, _ := first(t, 0)
		d.until(5*Minute + 9*Second)
		require.Len(t, d.reports(RepSilentPass), 1)
		require.Empty(t, d.effectsOf(EfCancelPass))
		d.until(5*Minute + 10*Second)
		require.Len(t, d.effectsOf(EfCancelPass), 1)
		require.Equal(t, Stalled, d.effectsOf(EfCancelPass)[0].Class)
		d.until(15 * Minute)
		urls, _ := d.asked()
		require.Empty(t, urls, "the URL rests for 10 min")
	})
	for _, row := range []struct {
		name     string
		perSec   int
		survives bool
	}{{"below 1 kB/s", 900, false}, {"above", 1100, true}} {
		t.Run(row.name, func(t *testing.T) {
			d, p := first(t, 0)
			for at := 20 * Second; at <= 20*Minute; at += 10 * Second {
				d.until(at)
				if d.c.Stats().Passes > 0 {
					d.step(Input{Kind: InProgress, Ask: p.Ask, Bytes: int64((at-10*Second)/Second) * int64(row.perSec)})
				}
			}
			require.Equal(t, row.survives, len(d.effectsOf(EfCancelPass)) == 0)
		})
	}
	t.Run("two URLs of a domain", func(t *testing.T) {
		d, p := first(t, 0, 0)
		d.reply(p, Stalled)
		require.Empty(t, d.reports(RepCooling))
		d.reply(d.compareOf(1), Stalled)
		require.Len(t, d.reports(RepCooling), 1)
		require.Equal(t, domain, d.reports(RepCooling)[0].Domain)
	})
}

// H-07, U-01: a PR's own URL is asked in a wave of its own, for its own commit only, once the main URLs had
// their turn or 30 s have gone by. // cases 32, 41, 48; mutant 15
func TestPRWave(t *testing.T) {
	pr := func(d *instant) *Event {
		e := pull(5, 9, oid(8), announcement(8, 8).Repo, announcement(1, 1).Repo) // the first is unknown here
		e.Sources = []Source{{URL: url + 50, Domain: domain + 50}}
		return e
	}
	t.Run("after the main URLs", func(t *testing.T) {
		d := served(t, DefaultConfig(), 1)
		d.remote[url+50] = map[OID]bool{oid(8): true, oid(7): true}
		d.event(state(3, 1, oid(7)), FromSync)
		d.event(pr(d), FromSync)
		d.until(15 * Second)
		urls, _ := d.asked()
		require.Equal(t, []int{1, 50}, urls)
		require.Equal(t, []OID{oid(7), oid(8)}, d.compareOf(1).OIDs) // one list for both
		require.Equal(t, []OID{oid(8)}, d.compareOf(50).OIDs)
		require.Equal(t, PRWave, d.compareOf(50).Wave)
		require.Equal(t, []EventID{eventID(5)}, ids(d.reports(RepEndedReleased)))
	})
	t.Run("after 30 s behind a slow main URL", func(t *testing.T) {
		d := served(t, DefaultConfig(), 1, 2, 3)
		d.silent[url+1], d.silent[url+2] = true, true
		d.event(pr(d), FromSync)
		d.until(41*Second - 1)
		urls, _ := d.asked()
		require.Equal(t, []int{1}, urls)
		d.until(41 * Second)
		urls, _ = d.asked()
		require.Equal(t, []int{1, 2, 50}, urls) // beside the main wave's two
	})
}

// H-07: passes of unproven groups and PR-only ones hold at most half of the pressure slots, one author's at
// most its share; a proven group is not held up behind them. // mutant 69
func TestShares(t *testing.T) {
	cfg := DefaultConfig()
	cfg.Pressure, cfg.AuthorPasses = 8, 2
	d := newInstant(t, cfg)
	d.local[oid(1)] = true
	d.event(under(99, announcement(1, 9, 90)), FromSync) // will be proven
	d.event(under(99, state(2, 9, oid(1))), FromSync)
	d.until(5 * Second)
	for i := range 3 { // unproven hunts of one author, then of others
		d.silent[url+Handle(10+i)] = true
		d.event(under(Handle(10+i), announcement(10+i, 1, 10+i)), FromSync)
	}
	for i := range 3 {
		d.silent[url+Handle(20+i)] = true
		d.event(under(Handle(20+i), announcement(20+i, 2+i, 20+i)), FromSync)
	}
	d.until(7 * Second)
	require.Equal(t, 4, d.c.Stats().Passes) // half of 8
	author1 := 0
	for _, e := range d.effectsOf(EfCompare) {
		if e.URL >= url+10 && e.URL < url+20 {
			author1++
		}
	}
	require.Equal(t, 2, author1)
	d.silent[url+90] = true
	d.event(under(99, state(30, 9, oid(7))), FromSync)
	d.until(9 * Second)
	require.Equal(t, url+90, d.effectsOf(EfCompare)[len(d.effectsOf(EfCompare))-1].URL)
	require.Equal(t, 5, d.c.Stats().Passes)
}

// U-02, I-18: our own authority and private targets are never asked, others named beside them are. // cases 33, 50; mutant 6
func TestSourcesThatAreNeverAsked(t *testing.T) {
	for _, allow := range []bool{false, true} {
		cfg := DefaultConfig()
		cfg.AllowPrivate = allow
		d := newInstant(t, cfg)
		a := announcement(1, 1, 1, 2, 3)
		a.Sources[0].Class, a.Sources[1].Class = Own, Private
		d.event(a, FromSync)
		d.event(state(2, 1, oid(7)), FromSync)
		d.until(10 * Second)
		urls, _ := d.asked()
		if allow {
			require.Equal(t, []int{2, 3}, urls)
			require.Len(t, d.reports(RepSkippedURL), 1)
		} else {
			require.Equal(t, []int{3}, urls)
			require.Len(t, d.reports(RepSkippedURL), 2)
		}
	}
}

// U-01, N-03: known holders first, then the newest announcement's URLs. // mutant 45
func TestOrderOfSources(t *testing.T) {
	d := newInstant(t, DefaultConfig())
	d.remote[url+3] = map[OID]bool{oid(1): true}
	d.event(lists(later(5, announcement(1, 1, 1, 3)), 2), FromSync)
	d.event(lists(later(6, announcement(2, 2, 2)), 1), FromSync)
	d.until(30 * Second)
	urls, _ := d.asked()
	require.Equal(t, []int{2, 1, 3}, urls)
	require.NotEmpty(t, d.effectsOf(EfSeekStates)) // N-03
	require.Zero(t, d.c.Stats().Hunts, "heads were seen")
	d.log, d.at = nil, nil
	d.event(state(3, 1, oid(7)), FromSync)
	d.until(32 * Second)
	urls, _ = d.asked()
	require.Equal(t, []int{3, 2, 1}, urls)
}

// free domains are used first; the wave waits in one ring for each of the others. // cases 28, 34, 40, 45; mutant 49
func TestFreeDomainsFirst(t *testing.T) {
	cfg := DefaultConfig()
	cfg.DomainConcurrency = 1
	d := served(t, cfg, 1, 2, 3)
	d.silent[url+1], d.silent[url+3] = true, true
	d.event(under(2, announcement(10, 5, 1)), FromSync)
	d.event(under(3, announcement(11, 6, 3)), FromSync)
	d.until(12 * Second)
	busy1, busy3 := d.compareOf(1), d.compareOf(3)
	d.log, d.at = nil, nil
	d.event(state(3, 1, oid(7)), FromSync)
	d.until(13 * Second)
	urls, _ := d.asked()
	require.Equal(t, []int{2}, urls)
	require.Equal(t, 2, d.c.Stats().Tickets)
	require.Equal(t, 3, d.c.Stats().Attempts)
	d.step(Input{Kind: InCompared, Ask: busy1.Ask}) // both come free in one instant: one grant at a time
	d.step(Input{Kind: InCompared, Ask: busy3.Ask})
	d.settle()
	urls, _ = d.asked()
	require.Len(t, urls, 2)
	require.Equal(t, 1, d.c.Stats().Tickets)
}

// D-01, D-06: the 31st start waits for the first stamp to leave the window, with nothing in flight. // case 21; mutants 2, 41
func TestStartsAtTheRate(t *testing.T) {
	d := newInstant(t, DefaultConfig())
	for i := range 31 {
		a := under(Handle(10+i), announcement(10+i, 1+i, 10+i))
		a.Sources[0].Domain = domain
		d.event(a, FromSync)
	}
	d.until(61*Second - 1)
	urls, _ := d.asked()
	require.Equal(t, 30, countAt(d, Second))
	require.GreaterOrEqual(t, len(urls), 30)
	d.until(61 * Second)
	urls, _ = d.asked()
	require.Contains(t, urls, 40)
	require.LessOrEqual(t, countAt(d, 61*Second), 30)
}

func countAt(d *instant, at Time) (n int) {
	for i, e := range d.log {
		if e.Kind == EfCompare && d.at[i] == at {
			n++
		}
	}
	return n
}

// D-01, D-06: domain concurrency 0 pauses without a loop; a change of configuration wakes. // case 44
func TestPausedDomainWaitsForConfiguration(t *testing.T) {
	cfg := DefaultConfig()
	cfg.DomainConcurrency = 0
	d := served(t, cfg, 1)
	d.event(state(3, 1, oid(7)), FromSync)
	d.until(2 * Minute)
	require.Equal(t, 1, d.c.Stats().Tickets)
	require.Less(t, len(d.log), 20)
	cfg.DomainConcurrency = 1
	d.step(Input{Kind: InConfigChanged, Config: &cfg})
	d.settle()
	require.Len(t, d.effectsOf(EfCompare), 1)
}
