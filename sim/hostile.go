package sim

import (
	"fmt"
	"slices"
	"strings"

	"graspsync/core"
)

// Hostile names whose actions must not matter to others.
type Hostile struct {
	Authors []core.PubKey
	Pushes  []uint64 // ids of their pushes
}

// CompareWithout judges I-11: it runs what build gives once whole and once without what the hostile authors
// publish and push, and demands the same for everybody who has nothing to do with them: what is accepted,
// refused, held until when, served and pushed, and the heads and tags of their repositories. When network work is
// done may differ. What is there at the start is there in both runs.
//
// Who has to do with them: an author is related, for one identifier, if an announcement of somebody else leads
// from the author's repositories, or from one that also lists the author, to a hostile author (M-01); and whoever
// sends a pull request to a repository that does. Being listed by a hostile author relates nobody, but it may
// help: a state of such an author may be accepted, found or kept longer, never the reverse. Evicted
// events, and those refused for lack of room in either run, are left out.
//
// The result is that of the whole run, with a finding for each difference. build must make fresh peers at each
// call.
func CompareWithout(build func() (Setup, error), h Hostile) (Result, error) {
	whole, err := h.run(build, nil)
	if err != nil {
		return Result{}, err
	}
	without, err := h.run(build, h.acts)
	if err != nil {
		return whole.result, err
	}
	c := newComparison(&h, &whole, &without)
	res := whole.result
	for _, v := range without.result.Violations {
		v.Text = "without the hostile authors: " + v.Text
		res.Violations = append(res.Violations, v)
	}
	for _, e := range c.events {
		if text := c.event(e); text != "" {
			res.Violations = append(res.Violations, Violation{ID: "I-11", At: res.Virtual, Step: res.Steps,
				Text: fmt.Sprintf("event %s of %s, who has nothing to do with the hostile authors: %s", e.ID, e.Author, text)})
		}
	}
	for _, p := range c.pushes {
		if text := c.push(p); text != "" {
			res.Violations = append(res.Violations, Violation{ID: "I-11", At: res.Virtual, Step: res.Steps,
				Text: fmt.Sprintf("push %d to %s: %s", p.ID, whole.setup.Names.Text(p.Repo.Repo), text)})
		}
	}
	for _, e := range c.announced {
		if text := c.repository(e); text != "" {
			res.Violations = append(res.Violations, Violation{ID: "I-11", At: res.Virtual, Step: res.Steps,
				Text: "repository " + whole.setup.Names.Text(e.Repo.Repo) + ": " + text})
		}
	}
	return res, nil
}

// acts tells whether an arrival is an action of a hostile author.
func (h *Hostile) acts(a *Arrival) bool {
	if a.Push != nil {
		return slices.Contains(h.Pushes, a.Push.Push.ID)
	}
	return a.Crash == nil && a.Input.Event != nil && h.is(a.Input.Event.Author)
}

func (h *Hostile) is(k core.PubKey) bool { return slices.Contains(h.Authors, k) }

// finished is a world that ran.
type finished struct {
	setup  Setup
	result Result
}

func (h *Hostile) run(build func() (Setup, error), drop func(*Arrival) bool) (finished, error) {
	s, err := build()
	if err != nil {
		return finished{}, err
	}
	if drop != nil {
		s.Arrivals = slices.Clone(s.Arrivals)
		for i := range s.Arrivals {
			s.Arrivals[i].void = drop(&s.Arrivals[i])
		}
		s.Trace = nil
	}
	s.Record = true
	w, err := NewWorld(s)
	if err != nil {
		return finished{}, err
	}
	return finished{s, w.Run()}, nil
}

// comparison is of two runs, a with the hostile authors and b without them.
type comparison struct {
	h         *Hostile
	a, b      *finished
	events    []*core.Event // of others, in order of arrival
	pushes    []*core.Push
	announced []*core.Event        // one announcement of each repository of others
	all       []*core.Event        // announcements of everybody
	helped    map[core.Handle]bool // identifiers under which a hostile listing brought something to be taken or served
}

