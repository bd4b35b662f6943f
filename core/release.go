package core

import (
	"cmp"
	"slices"

	"graspsync/core/purgatory"
)

// release carries one satisfied event out of purgatory, step by step (ST-08, PR-02): objects copied to every
// repository concerned, refs aligned, event stored, announcements promoted, subscribers told. The
// repositories concerned are locked together, all or none, until it ends (H-05).
type release struct {
	used    bool
	stored  bool // StoreEvent is out
	kind    recordKind
	stage   releaseStage
	failed  bool
	dead    bool // its event is gone; what is out is awaited, nothing follows
	deleted bool // a deletion was stored while StoreEvent was out (DL-02)
	waiting int32
	slot    int32 // state or PR
	from    int32 // announcement whose repository has the objects
	event   EventID
	owners  []int32 // announcements concerned, by owner
}

type releaseStage uint8

const (
	copying releaseStage = iota
	aligning
	storing
	promoting
)

// tryRelease starts the release of every held event of the group that is satisfied, oldest first (ST-07).
func (c *Core) tryRelease(g int32) {
	o := c.groups.At(g)
	if len(o.repos) == 0 || c.stopping {
		return
	}
	ready := c.readyScratch[:0]
	for _, s := range o.states {
		if st := c.states.At(s); st.Status == purgatory.Held && !st.Failed && (o.here > 0 || !wantsObjects(st)) && o.satisfied(st) != 0 {
			ready = append(ready, s)
		}
	}
	if len(ready) > 1 {
		slices.SortFunc(ready, func(a, b int32) int {
			x, y := c.states.At(a), c.states.At(b)
			return cmp.Or(cmp.Compare(x.CreatedAt, y.CreatedAt), -x.ID.Compare(y.ID))
		})
	}
	c.readyScratch = ready
	for i := 0; i < len(ready); i++ {
		c.releaseState(g, ready[i])
	}
	prs := c.readyScratch[:0]
	if o.here > 0 && len(o.prs) > 0 {
		for i := range o.wants {
			if o.wants[i].have == 0 {
				continue
			}
			for _, p := range c.prsOf(o, o.wants[i].oid) {
				if pr := c.prs.At(p); pr.Status == purgatory.Held && !pr.Failed {
					prs = append(prs, p)
				}
			}
		}
		slices.SortFunc(prs, func(a, b int32) int { return cmp.Compare(c.prs.At(a).Serial, c.prs.At(b).Serial) })
	}
	c.readyScratch = prs
	for i := 0; i < len(prs); i++ {
		c.releasePR(g, prs[i])
	}
}

// releaseState starts the release of a satisfied state, if no repository it concerns is busy.
func (c *Core) releaseState(g, s int32) {
	o, st := c.groups.At(g), c.states.At(s)
	if st.Status != purgatory.Held {
		return
	}
	owners := c.scratch.victims[:0]
	for _, a := range c.idents.At(st.Ident).Anns {
		if ann := c.anns.At(a); c.hasRepo(a) && !ann.Unlisted && ann.Authorises(st.Author) && c.latestFor(ann, st) {
			if ann.Locked {
				return // tried again when the lock goes
			}
			owners = append(owners, a)
		}
	}
	c.scratch.victims = owners
	mask := o.satisfied(st)
	from := o.repos[0]
	for b, a := range o.repos {
		if mask>>uint(b)&1 == 1 {
			from = a
			break
		}
	}
	st.Status, st.Home = purgatory.Releasing, c.anns.At(from).Repo
	c.begin(recState, s, st.ID, from, owners)
}

// releasePR starts the release of a PR whose commit is here, if a repository it names is served; while all
// of them are held it is held too (PR-02, PR-04).
func (c *Core) releasePR(g, p int32) {
	o, pr := c.groups.At(g), c.prs.At(p)
	if pr.Status != purgatory.Held {
		return
	}
	owners := c.scratch.victims[:0]
	for i := range pr.Repos {
		a := c.announcementOf(pr.Repos[i].Identifier, pr.Repos[i].Owner)
		if a == purgatory.None || c.anns.At(a).Status != purgatory.Served || !c.hasRepo(a) {
			continue
		}
		if c.anns.At(a).Locked {
			return
		}
		owners = append(owners, a)
	}
	c.scratch.victims = owners
	if len(owners) == 0 {
		return
	}
	k, _ := o.find(pr.Commit)
	from := o.repos[0]
	for b, a := range o.repos {
		if o.wants[k].have>>uint(b)&1 == 1 {
			from = a
			break
		}
	}
	pr.Status = purgatory.Releasing
	c.begin(recPR, p, pr.ID, from, owners)
}

