package core

import (
	"slices"

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
		ident := c.openIdent(e.Repo.Identifier)
		a := c.anns.New()
		ann := c.anns.At(a)
		c.serial++
		*ann = purgatory.Announcement{Status: purgatory.Served, Gen: ann.Gen, Owner: e.Author, Ident: ident, Repo: e.Repo.Repo,
			Holder: purgatory.None, Applied: purgatory.None, Showing: purgatory.None, Group: purgatory.None, Serial: c.serial, RepoExists: e.ListsUs || c.cfg.ArchiveAll,
			URLs: ann.URLs[:0], Listed: ann.Listed[:0], Closure: ann.Closure[:0], Unlisted: !e.ListsUs && !c.cfg.ArchiveAll}
		c.fillAnnouncement(a, e)
		id := c.idents.At(ident)
		at, _ := slices.BinarySearchFunc(id.Anns, e.Author, func(x int32, key PubKey) int { return c.anns.At(x).Owner.Compare(key) })
		id.Anns = slices.Insert(id.Anns, at, a)
		c.where[e.ID] = location{recAnnouncement, a}
		if c.startup == nil {
			c.startup = make(map[Handle]int32)
		}
		c.startup[e.Repo.Repo] = a
		c.regroup(ident)
	case KindState:
		ident := c.openIdent(e.Repo.Identifier)
		s := c.states.New()
		st := c.states.At(s)
		*st = purgatory.State{Status: purgatory.Served, Gen: st.Gen, ID: e.ID, Author: e.Author, Ident: ident, CreatedAt: e.CreatedAt,
			Head: e.Head, Refs: append(st.Refs[:0], e.Refs...), Groups: st.Groups[:0]}
		id := c.idents.At(ident)
		id.Served = append(id.Served, s)
	}
}

// started ends the facts of the start: only now it is known what each repository shows, and what it should.
func (c *Core) started() {
	c.startup, c.starting, c.showing = nil, false, c.showing[:0]
	for i := range c.idents.Items {
		c.reshow(int32(i))
	}
}

// onRepoRefs notes the refs a repository has at start: it exists, and it shows the latest state whose refs
// they are.
func (c *Core) onRepoRefs(in *Input) {
	c.starting = true
	first, last := int32(0), int32(len(c.anns.Items))
	if a, ok := c.startup[in.Repo]; ok {
		first, last = a, a+1
	}
	for a := first; a < last; a++ {
		ann := c.anns.At(a)
		if ann.Status == purgatory.Free || ann.Repo != in.Repo {
			continue
		}
		ann.RepoExists = true
		for _, s := range c.idents.At(ann.Ident).Served {
			if st := c.states.At(s); ann.Applied == purgatory.None && ann.Authorises(st.Author) && sameRefs(st.Refs, in.Refs) {
				ann.Applied = s
				st.Applied++
			}
		}
		c.refresh(ann.Group)
	}
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
	for i := range c.idents.Items {
		c.reshow(int32(i))
	}
}

// onRemove drops a held event at an operator's word.
func (c *Core) onRemove(in *Input) {
	loc, ok := c.where[in.Target]
	if !ok {
		return
	}
	c.deleteHeld(loc)
}

// deleteHeld ends the residence of a held event as deleted.
func (c *Core) deleteHeld(loc location) {
	switch loc.kind {
	case recState:
		if st := c.states.At(loc.slot); st.Status == purgatory.Held || st.Status == purgatory.Releasing && !c.storing(st.Release) {
			c.endState(loc.slot, RepEndedDeleted)
		}
	case recPR:
		if pr := c.prs.At(loc.slot); pr.Status == purgatory.Held || pr.Status == purgatory.Releasing && !c.storing(pr.Release) {
			c.endPR(loc.slot, RepEndedDeleted)
		}
	case recAnnouncement:
		if ann := c.anns.At(loc.slot); ann.Status != purgatory.Served {
			c.endAnnouncement(loc.slot, RepEndedDeleted)
		}
	}
}

// admitDeletion takes a kind 5: the author's held events it names go; it is stored whatever it names
// (DL-01). Served events are the store's to remove.
func (c *Core) admitDeletion(in *Input) {
	e := in.Event
	for _, id := range e.Targets {
		if loc, ok := c.where[id]; ok && c.authorOf(loc) == e.Author {
			c.deleteHeld(loc)
		}
	}
	for _, d := range e.Coordinates {
		if d.Owner != e.Author {
			continue
		}
		switch d.Kind {
		case KindAnnouncement:
			if a := c.announcementOf(d.Identifier, d.Owner); a != purgatory.None && c.anns.At(a).CreatedAt <= e.CreatedAt {
				c.deleteHeld(location{recAnnouncement, a})
			}
		case KindState:
			c.deleteStates(d.Identifier, d.Owner, e.CreatedAt)
		}
	}
	c.storePlain(in)
}

func (c *Core) authorOf(loc location) PubKey {
	switch loc.kind {
	case recState:
		return c.states.At(loc.slot).Author
	case recPR:
		return c.prs.At(loc.slot).Author
	}
	return c.anns.At(loc.slot).Owner
}

// deleteStates ends the held states of an author under an identifier, up to a created_at (DL-01).
func (c *Core) deleteStates(ident Handle, author PubKey, upTo int64) {
	i, ok := c.identOf[ident]
	if !ok {
		return
	}
	var gone []location
	for _, g := range c.idents.At(i).Groups {
		for _, s := range c.groups.At(g).states {
			st := c.states.At(s)
			if l := (location{recState, s}); st.Author == author && st.CreatedAt <= upTo && !slices.Contains(gone, l) {
				gone = append(gone, l)
			}
		}
	}
	for _, l := range gone {
		c.deleteHeld(l)
	}
}
