package main

import (
	"fmt"
	"io"
	"strconv"
	"strings"
	"time"

	"graspsync/core"
	"graspsync/sim"
)

// summary is the last line.
type summary struct {
	runs, passed int
	virtual      core.Time
	wall         time.Duration
	events       uint64
}

func newSummary(done []outcome, wall time.Duration) summary {
	s := summary{runs: len(done), wall: wall}
	for i := range done {
		o := &done[i]
		if o.code == exitOK {
			s.passed++
		}
		if o.result != nil {
			s.virtual += o.result.Virtual
			s.events += o.result.Steps
		}
	}
	return s
}

// String is the sentence that ends every run. An event is one Step of the core.
func (s summary) String() string {
	seconds := max(s.wall.Seconds(), 1e-9)
	return fmt.Sprintf("%d scenarios: %d passed, %d failed; simulated %v in %v (%.0f× real time), %d events, %.0f events/s",
		s.runs, s.passed, s.runs-s.passed, span(s.virtual), short(s.wall),
		time.Duration(s.virtual).Seconds()/seconds, s.events, float64(s.events)/seconds)
}

// span prints simulated time without noise below a millisecond.
func span(t core.Time) time.Duration { return time.Duration(t).Round(time.Millisecond) }

// short prints wall time to about three digits.
func short(d time.Duration) time.Duration {
	switch {
	case d > 100*time.Second:
		return d.Round(time.Second)
	case d > time.Second:
		return d.Round(10 * time.Millisecond)
	case d > time.Millisecond:
		return d.Round(10 * time.Microsecond)
	}
	return d
}

// printTable prints a line per run; of a scenario with many seeds one line for those that passed and one
// for each that failed.
func printTable(w io.Writer, done []outcome) {
	t := &table{left: 2}
	t.row("scenario", "verdict", "seed", "simulated", "events", "arrived", "released", "expired", "held", "attempts", "passes", "requests", "hash")
	for i := 0; i < len(done); {
		j := i + 1
		for j < len(done) && done[j].asked == done[i].asked {
			j++
		}
		rowsOf(t, done[i:j])
		i = j
	}
	t.print(w)
}

// rowsOf adds the runs of one scenario.
func rowsOf(t *table, runs []outcome) {
	var sum sim.Result
	passed := 0
	for i := range runs {
		o := &runs[i]
		seed := strconv.FormatUint(o.seed, 10)
		switch {
		case o.result == nil:
			t.row(o.Name, verdict(o.code), seed)
		case len(runs) == 1 || o.code != exitOK:
			cells(t, o.Name, verdict(o.code), seed, o.result, fmt.Sprintf("%016x", o.result.Hash))
			for k := range o.result.Relays {
				relayCells(t, &o.result.Relays[k])
			}
		default:
			passed++
			sum.Virtual += o.result.Virtual
			sum.Steps += o.result.Steps
			addCounts(&sum.Counts, &o.result.Counts)
		}
	}
	if passed > 0 {
		cells(t, runs[0].Name, "ok", strconv.Itoa(passed)+" seeds", &sum, "")
	}
}

func cells(t *table, name, verdict, seed string, r *sim.Result, hash string) {
	c := &r.Counts
	t.row(name, verdict, seed, span(r.Virtual), r.Steps, c.Arrived, c.Released, c.Expired, c.StillHeld, c.Attempts, c.Passes, c.Requests, hash)
}

// relayCells is the line of one relay of several, below that of all together.
func relayCells(t *table, r *sim.RelayResult) {
	broken := ""
	if r.Violations > 0 {
		broken = strconv.Itoa(r.Violations) + " broken"
	}
	c := &r.Counts
	t.row("  "+r.Name, broken, "", "", r.Steps, c.Arrived, c.Released, c.Expired, c.StillHeld, c.Attempts, c.Passes, c.Requests, fmt.Sprintf("%016x", r.Hash))
}

func addCounts(sum, c *sim.Counts) {
	sum.Arrived += c.Arrived
	sum.Released += c.Released
	sum.Expired += c.Expired
	sum.StillHeld += c.StillHeld
	sum.Attempts += c.Attempts
	sum.Passes += c.Passes
	sum.Requests += c.Requests
}

// violationsShown bounds a failure's list; the first ones are the ones to look at.
const violationsShown = 5

// printFailure says what went wrong, what led there and how to see it again; nothing for a passed run.
func printFailure(w io.Writer, o *outcome) {
	if o.code == exitOK {
		return
	}
	fmt.Fprintf(w, "\nFAILED %s, seed %d: %s\n", o.Name, o.seed, verdict(o.code))
	if o.err != nil {
		fmt.Fprintf(w, "  %s\n", strings.ReplaceAll(o.err.Error(), "\n", "\n  "))
	}
	if o.result != nil {
		for i, v := range o.result.Violations {
			if i == violationsShown {
				fmt.Fprintf(w, "  and %d more\n", len(o.result.Violations)-i)
				break
			}
			fmt.Fprintf(w, "  %s at %v, step %d: %s\n", v.ID, v.At, v.Step, v.Text)
		}
	}
	if len(o.steps) > 0 {
		fmt.Fprintf(w, "  the last steps before:\n")
		for _, s := range o.steps {
			fmt.Fprintf(w, "    %s\n", s)
		}
	}
	fmt.Fprintf(w, "  reproduce: %s\n\n", o.command())
}
