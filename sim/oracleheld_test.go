package sim

import (
	"testing"

	"github.com/stretchr/testify/require"

	"graspsync/core"
	"graspsync/core/value"
)

func arrive(n int, origin core.Origin) core.Input {
	return core.Input{Kind: core.InEvent, Origin: origin, Event: &core.Event{ID: toyID(n), Kind: core.KindState}}
}

func holds(n int, deadline core.Time) core.Effect {
	return report(core.RepHeld, func(e *core.Effect) { e.Event, e.Deadline, e.Hunt = toyID(n), deadline, core.HuntID(n) })
}

func about(n int, kind core.ReportKind) core.Effect {
	return report(kind, func(e *core.Effect) { e.Event = toyID(n) })
}

func answer(n int) core.Effect { return core.Effect{Kind: core.EfAnswer, Event: toyID(n), OK: true} }

func store(n int) core.Effect {
	return core.Effect{Kind: core.EfStoreEvent, Ask: passID(n), Event: toyID(n)}
}

func storedAs(n int, v core.Verdict) core.Input {
	return core.Input{Kind: core.InStored, Ask: passID(n), Verdict: v}
}

// held is a log with event 1 in purgatory until 1800 s.
func held(t *testing.T, change func(*Setup)) *script {
	return newScript(t, change).at(0, arrive(1, core.FromSync), answer(1), holds(1, 1800*core.Second)).clean()
}

// A residence begins once and ends once. I-16
func TestOracleResidence(t *testing.T) {
	held(t, nil).at(1, wake, about(1, core.RepEndedExpired)).clean()
	held(t, nil).at(1, wake, holds(1, 1800*core.Second)).caught("I-16", "is held a second time")
	held(t, nil).at(1, wake, about(1, core.RepEndedExpired)).at(2, wake, about(1, core.RepEndedDeleted)).caught("I-16", "ends as deleted, but is not held")
	newScript(t, nil).at(0, wake, about(1, core.RepEndedEvicted)).caught("I-16", "ends as evicted")
	newScript(t, nil).at(0, wake, about(1, core.RepExtended)).caught("I-16", "new deadline (extended), but is not held")
	// After its end an event may come back.
	held(t, nil).at(1, wake, about(1, core.RepEndedExpired)).at(2, arrive(1, core.FromClient), answer(1), holds(1, 1802*core.Second)).clean()
}

// Released means stored. I-16
func TestOracleReleasedIsStored(t *testing.T) {
	held(t, nil).at(1, wake, store(1)).at(2, storedAs(1, core.StoredOK), about(1, core.RepEndedReleased)).clean()
	held(t, nil).at(1, wake, store(1), about(1, core.RepEndedReleased)).caught("I-16", "the store has not taken it")
	held(t, nil).at(1, wake, store(1)).at(2, storedAs(1, core.StoreFailed), about(1, core.RepEndedReleased)).caught("I-16", "the store has not taken it")
}

// Only what is held or was delivered reaches the store. I-16
func TestOracleStores(t *testing.T) {
	newScript(t, nil).at(0, arrive(1, core.FromClient), store(1)).at(1, storedAs(1, core.StoredOK), answer(1)).clean()
	newScript(t, nil).at(0, wake, store(1)).caught("I-16", "neither held nor newly delivered")
	held(t, nil).at(1, wake, about(1, core.RepEndedExpired)).at(2, wake, store(1)).caught("I-16", "neither held nor newly delivered")
	newScript(t, nil).at(0, arrive(1, core.FromClient), store(1), answer(1)).at(1, storedAs(1, core.StoreDeleted)).
		at(2, wake, store(1)).caught("I-16", "neither held nor newly delivered")
	// The watchdog's repetition is the same request, and a late completion is nobody's.
	held(t, nil).at(1, wake, store(1)).at(2, wake, store(1)).at(3, storedAs(1, core.StoredOK), about(1, core.RepEndedReleased)).
		at(4, storedAs(1, core.StoredOK)).clean()
}

