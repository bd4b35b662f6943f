package core

import (
	"slices"

	"graspsync/core/pq"
	"graspsync/core/purgatory"
)

// admitPR takes a 1618 or 1619: it concerns every accepted repository it names (PR-01, Q-13).
func (c *Core) admitPR(in *Input) {
	e := in.Event
	if e.Commit.IsZero() {
		c.answer(e.ID, false, textNoCommit)
		return
	}
	if !c.namesHere(e) {
		c.answer(e.ID, false, textNoRepo)
		return
	}
	if !c.roomForEvent(in) || !c.namesHere(e) {
		c.answer(e.ID, false, textFull)
		return
	}
	for i := range e.Repositories {
		a := c.announcementOf(e.Repositories[i].Identifier, e.Repositories[i].Owner)
		switch {
		case a == purgatory.None:
		case !c.sourceRoom(in, c.anns.At(a).Group):
			c.answer(e.ID, false, textSourceHunts)
			return
		case !c.huntRoom(c.anns.At(a).Group):
			c.answer(e.ID, false, textFull)
			return
		}
	}
	p := c.prs.New()
	pr := c.prs.At(p)
	c.serial++
	*pr = purgatory.PR{Status: purgatory.Held, Synced: in.Origin == FromSync, Gen: pr.Gen, ID: e.ID, Author: e.Author,
		CreatedAt: e.CreatedAt, Deadline: c.life() + c.cfg.Lifetime, Commit: e.Commit,
		Repos: append(pr.Repos[:0], e.Repositories...), Filed: pr.Filed[:0], URLs: pr.URLs[:0], Groups: pr.Groups[:0], Serial: c.serial,
		Size: e.Size, Mentions: append(pr.Mentions[:0], e.Mentions...)}
	c.mention(e.Mentions, 1)
	urls := c.openURLs(pr.URLs, e.Sources)
	c.prs.At(p).URLs = urls
	c.where[e.ID] = location{recPR, p}
	c.indexPR(p)
	c.authors.hold(&c.prs.At(p).AuthorSlot, e.Author)
	c.moveIn(location{recPR, p}, in)
	c.addHeld(e.Size)
	pr.Gen++
	c.timers[tPR].arm(pq.Entry{At: int64(pr.Deadline), ID: uint32(p), Gen: pr.Gen})
	hunt := HuntID(0)
	for i := range e.Repositories {
		a := c.announcementOf(e.Repositories[i].Identifier, e.Repositories[i].Owner)
		if a == purgatory.None {
			continue
		}
		if c.freshSource(c.anns.At(a).Group, pr.URLs) {
			c.liftFor(c.anns.At(a), purgatory.Evidence{}, true)
		}
		if g := c.anns.At(a).Group; !slices.Contains(pr.Groups, g) {
			pr.Groups = append(pr.Groups, g)
			c.joinPR(g, p)
		}
	}
	c.admitting = append(c.admitting[:0], pr.Groups...)
	for _, g := range pr.Groups {
		c.recount(g)
		c.wantedBy(g, in)
		c.wake(g, c.delay(in.Origin), in.Origin == FromSync)
		if hunt == 0 {
			hunt = c.groups.At(g).id
		}
	}
	c.admitting = c.admitting[:0]
	c.held(e.ID, hunt, pr.Deadline, false)
	c.mergePlaces(p)
	for _, g := range pr.Groups {
		c.refreshWants(g)
		if len(pr.URLs) > 0 {
			c.refreshSources(g)
		}
		c.touch(g)
	}
}

// adoptPRs files the held PRs that name a repository under it when its first announcement comes: they were
// held for another one they name.
func (c *Core) adoptPRs(a int32) {
	g := c.anns.At(a).Group
	for _, p := range c.prsNaming(a) {
		pr := c.prs.At(p)
		if pr.Status != purgatory.Held && pr.Status != purgatory.Releasing || slices.Contains(pr.Groups, g) {
			continue
		}
		pr.Groups = append(pr.Groups, g)
		c.joinPR(g, p)
		c.refreshWants(g)
		c.refreshSources(g)
		origin := FromClient
		if pr.Synced {
			origin = FromSync
		}
		c.wake(g, c.delay(origin), pr.Synced)
		c.touch(g)
	}
}

// prDue is stateDue for PRs (E-01, E-02).
func (c *Core) prDue(p int32) {
	pr := c.prs.At(p)
	if pr.Status == purgatory.Releasing && c.storing(pr.Release) {
		c.setPROverdue(p, true)
		return
	}
	if !pr.Overdue && (pr.Status == purgatory.Releasing || slices.ContainsFunc(pr.Groups, c.passRuns)) {
		c.setPROverdue(p, true)
		pr.Gen++
		c.timers[tPR].arm(pq.Entry{At: int64(pr.Deadline + c.cfg.StallLimit + c.cfg.KillGrace), ID: uint32(p), Gen: pr.Gen})
		for _, g := range pr.Groups {
			c.refreshWants(g)
			c.touch(g)
		}
		return
	}
	c.expirePR(p)
}

func (c *Core) expirePR(p int32) {
	pr := c.prs.At(p)
	if len(pr.Repos) > 0 {
		at := max(0, slices.IndexFunc(pr.Repos, func(r Coordinate) bool { // evidence comes for a repository that is here
			return c.announcementOf(r.Identifier, r.Owner) != purgatory.None
		}))
		c.expired.Add(pr.ID, pr.Repos[at].Owner, pr.Repos[at].Identifier, c.life(),
			purgatory.Evidence{Kind: purgatory.OfPR, CreatedAt: pr.CreatedAt, ID: pr.ID})
	}
	c.endPR(p, RepEndedExpired)
}

// endPR ends the residence of a held PR and forgets it (I-16).
func (c *Core) endPR(p int32, why ReportKind) {
	pr := c.prs.At(p)
	c.report(why, Effect{Event: pr.ID})
	c.abandon(pr.Release)
	delete(c.where, pr.ID)
	c.hideRefs(pr)
	pr.Status = purgatory.Free
	c.unfilePR(p)
	c.unindexPR(p)
	c.prs.Free(p)
}

// servePR ends the residence of a PR as released: what is kept of it is what a later push or deletion asks for.
func (c *Core) servePR(p int32) {
	pr := c.prs.At(p)
	c.report(RepEndedReleased, Effect{Event: pr.ID})
	pr.Status = purgatory.Served
	c.unfilePR(p)
}

// unfilePR takes a PR out of purgatory's indexes; its record stays.
func (c *Core) unfilePR(p int32) {
	pr := c.prs.At(p)
	c.subHeld(pr.Size)
	c.mention(pr.Mentions, -1)
	pr.Mentions = pr.Mentions[:0]
	pr.Gen++
	c.moveOut(location{recPR, p})
	c.authors.release(pr.AuthorSlot)
	for _, g := range pr.Groups {
		c.leavePR(g, p)
		c.refreshWants(g)
		if len(pr.URLs) > 0 {
			c.refreshSources(g)
		}
		c.touch(g)
	}
	c.closeURLs(pr.URLs)
	pr.URLs, pr.Groups = pr.URLs[:0], pr.Groups[:0]
}

// freshSource tells whether a pull request brings the group a clone URL that it does not know (E-03).
func (c *Core) freshSource(g int32, urls []int32) bool {
	o := c.groups.At(g)
	return slices.ContainsFunc(urls, func(u int32) bool {
		return len(o.prsAt(u)) == 0 && !slices.ContainsFunc(o.anns, func(a int32) bool { return slices.Contains(c.anns.At(a).URLs, u) })
	})
}
