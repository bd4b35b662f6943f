package bench

import (
	"graspsync/core"
	"graspsync/core/budget"
	"graspsync/sim"
)

// qdMachine is rules and D-01, D-02, D-05, D-06 as a state machine: keys in a table, one queue of
// instants, permits and rings from core/budget. It leaves out what needs more than queue and domains: waves
// and hedges, cool-downs, purgatory beyond one deadline per key.
type qdMachine struct {
	l      QDLoad
	q      *sim.Queue
	b      *budget.Table
	keys   []qdKey
	dom    []budget.Dom // by number of the load
	checks *qdChecks
	now    core.Time
	end    core.Time
	r      QDResult
}

type qdKey struct {
	next, rerun core.Time // core.Never: none
	deadline    core.Time // of what is wanted; core.Never: nothing is
	count       uint32
	running     bool
	flying      bool
	tried       uint8
	place       uint8
	tickets     int8
	found       bool
	passes      uint64
	permit      budget.Permit
	ticket      [qdPlaces]budget.Ticket
}

// Kinds of happenings in the order of one instant: facts, expiries, starts (T-02).
const (
	qdArrive uint64 = iota
	qdDone
	qdExpire
	qdStart
	qdKindShift = 40
)

// RunQD runs the load through the state machine, with or without checks.
func RunQD(l QDLoad, kind sim.QueueKind, checks bool) QDResult {
	m := newQD(l, kind, checks)
	m.run()
	return m.r
}

func newQD(l QDLoad, kind sim.QueueKind, checks bool) *qdMachine {
	m := &qdMachine{l: l, q: sim.NewQueue(kind), keys: make([]qdKey, l.Keys), end: core.Time(l.Hours) * core.Hour}
	m.b = budget.New(budget.Limits{Concurrency: qdConcurrency, Rate: qdRate, Requests: 1 << 20, Window: qdWindow,
		AddressPasses: 1 << 20, Pressure: 1 << 20, AuthorPasses: 1 << 20})
	m.dom = make([]budget.Dom, l.domains())
	for d := range m.dom {
		m.dom[d] = m.b.Open(core.Handle(d + 1))
	}
	for k := range m.keys {
		m.keys[k] = qdKey{next: core.Never, rerun: core.Never, deadline: core.Never}
		m.push(l.arrival(k), qdArrive, k)
	}
	if checks {
		m.checks = newQDChecks(&m.l, &m.r)
	}
	return m
}

func (m *qdMachine) push(at core.Time, kind uint64, key int) {
	if at <= m.end {
		m.q.Push(at, kind<<qdKindShift|uint64(key))
	}
}

func (m *qdMachine) run() {
	for {
		at, some := m.q.Peek()
		wake := m.b.NextWake()
		if wake <= m.end && (!some || wake < at) {
			m.now = wake
			m.r.Events++
			m.b.Wake(m.now)
			m.grant()
			continue
		}
		if !some {
			return
		}
		_, ord, _ := m.q.Pop()
		m.now = at
		m.r.Events++
		k := int(ord & (1<<qdKindShift - 1))
		switch ord >> qdKindShift {
		case qdArrive:
			m.arrive(k)
		case qdDone:
			m.done(k)
		case qdExpire:
			m.expire(k)
		case qdStart:
			m.start(k)
		}
	}
}

// arrive is a new event for a key.
func (m *qdMachine) arrive(k int) {
	s := &m.keys[k]
	m.push(m.now+qdEvery, qdArrive, k)
	s.deadline = m.now + qdLife
	m.push(s.deadline, qdExpire, k)
	if s.running {
		s.rerun = min(s.rerun, m.now+qdDelay)
		return
	}
	s.count = 0
	m.arm(k, min(s.next, qdUp(m.now+qdDelay)))
}

func (m *qdMachine) arm(k int, at core.Time) {
	s := &m.keys[k]
	if s.next != at {
		s.next = at
		if at != core.Never {
			m.push(at, qdStart, k)
		}
	}
}

