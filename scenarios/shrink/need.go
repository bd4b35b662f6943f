package shrink

import (
	"bytes"
	"fmt"
	"reflect"
	"strings"

	"graspsync/scenarios"
)

// Need says what happens without one thing of the minimal scenario.
type Need struct {
	What    string // as the scenario writes it
	Fault   bool   // it is a fault: something that does not go as it should; false: workload
	Outcome Outcomes
	Text    string // the first thing that is broken instead, or why there is no run without it
}

// Outcomes are how a run without something may end.
type Outcomes uint8

// How a run without something ends.
const (
	Passes  Outcomes = iota // nothing is broken: it is necessary
	Another                 // something else is broken
	Still                   // the same is broken: it is not necessary, but was not taken out for want of attempts
	NoRun                   // there is no sound scenario without it, or what is judged goes with it
)

// String is the outcome in words.
func (o Outcomes) String() string {
	return [...]string{"passes", "breaks something else", "still fails", "cannot be left out alone"}[o]
}

// String is a line for a report.
func (n Need) String() string {
	text := n.Outcome.String()
	if n.Text != "" {
		text += ": " + n.Text
	}
	return "without " + n.What + ": " + text
}

// need is one thing that can be left out.
type need struct {
	what  string
	fault bool
	drop  func(s *scenarios.Scenario)
}

// necessity leaves out each fault that remains, alone, and then each entry of the workload.
func (g *gate) necessity(s *scenarios.Scenario) []Need {
	var out []Need
	var runs []*scenarios.Scenario
	var of []int
	for _, n := range needs(s) {
		c := clone(s)
		n.drop(c)
		w := Need{What: n.what, Fault: n.fault, Outcome: NoRun}
		if g.repairAlone(c) {
			runs, of = append(runs, c), append(of, len(out))
		}
		out = append(out, w)
	}
	for lo := 0; lo < len(runs); lo += g.width {
		hi := min(lo+g.width, len(runs))
		for i, r := range g.run(runs[lo:hi]) {
			g.evaluations++
			n := &out[of[lo+i]]
			if r.Err != nil {
				n.Text = r.Err.Error()
				continue
			}
			if _, ok := g.target.hit(runs[lo+i], &r.Result); ok {
				n.Outcome = Still
			} else if len(r.Result.Violations) > 0 {
				v := r.Result.Violations[0]
				n.Outcome, n.Text = Another, v.ID+" at "+v.At.String()+", "+v.Text
			} else {
				n.Outcome = Passes
			}
		}
	}
	return out
}

// repairAlone is repair without the demand that promises can be kept: what a fault hid may come to light.
func (g *gate) repairAlone(s *scenarios.Scenario) bool {
	cur := g.cur
	g.cur = s
	defer func() { g.cur = cur }()
	return g.repair(s)
}

// line is how the scenario writes the only thing in s.
func line(s *scenarios.Scenario) string {
	text := bytes.TrimSpace(s.Encode())
	if i := bytes.IndexByte(text, '\n'); i >= 0 { // the first line names the list
		section := strings.TrimSuffix(string(text[:i]), ":")
		rest := strings.TrimSpace(string(text[i+1:]))
		return section + ": " + strings.TrimPrefix(rest, "- ")
	}
	return string(text)
}

