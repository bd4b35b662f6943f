package sim

import (
	"bytes"
	"slices"
	"strconv"

	"graspsync/core"
)

// Crash is the end of the relay's process at an instant: the core, the children of its passes, pushes under
// way and whatever the driver kept in memory are gone; repositories and event store stay as they are, and
// the journal does. What arrives while the relay is down is lost, but for what it learns when it comes up.
type Crash struct {
	Down core.Time // until the relay is up again, ≥ 0
}

// StepCrash is a crash at an effect boundary: the input of step Step is in the journal, and the first Effects
// of its effects were carried out when the process dies.
type StepCrash struct {
	Step    uint64 // from 1
	Effects int    // 0: none left; more than there are: all
	Down    core.Time
}

// snapshotEvery is the distance of snapshots in a journaled run, in steps.
const snapshotEvery = 64

// keeper is a machine that can be saved, as core.Core can.
type keeper interface{ AppendState([]byte) []byte }

// journal is what survives a crash: a snapshot and the inputs since. It is kept only in runs
// that crash.
type journal struct {
	on      bool
	cfg     core.Config // of the snapshot
	now     core.Config // of the core
	snap    []byte
	entries []journaled
	steps   []StepCrash // still to come
	at      []core.Time // instants of the crashes still to come

	down    bool
	count   uint64 // crashes so far
	offset  core.Time
	events  []*core.Event // delivered events, each once
	eventAt map[core.EventID]int
	served  []core.EventID // in the store when the process died
}

// journaled is one input with the instant at which it was stepped.
type journaled struct {
	at core.Time
	in core.Input
}

func (s *Setup) validateCrashes() string {
	last := uint64(len(s.Start))
	for i := range s.Crashes {
		c := &s.Crashes[i]
		if c.Step <= last {
			return "Crashes[" + strconv.Itoa(i) + "].Step is " + strconv.FormatUint(c.Step, 10) + ", must be above " + strconv.FormatUint(last, 10)
		}
		if c.Effects < 0 || c.Down < 0 {
			return "Crashes[" + strconv.Itoa(i) + "] has Effects " + strconv.Itoa(c.Effects) + " and Down " + c.Down.String() + ", must be ≥ 0"
		}
		last = c.Step
	}
	return ""
}

// beginJournal takes the first snapshot of a run that will crash.
func (w *World) beginJournal() error {
	j := &w.journal
	for i := range w.setup.Arrivals {
		if a := &w.setup.Arrivals[i]; a.Crash != nil {
			j.at = append(j.at, a.At)
		}
	}
	j.steps = w.setup.Crashes
	if j.on = len(j.at)+len(j.steps) > 0; !j.on {
		return nil
	}
	if _, ok := w.m.(keeper); !ok {
		return setupError("the machine that New makes has no AppendState, must have it in a run with crashes")
	}
	if w.setup.New != nil && w.setup.Restore == nil {
		return setupError("Restore is nil, must be given beside New in a run with crashes")
	}
	j.eventAt = make(map[core.EventID]int)
	j.now = w.cfg
	w.snapshot()
	return nil
}

func (w *World) snapshot() {
	j := &w.journal
	j.snap = w.m.(keeper).AppendState(j.snap[:0])
	j.cfg, j.entries = j.now, j.entries[:0]
}

// note writes an input down before the core takes it. Its lists are the driver's, so they are copied.
func (j *journal) note(now core.Time, in *core.Input) {
	if !j.on {
		return
	}
	x := *in
	x.OIDs, x.Refs = slices.Clone(in.OIDs), slices.Clone(in.Refs)
	if in.Push != nil {
		p := *in.Push
		p.Current = slices.Clone(p.Current)
		x.Push = &p
	}
	j.entries = append(j.entries, journaled{now, x})
	switch in.Kind {
	case core.InClock:
		j.offset = in.Offset
	case core.InConfigChanged:
		grid := j.now.LoopInterval // fixed for a run
		j.now = *in.Config
		j.now.LoopInterval = grid
	case core.InEvent, core.InServed:
		if _, ok := j.eventAt[in.Event.ID]; !ok {
			j.eventAt[in.Event.ID] = len(j.events)
			j.events = append(j.events, in.Event)
		}
	}
}

// journaled does what follows a step of a run that crashes: judges it, and takes a snapshot now and then.
func (w *World) journaled() {
	j := &w.journal
	if !j.on {
		return
	}
	if j.count > 0 && w.judge != nil {
		w.early()
	}
	if len(j.entries) >= snapshotEvery {
		w.snapshot()
	}
}

