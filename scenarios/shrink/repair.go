package shrink

import (
	"errors"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"graspsync/scenarios"
)

// repair takes out of s all that refers to what is no longer there, until s is sound. It is false where that is not
// possible, or where the failure would be about something else then.
func (g *gate) repair(s *scenarios.Scenario) bool {
	if g.compact {
		return s.Validate() == nil
	}
	wanted := g.subject(s)
	for range maxRepairs {
		prune(s)
		err := s.Validate()
		if err == nil {
			return g.target.sound(s, wanted) && g.supplies(s)
		}
		var list scenarios.Errors
		if !errors.As(err, &list) || !dropFaulty(s, list) {
			return false
		}
	}
	return false
}

// maxRepairs bounds how long a chain of things that only make sense together may be.
const maxRepairs = 20

// subject is the expectation that is not met, before anything is repaired.
func (g *gate) subject(s *scenarios.Scenario) (about string) {
	if g.target.id == expectID && len(s.Expect) == 1 {
		_, about = s.Expect[0].Subject()
	}
	return about
}

// sound tells whether what the failure is about is still there.
func (t *target) sound(s *scenarios.Scenario, about string) bool {
	if t.id != expectID {
		return true
	}
	if len(s.Expect) != 1 {
		return false
	}
	_, now := s.Expect[0].Subject()
	return now == about
}

// present is what there is in a scenario to refer to.
type present struct {
	hosts, repos, events, pushes, relays map[string]bool
	authors                              map[string]bool // who publishes or pushes
}

func survey(s *scenarios.Scenario) present {
	p := present{make(map[string]bool), make(map[string]bool), make(map[string]bool), make(map[string]bool), make(map[string]bool), make(map[string]bool)}
	for name := range s.Hosts {
		p.hosts[name] = true
	}
	service := s.Service
	if service == "" {
		service = "relay.example"
	}
	p.hosts[service] = s.Network == nil
	if s.Network != nil {
		for _, r := range s.Network.Relays {
			p.hosts[r], p.relays[r] = true, true
		}
	}
	for name, r := range s.Repos {
		p.repos[name] = true
		if r.Start != "absent" {
			p.events["announce "+name], p.events["base "+name] = true, true
		}
	}
	for i := range s.Timeline {
		a := &s.Timeline[i]
		p.events[a.EventName()], p.pushes[a.PushName()] = true, true
		p.authors[authorOf(a)] = true
	}
	return p
}

// authorOf is the user who does an action, "" if nobody does.
func authorOf(a *scenarios.Action) string {
	if a.By != "" || a.Delete != "" {
		return a.By
	}
	owner, _, ok := strings.Cut(a.About(), "/")
	if !ok {
		return ""
	}
	return owner
}

// hostThere tells whether the host of a clone URL, or the host itself, is there.
func (p *present) hostThere(where string) bool {
	if strings.Contains(where, "://") && !strings.HasPrefix(where, "http") {
		return true // skipped by the parser of events as well
	}
	return p.hosts[scenarios.DomainOf(where)]
}

// prune takes out what refers to nothing.
func prune(s *scenarios.Scenario) {
	pruneNetwork(s)
	p := survey(s)
	for i := range 20 { // what goes may be what others refer to
		n := len(s.Timeline)
		s.Timeline = slices.DeleteFunc(s.Timeline, func(a scenarios.Action) bool { return !p.sound(s, &a) })
		if len(s.Timeline) == n && i > 0 {
			break
		}
		p = survey(s)
	}
	for i := range s.Timeline {
		p.pruneAction(s, &s.Timeline[i])
	}
	for name, r := range s.Repos { // each on its own, so that the order does not matter
		r.Clone = keep(r.Clone, p.hostThere)
		for where := range r.On {
			if !p.hostThere(where) {
				delete(r.On, where)
			}
		}
		s.Repos[name] = r
	}
	for name := range s.Domains {
		if !p.hosts[name] {
			delete(s.Domains, name)
		}
	}
	s.Faults = slices.DeleteFunc(s.Faults, func(f scenarios.Fault) bool { return len(keep(f.Hosts(), p.hostThere)) == 0 })
	for i := range s.Faults {
		f := &s.Faults[i]
		for _, l := range []*scenarios.Labels{&f.Stall, &f.Refuse, &f.Throttle, &f.Partition, &f.Flap, &f.Upset} {
			*l = keep(*l, p.hostThere)
		}
	}
	s.Local = slices.DeleteFunc(s.Local, func(l scenarios.Local) bool {
		return l.Repo != "" && !p.repos[l.Repo] || l.Refuse != "" && !p.events[l.Refuse]
	})
	s.Hostile = keep(s.Hostile, func(u string) bool { return p.authors[u] })
	s.Expect = slices.DeleteFunc(s.Expect, func(e scenarios.Expectation) bool { return !p.expected(s, &e) })
	clearEmpty(s)
}

