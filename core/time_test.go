package core

import (
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"
)

// T-01, T-05: time that goes back counts as the latest seen, and is reported.
func TestTimeGoesBack(t *testing.T) {
	d := newInstant(t, DefaultConfig())
	d.now = 10 * Second
	d.step(Input{Kind: InWake})
	d.now = 5 * Second
	d.step(Input{Kind: InWake})
	require.Len(t, d.reports(RepContract), 1)
	d.event(announcement(1, 1), FromSync)
	require.Equal(t, 10*Second+30*Minute, d.reports(RepHeld)[0].Deadline)
}

// T-05: inputs that break the contract are refused in words and counted; none harms. // case 105
func TestBrokenInputs(t *testing.T) {
	bad := DefaultConfig()
	bad.LoopInterval = 0
	for name, in := range map[string]Input{
		"event without event": {Kind: InEvent}, "served without event": {Kind: InServed}, "no kind": {}, "unknown kind": {Kind: NumInputKinds},
		"push asked": {Kind: InPushAsked}, "push recheck": {Kind: InPushRecheck}, "push ended": {Kind: InPushEnded},
		"no configuration": {Kind: InConfigChanged}, "bad configuration": {Kind: InConfigChanged, Config: &bad},
	} {
		d := newInstant(t, DefaultConfig())
		d.step(in)
		require.Len(t, d.reports(RepContract), 1, name)
		require.NotEmpty(t, d.reports(RepContract)[0].Text, name)
		require.EqualValues(t, 1, d.c.Stats().Breaches, name)
	}
}

// T-04: a completion that is old, unknown or of another kind is counted, reported and changes nothing.
func TestStaleCompletions(t *testing.T) {
	d := served(t, DefaultConfig(), 1)
	d.hold = func(e Effect) bool { return e.Kind == EfCompare }
	d.event(state(3, 1, oid(7)), FromSync)
	d.until(12 * Second)
	before := d.c.AppendState(nil)
	ask := d.pending[0].Ask
	for kind := InChecked; kind <= InRepoDeleted; kind++ {
		for _, id := range []AskID{0, newAskID(1, 0), newAskID(99, 3), ask} {
			if id == ask && (kind == InCompared || kind == InProgress || kind == InPassEnded) {
				continue
			}
			ignored := d.c.Stats().Ignored
			d.log = nil
			d.step(Input{Kind: kind, Ask: id})
			require.Equal(t, ignored+1, d.c.Stats().Ignored, "%s %s", kind, id)
			require.Len(t, d.reports(RepIgnored), 1)
			require.Len(t, d.log, 1)
		}
	}
	d.c.ignored = 0
	after := d.c.AppendState(nil)
	require.Equal(t, len(before), len(after))
	require.Equal(t, 1, d.c.Stats().Passes)
}

// T-04: a request without an answer is issued again with its id, a pass is cancelled and then only reported;
// its permit returns with PassEnded alone, and the first completion counts. // mutants 39, 55
func TestWatchdogs(t *testing.T) {
	t.Run("a local request", func(t *testing.T) {
		d := newInstant(t, DefaultConfig())
		d.hold = func(e Effect) bool { return e.Kind == EfCreateRepo }
		d.event(announcement(1, 1), FromSync)
		d.until(340*Second - 1)
		require.Len(t, d.pending, 1)
		d.until(12 * Minute)
		require.Len(t, d.pending, 3)
		require.Equal(t, d.pending[0].Ask, d.pending[2].Ask)
		d.let()
		require.EqualValues(t, 2, d.c.Stats().Ignored)
	})
	t.Run("a pass that never ends", func(t *testing.T) {
		cfg := DefaultConfig()
		cfg.DomainConcurrency = 1
		d := served(t, cfg, 1)
		d.hold = func(e Effect) bool { return e.Kind == EfCompare || e.Kind == EfCancelPass }
		d.event(state(3, 1, oid(7)), FromSync)
		d.until(2 * Hour)
		require.Len(t, d.effectsOf(EfCancelPass), 1)
		require.NotEmpty(t, d.reports(RepOverdue))
		require.Equal(t, 1, d.c.Stats().Passes)
		require.Len(t, d.effectsOf(EfCompare), 1)
		require.NotEmpty(t, d.reports(RepEndedExpired)) // E-02: it does not keep its event for ever
		d.pending = d.pending[len(d.pending)-1:]
		d.let()
		require.Zero(t, d.c.Stats().Passes)
	})
}

// T-02: an arrival at the instant of a deadline beats it; on Wake the deadline fires. // case 89; mutant 61
func TestArrivalBeatsDeadline(t *testing.T) {
	for _, first := range []string{"arrival", "wake"} {
		d := served(t, DefaultConfig(), 1)
		d.hold = func(e Effect) bool { return e.Kind == EfCompare }
		d.event(state(3, 1, oid(7)), FromClient)
		at := d.reports(RepHeld)[0].Deadline
		d.until(at - 1)
		d.now = at
		if first == "wake" {
			d.step(Input{Kind: InWake})
		}
		d.step(Input{Kind: InEvent, Event: state(3, 1, oid(7)), Origin: FromClient})
		_, text := d.answer(eventID(3))
		if first == "arrival" {
			require.Equal(t, textInHold, text)
		} else {
			require.Equal(t, textHeld, text)
		}
	}
}

