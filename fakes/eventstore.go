package fakes

import (
	"graspsync/core"
	"graspsync/sim"
)

// storedEvent is what the store knows of an event, from when it first heard of it.
type storedEvent struct {
	id          core.EventID
	author      core.PubKey
	kind        uint32
	createdAt   int64
	identifier  core.Handle
	targets     []core.EventID
	mentions    []core.EventID
	coordinates []core.Deleted
	served      bool
	failures    int // stores of this event that still fail
}

// slot names what a replaceable event replaces.
type slot struct {
	author     core.PubKey
	kind       uint32
	identifier core.Handle
}

// StoreOp is an entry of the store's log.
type StoreOp struct {
	ID      core.EventID
	Remove  bool // else a store
	Verdict core.Verdict
}

// EventStore is the relay's event store; it implements sim.Store. It has the last word on what is served:
// the newest version of a replaceable event (E-06), nothing that a stored deletion covers (DL-01). It
// judges only events it was told of by Learn; others are stored as they come.
type EventStore struct {
	events []storedEvent
	byID   map[core.EventID]int32 // look-up only
	newest map[slot]int32         // look-up only: the served version
	named  map[core.EventID]int   // look-up only: how many served events name it
	graves []int32                // stored deletions
	fail   int
	log    []StoreOp // ring
	oldest int
	served int
	stores uint64
}

var _ sim.Store = (*EventStore)(nil)

// storeLog is how many operations the log keeps.
const storeLog = 1024

// NewEventStore is an empty store.
func NewEventStore() *EventStore {
	return &EventStore{byID: make(map[core.EventID]int32), newest: make(map[slot]int32), named: make(map[core.EventID]int)}
}

// Learn tells the store what an id stands for; known ids are left as they are. It stores nothing.
func (s *EventStore) Learn(e *core.Event) {
	if _, known := s.byID[e.ID]; known {
		return
	}
	i := s.entry(e.ID)
	s.events[i] = storedEvent{id: e.ID, author: e.Author, kind: e.Kind, createdAt: e.CreatedAt,
		identifier: e.Repo.Identifier, targets: e.Targets, coordinates: e.Coordinates, mentions: e.Mentions}
}

func (s *EventStore) entry(id core.EventID) int32 {
	if i, known := s.byID[id]; known {
		return i
	}
	i := int32(len(s.events))
	s.events = append(s.events, storedEvent{id: id})
	s.byID[id] = i
	return i
}

// FailNext makes the next n stores of any event fail.
func (s *EventStore) FailNext(n int) { s.fail = max(n, 0) }

// FailEvent makes the next n stores of one event fail.
func (s *EventStore) FailEvent(id core.EventID, n int) { s.events[s.entry(id)].failures = max(n, 0) }

// Store serves an event from now on unless a rule or an injected failure forbids it. A replaceable event
// takes the place of an older version; a deletion takes its targets out.
func (s *EventStore) Store(id core.EventID) core.Verdict {
	v := s.store(id)
	s.note(StoreOp{ID: id, Verdict: v})
	return v
}

func (s *EventStore) store(id core.EventID) core.Verdict {
	s.stores++
	i := s.entry(id)
	e := &s.events[i]
	switch {
	case e.served:
		return core.StoredOK
	case s.fail > 0:
		s.fail--
		return core.StoreFailed
	case e.failures > 0:
		e.failures--
		return core.StoreFailed
	case s.covered(e):
		return core.StoreDeleted
	}
	if key, ok := e.slot(); ok {
		if old, taken := s.newest[key]; taken {
			if !e.beats(&s.events[old]) {
				return core.StoreSuperseded
			}
			s.drop(old)
		}
		s.newest[key] = i
	}
	e.served = true
	s.served++
	s.mention(e, 1)
	if e.kind == core.KindDeletion {
		s.graves = append(s.graves, i)
		s.bury(e)
	}
	return core.StoredOK
}

func (e *storedEvent) slot() (slot, bool) {
	return slot{e.author, e.kind, e.identifier}, replaceable(e.kind)
}

func replaceable(kind uint32) bool {
	return kind == core.KindUserGrasps || kind >= 30000 && kind < 40000
}

