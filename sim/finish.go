package sim

import (
	"strconv"

	"graspsync/core"
)

// count folds a step into hashes and counters.
func (w *World) count(in *core.Input) {
	h := w.hash.input(w.now, in)
	c := &w.res.Counts
	if in.Kind == core.InEvent {
		c.Arrived++
		if in.Duplicate {
			c.Duplicate++
		}
	}
	for i := range w.out {
		e := &w.out[i]
		h = h.effect(e)
		switch e.Kind {
		case core.EfCompare:
			w.order = w.order.start(w.now, e)
			c.Passes++
			if e.Hedge {
				c.Hedges++
			}
		case core.EfAnswer:
			if !e.OK {
				c.Refused++
			}
		case core.EfReport:
			c.report(e)
		}
	}
	w.hash = h
}

func (c *Counts) report(e *core.Effect) {
	switch e.Report {
	case core.RepHeld:
		c.Admitted++
		c.StillHeld++
		c.Hunts = max(c.Hunts, int64(e.Hunt))
	case core.RepAttemptStarted:
		c.Attempts++
		c.Hunts = max(c.Hunts, int64(e.Hunt))
	case core.RepEndedReleased:
		c.Released++
	case core.RepEndedExpired:
		c.Expired++
	case core.RepEndedDeleted:
		c.Deleted++
	case core.RepEndedReplaced:
		c.Replaced++
	case core.RepEndedEvicted:
		c.Evicted++
	}
	if e.Report.Ends() {
		c.StillHeld--
	}
}

// asked counts a question as the remote saw it.
func (w *World) asked(r *Reply) {
	c := &w.res.Counts
	c.Requests += int64(r.Requests)
	switch w.drv.req.Kind {
	case AskCompare:
		c.Compares++
	case AskFetch:
		c.Fetches++
	case AskProbe:
		c.Probes++
	}
	if w.judge != nil {
		w.judge.Asked(w.step, w.now, &w.drv.req, r)
	}
}

// Finish ends the run where it stands and gives the verdict; further calls give the same one.
func (w *World) Finish() Result {
	if w.sealed {
		return w.res
	}
	w.sealed, w.over = true, true
	end := w.now
	if at, ok := w.upcoming(); !ok || at > w.setup.Horizon {
		end = w.setup.Horizon // nothing happens until then: the wait is part of what is judged
	}
	if w.setup.Checks != ChecksOff {
		w.sweep()
		w.idle()
	}
	if w.judge != nil {
		w.judge.Finish(w.step, end)
		w.res.Violations = w.judge.Violations()
	}
	w.res.Violations = append(w.res.Violations, w.extra...)
	w.res.Steps, w.res.Virtual = w.step, end
	w.res.Hash, w.res.OrderHash = uint64(w.hash), uint64(w.order)
	w.res.Record = w.rec
	if w.setup.Trace != nil {
		w.setup.Trace.End(w.step, uint64(w.hash), uint64(w.order))
	}
	return w.res
}

// counter is a machine that can say what it keeps, as core.Core can.
type counter interface {
	Stats() core.Stats
	Unlisted() int
}

// idle judges that what is held has a wake-up, its deadline if nothing else (I-1), and that nothing is left where nothing is wanted: with no event held and no request on its
// way, permits, tickets, attempts and requests are back at zero (I-8). The driver model keeps the
// contract, so a core that counted a breach is wrong too (T-05).
func (w *World) idle() {
	if w.journal.down {
		return // there is no core to ask
	}
	if w.res.Counts.StillHeld > 0 && w.due == noDeadline {
		w.violate("I-1", strconv.FormatInt(w.res.Counts.StillHeld, 10)+" events are held and the core wants no wake-up")
	}
	c, ok := w.m.(counter)
	if !ok {
		return
	}
	s := c.Stats()
	if s.Breaches != 0 {
		w.violate("T-05", strconv.FormatUint(s.Breaches, 10)+" breaches of the driver's contract were counted, but this driver keeps it")
	}
	if w.res.Counts.StillHeld != 0 || w.queue.Len() != 0 || w.beyond != 0 || w.next < len(w.setup.Arrivals) || s.Pushes != 0 {
		return
	}
	if (w.setup.Driver.fails() || len(w.setup.LocalFaults) > 0) && s.Asks > 0 && w.due != noDeadline {
		return // local work failed or was lost, and waits for its retry
	}
	if left := s.Passes + s.Asks + s.Tickets + s.Attempts + s.Hunts + s.Releases; left != 0 || s.Held != 0 {
		w.violate("I-8", "nothing is held and nothing is on its way, but the core keeps "+strconv.Itoa(s.Held)+" events, "+
			strconv.Itoa(s.Hunts)+" hunts, "+strconv.Itoa(s.Attempts)+" attempts, "+strconv.Itoa(s.Passes)+" passes, "+
			strconv.Itoa(s.Asks)+" requests, "+strconv.Itoa(s.Tickets)+" tickets and "+strconv.Itoa(s.Releases)+" releases")
	}
	if w.due != noDeadline && s.Hunts == 0 && s.ExpiredIDs == 0 && s.Domains == 0 && s.MemoURLs == 0 && s.Early == 0 && s.Placeholders == 0 && c.Unlisted() == 0 {
		w.violate("I-8", "the core keeps nothing, but wants to be woken at "+w.due.String())
	}
}

// Checkpoint is the rolling hash after step (i+1)·1024, for finding where two runs part (I-9).
func (w *World) Checkpoint(i int) (Hash, bool) {
	if i < 0 || i >= len(w.checkpoints) {
		return 0, false
	}
	return w.checkpoints[i], true
}
