package core

import (
	"cmp"
	"slices"

	"graspsync/core/purgatory"
)

// How groups come about, merge and fall apart when the announcements of an identifier change, and what becomes of
// their hunts and held events.

// regroup recomputes closures and groups of an identifier after its announcements changed, merging and
// splitting hunts, and files its held events anew.
func (c *Core) regroup(ident int32) {
	id := c.idents.At(ident)
	if id.Stale {
		id.Stale = false
		c.scratch.anns = c.scratch.anns[:0]
		for _, a := range id.Anns {
			c.scratch.anns = append(c.scratch.anns, c.anns.At(a))
		}
		purgatory.Closures(c.scratch.anns, c.cfg.Maintainers)
		c.closures += uint64(len(id.Anns))
		if !(len(id.Anns) == 1 && len(id.Groups) == 1 && slices.Equal(c.groups.At(id.Groups[0]).anns, id.Anns)) {
			c.partition(ident)
		}
	}
	c.refile(ident)
	c.reshow(ident)
}

// authorises tells whether an announcement lets an author speak for its repository, from its cached closure (M-01,
// M-02).
func (c *Core) authorises(ann *purgatory.Announcement, author PubKey) bool {
	c.lookups++
	return ann.Authorises(author)
}

// announcedBy finds an owner's announcement under an identifier, or None; they lie in order of owner.
func (c *Core) announcedBy(id *purgatory.Ident, owner PubKey) int32 {
	if k, ok := c.placeOf(id, owner); ok {
		return id.Anns[k]
	}
	return purgatory.None
}

func (c *Core) placeOf(id *purgatory.Ident, owner PubKey) (int, bool) {
	return slices.BinarySearchFunc(id.Anns, owner, func(a int32, key PubKey) int { return c.anns.At(a).Owner.Compare(key) })
}

// partition finds the groups of mutually listed owners and gives each the hunt it inherits: of several
// the lowest id survives; where a group falls apart, the hunt stays with its target's owner.
func (c *Core) partition(ident int32) {
	id := c.idents.At(ident)
	old := slices.Clone(id.Groups)
	var sets [][]int32
	setOf := make([]int, len(id.Anns)) // by place in id.Anns
	for k, a := range id.Anns {
		ann := c.anns.At(a)
		setOf[k] = len(sets)
		for _, m := range ann.Closure { // whoever shares a set with it is in its closure
			if b, ok := c.placeOf(id, m); ok && b < k && setOf[b] < setOf[k] && purgatory.Mutual(c.anns.At(sets[setOf[b]][0]), ann) {
				setOf[k] = setOf[b]
			}
		}
		if setOf[k] == len(sets) {
			sets = append(sets, nil)
		}
		sets[setOf[k]] = append(sets[setOf[k]], a)
	}
	heir := func(g int32) int { // which set inherits an old group
		o := c.groups.At(g)
		keep := purgatory.None
		if len(o.repos) > 0 && o.phase != idle {
			keep = o.repos[0]
		} else if len(o.anns) > 0 {
			keep = o.anns[0]
		}
		if keep != purgatory.None {
			if k, ok := c.placeOf(id, c.anns.At(keep).Owner); ok && id.Anns[k] == keep {
				return setOf[k]
			}
		}
		first := -1
		for _, a := range o.anns { // its keeper is gone: the first set with a member of it
			if k, ok := c.placeOf(id, c.anns.At(a).Owner); ok && id.Anns[k] == a && c.anns.At(a).Group == g && (first < 0 || setOf[k] < first) {
				first = setOf[k]
			}
		}
		return first
	}
	claims := make([][]int32, len(sets))
	for _, g := range old {
		if i := heir(g); i >= 0 {
			claims[i] = append(claims[i], g)
		} else {
			c.groups.At(g).anns = c.groups.At(g).anns[:0]
		}
	}
	for i, set := range sets {
		survivor, fresh := purgatory.None, false
		for _, g := range claims[i] {
			if o := c.groups.At(g); survivor == purgatory.None || o.id != 0 &&
				(c.groups.At(survivor).id == 0 || o.id < c.groups.At(survivor).id) {
				survivor = g
			}
		}
		if survivor == purgatory.None {
			survivor, fresh = c.newGroup(ident), true
		}
		for _, g := range claims[i] {
			if g != survivor {
				c.merge(g, survivor)
			}
		}
		o := c.groups.At(survivor)
		o.anns = append(o.anns[:0], set...)
		for _, a := range set {
			c.anns.At(a).Group = survivor
			c.rank(location{recAnnouncement, a})
			c.lookAtPushes(a)
		}
		if fresh {
			o.activity = c.now
		}
	}
}