// The second delivery of a held event changes nothing but its answer. I-12 Q-12
func TestOracleRedelivery(t *testing.T) {
	held(t, nil).at(1, arrive(1, core.FromSync), answer(1)).clean()
	held(t, nil).at(1, arrive(1, core.FromSync), answer(1), start(1, 1, 7)).caught("I-12", "led to compare")
	held(t, nil).at(1, arrive(1, core.FromSync), report(core.RepExtended, func(e *core.Effect) {
		e.Event, e.Deadline = toyID(1), 1801*core.Second
	})).caught("I-12", "led to report extended")
	// A client's copy of a synced event upgrades it, once.
	upgraded := held(t, nil).at(1, arrive(1, core.FromClient), answer(1), start(1, 1, 7)).clean()
	upgraded.at(2, arrive(1, core.FromClient), hedged(start(2, 1, 8)))
	require.Equal(t, "I-12", upgraded.o.Violations()[0].ID)
	// What the store has already.
	served := arrive(1, core.FromSync)
	served.Duplicate = true
	newScript(t, nil).at(0, served, answer(1)).clean()
	newScript(t, nil).at(0, served, answer(1), core.Effect{Kind: core.EfNotify, Event: toyID(1)}).caught("I-12", "led to notify")
	// A deadline served in the same step is not the delivery's doing.
	s := held(t, nil)
	in := arrive(1, core.FromSync)
	s.o.Observe(Observed{Step: 2, Now: core.Minute, In: &in, Out: []core.Effect{start(1, 1, 7)}, Overdue: true})
	s.clean()
}

// Nothing is held past its deadline and what E-02 allows. I-17 E-01 E-02
func TestOracleDeadline(t *testing.T) {
	limit := 1800*core.Second + 311*core.Second // stall limit + grace + grid
	held(t, nil).at(limit, wake).clean()
	held(t, nil).at(limit, wake, about(1, core.RepEndedExpired)).at(limit+core.Hour, wake).clean()
	held(t, nil).at(limit+1, wake).caught("I-17", "is still held at 2111.000000001s, its deadline was 1800s")
	held(t, nil).at(limit+1, wake).at(limit+core.Hour, wake).at(limit+2*core.Hour, wake, about(1, core.RepEndedExpired))
	longer := report(core.RepExtended, func(e *core.Effect) { e.Event, e.Deadline = toyID(1), 3000*core.Second })
	held(t, nil).at(1, wake, longer).at(limit+1, wake).clean().at(3312*core.Second, wake).caught("I-17", "its deadline was 3000s")
	// Once it is at the store, only the store ends it.
	held(t, nil).at(1, wake, store(1)).at(2*core.Hour, wake).clean()
	// The end of the run is a look too.
	require.Len(t, held(t, nil).finish(core.Hour).o.Violations(), 1)
	// The driver's own delays are forgiven.
	held(t, func(s *Setup) { s.Driver.LateBy = core.Minute }).at(limit+core.Minute, wake).clean()
}

// A wall clock that steps moves deadlines with it. I-17 T-01
func TestOracleDeadlineFollowsTheWall(t *testing.T) {
	back := core.Input{Kind: core.InClock, Offset: -core.Hour}
	held(t, nil).at(1, back).at(3000*core.Second, wake).clean().at(6000*core.Second, wake).caught("I-17", "its deadline was 5400s")
}

// A push may pin an announcement. I-17 P-04
func TestOraclePinnedAnnouncement(t *testing.T) {
	in := arrive(1, core.FromClient)
	in.Event.Kind = core.KindAnnouncement
	pushed := core.Input{Kind: core.InPushAsked, Push: &core.Push{}}
	s := newScript(t, nil).at(0, in, holds(1, 1800*core.Second)).at(1790*core.Second, pushed)
	s.at(2200*core.Second, wake).clean().at(3902*core.Second, wake).caught("I-17", "is still held")
}

