package core

import (
	"errors"
	"slices"

	"graspsync/core/budget"
	"graspsync/core/purgatory"
)

// restored is a core whose records were read and are not yet trusted: which slots are in use, and the counts
// that the records themselves give, to be held against those that were read.
type restored struct {
	*Core
	ident, ann, state, pr, group, url, author, pass, ask, release, push, pended, shadow, place []bool

	urlRefs, heldBy, huntsBy, applied, heldUnder, checks []int32
	bytes                                                int64
	err                                                  error
}

// rebuild makes maps, calendar and counts from the records that were read and refuses records that
// contradict each other: whatever a slot refers to must be there, and each count be true, so that nothing
// read can lead a later Step astray (T-05). Check then judges the rules.
func (c *Core) rebuild() error {
	r := &restored{Core: c, ident: c.idents.InUse(), ann: c.anns.InUse(), state: c.states.InUse(), pr: c.prs.InUse(),
		group: c.groups.InUse(), url: c.urls.InUse(), author: c.authors.slab.InUse(), pass: c.passes.InUse(), ask: c.asks.InUse(),
		release: c.releases.InUse(), push: c.pushes.slab.InUse(), pended: c.pending.InUse(), shadow: c.shadows.InUse(), place: c.places.slab.InUse()}
	r.urlRefs, r.heldBy, r.huntsBy = make([]int32, len(r.url)), make([]int32, len(r.author)), make([]int32, len(r.author))
	r.applied, r.heldUnder, r.checks = make([]int32, len(r.state)), make([]int32, len(r.ident)), make([]int32, len(r.group))
	for _, part := range [...]func(){r.judgeTimers, r.judgeIdentifiers, r.judgeURLs, r.judgeAuthors, r.judgeAnnouncements, r.judgePending, r.judgeSourcesOfEvents,
		r.judgeHeldStates, r.judgeHeldPRs, r.judgeRequests, r.judgeGroups, r.judgeResidents, r.judgePasses, r.judgeReleases, r.judgePushes, r.judgePlaces, r.judgeCounts} {
		if part(); r.err != nil {
			return r.err
		}
	}
	return nil
}

// must notes the first thing that is not so; what it is about is named only then.
func (r *restored) must(ok bool, what string, i int, why string) bool {
	if !ok && r.err == nil {
		r.err = errors.New(what + " " + num(i) + " " + why)
	}
	return ok
}

func has(used []bool, i int32) bool { return i >= 0 && int(i) < len(used) && used[i] }

func all(used []bool, list []int32) bool {
	return !slices.ContainsFunc(list, func(i int32) bool { return !has(used, i) })
}

// some is has, or no slot at all.
func some(used []bool, i int32) bool { return i == purgatory.None || has(used, i) }

func within[T any](s *purgatory.Slab[T], i int32) bool { return i >= 0 && int(i) < len(s.Items) }

func (r *restored) judgeTimers() {
	slots := [numTimerClasses]int{len(r.state), len(r.pr), len(r.place), len(r.ann), len(r.ask), len(r.push), len(r.pass), len(r.group)}
	for k := range r.timers {
		t := &r.timers[k]
		for i := range t.lane.Len() {
			r.must(int64(t.lane.At(i).ID) < int64(slots[k]), "deadline", i, "of class "+num(k)+" is nobody's")
		}
		for i := range t.far {
			r.must(int64(t.far[i].ID) < int64(slots[k]), "far deadline", i, "of class "+num(k)+" is nobody's")
		}
	}
}

func (r *restored) judgeIdentifiers() {
	for i := range r.idents.Items {
		if !r.ident[i] {
			continue
		}
		id := &r.idents.Items[i]
		_, twice := r.identOf[id.Handle]
		r.must(!twice, "identifier", i, "has the name of another")
		r.identOf[id.Handle] = int32(i)
		if r.must(all(r.ann, id.Anns) && all(r.group, id.Groups) && all(r.state, id.Served), "identifier", i, "lists what is not there") {
			r.must(slices.IsSortedFunc(id.Anns, func(a, b int32) int { return r.anns.At(a).Owner.Compare(r.anns.At(b).Owner) }) &&
				slices.IsSortedFunc(id.Served, func(a, b int32) int { return r.states.At(a).Author.Compare(r.states.At(b).Author) }),
				"identifier", i, "lists announcements or states out of order")
		}
	}
}