// cut tells whether the process dies before effect i of a step.
func (j *journal) cut(step uint64, i int) bool {
	return len(j.steps) > 0 && j.steps[0].Step == step && i >= j.steps[0].Effects
}

// crashHere crashes if the present step is one of Setup.Crashes.
func (w *World) crashHere() {
	j := &w.journal
	if len(j.steps) == 0 || j.steps[0].Step != w.step {
		return
	}
	down := j.steps[0].Down
	j.steps = j.steps[1:]
	w.crash(down)
}

// undone draws whether local work due at an instant is still to do when the next crash comes before it.
func (w *World) undone(due core.Time, entity uint64) bool {
	at := w.journal.at
	return len(at) > 0 && at[0] < due && Mix(w.setup.Seed, PurposeCrash, entity, uint64(w.now))&1 == 0
}

// crash drops the core and everything the driver had under way, makes the core anew from the journal and
// demands that it is the one that died. It runs again at the restart, down later.
func (w *World) crash(down core.Time) {
	j := &w.journal
	for len(j.at) > 0 && j.at[0] <= w.now {
		j.at = j.at[1:]
	}
	j.count++
	if !j.down { // else the relay dies while it comes up: what it was made from is still there
		w.drv.crash()
		w.reexecute()
		j.served = j.served[:0]
		for _, e := range j.events {
			if w.setup.Store.Has(e.ID) {
				j.served = append(j.served, e.ID)
			}
		}
		if w.judge != nil {
			w.judge.Crashed()
		}
	}
	j.down = true
	w.due = noDeadline
	w.push(w.now+down, evRestart, j.count)
}

// reexecute makes the core from the latest snapshot and the inputs since. Their effects are discarded: those
// of all but the last were carried out, and what is unfinished is asked for again at the restart.
func (w *World) reexecute() {
	j := &w.journal
	before := w.m.(keeper).AppendState(nil)
	m, err := w.restoreMachine(j.cfg, j.snap)
	if err != nil {
		w.violate("R-03", "the snapshot is refused: "+err.Error())
		w.over = true
		return
	}
	var out []core.Effect
	for i := range j.entries {
		out = m.Step(j.entries[i].at, j.entries[i].in, out[:0])
		m.Next()
	}
	w.m = m
	if k, ok := m.(keeper); !ok || !bytes.Equal(before, k.AppendState(nil)) {
		w.violate("R-03", "made anew from a snapshot and "+strconv.Itoa(len(j.entries))+" journaled inputs, the core is not the one that crashed")
	}
}

func (w *World) restoreMachine(cfg core.Config, data []byte) (Machine, error) {
	if w.setup.Restore != nil {
		return w.setup.Restore(cfg, data)
	}
	return core.Restore(cfg, data)
}

// restart tells the core that it is up again, unless another crash came meanwhile.
func (w *World) restart(id uint64) bool {
	j := &w.journal
	if id != j.count || !j.down {
		return false
	}
	j.down = false
	if w.setup.Up != nil {
		w.setup.Up(w.now)
	}
	w.drv.in = core.Input{Kind: core.InRestarted, Offset: j.offset}
	w.stepMachine(&w.drv.in)
	for _, id := range j.served {
		if w.judge != nil && !w.setup.Store.Has(id) && !w.judge.repos.removing[id] && !w.replaced(j.events[j.eventAt[id]]) && !w.deleted(j.events[j.eventAt[id]]) {
			w.violate("I-15", "event "+id.String()+" was served before the crash and is gone after it")
		}
	}
	return true
}

// missed is an arrival while the relay is down. Facts that still hold are learned just after the restart,
// the clock's offset with it; everything else never reaches the relay.
func (w *World) missed(a *Arrival, id uint64) {
	switch a.Input.Kind {
	case core.InClock:
		if a.Push == nil {
			w.journal.offset = a.Input.Offset
		}
	case core.InConfigChanged, core.InServed, core.InRepoRefs:
		w.push(w.now+core.Second, evArrival, id)
	}
}

// crash forgets all that is under way: children die, completions never come, users' pushes break off.
func (d *driver) crash() {
	for i := range d.locals {
		d.locals[i].ask, d.locals[i].due = 0, noDeadline
	}
	for i := range d.passes {
		s := &d.passes[i]
		s.ask, s.kind, s.probes, s.probeN = 0, core.EfNone, s.probes[:0], s.probeN[:0]
		s.due, s.tell, s.endAt = noDeadline, noDeadline, noDeadline
	}
	for i := range d.echoes {
		d.echoes[i].void = true
	}
	for i := range d.pushes {
		if d.pushes[i].stage != pushOver {
			d.pushes[i].stage = pushLost
		}
	}
}
