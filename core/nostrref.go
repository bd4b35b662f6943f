package core

import (
	"slices"

	"graspsync/core/purgatory"
)

// The refs below refs/nostr/ that nobody's release sets: what each should show is known at every instant, and a
// repository is brought there by requests that may be made, lost and made again in any order (PR-03, R-03).

// foundRef is a ref below refs/nostr/ that a repository has at start.
type foundRef struct {
	ann    int32
	id     EventID
	commit OID
}

// refOf is what refs/nostr/<id> of a repository should show: the commit of its PR, of its placeholder, or nothing.
// A held PR has no ref before its data was there once.
func (c *Core) refOf(a int32, id EventID) OID {
	if loc, known := c.where[id]; known {
		if loc.kind != recPR {
			return OID{}
		}
		if pr := c.prs.At(loc.slot); (pr.Status == purgatory.Served || pr.Shown) && names(pr, c.anns.At(a)) {
			return pr.Commit
		}
		return OID{}
	}
	if i, there := c.places.at[placeKey{c.anns.At(a).Repo, id}]; there {
		return c.places.slab.At(i).commit
	}
	return OID{}
}

// setRef has refs/nostr/<id> of a repository set to what it should show, or removed.
func (c *Core) setRef(a int32, id EventID) {
	k := c.askOf(askRef, a)
	k.event, k.a = id, 0
	c.issue(int32(c.request(k).slot()))
}

// clearRef has refs/nostr/<id> of a repository removed, though its event is held: it shows another commit there, or
// its own is not there.
func (c *Core) clearRef(a int32, id EventID) {
	k := c.askOf(askRef, a)
	k.event, k.a = id, 1
	c.issue(int32(c.request(k).slot()))
}

// issueRef fills in the effect of a request that is made now, maybe not for the first time: it says what the ref
// should show now.
func (c *Core) issueRef(k *ask, e *Effect) {
	e.Kind, e.Repo, e.Space = EfAlignRefs, k.repo, NostrRef
	if k.attempt = 0; k.a == 0 && c.repoWanted(k.repo) {
		if oid := c.refOf(c.annOf[k.repo], k.event); !oid.IsZero() {
			e.OIDs, k.attempt = c.keep([]OID{oid}), refMark(oid)
		}
	}
}

// refMark tells one commit from another and from none.
func refMark(o OID) uint32 {
	if o.IsZero() {
		return 0
	}
	return uint32(o.Word()>>32) | 1
}

// refSet takes the completion of setRef and clearRef. A push or a release may have come between: then once more. A
// commit that is not there after all leaves no placeholder, and no ref of a PR that is still held.
func (c *Core) refSet(k ask, class Class) {
	a, ok := c.annOf[k.repo]
	if !ok || !c.anns.At(a).RepoExists {
		return
	}
	want, loc := c.refOf(a, k.event), c.where[k.event]
	_, known := c.where[k.event]
	held := known && loc.kind == recPR && c.prs.At(loc.slot).Status == purgatory.Held
	switch {
	case class == OK:
		if refMark(want) != k.attempt && !(k.a == 1 && held) {
			c.setRef(a, k.event)
		}
	case class != NotOurRef || k.attempt == 0:
		c.retryLater(k)
	case !known:
		if i, there := c.places.at[placeKey{k.repo, k.event}]; there {
			c.endPlace(i)
		}
		c.setRef(a, k.event)
	case held:
		c.clearRef(a, k.event)
	}
}

// takeRefs takes up what a push that ended well has left under refs/nostr/: placeholders, unless the event came
// meanwhile. The event wins: a ref with another commit than its own goes (PR-03). A repeated push of the same
// commit makes the placeholder no younger.
func (c *Core) takeRefs(r *pushRecord) {
	bytes := r.bytes
	for _, x := range r.nostr {
		if loc, known := c.where[x.id]; known {
			if loc.kind == recPR && c.prs.At(loc.slot).Commit == x.commit && names(c.prs.At(loc.slot), c.anns.At(r.ann)) {
				c.prs.At(loc.slot).Shown = true
			} else {
				c.setRef(r.ann, x.id)
			}
			continue
		}
		if c.gone.Has(x.id, c.life()) {
			c.setRef(r.ann, x.id)
			continue
		}
		if i, there := c.places.at[placeKey{c.anns.At(r.ann).Repo, x.id}]; there && c.places.slab.At(i).commit == x.commit {
			continue
		}
		c.places.stamps = append(c.places.stamps, placeStamp{r.from, c.now, bytes})
		c.useSource(r.from, func(u *placeUse) { u.n++; u.bytes += bytes })
		c.placeAt(r.ann, x, r.from, bytes)
		bytes = 0 // one upload, counted once
	}
}

// takeFound takes up the refs found at start, when all is known that is served: one that belongs to no event becomes
// a placeholder with a full lifetime, one that contradicts its event is set right (PR-03, R-07).
func (c *Core) takeFound() {
	for _, x := range c.found {
		loc, known := c.where[x.id]
		if known && loc.kind == recPR && c.prs.At(loc.slot).Commit == x.commit {
			c.prs.At(loc.slot).Shown, c.prs.At(loc.slot).Home = true, c.anns.At(x.ann).Repo
		}
		switch {
		case c.refOf(x.ann, x.id) == x.commit:
		case known || c.gone.Has(x.id, c.life()):
			c.setRef(x.ann, x.id)
		default:
			c.placeAt(x.ann, placePush{x.id, x.commit}, 0, 0)
		}
	}
	c.found = c.found[:0]
}

// hideRefs has the refs of a PR removed that is held no longer. A release in the middle does it itself where it is.
func (c *Core) hideRefs(pr *purgatory.PR) {
	if !pr.Shown {
		return
	}
	pr.Shown = false
	var busy []int32
	if pr.Release > 0 && c.releases.At(pr.Release-1).stage >= aligning {
		busy = c.releases.At(pr.Release - 1).owners
	}
	for i := range pr.Repos {
		a, there := c.annOf[pr.Repos[i].Repo] // also one whose announcement is gone
		if there && c.anns.At(a).RepoExists && names(pr, c.anns.At(a)) && !slices.Contains(busy, a) {
			c.setRef(a, pr.ID)
		}
	}
}

// deletedFirst: the deletion of a PR was here before the event. What was pushed for it goes, and comes in no more
// (DL-01, PR-03).
func (c *Core) deletedFirst(e *Event) {
	if e.Kind != KindPR && e.Kind != KindPRUpdate {
		return
	}
	c.gone.Add(e.ID, e.Author, 0, c.life(), purgatory.Evidence{Kind: purgatory.OfPR, CreatedAt: e.CreatedAt, ID: e.ID})
	for i := range e.Repositories {
		if k, there := c.places.at[placeKey{e.Repositories[i].Repo, e.ID}]; there {
			a := c.places.slab.At(k).ann
			c.endPlace(k)
			c.setRef(a, e.ID)
		}
	}
}
