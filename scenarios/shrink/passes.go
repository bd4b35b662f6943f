package shrink

import (
	"reflect"
	"slices"
	"strings"

	"graspsync/scenarios"
)

// pass is one kind of simplification.
type pass struct {
	label string
	run   func(g *gate, label string)
}

// passes are all of them, in the order of a round: what takes most away first.
func passes() []pass {
	return []pass{
		{"comparisons", comparisons},
		{"expectations", listPass("Expect")},
		{"horizon", horizon},
		{"repositories", tablePass("Repos")},
		{"hosts", tablePass("Hosts")},
		{"users", func(g *gate, l string) {
			g.ddmin(l, func(s *scenarios.Scenario) int { return len(users(s)) }, dropUsers)
		}},
		{"relays", relays},
		{"windows", windows},
		{"timeline", listPass("Timeline")},
		{"scripts", scripts},
		{"config", configPass},
		{"driver", fieldsPass("Driver")},
		{"fields", fieldsPass("")},
		{"lists", lists},
		{"shifts", shifts},
		{"numbers", numbers},
		{"names", names},
		{"seed", seeds},
	}
}

// listPass takes entries out of one list of the scenario.
func listPass(field string) func(*gate, string) { return tablePass(field) }

// tablePass does the same with one table.
func tablePass(field string) func(*gate, string) {
	list := func(s *scenarios.Scenario) reflect.Value { return reflect.ValueOf(s).Elem().FieldByName(field) }
	return func(g *gate, label string) {
		g.ddmin(label, func(s *scenarios.Scenario) int { return list(s).Len() }, func(s *scenarios.Scenario, lo, hi int) {
			cut(spot{field, list(s), func() {}}, lo, hi)
		})
	}
}

// comparisons takes away what makes further runs and does not matter: other orders, and runs without hostile users.
func comparisons(g *gate, label string) {
	g.edits(label, func(*scenarios.Scenario) []edit {
		return []edit{
			func(s *scenarios.Scenario) bool { s.Permute, s.Hostile, s.Rules = 0, nil, nil; return true },
			func(s *scenarios.Scenario) bool { s.Permute = 0; return true },
			func(s *scenarios.Scenario) bool { s.Hostile = nil; return true },
			func(s *scenarios.Scenario) bool { s.Rules = nil; return true },
		}
	})
}

// horizon cuts what comes after the failure. An expectation without an instant is of the whole run, so that its horizon
// stays.
func horizon(g *gate, label string) {
	at := g.violation.At
	floor := scenarios.Span(0)
	if g.target.id == expectID {
		if floor = lastExpected(&g.cur.Expect[0]); floor == 0 {
			return
		}
	}
	g.edits(label, func(s *scenarios.Scenario) []edit {
		var all []edit
		last := scenarios.Span(at)
		if last <= 0 || last >= s.Horizon {
			last = 1
		}
		for _, h := range rounded(last, s.Horizon) {
			if h >= floor {
				all = append(all, func(s *scenarios.Scenario) bool { return cutHorizon(s, h) })
			}
		}
		return all
	})
}

// lastExpected is the last instant that an expectation names.
func lastExpected(e *scenarios.Expectation) scenarios.Span {
	last := max(e.From, e.To)
	for _, t := range slices.Concat(e.At, e.Between) {
		last = max(last, t)
	}
	return last
}

// cutHorizon ends the run at h, without what would come later.
func cutHorizon(s *scenarios.Scenario, h scenarios.Span) bool {
	if h >= s.Horizon {
		return false
	}
	s.Horizon = h
	s.Timeline = slices.DeleteFunc(s.Timeline, func(a scenarios.Action) bool { return a.At > h })
	s.Faults = slices.DeleteFunc(s.Faults, func(f scenarios.Fault) bool { return f.From > h })
	s.Local = slices.DeleteFunc(s.Local, func(l scenarios.Local) bool { return l.From > h })
	for i := range s.Faults {
		if s.Faults[i].To > h {
			s.Faults[i].To = 0
		}
	}
	for i := range s.Local {
		if s.Local[i].To > h {
			s.Local[i].To = 0
		}
	}
	return true
}

// users are all who own, maintain, publish or push something, sorted.
func users(s *scenarios.Scenario) []string {
	var out []string
	add := func(u string) {
		if u != "" && !slices.Contains(out, u) {
			out = append(out, u)
		}
	}
	for name, r := range s.Repos {
		owner, _, _ := strings.Cut(name, "/")
		add(owner)
		for _, m := range r.Maintainers {
			add(m)
		}
	}
	for i := range s.Timeline {
		add(s.Timeline[i].By)
		for _, m := range s.Timeline[i].Maintainers {
			add(m)
		}
	}
	slices.Sort(out)
	return out
}

