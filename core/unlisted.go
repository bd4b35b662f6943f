package core

import (
	"slices"

	"graspsync/core/pq"
	"graspsync/core/purgatory"
)

// Repositories that nobody pushes to or hunts for any more, and announcements that have none of their own.
//
// A served announcement that no longer lists us, or is deleted, leaves its repository behind: unlisted, kept for
// the operator's retention, then removed with the states that nothing else authorises (AN-06, DL-02). One that
// is served without a repository, by the maintainer exception, and then lists us is held like any first
// announcement, over the version that goes on being served: its shadow (AN-03, AN-04).

// shadow is the served version under a held one.
type shadow struct {
	id        EventID
	createdAt int64
	urls      []int32
	listed    []PubKey
}

// setUnlisted notes whether a served announcement lists us; a repository that it leaves behind has its end set.
func (c *Core) setUnlisted(a int32, unlisted bool) {
	ann := c.anns.At(a)
	if ann.Unlisted == unlisted {
		return
	}
	ann.Unlisted = unlisted
	ann.Gen++ // an end that was set is void
	if unlisted {
		c.forgetStrayed(a)
	}
	if unlisted && (ann.RepoExists || ann.RepoAsked) {
		c.keepFor(a, c.cfg.UnlistedRetention)
	}
}

// keepFor sets the end of an unlisted repository.
func (c *Core) keepFor(a int32, span Time) {
	ann := c.anns.At(a)
	ann.Gen++
	ann.Deadline = c.life() + span
	c.timers[tAnn].arm(pq.Entry{At: int64(ann.Deadline), ID: uint32(a), Gen: ann.Gen})
}

// removeUnlisted: the retention of an unlisted repository is over. It goes, with the served states that no other
// announcement authorises; what is under way there is awaited (AN-06).
func (c *Core) removeUnlisted(a int32) {
	ann := c.anns.At(a)
	c.dropStalePins(a)
	if ann.Locked || ann.Pins > 0 || ann.RepoAsked {
		c.keepFor(a, c.cfg.StallLimit+c.cfg.KillGrace)
		return
	}
	if ann.RepoExists {
		ann.RepoExists = false
		c.endPlaces(a)
		c.eraseRepo(a)
	}
	c.unapply(a)
	id := c.idents.At(ann.Ident)
	for _, s := range slices.Clone(id.Served) {
		st := c.states.At(s)
		authorised := slices.ContainsFunc(id.Anns, func(b int32) bool {
			return b != a && !c.anns.At(b).Unlisted && c.authorises(c.anns.At(b), st.Author)
		})
		if st.Status != purgatory.Served || authorised || st.Author != ann.Owner && !c.authorises(ann, st.Author) {
			continue
		}
		c.removeServed(st.ID)
		c.forgetServed(s)
	}
	if ann.Orphan {
		c.forgetAnnouncement(a)
	}
}

// eraseRepo deletes a repository with whatever it holds.
func (c *Core) eraseRepo(a int32) {
	c.emit(Effect{Kind: EfDeleteRepo, Repo: c.anns.At(a).Repo, Ask: c.request(c.askOf(askErase, a))})
	c.deleting[c.anns.At(a).Repo]++
}

// forgetServed takes a served state out of what an identifier remembers (DL-02).
func (c *Core) forgetServed(s int32) {
	st := c.states.At(s)
	id := c.idents.At(st.Ident)
	if i := slices.Index(id.Served, s); i >= 0 {
		id.Served = slices.Delete(id.Served, i, i+1)
		c.rejected.ids.Lift(st.Author, id.Handle) // what was refused as older than it is not any more (S-05, I-10)
	}
	ident := st.Ident
	c.freeServed(s)
	c.reshow(ident)
}

