package core

import (
	"cmp"
	"slices"

	"graspsync/core/purgatory"
)

// Which held events can leave purgatory now, in which order, and which repositories they concern (ST-05, ST-07,
// PR-02, PR-04).

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
		if ann := c.anns.At(a); c.hasRepo(a) && !ann.Unlisted && c.authorises(ann, st.Author) && c.latestFor(ann, st) {
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
		return x != st && !x.Unsatisfied && c.authorises(ann, x.Author) && purgatory.Newer(x.CreatedAt, x.ID, st.CreatedAt, st.ID)
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