// beats is NIP-01's order of two versions: the newer, on a tie the lowest id.
func (e *storedEvent) beats(o *storedEvent) bool {
	if e.createdAt != o.createdAt {
		return e.createdAt > o.createdAt
	}
	return e.id.Compare(o.id) < 0
}

// covered tells whether a stored deletion reaches e.
func (s *EventStore) covered(e *storedEvent) bool {
	for _, g := range s.graves {
		if d := &s.events[g]; d.served && d.reaches(e) {
			return true
		}
	}
	return false
}

// reaches tells whether deletion d covers e: by the same author, never another deletion (NIP-09).
func (d *storedEvent) reaches(e *storedEvent) bool {
	if d.author != e.author || e.kind == core.KindDeletion {
		return false
	}
	for i := range d.targets {
		if d.targets[i] == e.id {
			return true
		}
	}
	for i := range d.coordinates {
		c := &d.coordinates[i]
		if c.Kind == e.kind && c.Owner == e.author && c.Identifier == e.identifier && e.createdAt <= d.createdAt {
			return true
		}
	}
	return false
}

// bury takes out what deletion d reaches.
func (s *EventStore) bury(d *storedEvent) {
	for _, t := range d.targets {
		if i, known := s.byID[t]; known && d.reaches(&s.events[i]) {
			s.drop(i)
		}
	}
	for i := range d.coordinates {
		c := &d.coordinates[i]
		if n, taken := s.newest[slot{c.Owner, c.Kind, c.Identifier}]; taken && d.reaches(&s.events[n]) {
			s.drop(n)
		}
	}
}

func (s *EventStore) drop(i int32) {
	e := &s.events[i]
	if !e.served {
		return
	}
	e.served = false
	s.served--
	s.mention(e, -1)
	if key, ok := e.slot(); ok && s.newest[key] == i {
		delete(s.newest, key)
	}
}

// Remove stops serving an event; one that is not served is removed already.
func (s *EventStore) Remove(id core.EventID) core.Class {
	s.note(StoreOp{ID: id, Remove: true})
	if i, known := s.byID[id]; known {
		s.drop(i)
	}
	return core.OK
}

// Has tells whether an event is served.
func (s *EventStore) Has(id core.EventID) bool {
	i, known := s.byID[id]
	return known && s.events[i].served
}

// Facts are what an Input of the event says about this store. Related holds for what names an event or
// announcement served here, or is named by one, and so, one event after the other, for all that hangs together
// (RE-01).
func (s *EventStore) Facts(e *core.Event) (duplicate, deleted, related bool) {
	o := storedEvent{id: e.ID, author: e.Author, kind: e.Kind, createdAt: e.CreatedAt, identifier: e.Repo.Identifier}
	related = s.named[e.ID] > 0
	for _, id := range e.Mentions {
		related = related || s.Has(id)
	}
	for i := range e.Repositories {
		c := &e.Repositories[i]
		_, there := s.newest[slot{c.Owner, core.KindAnnouncement, c.Identifier}]
		related = related || there
	}
	return s.Has(e.ID), s.covered(&o), related
}

func (s *EventStore) mention(e *storedEvent, by int) {
	for _, id := range e.mentions {
		if s.named[id] += by; s.named[id] == 0 {
			delete(s.named, id)
		}
	}
}

// Served is how many events are served.
func (s *EventStore) Served() int { return s.served }

// AppendServed appends the ids served, in the order the store first heard of them.
func (s *EventStore) AppendServed(dst []core.EventID) []core.EventID {
	for i := range s.events {
		if s.events[i].served {
			dst = append(dst, s.events[i].id)
		}
	}
	return dst
}

func (s *EventStore) note(op StoreOp) {
	if len(s.log) < storeLog {
		s.log = append(s.log, op)
		return
	}
	s.log[s.oldest] = op
	s.oldest = (s.oldest + 1) % storeLog
}

// AppendLog appends the last operations, oldest first.
func (s *EventStore) AppendLog(dst []StoreOp) []StoreOp {
	dst = append(dst, s.log[s.oldest:]...)
	return append(dst, s.log[:s.oldest]...)
}
