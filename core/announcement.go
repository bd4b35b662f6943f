package core

import (
	"slices"

	"graspsync/core/pq"
	"graspsync/core/purgatory"
)

// admitAnnouncement takes a 30617 (AN-03, AN-04, AN-06).
func (c *Core) admitAnnouncement(in *Input) {
	e := in.Event
	if text := c.announcementRefusal(e); text != "" && (text != textNotListed || c.announcementOf(e.Repo.Identifier, e.Author) == purgatory.None) {
		c.reject(in, text)
		return
	}
	a := c.announcementOf(e.Repo.Identifier, e.Author)
	listed := e.ListsUs || c.cfg.ArchiveAll
	if a != purgatory.None {
		ann := c.anns.At(a)
		if !listed && ann.Status != purgatory.Served {
			// A newer version that no longer lists us evicts the held one (AN-04).
			c.endAnnouncement(a, RepEndedReplaced)
			if a = c.announcementOf(e.Repo.Identifier, e.Author); a != purgatory.None && c.anns.At(a).Status != purgatory.Served {
				c.reject(in, textNotListed) // it goes when its release or push is over
				return
			}
		}
	}
	if a != purgatory.None {
		switch ann := c.anns.At(a); {
		case ann.Status != purgatory.Served:
			c.replaceAnnouncement(a, in)
		case listed && !ann.RepoExists && !ann.RepoAsked:
			if c.roomForAnnouncement(in) {
				c.holdOver(a, in)
			}
		default:
			c.storeNew(in)
		}
		return
	}
	switch {
	case listed:
		if c.roomForAnnouncement(in) {
			c.newAnnouncement(in)
		}
	case c.listedMaintainer(e):
		c.storeNew(in)
	default:
		c.reject(in, textNotListed)
	}
}

// announcementRefusal is why an announcement is refused as things stand, or "".
func (c *Core) announcementRefusal(e *Event) string {
	a := c.announcementOf(e.Repo.Identifier, e.Author)
	if a != purgatory.None {
		if ann := c.anns.At(a); !purgatory.Newer(e.CreatedAt, e.ID, ann.CreatedAt, ann.ID) {
			return textOlder // NIP-01 order: the version we have stays (E-06)
		}
	}
	switch {
	case c.supersededBefore(e):
		return textOlder
	case !e.ListsUs && !c.cfg.ArchiveAll && (a == purgatory.None || c.anns.At(a).Status != purgatory.Served) && !c.listedMaintainer(e):
		return textNotListed
	}
	return ""
}

// roomForAnnouncement makes room for one more held announcement and its hunt, or refuses it.
func (c *Core) roomForAnnouncement(in *Input) bool {
	if !c.sourceRoom(in, purgatory.None) {
		c.answer(in.Event.ID, false, textSourceHunts)
		return false
	}
	if c.roomForEvent(in) && c.roomForHunt(in.Event.Author, purgatory.None) {
		return true
	}
	c.answer(in.Event.ID, false, textFull)
	return false
}

// listedMaintainer tells whether an announcement here lists the author for that identifier (AN-03).
func (c *Core) listedMaintainer(e *Event) bool {
	i, ok := c.identOf[e.Repo.Identifier]
	if !ok {
		return false
	}
	return slices.ContainsFunc(c.idents.At(i).Anns, func(a int32) bool {
		ann := c.anns.At(a)
		return ann.Owner != e.Author && c.authorises(ann, e.Author)
	})
}

// newAnnouncement holds the first announcement of a coordinate; a bare repository is made for it, unless a
// deleted one has left its own behind (AN-04, DL-02).
func (c *Core) newAnnouncement(in *Input) {
	a := c.recordAnnouncement(in.Event)
	c.where[in.Event.ID] = location{recAnnouncement, a}
	c.hold(a, in)
	c.announcementChanged(a, in)
	c.adoptPRs(a)
	c.promoteShown(a)
}

// hold begins the residence of an announcement.
func (c *Core) hold(a int32, in *Input) {
	ann := c.anns.At(a)
	ann.Status = purgatory.Held
	c.where[in.Event.ID] = location{recAnnouncement, a}
	c.authors.hold(&ann.AuthorSlot, in.Event.Author)
	c.moveIn(location{recAnnouncement, a}, in)
	c.addHeld(in.Event.Size)
	c.announced++
	ann.Deadline = c.life() + c.cfg.Lifetime
	c.armAnnouncement(a)
	c.held(in.Event.ID, 0, ann.Deadline, false)
	c.createRepo(a)
}

