package bench

import (
	"strconv"

	"graspsync/core"
)

// qdChecks judges pass starts in constant time each, from outside: limits of a domain, one pass of a key at
// a time, starts on the grid, time that never goes back.
type qdChecks struct {
	last   core.Time
	flying []bool
	doms   []qdSeen
	r      *QDResult
}

type qdSeen struct {
	inFlight int
	stamps   [qdRate]core.Time // the latest starts, a ring
	n        int
}

func newQDChecks(l *QDLoad, r *QDResult) *qdChecks {
	return &qdChecks{flying: make([]bool, l.Keys), doms: make([]qdSeen, l.domains()), r: r}
}

func (c *qdChecks) broken(text string, now core.Time) {
	if c.r.Broken == "" {
		c.r.Broken = text + " at " + now.String()
	}
}

func (c *qdChecks) time(now core.Time) {
	if now < c.last {
		c.broken("time went back", now)
	}
	c.last = now
}

func (c *qdChecks) attempt(now core.Time) {
	if now%qdGrid != 0 {
		c.broken("an attempt began off the grid (Q-06)", now)
	}
}

func (c *qdChecks) start(now core.Time, key, dom int) {
	c.time(now)
	if c.flying[key] {
		c.broken("key "+strconv.Itoa(key)+" runs two passes (Q-07)", now)
	}
	c.flying[key] = true
	d := &c.doms[dom]
	if d.inFlight++; d.inFlight > qdConcurrency {
		c.broken("domain "+strconv.Itoa(dom)+" has too many passes (D-01)", now)
	}
	s := &d.stamps[d.n%qdRate]
	if d.n >= qdRate && *s > now-qdWindow {
		c.broken("domain "+strconv.Itoa(dom)+" has too many starts in its window (D-01)", now)
	}
	*s = now
	d.n++
}

func (c *qdChecks) end(now core.Time, key, dom int) {
	c.time(now)
	c.flying[key] = false
	c.doms[dom].inFlight--
}
