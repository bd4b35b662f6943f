package core

import (
	"slices"

	"graspsync/core/pq"
	"graspsync/core/purgatory"
)

// admitState takes a 30618 (ST-01, ST-06, ST-07).
func (c *Core) admitState(in *Input) {
	if text := c.stateRefusal(in.Event); text != "" {
		c.reject(in, text)
		return
	}
	if !c.roomForEvent(in) || c.stateRefusal(in.Event) != "" { // what gave way may have been what it rested on
		c.answer(in.Event.ID, false, textFull)
		return
	}
	ident := c.identOf[in.Event.Repo.Identifier]
	for _, a := range c.idents.At(ident).Anns {
		switch ann := c.anns.At(a); {
		case !c.authorises(ann, in.Event.Author):
		case !in.Event.Unsatisfied && !c.sourceRoom(in, ann.Group):
			c.answer(in.Event.ID, false, textSourceHunts)
			return
		case !c.huntRoom(ann.Group):
			c.answer(in.Event.ID, false, textFull)
			return
		}
	}
	c.holdState(in, false)
	c.reconsiderEmpty(in.Event.Repo.Identifier) // an empty one may have waited for an older (ST-06)
}

// stateRefusal is why a state is refused, or "".
func (c *Core) stateRefusal(e *Event) string {
	i, ok := c.identOf[e.Repo.Identifier]
	if !ok {
		return textNoAuthor
	}
	id := c.idents.At(i)
	if !slices.ContainsFunc(id.Anns, func(a int32) bool { return c.authorises(c.anns.At(a), e.Author) }) {
		return textNoAuthor
	}
	for _, s := range c.servedBy(id, e.Author) {
		if st := c.states.At(s); !purgatory.Newer(e.CreatedAt, e.ID, st.CreatedAt, st.ID) {
			return textOlder
		}
	}
	if len(e.Refs) == 0 && !e.Unsatisfied && !c.clears(id, e) {
		return textEmpty
	}
	return ""
}

// clears tells whether an empty state has an older one to clear: held or served, of somebody whom an announcement
// that lets the author speak lets speak too; a stranger's of the same name is none (ST-06, I-11).
func (c *Core) clears(id *purgatory.Ident, e *Event) bool {
	return slices.ContainsFunc(id.Anns, func(a int32) bool {
		ann := c.anns.At(a)
		older := func(s int32) bool {
			st := c.states.At(s)
			return st.CreatedAt <= e.CreatedAt && c.authorises(ann, st.Author)
		}
		return c.authorises(ann, e.Author) && (slices.ContainsFunc(id.Served, older) ||
			ann.Group != purgatory.None && slices.ContainsFunc(c.groups.At(ann.Group).states, older))
	})
}

// holdState takes the state in: deadline, index, groups, hunts, and the announcements it keeps alive.
func (c *Core) holdState(in *Input, answered bool) {
	e := in.Event
	ident := c.openIdent(e.Repo.Identifier)
	s := c.states.New()
	st := c.states.At(s)
	c.serial++
	*st = purgatory.State{Status: purgatory.Held, Synced: in.Origin == FromSync, Unsatisfied: e.Unsatisfied, Gen: st.Gen,
		ID: e.ID, Author: e.Author, Ident: ident, CreatedAt: e.CreatedAt, Deadline: c.life() + c.cfg.Lifetime, Head: e.Head,
		Refs: append(st.Refs[:0], e.Refs...), Groups: st.Groups[:0], Serial: c.serial, Size: e.Size}
	c.where[e.ID] = location{recState, s}
	c.authors.hold(&c.states.At(s).AuthorSlot, e.Author)
	c.moveIn(location{recState, s}, in)
	c.addHeld(e.Size)
	c.idents.At(ident).States++
	c.armState(s)
	c.fileState(s)
	evidence := purgatory.Evidence{Kind: purgatory.OfState, CreatedAt: e.CreatedAt, ID: e.ID}
	c.expired.LiftBy(e.Author, e.Repo.Identifier, evidence)
	for _, a := range c.idents.At(ident).Anns {
		ann := c.anns.At(a)
		if !c.authorises(ann, e.Author) || e.Unsatisfied {
			continue
		}
		c.expired.LiftBy(ann.Owner, e.Repo.Identifier, evidence)
		if ann.Status == purgatory.SoftExpired {
			c.revive(a)
		} else {
			c.extendAnnouncement(a)
		}
	}
	st = c.states.At(s)
	hunt := HuntID(0)
	c.admitting = append(c.admitting[:0], st.Groups...)
	for _, g := range st.Groups {
		c.recount(g)
		c.wantedBy(g, in)
		if !e.Unsatisfied {
			c.wake(g, c.delay(in.Origin), in.Origin == FromSync)
		}
		if hunt == 0 && !e.Unsatisfied {
			hunt = c.groups.At(g).id
		}
	}
	c.admitting = c.admitting[:0]
	c.held(e.ID, hunt, st.Deadline, answered)
	for _, g := range st.Groups {
		c.refreshWants(g)
		c.refreshSources(g)
		if len(st.Refs) == 0 {
			c.tryRelease(g) // nothing to wait for but the refs' removal (ST-06)
		}
		c.touch(g)
	}
}

