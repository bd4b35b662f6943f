package core

import (
	"slices"

	"graspsync/core/pq"
	"graspsync/core/purgatory"
)

// The repositories of announcements: made, found to be empty, deleted (AN-04, E-04).

// createRepo asks for the bare repository, unless it is there or asked for.
func (c *Core) createRepo(a int32) {
	ann := c.anns.At(a)
	if ann.RepoExists || ann.RepoAsked {
		return
	}
	ann.RepoAsked = true
	if ann.Group != purgatory.None {
		c.recount(ann.Group)
		c.touch(ann.Group)
	}
	if c.deleting[ann.Repo] > 0 {
		return // made when the old one is gone
	}
	c.emit(Effect{Kind: EfCreateRepo, Repo: ann.Repo, Ask: c.request(c.askOf(askCreate, a))})
}

func (c *Core) onRepoCreated(in *Input) {
	k, ok := c.take(in.Ask, askCreate)
	if !ok {
		return
	}
	ann := c.anns.At(k.b)
	if ann.Serial != k.serial || !ann.RepoAsked {
		if in.Class == OK && !c.repoWanted(k.repo) {
			// Made after its announcement expired or went: not left behind (I-7).
			k.kind = askDelete
			c.emit(Effect{Kind: EfDeleteRepoIfNoRefs, Repo: k.repo, Ask: c.request(k)})
			c.deleting[k.repo]++
		}
		return
	}
	if in.Class != OK {
		c.retryLater(k)
		return
	}
	ann.RepoAsked, ann.RepoExists = false, true
	c.refresh(ann.Group)
	c.reshow(ann.Ident)
}

// repoWanted tells whether an announcement has the repository or has asked for it.
func (c *Core) repoWanted(repo Handle) bool {
	a, ok := c.annOf[repo]
	return ok && (c.anns.At(a).RepoExists || c.anns.At(a).RepoAsked)
}

// onRepoDeleted: deleted makes it soft-expired; refs found make it active again until its placeholders'
// end or 30 min from now; a failure is tried again (E-04).
func (c *Core) onRepoDeleted(in *Input) {
	k, ok := c.takeAny(in.Ask, askDelete, askErase)
	if !ok {
		return
	}
	if in.Class != OK && (k.kind == askErase || !c.repoWanted(k.repo)) {
		c.retryLater(k)
		return
	}
	if c.deleting[k.repo]--; c.deleting[k.repo] <= 0 {
		delete(c.deleting, k.repo)
	}
	ann := c.anns.At(k.b)
	if ann.Serial != k.serial || ann.Status != purgatory.Expiring {
		c.recreate(k.repo)
		return
	}
	if in.Class != OK { // it stays active until the next try (E-04)
		ann.Status = purgatory.Held
		ann.Gen++
		c.timers[tAnn].arm(pq.Entry{At: int64(c.life() + c.cfg.BackoffBase), ID: uint32(k.b), Gen: ann.Gen})
		if c.waitsForRepo(ann) {
			c.extendAnnouncement(k.b) // a state came meanwhile (E-05)
		}
		c.refresh(ann.Group)
		return
	}
	if in.HadRefs {
		ann.Status = purgatory.Held
		// Placeholders may be anybody's: they must not have it end before what else is there lets it (I-11).
		if ann.Deadline = c.lastPlace(k.b); ann.Deadline <= c.life() || c.showsHeldPR(k.b) {
			ann.Deadline = c.life() + c.cfg.Lifetime
		}
		if c.waitsForRepo(ann) { // a state came meanwhile (E-05)
			ann.Deadline = max(ann.Deadline, c.life()+c.cfg.Lifetime)
		}
		c.armAnnouncement(k.b)
		c.report(RepExtended, Effect{Event: ann.ID, Deadline: ann.Deadline - c.offset})
		c.refresh(ann.Group)
		return
	}
	ann.RepoExists = false
	c.softExpire(k.b)
}

// showsHeldPR tells whether a repository has the ref of a held pull request.
func (c *Core) showsHeldPR(a int32) bool {
	return slices.ContainsFunc(c.prsNaming(a), func(p int32) bool { return c.prs.At(p).Shown && c.prs.At(p).Status != purgatory.Served })
}

// recreate makes the repository of an announcement that came while the coordinate's old one was being
// deleted.
func (c *Core) recreate(repo Handle) {
	if a, ok := c.annOf[repo]; ok && c.anns.At(a).RepoAsked && !c.anns.At(a).RepoExists {
		c.anns.At(a).RepoAsked = false
		c.createRepo(a)
	}
}
