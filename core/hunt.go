package core

import (
	"slices"

	"graspsync/core/pq"
	"graspsync/core/purgatory"
)

// wake is a new event for a group: an idle hunt's next attempt comes delay from now at the
// latest and its backoff starts over; a running attempt is followed by another. It makes the hunt if there
// is none. Nothing pending wakes nothing, but is remembered for when the repository has been made.
func (c *Core) wake(g int32, delay Time, synced bool) {
	o := c.groups.At(g)
	if o.active == 0 {
		if o.id == 0 {
			o.rerun = min(o.rerun, c.now+delay) // its repository is to be made first
		}
		return
	}
	if o.id == 0 && !c.newHunt(g, synced) {
		return
	}
	o.activity = c.now
	o.synced = o.synced && synced
	c.rankHunt(g)
	at := c.gridUp(c.now + delay)
	if o.phase != idle {
		o.rerun = min(o.rerun, c.now+delay)
		return
	}
	o.count = 0
	c.armStart(g, min(o.next, at))
}

// backoff is the delay after the n-th attempt in a row without news, n ≥ 1.
func (c *Core) backoff(n uint32) Time {
	b := c.cfg.BackoffBase
	for ; n > 1 && b < c.cfg.BackoffCap; n-- {
		b *= 2
	}
	return min(b, c.cfg.BackoffCap)
}

// startAttempt begins an attempt: the target is fixed, and before any network every repository of the
// group is asked what it holds (N-02).
func (c *Core) startAttempt(g int32) {
	o := c.groups.At(g)
	if c.stopping || o.phase != idle {
		return
	}
	if o.active == 0 {
		c.touch(g)
		return
	}
	c.refreshRepos(g) // still idle: the target is chosen anew
	o.phase, o.attempt, o.checks = checking, o.attempt+1, 0
	c.attempts++
	c.report(RepAttemptStarted, Effect{Hunt: o.id, Attempt: o.attempt})
	c.lastChances(g)
	for i := range o.wants {
		o.wants[i].have, o.wants[i].asked = 0, false
	}
	o.here, o.askAll = 0, true
	c.checkWants(g, true)
	if o.checks == 0 {
		c.beginHunting(g)
	}
}

// lastChances lets events that are about to expire go past the memo once (F-03).
func (c *Core) lastChances(g int32) {
	o := c.groups.At(g)
	edge := c.life() + c.cfg.LastChance
	for i := range o.wants {
		o.wants[i].past = false
	}
	for _, s := range o.states {
		if st := c.states.At(s); !st.Chance && st.Deadline <= edge && c.passWouldRun(st.Deadline) {
			st.Chance = true
			for _, r := range st.Refs {
				if k, ok := o.find(r.OID); ok {
					o.wants[k].past = true
				}
			}
		}
	}
	for _, p := range o.prs {
		if pr := c.prs.At(p); !pr.Chance && pr.Deadline <= edge && c.passWouldRun(pr.Deadline) {
			pr.Chance = true
			if k, ok := o.find(pr.Commit); ok {
				o.wants[k].past = true
			}
		}
	}
}

func (c *Core) passWouldRun(deadline Time) bool { return deadline > c.life() }

// beginHunting is the attempt's second part: release what the check found, then ask the sources.
func (c *Core) beginHunting(g int32) {
	o := c.groups.At(g)
	o.phase, o.hunting = hunting, c.now
	c.forgive(g)
	c.refreshSources(g)
	for i := range o.sources {
		o.sources[i].started = false
	}
	c.tryRelease(g)
	c.touch(g)
}

// forgive lets releases that failed be tried again.
func (c *Core) forgive(g int32) {
	o := c.groups.At(g)
	for _, s := range o.states {
		c.states.At(s).Failed = false
	}
	for _, p := range o.prs {
		c.prs.At(p).Failed = false
	}
}

// pump looks at a group after something changed: cancels passes that want nothing more (H-04), ends the
// attempt or starts what its waves may start, and drops a hunt without purpose.
func (c *Core) pump(g int32) {
	o := c.groups.At(g)
	c.rerank(g)
	for w := range o.waves {
		for _, p := range o.waves[w].running {
			if ps := c.passes.At(p); !ps.ending && !c.useful(p) {
				c.cancel(p)
			}
		}
	}
	if o.phase == hunting {
		if !c.stopping {
			c.startPasses(g)
		}
		if c.attemptDone(g) {
			c.endAttempt(g)
			if o = c.groups.At(g); !o.used { // the end of a grace may end more
				return
			}
		}
	}
	if o.asleep() && (len(o.repos) > 0 || o.id != 0) && !c.stopping && c.hasHunt(g) {
		c.wake(g, c.cfg.SyncedDelay, o.synced)
	}
	if o.active == 0 {
		if o.phase != idle {
			c.endAttempt(g)
			if o = c.groups.At(g); !o.used {
				return
			}
		}
		if o.id != 0 {
			c.armStart(g, Never)
			o.rerun = Never
			if len(o.waves[0].running)+len(o.waves[1].running) == 0 {
				c.report(RepHuntDropped, Effect{Hunt: o.id})
				c.endHunt(g)
			}
		}
	}
	c.dropGroupIfEmpty(g)
}