func (c *Core) armState(s int32) {
	st := c.states.At(s)
	st.Gen++
	c.timers[tState].arm(pq.Entry{At: int64(st.Deadline), ID: uint32(s), Gen: st.Gen})
}

func (c *Core) extendState(s int32) {
	st := c.states.At(s)
	at := c.life() + c.cfg.Lifetime
	if at <= st.Deadline && !st.Overdue {
		return
	}
	c.setStateOverdue(s, false)
	st.Deadline, st.Chance, st.Grace = at, false, false
	c.armState(s)
	c.report(RepExtended, Effect{Event: st.ID, Deadline: at - c.offset})
}

// stateDue: a state at its deadline expires, unless a pass that may bring it or its release is in flight:
// then it lives until that ends, at most a stall limit and the kill grace longer (E-01, E-02).
func (c *Core) stateDue(s int32) {
	st := c.states.At(s)
	if st.Status == purgatory.Releasing && c.storing(st.Release) {
		c.setStateOverdue(s, true) // only Stored ends it now; a failure does too
		return
	}
	if !st.Overdue && (st.Status == purgatory.Releasing || slices.ContainsFunc(st.Groups, c.passRuns)) {
		c.setStateOverdue(s, true)
		st.Gen++
		c.timers[tState].arm(pq.Entry{At: int64(st.Deadline + c.cfg.StallLimit + c.cfg.KillGrace), ID: uint32(s), Gen: st.Gen})
		for _, g := range st.Groups {
			c.refreshWants(g)
			c.touch(g)
		}
		return
	}
	c.expireState(s)
}

func (c *Core) expireState(s int32) {
	st := c.states.At(s)
	c.expired.Add(st.ID, st.Author, c.idents.At(st.Ident).Handle, c.life(), purgatory.Evidence{Kind: purgatory.OfState, CreatedAt: st.CreatedAt, ID: st.ID})
	c.endState(s, RepEndedExpired)
}

// passRuns tells whether a pass of the group is in flight and not yet told to end.
func (c *Core) passRuns(g int32) bool {
	if g == purgatory.None {
		return false
	}
	o := c.groups.At(g)
	for w := range o.waves {
		for _, p := range o.waves[w].running {
			if !c.passes.At(p).ending {
				return true
			}
		}
	}
	return false
}

// endOverdue expires the events that were kept past their deadline for a pass that has ended now (E-02).
func (c *Core) endOverdue(g int32) {
	if c.passRuns(g) {
		return
	}
	o := c.groups.At(g)
	for i := len(o.states) - 1; i >= 0; i-- {
		s := o.states[i]
		st := c.states.At(s)
		if st.Overdue && st.Status == purgatory.Held && !slices.ContainsFunc(st.Groups, c.passRuns) {
			c.expireState(s)
			i = min(i, len(o.states))
		}
	}
	for i := len(o.prs) - 1; i >= 0; i-- {
		p := o.prs[i]
		pr := c.prs.At(p)
		if pr.Overdue && pr.Status == purgatory.Held && !slices.ContainsFunc(pr.Groups, c.passRuns) {
			c.expirePR(p)
			i = min(i, len(o.prs))
		}
	}
	overdue := func(a int32) bool {
		ann := c.anns.At(a)
		return ann.Overdue && ann.Status == purgatory.Held && !ann.Locked && ann.Pins == 0
	}
	if !slices.ContainsFunc(o.anns, overdue) {
		return
	}
	for _, a := range slices.Clone(o.anns) { // the group may fall apart meanwhile
		if overdue(a) {
			c.announcementDue(a)
		}
	}
}

// endState ends the residence of a held state and takes it out of all tables (I-16).
func (c *Core) endState(s int32, why ReportKind) {
	st := c.states.At(s)
	c.report(why, Effect{Event: st.ID})
	c.abandon(st.Release)
	c.straighten(st.Ident)
	c.reshow(st.Ident) // an older one may have waited behind it
	c.unfileState(s)
	c.freeState(s)
}

// unfileState takes a state out of purgatory's indexes; its record stays.
func (c *Core) unfileState(s int32) {
	st := c.states.At(s)
	delete(c.where, st.ID)
	c.subHeld(st.Size)
	c.idents.At(st.Ident).States--
	st.Gen++
	c.moveOut(location{recState, s})
	c.authors.release(st.AuthorSlot)
	for _, g := range st.Groups {
		c.leaveState(g, s)
		c.refreshWants(g)
		c.touch(g)
	}
	st.Groups = st.Groups[:0]
}

func (c *Core) freeState(s int32) {
	st := c.states.At(s)
	ident := st.Ident
	st.Status = purgatory.Free
	st.Refs = st.Refs[:0]
	c.states.Free(s)
	c.dropIdentIfEmpty(ident)
}
