package core

import (
	"slices"

	"graspsync/core/purgatory"
)

// How pushes end: with git, with their time, with the relay (P-04, P-05, R-03).

// onPushEnded unpins, renews what the push proved alive (E-05), takes up its placeholders, looks what the
// repository holds now, and answers the client when the release it may allow has been tried (P-05).
func (c *Core) onPushEnded(in *Input) {
	p := in.Push
	if p == nil {
		c.contract(pushNoInput)
		return
	}
	i, ok := c.pushes.byID[p.ID]
	if !ok || c.pushes.slab.At(i).ended {
		c.ignored++
		return
	}
	r := c.pushes.slab.At(i)
	c.unreservePlaces(r)
	r.ended, r.ok, r.bytes = true, in.Class == OK, max(r.bytes, p.Bytes)
	r.gen++
	c.pushes.look = append(c.pushes.look, i)
	ann := c.anns.At(r.ann)
	if ann.Serial != r.serial {
		return // its repository is gone; answered as this Step ends
	}
	c.unpin(r)
	if c.endDoomed(r.ann) {
		return
	}
	switch {
	case !r.refused && r.ok:
		c.takeRefs(r)
		if p.Moved {
			c.extendAnnouncement(r.ann)
		}
	case !r.refused:
		for _, x := range r.nostr { // git may have got anywhere
			c.setRef(r.ann, x.id)
		}
	}
	// What is aligned just now may have been done before git moved the refs.
	c.setStrayed(r.ann, ann.Strayed || r.heads && (ann.Locked || !c.showsApplied(r.ann, p.Current)))
	if !c.hasRepo(r.ann) {
		c.forgetStrayed(r.ann)
	}
	r.astray = r.heads && ann.Group != purgatory.None && (ann.Locked && ann.Strayed || c.astray(r.ann, p.Current))
	g := ann.Group
	if g == purgatory.None || !r.ok && (!r.heads || c.showsApplied(r.ann, p.Current)) {
		return // a failed push that moved nothing
	}
	c.forgive(g)
	o := c.groups.At(g)
	for k := range o.wants {
		o.wants[k].asked = o.wants[k].have != 0
	}
	o.askAll = true
	c.checkWants(g, false)
	c.tryRelease(g)
	c.touch(g)
}

// astray tells whether heads and tags are neither what is served there nor what the latest state wants: git
// moved only some of them, or something else than was asked (P-04).
func (c *Core) astray(a int32, current []Ref) bool {
	if c.showsApplied(a, current) {
		return false
	}
	if s := c.latestAuthorised(a); s != purgatory.None && sameRefs(current, c.states.At(s).Refs) {
		return false
	}
	return len(current) > 0 || c.anns.At(a).Applied != purgatory.None
}

// forgetStrayed: nobody aligns a repository that is unlisted. What it shows is not known when it is listed again (AN-06).
func (c *Core) forgetStrayed(a int32) {
	if ann := c.anns.At(a); ann.Strayed {
		c.setStrayed(a, false)
		c.unapply(a)
	}
}

// showsApplied tells whether heads and tags are what is served there.
func (c *Core) showsApplied(a int32, current []Ref) bool {
	s := c.anns.At(a).Applied
	return s != purgatory.None && sameRefs(current, c.states.At(s).Refs)
}

// pushDue: a push has had its time. Its pin ends, a recheck is refused from now on, its end is still answered
// (P-04, P-05, T-04).
func (c *Core) pushDue(i int32) {
	r := c.pushes.slab.At(i)
	r.lapsed = true
	c.overdue++
	c.report(RepOverdue, Effect{Push: r.id, Repo: c.anns.At(r.ann).Repo})
	if c.anns.At(r.ann).Serial == r.serial {
		c.unpin(r)
		c.endDoomed(r.ann)
	}
}

// unpin ends the pin of a push. An announcement that was kept past its deadline for it is due at once (I-17).
func (c *Core) unpin(r *pushRecord) {
	if !r.pinned {
		return
	}
	r.pinned = false
	ann := c.anns.At(r.ann)
	if ann.Pins--; ann.Pins == 0 && ann.Status == purgatory.Held && ann.Deadline <= c.life() {
		c.armAnnouncement(r.ann)
	}
}