// dropUsers takes out users with all that is theirs.
func dropUsers(s *scenarios.Scenario, lo, hi int) {
	gone := users(s)[lo:hi]
	is := func(u string) bool { return slices.Contains(gone, u) }
	for name, r := range s.Repos {
		owner, _, _ := strings.Cut(name, "/")
		if is(owner) {
			delete(s.Repos, name)
			continue
		}
		r.Maintainers = keep(r.Maintainers, func(u string) bool { return !is(u) })
		s.Repos[name] = r
	}
	for u := range s.Users {
		if is(u) {
			delete(s.Users, u)
		}
	}
	s.Timeline = slices.DeleteFunc(s.Timeline, func(a scenarios.Action) bool { return a.By != "" && is(a.By) })
	for i := range s.Timeline {
		s.Timeline[i].Maintainers = keep(s.Timeline[i].Maintainers, func(u string) bool { return !is(u) })
	}
}

// relays takes out relays: upstream ones, those of a network, and the network itself for the sake of its first relay.
func relays(g *gate, label string) {
	tablePass("Relays")(g, label)
	g.edits(label, func(s *scenarios.Scenario) (all []edit) {
		if s.Network == nil {
			return nil
		}
		for i := range s.Network.Relays {
			all = append(all, func(s *scenarios.Scenario) bool { return alone(s, i) })
		}
		for i := range s.Network.Relays {
			if len(s.Network.Relays) > 2 {
				all = append(all, func(s *scenarios.Scenario) bool {
					s.Network.Relays = slices.Delete(s.Network.Relays, i, i+1)
					return true
				})
			}
		}
		for i := range s.Network.Links {
			all = append(all, func(s *scenarios.Scenario) bool {
				s.Network.Links = slices.Delete(s.Network.Links, i, i+1)
				if len(s.Network.Links) == 0 {
					s.Network.Links = nil
				}
				return true
			})
		}
		return all
	})
}

// alone makes a scenario of one relay of a network: what happens at the others is gone.
func alone(s *scenarios.Scenario, relay int) bool {
	n := s.Network
	name, first := n.Relays[relay], n.Relays[0]
	here := func(on string) bool { return on == name || on == "" && name == first }
	s.Network, s.Service = nil, name
	if name == "relay.example" {
		s.Service = ""
	}
	s.Timeline = slices.DeleteFunc(s.Timeline, func(a scenarios.Action) bool { return !here(a.On) })
	for i := range s.Timeline {
		s.Timeline[i].On = ""
	}
	s.Local = slices.DeleteFunc(s.Local, func(l scenarios.Local) bool { return !here(l.On) })
	for i := range s.Local {
		s.Local[i].On = ""
	}
	for i := range s.Expect {
		if here(s.Expect[i].On) {
			s.Expect[i].On = ""
		}
	}
	return true
}

// windows takes out windows of faults, and single hosts of those that stay.
func windows(g *gate, label string) {
	tablePass("Faults")(g, label)
	tablePass("Local")(g, label)
	g.places(label, func(p spot) bool {
		return (strings.HasPrefix(p.path, "Faults[") || strings.HasPrefix(p.path, "Local[")) && p.val.Type() == reflect.TypeFor[scenarios.Labels]()
	})
	g.edits(label, func(s *scenarios.Scenario) (all []edit) {
		for i := range s.Faults {
			all = append(all, func(s *scenarios.Scenario) bool { s.Faults[i].From, s.Faults[i].To = 0, 0; return true })
		}
		for i := range s.Local {
			all = append(all, func(s *scenarios.Scenario) bool { s.Local[i].From, s.Local[i].To = 0, 0; return true })
		}
		return all
	})
}