func (r *restored) judgeURLs() {
	refs := make([]int32, r.budget.Slots())
	for i := range r.urls.Items {
		if !r.url[i] {
			continue
		}
		u := &r.urls.Items[i]
		_, twice := r.urlOf[u.url]
		if r.must(!twice && r.budget.IsDomain(u.dom) && r.budget.Handle(u.dom) == u.domain, "URL", i, "is there twice or of no domain") {
			r.urlOf[u.url] = int32(i)
			refs[u.dom]++
		}
	}
	var permits []*budget.Permit
	for i := range r.passes.Items {
		if r.pass[i] {
			permits = append(permits, &r.passes.Items[i].permit)
		}
	}
	if r.err == nil {
		r.err = r.budget.AdoptPermits(permits, refs)
	}
}

func (r *restored) judgeAuthors() {
	for i := range r.authors.slab.Items {
		if r.author[i] {
			u := r.authors.at(int32(i))
			key := u.key
			u.first, u.last = purgatory.None, purgatory.None
			_, twice := r.authors.byKey[key]
			r.must(!twice, "author", i, "is there twice")
			r.authors.byKey[key] = int32(i)
		}
	}
}

func (r *restored) index(id EventID, l location) {
	_, twice := r.where[id]
	r.must(!twice, "event "+id.String()+" in slot", int(l.slot), "is there twice")
	r.where[id] = l
}

func (r *restored) addURLs(urls []int32, what string, i int) {
	if r.must(all(r.url, urls), what, i, "names a URL that is not there") {
		for _, u := range urls {
			r.urlRefs[u]++
		}
	}
}

func (r *restored) judgeAnnouncements() {
	const what = "announcement"
	orphans, shadows := make([]int32, len(r.ident)), 0
	for i := range r.anns.Items {
		a := &r.anns.Items[i]
		r.must(r.ann[i] == (a.Status != purgatory.Free), what, i, "is free and in use")
		if !r.ann[i] || r.err != nil {
			continue
		}
		if _, twice := r.annOf[a.Repo]; r.must(!twice, what, i, "has the repository of another") {
			r.annOf[a.Repo] = int32(i)
		}
		if a.Shadow != 0 && r.must(has(r.shadow, a.Shadow-1), what, i, "has a shadow that is not there") {
			s := r.shadows.At(a.Shadow - 1)
			r.index(s.id, location{recShadow, int32(i)})
			r.addURLs(s.urls, what, i)
			shadows++
		}
		if a.Orphan {
			r.must(a.Status == purgatory.Served && a.Group == purgatory.None && a.Shadow == 0 && has(r.ident, a.Ident), what, i, "is a strange orphan")
			if r.err == nil {
				orphans[a.Ident]++
			}
			r.addURLs(a.URLs, what, i)
			r.showOf(a, i)
			continue
		}
		r.index(a.ID, location{recAnnouncement, int32(i)})
		r.addURLs(a.URLs, what, i)
		if r.must(some(r.url, a.Holder), what, i, "has a holder that is not there") && a.Holder != purgatory.None {
			r.urlRefs[a.Holder]++
		}
		r.showOf(a, i)
		r.must(has(r.ident, a.Ident) && has(r.group, a.Group), what, i, "belongs nowhere")
		if a.Status != purgatory.Served {
			r.bytes += int64(a.Size)
			r.hold(a.AuthorSlot, a.Owner, what, i)
		}
		r.must(r.err != nil || slices.Contains(r.idents.At(a.Ident).Anns, int32(i)), what, i, "is not under its identifier")
		r.must(a.Doomed < uint8(NumReportKinds) && a.Pins >= 0, what, i, "ends in an unknown way")
	}
	r.must(shadows == r.shadows.Len(), "count of shadows", shadows, "is wrong")
	for i := range r.idents.Items {
		if r.ident[i] && r.err == nil {
			r.must(r.idents.Items[i].Orphans == orphans[i], "identifier", i, "has other orphans than it counts")
			for _, a := range r.idents.Items[i].Anns {
				r.must(r.anns.At(a).Ident == int32(i), what, int(a), "is under another identifier")
			}
		}
	}
}

