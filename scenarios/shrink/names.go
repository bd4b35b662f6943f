package shrink

import (
	"fmt"
	"regexp"
	"slices"
	"strings"

	"graspsync/scenarios"
)

// role is what a name is of.
type role uint8

const (
	hostRole role = iota
	userRole
	identifierRole
	eventRole
	labelRole
	viaRole
	numRoles
)

// pattern is how the n-th thing of a role is called.
func (r role) pattern(n int) string {
	return fmt.Sprintf([...]string{"h%d.example", "u%d", "r%d", "e%d", "c%d", "v%d"}[r], n)
}

// renaming gives new names for old ones, by role.
type renaming [numRoles]map[string]string

func (m *renaming) of(r role, name string) string {
	if to, ok := m[r][name]; ok {
		return to
	}
	return name
}

// names numbers what is left anew, from 1: everything at once, all of one role, then name by name; and leaves out names of
// events that they would have by themselves.
func names(g *gate, label string) {
	g.edits(label, func(s *scenarios.Scenario) (all []edit) {
		for i := range s.Timeline {
			if a := s.Timeline[i]; a.As != "" && a.Verb() != "raw" {
				all = append(all, func(s *scenarios.Scenario) bool { return unname(s, i) })
			}
		}
		return all
	})
	g.edits(label, func(s *scenarios.Scenario) []edit {
		var whole renaming
		var all []edit
		single := func(r role, from, to string) {
			var one renaming
			one[r] = map[string]string{from: to}
			all = append(all, func(s *scenarios.Scenario) bool { one.apply(s); return true })
		}
		for r := range numRoles {
			list := namesOf(s, r)
			var role renaming
			role[r] = numbered(r, list)
			whole[r] = role[r]
			all = append(all, func(s *scenarios.Scenario) bool { role.apply(s); return true })
			for _, from := range list {
				for n := 1; n <= min(len(list), 9); n++ { // the lowest number that is free
					if to := r.pattern(n); !slices.Contains(list, to) {
						single(r, from, to)
						break
					}
				}
			}
		}
		return append([]edit{func(s *scenarios.Scenario) bool { whole.apply(s); return true }}, all...)
	})
}

// numbered gives names their numbers in the order of the list.
func numbered(r role, list []string) map[string]string {
	out := make(map[string]string, len(list))
	for i, name := range list {
		out[name] = r.pattern(i + 1)
	}
	return out
}

// unname leaves out the name of an event or push where its verb and repository name it as well.
func unname(s *scenarios.Scenario, i int) bool {
	old := s.Timeline[i].As
	push := s.Timeline[i].Verb() == "push"
	s.Timeline[i].As = ""
	now := s.Timeline[i].EventName()
	if push {
		now = s.Timeline[i].PushName()
	}
	for k := range s.Timeline {
		if k != i && (s.Timeline[k].EventName() == now || push && s.Timeline[k].PushName() == now) {
			return false
		}
	}
	var m renaming
	m[eventRole] = map[string]string{old: now}
	m.apply(s)
	return true
}

// namesOf are the names of a role that may be changed, sorted.
func namesOf(s *scenarios.Scenario, r role) []string {
	found := make(map[string]bool)
	add := func(x string) { found[x] = true }
	switch r {
	case hostRole:
		for name := range s.Hosts {
			add(name)
		}
	case userRole:
		for _, u := range users(s) {
			add(u)
		}
	case identifierRole:
		for name := range s.Repos {
			_, id, _ := strings.Cut(name, "/")
			add(id)
		}
	case eventRole:
		for i := range s.Timeline {
			add(s.Timeline[i].As)
			add(s.Timeline[i].Note)
		}
	case labelRole:
		labels(s, func(l *string) {
			if base, _, _ := strings.Cut(*l, "~"); !isOID(base) {
				add(base)
			}
		})
		for _, kept := range []string{"main", "base", "none"} { // words with a meaning, and the usual one
			delete(found, kept)
		}
	case viaRole:
		for name := range s.Relays {
			add(name)
		}
	}
	delete(found, "")
	return sorted(found)
}

func isOID(s string) bool {
	return (len(s) == 40 || len(s) == 64) && strings.Trim(s, "0123456789abcdef") == ""
}

