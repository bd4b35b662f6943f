package main

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"time"

	"graspsync/scenarios"
	"graspsync/scenarios/shrink"
	"graspsync/sim"
)

// shrinkCmd makes a failing scenario small.
type shrinkCmd struct {
	Scenario string   `arg:"" name:"scenario" help:"A failing scenario: a file, or a name of the catalogue."`
	Seed     *uint64  `help:"Seed under which it fails; default the scenario's own. It stays in the result if it is needed."`
	Set      []string `sep:"none" placeholder:"FIELD=VALUE" help:"Settings under which it fails, as for run."`
	ID       string   `name:"id" placeholder:"I-8" help:"The violation to keep; default the first one."`
	Attempts int      `default:"5000" help:"Runs at most."`
	Out      string   `short:"o" placeholder:"FILE" help:"Where the minimal scenario goes; default NAME.min.yaml beside the file, or here."`
	Jobs     int      `short:"j" default:"${jobs}" help:"Runs at a time. Changes how long it takes, not what comes of it."`
}

// Run shrinks, writes the minimal scenario, runs it by the command that it prints, and reports.
func (c *shrinkCmd) Run(a *app, _ *int) error {
	s, out, err := c.start(a)
	if err != nil {
		return err
	}
	began := time.Now()
	r, err := a.shrinkTo(s, c.ID, c.Attempts, c.Jobs, out)
	if err != nil {
		return err
	}
	return a.printShrunk(&r, out, time.Since(began))
}

// start checks everything that can be wrong before the first run.
func (c *shrinkCmd) start(a *app) (*scenarios.Scenario, string, error) {
	switch {
	case c.Seed != nil && *c.Seed == 0:
		return nil, "", errors.New("--seed is 0, must be at least 1")
	case c.Attempts < 1 || c.Attempts > 1_000_000:
		return nil, "", fmt.Errorf("--attempts is %d, must be 1 to 1000000", c.Attempts)
	case c.Jobs < 1 || c.Jobs > 1024:
		return nil, "", fmt.Errorf("--jobs is %d, must be 1 to 1024", c.Jobs)
	case c.ID != "" && c.ID != "expect" && c.ID != shrink.PanicID && !scenarios.KnownRule(c.ID):
		return nil, "", fmt.Errorf("--id %s: no violation has this id; write one as I-8 or T-05, expect, or %s", c.ID, shrink.PanicID)
	}
	found, err := a.find(c.Scenario)
	if err != nil {
		return nil, "", err
	}
	s := *found
	if c.Seed != nil {
		s.Seed = *c.Seed
	}
	p := &s
	if len(c.Set) > 0 {
		if p, err = override(p, c.Set); err != nil {
			return nil, "", err
		}
	}
	out := c.Out
	if out == "" {
		out = s.Name + ".min.yaml"
		if strings.ContainsAny(c.Scenario, "./\\") {
			out = strings.TrimSuffix(strings.TrimSuffix(c.Scenario, ".yaml"), ".min") + ".min.yaml"
		}
	}
	if sameFile(out, c.Scenario) && c.Out == "" {
		out = strings.TrimSuffix(out, ".yaml") + "-2.yaml" // shrinking what was shrunk must not overwrite it
	}
	return p, out, canWrite(out)
}

func sameFile(a, b string) bool { return filepath.Clean(a) == filepath.Clean(b) }

// canWrite tells early that a file cannot be written.
func canWrite(path string) error {
	if info, err := os.Stat(path); err == nil && info.IsDir() {
		return fmt.Errorf("-o %s is a directory, must be a file", path)
	}
	f, err := os.CreateTemp(filepath.Dir(path), ".shrink-*")
	if err != nil {
		return fmt.Errorf("-o %s cannot be written: %w", path, err)
	}
	f.Close()
	return os.Remove(f.Name())
}

// shrunk is a minimal scenario with what is said about it.
type shrunk struct {
	shrink.Report
	chart   string
	command string // that shows the failure; it was run
	shows   string // what it printed of the failure
}

