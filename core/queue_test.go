package core

import (
	"testing"

	"github.com/stretchr/testify/require"
)

// served makes a core with one served repository of author 1 under dName, its one URL url+u lacking all
// else, at an instant of the grid.
func served(t *testing.T, cfg Config, urls ...int) *instant {
	d := newInstant(t, cfg)
	d.local[oid(1)] = true
	d.event(announcement(1, 1, urls...), FromSync)
	d.event(state(2, 1, oid(1)), FromSync)
	d.until(10 * Second)
	require.Len(t, d.reports(RepEndedReleased), 2)
	require.Zero(t, d.c.Stats().Hunts)
	d.log, d.at, d.starts = nil, nil, nil
	return d
}

// the instants of the first attempts by origin, and how many there are. // cases 1, 19, 20
func TestAttemptsByOrigin(t *testing.T) {
	for _, row := range []struct {
		origin Origin
		first  []int
		n      int
	}{
		{FromSync, []int{1, 21, 61, 141, 261, 381, 501}, 17},
		{FromClient, []int{180, 200, 240, 320, 440, 560, 680}, 16},
	} {
		t.Run(row.origin.String(), func(t *testing.T) {
			d := served(t, DefaultConfig(), 1)
			from := d.now
			d.event(state(3, 1, oid(7)), row.origin)
			d.until(from + 31*Minute)
			got := d.attempts(from)
			require.Equal(t, row.first, got[:7])
			require.Len(t, got, row.n)
			require.Equal(t, []EventID{eventID(3)}, ids(d.reports(RepEndedExpired)))
		})
	}
}

// all four kinds wait alike, by origin. // mutant 12
func TestDelayByKind(t *testing.T) {
	for _, row := range []struct {
		name   string
		event  func() *Event
		origin Origin
		first  int
	}{
		{"announcement synced", func() *Event { return under(2, announcement(9, 9, 1)) }, FromSync, 1},
		{"announcement client", func() *Event { return under(2, announcement(9, 9, 1)) }, FromClient, 180},
		{"PR synced", func() *Event { return pull(9, 9, oid(7), announcement(1, 1).Repo) }, FromSync, 1},
		{"PR client", func() *Event { return pull(9, 9, oid(7), announcement(1, 1).Repo) }, FromClient, 180},
		{"PR update synced", func() *Event {
			e := pull(9, 9, oid(7), announcement(1, 1).Repo)
			e.Kind = KindPRUpdate
			return e
		}, FromSync, 1},
	} {
		t.Run(row.name, func(t *testing.T) {
			d := served(t, DefaultConfig(), 1)
			from := d.now
			d.event(row.event(), row.origin)
			d.until(from + 190*Second)
			require.Equal(t, row.first, d.attempts(from)[0])
		})
	}
}

// news for an idle hunt can only bring its next attempt forward, and starts the backoff over. // cases 2, 3, 7
func TestNewsForAnIdleHunt(t *testing.T) {
	for _, row := range []struct {
		name   string
		at     Time
		origin Origin
		want   []int
	}{
		{"before its first attempt, later delay: stays", 0, FromClient, []int{1, 21, 61}},
		{"in a long backoff, short delay: soon, count 0", 300 * Second, FromSync, []int{1, 21, 61, 141, 261, 301, 321, 361}},
		{"in a backoff, long delay: stays, count 0", 30 * Second, FromClient, []int{1, 21, 61, 81, 121}},
	} {
		t.Run(row.name, func(t *testing.T) {
			d := served(t, DefaultConfig(), 1)
			from := d.now
			d.event(state(3, 1, oid(7)), FromSync)
			d.until(from + row.at)
			d.event(state(4, 1, oid(8)), row.origin)
			d.until(from + 10*Minute)
			require.Equal(t, row.want, d.attempts(from)[:len(row.want)])
		})
	}
}

// a burst starts once, in the first grid instant 500 ms after its first event. // case 17
func TestBurstStartsOnce(t *testing.T) {
	d := served(t, DefaultConfig(), 1)
	from := d.now
	for i := range 10 {
		d.until(from + Time(i)*10*Millisecond)
		d.event(state(10+i, 1, oid(100+i)), FromSync)
	}
	d.until(from + 15*Second)
	require.Equal(t, []int{1}, d.attempts(from))
	require.Len(t, d.starts, 1)
	require.Zero(t, d.starts[0]%Second)
}

