package sim

import (
	"strconv"

	"graspsync/core"
)

// happen handles one queued happening and tells whether the machine took a step.
func (w *World) happen(key uint64) bool {
	id := key & ordIDMask
	switch key >> ordIDBits {
	case evArrival:
		if a := &w.setup.Arrivals[id]; a.void {
			return false
		} else if a.Crash != nil {
			w.crash(a.Crash.Down)
		} else if w.journal.down {
			w.missed(a, id)
		} else {
			return w.drv.arrive(a)
		}
		return false
	case evDone:
		return w.drv.done(id)
	case evAnswer:
		return w.drv.answered(id)
	case evProgress:
		return w.drv.progress(id)
	case evEnded:
		return w.drv.ended(id)
	case evEcho:
		return w.drv.echo(id)
	case evPush:
		return w.drv.pushStage(id)
	case evEarly:
		before := w.due
		if before <= w.now {
			return false // no longer early, or nothing to be early for
		}
		w.wake()
		if !w.journal.down && (len(w.out) != 0 || w.due != before) {
			w.violate("T-02", "an early wake changed something: "+strconv.Itoa(len(w.out))+" effects, next deadline "+
				before.String()+" became "+w.due.String())
		}
		return true
	case evRestart:
		return w.restart(id)
	case evInjected:
		if w.journal.down {
			return false // whoever tells it will tell it again
		}
		return w.drv.arrive(&w.injected[id])
	}
	return false
}

// stepMachine is the one place where the machine runs: hash, judge, record and trace see the same
// step, then the driver carries out the effects.
func (w *World) stepMachine(in *core.Input) {
	overdue := w.due != noDeadline && w.due < w.now
	w.in = in
	w.journal.note(w.now, in)
	w.out = w.m.Step(w.now, *in, w.out[:0])
	w.step++
	w.look()
	w.count(in)
	if w.judge != nil {
		w.judge.Observe(Observed{Step: w.step, Now: w.now, In: in, Out: w.out, Overdue: overdue})
	}
	if w.rec != nil {
		w.rec.observe(w.now, in, w.out)
	}
	if w.setup.Trace != nil {
		w.setup.Trace.Step(w.step, w.now, in, w.out)
	}
	if in.Kind == core.InConfigChanged {
		w.cfg = *in.Config
	}
	w.journaled()
	for i := range w.out {
		if w.journal.cut(w.step, i) {
			break
		}
		w.drv.perform(&w.out[i])
	}
	w.crashHere()
	w.after()
}

// look asks the machine for its next deadline.
func (w *World) look() {
	w.due = noDeadline
	if due, ok := w.m.Next(); ok && due != core.Never {
		w.due = due
	}
}

// after does what comes once a step: checkpoints, sweeps, the early wake, and the bound on steps that
// take no time.
func (w *World) after() {
	if w.step%checkpointEvery == 0 {
		w.checkpoints = append(w.checkpoints, w.hash)
	}
	if w.setup.Checks == ChecksThorough || w.setup.Checks == ChecksFast && w.step%sweepEvery == 0 {
		w.sweep()
	}
	if w.inRow++; w.inRow > inRowMax {
		w.violate("T-02", strconv.Itoa(inRowMax)+" steps at one instant: the core and its driver run in a circle")
		w.over = true
	}
	f := &w.setup.Driver
	if f.EarlyWake.Num == 0 {
		return
	}
	due := w.due
	if due <= w.now+1 || due == w.earlyFor {
		return
	}
	w.earlyFor = due
	if f.EarlyWake.Hit(Mix(w.setup.Seed, PurposeEarly, uint64(due), 0)) {
		w.push(Between(Mix(w.setup.Seed, PurposeEarly, uint64(due), 1), w.now, due-1), evEarly, uint64(due))
	}
}

func (w *World) sweep() {
	if err := w.m.Check(); err != nil {
		w.violate("I-8", "core.Check: "+err.Error())
	}
}

// violate adds a finding of the world itself, not of the oracle.
func (w *World) violate(id, text string) {
	if len(w.extra) < maxViolations {
		w.extra = append(w.extra, Violation{ID: id, At: w.now, Step: w.step, Text: text})
	}
}
