package core

import (
	"graspsync/core/budget"
)

// wave is the set of passes a hunt runs over one class of sources (H-07).
type wave struct {
	running []int32 // passes, oldest first; more than two only after a merge
	dry     uint64  // serial of the latest pass end without supply (H-03)
	tickets []budget.Ticket
}

func (w wave) reset() wave { return wave{running: w.running[:0], tickets: w.tickets[:0]} }

// mayStart tells whether the wave may start a pass, and on which domain it may not: no pass runs; or
// exactly one does, and its head start is over or another pass ended without supply since it started
// (A-02, H-01 … H-03).
func (c *Core) mayStart(o *group, w Wave) (ok bool, except budget.Dom) {
	wv := &o.waves[w]
	switch len(wv.running) {
	case 0:
		return true, budget.NoDom
	case 1:
		p := c.passes.At(wv.running[0])
		return c.now-p.started >= c.cfg.HedgeHeadStart || wv.dry > p.serial, p.permit.Dom
	}
	return false, budget.NoDom
}

// startPasses starts what the group's waves may start now, on free domains first, and queues for the
// others: one ticket per wave and domain with an untried URL.
func (c *Core) startPasses(g int32) {
	o := c.groups.At(g)
	if !c.anythingToAsk(g) {
		c.dropTickets(g)
		return
	}
	c.startWave(g, MainWave)
	if len(o.prs) == 0 {
		return
	}
	if ok, at := c.prTurn(o); ok {
		c.startWave(g, PRWave)
	} else {
		c.armWait(g, at)
	}
}

func (c *Core) startWave(g int32, w Wave) {
	for {
		o := c.groups.At(g)
		ok, except := c.mayStart(o, w)
		if !ok {
			c.setEligible(o, w, budget.NoDom, false)
			return
		}
		s := c.freeSource(o, w, except)
		if s < 0 {
			c.park(g, w, except)
			return
		}
		c.startPass(g, s)
		c.trimTickets(g)
	}
}

// freeSource picks the first source, in order, whose domain takes a newcomer at once; within that domain
// the URL asked longest ago. -1: none.
func (c *Core) freeSource(o *group, w Wave, except budget.Dom) int {
	limited := w == PRWave || c.unproven(o)
	full := &c.domMarks
	full.clear(c.budget.Doms())
	for i := range o.sources {
		s := &o.sources[i]
		if !c.askable(o, s, w, except) || full.has(int32(s.dom)) {
			continue
		}
		if !c.budget.Free(s.dom, c.now, limited, c.shareAuthorIf(limited, o, s)) {
			full.mark(int32(s.dom), i)
			continue
		}
		return c.longestAgo(o, w, s.dom, except)
	}
	return -1
}

func (c *Core) shareAuthorIf(limited bool, o *group, s *source) PubKey {
	if !limited {
		return PubKey{}
	}
	return c.shareAuthor(o, s)
}

// askable tells whether a source of the wave is still to be asked in this attempt.
func (c *Core) askable(o *group, s *source, w Wave, except budget.Dom) bool {
	return s.wave == w && !s.started && s.dom != except && c.urls.At(s.url).coolUntil <= c.now &&
		!c.budget.Cooling(s.dom, c.now) && c.sourceWanted(o, s)
}

// longestAgo picks among the wave's askable sources on a domain: a known holder, then the one started
// longest ago, then the first in order.
func (c *Core) longestAgo(o *group, w Wave, d budget.Dom, except budget.Dom) int {
	best := -1
	for i := range o.sources {
		s := &o.sources[i]
		if s.dom != d || !c.askable(o, s, w, except) {
			continue
		}
		if s.holder {
			return i
		}
		if best < 0 || c.urls.At(s.url).lastStart < c.urls.At(o.sources[best].url).lastStart {
			best = i
		}
	}
	return best
}

func ticketTag(g int32, w Wave) uint64 { return uint64(g)<<1 | uint64(w) }

// park queues the wave on every domain that has an untried URL of it, and says where it is eligible. A
// domain that cools down keeps the ticket: its end wakes it (D-06).
func (c *Core) park(g int32, w Wave, except budget.Dom) {
	c.trimTickets(g)
	o := c.groups.At(g)
	limited := w == PRWave || c.unproven(o)
	c.domMarks.clear(c.budget.Doms())
	for i, k := range o.waves[w].tickets {
		c.domMarks.mark(int32(c.budget.Dom(k)), i)
	}
	for i := range o.sources {
		s := &o.sources[i]
		if s.wave != w || !c.untried(o, s) {
			continue
		}
		if c.domMarks.mark(int32(s.dom), i) {
			k := c.budget.Park(s.dom, ticketTag(g, w), limited, c.shareAuthorIf(limited, o, s))
			o.waves[w].tickets = append(o.waves[w].tickets, k)
		}
	}
	c.setEligible(o, w, except, true)
}

// setEligible marks the wave's tickets: eligible everywhere but on one domain, or nowhere.
func (c *Core) setEligible(o *group, w Wave, except budget.Dom, yes bool) {
	for _, k := range o.waves[w].tickets {
		c.budget.SetEligible(k, yes && c.budget.Dom(k) != except, c.now)
	}
}

// untried tells whether the attempt may still ask the source, its domain aside.
func (c *Core) untried(o *group, s *source) bool {
	return !s.started && c.urls.At(s.url).coolUntil <= c.now && c.sourceWanted(o, s)
}

// trimTickets takes out tickets whose domain has no untried URL of the wave left.
func (c *Core) trimTickets(g int32) {
	o := c.groups.At(g)
	for w := range o.waves {
		list := o.waves[w].tickets[:0]
		if len(o.waves[w].tickets) == 0 {
			continue
		}
		c.domMarks.clear(c.budget.Doms())
		for i := range o.sources {
			if s := &o.sources[i]; s.wave == Wave(w) && !c.domMarks.has(int32(s.dom)) && c.untried(o, s) {
				c.domMarks.mark(int32(s.dom), i)
			}
		}
		for _, k := range o.waves[w].tickets {
			if c.domMarks.has(int32(c.budget.Dom(k))) {
				list = append(list, k)
			} else {
				c.budget.Unpark(k, c.now)
			}
		}
		o.waves[w].tickets = list
	}
}

// dropTickets takes the group out of all rings.
func (c *Core) dropTickets(g int32) {
	o := c.groups.At(g)
	for w := range o.waves {
		for _, k := range o.waves[w].tickets {
			c.budget.Unpark(k, c.now)
		}
		o.waves[w].tickets = o.waves[w].tickets[:0]
	}
}

// grant gives room that has come up to the tickets that wait for it, fairly (D-05, D-06).
func (c *Core) grant() {
	for !c.stopping {
		k, ok := c.budget.NextGrant(c.now)
		if !ok {
			return
		}
		tag := c.budget.Tag(k)
		g, w := int32(tag>>1), Wave(tag&1)
		o := c.groups.At(g)
		may, except := c.mayStart(o, w)
		if o.phase == hunting && may && c.anythingToAsk(g) {
			if s := c.longestAgo(o, w, c.budget.Dom(k), except); s >= 0 {
				c.startPass(g, s)
				c.trimTickets(g)
			}
		}
		// The wave has a pass now, or never could have had one: where it is eligible is said anew.
		c.setEligible(o, w, budget.NoDom, false)
		c.touch(g)
	}
}
