package core

import (
	"slices"

	"graspsync/core/pq"
	"graspsync/core/purgatory"
)

// admitAnnouncement takes a 30617 (AN-03, AN-04).
func (c *Core) admitAnnouncement(in *Input) {
	e := in.Event
	a := c.announcementOf(e.Repo.Identifier, e.Author)
	listed := e.ListsUs || c.cfg.ArchiveAll
	if a != purgatory.None {
		ann := c.anns.At(a)
		if !purgatory.Newer(e.CreatedAt, e.ID, ann.CreatedAt, ann.ID) {
			c.answer(e.ID, false, textOlder) // NIP-01 order: the version we have stays (E-06)
			return
		}
		if !listed && ann.Status != purgatory.Served {
			// A newer version that no longer lists us evicts the held one (AN-04).
			c.endAnnouncement(a, RepEndedReplaced)
			if a = c.announcementOf(e.Repo.Identifier, e.Author); a != purgatory.None {
				c.answer(e.ID, false, textNotListed) // it goes when its release or push is over
				return
			}
		}
	}
	exception := !listed && c.listedMaintainer(e)
	if !listed && !exception && a == purgatory.None {
		c.answer(e.ID, false, textNotListed)
		return
	}
	if a == purgatory.None {
		if !c.roomForEvent(e.Author, in.Origin == FromSync) || !exception && !c.roomForHunt(e.Author, purgatory.None) {
			c.answer(e.ID, false, textFull)
			return
		}
		c.newAnnouncement(in, exception)
		return
	}
	c.replaceAnnouncement(a, in)
}

// listedMaintainer tells whether an announcement here lists the author for that identifier (AN-03).
func (c *Core) listedMaintainer(e *Event) bool {
	i, ok := c.identOf[e.Repo.Identifier]
	if !ok {
		return false
	}
	return slices.ContainsFunc(c.idents.At(i).Anns, func(a int32) bool {
		ann := c.anns.At(a)
		return ann.Owner != e.Author && ann.Authorises(e.Author)
	})
}

// newAnnouncement files the first announcement of a coordinate: a bare repository is made and it is held;
// one accepted by the maintainer exception is served at once and has no repository.
func (c *Core) newAnnouncement(in *Input, exception bool) {
	e := in.Event
	ident := c.openIdent(e.Repo.Identifier)
	a := c.anns.New()
	ann := c.anns.At(a)
	c.serial++
	*ann = purgatory.Announcement{Status: purgatory.Held, Gen: ann.Gen, ID: e.ID, Owner: e.Author, Ident: ident,
		Repo: e.Repo.Repo, Holder: purgatory.None, Applied: purgatory.None, Showing: purgatory.None, Group: purgatory.None, Serial: c.serial,
		URLs: ann.URLs[:0], Listed: ann.Listed[:0], Closure: ann.Closure[:0], Unlisted: exception}
	c.fillAnnouncement(a, e)
	id := c.idents.At(ident)
	at, _ := slices.BinarySearchFunc(id.Anns, e.Author, func(x int32, key PubKey) int { return c.anns.At(x).Owner.Compare(key) })
	id.Anns = slices.Insert(id.Anns, at, a)
	c.where[e.ID] = location{recAnnouncement, a}
	if exception {
		ann.Status = purgatory.Served
		c.storeAnnouncement(a)
		c.answer(e.ID, true, "")
	} else {
		c.authors.hold(&ann.AuthorSlot, e.Author)
		c.holdings++
		c.announced++
		ann.Deadline = c.life() + c.cfg.Lifetime
		c.armAnnouncement(a)
		c.held(e.ID, 0, ann.Deadline, false)
		c.createRepo(a)
	}
	c.announcementChanged(a, in)
	c.adoptPRs(a)
}

func (c *Core) fillAnnouncement(a int32, e *Event) {
	ann := c.anns.At(a)
	ann.ID, ann.CreatedAt = e.ID, e.CreatedAt
	old := append([]int32(nil), ann.URLs...)
	urls := c.openURLs(ann.URLs[:0], e.Sources)
	ann = c.anns.At(a)
	ann.URLs = urls
	c.closeURLs(old)
	ann.Listed = append(ann.Listed[:0], e.Maintainers...)
}

