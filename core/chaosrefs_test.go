package core

import (
	"pgregory.net/rapid"
)

// shownRefs is what a misbehaving driver's repositories have below refs/nostr/: set and removed when an alignment
// is completed, in whatever order, by pushes as far as they got, and gone with their repository.
type shownRefs map[Handle]map[EventID]OID

func (s shownRefs) set(repo Handle, id EventID, o OID) {
	if s[repo] == nil {
		s[repo] = map[EventID]OID{}
	}
	if s[repo][id] = o; o.IsZero() {
		delete(s[repo], id)
	}
}

// carried notes an effect that was carried out.
func (s shownRefs) carried(e Effect, in *Input) {
	switch {
	case in.Class != OK:
	case e.Kind == EfAlignRefs && e.Space == NostrRef && len(e.OIDs) > 0:
		s.set(e.Repo, e.Event, e.OIDs[0])
	case e.Kind == EfAlignRefs && e.Space == NostrRef:
		s.set(e.Repo, e.Event, OID{})
	case e.Kind == EfDeleteRepo, e.Kind == EfDeleteRepoIfNoRefs && !in.HadRefs:
		delete(s, e.Repo)
	}
}

// receive is git moving the refs of a push that was allowed under the lock, all of them or some.
func (x *chaos) receive(p *Push, all bool) {
	i, known := x.c.pushes.byID[p.ID]
	if !known || !x.allowed[p.ID] {
		return
	}
	r := x.c.pushes.slab.At(i)
	if ann := x.c.anns.At(r.ann); r.lapsed || r.ended || ann.Serial != r.serial || !x.c.hasRepo(r.ann) {
		return
	}
	for _, u := range p.Updates {
		if u.Space == NostrRef && (all || rapid.Bool().Draw(x.t, "moved a ref")) {
			x.shown.set(p.Repo.Repo, u.Event, u.New)
		}
	}
}

// judgeShown: when all has come to rest, no repository shows a ref below refs/nostr/ but those of its served PRs.
// // PR-02, PR-03, E-03, R-03
func (x *chaos) judgeShown() {
	for repo, refs := range x.shown {
		a, ok := x.c.annOf[repo]
		if !ok || !x.c.anns.At(a).RepoExists {
			continue // its deletion was asked for, and carried out or lost
		}
		for id, o := range refs {
			if want := x.c.refOf(a, id); want != o {
				x.fail("PR-03: repository %d shows %s under refs/nostr/%x, should show %s", repo, o, id, want)
			}
		}
	}
}

// leftover tells whether a repository shows a ref below refs/nostr/ that is not that of a served PR.
func (x *chaos) leftover(repo Handle) bool {
	a, ok := x.c.annOf[repo]
	for id, o := range x.shown[repo] {
		if loc, known := x.c.where[id]; !ok || !known || !x.c.servedAt(loc) || x.c.refOf(a, id) != o {
			return true
		}
	}
	return false
}
