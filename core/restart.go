package core

import (
	"graspsync/core/pq"
	"graspsync/core/purgatory"
)

// onServed files an event that is in the store already, at start.
func (c *Core) onServed(in *Input) {
	e := in.Event
	if e == nil {
		c.contract("served input without an event")
		return
	}
	c.starting = true
	if _, known := c.where[e.ID]; known {
		return
	}
	switch e.Kind {
	case KindAnnouncement:
		if c.announcementOf(e.Repo.Identifier, e.Author) != purgatory.None {
			return
		}
		a := c.recordAnnouncement(e)
		ann := c.anns.At(a)
		ann.Status, ann.Unlisted = purgatory.Served, !e.ListsUs && !c.cfg.ArchiveAll
		c.where[e.ID] = location{recAnnouncement, a}
		c.regroup(ann.Ident)
	case KindState:
		ident := c.openIdent(e.Repo.Identifier)
		s := c.states.New()
		st := c.states.At(s)
		*st = purgatory.State{Status: purgatory.Served, Gen: st.Gen, ID: e.ID, Author: e.Author, Ident: ident, CreatedAt: e.CreatedAt,
			Head: e.Head, Refs: append(st.Refs[:0], e.Refs...), Groups: st.Groups[:0], Unsatisfied: e.Unsatisfied}
		id := c.idents.At(ident)
		c.fileServed(id, s)
		c.where[e.ID] = location{recState, s}
	case KindPR, KindPRUpdate:
		p := c.prs.New()
		pr := c.prs.At(p)
		*pr = purgatory.PR{Status: purgatory.Served, Gen: pr.Gen, ID: e.ID, Author: e.Author, CreatedAt: e.CreatedAt, Commit: e.Commit,
			Repos: append(pr.Repos[:0], e.Repositories...), Filed: pr.Filed[:0], URLs: pr.URLs[:0], Groups: pr.Groups[:0]}
		c.where[e.ID] = location{recPR, p}
		c.indexPR(p)
	}
}

// started ends the facts of the start: only now it is known what each repository shows, and what it should. One
// that is missing is made anew, so that it can be pushed to.
func (c *Core) started() {
	c.starting, c.showing = false, c.showing[:0]
	c.takeFound()
	for i := range c.anns.Items {
		if ann := &c.anns.Items[i]; ann.Status == purgatory.Served && !ann.Unlisted {
			c.createRepo(int32(i))
		}
	}
	for i := range c.idents.Items {
		c.reshow(int32(i))
	}
}

// onRepoRefs notes the refs a repository has at start: it exists, and it shows the latest state whose refs
// they are.
func (c *Core) onRepoRefs(in *Input) {
	c.starting = true
	a, ok := c.annOf[in.Repo]
	if !ok {
		return // nobody's: the driver's to report
	}
	ann := c.anns.At(a)
	ann.RepoExists = true
	if in.Target != (EventID{}) {
		if len(in.OIDs) == 1 && !in.OIDs[0].IsZero() {
			c.found = append(c.found, foundRef{a, in.Target, in.OIDs[0]})
		} else {
			c.contract("repo-refs with a Target and not exactly one OID")
		}
		return
	}
	if ann.Unlisted && ann.Status == purgatory.Served {
		c.keepFor(a, c.cfg.UnlistedRetention) // since when is not known: from now on (AN-06)
	}
	best := purgatory.None
	for _, s := range c.idents.At(ann.Ident).Served {
		st := c.states.At(s)
		if !c.authorises(ann, st.Author) || !sameRefs(st.Refs, in.Refs) {
			continue
		}
		if st.Home == 0 {
			st.Home = ann.Repo // its objects are there, also when another state is shown later
		}
		if best == purgatory.None || purgatory.Newer(st.CreatedAt, st.ID, c.states.At(best).CreatedAt, c.states.At(best).ID) {
			best = s
		}
	}
	if best != purgatory.None && ann.Applied == purgatory.None {
		ann.Applied = best
		c.states.At(best).Applied++
	}
	c.refresh(ann.Group)
}