// showOf counts what a repository shows.
func (r *restored) showOf(a *purgatory.Announcement, i int) {
	const what = "announcement"
	if r.must(some(r.state, a.Applied), what, i, "shows a state that is not there") && a.Applied != purgatory.None {
		r.applied[a.Applied]++
	}
	if r.must(some(r.state, a.Showing), what, i, "is to show a state that is not there") && a.Showing != purgatory.None {
		r.applied[a.Showing]++
	}
}

// judgeSourcesOfEvents files the client sources that were read (S-06).
func (r *restored) judgeSourcesOfEvents() {
	hunts := make([]int32, len(r.sources.slab.Items))
	for i := range r.groups.Items {
		g := &r.groups.Items[i]
		if !g.used || g.source == purgatory.None {
			continue
		}
		if r.must(within(&r.sources.slab, g.source) && g.id != 0, "group", i, "hunts for a source that is not there") {
			hunts[g.source]++
		}
	}
	in := r.sources.slab.InUse()
	for i := range r.sources.slab.Items {
		s := &r.sources.slab.Items[i]
		_, twice := r.sources.byHandle[s.from]
		if r.must(s.used == in[i] && s.hunts == hunts[i] && !(s.used && twice), "source", i, "is there twice, or has other hunts than it counts") && s.used {
			r.sources.byHandle[s.from] = int32(i)
		}
	}
	r.must(r.sources.cursor >= 0, "source", int(r.sources.cursor), "is next to be looked at")
}

func (r *restored) judgePending() {
	for i := range r.pending.Items {
		p := &r.pending.Items[i]
		if r.must(r.pended[i] == p.used, "event being stored", i, "is free and in use") && p.used {
			r.must(p.answers > 0 && p.answers <= maxAnswers, "event being stored", i, "was delivered "+num(int(p.answers))+" times")
			r.index(p.event.ID, location{recPending, int32(i)})
			if p.event.Kind == KindDeletion {
				r.deletions = append(r.deletions, int32(i))
			}
		}
	}
}

func (r *restored) judgeHeldStates() {
	const what = "state"
	for i := range r.states.Items {
		s := &r.states.Items[i]
		r.must(r.state[i] == (s.Status != purgatory.Free), what, i, "is free and in use")
		if !r.state[i] || r.err != nil {
			continue
		}
		r.must(has(r.ident, s.Ident) && all(r.group, s.Groups), what, i, "belongs nowhere")
		if r.err != nil {
			return
		}
		if s.Status == purgatory.Served {
			if slices.Contains(r.idents.At(s.Ident).Served, int32(i)) {
				r.index(s.ID, location{recState, int32(i)})
			}
			continue
		}
		r.index(s.ID, location{recState, int32(i)})
		r.heldUnder[s.Ident]++
		r.bytes += int64(s.Size)
		r.hold(s.AuthorSlot, s.Author, what, i)
		r.must(r.releaseOf(s.Release, recState, int32(i)), what, i, "is released by nobody")
	}
}

func (r *restored) judgeHeldPRs() {
	const what = "PR"
	for i := range r.prs.Items {
		p := &r.prs.Items[i]
		r.must(r.pr[i] == (p.Status != purgatory.Free), what, i, "is free and in use")
		if !r.pr[i] || r.err != nil {
			continue
		}
		r.index(p.ID, location{recPR, int32(i)})
		r.indexPR(int32(i))
		r.must(all(r.group, p.Groups), what, i, "belongs nowhere")
		r.addURLs(p.URLs, what, i)
		if p.Status != purgatory.Served {
			r.mention(p.Mentions, 1)
			r.bytes += int64(p.Size)
		}
		if p.Status == purgatory.Served {
			r.must(p.Release == 0 && len(p.Groups) == 0, what, i, "is served and waits")
			continue
		}
		r.hold(p.AuthorSlot, p.Author, what, i)
		r.must(r.releaseOf(p.Release, recPR, int32(i)), what, i, "is released by nobody")
	}
}

func (r *restored) hold(slot int32, key PubKey, what string, i int) {
	if r.must(has(r.author, slot) && r.authors.at(slot).key == key, what, i, "is not held by its author") {
		r.heldBy[slot]++
	}
}

func (r *restored) releaseOf(rel int32, kind recordKind, slot int32) bool {
	if rel == 0 {
		return true
	}
	if !has(r.release, rel-1) {
		return false
	}
	x := r.releases.At(rel - 1)
	return x.kind == kind && x.slot == slot && !x.dead
}
