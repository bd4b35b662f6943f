package sim

import (
	"slices"
	"strings"

	"graspsync/core"
)

// What is served is what the repositories show (I-5, I-6), and none is lost or left behind by an expiry (I-7).
// An identifier is looked at after a step that touched it, once no copy, alignment, storing or push of it is
// under way: then there is no reason left for it to be otherwise.

// judgeShown looks at what the steps so far have touched, before the next one.
func (o *Oracle) judgeShown() {
	j := &o.repos
	if j.off() {
		return
	}
	o.lost()
	o.freshlyHeld()
	if j.starting || j.stopping || o.crash.down || j.loose > 0 {
		return
	}
	for i := range j.dirty {
		n := j.dirty[i]
		n.dirty = false
		if n.work == 0 { // else the end of the work touches it again
			o.look(n)
		}
	}
	j.dirty = j.dirty[:0]
	for len(j.later) > 0 && j.later[0].at < o.now {
		n := j.later[0].name
		j.later = j.later[1:]
		j.touch(n)
	}
}

// look judges one identifier.
func (o *Oracle) look(n *judgedName) {
	j := &o.repos
	gone := func(e *core.Event) bool { return !j.has(e.ID) }
	n.states = slices.DeleteFunc(n.states, gone)
	for _, r := range n.repos {
		r.served = slices.DeleteFunc(r.served, gone)
	}
	for _, r := range n.repos {
		id, text := o.wrong(n, r)
		if id == r.wrong {
			continue // right, or said before
		}
		if id == "" {
			r.wrong = ""
			continue
		}
		if n.failed != noDeadline && o.now <= n.failed+o.retrySpan() {
			j.later = append(j.later, laterLook{n.failed + o.retrySpan(), n})
			return
		}
		r.wrong = id
		o.violate(id, "%s", text)
	}
}

// retrySpan is how long after a failure of local work its retry may take: with the next attempt, which may be a first one.
func (o *Oracle) retrySpan() core.Time {
	return max(o.cfg.BackoffCap, o.cfg.BackoffBase, o.cfg.ClientDelay, o.cfg.SyncedDelay) + 2*o.cfg.LoopInterval + o.checks.local
}

// wrong names the invariant that a repository breaks, or "".
func (o *Oracle) wrong(n *judgedName, r *judgedRepo) (id, text string) {
	j := &o.repos
	exists := j.view.Exists(r.repo)
	served := version(r.served)
	listed := served != nil && (served.ListsUs || o.cfg.ArchiveAll)
	r.proven = (r.proven || listed) && exists
	switch {
	case exists && r.soft:
		return "I-7", "repository " + o.name(r.repo) + " exists, but its announcement " + r.held.ID.String() + " is soft-expired"
	case exists && r.held == nil && !r.proven:
		return "I-7", "repository " + o.name(r.repo) + " exists, but its announcement is gone and was never served"
	}
	if r.soft || !listed && r.held == nil {
		return "", ""
	}
	if len(o.closure(n, r)) >= o.cfg.Maintainers {
		return "", ""
	}
	latest := o.latest(n, r)
	shown := j.local.Refs(r.repo)
	if latest != nil {
		r.cleared = len(latest.Refs) == 0
	}
	bare := listed && r.held == nil && !r.cleared && !slices.ContainsFunc(shown, o.isHeadOrTag)
	if !bare && (latest == nil || !exists || o.shows(r, latest) && o.headOf(r, latest)) || o.onTheWay(n, r, latest) {
		return "", ""
	}
	if bare {
		return "I-5", "announcement " + served.ID.String() + " is served, but " + o.name(r.repo) + " has no head and no tag"
	}
	if n.erased || !o.obtainable(n, latest) {
		return "", ""
	}
	return "I-6", "repository " + o.name(r.repo) + " should show state " + latest.ID.String() + ": " + o.refsText(latest.Refs, latest.Head) +
		"; it has " + o.refsText(shown, j.view.Head(r.repo))
}

// onTheWay tells whether a repository shows a newer state that is held: it was pushed, or a release stopped half-way.
func (o *Oracle) onTheWay(n *judgedName, r *judgedRepo, latest *core.Event) bool {
	return slices.ContainsFunc(n.held, func(h *core.Event) bool {
		return (latest == nil || newer(h, latest)) && slices.Contains(o.closure(n, r), h.Author) && o.shows(r, h)
	})
}

