package sim

import "graspsync/core"

// judgeHeld follows each event from delivery through its residence in purgatory to its end: I-16 (every
// residence ends exactly once, nothing is stored that was not delivered or held), I-17 (nothing is held
// past its deadline) and I-12 (a second delivery changes nothing). What is over is forgotten.
type judgeHeld struct {
	index  map[core.EventID]int32
	recs   []heldRecord
	free   []int32
	stores []storeAsk // by slot of the AskID
	due    *Queue     // deadlines plus allowance, one live entry per residence
	offset core.Time  // wall clock ahead, as last told
	push   core.Time  // latest input about a push

	again bool         // this step's event is held or served already …
	id    core.EventID // … and is this one

	decided []core.EventID // answered in this step

	watches []watch // I-4
	watchAt map[core.EventID]int
}

// heldRecord is one event that is delivered, held or being stored.
type heldRecord struct {
	id       core.EventID
	arrived  bool // delivered as an event, not only promised by a push
	held     bool
	soft     bool // soft-expired announcement
	storedOK bool // the store has it since this residence began
	synced   bool // latest source
	answered bool
	hopeless bool // a state with refs that no object can satisfy: held, not hunted
	late     bool // I-17 was reported
	shown    bool // I-5 was: the store answers with it
	storing  int32
	kind     uint32
	hunt     core.HuntID // its hunt when the residence began
	event    *core.Event // what was delivered
	deadline core.Time   // by the wall clock: monotonic deadline + offset when it was told
	look     core.Time   // when I-17 looks at it next
}

type storeAsk struct {
	ask core.AskID
	rec int32
}

// pinFor is how long a push may pin a repository, and with it an announcement, against expiry (P-04).
const pinFor = 30 * core.Minute

func (h *judgeHeld) init(s *Setup) {
	h.index = make(map[core.EventID]int32)
	h.due = NewQueue(RadixQueue)
	h.push = noDeadline
	h.watchAt = make(map[core.EventID]int)
	for _, r := range s.Reachable {
		h.watchAt[r.Event] = len(h.watches)
		h.watches = append(h.watches, watch{Reachable: r, heldAt: noDeadline, endedAt: noDeadline})
	}
}

func (h *judgeHeld) find(id core.EventID) *heldRecord {
	if i, ok := h.index[id]; ok {
		return &h.recs[i]
	}
	return nil
}

func (h *judgeHeld) get(id core.EventID) (*heldRecord, int32) {
	if i, ok := h.index[id]; ok {
		return &h.recs[i], i
	}
	var i int32
	if n := len(h.free); n > 0 {
		i = h.free[n-1]
		h.free = h.free[:n-1]
	} else {
		i = int32(len(h.recs))
		h.recs = append(h.recs, heldRecord{})
	}
	h.index[id] = i
	h.recs[i] = heldRecord{id: id, look: noDeadline}
	return &h.recs[i], i
}

// drop forgets an event with nothing left to follow.
func (h *judgeHeld) drop(r *heldRecord) {
	if r.held || r.storing > 0 {
		return
	}
	i := h.index[r.id]
	delete(h.index, r.id)
	r.look = noDeadline
	h.free = append(h.free, i)
}

// arrived notes a delivery, and whether it is one that must change nothing.
func (o *Oracle) arrived(in *core.Input) {
	h := &o.held
	if in.Kind == core.InServed {
		return
	}
	id := in.Event.ID
	h.id = id
	r := h.find(id)
	if in.Duplicate && (r == nil || !r.held) {
		h.again = true
		return
	}
	if r != nil && r.held && r.arrived && !r.soft {
		h.again = true
		if r.synced && in.Origin == core.FromClient {
			h.again, r.synced = false, false // the one upgrade there is
		}
		return
	}
	if r == nil {
		r, _ = h.get(id)
	}
	r.arrived, r.kind, r.synced, r.hopeless = true, in.Event.Kind, in.Origin == core.FromSync, in.Event.Unsatisfied
	r.event = in.Event
}