// labels visits every label of an object.
func labels(s *scenarios.Scenario, visit func(*string)) {
	list := func(l scenarios.Labels) {
		for i := range l {
			visit(&l[i])
		}
	}
	values := func(r scenarios.Refs) {
		for i := range r {
			if !strings.HasPrefix(r[i].Value, "ref: ") {
				visit(&r[i].Value)
			}
		}
	}
	for _, name := range sorted(s.Repos) {
		r := s.Repos[name]
		r.Commits = rekeyed(r.Commits, visit)
		r.Chains = rekeyed(r.Chains, visit)
		r.Tags = rekeyed(r.Tags, visit)
		for _, k := range sorted(r.Commits) {
			list(r.Commits[k])
		}
		for _, k := range sorted(r.Tags) {
			v := r.Tags[k]
			visit(&v)
			r.Tags[k] = v
		}
		list(r.Has)
		values(r.Nostr)
		for _, where := range sorted(r.On) {
			for i := range r.On[where] {
				list(r.On[where][i].Has)
				values(r.On[where][i].Refs)
			}
		}
		s.Repos[name] = r
	}
	for i := range s.Timeline {
		a := &s.Timeline[i]
		values(a.Refs)
		values(a.Old)
		if a.Commit != "" {
			visit(&a.Commit)
		}
	}
	for i := range s.Expect {
		values(s.Expect[i].Is)
	}
}

// rekeyed is a table with its keys visited.
func rekeyed[T any](m map[string]T, visit func(*string)) map[string]T {
	if m == nil {
		return nil
	}
	out := make(map[string]T, len(m))
	for _, k := range sorted(m) {
		to := k
		visit(&to)
		out[to] = m[k]
	}
	return out
}

// bracket is a name in a tag: <user alice>, <npub alice>, <event s1>, <object hello:main>.
var bracket = regexp.MustCompile(`<(user|npub|event|object) ([^>]*)>`)

// apply changes the names wherever they stand.
func (m *renaming) apply(s *scenarios.Scenario) {
	host := m.host
	user := func(x string) string { return m.of(userRole, x) }
	label := func(l *string) {
		base, rest, chain := strings.Cut(*l, "~")
		if base = m.of(labelRole, base); chain {
			base += "~" + rest
		}
		*l = base
	}
	labels(s, label)
	s.Hosts, s.Domains, s.Repos, s.Users = keyed(s.Hosts, host), keyed(s.Domains, host), keyed(s.Repos, m.repo), keyed(s.Users, user)
	s.Relays = keyed(s.Relays, m.via)
	each(s.Hostile, user)
	s.Config = m.settings(s.Config)
	for _, name := range sorted(s.Repos) {
		r := s.Repos[name]
		each(r.Clone, host)
		each(r.Maintainers, user)
		r.On = keyed(r.On, host)
		m.nostr(r.Nostr)
		s.Repos[name] = r
	}
	for _, name := range sorted(s.Hosts) {
		for i := range s.Hosts[name].Script {
			b := &s.Hosts[name].Script[i].Behaviour
			b.Target = host(b.Target)
			for k := range b.Rules {
				b.Rules[k].Target = host(b.Rules[k].Target)
			}
		}
	}
	for i := range s.Faults {
		f := &s.Faults[i]
		for _, l := range []scenarios.Labels{f.Stall, f.Refuse, f.Throttle, f.Partition, f.Flap, f.Upset} {
			each(l, host)
		}
		f.Target = host(f.Target)
	}
	for i := range s.Local {
		l := &s.Local[i]
		l.Repo, l.Refuse = m.repo(l.Repo), m.event(l.Refuse)
	}
	for i := range s.Timeline {
		m.action(&s.Timeline[i])
	}
	for i := range s.Expect {
		m.expectation(&s.Expect[i])
	}
}

