package core

import (
	"slices"

	"graspsync/core/pq"
	"graspsync/core/purgatory"
)

// How announcements end (E-04, E-05): expiry in two steps, revival, and ends that wait for what is under way.

// announcementDue: a held announcement at its deadline has its empty repository deleted; a soft-expired
// one is gone, its id remembered (E-04).
func (c *Core) announcementDue(a int32) {
	ann := c.anns.At(a)
	switch ann.Status {
	case purgatory.Held:
		c.dropStalePins(a)
		if c.endDoomed(a) {
			return
		}
		if ann.Pins > 0 { // looked at again when the last push has ended, or its pin (E-04, P-04)
			ann.Gen++
			c.timers[tAnn].arm(pq.Entry{At: int64(max(c.lastPin(a), c.now+1) + c.offset), ID: uint32(a), Gen: ann.Gen})
			return
		}
		// A release or a pass in flight: looked at again when the lock goes, or a stall limit after the deadline (E-02, E-04).
		last := ann.Deadline + c.cfg.StallLimit + c.cfg.KillGrace
		if ann.Locked || c.passRuns(ann.Group) && !ann.Overdue && c.life() < last {
			ann.Overdue = true
			ann.Gen++
			if ann.Locked {
				last = max(last, c.life()+c.cfg.StallLimit+c.cfg.KillGrace)
			}
			c.timers[tAnn].arm(pq.Entry{At: int64(last), ID: uint32(a), Gen: ann.Gen})
			return
		}
		c.expireAnnouncement(a)
	case purgatory.Releasing:
		// Once StoreEvent is out only Stored ends the residence (E-02).
	case purgatory.Served:
		c.removeUnlisted(a)
	case purgatory.SoftExpired:
		c.expired.Add(ann.ID, ann.Owner, c.idents.At(ann.Ident).Handle, c.life(),
			purgatory.Evidence{Kind: purgatory.OfAnnouncement, CreatedAt: ann.CreatedAt, ID: ann.ID})
		c.endAnnouncement(a, RepEndedExpired)
	}
}

func (c *Core) expireAnnouncement(a int32) {
	ann := c.anns.At(a)
	ann.Overdue = false
	ann.Status = purgatory.Expiring
	if !ann.RepoExists {
		ann.RepoAsked = false // one that is made late is deleted then
		c.softExpire(a)
		return
	}
	c.emit(Effect{Kind: EfDeleteRepoIfNoRefs, Repo: ann.Repo, Ask: c.request(c.askOf(askDelete, a))})
	c.deleting[ann.Repo]++
	c.refreshGroup(ann.Group)
}

func (c *Core) softExpire(a int32) {
	ann := c.anns.At(a)
	ann.Status = purgatory.SoftExpired
	ann.Deadline = c.life() + c.cfg.SoftLifetime
	c.armAnnouncement(a)
	c.report(RepSoftExpired, Effect{Event: ann.ID, Deadline: ann.Deadline - c.offset})
	c.refreshGroup(ann.Group)
	if c.waitsForRepo(ann) {
		c.revive(a) // a state came while the repository was being deleted (E-04)
	}
}

// waitsForRepo tells whether a held state is authorised for the announcement.
func (c *Core) waitsForRepo(ann *purgatory.Announcement) bool {
	if ann.Group == purgatory.None {
		return false
	}
	return slices.ContainsFunc(c.groups.At(ann.Group).states, func(s int32) bool {
		st := c.states.At(s)
		return c.authorises(ann, st.Author) && !st.Overdue && !st.Unsatisfied
	})
}

// revive makes a soft-expired announcement active: its repository is made anew and its deadline is set,
// never kept (E-05).
func (c *Core) revive(a int32) {
	ann := c.anns.At(a)
	ann.Status, ann.HeadsSeen, ann.Overdue, ann.Grace = purgatory.Held, false, false, false
	ann.Deadline = c.life() + c.cfg.Lifetime
	c.armAnnouncement(a)
	c.report(RepRevived, Effect{Event: ann.ID, Deadline: ann.Deadline - c.offset})
	c.createRepo(a)
}

// extendAnnouncement gives a held announcement now + 30 min (E-05); it never shortens.
func (c *Core) extendAnnouncement(a int32) {
	ann := c.anns.At(a)
	at := c.life() + c.cfg.Lifetime
	if ann.Status != purgatory.Held || at <= ann.Deadline {
		return
	}
	ann.Deadline, ann.Overdue, ann.Grace = at, false, false
	c.armAnnouncement(a)
	c.report(RepExtended, Effect{Event: ann.ID, Deadline: at - c.offset})
}

// endAnnouncement ends the residence of a held announcement and forgets it.
func (c *Core) endAnnouncement(a int32, why ReportKind) {
	ann := c.anns.At(a)
	if ann.Locked || ann.Status == purgatory.Releasing || ann.Pins > 0 {
		ann.Doomed = uint8(why) // as soon as the release or the push at its repository is through
		return
	}
	c.report(why, Effect{Event: ann.ID})
	if why == RepEndedDeleted || why == RepEndedEvicted {
		c.rejected.ids.Lift(ann.Owner, c.idents.At(ann.Ident).Handle) // what was refused as older than it (S-05)
	}
	if ann.Shadow != 0 {
		c.fallBack(a)
		return
	}
	c.forgetAnnouncement(a)
}

// endDoomed ends an announcement whose end had to wait, if nothing holds it any more.
func (c *Core) endDoomed(a int32) bool {
	ann := c.anns.At(a)
	why := ReportKind(ann.Doomed)
	if why == RepNone || ann.Locked || ann.Pins > 0 || ann.Status == purgatory.Releasing {
		return false
	}
	ann.Doomed = 0
	if ann.Status == purgatory.Served {
		return false
	}
	c.endAnnouncement(a, why)
	return true
}

// forgetAnnouncement takes an announcement out of all tables; what it alone authorised goes too.
func (c *Core) forgetAnnouncement(a int32) {
	ann := c.anns.At(a)
	ident := ann.Ident
	if ann.Status != purgatory.Served {
		c.moveOut(location{recAnnouncement, a})
		c.authors.release(ann.AuthorSlot)
		c.subHeld(ann.Size)
		c.announced--
		if ann.RepoExists || ann.RepoAsked {
			c.eraseRepo(a)
		}
	}
	if loc := c.where[ann.ID]; loc == (location{recAnnouncement, a}) {
		delete(c.where, ann.ID)
	}
	c.lookAtPushes(a)
	c.endPlaces(a)
	delete(c.annOf, ann.Repo)
	if ann.Applied != purgatory.None {
		c.unapply(a)
	}
	if ann.Holder != purgatory.None {
		c.closeURL(ann.Holder)
	}
	c.closeURLs(ann.URLs)
	c.leaveIdent(a)
	c.idents.At(ident).Orphans -= b2i(ann.Orphan)
	c.setStrayed(a, false)
	ann.Orphan, ann.Unlisted, ann.Crooked = false, false, false
	ann.Status = purgatory.Free
	ann.Serial = 0
	ann.Gen++
	ann.URLs, ann.Holder, ann.Group = ann.URLs[:0], purgatory.None, purgatory.None
	c.anns.Free(a)
	c.regroup(ident)
	c.dropIdentIfEmpty(ident)
}