// Data in reach and time enough, but no release. I-4
func TestOracleLiveness(t *testing.T) {
	reach := func(bound core.Time) func(*Setup) {
		return func(s *Setup) { s.Reachable = []Reachable{{Event: toyID(1), From: 100 * core.Second, Bound: bound}} }
	}
	released := func(s *script, at core.Time) *script {
		return s.at(at, wake, store(1)).at(at, storedAs(1, core.StoredOK), about(1, core.RepEndedReleased))
	}
	released(held(t, reach(50*core.Second)), 150*core.Second).finish(core.Hour).clean()
	released(held(t, reach(50*core.Second)), 151*core.Second).finish(core.Hour).caught("I-4", "was released at 151s; its data is in reach since 100s, so it was due by 150s")
	held(t, reach(50*core.Second)).finish(151*core.Second).caught("I-4", "is still held at 151s")
	held(t, reach(50*core.Second)).finish(149 * core.Second).clean() // the run is too short to tell
	held(t, reach(50*core.Second)).at(1800*core.Second, wake, about(1, core.RepEndedExpired)).finish(core.Hour).caught("I-4", "expired at 1800s")
	held(t, reach(1750*core.Second)).at(1800*core.Second, wake, about(1, core.RepEndedExpired)).finish(core.Hour).clean() // the deadline came first
	held(t, reach(50*core.Second)).at(120*core.Second, wake, about(1, core.RepEndedDeleted)).finish(core.Hour).clean()
	newScript(t, reach(50*core.Second)).finish(core.Hour).clean() // never delivered
}

// The bound grows with the tickets ahead and with every limit it is made of. I-4
func TestLivenessBound(t *testing.T) {
	c := core.DefaultConfig()
	base := LivenessBound(&c, 0)
	require.Greater(t, base, c.ClientDelay+c.CoolCap)
	require.Greater(t, LivenessBound(&c, 100), base)
	for _, change := range []func(*core.Config){
		func(c *core.Config) { c.ClientDelay += core.Hour }, func(c *core.Config) { c.BackoffCap += core.Hour },
		func(c *core.Config) { c.CoolCap += core.Hour }, func(c *core.Config) { c.StallLimit += core.Hour },
		func(c *core.Config) { c.KillGrace += core.Hour }, func(c *core.Config) { c.HedgeHeadStart += core.Hour },
		func(c *core.Config) { c.DomainWindow += core.Hour }, func(c *core.Config) { c.DomainRate = 1 },
		func(c *core.Config) { c.LoopInterval += core.Hour }, func(c *core.Config) { c.GuestAge += core.Hour },
	} {
		d := core.DefaultConfig()
		change(&d)
		require.Greater(t, LivenessBound(&d, 0), base)
	}
}

// An attempt that waits while its domain serves the same others again and again. I-13 D-05
func TestOracleFairness(t *testing.T) {
	names := new(value.Names)
	names.Handle("host.example") // keeps the handles of repositories off the domain's number 7
	repo := func(owner byte) core.Handle {
		var k core.PubKey
		k[0] = owner
		return names.Handle(k.String() + "/x")
	}
	begin := func(hunt core.HuntID, n uint32) core.Effect {
		return report(core.RepAttemptStarted, func(e *core.Effect) { e.Hunt, e.Attempt = hunt, n })
	}
	pass := func(n int, hunt core.HuntID) core.Effect {
		e := start(n, hunt, 7)
		e.Repo = repo(byte(hunt))
		return e
	}
	// Hunts 1 and 2 have used domain 7 and wait for it again; hunt 2 is then overtaken by others.
	overtaken := func(others int, change func(*Setup)) *script {
		s := newScript(t, func(s *Setup) {
			s.Names = names
			s.Config.DomainRate = 1000
			if change != nil {
				change(s)
			}
		})
		s.at(0, wake, begin(1, 1), begin(2, 1), pass(1, 1), pass(2, 2)).at(1, end(1)).at(1, end(2))
		s.at(2, wake, report(core.RepAttemptEnded, func(e *core.Effect) { e.Hunt = 2 }))
		s.at(3, wake, begin(2, 2)) // two attempts run: at most four tickets ahead
		for i := range others {
			s.at(core.Time(4+i), wake, pass(3+i, core.HuntID(3+i%100))).at(core.Time(4+i), end(3+i))
		}
		return s
	}
	overtaken(9, nil).at(core.Second, wake, pass(900, 2)).clean()
	overtaken(10, nil).at(core.Second, wake, pass(900, 2)).caught("I-13", "while 10 others were granted; at most 4 tickets were ahead")
	overtaken(10, nil).finish(core.Second).caught("I-13", "hunt 2 waited")
	// A share that was full may have held it back instead.
	overtaken(10, func(s *Setup) { s.Config.Pressure = 2 }).at(core.Second, wake, pass(900, 2)).clean()
}
