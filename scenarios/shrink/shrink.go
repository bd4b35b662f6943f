package shrink

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"graspsync/scenarios"
	"graspsync/sim"
)

// Evaluate runs each of a batch of scenarios once and gives the outcomes in the same order. It may run them at the same
// time: runs share nothing.
type Evaluate func(batch []*scenarios.Scenario) []Outcome

// Outcome is what came of one run. Err is about the harness, never about what was judged; a run with an error fails in no
// way at all.
type Outcome struct {
	Result sim.Result
	Err    error
}

// PanicID is the id of the violation that stands for a panic of the core or its driver.
const PanicID = "panic"

// RunEach is the Evaluate that runs one after the other with o; the seed is each scenario's own. A panic becomes a
// violation PanicID.
func RunEach(o scenarios.Options) Evaluate {
	return func(batch []*scenarios.Scenario) []Outcome {
		out := make([]Outcome, len(batch))
		for i, s := range batch {
			out[i] = RunOne(s, o)
		}
		return out
	}
}

// RunOne runs s with o, but for the seed, which is its own.
func RunOne(s *scenarios.Scenario, o scenarios.Options) (out Outcome) {
	defer func() {
		if p := recover(); p != nil {
			out = Outcome{Result: sim.Result{Scenario: s.Name, Virtual: -1, Violations: []sim.Violation{{ID: PanicID, At: -1, Text: fmt.Sprint(p)}}}}
		}
	}()
	o.Seed = s.Seed
	out.Result, out.Err = s.Run(o)
	return out
}

// Options say how to shrink.
type Options struct {
	ID       string                                     // violation to keep, as "I-8", "expect" or "panic"; "" is the first of the run
	Attempts int                                        // runs at most, for shrinking; 0 is DefaultAttempts
	Width    int                                        // candidates given to Evaluate at a time; 0 is 1. Changes how fast the result is there, not what it is
	Evaluate Evaluate                                   // nil: RunEach without options
	Progress func(pass string, attempts int, size Size) // told of each accepted candidate; may be nil
}

// DefaultAttempts is the budget where none is given.
const DefaultAttempts = 5000

// Report is a minimal scenario and how it was found.
type Report struct {
	Minimal     *scenarios.Scenario
	Violation   sim.Violation // of the minimal scenario
	ID          string
	Before      Size
	After       Size
	Attempts    int         // runs that counted
	Cached      int         // candidates known already
	Rounds      int         // over all passes
	Done        bool        // a whole round changed nothing; false: the attempts ran out
	Passes      []PassCount // in order of first use
	Necessity   []Need
	Evaluations int // runs in all, with those of the report
}

// PassCount is what one pass did.
type PassCount struct {
	Pass                         string
	Attempts, Taken, Cached, Odd int // Odd: runs that failed in the harness, or not at all as candidates
}

// ErrPasses says that there is nothing to shrink: the scenario does not fail, or not with the id asked for.
var ErrPasses = errors.New("nothing to shrink")

// Minimise makes a failing scenario small. s is not changed; its Seed is the one it is run with. The error is ErrPasses,
// or what keeps s from running.
func Minimise(s *scenarios.Scenario, o Options) (Report, error) {
	if o.Evaluate == nil {
		o.Evaluate = RunEach(scenarios.Options{})
	}
	if o.Attempts <= 0 {
		o.Attempts = DefaultAttempts
	}
	g := &gate{run: o.Evaluate, width: max(o.Width, 1), budget: o.Attempts, seen: make(map[key]bool), progress: o.Progress}
	first := o.Evaluate([]*scenarios.Scenario{s})[0]
	g.evaluations++
	if first.Err != nil {
		return Report{}, first.Err
	}
	v, err := choose(s, first.Result.Violations, o.ID)
	if err != nil {
		return Report{}, err
	}
	r := Report{ID: v.ID, Before: SizeOf(s)}
	compact, err := g.prepare(s, v)
	if err != nil {
		return r, err
	}
	for !g.spent {
		r.Rounds++
		before := g.taken
		for _, p := range passes() {
			p.run(g, p.label)
		}
		if g.taken == before {
			r.Done = !g.spent
			break
		}
	}
	if g.weight.bytes > len(compact.s.Encode()) {
		g.start(compact.s, compact.v) // all that is repeated is needed, and shorter as a repetition
	}
	r.Minimal, r.Violation, r.Attempts, r.Cached, r.Passes = g.finish(s), g.violation, g.attempts, g.cached, g.counts
	r.After = SizeOf(r.Minimal)
	r.Necessity = g.necessity(r.Minimal)
	r.Evaluations = g.evaluations
	return r, nil
}

