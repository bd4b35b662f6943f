package sim

import (
	"slices"
	"strings"

	"graspsync/core"
	"graspsync/core/value"
)

// worldView is what a relay shows the world at an instant: the events it serves and the refs of its repositories.
type worldView struct {
	events []core.EventID // sorted
	served []bool
	repos  []core.Handle // sorted
	refs   []string      // by name: what a handle stands for may differ between runs
}

// viewer knows what there is to look at in worlds of one scenario.
type viewer struct {
	names  *value.Names
	events []core.EventID
	repos  []core.Handle
	said   map[core.EventID]*core.Event
}

func newViewer(s *Setup) *viewer {
	v := &viewer{names: s.Names, said: make(map[core.EventID]*core.Event)}
	add := func(e *core.Event) {
		if e == nil {
			return
		}
		v.events = append(v.events, e.ID)
		v.said[e.ID] = e
		if e.Kind == core.KindAnnouncement {
			v.repos = append(v.repos, e.Repo.Repo)
		}
	}
	for i := range s.Start {
		add(s.Start[i].Event)
	}
	for i := range s.Arrivals {
		add(s.Arrivals[i].Input.Event)
	}
	slices.SortFunc(v.events, core.EventID.Compare)
	v.events = slices.Compact(v.events)
	slices.Sort(v.repos)
	v.repos = slices.Compact(v.repos)
	return v
}

func (v *viewer) at(s *Setup) worldView {
	w := worldView{events: v.events, repos: v.repos}
	for _, id := range v.events {
		w.served = append(w.served, s.Store.Has(id))
	}
	for _, r := range v.repos {
		w.refs = append(w.refs, listRefs(s.Local.Refs(r), v.names.Text))
	}
	return w
}

// leftOut is what two runs are not compared by; nil leaves out nothing.
type leftOut struct {
	events map[core.EventID]bool
	repos  map[core.Handle]bool
}

func (l *leftOut) event(id core.EventID) bool { return l != nil && l.events[id] }

func (l *leftOut) repo(r core.Handle) bool { return l != nil && l.repos[r] }

// expired leaves out what expired in one of the runs, and everything of its identifier: whether data was there in
// time is a matter of instants, which change with the order, and is judged by I-4.
func (v *viewer) expired(runs ...*Record) *leftOut {
	l := &leftOut{events: make(map[core.EventID]bool), repos: make(map[core.Handle]bool)}
	for _, r := range runs {
		for i := range r.Events {
			e := v.said[r.Events[i].ID]
			if r.Events[i].Ended != core.RepEndedExpired || e == nil {
				continue
			}
			l.events[e.ID] = true
			for _, c := range e.Repositories {
				l.repos[c.Repo] = true
			}
			for _, id := range v.events {
				if x := v.said[id]; e.Repo.Identifier != 0 && x.Repo.Identifier == e.Repo.Identifier {
					l.events[id], l.repos[x.Repo.Repo] = true, true // it may have been superseded, or not
				}
			}
		}
	}
	return l
}

// difference says in what w is unlike before, or "". Both look at the same events and repositories.
func (w *worldView) difference(before *worldView, names *value.Names, skip *leftOut) string {
	var out []string
	for i, id := range w.events {
		switch {
		case skip.event(id):
		case w.served[i] && !before.served[i]:
			out = append(out, "event "+id.String()+" is served")
		case !w.served[i] && before.served[i]:
			out = append(out, "event "+id.String()+" is not served")
		}
	}
	for i, r := range w.repos {
		if w.refs[i] != before.refs[i] && !skip.repo(r) {
			out = append(out, "repository "+names.Text(r)+" has "+clip(w.refs[i])+" instead of "+clip(before.refs[i]))
		}
	}
	if n := len(out); n > 4 {
		out = append(out[:4:4], "and more")
	}
	return strings.Join(out, ", ")
}

// clip cuts a text for a person where it gets long.
func clip(s string) string {
	if len(s) > 400 {
		return s[:400] + "…"
	}
	return s
}

// listRefs is a list of refs as text.
func listRefs(refs []core.Ref, name func(core.Handle) string) string {
	if len(refs) == 0 {
		return "no refs"
	}
	out := make([]string, 0, len(refs))
	for i := range refs {
		out = append(out, name(refs[i].Name)+"="+refs[i].OID.String())
	}
	return strings.Join(out, " ")
}