// T-01: a wall step moves lifetimes and nothing else. // case 87
func TestWallStepMovesLifetimesOnly(t *testing.T) {
	d := served(t, DefaultConfig(), 1)
	from := d.now
	d.event(state(3, 1, oid(7)), FromSync)
	d.until(from + 30*Second)
	d.step(Input{Kind: InClock, Offset: 10 * Minute})
	d.until(from + 20*Minute - 1)
	require.Equal(t, []int{1, 21, 61, 141, 261}, d.attempts(from)[:5])
	require.Empty(t, d.reports(RepEndedExpired))
	d.until(from + 20*Minute)
	require.Len(t, d.reports(RepEndedExpired), 1)
	d.event(state(4, 1, oid(8)), FromSync)
	d.step(Input{Kind: InClock, Offset: -Hour})
	d.until(from + 89*Minute)
	require.Len(t, d.reports(RepEndedExpired), 1)
}

// T-02: a Wake before anything is due changes nothing at all.
func TestEarlyWakeIsNothing(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		x := newChaos(t)
		for range rapid.IntRange(1, 60).Draw(t, "steps") {
			x.act()
			at, ok := x.c.Next()
			if ok && at <= x.now || x.c.stopping || x.c.starting { // the end of the facts of the start is due at once
				continue
			}
			before := x.c.Stats()
			x.now += min(max(0, (at-x.now)/2), Second)
			if out := x.c.Step(x.now, Input{Kind: InWake}, nil); len(out) != 0 {
				x.fail("T-02: an early Wake at %s brings %s", x.now, out[0].Kind)
			}
			after, next := x.c.Stats(), Never
			before.Domains, before.MemoURLs, before.MemoOIDs, before.Early = after.Domains, after.MemoURLs, after.MemoOIDs, after.Early
			before.Lookups = after.Lookups // facts of the start are judged at the first input after them, a Wake too
			require.Equal(t, before, after)
			if n, ok := x.c.Next(); ok {
				next = n
			}
			if ok {
				require.Equal(t, at, next)
			}
		}
	})
}

// T-02: a late Wake fires all that is due at once, by class, then deadline: states before PRs before
// announcements before starts.
func TestLateWakeFiresByClassAndDeadline(t *testing.T) {
	d := newInstant(t, DefaultConfig())
	a := announcement(1, 1)
	d.event(a, FromSync)
	d.until(2 * Second)
	d.event(pull(10, 9, oid(10), a.Repo), FromSync)
	d.now += Second
	d.event(state(21, 1, oid(21)), FromSync)
	d.now += Second
	d.event(under(7, announcement(30, 3)), FromSync)
	d.now += Second
	d.event(state(20, 1, oid(20)), FromSync)
	d.event(pull(11, 9, oid(11), a.Repo), FromSync)
	d.log = nil
	d.now = 2 * Hour
	d.step(Input{Kind: InWake})
	var order []EventID
	var deleted []Handle
	for _, e := range d.log {
		if e.Kind == EfReport && e.Report.Ends() {
			order = append(order, e.Event)
		}
		if e.Kind == EfDeleteRepoIfNoRefs {
			require.Len(t, order, 4, "announcements after states and PRs")
			deleted = append(deleted, e.Repo)
		}
	}
	require.Equal(t, []EventID{eventID(21), eventID(20), eventID(10), eventID(11)}, order)
	require.Len(t, deleted, 2)
}

// T-02, R-07: the same facts at one instant, in any order of delivery, end in the same residences. // I-10
func TestOrderOfArrivalDoesNotMatter(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		events := []*Event{lists(announcement(1, 1, 1), 2), lists(announcement(2, 2, 2), 1), state(3, 1, oid(7)), state(4, 2, oid(8)), state(5, 2, oid(9))}
		run := func(order []*Event) (served []EventID) {
			d := newInstant(t, DefaultConfig())
			d.remote[url+1] = map[OID]bool{oid(7): true, oid(9): true}
			d.remote[url+2] = map[OID]bool{oid(8): true}
			for _, e := range order {
				d.event(e, FromSync)
			}
			d.until(5 * Minute)
			for _, e := range order { // redelivered until quiet
				if _, held := d.c.where[e.ID]; !held {
					d.step(Input{Kind: InEvent, Event: e, Origin: FromSync, Duplicate: true})
				}
			}
			var latest []EventID
			for _, a := range d.c.anns.Items {
				latest = append(latest, d.c.states.At(a.Applied).ID)
			}
			return latest
		}
		require.Equal(rt, []EventID{eventID(5), eventID(5)}, run(rapid.Permutation(events).Draw(rt, "order")))
	})
}