// redelivered judges a step that delivered what is held or served already: only its answer may come of
// it, unless a deadline that had passed before is served in the same step. I-12
func (o *Oracle) redelivered(s *Observed) {
	if !o.held.again {
		return
	}
	o.held.again = false
	if s.Overdue || o.repos.starting { // the facts of the start are complete with the first other input
		return
	}
	for i := range s.Out {
		if e := &s.Out[i]; e.Kind != core.EfAnswer || e.Event != o.held.id {
			what := e.Kind.String()
			if e.Kind == core.EfReport {
				what += " " + e.Report.String()
			}
			o.violate("I-12", "second delivery of event %s led to %s", o.held.id, what)
		}
	}
}

// storing judges that only what was delivered or is held reaches the store. I-16
func (o *Oracle) storing(e *core.Effect) {
	h := &o.held
	i, ok := h.index[e.Event]
	if !ok {
		// An announcement that was refused may be taken up when another one lists its author (S-05, AN-03).
		ev := o.repos.memory[e.Event]
		if ev == nil || ev.Kind != core.KindAnnouncement {
			o.violate("I-16", "event %s goes to the store, but is neither held nor newly delivered", e.Event)
		}
		var r *heldRecord
		r, i = h.get(e.Event)
		if ev != nil {
			r.kind, r.event, r.answered = ev.Kind, ev, true
		}
	}
	slot := int(e.Ask & askSlotMask)
	for len(h.stores) <= slot {
		h.stores = append(h.stores, storeAsk{})
	}
	if h.stores[slot].ask == e.Ask {
		return // the watchdog asks again (T-04)
	}
	h.stores[slot] = storeAsk{e.Ask, i}
	h.recs[i].storing++
	o.repos.toStore(o, e, h.recs[i].event)
}

func (o *Oracle) stored(in *core.Input) {
	h := &o.held
	slot := int(in.Ask & askSlotMask)
	if slot >= len(h.stores) || h.stores[slot].ask != in.Ask {
		return // late or duplicate
	}
	r := &h.recs[h.stores[slot].rec]
	h.stores[slot].ask = 0
	r.storing--
	if in.Verdict == core.StoredOK {
		r.storedOK = true
		delete(o.repos.removing, r.id)
		o.repos.stands(o, r.event)
	}
	o.repos.over(o, in.Ask, in.Verdict != core.StoreFailed)
	if in.Verdict != core.StoreFailed && r.answered {
		h.drop(r)
	}
}

// answered notes that an event was decided; if the step does not go on to hold it, it is let go of.
func (o *Oracle) answered(e *core.Effect) {
	if r := o.held.find(e.Event); r != nil {
		r.answered = true
		o.held.decided = append(o.held.decided, e.Event)
	}
}

// settle lets go of what the step decided without holding it.
func (o *Oracle) settle() {
	h := &o.held
	for _, id := range h.decided {
		if r := h.find(id); r != nil {
			if !r.held && r.storing == 0 {
				o.repos.refused(r)
			}
			h.drop(r)
		}
	}
	h.decided = h.decided[:0]
}

// begins opens a residence. I-16
func (o *Oracle) begins(e *core.Effect) {
	h := &o.held
	r, i := h.get(e.Event)
	if r.held {
		o.violate("I-16", "event %s is held a second time", e.Event)
	}
	r.held, r.storedOK, r.soft, r.late, r.shown, r.hunt = true, false, false, false, false, e.Hunt
	o.deadline(r, i, e.Deadline)
	o.takes(e, r)
	o.news(e)
	o.repos.begins(o, r)
	if w := o.watch(e.Event); w != nil && w.heldAt == noDeadline {
		w.heldAt, w.deadline = o.now, e.Deadline
	}
}