// replaceAnnouncement takes a newer version: of a served one at once; of a held one with a fresh lifetime,
// its held states too; a soft-expired one is revived (AN-04, E-05).
func (c *Core) replaceAnnouncement(a int32, in *Input) {
	e, ann := in.Event, c.anns.At(a)
	delete(c.where, ann.ID)
	if ann.Status == purgatory.Served {
		c.fillAnnouncement(a, e)
		ann = c.anns.At(a)
		ann.Unlisted = !e.ListsUs && !c.cfg.ArchiveAll
		c.where[e.ID] = location{recAnnouncement, a}
		c.storeAnnouncement(a)
		c.answer(e.ID, true, "")
		c.announcementChanged(a, in)
		return
	}
	c.report(RepEndedReplaced, Effect{Event: ann.ID})
	c.fillAnnouncement(a, e)
	ann = c.anns.At(a)
	ann.HeadsSeen = false
	c.where[e.ID] = location{recAnnouncement, a}
	ann.Deadline = c.life() + c.cfg.Lifetime
	c.held(e.ID, 0, ann.Deadline, false)
	if ann.Status == purgatory.Releasing {
		ann.Status = purgatory.Held // the old version's promotion no longer counts
	}
	ann.Doomed, ann.Overdue = 0, false
	switch ann.Status {
	case purgatory.Expiring:
		ann.RepoExists = false // it is being deleted; made anew after that
		fallthrough
	case purgatory.SoftExpired:
		c.revive(a)
	default:
		c.armAnnouncement(a)
	}
	for _, g := range c.idents.At(ann.Ident).Groups {
		for _, s := range c.groups.At(g).states {
			if st := c.states.At(s); st.Status == purgatory.Held && c.anns.At(a).Authorises(st.Author) {
				c.extendState(s)
			}
		}
	}
	c.announcementChanged(a, in)
	c.promoteShown(a)
}

// announcementChanged brings everything under the identifier up to date after an announcement came, changed
// or went, and lifts what it is new evidence for (AN-05, E-03, Q-02).
func (c *Core) announcementChanged(a int32, in *Input) {
	ident := c.anns.At(a).Ident
	c.regroup(ident)
	ann := c.anns.At(a)
	h := c.idents.At(ident).Handle
	c.expired.Lift(ann.Owner, h)
	for _, m := range ann.Closure {
		c.expired.Lift(m, h)
	}
	if ann.Group != purgatory.None {
		c.wake(ann.Group, c.delay(in.Origin), in.Origin == FromSync)
		c.touch(ann.Group)
	}
	c.replayEarly(h)
	for _, g := range slices.Clone(c.idents.At(ident).Groups) {
		c.tryRelease(g) // what it authorises now may be here already (AN-05)
	}
}

// createRepo asks for the bare repository, unless it is there or asked for.
func (c *Core) createRepo(a int32) {
	ann := c.anns.At(a)
	if ann.RepoExists || ann.RepoAsked {
		return
	}
	ann.RepoAsked = true
	if c.deleting[ann.Repo] > 0 {
		return // made when the old one is gone
	}
	c.emit(Effect{Kind: EfCreateRepo, Repo: ann.Repo, Ask: c.request(c.askOf(askCreate, a))})
}

func (c *Core) onRepoCreated(in *Input) {
	k, ok := c.take(in.Ask, askCreate)
	if !ok {
		return
	}
	ann := c.anns.At(k.b)
	if ann.Serial != k.serial || !ann.RepoAsked {
		if in.Class == OK && !c.repoWanted(k.repo) {
			// Made after its announcement expired or went: not left behind (I-7).
			k.kind = askDelete
			c.emit(Effect{Kind: EfDeleteRepoIfNoRefs, Repo: k.repo, Ask: c.request(k)})
			c.deleting[k.repo]++
		}
		return
	}
	if in.Class != OK {
		c.retryLater(k)
		return
	}
	ann.RepoAsked, ann.RepoExists = false, true
	c.refresh(ann.Group)
	c.reshow(ann.Ident)
}

// repoWanted tells whether an announcement has the repository or has asked for it.
func (c *Core) repoWanted(repo Handle) bool {
	return slices.ContainsFunc(c.anns.Items, func(a purgatory.Announcement) bool {
		return a.Status != purgatory.Free && a.Repo == repo && (a.RepoExists || a.RepoAsked)
	})
}

// refresh brings a group up to date after its repositories changed.
func (c *Core) refresh(g int32) {
	if g == purgatory.None {
		return
	}
	c.refreshRepos(g)
	c.refreshWants(g)
	c.tryRelease(g)
	if o := c.groups.At(g); o.asleep() {
		delay := c.cfg.ClientDelay
		if o.synced = c.onlySynced(o); o.synced {
			delay = c.cfg.SyncedDelay
		}
		if o.id == 0 && o.rerun != Never { // the event's delay began when it came
			delay = max(0, o.rerun-c.now)
		}
		c.wake(g, delay, o.synced)
	}
	c.touch(g)
}

// onlySynced tells whether no held event of the group came from a client.
func (c *Core) onlySynced(o *group) bool {
	for _, s := range o.states {
		if !c.states.At(s).Synced {
			return false
		}
	}
	for _, p := range o.prs {
		if !c.prs.At(p).Synced {
			return false
		}
	}
	return true
}