// needs are the faults and the workload of a scenario.
func needs(s *scenarios.Scenario) (out []need) {
	add := func(fault bool, what string, drop func(*scenarios.Scenario)) {
		out = append(out, need{what, fault, drop})
	}
	for _, name := range sorted(s.Hosts) {
		h := s.Hosts[name]
		if len(h.Script) == 1 && reflect.ValueOf(h.Script[0]).IsZero() && h.Wants == "" && h.Address == "" {
			continue
		}
		add(true, line(&scenarios.Scenario{Hosts: map[string]scenarios.Host{name: h}}), func(s *scenarios.Scenario) {
			s.Hosts[name] = scenarios.Host{Script: []scenarios.Phase{{}}}
		})
	}
	for i := range s.Faults {
		add(true, line(&scenarios.Scenario{Faults: s.Faults[i : i+1]}), func(s *scenarios.Scenario) { s.Faults = shorter(s.Faults, i) })
	}
	for i := range s.Local {
		add(true, line(&scenarios.Scenario{Local: s.Local[i : i+1]}), func(s *scenarios.Scenario) { s.Local = shorter(s.Local, i) })
	}
	out = append(out, driverNeeds(s)...)
	for _, name := range sorted(s.Config) {
		add(true, "config: "+name+": "+s.Config[name], func(s *scenarios.Scenario) { delete(s.Config, name) })
	}
	for _, name := range sorted(s.Domains) {
		add(true, line(&scenarios.Scenario{Domains: map[string]scenarios.Domain{name: s.Domains[name]}}), func(s *scenarios.Scenario) { delete(s.Domains, name) })
	}
	for _, name := range sorted(s.Relays) {
		add(true, line(&scenarios.Scenario{Relays: map[string]scenarios.Relay{name: s.Relays[name]}}), func(s *scenarios.Scenario) { delete(s.Relays, name) })
	}
	out = append(out, linkNeeds(s)...)
	if s.Seed > 1 || s.Ties != "" {
		add(true, strings.TrimSpace(fmt.Sprintf("seed: %d %s", s.Seed, s.Ties)), func(s *scenarios.Scenario) { s.Seed, s.Ties = 0, "" })
	}
	for i := range s.Timeline {
		a := &s.Timeline[i]
		add(isFault(a), line(&scenarios.Scenario{Timeline: s.Timeline[i : i+1]}), func(s *scenarios.Scenario) { s.Timeline = shorter(s.Timeline, i) })
		if n := a.CutAfter; n != nil {
			add(true, fmt.Sprintf("cut-after: %d of %s", *n, a.PushName()), func(s *scenarios.Scenario) { s.Timeline[i].CutAfter = nil })
		}
	}
	return out
}

// isFault tells entries of the timeline that are no work of users.
func isFault(a *scenarios.Action) bool {
	switch a.Verb() {
	case "crash", "shutdown", "clock", "set", "remove", "again", "attack":
		return true
	}
	return false
}

// driverNeeds are the single settings of a driver that misbehaves.
func driverNeeds(s *scenarios.Scenario) (out []need) {
	if s.Driver == nil {
		return nil
	}
	leaf := func(p spot) bool {
		return strings.HasPrefix(p.path, "Driver.") && isLeaf(p.val) && !strings.Contains(p.path, ".Num") && !strings.Contains(p.path, ".Den")
	}
	for i, p := range spots(s, leaf) {
		value := fmt.Sprint(p.val.Interface())
		path := strings.ToLower(strings.ReplaceAll(strings.TrimPrefix(p.path, "Driver."), ".", ": "))
		out = append(out, need{"driver: " + path + ": " + value, true, func(s *scenarios.Scenario) {
			p := spots(s, leaf)[i]
			p.val.SetZero()
			p.put()
		}})
	}
	return out
}

// linkNeeds are what goes wrong between relays.
func linkNeeds(s *scenarios.Scenario) (out []need) {
	if s.Network == nil {
		return nil
	}
	for i := range s.Network.Links {
		l := &s.Network.Links[i]
		between := " of the link from " + l.From + " to " + l.To
		add := func(bad bool, what string, drop func(l *scenarios.Link)) {
			if bad {
				out = append(out, need{what + between, true, func(s *scenarios.Scenario) { drop(&s.Network.Links[i]) }})
			}
		}
		add(l.Jitter > 0, "jitter: "+l.Jitter.String(), func(l *scenarios.Link) { l.Jitter = 0 })
		add(l.Latency > 0, "latency: "+l.Latency.String(), func(l *scenarios.Link) { l.Latency = 0 })
		add(l.Duplicates > 0, fmt.Sprintf("duplicates: %d", l.Duplicates), func(l *scenarios.Link) { l.Duplicates = 0 })
		add(l.Replay > 0, "replay: "+l.Replay.String(), func(l *scenarios.Link) { l.Replay = 0 })
		add(l.Cut != nil, fmt.Sprintf("cut: %v", l.Cut), func(l *scenarios.Link) { l.Cut = nil })
		out = append(out, need{"the link from " + l.From + " to " + l.To, false, func(s *scenarios.Scenario) {
			s.Network.Links = shorter(s.Network.Links, i)
		}})
	}
	for i, name := range s.Network.Lies {
		out = append(out, need{"lies: " + name, true, func(s *scenarios.Scenario) { s.Network.Lies = shorter(s.Network.Lies, i) }})
	}
	return out
}