// keep leaves in a list what is wanted; a list without any becomes none at all.
func keep(l scenarios.Labels, want func(string) bool) scenarios.Labels {
	if !slices.ContainsFunc(l, func(x string) bool { return !want(x) }) {
		return l
	}
	var out scenarios.Labels
	for _, x := range l {
		if want(x) {
			out = append(out, x)
		}
	}
	return out
}

func pruneNetwork(s *scenarios.Scenario) {
	n := s.Network
	if n == nil {
		return
	}
	there := func(r string) bool { return slices.Contains(n.Relays, r) }
	n.Links = slices.DeleteFunc(n.Links, func(l scenarios.Link) bool { return !there(l.From) || !there(l.To) })
	n.Lies = keep(n.Lies, there)
}

// sound tells whether what an action is about is there, and the relay it happens at.
func (p *present) sound(s *scenarios.Scenario, a *scenarios.Action) bool {
	if a.On != "" && (s.Network == nil || !p.relays[a.On]) {
		return false
	}
	switch a.Verb() {
	case "announce", "state", "pr", "pr-update", "issue", "push", "attack":
		return p.repos[a.About()]
	case "again", "delete", "remove":
		return p.events[a.About()] || isHex(a.About())
	}
	return true
}

func isHex(s string) bool { return len(s) == 64 && strings.Trim(s, "0123456789abcdef") == "" }

func (p *present) pruneAction(s *scenarios.Scenario, a *scenarios.Action) {
	a.Clone = keep(a.Clone, p.hostThere)
	a.Also = keep(a.Also, func(r string) bool { return p.repos[r] })
	a.Mentions = keep(a.Mentions, func(e string) bool { return p.events[e] || isHex(e) })
	a.Via = keep(a.Via, func(r string) bool { _, ok := s.Relays[r]; return ok })
	if a.CutAfter != nil && *a.CutAfter > len(a.Refs) {
		n := len(a.Refs)
		a.CutAfter = &n
	}
}

// expected tells whether what an expectation is of is there.
func (p *present) expected(s *scenarios.Scenario, e *scenarios.Expectation) bool {
	if e.On != "" && (s.Network == nil || !p.relays[e.On]) || e.Repo != "" && !p.repos[e.Repo] || e.Host != "" && !p.hosts[e.Host] {
		return false
	}
	subject, about := e.Subject()
	switch subject {
	case "released", "expired", "deleted", "replaced", "evicted", "held", "absent", "served", "refused", "reachable":
		return p.events[about] || isHex(about)
	case "pushed", "denied":
		return p.pushes[about]
	case "attempts", "refs", "nostr", "head":
		return p.repos[about]
	case "passes", "requests", "fair", "at-once":
		return about == "all" || p.hostThere(about)
	}
	return true
}

// clearEmpty leaves out what has become empty.
func clearEmpty(s *scenarios.Scenario) {
	for _, p := range []any{&s.Hosts, &s.Repos, &s.Domains, &s.Config, &s.Users, &s.Relays, &s.Faults, &s.Local, &s.Timeline, &s.Expect} {
		clearIfEmpty(p)
	}
}

// faulty finds the entry of a list that an error of the checks is about.
var faulty = regexp.MustCompile(`^(timeline|expect|faults|local|network\.links)\[(\d+)\]`)

// dropFaulty takes out the entries that the checks find fault with; false if it is about anything else.
func dropFaulty(s *scenarios.Scenario, list scenarios.Errors) bool {
	gone := make(map[string]bool)
	for _, e := range list {
		m := faulty.FindStringSubmatch(e.Path)
		if m == nil {
			return false
		}
		gone[m[1]+" "+m[2]] = true
	}
	s.Timeline = without(s.Timeline, gone, "timeline")
	s.Expect = without(s.Expect, gone, "expect")
	s.Faults = without(s.Faults, gone, "faults")
	s.Local = without(s.Local, gone, "local")
	if s.Network != nil {
		s.Network.Links = without(s.Network.Links, gone, "network.links")
	}
	return true
}

func without[T any](list []T, gone map[string]bool, name string) []T {
	var out []T
	for i := range list {
		if !gone[name+" "+strconv.Itoa(i)] {
			out = append(out, list[i])
		}
	}
	return out
}

// supplies tells whether a scenario that makes promises still gives what the current one gives: for every repository the
// objects that its hosts have.
func (g *gate) supplies(s *scenarios.Scenario) bool {
	if !g.target.promises(s) {
		return true
	}
	now := supply(s)
	for what := range supply(g.cur) {
		repo, _, _ := strings.Cut(what, " ")
		if _, there := s.Repos[repo]; there && !now[what] {
			return false
		}
	}
	return true
}

// supply are the objects that hosts have until the end, by repository.
func supply(s *scenarios.Scenario) map[string]bool {
	out := make(map[string]bool)
	for name, r := range s.Repos {
		for _, list := range r.On {
			for _, h := range list {
				if h.Until > 0 || h.Hidden {
					continue
				}
				for _, l := range h.Has {
					out[name+" "+l] = true
				}
				for _, ref := range h.Refs {
					out[name+" "+ref.Value] = true
				}
			}
		}
	}
	return out
}
