package importer

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"graspsync/scenarios"
	"graspsync/sim"
)

// Trial is what the simulated relay made of the imported scenario, run once with seed 1.
type Trial struct {
	sim.Counts
	Reasons    []Reasoned // why events were refused, most frequent first
	Violations []sim.Violation
	Virtual    scenarios.Span
}

// Reasoned is a refusal's text and how many deliveries got it.
type Reasoned struct {
	Text string
	N    int
}

// try runs the scenario and keeps what an importer wants to know.
func try(s *scenarios.Scenario) (*Trial, error) {
	res, err := s.Run(scenarios.Options{})
	if err != nil {
		return nil, fmt.Errorf("the imported scenario does not run: %w", err)
	}
	t := &Trial{Counts: res.Counts, Violations: res.Violations, Virtual: scenarios.Span(res.Virtual)}
	if res.Record == nil {
		return t, nil
	}
	for i := range res.Record.Events {
		for _, a := range res.Record.Events[i].Answers {
			if a.OK {
				continue
			}
			k := slices.IndexFunc(t.Reasons, func(r Reasoned) bool { return r.Text == a.Text })
			if k < 0 {
				k = len(t.Reasons)
				t.Reasons = append(t.Reasons, Reasoned{Text: a.Text})
			}
			t.Reasons[k].N++
		}
	}
	slices.SortFunc(t.Reasons, func(a, b Reasoned) int { return cmp.Or(cmp.Compare(b.N, a.N), cmp.Compare(a.Text, b.Text)) })
	return t, nil
}

func (t *Trial) write(b *strings.Builder) {
	fmt.Fprintf(b, "run       %d delivered: %d admitted, %d refused, %d again; %d hunts, %d passes; %d released, %d expired, %d replaced, %d held at the end\n",
		t.Arrived, t.Admitted, t.Refused, t.Duplicate, t.Hunts, t.Passes, t.Released, t.Expired, t.Replaced, t.StillHeld)
	for _, r := range t.Reasons {
		fmt.Fprintf(b, "  refused %d: %s\n", r.N, r.Text)
	}
	for _, v := range t.Violations {
		fmt.Fprintf(b, "  VIOLATION %s at %v: %s\n", v.ID, scenarios.Span(v.At), v.Text)
	}
}
