package core

import (
	"slices"

	"graspsync/core/purgatory"
)

// The steps of a release at one repository, and what a repository is set back to when a release has ended in the
// middle (ST-08).

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
		c.setStrayed(k.b, false)
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
			c.setStrayed(k.b, false)
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
		c.setStrayed(k.b, false)
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

// straighten sets back the repositories of an identifier that show what a push or half a release left there, when a state's
// residence has ended: whoever it was that explained it, and whether or not anybody authorises that now (P-04, ST-08).
func (c *Core) straighten(ident int32) {
	if c.strayed == 0 {
		return
	}
	for _, a := range c.idents.At(ident).Anns {
		if c.anns.At(a).Strayed && c.hasRepo(a) {
			c.realignSoon(a)
		}
	}
}

// setStrayed notes whether a repository is known to show what is served there.
func (c *Core) setStrayed(a int32, strayed bool) {
	if ann := c.anns.At(a); ann.Strayed != strayed {
		ann.Strayed = strayed
		c.strayed += int(2*b2i(strayed) - 1)
	}
}

// realignSoon sets a repository back to what is served there: now, or when its lock goes.
func (c *Core) realignSoon(a int32) {
	if ann := c.anns.At(a); ann.Locked {
		ann.Crooked = true
	} else {
		c.realign(a)
	}
}

// unlock lets others at a repository and tries again what waited for it.
func (c *Core) unlock(a int32) {
	ann := c.anns.At(a)
	if !ann.Locked {
		return
	}
	ann.Locked = false
	c.lookAtPushes(a)
	if c.endDoomed(a) {
		return
	}
	if ann.Crooked {
		ann.Crooked = false
		if ann.Strayed && c.hasRepo(a) {
			c.realign(a)
			return
		}
	}
	if ann.Status == purgatory.Held && ann.Deadline <= c.life() {
		c.armAnnouncement(a) // kept past its deadline for what held the lock: due at once (E-02, I-17)
	}
	c.promoteShown(a)
	for _, g := range c.idents.At(ann.Ident).Groups {
		c.tryRelease(g)
		c.touch(g)
	}
	c.reshow(ann.Ident)
}
