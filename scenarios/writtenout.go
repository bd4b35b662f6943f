package scenarios

import (
	"cmp"
	"maps"
	"slices"
	"strings"

	"graspsync/core"
	"graspsync/fakes"
)

// WrittenOut is the scenario with every repetition, range and attack written out, and with the events of a file in the
// timeline, so that each thing stands alone and the text needs no other file. It means the same. s stays as it is; the
// error is what Validate finds wrong with it.
func (s *Scenario) WrittenOut() (*Scenario, error) {
	p := &problems{}
	x := s.validate(p)
	if err := p.err(); err != nil {
		return nil, err
	}
	out := *s
	out.Hosts, out.Repos, out.Timeline, out.Expect = nil, nil, nil, nil
	if len(x.hosts) > 0 {
		out.Hosts = make(map[string]Host, len(x.hosts))
	}
	for _, h := range x.hosts {
		out.Hosts[h.name] = h.val
	}
	if len(x.repos) > 0 {
		out.Repos = make(map[string]Repo, len(x.repos))
	}
	for _, r := range x.repos {
		out.Repos[r.name] = r.val.writtenOut()
	}
	out.Faults = slices.Clone(s.Faults)
	for i := range out.Faults {
		out.Faults[i].writeOut()
	}
	for _, a := range x.actions {
		a.val.writeOut()
		out.Timeline = append(out.Timeline, a.val)
	}
	for _, line := range s.raw {
		ev, err := parseReal(line, s.service())
		if err != nil {
			return nil, err
		}
		at := core.Time(ev.CreatedAt-cmp.Or(s.Wall, defaultWall)) * core.Second
		if at = max(at, 0); at <= core.Time(s.Horizon) { // later ones never arrive
			out.Timeline = append(out.Timeline, Action{At: Span(at), Event: string(line)})
		}
	}
	out.Events, out.raw = "", nil
	for _, e := range x.expect {
		e.val.Repeat = 0
		e.val.Is = e.val.Is.written()
		out.Expect = append(out.Expect, e.val)
	}
	return &out, out.Validate()
}

// written writes the ranges of a list out; a list that was checked has no wrong ones.
func (l Labels) written() Labels {
	if !slices.ContainsFunc(l, func(s string) bool { return strings.Contains(s, "[") }) {
		return l
	}
	out, _ := l.expand()
	return out
}

// written is the same of refs; no refs at all and no word about refs stay apart.
func (r Refs) written() Refs {
	if !slices.ContainsFunc(r, func(s Ref) bool { return strings.Contains(s.Name, "[") }) {
		return r
	}
	out, _ := r.expand()
	return out
}

func writtenClone(l Labels) Labels {
	if !slices.ContainsFunc(l, func(s string) bool { return strings.Contains(s, "[") }) {
		return l
	}
	out, _ := cloneList(l)
	return out
}

func (r Repo) writtenOut() Repo {
	r.Clone, r.Has, r.Nostr = writtenClone(r.Clone), r.Has.written(), r.Nostr.written()
	r.On = maps.Clone(r.On)
	for _, where := range sortedKeys(r.On) {
		list := slices.Clone(r.On[where])
		for i := range list {
			list[i].Has, list[i].Refs = list[i].Has.written(), list[i].Refs.written()
		}
		r.On[where] = list
	}
	return r
}

func (f *Fault) writeOut() {
	for _, l := range []*Labels{&f.Stall, &f.Refuse, &f.Throttle, &f.Partition, &f.Flap, &f.Upset} {
		*l = l.written()
	}
}

// writeOut ends the repetition of an action: it is one of those that came of it.
func (a *Action) writeOut() {
	a.Repeat, a.Step = 0, 0
	a.Clone, a.Refs, a.Old = writtenClone(a.Clone), a.Refs.written(), a.Old.written()
}

// Parts of a scenario by name, for tools that take scenarios to pieces.

// Verb is the one verb of an action, or "" if it has none or several.
func (a *Action) Verb() string { return a.verb() }

// About is the repository or event that an action names, or "".
func (a *Action) About() string { return cmp.Or(a.about(), a.Attack) }

// EventName is the name under which the event of an action is known; "" for actions without one.
func (a *Action) EventName() string { return a.eventName() }

// PushName is the name under which a push is known; "" for other actions.
func (a *Action) PushName() string { return a.pushName() }

// Subject is what an expectation is of, as "released", and the name of that, as "s1".
func (e *Expectation) Subject() (subject, about string) { return e.subject() }

// Hosts are the hosts that a fault is about.
func (f *Fault) Hosts() Labels { return f.hosts() }

// EventID is the id of the event called name in every scenario, but for real events, whose ids are their own.
func EventID(name string) core.EventID { return eventID(name) }

// DomainOf is the domain of a clone URL or host as a scenario writes them, and the host itself if it cannot be read.
func DomainOf(where string) string {
	if !strings.Contains(where, "://") {
		return where
	}
	d, err := fakes.Domain(where)
	if err != nil {
		return where
	}
	return d
}
