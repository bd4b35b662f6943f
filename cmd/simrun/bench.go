package main

import (
	"fmt"
	"io"
	"strconv"
	"time"

	"graspsync/sim"
)

// benchCmd measures runs.
type benchCmd struct {
	Scenarios []string      `arg:"" optional:"" name:"scenario" help:"Names of the catalogue, or scenario files; default the whole catalogue, one after the other."`
	For       time.Duration `default:"200ms" help:"Measure each way of running for at least this long."`
}

// Run prints what an event costs, alone on one processor: checks and hash on, and with a trace besides.
func (c *benchCmd) Run(a *app, _ *int) error {
	if c.For <= 0 {
		return fmt.Errorf("--for is %v, must be positive", c.For)
	}
	subjects, err := a.choose(c.Scenarios)
	if err != nil {
		return err
	}
	t := &table{left: 1}
	t.row("scenario", "events", "runs", "ns/event", "events/s", "× real time", "with trace", "bytes/event")
	var all, allTraced measure
	for _, s := range subjects {
		plain, err := a.measure(job{subject: s, seed: max(s.Seed, 1)}, c.For, nil)
		if err != nil {
			return err
		}
		var size counter
		traced, err := a.measure(job{subject: s, seed: max(s.Seed, 1)}, c.For, &size)
		if err != nil {
			return err
		}
		plain.row(t, s.Name, traced)
		all.add(plain)
		allTraced.add(traced)
	}
	if len(subjects) > 1 {
		all.row(t, "all", allTraced)
	}
	t.print(a.out)
	return nil
}

// measure is the cost of repeated runs of one scenario.
type measure struct {
	runs, events uint64
	virtual      time.Duration
	wall         time.Duration
	bytes        uint64
}

func (a *app) measure(j job, span time.Duration, trace *counter) (m measure, err error) {
	var w io.Writer
	if trace != nil {
		w = trace
	}
	began := time.Now()
	for m.wall < span {
		var r *sim.Result
		if r, err = a.engine.run(j.Scenario, j.seed, w); err != nil {
			return m, fmt.Errorf("%s: %w", j.Name, err)
		}
		m.runs++
		m.events += r.Steps
		m.virtual += time.Duration(r.Virtual)
		m.wall = time.Since(began)
	}
	if trace != nil {
		m.bytes = trace.n
	}
	return m, nil
}

func (m *measure) add(o measure) {
	m.runs += o.runs
	m.events += o.events
	m.virtual += o.virtual
	m.wall += o.wall
	m.bytes += o.bytes
}

func (m *measure) perEvent() float64 {
	return float64(m.wall.Nanoseconds()) / max(float64(m.events), 1)
}

func (m *measure) row(t *table, name string, traced measure) {
	f := func(x float64) string { return strconv.FormatFloat(x, 'f', 0, 64) }
	t.row(name, m.events/max(m.runs, 1), m.runs, f(m.perEvent()), f(float64(m.events)/m.wall.Seconds()),
		f(m.virtual.Seconds()/m.wall.Seconds()), fmt.Sprintf("%+.0f %%", 100*(traced.perEvent()/m.perEvent()-1)),
		f(float64(traced.bytes)/max(float64(traced.events), 1)))
}

// counter counts what is written and drops it.
type counter struct{ n uint64 }

// Write counts b.
func (c *counter) Write(b []byte) (int, error) {
	c.n += uint64(len(b))
	return len(b), nil
}
