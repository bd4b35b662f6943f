package core

import (
	"slices"

	"graspsync/core/purgatory"
)

// Deletions: a kind 5 of an event's author, and an operator's word (DL-01, DL-02). The store takes served events
// out when it stores the kind 5; what follows here follows then.

// applyDeletion draws the consequences of a stored kind 5 (DL-01).
func (c *Core) applyDeletion(e *Event) {
	for _, id := range e.Targets {
		loc, ok := c.where[id]
		if !ok || c.authorOf(loc) != e.Author || loc.kind == recPending && c.pending.At(loc.slot).event.Kind == KindDeletion {
			continue
		}
		c.deleteAt(loc)
	}
	if len(e.Coordinates) > 0 {
		for i := range c.pending.Items { // versions on their way to the store
			if p := &c.pending.Items[i]; p.used && p.event.Kind != KindDeletion && reaches(e, &p.event) {
				p.spoiled = true
			}
		}
	}
	for _, d := range e.Coordinates {
		if d.Owner != e.Author {
			continue
		}
		switch d.Kind {
		case KindAnnouncement:
			c.deleteAnnouncements(d.Identifier, d.Owner, e.CreatedAt)
		case KindState:
			c.deleteStates(d.Identifier, d.Owner, e.CreatedAt)
		}
	}
}

// deletedSoon tells whether a deletion that is being stored covers an event: the store's facts about the event are
// older than that (DL-01).
func (c *Core) deletedSoon(e *Event) bool {
	return e.Kind != KindDeletion && slices.ContainsFunc(c.deletions, func(i int32) bool {
		p := c.pending.At(i)
		return !p.spoiled && reaches(&p.event, e)
	})
}

// reaches tells whether a deletion, its targets sorted, covers an event: by id, or by coordinate up to its own
// created_at; never another's (DL-01).
func reaches(d, e *Event) bool {
	if d.Author != e.Author {
		return false
	}
	if _, byID := slices.BinarySearchFunc(d.Targets, e.ID, EventID.Compare); byID {
		return true
	}
	return e.CreatedAt <= d.CreatedAt && slices.ContainsFunc(d.Coordinates, func(x Deleted) bool {
		return x.Kind == e.Kind && x.Owner == e.Author && x.Identifier == e.Repo.Identifier
	})
}

// authorOf is whose event is kept there.
func (c *Core) authorOf(loc location) PubKey {
	switch loc.kind {
	case recState:
		return c.states.At(loc.slot).Author
	case recPR:
		return c.prs.At(loc.slot).Author
	case recPending:
		return c.pending.At(loc.slot).event.Author
	}
	return c.anns.At(loc.slot).Owner
}

// deleteAt ends what is known of an event, held or served.
func (c *Core) deleteAt(loc location) {
	switch loc.kind {
	case recPending:
		c.pending.At(loc.slot).spoiled = true
	case recShadow:
		c.dropShadow(loc.slot)
	case recState:
		switch st := c.states.At(loc.slot); {
		case st.Status == purgatory.Served:
			c.forgetServed(loc.slot)
		case c.storing(st.Release):
			c.releases.At(st.Release - 1).deleted = true // ends when the store has answered
		default:
			c.endState(loc.slot, RepEndedDeleted)
		}
	case recPR:
		pr := c.prs.At(loc.slot)
		c.gone.Add(pr.ID, pr.Author, 0, c.life(), purgatory.Evidence{Kind: purgatory.OfPR, CreatedAt: pr.CreatedAt, ID: pr.ID})
		switch {
		case pr.Status == purgatory.Served:
			c.forgetPR(loc.slot, true)
		case c.storing(pr.Release):
			c.releases.At(pr.Release - 1).deleted = true
		default:
			c.endPR(loc.slot, RepEndedDeleted)
		}
	case recAnnouncement:
		if c.anns.At(loc.slot).Status == purgatory.Served {
			c.orphan(loc.slot)
		} else {
			c.endAnnouncement(loc.slot, RepEndedDeleted)
		}
	}
}

// deleteAnnouncements ends the versions of a coordinate up to a created_at (DL-01).
func (c *Core) deleteAnnouncements(ident Handle, owner PubKey, upTo int64) {
	a := c.announcementOf(ident, owner)
	if a == purgatory.None {
		return
	}
	if ann := c.anns.At(a); ann.Shadow != 0 && c.shadows.At(ann.Shadow-1).createdAt <= upTo {
		c.dropShadow(a)
	}
	if c.anns.At(a).CreatedAt <= upTo {
		c.deleteAt(location{recAnnouncement, a})
	}
}

// deleteStates ends the states of an author under an identifier, held and served, up to a created_at (DL-01).
func (c *Core) deleteStates(ident Handle, author PubKey, upTo int64) {
	i, ok := c.identOf[ident]
	if !ok {
		return
	}
	var gone []location
	consider := func(s int32) {
		st := c.states.At(s)
		if l := (location{recState, s}); st.Author == author && st.CreatedAt <= upTo && !slices.Contains(gone, l) {
			gone = append(gone, l)
		}
	}
	for _, s := range c.idents.At(i).Served {
		consider(s)
	}
	for _, g := range c.idents.At(i).Groups {
		for _, s := range c.groups.At(g).states {
			consider(s)
		}
	}
	for _, l := range gone {
		c.deleteAt(l)
	}
}

// onRemove drops an event at an operator's word: a held one ends, a served one is taken out of the store too.
func (c *Core) onRemove(in *Input) {
	loc, known := c.where[in.Target]
	if !known || c.servedAt(loc) {
		c.removeServed(in.Target) // what is not known here is the store's alone
	}
	if known {
		c.deleteAt(loc)
	}
}

// removeServed takes an event out of the store; one that is not there is removed already.
func (c *Core) removeServed(id EventID) {
	c.emit(Effect{Kind: EfRemoveEvent, Event: id, Ask: c.request(ask{kind: askRemove, event: id})})
}

// servedAt tells whether the event kept there is served.
func (c *Core) servedAt(loc location) bool {
	switch loc.kind {
	case recState:
		return c.states.At(loc.slot).Status == purgatory.Served
	case recPR:
		return c.prs.At(loc.slot).Status == purgatory.Served
	case recAnnouncement:
		return c.anns.At(loc.slot).Status == purgatory.Served
	}
	return loc.kind == recShadow
}

// forgetPR ends what is known of a served PR; with refs, its refs go too (DL-02).
func (c *Core) forgetPR(p int32, refs bool) {
	pr := c.prs.At(p)
	delete(c.where, pr.ID)
	if refs {
		for i := range pr.Repos {
			// also one whose announcement is gone: it may be announced anew
			if a, there := c.annOf[pr.Repos[i].Repo]; there && c.anns.At(a).RepoExists && names(pr, c.anns.At(a)) {
				c.setRef(a, pr.ID)
			}
		}
	}
	pr.Status = purgatory.Free
	c.unindexPR(p)
	pr.Repos = pr.Repos[:0]
	c.prs.Free(p)
}
