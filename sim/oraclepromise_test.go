package sim

import (
	"testing"

	"graspsync/core"
)

// delivered is the input of a synced state that names nothing in particular.
func delivered(n byte, change func(*core.Input)) core.Input {
	in := core.Input{Kind: core.InEvent, Origin: core.FromSync, Event: &core.Event{ID: core.EventID{n}, Kind: core.KindState, CreatedAt: 1,
		Repo: core.Coordinate{Identifier: 7}}}
	if change != nil {
		change(&in)
	}
	return in
}

func heldAs(n byte, hunt core.HuntID, deadline core.Time) core.Effect {
	return core.Effect{Kind: core.EfReport, Report: core.RepHeld, Event: core.EventID{n}, Hunt: hunt, Deadline: deadline}
}

func attemptSays(kind core.ReportKind, hunt core.HuntID, n uint32, next core.Time) core.Effect {
	return core.Effect{Kind: core.EfReport, Report: kind, Hunt: hunt, Attempt: n, Deadline: next}
}

// An attempt begins within the delay of the event that asked for it, and the next within the longest backoff.
func TestOracleSchedule(t *testing.T) {
	const s = core.Second
	in := delivered(1, nil)
	newScript(t, nil).at(0, in, heldAs(1, 1, 1800*s)).at(s, core.Input{Kind: core.InWake}, attemptSays(core.RepAttemptStarted, 1, 1, 0)).clean()
	newScript(t, nil).at(0, in, heldAs(1, 1, 1800*s)).at(21*s, core.Input{Kind: core.InWake}, attemptSays(core.RepAttemptStarted, 1, 1, 0)).
		caught("Q-05", "wanted it by 1s")
	newScript(t, nil).at(0, in, heldAs(1, 1, 1800*s)).at(s, core.Input{Kind: core.InWake}, attemptSays(core.RepAttemptStarted, 1, 1, 0)).
		at(2*s, core.Input{Kind: core.InWake}, attemptSays(core.RepAttemptEnded, 1, 1, 1000*s)).caught("Q-09", "must be by 182s")
}

// A URL is asked once an attempt. A-01
func TestOracleAsksOnce(t *testing.T) {
	start := func(slot core.AskID) core.Effect {
		return core.Effect{Kind: core.EfCompare, Ask: slot, Hunt: 1, Attempt: 1, URL: 5, Domain: 6}
	}
	x := newScript(t, nil).at(0, core.Input{Kind: core.InWake}, attemptSays(core.RepAttemptStarted, 1, 1, 0), start(1<<askSlotBits))
	x.at(1, core.Input{Kind: core.InPassEnded, Ask: 1 << askSlotBits}, start(2<<askSlotBits)).caught("A-01", "a second time")
}

// A pass that nothing wants is told to end with the attempt. H-04
func TestOracleWastedPass(t *testing.T) {
	x := newScript(t, nil).at(0, core.Input{Kind: core.InWake}, attemptSays(core.RepAttemptStarted, 1, 1, 0),
		core.Effect{Kind: core.EfCompare, Ask: 1 << askSlotBits, Hunt: 1, Attempt: 1, URL: 5, Domain: 6})
	x.at(1, core.Input{Kind: core.InWake}, attemptSays(core.RepAttemptEnded, 1, 1, core.Never)).caught("H-04", "wants nothing")
}

// What begins to be held may be held. DL-01, S-04, S-06, E-03, S-02, E-05
func TestOraclePromises(t *testing.T) {
	const s = core.Second
	hold := heldAs(1, 0, 1800*s)
	newScript(t, nil).at(0, delivered(1, func(in *core.Input) { in.Deleted = true }), hold).caught("DL-01", "has deleted it")
	newScript(t, nil).at(0, delivered(1, func(in *core.Input) { in.Event.CreatedAt = 1 << 40 }), hold).caught("S-04", "s ahead")
	newScript(t, func(s *Setup) { s.Config.HeldEvents = 1 }).at(0, delivered(1, nil), hold).at(1, delivered(2, nil), heldAs(2, 0, 1800*s)).
		caught("S-06", "at most 1 may be")
	newScript(t, nil).at(0, delivered(1, nil), heldAs(1, 0, 1000*core.Day)).caught("E-05", "at the latest")
	newScript(t, nil).at(0, delivered(1, nil), core.Effect{Kind: core.EfAnswer, OK: true, Event: core.EventID{1}, Text: "purgatory: waits"}).
		caught("S-02", "was answered as held, and is not")
	expired := core.Effect{Kind: core.EfReport, Report: core.RepEndedExpired, Event: core.EventID{1}}
	newScript(t, nil).at(0, delivered(1, nil), hold).at(1800*s, core.Input{Kind: core.InWake}, expired).at(1801*s, delivered(1, nil), heldAs(1, 0, 3601*s)).
		caught("E-03", "nothing new is known")
	newScript(t, nil).at(0, delivered(1, nil), hold).at(1800*s, core.Input{Kind: core.InWake}, expired).at(1801*s, delivered(2, nil)).
		at(1802*s, delivered(1, nil), heldAs(1, 0, 3602*s)).clean()
	newScript(t, nil).at(0, delivered(1, nil), hold).at(1, delivered(2, nil), core.Effect{Kind: core.EfAnswer, Event: core.EventID{2}, Text: "invalid: no"},
		core.Effect{Kind: core.EfReport, Report: core.RepExtended, Event: core.EventID{1}, Deadline: 1801 * s}).caught("E-05", "is refused, and something is kept longer")
}
