package core

import (
	"slices"

	"graspsync/core/purgatory"
)

// Pull requests by the repositories they name, held and served ones, so that an announcement that comes or is
// promoted finds them without a look at all others (S-01).

// indexPR files a PR under each repository it names.
func (c *Core) indexPR(p int32) {
	pr := c.prs.At(p)
	pr.Filed = pr.Filed[:0]
	for i := range pr.Repos {
		list := c.prsAt[pr.Repos[i].Repo]
		pr.Filed = append(pr.Filed, int32(len(list)))
		c.prsAt[pr.Repos[i].Repo] = append(list, p)
	}
}

// unindexPR takes a PR out again; the last one of each list takes its place there.
func (c *Core) unindexPR(p int32) {
	pr := c.prs.At(p)
	for i := range pr.Repos {
		repo := pr.Repos[i].Repo
		list := c.prsAt[repo]
		at, last := pr.Filed[i], int32(len(list)-1)
		moved := c.prs.At(list[last])
		for k := range moved.Repos {
			if moved.Repos[k].Repo == repo && moved.Filed[k] == last {
				moved.Filed[k] = at
				break
			}
		}
		list[at] = list[last]
		if last == 0 {
			delete(c.prsAt, repo)
		} else {
			c.prsAt[repo] = list[:last]
		}
	}
	pr.Filed = pr.Filed[:0]
}

// prsNaming are the PRs that name the repository of an announcement, in the order of their slots.
func (c *Core) prsNaming(a int32) []int32 {
	list := slices.Clone(c.prsAt[c.anns.At(a).Repo])
	slices.Sort(list)
	return slices.DeleteFunc(slices.Compact(list), func(p int32) bool { return !names(c.prs.At(p), c.anns.At(a)) })
}

// showPRs brings the refs of served PRs to a repository whose announcement is served from now on: it is a
// relevant one of theirs only now (PR-02).
func (c *Core) showPRs(a int32) {
	for _, p := range c.prsNaming(a) {
		if c.prs.At(p).Status == purgatory.Served {
			c.bringRef(a, p)
		}
	}
}

// showElsewhere brings the ref of a PR that is served now to those of its repositories that were not relevant when
// its release began.
func (c *Core) showElsewhere(p int32, owners []int32) {
	pr := c.prs.At(p)
	for i := range pr.Repos {
		a := c.announcementOf(pr.Repos[i].Identifier, pr.Repos[i].Owner)
		if a != purgatory.None && c.anns.At(a).Status == purgatory.Served && !slices.Contains(owners, a) {
			c.bringRef(a, p)
		}
	}
}

// bringRef has the commit of a served PR copied to one of its repositories from the one it was released from, for its ref
// to be set; the repository may be there although its announcement is gone (DL-02).
func (c *Core) bringRef(a, p int32) {
	pr := c.prs.At(p)
	if !c.hasRepo(a) {
		return
	}
	if pr.Home == c.anns.At(a).Repo {
		c.setRef(a, pr.ID)
		return
	}
	if b, kept := c.annOf[pr.Home]; kept && c.anns.At(b).RepoExists && c.anns.At(b).Status != purgatory.Expiring {
		k := c.askOf(askBring, a)
		k.event, k.repo = pr.ID, pr.Home
		c.issue(int32(c.request(k).slot()))
	}
}

// brought takes the completion of a copy that showPRs asked for.
func (c *Core) brought(k ask, class Class) {
	switch {
	case c.anns.At(k.b).Serial != k.serial || !c.hasRepo(k.b):
	case class == OK:
		c.setRef(k.b, k.event)
	case c.refOf(k.b, k.event).IsZero(): // the PR is gone
	default:
		c.retryLater(k)
	}
}

// issueBring fills in the effect of a copy for showPRs.
func (c *Core) issueBring(k *ask, e *Effect) {
	e.Kind, e.Repo, e.From = EfCopyObjects, c.anns.At(k.b).Repo, k.repo
	if loc, known := c.where[k.event]; known && loc.kind == recPR && c.anns.At(k.b).Serial == k.serial {
		e.OIDs = c.keep([]OID{c.prs.At(loc.slot).Commit})
	}
}