// start begins an attempt, unless the entry is out of date.
func (m *qdMachine) start(k int) {
	s := &m.keys[k]
	if s.next != m.now || s.running {
		return
	}
	if m.checks != nil {
		m.checks.attempt(m.now)
	}
	s.next, s.running, s.tried = core.Never, true, 0
	m.goOn(k)
}

// goOn asks the next place of a running attempt, waits for one, or ends the attempt.
func (m *qdMachine) goOn(k int) {
	s := &m.keys[k]
	if s.deadline == core.Never || s.tried == 1<<qdPlaces-1 {
		m.endAttempt(k)
		return
	}
	for p := range qdPlaces {
		if s.tried>>p&1 == 0 && m.b.Free(m.dom[m.l.domain(k, p)], m.now, false, budget.PubKey{}) {
			m.pass(k, p)
			return
		}
	}
	for p := range qdPlaces {
		if s.tried>>p&1 == 0 {
			s.ticket[p] = m.b.Park(m.dom[m.l.domain(k, p)], uint64(k)<<2|uint64(p), false, budget.PubKey{})
			s.tickets |= 1 << p
			m.b.SetEligible(s.ticket[p], true, m.now)
		}
	}
}

// unpark takes the key's tickets out of all rings.
func (m *qdMachine) unpark(k int) {
	s := &m.keys[k]
	for p := range qdPlaces {
		if s.tickets>>p&1 != 0 {
			m.b.Unpark(s.ticket[p], m.now)
		}
	}
	s.tickets = 0
}

// pass takes a permit and asks one place (D-02).
func (m *qdMachine) pass(k, p int) {
	s := &m.keys[k]
	m.unpark(k)
	d := m.l.domain(k, p)
	s.permit = m.b.Start(m.dom[d], m.now, false, budget.PubKey{}, 1)
	s.tried |= 1 << p
	s.place, s.flying = uint8(p), true
	s.passes++
	if m.checks != nil {
		m.checks.start(m.now, k, d)
	}
	m.r.started(m.now, k, p, s.passes)
	takes, found := m.l.pass(k, s.passes)
	s.found = found
	m.push(m.now+takes, qdDone, k)
}

// done ends a pass: its permit returns and wakes who waits (D-06).
func (m *qdMachine) done(k int) {
	s := &m.keys[k]
	s.flying = false
	if m.checks != nil {
		m.checks.end(m.now, k, m.l.domain(k, int(s.place)))
	}
	m.b.End(&s.permit, m.now)
	if s.found && s.deadline != core.Never {
		m.r.Found++
		s.deadline = core.Never
	}
	m.grant()
	m.goOn(k)
}

// expire ends what was wanted (E-01): a parked or idle key wants nothing more; a running pass ends first.
func (m *qdMachine) expire(k int) {
	s := &m.keys[k]
	if s.deadline != m.now {
		return
	}
	s.deadline = core.Never
	switch {
	case !s.running:
		s.next = core.Never
	case !s.flying:
		m.unpark(k)
		m.endAttempt(k)
	}
}

// endAttempt says when the next one comes.
func (m *qdMachine) endAttempt(k int) {
	s := &m.keys[k]
	s.running = false
	switch {
	case s.deadline == core.Never:
		s.next = core.Never
	case s.rerun != core.Never:
		s.count = 0
		m.arm(k, qdUp(max(s.rerun, m.now)))
	default:
		s.count++
		m.arm(k, qdUp(m.now+qdAfter(s.count)))
	}
	s.rerun = core.Never
}

// grant gives what room there is to the rings (D-05).
func (m *qdMachine) grant() {
	for {
		t, ok := m.b.NextGrant(m.now)
		if !ok {
			return
		}
		tag := m.b.Tag(t)
		m.pass(int(tag>>2), int(tag&3))
	}
}
