package main

import (
	"errors"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"strings"
	"time"
)

// runCmd runs scenarios.
type runCmd struct {
	Scenarios []string      `arg:"" optional:"" name:"scenario" help:"Names of the catalogue, or scenario files."`
	Seed      *uint64       `help:"Seed of noise and of the order of equal instants; default the scenario's own."`
	Seeds     uint64        `default:"1" help:"Run this many seeds, from --seed on."`
	Set       []string      `sep:"none" placeholder:"FIELD=VALUE" help:"Override a configuration field, as domain-rate=60; may be repeated."`
	Permute   int           `placeholder:"N" help:"Also deliver the synced events in N orders, and again until nothing changes: all must end alike (I-10). With no scenario named, those that have synced events alone."`
	Trace     string        `placeholder:"FILE|DIR" help:"Write the trace, or one per run into a directory."`
	JSON      bool          `name:"json" help:"One JSON object per run, then one with the sums."`
	Once      bool          `help:"Run once, without the second run that must give the same hash."`
	Jobs      int           `short:"j" default:"${jobs}" help:"Runs at a time."`
	Budget    time.Duration `help:"Start no run after this much time (exit code 7)."`
}

// Run runs everything chosen, prints results in order of name, and sets the exit code.
func (c *runCmd) Run(a *app, code *int) error {
	jobs, err := c.jobs(a)
	if err != nil {
		return err
	}
	traces, err := c.tracePaths(jobs)
	if err != nil {
		return err
	}
	began := time.Now()
	done := a.runAll(jobs, traces, c)
	sum := newSummary(done, time.Since(began))
	if c.JSON {
		if err := printJSON(a.out, done, sum); err != nil {
			return err
		}
	} else {
		printTable(a.out, done)
		for i := range done {
			printFailure(a.out, &done[i])
		}
		fmt.Fprintln(a.out, sum)
	}
	for i := range done {
		*code = worst(*code, done[i].code)
	}
	return nil
}

// job is one run to make.
type job struct {
	subject
	seed uint64
	set  []string // as given, for the command that reproduces it
	perm int      // the same
}

// jobs makes the list of runs: scenarios by name, seeds ascending.
func (c *runCmd) jobs(a *app) ([]job, error) {
	switch {
	case c.Seeds < 1 || c.Seeds > 1_000_000:
		return nil, fmt.Errorf("--seeds is %d, must be 1 to 1000000", c.Seeds)
	case c.Seed != nil && *c.Seed == 0:
		return nil, errors.New("--seed is 0, must be at least 1")
	case c.Jobs < 1:
		return nil, fmt.Errorf("--jobs is %d, must be at least 1", c.Jobs)
	case c.Seed != nil && *c.Seed > math.MaxUint64-c.Seeds:
		return nil, fmt.Errorf("--seed %d with --seeds %d passes the largest seed", *c.Seed, c.Seeds)
	}
	subjects, err := a.choose(c.Scenarios)
	if err != nil {
		return nil, err
	}
	if c.Permute != 0 {
		if subjects, err = permuted(subjects, c.Permute, len(c.Scenarios) > 0); err != nil {
			return nil, err
		}
	}
	var jobs []job
	for _, s := range subjects {
		if len(c.Set) > 0 {
			if s.Scenario, err = override(s.Scenario, c.Set); err != nil {
				return nil, err
			}
		}
		first := max(s.Scenario.Seed, 1)
		if c.Seed != nil {
			first = *c.Seed
		}
		for i := range c.Seeds {
			jobs = append(jobs, job{s, first + i, c.Set, c.Permute})
		}
	}
	return jobs, nil
}

// permuted gives the scenarios with so many orders of arrival each. One that cannot come in another order is an error
// where it was named, and left out where everything was meant.
func permuted(subjects []subject, orders int, named bool) ([]subject, error) {
	var out []subject
	for _, s := range subjects {
		if err := s.CanPermute(); err != nil {
			if named {
				return nil, err
			}
			continue
		}
		c := *s.Scenario
		c.Permute = orders
		if err := c.Validate(); err != nil {
			return nil, fmt.Errorf("--permute %d: %w", orders, err)
		}
		out = append(out, subject{&c, s.asked})
	}
	return out, nil
}

// tracePaths gives the trace file of each job, "" for none.
func (c *runCmd) tracePaths(jobs []job) ([]string, error) {
	paths := make([]string, len(jobs))
	if c.Trace == "" {
		return paths, nil
	}
	info, err := os.Stat(c.Trace)
	isDir := err == nil && info.IsDir() || strings.HasSuffix(c.Trace, string(filepath.Separator))
	if !isDir && len(jobs) == 1 {
		paths[0] = c.Trace
		return paths, nil
	}
	if err == nil && !info.IsDir() {
		return nil, fmt.Errorf("--trace %s is a file, but there are %d runs: give a directory", c.Trace, len(jobs))
	}
	if err := os.MkdirAll(c.Trace, 0o755); err != nil {
		return nil, err
	}
	for i, j := range jobs {
		paths[i] = filepath.Join(c.Trace, fmt.Sprintf("%s-%d.jsonl", j.Name, j.seed))
	}
	return paths, nil
}

// command is the line that runs j again, alone.
func (j *job) command() string {
	var b strings.Builder
	fmt.Fprintf(&b, "go run ./cmd/simrun run %s --seed %d", quote(j.asked), j.seed)
	if j.perm != 0 {
		fmt.Fprintf(&b, " --permute %d", j.perm)
	}
	for _, s := range j.set {
		b.WriteString(" --set " + quote(s))
	}
	return b.String()
}

// quote makes a word safe for a shell.
func quote(s string) string {
	safe := func(r rune) bool {
		return r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' || strings.ContainsRune("-_./=:,+@", r)
	}
	if s != "" && strings.IndexFunc(s, func(r rune) bool { return !safe(r) }) < 0 {
		return s
	}
	return "'" + strings.ReplaceAll(s, "'", `'\''`) + "'"
}
