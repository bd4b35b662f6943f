package sim

import (
	"strconv"

	"graspsync/core"
)

// Constellation is several relays in one virtual time: worlds that tell and ask each other things. The world with
// the earliest happening takes its step, of several the first, so that a run is as deterministic as its worlds are.
// Each keeps its own machine, peers, judge and trace, and any trace replays alone.
type Constellation struct {
	worlds []*World
}

// NewConstellation puts worlds together. They must be fresh and may share peers.
func NewConstellation(worlds ...*World) (*Constellation, error) {
	if len(worlds) == 0 {
		return nil, setupError("a constellation of no worlds, must have at least one")
	}
	for i, w := range worlds {
		if w.step != 0 {
			return nil, setupError("world " + strconv.Itoa(i) + " of the constellation has run already, must be fresh")
		}
	}
	return &Constellation{worlds: worlds}, nil
}

// RunUntil lets all worlds handle everything up to and including instant t.
func (c *Constellation) RunUntil(t core.Time) {
	for {
		first, at := -1, core.Never
		for i, w := range c.worlds {
			if next, ok := w.pending(); ok && next <= t && next < at {
				first, at = i, next
			}
		}
		if first < 0 {
			return
		}
		c.worlds[first].proceed(at)
	}
}

// Run drives all worlds to the last of their horizons and gives their verdicts, in order.
func (c *Constellation) Run() []Result {
	end := core.Time(0)
	for _, w := range c.worlds {
		end = max(end, w.setup.Horizon)
	}
	c.RunUntil(end)
	out := make([]Result, len(c.worlds))
	for i, w := range c.worlds {
		w.over = true
		out[i] = w.Finish()
	}
	return out
}

// pending is when the world takes its next step, if it does within its horizon.
func (w *World) pending() (core.Time, bool) {
	if w.over {
		return 0, false
	}
	if w.open {
		return w.now, true // the instant may not be over
	}
	at, ok := w.upcoming()
	return at, ok && at <= w.setup.Horizon
}

// Inject delivers an input at an instant, as if it had been among the arrivals: for what other worlds tell. One
// that lies in the past of this world comes at its present; one past the horizon never.
func (w *World) Inject(at core.Time, in core.Input) {
	w.injected = append(w.injected, Arrival{At: max(at, w.now), Input: in})
	w.push(max(at, w.now), evInjected, uint64(len(w.injected)-1))
	w.inRow--
}

// Down tells whether the relay has crashed and is not up again.
func (w *World) Down() bool { return w.journal.down }
