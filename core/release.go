package core

import (
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
	deleted bool // a deletion was stored, or the operator spoke, while StoreEvent was out (DL-02)
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

func (c *Core) begin(kind recordKind, slot int32, id EventID, from int32, owners []int32) {
	i := c.releases.New()
	r := c.releases.At(i)
	*r = release{used: true, kind: kind, slot: slot, event: id, from: from, owners: append(r.owners[:0], owners...)}
	if kind == recState {
		c.states.At(slot).Release = i + 1
	} else {
		c.prs.At(slot).Release, c.prs.At(slot).Home = i+1, c.anns.At(from).Repo
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
				c.prs.At(r.slot).Shown = true
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
	k, ok := c.takeAny(in.Ask, askCopy, askAlign, askNostr, askRealign, askShow, askRef, askBring)
	if !ok {
		return
	}
	switch k.kind {
	case askRef:
		c.refSet(k, in.Class)
		return
	case askBring:
		c.brought(k, in.Class)
		return
	}
	if k.kind == askShow {
		c.showCopied(k, in.Class)
		return
	}
	if k.kind == askRealign {
		if in.Class != OK {
			c.retryLater(k)
			c.answerStuck(k.b)
			return
		}
		if k.event != (EventID{}) && !c.refOf(k.b, k.event).IsZero() {
			c.setRef(k.b, k.event) // pushed again meanwhile
		}
		c.unlock(k.b)
		return
	}
	r := c.releases.At(k.a)
	r.waiting--
	if in.Class != OK {
		if k.kind == askAlign {
			c.setStrayed(k.b, true)
		}
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
	if r.deleted {
		why = RepEndedDeleted
		if v == StoredOK {
			c.removeServed(r.event) // the operator's word came while it was being stored
		}
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
			c.removeServed(r.event)
			c.forgetServed(r.slot)
		} else {
			c.freeServed(r.slot)
		}
	default:
		c.servePR(r.slot)
		c.showElsewhere(r.slot, owners)
		c.emit(Effect{Kind: EfNotify, Event: r.event})
	}
	for _, a := range owners {
		c.unlock(a)
	}
	c.releases.Free(i) // not before: the next release would write over owners
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

// releaseFailed keeps the event held; it is tried again with the hunt's next attempt.
func (c *Core) releaseFailed(r *release) {
	if r.kind == recState {
		st := c.states.At(r.slot)
		st.Status, st.Failed = purgatory.Held, true
		for _, a := range r.owners { // they show it, and it is not served
			if r.stage > copying && c.anns.At(a).Status != purgatory.Free {
				c.setStrayed(a, true)
			}
		}
		switch {
		case len(st.Groups) == 0:
			c.endState(r.slot, RepEndedDeleted) // nobody authorises it any more
		case c.superseded(st):
			c.endState(r.slot, RepEndedReplaced) // a newer one was served meanwhile
		}
		return
	}
	pr := c.prs.At(r.slot)
	pr.Status, pr.Failed = purgatory.Held, true
}

// superseded tells whether a newer state of the author is served (ST-07).
func (c *Core) superseded(st *purgatory.State) bool {
	return slices.ContainsFunc(c.servedBy(c.idents.At(st.Ident), st.Author), func(s int32) bool {
		x := c.states.At(s)
		return purgatory.Newer(x.CreatedAt, x.ID, st.CreatedAt, st.ID)
	})
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