func newComparison(h *Hostile, a, b *finished) *comparison {
	c := &comparison{h: h, a: a, b: b, helped: make(map[core.Handle]bool)}
	seen := make(map[core.EventID]bool)
	repos := make(map[core.Handle]bool)
	add := func(e *core.Event) {
		if e == nil || seen[e.ID] {
			return
		}
		seen[e.ID] = true
		if e.Kind == core.KindAnnouncement {
			c.all = append(c.all, e)
		}
		if h.is(e.Author) {
			return
		}
		c.events = append(c.events, e)
		if e.Kind == core.KindAnnouncement && !repos[e.Repo.Repo] {
			repos[e.Repo.Repo] = true
			c.announced = append(c.announced, e)
		}
	}
	for i := range a.setup.Start {
		add(a.setup.Start[i].Event)
	}
	for i := range a.setup.Arrivals {
		x := &a.setup.Arrivals[i]
		if add(x.Input.Event); x.Push != nil && !h.acts(x) {
			c.pushes = append(c.pushes, &x.Push.Push)
		}
	}
	return c
}

// reach lists whom the announcements of an identifier lead to from an author, those of some authors left out.
func (c *comparison) reach(identifier core.Handle, from core.PubKey, without func(core.PubKey) bool) []core.PubKey {
	out := []core.PubKey{from}
	for i := 0; i < len(out); i++ {
		for _, e := range c.all {
			if e.Repo.Identifier != identifier || e.Author != out[i] || without != nil && without(e.Author) {
				continue
			}
			for _, m := range e.Maintainers {
				if !slices.Contains(out, m) {
					out = append(out, m)
				}
			}
		}
	}
	return out
}

// related tells whether an author has to do with the hostile ones under an identifier.
func (c *comparison) related(identifier core.Handle, author core.PubKey) bool {
	for _, e := range c.all {
		if e.Repo.Identifier != identifier || c.h.is(e.Author) {
			continue
		}
		to := c.reach(identifier, e.Author, c.h.is)
		if (e.Author == author || slices.Contains(to, author)) && slices.ContainsFunc(to, c.h.is) {
			return true
		}
	}
	return false
}

// listed tells whether hostile announcements lead to an author.
func (c *comparison) listed(identifier core.Handle, author core.PubKey) bool {
	return slices.ContainsFunc(c.h.Authors, func(k core.PubKey) bool { return slices.Contains(c.reach(identifier, k, nil), author) })
}

// event says what a hostile author changed about somebody else's event, or "".
func (c *comparison) event(e *core.Event) string {
	helped := false
	switch e.Kind {
	case core.KindAnnouncement, core.KindState:
		if c.related(e.Repo.Identifier, e.Author) {
			return ""
		}
		helped = c.listed(e.Repo.Identifier, e.Author)
	case core.KindPR, core.KindPRUpdate:
		for _, r := range e.Repositories {
			if c.h.is(r.Owner) || c.related(r.Identifier, r.Owner) {
				return ""
			}
			helped = helped || c.listed(r.Identifier, r.Owner)
		}
	case core.KindDeletion:
	default:
		return "" // taken or not by what it relates to, which may be theirs (RE-01)
	}
	a, b := c.a.result.Record.Event(e.ID), c.b.result.Record.Event(e.ID)
	if a == nil || b == nil { // it stood at the start and nothing was said of it
		a, b = &EventRecord{}, &EventRecord{}
	}
	if crowdedOut(a) || crowdedOut(b) {
		return ""
	}
	inA, inB := c.a.setup.Store.Has(e.ID), c.b.setup.Store.Has(e.ID)
	if helped && (inA && !inB || taken(a) && !taken(b)) {
		c.helped[e.Repo.Identifier] = true
		for _, r := range e.Repositories {
			c.helped[r.Identifier] = true
		}
		return ""
	}
	if c.overtaken(e) {
		return ""
	}
	switch {
	case inA && !inB && !helped: // sooner than without them: data was found by their hunts, or time ran out later
		return ""
	case inA != inB:
		if c.sooner(e) {
			return "" // and has been replaced since
		}
		return fmt.Sprintf("served %s with them, %s without", yes(inA), yes(inB))
	case inA && inB:
	case a.Ended != b.Ended && (a.Ended == core.RepEndedReleased || c.sooner(e)): // sooner than without them
		return ""
	case a.Ended != b.Ended && !(helped && b.Ended != core.RepEndedReleased):
		return fmt.Sprintf("it %s with them and %s without", ending(a), ending(b))
	case taken(a) != taken(b) && !(helped && taken(a)):
		return fmt.Sprintf("accepted %s with them, %s without", yes(taken(a)), yes(taken(b)))
	}
	if helped || a.Ended == core.RepEndedReleased {
		return ""
	}
	return c.deadlines(e, a, b)
}