// recordAnnouncement files a record for an announcement of a coordinate that has none; its status is for the
// caller to set.
func (c *Core) recordAnnouncement(e *Event) int32 {
	ident := c.openIdent(e.Repo.Identifier)
	a, left := c.annOf[e.Repo.Repo]
	if left && c.anns.At(a).Orphan {
		c.adopt(a)
	} else {
		a = c.anns.New()
		ann := c.anns.At(a)
		c.serial++
		*ann = purgatory.Announcement{Gen: ann.Gen, Owner: e.Author, Ident: ident, Repo: e.Repo.Repo,
			Holder: purgatory.None, Applied: purgatory.None, Showing: purgatory.None, Group: purgatory.None, Serial: c.serial,
			URLs: ann.URLs[:0], Listed: ann.Listed[:0], Closure: ann.Closure[:0], Places: ann.Places[:0], Pushes: ann.Pushes[:0]}
		c.annOf[e.Repo.Repo] = a
	}
	c.fillAnnouncement(a, e)
	id := c.idents.At(ident)
	at, _ := c.placeOf(id, e.Author)
	id.Anns = slices.Insert(id.Anns, at, a)
	id.Stale = true
	return a
}

func (c *Core) fillAnnouncement(a int32, e *Event) {
	ann := c.anns.At(a)
	ann.ID, ann.CreatedAt = e.ID, e.CreatedAt
	old := append([]int32(nil), ann.URLs...)
	urls := c.openURLs(ann.URLs[:0], e.Sources)
	ann = c.anns.At(a)
	ann.URLs = urls
	ann.Fresh = len(old) > 0 && slices.ContainsFunc(urls, func(u int32) bool { return !slices.Contains(old, u) })
	c.closeURLs(old)
	if !slices.Equal(ann.Listed, e.Maintainers) {
		ann.Listed = append(ann.Listed[:0], e.Maintainers...)
		c.idents.At(ann.Ident).Stale = true
	}
	ann.Size = e.Size
}

// replaceAnnouncement takes a newer version of a held one, with a fresh lifetime for it and its held states; a
// soft-expired one is revived (AN-04, E-05).
func (c *Core) replaceAnnouncement(a int32, in *Input) {
	e, ann := in.Event, c.anns.At(a)
	delete(c.where, ann.ID)
	c.report(RepEndedReplaced, Effect{Event: ann.ID})
	c.heldBytes += int64(e.Size - ann.Size)
	c.fillAnnouncement(a, e)
	ann = c.anns.At(a)
	ann.HeadsSeen = false
	if in.Origin == FromClient {
		c.moveOut(location{recAnnouncement, a})
	}
	c.where[e.ID] = location{recAnnouncement, a}
	ann.Deadline = c.life() + c.cfg.Lifetime
	c.held(e.ID, 0, ann.Deadline, false)
	if ann.Status == purgatory.Releasing {
		ann.Status = purgatory.Held // the old version's promotion no longer counts
	}
	ann.Doomed, ann.Overdue, ann.Grace = 0, false, false
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
			if st := c.states.At(s); st.Status == purgatory.Held && c.authorises(c.anns.At(a), st.Author) {
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
	c.liftFor(ann, purgatory.Evidence{Kind: purgatory.OfAnnouncement, CreatedAt: ann.CreatedAt, ID: ann.ID}, ann.Fresh)
	if ann.Group != purgatory.None {
		c.wantedBy(ann.Group, in)
		c.wake(ann.Group, c.delay(in.Origin), in.Origin == FromSync)
		c.touch(ann.Group)
	}
	c.reconsider(a)
	for _, g := range slices.Clone(c.idents.At(ident).Groups) {
		c.tryRelease(g) // what it authorises now may be here already (AN-05)
	}
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
	return !slices.ContainsFunc(o.anns, func(a int32) bool {
		ann := c.anns.At(a)
		return ann.Status == purgatory.Held && !ann.Synced
	})
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

func (c *Core) refreshGroup(g int32) {
	if g != purgatory.None {
		c.refreshRepos(g)
		c.recount(g)
		c.touch(g)
	}
}

// askOf is an ask about an announcement and its repository.
func (c *Core) askOf(kind askKind, a int32) ask {
	ann := c.anns.At(a)
	return ask{kind: kind, a: purgatory.None, b: a, event: ann.ID, serial: ann.Serial, repo: ann.Repo}
}

// liftFor lifts the ids that expired under an announcement's coordinate and those of its maintainers, if the
// evidence is newer than what expired, or brings a new clone URL (E-03).
func (c *Core) liftFor(ann *purgatory.Announcement, what purgatory.Evidence, freshURL bool) {
	h := c.idents.At(ann.Ident).Handle
	lift := func(key PubKey) {
		if freshURL {
			c.expired.Lift(key, h)
		} else {
			c.expired.LiftBy(key, h, what)
		}
	}
	lift(ann.Owner)
	for _, m := range ann.Closure {
		if m != ann.Owner {
			lift(m)
		}
	}
}

// addHeld counts one more held event.
func (c *Core) addHeld(size int32) {
	c.holdings++
	c.heldBytes += int64(size)
}

func (c *Core) subHeld(size int32) {
	c.holdings--
	c.heldBytes -= int64(size)
}