// moved takes a new deadline of a held event.
func (o *Oracle) moved(e *core.Effect) {
	h := &o.held
	i, ok := h.index[e.Event]
	if !ok || !h.recs[i].held {
		o.violate("I-16", "event %s gets a new deadline (%s), but is not held", e.Event, e.Report)
		return
	}
	r := &h.recs[i]
	r.soft = e.Report == core.RepSoftExpired
	o.keeps(e)
	o.repos.moved(o, r, e.Report)
	o.deadline(r, i, e.Deadline)
	if w := o.watch(e.Event); w != nil {
		w.deadline = e.Deadline
	}
}

// ends closes a residence. Released means that the store took it. I-16
func (o *Oracle) ends(e *core.Effect) {
	h := &o.held
	r := h.find(e.Event)
	if r == nil || !r.held {
		o.violate("I-16", "event %s ends as %s, but is not held", e.Event, e.Report)
		return
	}
	if e.Report == core.RepEndedReleased && !r.storedOK {
		o.violate("I-16", "event %s is released, but the store has not taken it", e.Event)
	}
	if w := o.watch(e.Event); w != nil && w.endedAt == noDeadline {
		w.endedAt, w.ended = o.now, e.Report
	}
	o.repos.ends(o, r, e.Report)
	o.gone(e, r)
	r.held = false
	h.drop(r)
}

// deadline schedules the next look of I-17.
func (o *Oracle) deadline(r *heldRecord, i int32, monotonic core.Time) {
	h := &o.held
	if monotonic == core.Never {
		r.deadline, r.look = core.Never, noDeadline
		return
	}
	r.deadline = monotonic + h.offset
	at := max(monotonic+o.allowance(), o.now)
	if r.look == noDeadline || r.look > at {
		r.look = at
		h.due.Push(at, uint64(i))
	}
}

// allowance is how long after its deadline an event may still be held: a pass in flight and the release
// it leads to (E-02), and the driver's own delays.
func (o *Oracle) allowance() core.Time {
	return o.cfg.StallLimit + o.cfg.KillGrace + o.cfg.LoopInterval + 2*o.checks.local
}

// lateHolds looks at what is past its allowance. It is judged strictly after that instant, since an
// expiry comes last within it (T-02). I-17
func (o *Oracle) lateHolds() {
	h := &o.held
	if o.crash.down {
		return // nobody is there to end anything
	}
	for {
		at, ok := h.due.Peek()
		if !ok || at >= o.now {
			return
		}
		_, i, _ := h.due.Pop()
		r := &h.recs[i]
		if !r.held || r.look != at || r.late {
			continue
		}
		limit := r.deadline - h.offset + o.allowance()
		if r.kind == core.KindAnnouncement && h.push != noDeadline {
			limit = max(limit, h.push+pinFor+o.allowance())
		}
		if at := o.unmade(r); at != noDeadline {
			limit = max(limit, at+o.retrySpan()+o.allowance())
		}
		if o.checks.lossy && r.event != nil && !o.repos.off() && o.repos.name(r.event.Repo.Identifier).work > 0 {
			limit = max(limit, o.now+o.cfg.StallLimit+o.cfg.KillGrace+30*core.Second) // what it waits for is asked again by then (T-04)
		}
		if o.crash.up > 0 && r.deadline-h.offset < o.crash.up { // it expired while down
			limit = max(limit, o.crash.up+o.cfg.Lifetime+o.allowance())
		}
		if r.storing > 0 { // only Stored ends it now (E-02)
			limit = max(limit, o.now+o.allowance())
		}
		if limit < o.now {
			r.late, r.look = true, noDeadline
			o.violate("I-17", "event %s is still held at %s, its deadline was %s and the allowance after it is %s", r.id, o.now,
				r.deadline-h.offset, o.allowance())
			continue
		}
		r.look = limit
		h.due.Push(limit, i)
	}
}

// unmade is when the removal of an announcement's repository, or other local work of its name, failed last: until a
// retry the announcement is as it was (E-04). noDeadline: never.
func (o *Oracle) unmade(r *heldRecord) core.Time {
	if r.kind != core.KindAnnouncement || r.event == nil || o.repos.off() {
		return noDeadline
	}
	return o.repos.name(r.event.Repo.Identifier).failed
}
