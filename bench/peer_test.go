package bench

import (
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"graspsync/core"
)

// peer is the same rules as qdMachine the way one would write them without a simulator: a mutex around shared
// state, a goroutine per attempt that sleeps while its pass runs and waits on a channel for a permit, timers
// for arrivals, starts, deadlines and windows. testing/synctest gives it a clock that jumps.
type peer struct {
	mu     sync.Mutex
	l      QDLoad
	began  time.Time
	keys   []peerKey
	doms   []peerDom
	checks *qdChecks
	r      QDResult
}

type peerKey struct {
	next, rerun core.Time
	deadline    core.Time
	count       uint32
	running     bool
	passes      uint64
	wait        *waiter
	start       *time.Timer
	arrive      *time.Timer
	expire      *time.Timer
}

// waiter is an attempt that waits for a permit, queued at each domain it could use.
type waiter struct {
	key   int
	at    [qdPlaces]bool
	given bool
	ch    chan int // the place, or -1: nothing is wanted any more
}

type ticket struct {
	w     *waiter
	place int
}

type peerDom struct {
	inFlight int
	stamps   []core.Time // within the window, oldest first
	queue    []ticket
	live     int // waiters in queue that were not given a permit
	timer    *time.Timer
	armed    bool
}

// runPeer runs the load for its hours of synthetic time. Only within synctest.
func runPeer(l QDLoad, checks bool) QDResult {
	p := &peer{l: l, began: time.Now(), keys: make([]peerKey, l.Keys), doms: make([]peerDom, l.domains())}
	if checks {
		p.checks = newQDChecks(&p.l, &p.r)
	}
	p.mu.Lock()
	for k := range p.keys {
		s := &p.keys[k]
		s.next, s.rerun, s.deadline = core.Never, core.Never, core.Never
		s.arrive = time.AfterFunc(time.Duration(l.arrival(k)), func() { p.arrived(k) })
	}
	p.mu.Unlock()
	end := core.Time(l.Hours) * core.Hour
	time.Sleep(time.Duration(end))
	p.mu.Lock()
	r := p.r // what starts later is no part of the run
	for k := range p.keys {
		s := &p.keys[k]
		s.deadline = core.Never
		for _, t := range []*time.Timer{s.arrive, s.start, s.expire} {
			if t != nil {
				t.Stop()
			}
		}
		p.release(k)
	}
	p.mu.Unlock()
	time.Sleep(time.Duration(l.StallFor + core.Hour)) // passes under way end
	return r
}

func (p *peer) now() core.Time { return core.Time(time.Since(p.began)) }

func (p *peer) arrived(k int) {
	p.mu.Lock()
	defer p.mu.Unlock()
	now, s := p.now(), &p.keys[k]
	s.arrive.Reset(time.Duration(qdEvery))
	s.deadline = now + qdLife
	if s.expire == nil {
		s.expire = time.AfterFunc(time.Duration(qdLife), func() { p.expired(k) })
	} else {
		s.expire.Reset(time.Duration(qdLife))
	}
	if s.running {
		s.rerun = min(s.rerun, now+qdDelay)
		return
	}
	s.count = 0
	p.arm(k, min(s.next, qdUp(now+qdDelay)))
}

func (p *peer) arm(k int, at core.Time) {
	s := &p.keys[k]
	s.next = at
	d := time.Duration(at - p.now())
	if s.start == nil {
		s.start = time.AfterFunc(d, func() { p.attempt(k) })
	} else {
		s.start.Reset(d)
	}
}

func (p *peer) expired(k int) {
	p.mu.Lock()
	defer p.mu.Unlock()
	s := &p.keys[k]
	if s.deadline != p.now() {
		return
	}
	s.deadline = core.Never
	if !s.running {
		s.next = core.Never
		s.start.Stop()
	}
	p.release(k)
}

// release lets a waiting attempt go: nothing is wanted.
func (p *peer) release(k int) {
	if w := p.keys[k].wait; w != nil {
		p.leave(w)
		w.ch <- -1
	}
}

// leave takes a waiter out of all queues; its tickets are skipped when they come up.
func (p *peer) leave(w *waiter) {
	w.given = true
	p.keys[w.key].wait = nil
	for i, at := range w.at {
		if at {
			p.doms[p.l.domain(w.key, i)].live--
		}
	}
}