// shrinkTo shrinks s, writes the minimal scenario to out, and runs it again by the command that shows it.
func (a *app) shrinkTo(s *scenarios.Scenario, id string, attempts, jobs int, out string) (r shrunk, err error) {
	twice := id == "I-9"
	if id == "" {
		one := a.evaluate(1, false)([]*scenarios.Scenario{s})[0]
		twice = one.Err == nil && len(one.Result.Violations) == 0 // perhaps two runs of it are not alike
	}
	r.Report, err = shrink.Minimise(s, shrink.Options{ID: id, Attempts: attempts, Width: jobs, Evaluate: a.evaluate(jobs, twice), Progress: a.shrinking()})
	if errors.Is(err, shrink.ErrPasses) {
		return r, fmt.Errorf("%w; `simrun run %s` shows what it does", err, quote(s.Name))
	}
	if err != nil {
		return r, err
	}
	if err := writeWhole(out, func(w io.Writer) error { _, err := w.Write(r.Minimal.Encode()); return err }); err != nil {
		return r, err
	}
	if r.ID != shrink.PanicID {
		if r.chart, err = shrink.Chart(r.Minimal, r.Violation, scenarios.Options{Change: a.engine.change}, 80); err != nil {
			return r, err
		}
	}
	r.command = "go run ./cmd/simrun run " + quote(out)
	r.shows, err = a.shows(out, r.ID)
	return r, err
}

// shows runs a scenario file as the tool does and gives the line about the failure.
func (a *app) shows(out, id string) (line string, err error) {
	var text bytes.Buffer
	again := &app{out: &text, err: &text, engine: a.engine}
	defer func() {
		if p := recover(); p != nil {
			line = fmt.Sprintf("panic: %v", p)
			if id != shrink.PanicID {
				err = fmt.Errorf("%s ends in a panic, where %s was to be shown: %v", out, id, p)
			}
		}
	}()
	code := again.main([]string{"run", out})
	for l := range strings.Lines(text.String()) {
		l = strings.TrimSpace(l)
		if strings.HasPrefix(l, id+" at ") || id == "I-9" && strings.HasPrefix(l, "two runs differ") {
			return l, nil
		}
	}
	return "", fmt.Errorf("%s was written and fails in the shrinker, but `simrun run` ends with exit code %d and does not show %s:\n%s", out, code, id, clip(text.String(), 2000))
}

// evaluate runs batches of scenarios, so many at a time; twice also compares two runs of each (I-9).
func (a *app) evaluate(jobs int, twice bool) shrink.Evaluate {
	return func(batch []*scenarios.Scenario) []shrink.Outcome {
		out := make([]shrink.Outcome, len(batch))
		if len(batch) == 1 || jobs < 2 {
			for i, s := range batch {
				out[i] = a.evaluateOne(s, twice)
			}
			return out
		}
		var group sync.WaitGroup
		slots := make(chan struct{}, jobs)
		for i, s := range batch {
			group.Go(func() {
				slots <- struct{}{}
				out[i] = a.evaluateOne(s, twice)
				<-slots
			})
		}
		group.Wait()
		return out
	}
}

// evaluateOne runs a scenario with its own seed. A panic is a failure as any other.
func (a *app) evaluateOne(s *scenarios.Scenario, twice bool) (out shrink.Outcome) {
	defer func() {
		if p := recover(); p != nil {
			out = shrink.Outcome{Result: sim.Result{Scenario: s.Name, Violations: []sim.Violation{{ID: shrink.PanicID, At: -1, Text: fmt.Sprint(p)}}}}
		}
	}()
	seed := max(s.Seed, 1)
	r, err := a.engine.run(s, seed, nil)
	if err != nil {
		return shrink.Outcome{Err: err}
	}
	out.Result = *r
	if twice {
		again, err := a.engine.run(s, seed, nil)
		if err != nil {
			return shrink.Outcome{Err: err}
		}
		if again.Hash != r.Hash || again.Steps != r.Steps {
			out.Result.Violations = append(out.Result.Violations, sim.Violation{ID: "I-9", At: -1,
				Text: fmt.Sprintf("two runs differ: hash %016x after %d steps, then %016x after %d", r.Hash, r.Steps, again.Hash, again.Steps)})
		}
	}
	return out
}

// shrinking shows on a terminal how far it is.
func (a *app) shrinking() func(string, int, shrink.Size) {
	if !isTerminal(a.err) {
		return nil
	}
	return func(pass string, attempts int, z shrink.Size) {
		fmt.Fprintf(a.err, "\r\x1b[K%d runs, %s: %s", attempts, pass, z)
	}
}