// orphan keeps the repository of a served announcement that is gone (DL-02); without one the record goes too.
func (c *Core) orphan(a int32) {
	ann := c.anns.At(a)
	if !ann.RepoExists && !ann.RepoAsked {
		c.forgetAnnouncement(a)
		return
	}
	delete(c.where, ann.ID)
	c.leaveIdent(a)
	c.forgetStrayed(a)
	ann.Orphan, ann.Unlisted, ann.Group = true, true, purgatory.None
	c.closeURLs(ann.URLs)
	if ann.Holder != purgatory.None {
		c.closeURL(ann.Holder)
	}
	ann.URLs, ann.Listed, ann.Holder = ann.URLs[:0], ann.Listed[:0], purgatory.None
	c.idents.At(ann.Ident).Orphans++
	c.lookAtPushes(a)
	c.keepFor(a, c.cfg.UnlistedRetention)
	c.regroup(ann.Ident)
}

// adopt gives the record of an orphaned repository to a new announcement of its coordinate.
func (c *Core) adopt(a int32) {
	ann := c.anns.At(a)
	ann.Orphan, ann.Unlisted = false, false
	ann.Gen++
	c.idents.At(ann.Ident).Orphans--
}

// leaveIdent takes an announcement out of its identifier, so that it authorises nobody.
func (c *Core) leaveIdent(a int32) {
	id := c.idents.At(c.anns.At(a).Ident)
	if i := slices.Index(id.Anns, a); i >= 0 {
		id.Anns = slices.Delete(id.Anns, i, i+1)
		id.Stale = true
	}
}

// holdOver holds a version that lists us over a served one that has no repository of its own (AN-04).
func (c *Core) holdOver(a int32, in *Input) {
	ann := c.anns.At(a)
	i := c.shadows.New()
	*c.shadows.At(i) = shadow{id: ann.ID, createdAt: ann.CreatedAt, urls: slices.Clone(ann.URLs), listed: slices.Clone(ann.Listed)}
	c.where[ann.ID] = location{recShadow, a}
	ann.URLs = ann.URLs[:0]
	ann.Shadow, ann.Status, ann.Unlisted, ann.HeadsSeen, ann.Overdue = 1+i, purgatory.Held, false, false, false
	c.fillAnnouncement(a, in.Event)
	c.hold(a, in)
	c.announcementChanged(a, in)
}

// dropShadow forgets the served version under a held one: it was superseded or deleted.
func (c *Core) dropShadow(a int32) {
	ann := c.anns.At(a)
	if ann.Shadow == 0 {
		return
	}
	s := c.shadows.At(ann.Shadow - 1)
	delete(c.where, s.id)
	c.closeURLs(s.urls)
	*s = shadow{}
	c.shadows.Free(ann.Shadow - 1)
	ann.Shadow = 0
}

// fallBack ends a held version and makes the record that of the served one under it again.
func (c *Core) fallBack(a int32) {
	ann := c.anns.At(a)
	c.lookAtPushes(a)
	c.endPlaces(a)
	c.moveOut(location{recAnnouncement, a})
	c.authors.release(ann.AuthorSlot)
	c.subHeld(ann.Size)
	c.announced--
	if ann.RepoExists || ann.RepoAsked {
		ann.RepoExists, ann.RepoAsked = false, false
		c.eraseRepo(a)
	}
	delete(c.where, ann.ID)
	c.unapply(a)
	if ann.Holder != purgatory.None {
		c.closeURL(ann.Holder)
		ann.Holder = purgatory.None
	}
	c.closeURLs(ann.URLs)
	s := c.shadows.At(ann.Shadow - 1)
	ann.ID, ann.CreatedAt = s.id, s.createdAt
	ann.URLs, ann.Listed = append(ann.URLs[:0], s.urls...), append(ann.Listed[:0], s.listed...)
	c.idents.At(ann.Ident).Stale = true
	*s = shadow{}
	c.shadows.Free(ann.Shadow - 1)
	c.serial++
	ann.Shadow, ann.Status, ann.Unlisted, ann.Serial = 0, purgatory.Served, true, c.serial
	ann.Gen++
	ann.Pushes, ann.Reserved = ann.Pushes[:0], 0 // they were to the repository that is gone
	c.where[ann.ID] = location{recAnnouncement, a}
	c.regroup(ann.Ident)
}