// overtaken tells whether a newer event of the same author is served in the world with hostile authors, or is held in the
// other alone: then what became of e is told by when network work was done.
func (c *comparison) overtaken(e *core.Event) bool {
	return slices.ContainsFunc(c.events, func(x *core.Event) bool {
		if x.Kind != e.Kind || x.Author != e.Author || x.Repo != e.Repo || !newer(x, e) {
			return false
		}
		r := c.a.result.Record.Event(x.ID)
		return c.a.setup.Store.Has(x.ID) || r != nil && r.Ended == core.RepNone && len(r.History) > 0
	})
}

// sooner tells whether another event of the author under the identifier of e was served in the world with hostile authors
// and not yet in the other: their hunts found its data, and what depends on it went on from there.
func (c *comparison) sooner(e *core.Event) bool {
	return slices.ContainsFunc(c.events, func(x *core.Event) bool {
		return x.ID != e.ID && x.Author == e.Author && x.Repo.Identifier == e.Repo.Identifier && c.served(c.a, x.ID) && !c.served(c.b, x.ID)
	})
}

// soonerUnder tells whether a state under an identifier was served with hostile authors and not yet without.
func (c *comparison) soonerUnder(identifier core.Handle) bool {
	return slices.ContainsFunc(c.events, func(e *core.Event) bool {
		return e.Kind == core.KindState && e.Repo.Identifier == identifier && c.served(c.a, e.ID) && !c.served(c.b, e.ID)
	})
}

// served tells whether an event was served at any time of a run.
func (c *comparison) served(f *finished, id core.EventID) bool {
	r := f.result.Record.Event(id)
	return f.setup.Store.Has(id) || r != nil && r.Ended == core.RepEndedReleased
}

// crowdedOut tells whether an event had to give way to others.
func crowdedOut(r *EventRecord) bool {
	for i := range r.History {
		if r.History[i].Report == core.RepEndedEvicted {
			return true
		}
	}
	return slices.ContainsFunc(r.Answers, func(a AnswerRecord) bool { return strings.HasPrefix(a.Text, "rate-limited:") })
}

func taken(r *EventRecord) bool {
	return slices.ContainsFunc(r.Answers, func(a AnswerRecord) bool { return a.OK })
}

func ending(r *EventRecord) string {
	if r.Ended == core.RepNone {
		if r.Held > 0 || len(r.History) > 0 {
			return "is held"
		}
		return "was never held"
	}
	return "ended as " + r.Ended.String()
}

func yes(b bool) string {
	if b {
		return "yes"
	}
	return "no"
}

// push compares the verdicts of somebody else's push to a repository that has nothing to do with hostile authors.
func (c *comparison) push(p *core.Push) string {
	if c.h.is(p.Repo.Owner) || c.helped[p.Repo.Identifier] || c.related(p.Repo.Identifier, p.Repo.Owner) {
		return ""
	}
	a, b := c.a.result.Record.Push(p.ID), c.b.result.Record.Push(p.ID)
	if a == nil || b == nil || a.OK || !b.OK {
		return "" // one that goes through does no harm
	}
	if c.soonerUnder(p.Repo.Identifier) {
		return "" // what it was to bring was there sooner
	}
	return fmt.Sprintf("it went through: %s with them, %s without", yes(a.OK), yes(b.OK))
}

// repository compares the heads and tags of somebody else's repository.
func (c *comparison) repository(e *core.Event) string {
	if c.helped[e.Repo.Identifier] || c.related(e.Repo.Identifier, e.Author) {
		return ""
	}
	a, b := c.a.headsAndTags(e.Repo.Repo), c.b.headsAndTags(e.Repo.Repo)
	if a == b || c.soonerUnder(e.Repo.Identifier) {
		return ""
	}
	return "it has " + clip(a) + " with them, and " + clip(b) + " without"
}

func (f *finished) headsAndTags(repo core.Handle) string {
	name := f.setup.Names.Text
	refs := slices.Clone(f.setup.Local.Refs(repo))
	refs = slices.DeleteFunc(refs, func(r core.Ref) bool {
		return !strings.HasPrefix(name(r.Name), "refs/heads/") && !strings.HasPrefix(name(r.Name), "refs/tags/")
	})
	return listRefs(refs, name)
}