// an event in mid-attempt is wanted at once, and its own attempt follows without backoff. // cases 18, 46, 47; mutant 1
func TestEventInMidAttempt(t *testing.T) {
	d := served(t, DefaultConfig(), 1)
	from := d.now
	d.hold = func(e Effect) bool { return e.Kind == EfCompare }
	d.event(later(9, state(3, 1, oid(7))), FromSync)
	d.until(from + 10*Second)
	d.event(state(4, 1, oid(8)), FromSync)
	d.until(from + 12*Second)
	d.remote[url+1] = map[OID]bool{oid(8): true}
	d.let() // the running pass brings what came after its start
	require.Equal(t, []EventID{eventID(4)}, ids(d.reports(RepEndedReleased)))
	d.until(from + 40*Second)
	require.Equal(t, []int{1, 12, 32}, d.attempts(from)) // at once: its delay ran out meanwhile; then count 1
}

// events that are held already change nothing, however often they come. // cases 6, 26; mutant 13
func TestRedeliveryChangesNothing(t *testing.T) {
	d := served(t, DefaultConfig(), 1)
	from := d.now
	for at := from; at < from+10*Minute; at += 5 * Second {
		d.until(at)
		d.event(state(3, 1, oid(7)), FromSync)
	}
	require.Equal(t, []int{1, 21, 61, 141, 261, 381, 501}, d.attempts(from))
	require.Len(t, d.reports(RepHeld), 1)
	_, text := d.answer(eventID(3))
	require.Equal(t, "duplicate: in purgatory", text) // S-02
}

// a client's copy makes a synced event, and its hunt, the client's: it no longer gives way.
func TestClientCopyUpgradesTheSource(t *testing.T) {
	for _, upgraded := range []bool{false, true} {
		cfg := DefaultConfig()
		cfg.Hunts = 1
		d := served(t, cfg, 1)
		d.event(state(3, 1, oid(7)), FromSync)
		if upgraded {
			d.event(state(3, 1, oid(7)), FromClient)
		}
		d.event(under(2, announcement(9, 9, 1)), FromSync)
		ok, text := d.answer(eventID(9))
		if upgraded {
			require.False(t, ok)
			require.Equal(t, textFull, text)
			require.Empty(t, d.reports(RepEndedEvicted))
		} else {
			require.True(t, ok)
			require.Equal(t, []EventID{eventID(3)}, ids(d.reports(RepEndedEvicted)))
		}
	}
}

// at an author's bound the author's own oldest synced event gives way; a client's never does.
func TestHeldEventsPerAuthor(t *testing.T) {
	cfg := DefaultConfig()
	cfg.HeldPerAuthor = 2
	d := served(t, cfg, 1)
	d.event(state(3, 1, oid(7)), FromClient)
	d.event(state(4, 1, oid(8)), FromSync)
	d.event(state(5, 1, oid(9)), FromSync)
	require.Equal(t, []EventID{eventID(4)}, ids(d.reports(RepEndedEvicted)))
	d.event(state(5, 1, oid(9)), FromClient)
	d.event(state(6, 1, oid(10)), FromClient)
	ok, text := d.answer(eventID(6))
	require.False(t, ok)
	require.Equal(t, textFull, text)
}

// all hunts that are ready in a tick start in it. // case 49
func TestReadyHuntsStartTogether(t *testing.T) {
	d := newInstant(t, DefaultConfig())
	for i := range 5 {
		d.event(under(Handle(10+i), announcement(10+i, 1+i, i)), FromSync)
		d.event(under(Handle(10+i), state(20+i, 1+i, oid(7+i))), FromSync)
	}
	d.until(Second)
	require.Equal(t, []int{1, 1, 1, 1, 1}, d.attempts(0))
	require.Equal(t, []int{1, 1, 1, 1, 1}, seconds(d.starts))
}