// latestFor tells whether st would be the owner's latest state for applying: no served state and no
// satisfied held one authorised for the owner is newer (ST-07).
func (c *Core) latestFor(ann *purgatory.Announcement, st *purgatory.State) bool {
	newer := func(s int32) bool {
		x := c.states.At(s)
		return x != st && !x.Unsatisfied && ann.Authorises(x.Author) && purgatory.Newer(x.CreatedAt, x.ID, st.CreatedAt, st.ID)
	}
	if slices.ContainsFunc(c.idents.At(ann.Ident).Served, newer) {
		return false
	}
	if ann.Group == purgatory.None {
		return true
	}
	o := c.groups.At(ann.Group)
	return !slices.ContainsFunc(o.states, func(s int32) bool {
		return newer(s) && (c.states.At(s).Status == purgatory.Releasing || o.satisfied(c.states.At(s)) != 0)
	})
}

func (c *Core) begin(kind recordKind, slot int32, id EventID, from int32, owners []int32) {
	i := c.releases.New()
	r := c.releases.At(i)
	*r = release{used: true, kind: kind, slot: slot, event: id, from: from, owners: append(r.owners[:0], owners...)}
	if kind == recState {
		c.states.At(slot).Release = i + 1
	} else {
		c.prs.At(slot).Release = i + 1
	}
	for _, a := range r.owners {
		c.anns.At(a).Locked = true
	}
	for _, a := range r.owners {
		if a != from {
			c.out = append(c.out, c.repoEffect(&ask{kind: askCopy, a: i, b: a, event: id}))
			c.releases.At(i).waiting++
		}
	}
	c.advance(i)
}

// repoEffect opens an ask for a step at one repository and returns its effect.
func (c *Core) repoEffect(k *ask) Effect {
	e := Effect{Ask: c.request(*k), Event: k.event}
	c.issueRepo(k, &e)
	return e
}

// issueRepo fills in the effect of a step at one repository.
func (c *Core) issueRepo(k *ask, e *Effect) {
	ann := c.anns.At(k.b)
	e.Repo = ann.Repo
	if k.kind == askRealign {
		e.Kind = EfAlignRefs
		if k.event != (EventID{}) {
			e.Space = NostrRef
			return
		}
		c.showApplied(ann, e)
		return
	}
	if k.kind == askShow {
		e.Kind, e.From, e.Event = EfCopyObjects, k.repo, EventID{}
		if ann.Showing != purgatory.None {
			e.OIDs = c.objectsOf(c.states.At(ann.Showing))
		}
		return
	}
	r := c.releases.At(k.a)
	if k.kind == askCopy {
		e.Kind, e.From = EfCopyObjects, c.anns.At(r.from).Repo
	} else {
		e.Kind = EfAlignRefs
	}
	if r.dead { // issued again though its event is gone: what it must not do is leave refs behind
		if k.kind == askNostr {
			e.Space = NostrRef
		} else if k.kind == askAlign {
			c.showApplied(ann, e)
		}
		return
	}
	switch {
	case r.kind == recPR:
		e.OIDs = c.keep([]OID{c.prs.At(r.slot).Commit})
		if k.kind == askNostr {
			e.Space = NostrRef
		}
	case k.kind == askCopy:
		e.OIDs = c.objectsOf(c.states.At(r.slot))
	default:
		st := c.states.At(r.slot)
		e.Refs, e.Head, e.Event = st.Refs, st.Head, EventID{}
		if ann.Applied != purgatory.None {
			e.Old = c.states.At(ann.Applied).Refs
		}
	}
}