// dropStalePins ends the pins whose time is over at this instant, for deadlines that come before theirs in it.
func (c *Core) dropStalePins(a int32) {
	for _, i := range c.anns.At(a).Pushes {
		if r := c.pushes.slab.At(i); r.pinned && r.until <= c.now {
			c.anns.At(a).Pins--
			r.pinned, r.lapsed = false, true
		}
	}
}

// lastPin is when the last pin of a repository ends at the latest.
func (c *Core) lastPin(a int32) (at Time) {
	for _, i := range c.anns.At(a).Pushes {
		if r := c.pushes.slab.At(i); r.pinned {
			at = max(at, r.until)
		}
	}
	return at
}

// lookAtPushes has the ended pushes of a repository looked at before the Step ends: what they wait for may be over.
func (c *Core) lookAtPushes(a int32) {
	for _, i := range c.anns.At(a).Pushes {
		if c.pushes.slab.At(i).ended {
			c.pushes.look = append(c.pushes.look, i)
		}
	}
}

// settlePushes answers the ended pushes whose repository has no check or release out any more, or is gone; one
// that went astray has its repository aligned first (P-04, P-05).
func (c *Core) settlePushes() {
	for k := 0; k < len(c.pushes.look); k++ {
		i := c.pushes.look[k]
		r := c.pushes.slab.At(i)
		ann := c.anns.At(r.ann)
		switch {
		case !r.used || !r.ended:
		case ann.Serial != r.serial:
			c.answerPush(i)
		case ann.Locked || c.checkOut(ann.Group):
		case r.astray && ann.Strayed && c.hasRepo(r.ann):
			c.realign(r.ann)
		default:
			c.answerPush(i)
		}
	}
	c.pushes.look = c.pushes.look[:0]
}

// answerStuck answers the ended pushes of a repository that cannot be set back now: that goes on without them (P-05).
func (c *Core) answerStuck(a int32) {
	for _, i := range slices.Clone(c.anns.At(a).Pushes) {
		if c.pushes.slab.At(i).ended {
			c.answerPush(i)
		}
	}
}

// realign sets a repository back to what is served there, under its lock (ST-08).
func (c *Core) realign(a int32) {
	ann := c.anns.At(a)
	ann.Locked = true
	c.out = append(c.out, c.repoEffect(&ask{kind: askRealign, b: a, repo: ann.Repo}))
}

// checkOut tells whether a local check of the group is outstanding.
func (c *Core) checkOut(g int32) bool {
	return g != purgatory.None && c.groups.At(g).checksOut > 0
}

func (c *Core) answerPush(i int32) {
	r := c.pushes.slab.At(i)
	c.emit(Effect{Kind: EfAnswerPush, Push: r.id, OK: r.ok, Repo: c.anns.At(r.ann).Repo})
	c.forgetPush(i)
}

func (c *Core) forgetPush(i int32) {
	r := c.pushes.slab.At(i)
	delete(c.pushes.byID, r.id)
	if ann := c.anns.At(r.ann); ann.Serial == r.serial {
		if k := slices.Index(ann.Pushes, i); k >= 0 {
			ann.Pushes = slices.Delete(ann.Pushes, k, k+1)
		}
	}
	r.used = false
	r.gen++
	c.pushes.slab.Free(i)
}

// endPushes: after a crash no push goes on. Pins end, and since receive-pack may have got anywhere, all refs that
// pushes named are set back to what they should show (R-03, P-04).
func (c *Core) endPushes() {
	for i := range c.pushes.slab.Items {
		r := &c.pushes.slab.Items[i]
		if !r.used {
			continue
		}
		if !r.ended {
			c.unreservePlaces(r)
		}
		if ann := c.anns.At(r.ann); ann.Serial == r.serial {
			c.unpin(r)
			if c.hasRepo(r.ann) {
				for k := 0; k < len(r.nostr) && !r.ended; k++ {
					c.setRef(r.ann, r.nostr[k].id)
				}
				if r.heads && !ann.Locked {
					c.realign(r.ann)
				}
			}
		}
		c.forgetPush(int32(i))
	}
}
