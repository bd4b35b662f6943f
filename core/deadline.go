package core

import (
	"math/bits"
	"slices"

	"graspsync/core/pq"
	"graspsync/core/purgatory"
)

// timerClass groups deadlines of one kind. Classes fire in this order, expiries before starts (T-02).
type timerClass uint8

const (
	tState timerClass = iota // expiry of states; life time
	tPR                      // expiry of PRs; life time
	tPlace                   // expiry of placeholders; life time
	tAnn                     // expiry of announcements; life time
	tAsk                     // watchdogs and retries of requests (T-04)
	tPush                    // the end of a push's pin (P-04)
	tPass                    // hedge clock, ages, warnings, watchdog of a pass
	tWait                    // the PR wave's turn (U-01)
	numTimerClasses
)

// lifeTime tells whether the class counts in wall-clock lifetimes (T-01).
func (k timerClass) lifeTime() bool { return k <= tAnn }

// timer holds the deadlines of one class: a lane for those armed in order, a heap for the rest. Entries
// die by generation; the dead are dropped when they come up.
type timer struct {
	lane pq.Lane
	far  []pq.Entry // binary heap by (At, ID, Gen)
	at   int64      // nothing of the class stands before it; so that most looks at it end here
}

func before(a, b pq.Entry) bool {
	return a.At < b.At || a.At == b.At && (a.ID < b.ID || a.ID == b.ID && a.Gen < b.Gen)
}

func (t *timer) arm(e pq.Entry) {
	t.at = min(t.at, e.At)
	if t.lane.InOrder(e) {
		t.lane.Push(e)
		return
	}
	t.far = append(t.far, e)
	i := len(t.far) - 1
	for i > 0 && before(t.far[i], t.far[(i-1)/2]) {
		t.far[i], t.far[(i-1)/2] = t.far[(i-1)/2], t.far[i]
		i = (i - 1) / 2
	}
}

func (t *timer) dropFar() {
	n := len(t.far) - 1
	t.far[0] = t.far[n]
	t.far = t.far[:n]
	for i := 0; ; {
		k := 2*i + 1
		if k >= n {
			return
		}
		if k+1 < n && before(t.far[k+1], t.far[k]) {
			k++
		}
		if !before(t.far[k], t.far[i]) {
			return
		}
		t.far[i], t.far[k] = t.far[k], t.far[i]
		i = k
	}
}

// alive tells whether a deadline still stands.
func (c *Core) alive(k timerClass, e pq.Entry) bool {
	switch k {
	case tState:
		return c.states.Items[e.ID].Gen == e.Gen
	case tPR:
		return c.prs.Items[e.ID].Gen == e.Gen
	case tPlace:
		return c.places.slab.Items[e.ID].gen == e.Gen
	case tAnn:
		return c.anns.Items[e.ID].Gen == e.Gen
	case tAsk:
		return c.asks.Items[e.ID].gen == e.Gen
	case tPush:
		return c.pushes.slab.Items[e.ID].gen == e.Gen
	case tPass:
		return c.passes.Items[e.ID].gen == e.Gen
	default:
		return c.groups.Items[e.ID].waitGen == e.Gen
	}
}

// head is the earliest standing deadline of a class; far tells in which half it is.
func (c *Core) head(k timerClass) (e pq.Entry, far, ok bool) {
	e, far, ok = c.search(k)
	if c.timers[k].at = int64(Never); ok {
		c.timers[k].at = e.At
	}
	return e, far, ok
}

func (c *Core) search(k timerClass) (e pq.Entry, far, ok bool) {
	t := &c.timers[k]
	for t.lane.Len() > 0 {
		if e, _ = t.lane.Head(); c.alive(k, e) {
			ok = true
			break
		}
		t.lane.Drop()
	}
	for len(t.far) > 0 {
		if f := t.far[0]; c.alive(k, f) {
			if !ok || before(f, e) {
				return f, true, true
			}
			break
		}
		t.dropFar()
	}
	return e, false, ok
}

// fire runs the deadlines before now, and on Wake those at now too, by class, then deadline, then id.
func (c *Core) fire(wake bool) {
	limit := int64(c.now)
	if !wake {
		limit--
	}
	for k := range numTimerClasses {
		edge := limit
		if k.lifeTime() {
			edge += int64(c.offset)
		}
		for c.timers[k].at <= edge {
			e, far, ok := c.head(k)
			if !ok || e.At > edge {
				break
			}
			if far {
				c.timers[k].dropFar()
			} else {
				c.timers[k].lane.Drop()
			}
			c.due(k, int32(e.ID))
		}
	}
	if at := c.budget.NextWake(); int64(at) <= limit {
		c.budget.Wake(c.now)
	}
	c.fireStarts(Time(limit))
}

func (c *Core) due(k timerClass, slot int32) {
	switch k {
	case tState:
		c.stateDue(slot)
	case tPR:
		c.prDue(slot)
	case tPlace:
		c.placeDue(slot)
	case tAnn:
		c.announcementDue(slot)
	case tAsk:
		c.askDue(slot)
	case tPush:
		c.pushDue(slot)
	case tPass:
		c.passDue(slot)
	case tWait:
		c.groups.At(slot).waitGen++
		c.touch(slot)
	}
}