func (c *Core) armAnnouncement(a int32) {
	ann := c.anns.At(a)
	ann.Gen++
	c.timers[tAnn].arm(pq.Entry{At: int64(ann.Deadline), ID: uint32(a), Gen: ann.Gen})
}

// storeAnnouncement asks for a served announcement to be stored.
func (c *Core) storeAnnouncement(a int32) {
	ann := c.anns.At(a)
	c.emit(Effect{Kind: EfStoreEvent, Event: ann.ID, Repo: ann.Repo,
		Ask: c.request(c.askOf(askPromote, a))})
}

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
		if ann.Pins > 0 || ann.Locked || c.passRuns(ann.Group) && !ann.Overdue {
			// Pinned by a push, a release or a pass in flight: looked at again (E-02, E-04, P-04).
			ann.Overdue = ann.Pins == 0
			ann.Gen++
			c.timers[tAnn].arm(pq.Entry{At: int64(c.life() + c.cfg.StallLimit + c.cfg.KillGrace), ID: uint32(a), Gen: ann.Gen})
			return
		}
		c.expireAnnouncement(a)
	case purgatory.Releasing:
		// Once StoreEvent is out only Stored ends the residence (E-02).
	case purgatory.SoftExpired:
		c.expired.Add(ann.ID, ann.Owner, c.idents.At(ann.Ident).Handle, c.life())
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

func (c *Core) refreshGroup(g int32) {
	if g != purgatory.None {
		c.refreshRepos(g)
		c.recount(g)
		c.touch(g)
	}
}

// onRepoDeleted: deleted makes it soft-expired; refs found make it active again until its placeholders'
// end or 30 min from now; a failure is tried again (E-04).
func (c *Core) onRepoDeleted(in *Input) {
	k, ok := c.takeAny(in.Ask, askDelete, askErase)
	if !ok {
		return
	}
	if in.Class != OK {
		c.retryLater(k)
		return
	}
	if c.deleting[k.repo]--; c.deleting[k.repo] <= 0 {
		delete(c.deleting, k.repo)
	}
	ann := c.anns.At(k.b)
	if ann.Serial != k.serial || ann.Status != purgatory.Expiring {
		c.recreate(k.repo)
		return
	}
	if in.HadRefs {
		ann.Status = purgatory.Held
		ann.Deadline = c.life() + c.cfg.Lifetime
		c.armAnnouncement(k.b)
		c.report(RepExtended, Effect{Event: ann.ID, Deadline: ann.Deadline - c.offset})
		c.refresh(ann.Group)
		return
	}
	ann.RepoExists = false
	c.softExpire(k.b)
}

// recreate makes the repository of an announcement that came while the coordinate's old one was being
// deleted.
func (c *Core) recreate(repo Handle) {
	for i := range c.anns.Items {
		if ann := &c.anns.Items[i]; ann.Status != purgatory.Free && ann.Repo == repo && ann.RepoAsked && !ann.RepoExists {
			ann.RepoAsked = false
			c.createRepo(int32(i))
		}
	}
}

// askOf is an ask about an announcement and its repository.
func (c *Core) askOf(kind askKind, a int32) ask {
	ann := c.anns.At(a)
	return ask{kind: kind, a: purgatory.None, b: a, event: ann.ID, serial: ann.Serial, repo: ann.Repo}
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
		return ann.Authorises(st.Author) && !st.Overdue
	})
}

// revive makes a soft-expired announcement active: its repository is made anew and its deadline is set,
// never kept (E-05).
func (c *Core) revive(a int32) {
	ann := c.anns.At(a)
	ann.Status, ann.HeadsSeen, ann.Overdue = purgatory.Held, false, false
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
	ann.Deadline, ann.Overdue = at, false
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
		c.authors.release(ann.AuthorSlot)
		c.holdings--
		c.announced--
		if ann.RepoExists || ann.RepoAsked {
			c.emit(Effect{Kind: EfDeleteRepo, Repo: ann.Repo, Ask: c.request(c.askOf(askErase, a))})
			c.deleting[ann.Repo]++
		}
	}
	delete(c.where, ann.ID)
	if ann.Applied != purgatory.None {
		c.unapply(a)
	}
	if ann.Holder != purgatory.None {
		c.closeURL(ann.Holder)
	}
	c.closeURLs(ann.URLs)
	id := c.idents.At(ident)
	if i := slices.Index(id.Anns, a); i >= 0 {
		id.Anns = slices.Delete(id.Anns, i, i+1)
	}
	ann.Status = purgatory.Free
	ann.Serial = 0
	ann.Gen++
	ann.URLs, ann.Holder, ann.Group = ann.URLs[:0], purgatory.None, purgatory.None
	c.anns.Free(a)
	c.regroup(ident)
	c.dropIdentIfEmpty(ident)
}
