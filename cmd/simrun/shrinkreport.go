package main

import (
	"fmt"
	"io"
	"strings"
	"time"

	"graspsync/scenarios/shrink"
)

// printShrunk says what came of shrinking: the minimal scenario, why each fault in it is needed, what happens in it, and
// the command that shows it.
func (a *app) printShrunk(r *shrunk, out string, took time.Duration) error {
	w := &counted{w: a.out}
	if isTerminal(a.err) {
		fmt.Fprint(a.err, "\r\x1b[K")
	}
	fmt.Fprintf(w, "%s: %s\n", r.ID, oneLine(r.Violation.Text))
	fmt.Fprintf(w, "before: %s\nafter:  %s\n", r.Before, r.After)
	end := "a whole round changed nothing"
	if !r.Done {
		end = "the attempts ran out: it may not be minimal; raise --attempts"
	}
	fmt.Fprintf(w, "%d attempts in %d rounds, %d candidates known already, %v; %s\n\n", r.Attempts, r.Rounds, r.Cached, short(took), end)
	t := &table{left: 1}
	t.row("pass", "attempts", "taken", "known", "not runnable")
	for _, p := range r.Passes {
		if p.Attempts+p.Cached > 0 {
			t.row(p.Pass, p.Attempts, p.Taken, p.Cached, p.Odd)
		}
	}
	t.print(w)
	fmt.Fprintf(w, "\n%s:\n\n%s\n", out, indent(string(r.Minimal.Encode())))
	printNeeds(w, r.Necessity)
	if r.chart != "" {
		fmt.Fprintf(w, "\n%s\n%s\n", indent(r.chart), indent(shrink.Legend))
	}
	fmt.Fprintf(w, "\nreproduce: %s\n  (was run, and showed: %s)\n", r.command, oneLine(r.shows))
	return w.err
}

// printNeeds prints the necessity report: faults first, then the workload where something other than passing comes of
// leaving it out.
func printNeeds(w io.Writer, needs []shrink.Need) {
	fmt.Fprintln(w, "what happens without each fault alone:")
	faults, work, ok := 0, 0, 0
	for _, n := range needs {
		if n.Fault {
			faults++
			fmt.Fprintf(w, "  %s\n", oneLine(n.String()))
		} else {
			work++
			if n.Outcome == shrink.Passes || n.Outcome == shrink.NoRun {
				ok++
			}
		}
	}
	if faults == 0 {
		fmt.Fprintln(w, "  there is none: hosts, driver, configuration and timing are what they should be")
	}
	if work > 0 {
		fmt.Fprintf(w, "other entries that are needed, since without them it passes or there is nothing to judge: %d of %d\n", ok, work)
	}
	for _, n := range needs {
		if !n.Fault && n.Outcome != shrink.Passes && n.Outcome != shrink.NoRun {
			fmt.Fprintf(w, "  %s\n", oneLine(n.String()))
		}
	}
}

func oneLine(s string) string { return clip(strings.Join(strings.Fields(s), " "), 240) }

func indent(s string) string {
	return "  " + strings.ReplaceAll(strings.TrimRight(s, "\n"), "\n", "\n  ")
}

// counted keeps the first error of a row of writes.
type counted struct {
	w   io.Writer
	err error
}

// Write is io.Writer's.
func (c *counted) Write(b []byte) (int, error) {
	if c.err != nil {
		return 0, c.err
	}
	n, err := c.w.Write(b)
	c.err = err
	return n, err
}