// merge moves everything of group from into group to: the hunt with the lower id goes on, the other's
// passes finish as guests, and of two passes on one URL the younger is cancelled.
func (c *Core) merge(from, to int32) {
	f, t := c.groups.At(from), c.groups.At(to)
	if f.phase != idle {
		c.dropTickets(from)
		f.phase = idle
		c.attempts--
		f.rerun = min(f.rerun, c.now)
		c.report(RepAttemptEnded, Effect{Hunt: f.id, Attempt: f.attempt, Deadline: Never})
	}
	next := min(f.next, f.rerun)
	if f.id != 0 {
		t.count = min(t.count, f.count)
		t.activity = max(t.activity, f.activity)
		t.synced = t.synced && f.synced
		if t.phase != idle {
			t.rerun = min(t.rerun, next)
		} else if next != Never {
			c.armStart(to, min(t.next, c.gridUp(max(next, c.now))))
		}
		c.report(RepHuntMerged, Effect{Hunt: f.id, Into: t.id})
	}
	for w := range f.waves {
		for _, ps := range f.waves[w].running {
			p := c.passes.At(ps)
			p.group, p.hunt = to, t.id
			younger := purgatory.None
			for _, other := range t.waves[w].running {
				if o := c.passes.At(other); o.url == p.url {
					if younger = ps; o.serial > p.serial {
						younger = other
					}
				}
			}
			t.waves[w].running = append(t.waves[w].running, ps)
			if younger != purgatory.None {
				c.cancel(younger)
			}
		}
		f.waves[w].running = f.waves[w].running[:0]
	}
	c.endHunt(from)
	f.anns = f.anns[:0] // its states and PRs are filed anew by refile
	c.touch(to)
}

// refile files the held events of an identifier under the groups they concern now and brings each
// group's wants up to date. A group that gains work without a hunt gets one at +500 ms.
func (c *Core) refile(ident int32) {
	id := c.idents.At(ident)
	c.scratch.slots = c.scratch.slots[:0]
	for _, g := range id.Groups {
		c.scratch.slots = append(c.scratch.slots, c.groups.At(g).states...)
		c.clearStates(g)
	}
	states := c.scratch.slots
	slices.SortFunc(states, func(a, b int32) int { return cmp.Compare(c.states.At(a).Serial, c.states.At(b).Serial) })
	states = slices.Compact(states)
	for _, s := range states {
		c.fileState(s)
	}
	for _, s := range states {
		if st := c.states.At(s); st.Status == purgatory.Held && len(st.Groups) == 0 {
			c.disown(s) // no announcement authorises it any more (DL-02, AN-05, I-11)
		}
	}
	c.refilePRs(ident)
	for i := 0; i < len(id.Groups); {
		g := id.Groups[i]
		o := c.groups.At(g)
		c.refreshRepos(g)
		c.recount(g)
		c.refreshWants(g)
		c.refreshSources(g)
		if o.active > 0 && o.id == 0 && c.hasHunt(g) {
			c.wake(g, c.cfg.SyncedDelay, c.onlySynced(o))
		}
		c.touch(g)
		if c.dropGroupIfEmpty(g); o.used {
			i++
		}
	}
}

// fileState puts a held state into the groups it concerns: its author's, and every group in whose
// owners' closure the author is.
func (c *Core) fileState(s int32) {
	st := c.states.At(s)
	st.Groups = st.Groups[:0]
	for _, a := range c.idents.At(st.Ident).Anns {
		ann := c.anns.At(a)
		if c.authorises(ann, st.Author) && !slices.Contains(st.Groups, ann.Group) {
			st.Groups = append(st.Groups, ann.Group)
			c.joinState(ann.Group, s)
		}
	}
	c.rank(location{recState, s})
}

// refilePRs does the same for the PRs that name repositories of the identifier.
func (c *Core) refilePRs(ident int32) {
	id := c.idents.At(ident)
	moved := c.scratch.victims[:0]
	for _, g := range id.Groups {
		moved = append(moved, c.groups.At(g).prs...)
		c.clearPRs(g)
	}
	c.scratch.victims = moved
	if len(moved) == 0 {
		return
	}
	slices.SortFunc(moved, func(a, b int32) int { return cmp.Compare(c.prs.At(a).Serial, c.prs.At(b).Serial) })
	moved = slices.Compact(moved)
	for _, p := range moved {
		pr := c.prs.At(p)
		pr.Groups = slices.DeleteFunc(pr.Groups, func(g int32) bool { return c.groups.At(g).ident == ident })
		for _, a := range id.Anns {
			ann := c.anns.At(a)
			if names(pr, ann) && !slices.Contains(pr.Groups, ann.Group) {
				pr.Groups = append(pr.Groups, ann.Group)
				c.joinPR(ann.Group, p)
			}
		}
		c.rank(location{recPR, p})
	}
}

// names tells whether a PR is addressed to an announcement's repository (PR-01).
func names(pr *purgatory.PR, ann *purgatory.Announcement) bool {
	for i := range pr.Repos {
		if pr.Repos[i].Owner == ann.Owner && pr.Repos[i].Repo == ann.Repo {
			return true
		}
	}
	return false
}