// version is the announcement that stands, of those that the store has.
func version(list []*core.Event) *core.Event {
	var best *core.Event
	for _, e := range list {
		if best == nil || newer(e, best) {
			best = e
		}
	}
	return best
}

// newer is NIP-01's order: later created_at, on a tie the lower id.
func newer(a, b *core.Event) bool {
	if a.CreatedAt != b.CreatedAt {
		return a.CreatedAt > b.CreatedAt
	}
	return a.ID.Compare(b.ID) < 0
}

// latest is the newest served state whose author the owner's closure has (ST-07), or nil.
func (o *Oracle) latest(n *judgedName, r *judgedRepo) *core.Event {
	closure := o.closure(n, r)
	var best *core.Event
	for _, s := range n.states {
		if !s.Unsatisfied && (best == nil || newer(s, best)) && slices.Contains(closure, s.Author) {
			best = s
		}
	}
	return best
}

// closure is the owner and whoever is reached by following the listed maintainers through those who have an
// announcement of the identifier themselves (M-01). One that meets its bound is not told apart: whom it leaves out is
// the core's to say (M-02).
func (o *Oracle) closure(n *judgedName, r *judgedRepo) []core.PubKey {
	list := append(o.repos.closure[:0], r.owner)
	for i := 0; i < len(list) && len(list) < o.cfg.Maintainers; i++ {
		for _, x := range n.repos {
			if x.owner != list[i] {
				continue
			}
			e := x.held
			if e == nil {
				e = version(x.served)
			}
			if e == nil {
				continue
			}
			for _, m := range e.Maintainers {
				if !slices.Contains(list, m) {
					list = append(list, m)
				}
			}
		}
	}
	o.repos.closure = list
	return list
}

// shows tells whether a repository has exactly the heads and tags of a state.
func (o *Oracle) shows(r *judgedRepo, s *core.Event) bool {
	shown := o.repos.local.Refs(r.repo)
	n := 0
	for i := range shown {
		if o.isHeadOrTag(shown[i]) {
			n++
		}
	}
	if n != len(s.Refs) {
		return false
	}
	at := 0 // both are sorted by name
	for i := range s.Refs {
		for at < len(shown) && shown[at].Name != s.Refs[i].Name {
			at++
		}
		if at == len(shown) || shown[at].OID != s.Refs[i].OID {
			return false
		}
	}
	return true
}

// headOf tells whether HEAD is where the state puts it: nowhere else, if it names one of its own branches (ST-04).
func (o *Oracle) headOf(r *judgedRepo, s *core.Event) bool {
	named := func(x core.Ref) bool { return x.Name == s.Head }
	return s.Head == 0 || !slices.ContainsFunc(s.Refs, named) || o.repos.view.Head(r.repo) == s.Head
}

// obtainable tells whether some repository of the identifier has all objects of a state: else nobody can show it.
func (o *Oracle) obtainable(n *judgedName, s *core.Event) bool {
	return slices.ContainsFunc(n.repos, func(r *judgedRepo) bool { return o.holdsAll(r.repo, s) })
}

func (o *Oracle) holdsAll(repo core.Handle, s *core.Event) bool {
	j := &o.repos
	if !j.view.Exists(repo) {
		return false
	}
	var oids []core.OID
	for i := range s.Refs {
		if !s.Refs[i].OID.IsZero() {
			oids = append(oids, s.Refs[i].OID)
		}
	}
	if s.Kind != core.KindState {
		oids = append(oids, s.Commit)
	}
	return len(j.local.Check(repo, oids, nil)) == len(oids)
}

func (o *Oracle) isHeadOrTag(r core.Ref) bool {
	j := &o.repos
	for int(r.Name) >= len(j.spaces) {
		j.spaces = append(j.spaces, 0)
	}
	if j.spaces[r.Name] == 0 {
		text := o.name(r.Name)
		j.spaces[r.Name] = 1
		if strings.HasPrefix(text, "refs/heads/") || strings.HasPrefix(text, "refs/tags/") {
			j.spaces[r.Name] = 2
		}
	}
	return j.spaces[r.Name] == 2
}

// refsText is a list of refs, and HEAD if it is known, for a person.
func (o *Oracle) refsText(refs []core.Ref, head core.Handle) string {
	text := clip(listRefs(refs, o.name))
	if head != 0 {
		text += ", HEAD " + o.name(head)
	}
	return text
}