// asleep tells whether something is pending that nothing will look after: there is no hunt, or only a
// former one whose passes have not ended yet (Q-08, I-1).
func (o *group) asleep() bool {
	return o.active > 0 && (o.id == 0 || o.phase == idle && o.next == Never)
}

// attemptDone tells whether the attempt has nothing left to start.
func (c *Core) attemptDone(g int32) bool {
	o := c.groups.At(g)
	if o.active == 0 {
		return true
	}
	for w := range o.waves {
		for _, p := range o.waves[w].running {
			if c.now-c.passes.At(p).started < c.cfg.GuestAge {
				return false
			}
		}
	}
	if !c.anythingToAsk(g) {
		return true
	}
	for i := range o.sources {
		s := &o.sources[i]
		if s.started || c.resting(s) || c.behindOldPass(o, s) || !c.sourceWanted(o, s) {
			continue
		}
		return false
	}
	return true
}

// behindOldPass: the source's domain is taken by a pass of its wave that is so old that the attempt does
// not wait for it.
func (c *Core) behindOldPass(o *group, s *source) bool {
	for _, p := range o.waves[s.wave].running {
		if ps := c.passes.At(p); ps.permit.Dom == s.dom && c.now-ps.started >= c.cfg.OldPassAge {
			return true
		}
	}
	return false
}

// endAttempt ends the running attempt. Passes still out become guests: their permits and places in the
// waves stay taken, their results count. The next attempt follows Q-05 or the backoff.
func (c *Core) endAttempt(g int32) {
	o := c.groups.At(g)
	c.dropTickets(g)
	o.phase = idle
	o.waitGen++
	c.attempts--
	switch {
	case o.active == 0:
		o.rerun = Never
		c.armStart(g, Never)
	case o.rerun != Never:
		o.count = 0
		c.armStart(g, c.gridUp(max(o.rerun, c.now)))
		o.rerun = Never
	default:
		o.count++
		c.armStart(g, c.gridUp(c.now+c.backoff(o.count)))
	}
	c.report(RepAttemptEnded, Effect{Hunt: o.id, Attempt: o.attempt, Deadline: o.next})
	c.endGrace(g)
}

// newHunt gives the group a hunt with a fresh id, if the bounds allow or another makes room.
func (c *Core) newHunt(g int32, synced bool) bool {
	if !c.roomForHunt(c.huntAuthor(g), g) {
		c.starve(g)
		return false
	}
	o := c.groups.At(g)
	c.huntSeq++
	c.hunts++
	o.id, o.count, o.synced, o.activity, o.attempt, o.rerun = c.huntSeq, 0, true, c.now, 0, Never
	o.author = c.authors.open(c.huntAuthor(g))
	c.authors.at(o.author).hunts++
	c.rankHunt(g)
	c.chargeSource(o)
	return true
}

// endHunt takes the hunt from the group; its id is not used again.
func (c *Core) endHunt(g int32) {
	o := c.groups.At(g)
	if o.id == 0 {
		return
	}
	c.armStart(g, Never)
	c.hunts--
	c.creditSource(o)
	author := o.author
	o.id, o.rerun, o.author = 0, Never, purgatory.None
	c.rankHunt(g)
	c.authors.at(author).hunts--
	c.weighAuthor(author)
	c.authors.close(author)
	c.feed()
}

// huntAuthor is whose hunt it counts as: the group's lowest owner (N-02, Q-14).
func (c *Core) huntAuthor(g int32) PubKey {
	o := c.groups.At(g)
	if len(o.anns) == 0 {
		return PubKey{}
	}
	return c.anns.At(o.anns[0]).Owner
}

// armWait asks for a look at the group at an instant (U-01).
func (c *Core) armWait(g int32, at Time) {
	o := c.groups.At(g)
	o.waitGen++
	c.timers[tWait].arm(pq.Entry{At: int64(at), ID: uint32(g), Gen: o.waitGen})
}

// recount brings o.active up to date: states that can be satisfied, PRs, and announcements that look for
// heads (Q-08, N-03).
func (c *Core) recount(g int32) {
	o := c.groups.At(g)
	o.active = 0
	if c.homeless(o) {
		return // a group without a repository hunts nothing
	}
	o.active = o.real + int32(len(o.prs))
	if c.seeking(o) {
		o.active++
	}
}

// homeless tells whether the group has no repository and none is being made.
func (c *Core) homeless(o *group) bool {
	return len(o.repos) == 0 && !slices.ContainsFunc(o.anns, func(a int32) bool { return c.anns.At(a).RepoAsked })
}

// seeking tells whether the group hunts by compare alone: an active held announcement, no held state, no
// heads seen yet (N-03).
func (c *Core) seeking(o *group) bool { return c.seeks(o, true) }

// seeks is seeking; without late, announcements past their deadline do not count (E-02).
func (c *Core) seeks(o *group, late bool) bool {
	if len(o.states) > 0 || len(o.prs) > 0 {
		return false
	}
	return slices.ContainsFunc(o.anns, func(a int32) bool {
		ann := c.anns.At(a)
		return ann.Status == purgatory.Held && ann.RepoExists && !ann.HeadsSeen && (late || !ann.Overdue)
	})
}
