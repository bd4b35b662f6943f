package core

import (
	"slices"

	"graspsync/core/purgatory"
)

// What a repository shows follows from the closure of its owner and from what is served (ST-07). Both change
// without a release: an announcement comes or widens its closure, a repository is made late, a served state
// is deleted. Then the objects of the owner's latest served state are copied to its repository and its refs
// aligned, under the same lock as a release.

// reshow marks an identifier: before the Step ends its repositories are compared with what they should show.
func (c *Core) reshow(ident int32) {
	if !slices.Contains(c.showing, ident) {
		c.showing = append(c.showing, ident)
	}
}

// showMarked looks at the marked identifiers and tells whether there was one.
func (c *Core) showMarked() bool {
	if len(c.showing) == 0 {
		return false
	}
	list := c.showing
	c.showing = c.scratch.showing[:0] // what is marked meanwhile goes to the other list
	for _, i := range list {
		anns := append(c.scratch.shown[:0], c.idents.At(i).Anns...)
		for _, a := range anns {
			c.show(a)
		}
		c.scratch.shown = anns
	}
	c.scratch.showing = list
	return true
}

// latestServed is the latest served state authorised for an owner (ST-07), or None.
func (c *Core) latestServed(ann *purgatory.Announcement) int32 {
	best := purgatory.None
	look := func(author PubKey) {
		for _, s := range c.servedBy(c.idents.At(ann.Ident), author) {
			x := c.states.At(s)
			if !x.Unsatisfied && (best == purgatory.None || purgatory.Newer(x.CreatedAt, x.ID, c.states.At(best).CreatedAt, c.states.At(best).ID)) {
				best = s
			}
		}
	}
	c.lookups++
	if len(ann.Closure) == 0 {
		look(ann.Owner)
	}
	for _, m := range ann.Closure { // the owner is in it
		look(m)
	}
	return best
}

// servedBy are the served states of an author under an identifier; they lie in order of author. One, but for what a
// driver tells twice at start.
func (c *Core) servedBy(id *purgatory.Ident, author PubKey) []int32 {
	first, _ := c.placeServed(id, author)
	last := first
	for last < len(id.Served) && c.states.At(id.Served[last]).Author == author {
		last++
	}
	return id.Served[first:last]
}

func (c *Core) placeServed(id *purgatory.Ident, author PubKey) (int, bool) {
	return slices.BinarySearchFunc(id.Served, author, func(s int32, key PubKey) int { return c.states.At(s).Author.Compare(key) })
}

// fileServed puts a state among the served ones.
func (c *Core) fileServed(id *purgatory.Ident, s int32) {
	at, _ := c.placeServed(id, c.states.At(s).Author)
	id.Served = slices.Insert(id.Served, at, s)
}

// show begins to set one repository to its owner's latest served state, if it shows another and nothing else
// is going on there. Without such a state the refs stay as they are.
func (c *Core) show(a int32) {
	ann := c.anns.At(a)
	if c.stopping || ann.Status == purgatory.Free || !c.hasRepo(a) || ann.Unlisted || ann.Locked || ann.Doomed != 0 || ann.ShowLater {
		return
	}
	s := c.latestServed(ann)
	if s == purgatory.None {
		return
	}
	if s == ann.Applied {
		c.promoteShown(a)
		return
	}
	from, known := c.sourceOf(a, s)
	if !known {
		return // where its objects are is not known: nothing to copy from
	}
	ann.Locked, ann.Showing = true, s
	c.states.At(s).Applied++
	if from == ann.Repo {
		c.shown(a)
		return
	}
	k := c.askOf(askShow, a)
	k.event, k.repo = c.states.At(s).ID, from
	c.out = append(c.out, c.repoEffect(&k))
}

// sourceOf names a repository that has a served state's objects: the one at hand if it is known to, else one
// that shows it, else the one it was released from.
func (c *Core) sourceOf(a, s int32) (Handle, bool) {
	ann, st := c.anns.At(a), c.states.At(s)
	if st.Home == ann.Repo || !slices.ContainsFunc(st.Refs, func(r Ref) bool { return !r.Symbolic }) {
		return ann.Repo, true
	}
	home := false
	for _, b := range c.idents.At(ann.Ident).Anns {
		x := c.anns.At(b)
		if !x.RepoExists || x.Status == purgatory.Expiring {
			continue // an unlisted one has its objects still
		}
		if x.Applied == s || x.Applied != purgatory.None && sameRefs(c.states.At(x.Applied).Refs, st.Refs) {
			return x.Repo, true // two authors may have said the same
		}
		home = home || x.Repo == st.Home
	}
	if b, kept := c.annOf[st.Home]; kept && !home { // its announcement was deleted, the repository is there for its retention (DL-02)
		home = c.anns.At(b).RepoExists && c.anns.At(b).Status != purgatory.Expiring
	}
	return st.Home, home
}

// showCopied goes on when the objects are there; a failure frees the repository and is tried again later.
func (c *Core) showCopied(k ask, class Class) {
	ann := c.anns.At(k.b)
	if k.retry || ann.Showing == purgatory.None {
		return
	}
	if class == OK && slices.Contains(c.idents.At(ann.Ident).Served, ann.Showing) {
		c.shown(k.b)
		return
	}
	c.unshow(k.b)
	if class != OK {
		ann.ShowLater = true
		c.retryLater(k)
	}
	c.unlock(k.b)
}

// shown takes the state as the repository's own and aligns the refs to it.
func (c *Core) shown(a int32) {
	ann := c.anns.At(a)
	s := ann.Showing
	ann.Showing = purgatory.None
	c.unapply(a)
	ann.Applied = s // its count goes over from Showing
	c.out = append(c.out, c.repoEffect(&ask{kind: askRealign, b: a, repo: ann.Repo}))
}

func (c *Core) unshow(a int32) {
	ann := c.anns.At(a)
	s := ann.Showing
	ann.Showing = purgatory.None
	c.states.At(s).Applied--
	c.freeServed(s)
}

// showAgain: a copy that failed is due for its next try.
func (c *Core) showAgain(k ask) {
	c.closeAsk(k.id)
	if ann := c.anns.At(k.b); ann.Serial == k.serial {
		ann.ShowLater = false
		c.reshow(ann.Ident)
	}
}