// objectsOf lists what a state's refs point at, in this Step's arena.
func (c *Core) objectsOf(st *purgatory.State) []OID {
	n := len(c.arena)
	for _, ref := range st.Refs {
		if !ref.Symbolic {
			c.arena = append(c.arena, ref.OID)
		}
	}
	return c.arena[n:len(c.arena):len(c.arena)]
}

// showApplied makes an alignment one to what is served.
func (c *Core) showApplied(ann *purgatory.Announcement, e *Effect) {
	e.Event = EventID{}
	if ann.Applied != purgatory.None {
		st := c.states.At(ann.Applied)
		e.Refs, e.Head = st.Refs, st.Head
	}
}

// advance goes on to the next stage when nothing is outstanding.
func (c *Core) advance(i int32) {
	r := c.releases.At(i)
	for r.waiting == 0 && r.used {
		if r.failed || r.dead {
			c.endRelease(i)
			return
		}
		switch r.stage {
		case copying:
			r.stage = aligning
			kind := askAlign
			if r.kind == recPR {
				kind = askNostr
			}
			for _, a := range r.owners {
				c.out = append(c.out, c.repoEffect(&ask{kind: kind, a: i, b: a, event: r.event}))
				r.waiting++
			}
		case aligning:
			r.stage, r.stored = storing, true
			c.emit(Effect{Kind: EfStoreEvent, Event: r.event, Ask: c.request(ask{kind: askState, a: i, event: r.event})})
			r.waiting++
		case storing:
			r.stage = promoting
			c.promote(i)
		case promoting:
			c.endRelease(i)
			return
		}
	}
}

// onReleaseStep takes the completion of a copy or an alignment.
func (c *Core) onReleaseStep(in *Input) {
	k, ok := c.takeAny(in.Ask, askCopy, askAlign, askNostr, askRealign, askShow, askDropRef)
	if !ok {
		return
	}
	if k.kind == askDropRef {
		if in.Class != OK {
			c.retryLater(k)
		}
		return
	}
	if k.kind == askShow {
		c.showCopied(k, in.Class)
		return
	}
	if k.kind == askRealign {
		if in.Class != OK {
			c.retryLater(k)
			return
		}
		c.unlock(k.b)
		return
	}
	r := c.releases.At(k.a)
	r.waiting--
	if in.Class != OK {
		r.failed = true // the event stays held and is released again with the next attempt
	}
	c.advance(k.a)
}

// releaseStored takes the store's verdict on the event of a release (ST-08).
func (c *Core) releaseStored(k ask, v Verdict) {
	r := c.releases.At(k.a)
	r.waiting--
	r.stored = false
	why := RepEndedRefused
	if r.deleted && v != StoreFailed {
		v, why = StoreDeleted, RepEndedDeleted
	}
	switch {
	case r.dead:
	case r.deleted && r.kind == recState:
		c.endState(r.slot, why)
	case r.deleted:
		c.endPR(r.slot, why)
	case v == StoredOK:
		if r.kind == recState {
			c.stateServed(r)
		}
	case v == StoreFailed:
		r.failed = true
	case r.kind == recState: // final: the residence ends, the refs go back to the latest served state
		c.endState(r.slot, why)
	default:
		c.endPR(r.slot, why)
	}
	c.advance(k.a)
}

// stateServed makes a stored state the one its owners' refs show and its author's latest (ST-07).
func (c *Core) stateServed(r *release) {
	st := c.states.At(r.slot)
	id := c.idents.At(st.Ident)
	for _, a := range r.owners {
		if ann := c.anns.At(a); ann.Status != purgatory.Free {
			c.unapply(a)
			ann.Applied = r.slot
			st.Applied++
		}
	}
	for i, s := range id.Served {
		if x := c.states.At(s); x.Author == st.Author && s != r.slot {
			if purgatory.Newer(x.CreatedAt, x.ID, st.CreatedAt, st.ID) {
				return // stored after its successor: remembered as latest by nobody
			}
			id.Served = slices.Delete(id.Served, i, i+1)
			c.freeServed(s)
			break
		}
	}
	id.Served = append(id.Served, r.slot)
}

