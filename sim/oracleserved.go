package sim

import (
	"slices"

	"graspsync/core"
)

// What is held is never answered (I-5), and no repository with refs goes by an expiry (I-7).

// withData judges that what goes to the store has its data here. After a crash that is I-15's matter. I-5
func (o *Oracle) withData(e *core.Effect, ev *core.Event) {
	j := &o.repos
	if o.crash.up > 0 || o.crash.down {
		return
	}
	here := func(r *judgedRepo) bool { return r != nil && o.holdsAll(r.repo, ev) }
	switch ev.Kind {
	case core.KindState:
		if len(ev.Refs) > 0 && !slices.ContainsFunc(j.name(ev.Repo.Identifier).repos, here) {
			o.violate("I-5", "state %s goes to the store, but no repository of its name has its objects", e.Event)
		}
	case core.KindPR, core.KindPRUpdate:
		if !slices.ContainsFunc(ev.Repositories, func(c core.Coordinate) bool { return here(j.find(c.Repo)) }) {
			o.violate("I-5", "pull request %s goes to the store, but no repository it names has its commit", e.Event)
		}
	}
}

// notified judges that subscribers are told of nothing that is held. I-5
func (o *Oracle) notified(e *core.Effect) {
	if r := o.held.find(e.Event); r != nil && r.held && !r.storedOK {
		o.violate("I-5", "subscribers are told of event %s, which is held", e.Event)
	}
}

// freshlyHeld judges that what began to be held is not in the store's answers. I-5
func (o *Oracle) freshlyHeld() {
	j := &o.repos
	for _, id := range j.fresh {
		if r := o.held.find(id); r != nil && r.held {
			o.unanswered(r)
		}
	}
	j.fresh = j.fresh[:0]
}

// unanswered judges that a held event is not in the store, unless its release is under way. I-5
func (o *Oracle) unanswered(r *heldRecord) {
	if !r.shown && !r.storedOK && r.storing == 0 && o.repos.has(r.id) {
		r.shown = true
		o.violate("I-5", "event %s is held, but the event store answers with it", r.id)
	}
}

// deleting judges the end of a repository. One with refs may go only when its announcement is neither held nor
// served as one that lists us: deleted or replaced while held, or left behind for its retention. I-7
func (o *Oracle) deleting(e *core.Effect, r *judgedRepo) {
	j := &o.repos
	if e.Kind == core.EfAlignRefs && e.Space == core.NostrRef && len(e.OIDs) == 0 {
		j.clearing = append(j.clearing, clearedRef{e.Repo, e.Event})
	}
	if e.Kind != core.EfDeleteRepo && e.Kind != core.EfDeleteRepoIfNoRefs || len(j.local.Refs(r.repo)) == 0 {
		return
	}
	if e.Kind == core.EfDeleteRepoIfNoRefs {
		cleared := func(ref core.Ref) bool { // by an effect before this one in the same step
			return slices.ContainsFunc(j.clearing, func(x clearedRef) bool {
				return x.repo == r.repo && o.name(ref.Name) == "refs/nostr/"+x.id.String()
			})
		}
		if !slices.ContainsFunc(j.local.Refs(r.repo), func(ref core.Ref) bool { return !cleared(ref) }) {
			return
		}
		j.doomed = append(j.doomed, doomedRepo{r.repo})
		return
	}
	if r.going {
		return // asked for again after a failure, whoever has announced the coordinate meanwhile
	}
	r.going, r.name.erased = true, true
	served := slices.ContainsFunc(r.served, func(x *core.Event) bool {
		r := o.held.find(x.ID)
		return j.has(x.ID) && x.ListsUs && (r == nil || r.storing == 0)
	})
	if r.held != nil || served || r.expired {
		o.violate("I-7", "repository %s is to be deleted with its refs: %s", o.name(r.repo), o.refsText(j.local.Refs(r.repo), 0))
	}
}

// lost judges that a repository with refs outlived a deletion that was for empty ones. I-7
func (o *Oracle) lost() {
	j := &o.repos
	for _, d := range j.doomed {
		if !j.view.Exists(d.repo) {
			o.violate("I-7", "repository %s had refs and was deleted all the same when its announcement expired", o.name(d.repo))
		}
	}
	j.doomed, j.clearing = j.doomed[:0], j.clearing[:0]
}

// shownAtEnd looks once more at everything that is held, and at what waited for a retry.
func (o *Oracle) shownAtEnd() {
	j := &o.repos
	if j.off() {
		return
	}
	for i := range o.held.recs {
		if r := &o.held.recs[i]; r.held && o.held.index[r.id] == int32(i) {
			o.unanswered(r)
		}
	}
	for _, l := range j.later {
		if l.at < o.now {
			j.touch(l.name)
		}
	}
	o.judgeShown()
}