// Next is the earliest instant at which Step(Wake) is wanted; false when nothing is waited for. It may
// lie at or before the last Step: then Wake is wanted at once (T-02).
func (c *Core) Next() (Time, bool) {
	if len(c.found) > 0 {
		return c.now, true // what was found at start is judged when all facts are in, and lives from then on
	}
	next := min(c.budget.NextWake(), c.starts.next())
	for k := range numTimerClasses {
		shift := Time(0)
		if k.lifeTime() {
			shift = c.offset
		}
		if at := c.timers[k].at; at == int64(Never) || Time(at)-shift >= next {
			continue // whatever stands in this class is later
		}
		if e, _, ok := c.head(k); ok {
			next = min(next, Time(e.At)-shift)
		}
	}
	return next, next != Never
}

// calendar holds the starts of attempts: one bucket per grid instant, so that arming and disarming cost
// the same however many wait. Instants past its reach wait in a heap.
type calendar struct {
	interval Time
	base     int64 // first tick that may hold a start
	bucket   []int32
	full     [calendarSize / 64]uint64
	far      pq.Heap
	farPos   []int32
	cached   Time
	valid    bool
	due      []int32
}

const calendarSize = 512

// armStart sets the group's next attempt to at, a grid instant, or to Never.
func (c *Core) armStart(g int32, at Time) {
	grp := c.groups.At(g)
	if grp.next == at {
		return
	}
	s := &c.starts
	if grp.next != Never {
		c.disarm(g)
	}
	grp.next = at
	if at == Never {
		return
	}
	if s.valid && at < s.cached {
		s.cached = at
	}
	tick := int64(at / s.interval)
	if tick-s.base >= calendarSize {
		for len(s.farPos) <= int(g) {
			s.farPos = append(s.farPos, pq.Absent)
		}
		s.far.Set(s.farPos, int64(at), g)
		return
	}
	b := tick & (calendarSize - 1)
	grp.prevStart, grp.nextStart = purgatory.None, s.bucket[b]
	if s.bucket[b] != purgatory.None {
		c.groups.At(s.bucket[b]).prevStart = g
	}
	s.bucket[b] = g
	s.full[b/64] |= 1 << (b % 64)
	grp.inBucket = true
}

func (c *Core) disarm(g int32) {
	s, grp := &c.starts, c.groups.At(g)
	if s.valid && s.cached == grp.next {
		s.valid = false
	}
	if !grp.inBucket {
		s.far.Remove(s.farPos, g)
		return
	}
	grp.inBucket = false
	b := int64(grp.next/s.interval) & (calendarSize - 1)
	if grp.prevStart != purgatory.None {
		c.groups.At(grp.prevStart).nextStart = grp.nextStart
	} else {
		s.bucket[b] = grp.nextStart
		if grp.nextStart == purgatory.None {
			s.full[b/64] &^= 1 << (b % 64)
		}
	}
	if grp.nextStart != purgatory.None {
		c.groups.At(grp.nextStart).prevStart = grp.prevStart
	}
}

// next is the first grid instant with a start, or Never.
func (s *calendar) next() Time {
	if s.valid {
		return s.cached
	}
	s.valid, s.cached = true, Never
	if at, _, ok := s.far.Top(); ok {
		s.cached = Time(at)
	}
	from := s.base & (calendarSize - 1)
	for i := int64(0); i <= calendarSize/64; i++ {
		w := (from/64 + i) % (calendarSize / 64)
		word := s.full[w]
		if i == 0 {
			word &= ^uint64(0) << (from % 64)
		} else if i == calendarSize/64 {
			word &= 1<<(from%64) - 1
		}
		if word != 0 {
			b := w*64 + int64(bits.TrailingZeros64(word))
			tick := s.base + (b-from)&(calendarSize-1)
			s.cached = min(s.cached, Time(tick)*s.interval)
			break
		}
	}
	return s.cached
}

// fireStarts begins the attempts due by limit, all of an instant in it, in the order of their hunts'
// ids.
func (c *Core) fireStarts(limit Time) {
	s := &c.starts
	for at := s.next(); at <= limit; at = s.next() {
		s.due = s.due[:0]
		b := int64(at/s.interval) & (calendarSize - 1)
		if int64(at/s.interval)-s.base < calendarSize {
			for g := s.bucket[b]; g != purgatory.None; g = c.groups.At(g).nextStart {
				s.due = append(s.due, g)
			}
		}
		for i := 0; i < s.far.Len(); i++ {
			if key, g := s.far.At(i); Time(key) == at {
				s.due = append(s.due, g)
			}
		}
		slices.SortFunc(s.due, func(a, b int32) int { return int(c.groups.At(a).id) - int(c.groups.At(b).id) })
		for _, g := range s.due {
			c.armStart(g, Never)
		}
		s.base, s.valid = int64(at/s.interval), false
		for _, g := range s.due {
			c.startAttempt(g)
		}
	}
	// Nothing at or before limit is left; what is armed later in this Step may fall on limit itself.
	s.base = max(s.base, int64(max(limit, 0)/s.interval))
}