// unapply takes a served state off an announcement's repository.
func (c *Core) unapply(a int32) {
	ann := c.anns.At(a)
	s := ann.Applied
	if s == purgatory.None {
		return
	}
	ann.Applied = purgatory.None
	c.states.At(s).Applied--
	c.freeServed(s)
}

// freeServed forgets a served state that is nobody's latest.
func (c *Core) freeServed(s int32) {
	st := c.states.At(s)
	if st.Status != purgatory.Served || slices.Contains(c.idents.At(st.Ident).Served, s) {
		return
	}
	if c.where[st.ID] == (location{recState, s}) {
		delete(c.where, st.ID)
	}
	if st.Applied == 0 {
		c.freeState(s)
	}
}

// promote stores the held announcements whose own repository now has a head or tag from an authorised
// state; no other event promotes (ST-09).
func (c *Core) promote(i int32) {
	r := c.releases.At(i)
	if r.kind != recState || len(c.states.At(r.slot).Refs) == 0 {
		return
	}
	for _, a := range r.owners {
		if ann := c.anns.At(a); ann.Status == purgatory.Held && ann.Applied == r.slot &&
			ann.Authorises(c.states.At(r.slot).Author) {
			ann.Status = purgatory.Releasing
			c.refreshGroup(ann.Group)
			c.emit(Effect{Kind: EfStoreEvent, Event: ann.ID, Repo: ann.Repo,
				Ask: c.request(ask{kind: askPromote, a: i, b: a, event: ann.ID})})
			r.waiting++
		}
	}
}

// promoted takes the store's verdict on an announcement.
func (c *Core) promoted(k ask, v Verdict) {
	ann := c.anns.At(k.b)
	if ann.ID == k.event && ann.Status == purgatory.Releasing {
		switch v {
		case StoredOK:
			ann.Status = purgatory.Served
			ann.Gen++ // its deadline is void
			c.authors.release(ann.AuthorSlot)
			c.holdings--
			c.announced--
			c.dropShadow(k.b)
			c.report(RepEndedReleased, Effect{Event: ann.ID})
			if ReportKind(ann.Doomed) == RepEndedDeleted { // deleted while it was being stored (DL-02)
				ann.Doomed = 0
				c.orphan(k.b)
				break
			}
			c.emit(Effect{Kind: EfNotify, Event: ann.ID})
		case StoreFailed: // the state is served already: this is tried again by itself
			again := c.askOf(askPromote, k.b)
			if ann.Doomed == 0 {
				c.retryLater(again)
			} else {
				ann.Status = purgatory.Held
			}
		default:
			ann.Status, ann.Doomed = purgatory.Held, uint8(RepEndedRefused)
		}
		c.refreshGroup(ann.Group)
	}
	if k.a != purgatory.None {
		r := c.releases.At(k.a)
		r.waiting--
		c.advance(k.a)
	}
	c.endDoomed(k.b)
}

// promoteShown promotes a held announcement whose own repository shows an authorised state already: a
// newer version that came while the older one was being stored (ST-09).
func (c *Core) promoteShown(a int32) {
	ann := c.anns.At(a)
	if ann.Status == purgatory.Held && !ann.Locked && ann.RepoExists && ann.Applied != purgatory.None &&
		len(c.states.At(ann.Applied).Refs) > 0 && c.isServed(ann.Applied) && ann.Authorises(c.states.At(ann.Applied).Author) {
		ann.Status = purgatory.Releasing
		c.storeAnnouncement(a)
		c.refreshGroup(ann.Group)
	}
}

// isServed tells whether a state is its author's latest served one, neither deleted nor superseded.
func (c *Core) isServed(s int32) bool {
	return slices.Contains(c.idents.At(c.states.At(s).Ident).Served, s)
}