func (m *renaming) action(a *scenarios.Action) {
	for _, p := range []*string{&a.Announce, &a.State, &a.PR, &a.PRUpdate, &a.Issue, &a.Push, &a.Attack} {
		*p = m.repo(*p)
	}
	for _, p := range []*string{&a.Again, &a.Delete, &a.Remove, &a.Note, &a.As} {
		*p = m.event(*p)
	}
	a.By = m.of(userRole, a.By)
	each(a.Maintainers, func(x string) string { return m.of(userRole, x) })
	each(a.Clone, m.host)
	each(a.Also, m.repo)
	each(a.Mentions, m.event)
	each(a.Via, m.via)
	m.nostr(a.Refs)
	m.nostr(a.Old)
	a.Set = m.settings(a.Set)
	for _, t := range a.Tags {
		each(t, m.tag)
	}
	a.Content = m.tag(a.Content)
}

func (m *renaming) expectation(e *scenarios.Expectation) {
	for _, p := range []*string{&e.Released, &e.Expired, &e.Deleted, &e.Replaced, &e.Evicted, &e.Held, &e.Absent, &e.Refused, &e.Served,
		&e.Reachable, &e.Pushed, &e.Denied} {
		*p = m.event(*p)
	}
	for _, p := range []*string{&e.Attempts, &e.Refs, &e.Nostr, &e.Head, &e.Repo} {
		*p = m.repo(*p)
	}
	for _, p := range []*string{&e.Passes, &e.Requests, &e.AtOnce, &e.Fair, &e.Host} {
		*p = m.host(*p)
	}
	m.nostr(e.Is)
	if e.Nostr != "" {
		for i := range e.Is {
			e.Is[i].Name = m.event(e.Is[i].Name)
		}
	}
}

// host renames a host, also in a URL.
func (m *renaming) host(where string) string {
	scheme, rest, isURL := strings.Cut(where, "://")
	if !isURL {
		return m.of(hostRole, where)
	}
	name, path, _ := strings.Cut(rest, "/")
	if to := m.of(hostRole, name); to != name {
		return scheme + "://" + to + "/" + path
	}
	return where
}

func (m *renaming) via(name string) string { return m.of(viaRole, name) }

func (m *renaming) repo(name string) string {
	owner, id, ok := strings.Cut(name, "/")
	if !ok {
		return name
	}
	return m.of(userRole, owner) + "/" + m.of(identifierRole, id)
}

// event renames an event or push, also one that is called by its verb and repository.
func (m *renaming) event(name string) string {
	if to, ok := m[eventRole][name]; ok {
		return to
	}
	verb, about, ok := strings.Cut(name, " ")
	switch {
	case !ok:
		return name
	case verb == "delete":
		return verb + " " + m.event(about)
	}
	return verb + " " + m.repo(about)
}

// nostr renames the events in refs/nostr/.
func (m *renaming) nostr(refs scenarios.Refs) {
	for i := range refs {
		if name, ok := strings.CutPrefix(refs[i].Name, "refs/nostr/"); ok {
			refs[i].Name = "refs/nostr/" + m.event(name)
		}
	}
}

// settings renames the users of a configuration.
func (m *renaming) settings(c map[string]string) map[string]string {
	if c["blocked"] == "" {
		return c
	}
	list := strings.Split(c["blocked"], ",")
	for i := range list {
		list[i] = m.of(userRole, strings.TrimSpace(list[i]))
	}
	c["blocked"] = strings.Join(list, ", ")
	return c
}

// tag renames what a tag of a raw event names.
func (m *renaming) tag(text string) string {
	text = m.of(identifierRole, m.host(text))
	if head, id, ok := strings.Cut(text, ">:"); ok {
		text = head + ">:" + m.of(identifierRole, id)
	}
	return bracket.ReplaceAllStringFunc(text, func(b string) string {
		x := bracket.FindStringSubmatch(b)
		switch x[1] {
		case "event":
			return "<event " + m.event(x[2]) + ">"
		case "object":
			id, label, _ := strings.Cut(x[2], ":")
			return "<object " + m.of(identifierRole, id) + ":" + m.of(labelRole, label) + ">"
		}
		return "<" + x[1] + " " + m.of(userRole, x[2]) + ">"
	})
}

func each(l []string, change func(string) string) {
	for i := range l {
		l[i] = change(l[i])
	}
}

// keyed is a table with its keys changed.
func keyed[T any](m map[string]T, change func(string) string) map[string]T {
	if m == nil {
		return nil
	}
	out := make(map[string]T, len(m))
	for _, k := range sorted(m) {
		out[change(k)] = m[k]
	}
	return out
}
