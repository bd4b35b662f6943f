package scenarios

import (
	"cmp"
	"fmt"
	"slices"

	"graspsync/sim"
)

// Scenarios that are judged by comparing runs: under other orders of arrival (permute, I-10), and without what
// hostile users do (hostile, I-11).

// maxOrders bounds permute: all orders of seven events, and what a run of some seconds can make.
const maxOrders = 5040

// compared checks the fields permute and hostile.
func (v *validator) compared() {
	s := v.Scenario
	if s.Permute < 0 || s.Permute > maxOrders {
		v.add("permute", fmt.Sprintf("%d, must be 0 to %d orders", s.Permute, maxOrders))
	}
	if s.Permute > 0 {
		if why := v.fixedOrder(); why != "" {
			v.add("permute", why)
		}
	}
	for i, name := range s.Hostile {
		path := fmt.Sprintf("hostile[%d]", i)
		if checkUser(v.problems, path, name); !slices.ContainsFunc(v.actions, func(a item[Action]) bool { return a.val.author() == name }) {
			v.add(path, fmt.Sprintf("%q does nothing in the timeline; name a user who publishes or pushes", name))
		}
	}
}

// fixedOrder says what keeps the actions from coming in another order, or "".
func (x *script) fixedOrder() string {
	for i := range x.actions {
		a := &x.actions[i].val
		switch verb := a.verb(); verb {
		case "announce", "state", "pr", "pr-update", "issue", "note", "delete", "event", "again", "raw":
			if a.Origin == "client" {
				return fmt.Sprintf("%s comes from a client; only synced events can come in another order", x.actions[i].path)
			}
		default:
			return fmt.Sprintf("%s is a %s; only synced events can come in another order", x.actions[i].path, verb)
		}
	}
	return ""
}

// CanPermute is nil if the scenario can be run under other orders of arrival, and else says why not.
func (s *Scenario) CanPermute() error {
	p := &problems{}
	x := s.expand(p)
	if err := p.err(); err != nil {
		return err
	}
	if why := x.fixedOrder(); why != "" {
		return fmt.Errorf("scenario %s: permute: %s", s.Name, why)
	}
	return nil
}

// author is the user who does an action, or "" where that is nobody or not said.
func (a *Action) author() string {
	owner, _, _ := splitRepo(a.about())
	if a.Push != "" {
		owner, _, _ = splitRepo(a.Push)
	}
	if a.Delete != "" {
		owner = "" // that of the event it names
	}
	return cmp.Or(a.By, owner)
}

// compare makes the further runs that the scenario asks for, and adds their findings.
func (s *Scenario) compare(seed uint64, o *Options, res *sim.Result) error {
	if s.Permute == 0 && len(s.Hostile) == 0 {
		return nil
	}
	checks := o.Checks
	if checks == sim.ChecksThorough {
		checks = sim.ChecksFast
	}
	var last *build
	again := func() (sim.Setup, error) {
		b, err := s.world(seed)
		if err != nil {
			return sim.Setup{}, err
		}
		last = b
		setup := b.setup(seed)
		setup.Checks = checks
		if o.Change != nil {
			o.Change(b.relay, &setup)
		}
		return setup, nil
	}
	if s.Permute > 0 {
		r, err := sim.ComparePermuted(again, sim.Orders{Most: s.Permute, Seed: seed})
		if err != nil {
			return err
		}
		res.Violations = append(res.Violations, newFindings(r.Violations, res.Violations)...)
	}
	if len(s.Hostile) > 0 {
		if _, err := again(); err != nil {
			return err
		}
		r, err := sim.CompareWithout(again, last.hostile())
		if err != nil {
			return err
		}
		res.Violations = append(res.Violations, newFindings(r.Violations, res.Violations)...)
	}
	return nil
}

// newFindings leaves out what was found already.
func newFindings(list, known []sim.Violation) (out []sim.Violation) {
	for _, v := range list {
		if !slices.Contains(known, v) {
			out = append(out, v)
		}
	}
	return out
}

// hostile names the keys and pushes of the scenario's hostile users.
func (b *build) hostile() (h sim.Hostile) {
	for _, name := range b.Hostile {
		h.Authors = append(h.Authors, b.pubKey(name))
	}
	for i := range b.actions {
		if a := &b.actions[i].val; a.Push != "" && slices.Contains(b.Hostile, a.author()) {
			h.Pushes = append(h.Pushes, b.pushID[a.pushName()])
		}
	}
	return h
}
