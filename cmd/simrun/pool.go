package main

import (
	"bufio"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"graspsync/scenarios"
	"graspsync/sim"
)

// outcome is what came of a job.
type outcome struct {
	job
	result *sim.Result // nil if there is none
	code   int
	err    error // why there is no result, or what the second run did differently
	wall   time.Duration
	steps  []string // the last ones of a failed run, up to the failure
}

// runAll makes the runs, c.Jobs at a time, and gives the outcomes in the order of jobs. Runs share
// nothing, so their number at a time changes no outcome.
func (a *app) runAll(jobs []job, traces []string, c *runCmd) []outcome {
	done := make([]outcome, len(jobs))
	bar := a.progress(len(jobs))
	var next atomic.Int64
	var group sync.WaitGroup
	began := time.Now()
	for range min(c.Jobs, len(jobs)) {
		group.Go(func() {
			for {
				i := int(next.Add(1)) - 1
				if i >= len(jobs) {
					return
				}
				if c.Budget > 0 && time.Since(began) > c.Budget {
					done[i] = outcome{job: jobs[i], code: exitBudget, err: fmt.Errorf("not started: the budget of %v was used up", c.Budget)}
				} else {
					done[i] = a.runOne(jobs[i], traces[i], !c.Once)
				}
				bar.done()
			}
		})
	}
	group.Wait()
	bar.finish()
	return done
}

// runOne runs j, again if twice, and once more with a trace if it failed. A panic of the core is the
// process's end; what ran is said first.
func (a *app) runOne(j job, trace string, twice bool) (o outcome) {
	defer func() {
		if p := recover(); p != nil {
			fmt.Fprintf(a.err, "\npanic in %s, seed %d: %v\nreproduce: %s\n", j.Name, j.seed, p, j.command())
			panic(p)
		}
	}()
	o.job = j
	began := time.Now()
	o.result, o.err = a.traced(j, trace)
	if o.err != nil {
		o.code = exitUsage
		return o
	}
	for _, v := range o.result.Violations {
		o.code = worst(o.code, codeOf(v))
	}
	if twice {
		again, err := a.engine.run(j.Scenario, j.seed, nil)
		switch {
		case err != nil:
			o.code, o.err = exitDiffers, fmt.Errorf("the second run failed: %w", err)
		case again.Hash != o.result.Hash || again.Steps != o.result.Steps:
			o.code = exitDiffers
			o.err = fmt.Errorf("two runs differ: hash %016x after %d steps, then %016x after %d",
				o.result.Hash, o.result.Steps, again.Hash, again.Steps)
		}
	}
	o.wall = time.Since(began)
	if o.code != exitOK {
		o.steps = a.lastSteps(&o)
	}
	return o
}

// traced runs j and writes its trace to path, if one is wanted; a file is complete or not there.
func (a *app) traced(j job, path string) (*sim.Result, error) {
	if path == "" {
		return a.engine.run(j.Scenario, j.seed, nil)
	}
	var r *sim.Result
	err := writeWhole(path, func(w io.Writer) (err error) {
		r, err = a.engine.run(j.Scenario, j.seed, w)
		return err
	})
	if err != nil || j.Network == nil {
		return r, err
	}
	for _, relay := range j.Network.Relays[1:] { // each relay's trace replays alone
		err := writeWhole(path+"."+relay, func(w io.Writer) error {
			_, err := j.Scenario.Run(scenarios.Options{Seed: j.seed, Build: thisBuild(), TraceOf: func(name string) io.Writer {
				if name == relay {
					return w
				}
				return nil
			}})
			return err
		})
		if err != nil {
			return r, err
		}
	}
	return r, nil
}

// writeWhole makes a file that is complete or not there.
func writeWhole(path string, fill func(io.Writer) error) error {
	tmp, err := os.CreateTemp(filepath.Dir(path), ".trace-*")
	if err != nil {
		return err
	}
	defer os.Remove(tmp.Name()) // fails once it is renamed
	w := bufio.NewWriterSize(tmp, 1<<20)
	if err = fill(w); err == nil {
		err = w.Flush()
	}
	if e := tmp.Close(); err == nil {
		err = e
	}
	if err == nil {
		err = os.Rename(tmp.Name(), path)
	}
	return err
}

// stepsShown is how many of the last steps a failure shows.
const stepsShown = 8

// lastSteps runs a failed job again with a trace and keeps the steps up to its first violation, or the
// last ones.
func (a *app) lastSteps(o *outcome) []string {
	keep := &tail{stop: -1}
	if len(o.result.Violations) > 0 {
		v := &o.result.Violations[0]
		keep.stop = int64(v.Step)
		if n := o.Network; n != nil {
			for _, relay := range n.Relays[1:] {
				if strings.HasPrefix(v.Text, relay+": ") { // the steps of the relay that failed
					return lastStepsOf(o, relay, keep)
				}
			}
		}
	}
	if _, err := a.engine.run(o.Scenario, o.seed, keep); err != nil {
		return nil
	}
	return keep.lines
}

func lastStepsOf(o *outcome, relay string, keep *tail) []string {
	_, err := o.Scenario.Run(scenarios.Options{Seed: o.seed, Build: thisBuild(), TraceOf: func(name string) io.Writer {
		if name == relay {
			return keep
		}
		return nil
	}})
	if err != nil {
		return nil
	}
	return keep.lines
}

// tail keeps the last lines of a trace, up to step number stop if that is not negative. Name records and
// the header are no steps.
type tail struct {
	stop  int64
	seen  int64
	part  []byte
	lines []string
}

// Write takes more of the trace.
func (t *tail) Write(b []byte) (int, error) {
	for _, c := range b {
		if c != '\n' {
			t.part = append(t.part, c)
			continue
		}
		if isStep(t.part) {
			t.seen++
			if t.stop < 0 || t.seen <= t.stop {
				t.lines = append(t.lines, clip(string(t.part), 240))
				if len(t.lines) > stepsShown {
					t.lines = t.lines[1:]
				}
			}
		}
		t.part = t.part[:0]
	}
	return len(b), nil
}

var _ io.Writer = (*tail)(nil)

func clip(s string, n int) string {
	if len(s) <= n {
		return s
	}
	return s[:n] + "…"
}