// endRelease unlocks the repositories and ends or renews the event's residence.
func (c *Core) endRelease(i int32) {
	r := c.releases.At(i)
	if r.failed && !r.dead {
		c.expireFailed(r)
	}
	r.used = false
	owners := r.owners
	if !r.dead {
		if r.kind == recState {
			c.states.At(r.slot).Release = 0
		} else {
			c.prs.At(r.slot).Release = 0
		}
	}
	switch {
	case r.dead:
		if r.stage >= aligning {
			// Its refs may be in place already: back to what is served; the locks stay until then (ST-08).
			for _, a := range owners {
				k := ask{kind: askRealign, b: a, repo: c.anns.At(a).Repo}
				if r.kind == recPR {
					k.event = r.event
				}
				c.out = append(c.out, c.repoEffect(&k))
			}
			c.releases.Free(i)
			return
		}
	case r.failed:
		c.releaseFailed(r)
	case r.kind == recState:
		c.report(RepEndedReleased, Effect{Event: r.event})
		c.states.At(r.slot).Status = purgatory.Served
		c.unfileState(r.slot)
		c.where[r.event] = location{recState, r.slot}
		c.emit(Effect{Kind: EfNotify, Event: r.event})
		c.dropReplaced(r.slot)
		c.reshow(c.states.At(r.slot).Ident)
		if r.deleted {
			c.forgetServed(r.slot)
		} else {
			c.freeServed(r.slot)
		}
	default:
		c.servePR(r.slot)
		c.emit(Effect{Kind: EfNotify, Event: r.event})
	}
	for _, a := range owners {
		c.unlock(a)
	}
	c.releases.Free(i) // not before: the next release would write over owners
}

// unlock lets others at a repository and tries again what waited for it.
func (c *Core) unlock(a int32) {
	ann := c.anns.At(a)
	if !ann.Locked {
		return
	}
	ann.Locked = false
	if c.endDoomed(a) {
		return
	}
	c.promoteShown(a)
	for _, g := range c.idents.At(ann.Ident).Groups {
		c.tryRelease(g)
		c.touch(g)
	}
	c.reshow(ann.Ident)
}

// expireFailed expires an event that was only kept past its deadline for a release that failed (E-02).
func (c *Core) expireFailed(r *release) {
	switch {
	case r.kind == recState && c.states.At(r.slot).Overdue:
		c.expireState(r.slot)
	case r.kind == recPR && c.prs.At(r.slot).Overdue:
		c.expirePR(r.slot)
	}
}

// undo sets the repositories back to what is served that a failed release of a state may have changed
// (ST-08). One that another release has locked is aligned by that.
func (c *Core) undo(st *purgatory.State) {
	for _, a := range c.idents.At(st.Ident).Anns {
		if ann := c.anns.At(a); c.hasRepo(a) && !ann.Unlisted && !ann.Locked && ann.Authorises(st.Author) {
			ann.Locked = true
			c.out = append(c.out, c.repoEffect(&ask{kind: askRealign, b: a, repo: ann.Repo}))
		}
	}
}

// releaseFailed keeps the event held; it is tried again with the hunt's next attempt.
func (c *Core) releaseFailed(r *release) {
	if r.kind == recState {
		st := c.states.At(r.slot)
		st.Status, st.Failed = purgatory.Held, true
		if len(st.Groups) == 0 {
			c.endState(r.slot, RepEndedDeleted) // nobody authorises it any more
		}
		return
	}
	pr := c.prs.At(r.slot)
	pr.Status, pr.Failed = purgatory.Held, true
}

// dropReplaced ends held states that a served one of the same author supersedes (ST-07).
func (c *Core) dropReplaced(s int32) {
	st := c.states.At(s)
	id := c.idents.At(st.Ident)
	for _, g := range id.Groups {
		o := c.groups.At(g)
		for i := len(o.states) - 1; i >= 0; i-- {
			x := c.states.At(o.states[i])
			if x.Author == st.Author && x.Status == purgatory.Held && purgatory.Newer(st.CreatedAt, st.ID, x.CreatedAt, x.ID) {
				c.endState(o.states[i], RepEndedReplaced)
				i = min(i, len(o.states))
			}
		}
	}
}

// abandon tells a release that its event is gone.
func (c *Core) abandon(rel int32) {
	if rel > 0 {
		c.releases.At(rel - 1).dead = true
	}
}

// storing tells whether StoreEvent is out for a release, or was answered well: then only Stored ends the
// residence (E-02).
func (c *Core) storing(rel int32) bool {
	return rel > 0 && (c.releases.At(rel-1).stored || c.releases.At(rel-1).stage == promoting)
}
