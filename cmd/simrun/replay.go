package main

import (
	"errors"
	"fmt"
	"os"
	"time"

	"graspsync/sim"
)

// replayCmd replays a trace.
type replayCmd struct {
	Trace string `arg:"" help:"Trace file, as written by run --trace."`
}

// Run feeds the trace's inputs to a fresh core. A trace that cannot be read to its end is a usage error,
// naming the line; a core that answers differently is a difference, naming the first step.
func (c *replayCmd) Run(a *app, code *int) error {
	f, err := os.Open(c.Trace)
	if err != nil {
		return err
	}
	defer f.Close()
	began := time.Now()
	r, err := a.engine.replay(f)
	var diff *sim.Difference
	if err != nil && !errors.As(err, &diff) {
		return fmt.Errorf("%s: %w", c.Trace, err)
	}
	s := summary{runs: 1, virtual: r.At, wall: time.Since(began), events: r.Steps}
	if diff != nil {
		*code = exitDiffers
		fmt.Fprintf(a.out, "FAILED replay of %s, seed %d: the core answers differently at step %d, %v\n", r.Header.Scenario, r.Header.Seed, diff.Step, diff.At)
		fmt.Fprintf(a.out, "  input:        %s\n  in the trace: %s\n  now:          %s\n", clip(diff.Input, 400), clip(diff.Expected, 400), clip(diff.Got, 400))
		fmt.Fprintf(a.out, "  reproduce: go run ./cmd/simrun replay %s\n\n", quote(c.Trace))
	} else {
		s.passed = 1
		fmt.Fprintf(a.out, "%s, seed %d, replayed, not judged: %d steps, every effect the same, hash %016x\n", r.Header.Scenario, r.Header.Seed, r.Steps, r.Hash)
	}
	fmt.Fprintln(a.out, s)
	return nil
}