// what waits only for its release is released again with backoff. // cases 25, 43; mutants 3, 4
func TestFailedReleaseIsTriedAgain(t *testing.T) {
	for _, row := range []struct {
		name string
		ref  Ref
	}{{"data here", Ref{Name: main, OID: oid(1)}}, {"all symbolic", Ref{Name: main, OID: oid(99), Symbolic: true}}} {
		t.Run(row.name, func(t *testing.T) {
			d := served(t, DefaultConfig(), 1)
			from := d.now
			d.verdict = []Verdict{StoreFailed, StoreFailed}
			e := state(3, 1)
			e.Refs = []Ref{row.ref}
			d.event(e, FromSync)
			d.until(from + 2*Minute)
			require.Equal(t, []EventID{eventID(3)}, ids(d.reports(RepEndedReleased)))
			require.Len(t, d.effectsOf(EfStoreEvent), 3)
			require.Empty(t, d.starts, "no remote is asked for what is here") // N-02, mutant 19
		})
	}
}

// Q-01, I-11: strangers under one identifier share neither hunts nor sources. // mutant 33
func TestStrangersShareNothing(t *testing.T) {
	d := newInstant(t, DefaultConfig())
	d.event(announcement(1, 1, 1), FromSync)
	d.event(lists(announcement(2, 2, 2), 1), FromSync) // listing a stranger gives no hold over it
	d.event(state(3, 1, oid(7)), FromSync)
	d.until(30 * Second)
	for _, e := range d.effectsOf(EfCompare) {
		if e.URL == url+2 {
			require.Equal(t, repo+2, e.Repo)
		} else {
			require.Equal(t, repo+1, e.Repo)
		}
	}
	require.EqualValues(t, 2, d.c.Stats().Hunts)
}

// a group that falls apart keeps its hunt with the target's owner; the other gets one at +500 ms.
func TestSplit(t *testing.T) {
	d := newInstant(t, DefaultConfig())
	d.event(lists(announcement(1, 1, 1), 2), FromSync)
	d.event(lists(announcement(2, 2, 2), 1), FromSync)
	d.event(state(3, 1, oid(7)), FromSync)
	d.event(state(4, 2, oid(8)), FromSync)
	d.until(100 * Second)
	require.Equal(t, 1, d.c.Stats().Hunts)
	minted := d.c.Stats().HuntsMinted
	d.event(later(50, announcement(5, 1, 1)), FromSync) // 1 no longer lists 2; 2 still lists 1
	require.Equal(t, 2, d.c.Stats().Hunts)
	require.Equal(t, minted+1, d.c.Stats().HuntsMinted)
	d.log, d.at = nil, nil
	d.until(102 * Second)
	var fresh []Effect
	for _, e := range d.reports(RepAttemptStarted) {
		if uint64(e.Hunt) == minted+1 {
			fresh = append(fresh, e)
		}
	}
	require.Len(t, fresh, 1)
	require.Len(t, d.reports(RepEndedExpired), 0)
}

// a hunt for nothing is dropped at once, its passes cancelled; it goes when they have ended. // H-04; mutants 54, 67
func TestHuntForNothingIsDropped(t *testing.T) {
	d := served(t, DefaultConfig(), 1)
	d.hold = func(e Effect) bool { return e.Kind == EfCompare || e.Kind == EfCancelPass }
	from := d.now
	d.event(state(3, 1, oid(7)), FromSync)
	d.until(from + 2*Second)
	d.step(Input{Kind: InRemove, Target: eventID(3)})
	d.settle()
	require.Len(t, d.effectsOf(EfCancelPass), 1)
	require.Equal(t, 1, d.c.Stats().Hunts)
	d.event(state(4, 1, oid(8)), FromSync) // a new event finds the hunt awake
	d.until(from + 3*Second)
	require.Equal(t, []int{1, 3}, d.attempts(from))
	d.step(Input{Kind: InRemove, Target: eventID(4)})
	d.settle()
	d.pending = d.pending[1:] // the Compare is void once CancelPass is out
	d.let()
	require.Zero(t, d.c.Stats().Hunts)
	_, waits := d.c.Next()
	require.False(t, waits)
}
