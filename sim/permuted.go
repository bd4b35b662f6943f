package sim

import (
	"cmp"
	"fmt"
	"slices"

	"graspsync/core"
)

// Orders says in which orders ComparePermuted delivers the synced events of a setup, and how long it goes on
// delivering them again.
type Orders struct {
	First  int       // so many of the first synced events change places; 0, or more than there are: all
	Most   int       // at most so many orders, that of the setup among them; 0: DefaultOrders. Fewer than all are drawn
	Seed   uint64    // … by this
	Gap    core.Time // from one redelivery of everything to the next; 0: 5 min
	Rounds int       // at most so many redeliveries; 0: 24
}

// DefaultOrders is how many orders are compared if Orders says nothing.
const DefaultOrders = 24

// ComparePermuted judges I-10: it runs what build gives in several orders of its synced events, each to its
// horizon and on, with everything delivered again every Gap until a round changes nothing, and demands
// that all runs end with the same events served and the same refs in every repository. HEAD is left out: a
// state that names none leaves it where an older one put it (ST-04), and whether the older one came in time
// to be applied is a matter of order.
//
// The events keep the instants of the setup and change places among them. Nothing but synced events may arrive.
// What expires in one order is not compared, nor is anything of its identifier: that its data was not there
// in time is a matter of instants, and judged by I-4. A bound that is hit, and evicts or refuses, is the caller's to
// avoid. The result is that of the first order, with the findings of all.
//
// build must make fresh peers at each call.
func ComparePermuted(build func() (Setup, error), o Orders) (Result, error) {
	o.Gap = cmp.Or(o.Gap, 5*core.Minute)
	o.Rounds = cmp.Or(o.Rounds, 24)
	first, err := build()
	if err != nil {
		return Result{}, err
	}
	slots, err := syncedSlots(&first)
	if err != nil {
		return Result{}, err
	}
	n := len(slots)
	if o.First > 0 {
		n = min(n, o.First)
	}
	base, err := o.run(first, slots, nil)
	if err != nil {
		return Result{}, err
	}
	res := base.result
	for _, order := range o.orders(n)[1:] {
		s, err := build()
		if err != nil {
			return res, err
		}
		s.Reachable, s.Trace = nil, nil // what is in reach from when is said of the first order
		other, err := o.run(s, slots, order)
		if err != nil {
			return res, err
		}
		for _, v := range other.result.Violations {
			v.Text = fmt.Sprintf("in order %v: %s", order, v.Text)
			res.Violations = append(res.Violations, v)
		}
		if text := other.view.difference(&base.view, first.Names, newViewer(&first).expired(base.result.Record, other.result.Record)); text != "" {
			res.Violations = append(res.Violations, Violation{ID: "I-10", At: other.result.Virtual, Step: other.result.Steps,
				Text: fmt.Sprintf("delivered in order %v instead of as they came: %s", order, text)})
		}
		if len(res.Violations) >= maxViolations {
			break
		}
	}
	return res, nil
}

// syncedSlots are the arrivals that may change places.
func syncedSlots(s *Setup) ([]int, error) {
	var slots []int
	for i := range s.Arrivals {
		a := &s.Arrivals[i]
		if a.Push != nil || a.Crash != nil || a.Input.Kind != core.InEvent || a.Input.Origin != core.FromSync {
			return nil, setupError(fmt.Sprintf("Arrivals[%d] is no synced event, and only those can come in another order", i))
		}
		slots = append(slots, i)
	}
	return slots, nil
}

// orders lists the orders of n things, the given one first: all of them if they are few enough, else drawn ones.
func (o *Orders) orders(n int) [][]int {
	most := cmp.Or(o.Most, DefaultOrders)
	all := 1
	for i := 2; i <= n && all <= most; i++ {
		all *= i
	}
	straight := make([]int, n)
	for i := range straight {
		straight[i] = i
	}
	out := [][]int{straight}
	for k := 1; k < min(all, most); k++ {
		next := slices.Clone(out[k-1])
		if all <= most {
			following(next)
		} else {
			for i := n - 1; i > 0; i-- {
				j := int(Mix(o.Seed, PurposeOrder, uint64(k), uint64(i)) % uint64(i+1))
				next[i], next[j] = next[j], next[i]
			}
		}
		out = append(out, next)
	}
	return out
}

// following makes the next order in lexical order.
func following(p []int) {
	i := len(p) - 2
	for i >= 0 && p[i] > p[i+1] {
		i--
	}
	if i < 0 {
		return
	}
	j := len(p) - 1
	for p[j] < p[i] {
		j--
	}
	p[i], p[j] = p[j], p[i]
	slices.Reverse(p[i+1:])
}

// settled is a world that came to rest.
type settled struct {
	result Result
	view   worldView
}

// run delivers the events in an order (nil: as they are), and again until nothing changes.
func (o *Orders) run(s Setup, slots, order []int) (settled, error) {
	arrivals := slices.Clone(s.Arrivals)
	for to, from := range order {
		arrivals[slots[to]].Input = s.Arrivals[slots[from]].Input
	}
	end := s.Horizon
	once := make(map[core.EventID]bool)
	var again []Arrival
	for i := range s.Start { // what was served at the start comes back too: others have it, and it may have been replaced here
		if e := s.Start[i].Event; e != nil {
			once[e.ID] = true
			again = append(again, Arrival{Input: core.Input{Kind: core.InEvent, Origin: core.FromSync, Event: e}})
		}
	}
	for i := range arrivals {
		if e := arrivals[i].Input.Event; !once[e.ID] {
			once[e.ID] = true
			again = append(again, arrivals[i])
		}
	}
	for r := range o.Rounds {
		for _, a := range again {
			a.At = end + core.Time(r)*o.Gap
			arrivals = append(arrivals, a)
		}
	}
	s.Record = true
	s.Arrivals, s.Horizon = arrivals, end+core.Time(o.Rounds)*o.Gap
	w, err := NewWorld(s)
	if err != nil {
		return settled{}, err
	}
	look := newViewer(&s)
	w.RunUntil(end - 1)
	before := look.at(&s)
	for r := range o.Rounds {
		w.RunUntil(end + core.Time(r+1)*o.Gap - 1)
		now := look.at(&s)
		if r > 0 && now.difference(&before, look.names, nil) == "" {
			return settled{w.Finish(), now}, nil
		}
		before = now
	}
	res := w.Finish()
	res.Violations = append(res.Violations, Violation{ID: "I-10", At: w.now, Step: w.step,
		Text: fmt.Sprintf("everything was delivered %d times more, and still the last time changed something", o.Rounds)})
	return settled{res, before}, nil
}
