package sim

import "graspsync/core"

// World is one run: a machine, its driver, its peers and their judge in virtual time. The clock jumps
// from one happening to the next and nothing ticks. A World is single-threaded and holds no global
// state, so that runs in one process cannot influence each other.
type World struct {
	setup Setup
	cfg   core.Config // as the driver last heard of it
	m     Machine
	queue *Queue
	drv   driver
	judge *Oracle
	rec   *Record

	now      core.Time
	due      core.Time // the machine's next deadline, or noDeadline: asked once after each step
	told     int       // facts of the start that were told
	next     int       // arrivals before it are queued
	open     bool      // the present instant is not over
	over     bool
	beyond   int       // happenings that lie past the horizon
	inRow    int       // steps since the clock last moved
	earlyFor core.Time // the deadline that had its early wake

	in          *core.Input // of the latest step
	out         []core.Effect
	injected    []Arrival // what other worlds told
	step        uint64
	hash        Hash
	order       Hash
	checkpoints []Hash // after every checkpointEvery steps
	extra       []Violation
	journal     journal
	res         Result
	sealed      bool
}

const (
	// checkpointEvery is the distance of kept hashes, in steps.
	checkpointEvery = 1024
	// sweepEvery is the distance of full core.Check sweeps at ChecksFast, in steps.
	sweepEvery = 1 << 16
	// inRowMax bounds the steps of one instant beyond its arrivals: more is a loop without progress.
	inRowMax = 1 << 20
)

// NewWorld checks the setup and prepares a run. Errors wrap ErrSetup or core.ErrConfig.
func NewWorld(s Setup) (*World, error) {
	if err := s.validate(); err != nil {
		return nil, err
	}
	w := &World{setup: s, cfg: s.Config, queue: NewQueue(s.Queue), earlyFor: noDeadline}
	var err error
	if w.m, err = newMachine(&s); err != nil {
		return nil, err
	}
	w.drv.init(w)
	w.look()
	if err := w.beginJournal(); err != nil {
		return nil, err
	}
	if s.Checks != ChecksOff {
		w.judge = NewOracle(&s)
	}
	if s.Record {
		w.rec = newRecord()
	}
	w.res = Result{Scenario: s.Scenario, Seed: s.Seed}
	if s.Trace != nil {
		s.Trace.begin(&s)
	}
	return w, nil
}

// Run drives the world to its horizon, or until nothing can happen any more, and gives the verdict.
func (w *World) Run() Result {
	for w.StepOnce() {
	}
	return w.Finish()
}

// RunUntil handles everything up to and including instant t and stops there, for a look in the middle.
func (w *World) RunUntil(t core.Time) {
	for w.proceed(t) {
	}
}

// Now is the virtual instant of the last step.
func (w *World) Now() core.Time { return w.now }

// Steps is the number of steps so far.
func (w *World) Steps() uint64 { return w.step }

// Hash is the rolling hash so far.
func (w *World) Hash() Hash { return w.hash }

// Machine is what is being driven, for tests that look inside.
func (w *World) Machine() Machine { return w.m }

// Record is what happened so far; nil unless Setup.Record.
func (w *World) Record() *Record { return w.rec }

// StepOnce handles exactly one step of the machine; false means that the run is over.
func (w *World) StepOnce() bool {
	if w.proceed(w.setup.Horizon) {
		return true
	}
	w.over = true
	return false
}

// proceed takes the next step that lies at or before instant t, if there is one.
func (w *World) proceed(t core.Time) bool {
	t = min(t, w.setup.Horizon)
	if w.told < len(w.setup.Start) && t >= 0 {
		w.tell()
		return true
	}
	for !w.over {
		if w.open && w.now <= t {
			if w.within() {
				return true
			}
			w.open = false
		}
		at, ok := w.upcoming()
		if !ok || at > t {
			return false
		}
		if at > w.now {
			w.now, w.inRow = at, 0
		}
		w.open = true
		w.admit()
	}
	return false
}

// tell steps the machine with the next fact of the start. No tie policy moves it.
func (w *World) tell() {
	w.drv.in = w.setup.Start[w.told]
	w.told++
	w.inRow--
	w.stepMachine(&w.drv.in)
}

// within takes one step of the present instant; false means that the instant is over.
func (w *World) within() bool {
	for {
		at, ok := w.queue.Peek()
		if !ok || at != w.now {
			break
		}
		_, key, _ := w.queue.Pop()
		if w.happen(w.untie(at, key)) {
			return true
		}
	}
	// Wake comes last, and again while deadlines are due (T-02).
	if due, ok := w.wakeAt(); ok && due <= w.now {
		w.wake()
		return true
	}
	return false
}

// wake steps the machine with nothing but the time.
func (w *World) wake() {
	w.drv.in = core.Input{Kind: core.InWake}
	w.stepMachine(&w.drv.in)
}

// upcoming is the next instant at which anything happens, at or after the present one.
func (w *World) upcoming() (core.Time, bool) {
	if w.told < len(w.setup.Start) {
		return 0, true
	}
	at, ok := w.queue.Peek()
	if !ok {
		at = core.Never
	}
	if w.next < len(w.setup.Arrivals) {
		at, ok = min(at, w.setup.Arrivals[w.next].At), true
	}
	if due, wake := w.wakeAt(); wake {
		at, ok = min(at, max(due, w.now)), true
	}
	return at, ok
}

// wakeAt is when the driver's timer fires for the machine's next deadline. It depends on that deadline
// alone, so asking twice gives the same answer.
func (w *World) wakeAt() (core.Time, bool) {
	due := w.due
	if due == noDeadline {
		return 0, false
	}
	f := &w.setup.Driver
	if f.LateWake.Num != 0 && f.LateWake.Hit(Mix(w.setup.Seed, PurposeLate, uint64(due), 0)) {
		due += Between(Mix(w.setup.Seed, PurposeLate, uint64(due), 1), 0, f.LateBy)
	}
	return due, true
}

// admit queues what arrives at the present instant, so that arrivals and completions share one order.
func (w *World) admit() {
	for w.next < len(w.setup.Arrivals) && w.setup.Arrivals[w.next].At <= w.now {
		w.push(w.now, evArrival, uint64(w.next))
		w.next++
		w.inRow--
	}
}
