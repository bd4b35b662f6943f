package sim

import "graspsync/core"

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

// Checkpoint is the rolling hash after step (i+1)·1024, for finding where two runs part (I-9).
func (w *World) Checkpoint(i int) (Hash, bool) {
	if i < 0 || i >= len(w.checkpoints) {
		return 0, false
	}
	return w.checkpoints[i], true
}