// attempt runs in the goroutine of the start timer.
func (p *peer) attempt(k int) {
	p.mu.Lock()
	defer p.mu.Unlock()
	s := &p.keys[k]
	if s.running || s.next != p.now() {
		return
	}
	if p.checks != nil {
		p.checks.attempt(p.now())
	}
	s.next, s.running = core.Never, true
	tried := [qdPlaces]bool{}
	for s.deadline != core.Never && tried != [qdPlaces]bool{true, true, true} {
		place := p.acquire(k, tried)
		if place < 0 {
			break
		}
		tried[place] = true
		takes, found := p.l.pass(k, s.passes)
		p.mu.Unlock()
		time.Sleep(time.Duration(takes))
		p.mu.Lock()
		p.give(k, place)
		if found && s.deadline != core.Never {
			p.r.Found++
			s.deadline = core.Never
		}
	}
	s.running = false
	switch {
	case s.deadline == core.Never:
	case s.rerun != core.Never:
		s.count = 0
		p.arm(k, qdUp(max(s.rerun, p.now())))
	default:
		s.count++
		p.arm(k, qdUp(p.now()+qdAfter(s.count)))
	}
	s.rerun = core.Never
}

// acquire takes a permit at a free domain, or waits for one at all of them.
func (p *peer) acquire(k int, tried [qdPlaces]bool) int {
	now := p.now()
	for i := range qdPlaces {
		d := &p.doms[p.l.domain(k, i)]
		if !tried[i] && d.live == 0 && p.room(d, now) {
			p.take(k, i, now)
			return i
		}
	}
	w := &waiter{key: k, ch: make(chan int, 1)}
	p.keys[k].wait = w
	for i := range qdPlaces {
		if !tried[i] {
			w.at[i] = true
			d := &p.doms[p.l.domain(k, i)]
			d.live++
			d.queue = append(d.queue, ticket{w, i})
			p.arise(p.l.domain(k, i), now)
		}
	}
	p.mu.Unlock()
	place := <-w.ch
	p.mu.Lock()
	return place
}

// room tells whether a domain could take a pass (D-01).
func (p *peer) room(d *peerDom, now core.Time) bool {
	i := 0
	for i < len(d.stamps) && d.stamps[i] <= now-qdWindow {
		i++
	}
	d.stamps = append(d.stamps[:0], d.stamps[i:]...)
	return d.inFlight < qdConcurrency && len(d.stamps) < qdRate
}

// take is the start of a pass: permit and stamp at once (D-02).
func (p *peer) take(k, place int, now core.Time) {
	n := p.l.domain(k, place)
	d := &p.doms[n]
	d.inFlight++
	d.stamps = append(d.stamps, now)
	p.keys[k].passes++
	if p.checks != nil {
		p.checks.start(now, k, n)
	}
	p.r.started(now, k, place, p.keys[k].passes)
}

// give is the end of a pass.
func (p *peer) give(k, place int) {
	n, now := p.l.domain(k, place), p.now()
	if p.checks != nil {
		p.checks.end(now, k, n)
	}
	p.doms[n].inFlight--
	p.grant(n, now)
}

// grant gives room to who waits, first come first served (D-05).
func (p *peer) grant(n int, now core.Time) {
	d := &p.doms[n]
	for d.live > 0 && p.room(d, now) {
		t := d.queue[0]
		d.queue = d.queue[1:]
		if t.w.given {
			continue
		}
		p.leave(t.w)
		p.take(t.w.key, t.place, now)
		t.w.ch <- t.place
	}
	if d.live == 0 {
		d.queue = d.queue[:0]
	}
	p.arise(n, now)
}

// arise sees to it that the domain is looked at when its oldest stamp leaves the window (D-06).
func (p *peer) arise(n int, now core.Time) {
	d := &p.doms[n]
	if d.live == 0 || d.armed || len(d.stamps) < qdRate {
		return
	}
	d.armed = true
	wait := time.Duration(d.stamps[0] + qdWindow - now)
	if d.timer == nil {
		d.timer = time.AfterFunc(wait, func() { p.windowMoved(n) })
	} else {
		d.timer.Reset(wait)
	}
}

func (p *peer) windowMoved(n int) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.doms[n].armed = false
	p.grant(n, p.now())
}

// inBubble runs f where time jumps; works in tests and benchmarks alike.
func inBubble(f func()) {
	all := func(_, _ string) (bool, error) { return true, nil }
	testing.RunTests(all, []testing.InternalTest{{Name: "bubble", F: func(t *testing.T) {
		synctest.Test(t, func(*testing.T) { f() })
	}}})
}