// scripts makes what hosts do constant: nothing at all, one of the phases for ever, fewer phases; then fewer rules. Where
// the scenario promises something, only what its hosts do in the end may last.
func scripts(g *gate, label string) {
	g.edits(label, func(s *scenarios.Scenario) (all []edit) {
		for _, name := range sorted(s.Hosts) {
			set := func(change func(h *scenarios.Host) bool) {
				all = append(all, func(s *scenarios.Scenario) bool {
					h := s.Hosts[name]
					ok := change(&h)
					s.Hosts[name] = h
					return ok
				})
			}
			set(func(h *scenarios.Host) bool { *h = scenarios.Host{Script: []scenarios.Phase{{}}}; return true })
			set(func(h *scenarios.Host) bool { h.Script = []scenarios.Phase{{}}; return true })
			n := len(s.Hosts[name].Script)
			for i := n - 1; i >= 0 && n > 1; i-- {
				if i < n-1 && g.target.promises(s) {
					break
				}
				set(func(h *scenarios.Host) bool {
					h.Script = []scenarios.Phase{{Behaviour: h.Script[i].Behaviour}}
					return true
				})
			}
			for i := 0; i < n-1; i++ {
				set(func(h *scenarios.Host) bool { h.Script = slices.Delete(h.Script, i, i+1); return true })
			}
			for i := range n {
				for k := range s.Hosts[name].Script[i].Rules {
					set(func(h *scenarios.Host) bool { h.Script[i].Rules = shorter(h.Script[i].Rules, k); return true })
				}
				set(func(h *scenarios.Host) bool { h.Script[i].Behaviour = scenarios.Behaviour{}; return true })
				set(func(h *scenarios.Host) bool { h.Script[i].Rule = scenarios.Rule{}; return true })
				set(func(h *scenarios.Host) bool { h.Script[i].Like = ""; return true })
			}
		}
		return all
	})
}

func shorter[T any](list []T, i int) []T {
	if len(list) == 1 {
		return nil
	}
	return slices.Delete(list, i, i+1)
}

// configPass takes out settings: of the configuration, of domains, and those that change on the way.
func configPass(g *gate, label string) {
	tablePass("Config")(g, label)
	tablePass("Domains")(g, label)
	g.places(label, func(p spot) bool { return strings.HasPrefix(p.path, "Timeline[") && strings.HasSuffix(p.path, "].Set") })
}

// places takes elements out of every list or table that want chooses.
func (g *gate) places(label string, want func(spot) bool) {
	whole := func(p spot) bool {
		return (p.val.Kind() == reflect.Slice || p.val.Kind() == reflect.Map) && !g.frozen(p.path) && want(p)
	}
	for i := 0; ; i++ {
		if i >= len(spots(g.cur, whole)) || g.spent {
			return
		}
		path := spots(g.cur, whole)[i].path
		find := func(s *scenarios.Scenario) (spot, bool) {
			all := spots(s, func(p spot) bool { return p.path == path })
			if len(all) == 0 {
				return spot{}, false
			}
			return all[0], true
		}
		g.ddmin(label, func(s *scenarios.Scenario) int {
			if p, ok := find(s); ok {
				return p.val.Len()
			}
			return 0
		}, func(s *scenarios.Scenario, lo, hi int) {
			if p, ok := find(s); ok {
				cut(p, lo, hi)
			}
		})
	}
}

// lists shortens what other passes do not: refs, holdings, parents, tags, instants …
func lists(g *gate, label string) {
	g.places(label, func(p spot) bool { return strings.ContainsAny(p.path, ".[") })
}

// frozen tells whether a part is not to be changed: the head, and an expectation that is not met.
func (g *gate) frozen(path string) bool {
	switch path {
	case "", "Version", "Name", "Description", "Rules", "Horizon", "Seed", "Ties":
		return true
	}
	return g.target.id == expectID && strings.HasPrefix(path, "Expect")
}

// fieldsPass leaves single fields out, which makes them what they are by default, below one field of the scenario or
// everywhere.
func fieldsPass(under string) func(*gate, string) {
	return func(g *gate, label string) {
		want := func(p spot) bool {
			return !g.frozen(p.path) && !inSlice(p.path) && strings.HasPrefix(p.path, under) && p.val.Kind() != reflect.Map
		}
		g.edits(label, func(s *scenarios.Scenario) []edit {
			all := make([]edit, len(spots(s, want)))
			for i := range all {
				all[i] = func(s *scenarios.Scenario) bool {
					list := spots(s, want)
					if i >= len(list) {
						return false
					}
					list[i].val.SetZero()
					list[i].put()
					return true
				}
			}
			return all
		})
	}
}

// seeds tries the default seed and the plain orders of equal instants.
func seeds(g *gate, label string) {
	g.edits(label, func(*scenarios.Scenario) []edit {
		var all []edit
		for _, ties := range []string{"", "kind", "reverse", "shuffle"} {
			all = append(all, func(s *scenarios.Scenario) bool { s.Seed, s.Ties = 0, ties; return true })
		}
		for seed := range uint64(9) {
			all = append(all, func(s *scenarios.Scenario) bool { s.Seed, s.Ties = seed+2, ""; return true })
		}
		return append(all, func(s *scenarios.Scenario) bool { s.Ties = ""; return true })
	})
}

func sorted[T any](m map[string]T) []string {
	keys := make([]string, 0, len(m))
	for k := range m {
		keys = append(keys, k)
	}
	slices.Sort(keys)
	return keys
}