// onRestarted ends what a crash has ended: passes and releases are lost, permits return, every hunt is due
// soon, and requests that change something go out again. Stamps, cool-downs and memo stay.
func (c *Core) onRestarted(in *Input) {
	c.offset = in.Offset
	c.stopping = false
	for i := range c.passes.Items {
		if p := &c.passes.Items[i]; p.used {
			p.class = Lost
			c.closeAsk(p.ask)
			c.closePass(int32(i))
		}
	}
	for i := range c.groups.Items {
		o := &c.groups.Items[i]
		if !o.used || o.phase == idle {
			continue
		}
		c.dropTickets(int32(i))
		o.phase = idle
		c.attempts--
		c.report(RepAttemptEnded, Effect{Hunt: o.id, Attempt: o.attempt, Deadline: Never})
	}
	for i := range c.asks.Items {
		switch k := &c.asks.Items[i]; k.kind {
		case askNone:
		case askShow:
			if !k.retry { // one that waits for its timer goes on waiting
				c.armAsk(int32(i), c.overdueSpan())
				c.issue(int32(i))
			}
		case askCheck:
			c.closeAsk(k.id)
		case askRemove:
			if c.moot(k) {
				c.closeAsk(k.id)
				continue
			}
			c.armAsk(int32(i), c.overdueSpan())
			c.issue(int32(i))
		default:
			c.armAsk(int32(i), c.overdueSpan())
			c.issue(int32(i))
		}
	}
	for i := range c.groups.Items {
		o := &c.groups.Items[i]
		if !o.used {
			continue
		}
		o.checksOut, o.checks = 0, 0
		c.recount(int32(i))
		if o.id != 0 && o.active > 0 {
			o.rerun = Never
			c.armStart(int32(i), c.gridUp(c.now+c.cfg.SyncedDelay))
		}
		c.touch(int32(i))
	}
	c.endPushes()
	c.boundLifetimes()
	c.graceAll()
	for i := range c.idents.Items {
		c.reshow(int32(i))
	}
}

// boundLifetimes: a wall clock that stepped back while the relay was down leaves nobody more than one lifetime from
// now.
func (c *Core) boundLifetimes() {
	bound := func(at *Time, span Time, id EventID) bool {
		if *at <= c.life()+span {
			return false
		}
		*at = c.life() + span
		if id != (EventID{}) {
			c.report(RepExtended, Effect{Event: id, Deadline: *at - c.offset})
		}
		return true
	}
	for i := range c.states.Items {
		st := &c.states.Items[i]
		if (st.Status == purgatory.Held || st.Status == purgatory.Releasing) && bound(&st.Deadline, c.cfg.Lifetime, st.ID) {
			c.armState(int32(i))
		}
	}
	for i := range c.prs.Items {
		pr := &c.prs.Items[i]
		if (pr.Status == purgatory.Held || pr.Status == purgatory.Releasing) && bound(&pr.Deadline, c.cfg.Lifetime, pr.ID) {
			pr.Gen++
			c.timers[tPR].arm(pq.Entry{At: int64(pr.Deadline), ID: uint32(i), Gen: pr.Gen})
		}
	}
	for i := range c.anns.Items {
		ann := &c.anns.Items[i]
		switch {
		case ann.Status == purgatory.Held && bound(&ann.Deadline, c.cfg.Lifetime, ann.ID),
			ann.Status == purgatory.SoftExpired && bound(&ann.Deadline, c.cfg.SoftLifetime, ann.ID):
			c.armAnnouncement(int32(i))
		case ann.Status == purgatory.Served && ann.Unlisted && ann.RepoExists && bound(&ann.Deadline, c.cfg.UnlistedRetention, EventID{}):
			c.keepFor(int32(i), c.cfg.UnlistedRetention)
		}
	}
	for i := range c.places.slab.Items {
		if p := &c.places.slab.Items[i]; p.used && bound(&p.deadline, c.cfg.Lifetime, EventID{}) {
			p.gen++
			c.timers[tPlace].arm(pq.Entry{At: int64(p.deadline), ID: uint32(i), Gen: p.gen})
		}
	}
}