// failing is a scenario and how it fails.
type failing struct {
	s *scenarios.Scenario
	v sim.Violation
}

// prepare settles what the failure is and makes the scenario that shrinking starts with: repetitions made short, then
// everything written out. It gives the form that is not written out, too.
func (g *gate) prepare(s *scenarios.Scenario, v sim.Violation) (failing, error) {
	g.target.id = v.ID
	if v.ID == expectID {
		g.target.shape = shapeOf(s, v.Text)
	}
	compact := failing{clone(s), v}
	out, err := s.WrittenOut()
	if err != nil {
		return compact, err
	}
	if len(out.Encode()) > len(s.Encode()) && s.Events == "" {
		g.start(compact.s, v)
		g.compact = true
		repetitions(g, "repetitions")
		g.compact = false
		compact = failing{g.cur, g.violation}
		if out, err = g.cur.WrittenOut(); err != nil {
			return compact, err
		}
	}
	out = clone(out)
	if v, err = g.fails(out, s.Name); err != nil {
		return compact, err
	}
	if v.ID == expectID { // only the expectation that is not met matters
		n, _ := expectationOf(v.Text)
		if n < 0 || n >= len(out.Expect) {
			return compact, fmt.Errorf("scenario %s: %q names no expectation", s.Name, v.Text)
		}
		out.Expect = out.Expect[n : n+1]
		if v, err = g.fails(out, s.Name); err != nil {
			return compact, err
		}
	}
	g.start(out, v)
	return compact, nil
}

// fails runs s outside of any pass and gives the failure that it must show.
func (g *gate) fails(s *scenarios.Scenario, name string) (sim.Violation, error) {
	out := g.run([]*scenarios.Scenario{s})[0]
	g.evaluations++
	if out.Err != nil {
		return sim.Violation{}, fmt.Errorf("scenario %s, written out: %w", name, out.Err)
	}
	v, ok := g.target.hit(s, &out.Result)
	if !ok {
		return v, fmt.Errorf("scenario %s fails with %s, but not any more once its repetitions are written out; this is a fault of the format", name, g.target.id)
	}
	return v, nil
}

// choose finds the violation to keep.
func choose(s *scenarios.Scenario, all []sim.Violation, id string) (sim.Violation, error) {
	if len(all) == 0 {
		return sim.Violation{}, fmt.Errorf("%w: scenario %s passes with seed %d", ErrPasses, s.Name, max(s.Seed, 1))
	}
	if id == "" {
		return all[0], nil
	}
	i := slices.IndexFunc(all, func(v sim.Violation) bool { return v.ID == id })
	if i >= 0 {
		return all[i], nil
	}
	var ids []string
	for _, v := range all {
		if !slices.Contains(ids, v.ID) {
			ids = append(ids, v.ID)
		}
	}
	return sim.Violation{}, fmt.Errorf("%w: scenario %s does not break %s; it breaks %s", ErrPasses, s.Name, id, strings.Join(ids, ", "))
}

// minimalPrefix begins the description of what was shrunk.
const minimalPrefix = "Minimal form of "

// finish words the head of the minimal scenario.
func (g *gate) finish(s *scenarios.Scenario) *scenarios.Scenario {
	out := clone(g.cur)
	what := "breaks " + g.target.id
	if g.target.id == expectID {
		what = "does not meet its expectation"
	}
	out.Description = minimalPrefix + s.Name + ": it " + what + "."
	if strings.HasPrefix(s.Description, minimalPrefix) {
		out.Description = s.Description
	}
	return out
}
