package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"

	"graspsync/internal/mutants"
)

// mutantsCmd measures the swarm by planted faults.
type mutantsCmd struct {
	Names  []string      `arg:"" optional:"" name:"mutant" help:"Numbers or parts of names; default all."`
	Dir    string        `default:"testdata/mutants" help:"Where the mutants are."`
	Ranges int           `default:"5" help:"Independent ranges of seeds; the numbers are over these."`
	Seeds  uint64        `default:"600" help:"Worlds of one range, at most."`
	From   uint64        `default:"1000000" help:"First seed of the first range."`
	Tests  bool          `help:"Run the tests of the packages as well, for those that the swarm does not find."`
	Hang   time.Duration `default:"60s" help:"A range that takes longer than this counts as caught: the fault makes a world go on for ever."`
	Out    string        `short:"o" placeholder:"FILE" help:"Write the table in Markdown to FILE, as docs/mutants.md."`
	Jobs   int           `short:"j" default:"${jobs}" help:"Mutants at a time."`
}

// catch is what came of one range of seeds.
type catch struct {
	seeds uint64
	cpu   time.Duration
	id    string // of the violation; "" is none, "hang" no end
}

// scored is what came of a mutant.
type scored struct {
	*mutants.Mutant
	err     error
	catches []catch
	tests   string // the first test that failed, or ""
}

// Run builds each mutant and hunts it.
func (c *mutantsCmd) Run(a *app, code *int) error {
	if c.Ranges < 1 || c.Seeds < 1 || c.From < 1 || c.Jobs < 1 {
		return fmt.Errorf("--ranges %d, --seeds %d, --from %d, --jobs %d: must each be at least 1", c.Ranges, c.Seeds, c.From, c.Jobs)
	}
	all, err := mutants.Load(c.Dir)
	if err != nil {
		return err
	}
	list := all
	if len(c.Names) > 0 {
		list = nil
		for _, m := range all {
			if slices.ContainsFunc(c.Names, func(n string) bool { return fmt.Sprint(m.Number) == n || strings.Contains(m.Name, n) }) {
				list = append(list, m)
			}
		}
		if len(list) == 0 {
			return fmt.Errorf("no mutant is called %s", strings.Join(c.Names, ", "))
		}
	}
	began := time.Now()
	done := make([]scored, len(list))
	slots := make(chan struct{}, c.Jobs)
	var group sync.WaitGroup
	bar := a.progress(len(list))
	for i, m := range list {
		group.Go(func() {
			slots <- struct{}{}
			defer func() { <-slots; bar.done() }()
			done[i] = c.hunt(m)
		})
	}
	group.Wait()
	bar.finish()
	*code = c.report(a, done, time.Since(began))
	if c.Out != "" {
		return os.WriteFile(c.Out, []byte(markdown(done)), 0o644)
	}
	return nil
}

// hunt builds a mutant and runs swarms of it.
func (c *mutantsCmd) hunt(m *mutants.Mutant) (s scored) {
	s.Mutant = m
	dir, err := os.MkdirTemp("", "simrun-mutant-")
	if err != nil {
		s.err = err
		return s
	}
	defer os.RemoveAll(dir)
	tool := filepath.Join(dir, "simrun")
	if s.err = m.Build(".", dir, "graspsync/cmd/simrun", tool); s.err != nil {
		return s
	}
	found := false
	for r := range c.Ranges {
		x, err := c.swarm(tool, dir, c.From+uint64(r)*1_000_000)
		if err != nil {
			s.err = err
			return s
		}
		s.catches = append(s.catches, x)
		found = found || x.id != ""
	}
	if c.Tests && !found {
		s.tests = firstFailedTest(filepath.Join(dir, "overlay.json"))
	}
	return s
}

// swarm runs one range of worlds of a mutant up to the first that fails.
func (c *mutantsCmd) swarm(tool, dir string, from uint64) (catch, error) {
	ctx, cancel := context.WithTimeout(context.Background(), c.Hang)
	defer cancel()
	out := filepath.Join(dir, "swarm.json")
	_ = os.Remove(out) // of the range before
	cmd := exec.CommandContext(ctx, tool, "swarm", "--profile", "mixed", "--from", fmt.Sprint(from), "--seeds", fmt.Sprint(c.Seeds), "--stop-at-first",
		"--no-shrink", "--fail-dir", filepath.Join(dir, "failures"), "--json", out, "--jobs", "1")
	text, err := cmd.CombinedOutput()
	if ctx.Err() != nil {
		return catch{seeds: c.Seeds, cpu: c.Hang, id: "hang"}, nil
	}
	b, readErr := os.ReadFile(out)
	if readErr != nil {
		return catch{}, fmt.Errorf("the swarm ended without a result: %w\n%s", errors.Join(err, readErr), clip(string(text), 2000))
	}
	var r report
	if err := json.Unmarshal(b, &r); err != nil {
		return catch{}, err
	}
	p := r.Profiles[0]
	x := catch{seeds: p.Worlds, cpu: time.Duration(p.CPUNS)}
	if len(p.Failures) > 0 {
		x.id = p.Failures[0].ID
	}
	return x, nil
}

// firstFailedTest runs the tests of the packages that a mutant may break, with it in, and names the first that fails.
func firstFailedTest(overlay string) string {
	cmd := exec.Command("go", "test", "-overlay", overlay, "./core/...", "./sim/...", "./scenarios/...")
	text, err := cmd.CombinedOutput()
	if err == nil {
		return ""
	}
	for l := range strings.Lines(string(text)) {
		if rest, ok := strings.CutPrefix(strings.TrimSpace(l), "--- FAIL: "); ok {
			name, _, _ := strings.Cut(rest, " ")
			return name
		}
	}
	return "a package does not build or run"
}

// middle and high are the median and the 95th percentile of what ranges took; a range that caught nothing counts as more
// than its limit.
func quantiles(list []catch, of func(catch) uint64) (middle, high uint64) {
	n := make([]uint64, 0, len(list))
	for _, x := range list {
		if x.id == "" {
			n = append(n, ^uint64(0))
		} else {
			n = append(n, of(x))
		}
	}
	slices.Sort(n)
	return n[(len(n)-1)/2], n[(len(n)*95+99)/100-1]
}

func seedsText(n, limit uint64) string {
	if n == ^uint64(0) {
		return fmt.Sprintf("> %d", limit)
	}
	return fmt.Sprint(n)
}

// ids are the violations that caught a mutant, most frequent first.
func (s *scored) ids() string {
	count := make(map[string]int)
	var out []string
	for _, x := range s.catches {
		if x.id == "" {
			continue
		}
		if count[x.id]++; count[x.id] == 1 {
			out = append(out, x.id)
		}
	}
	slices.SortStableFunc(out, func(a, b string) int { return count[b] - count[a] })
	return strings.Join(out, ", ")
}

// found is in how many ranges it was caught.
func (s *scored) found() (n int) {
	for _, x := range s.catches {
		if x.id != "" {
			n++
		}
	}
	return n
}

// report prints the score. The canary must be found at once, or nothing that was measured means anything.
func (c *mutantsCmd) report(a *app, done []scored, took time.Duration) (code int) {
	t := &table{left: 2}
	t.row("mutant", "caught by", "ranges", "seeds", "p95", "CPU s", "p95")
	killed, scoredN := 0, 0
	var medians []uint64
	for i := range done {
		s := &done[i]
		if s.err != nil {
			fmt.Fprintf(a.err, "%s: %v\n", s.Name, s.err)
			code = exitUsage
			continue
		}
		m, p := quantiles(s.catches, func(x catch) uint64 { return x.seeds })
		cm, cp := quantiles(s.catches, func(x catch) uint64 { return uint64(x.cpu / time.Millisecond) })
		seconds := func(ms uint64) string {
			if ms == ^uint64(0) {
				return "-"
			}
			return fmt.Sprintf("%.2f", float64(ms)/1000)
		}
		by := s.ids()
		if by == "" && s.tests != "" {
			by = "test " + s.tests
		}
		t.row(s.Name, by, fmt.Sprintf("%d/%d", s.found(), len(s.catches)), seedsText(m, c.Seeds), seedsText(p, c.Seeds), seconds(cm), seconds(cp))
		if s.Number == 0 {
			if s.found() < len(s.catches) {
				fmt.Fprintf(a.out, "the canary was not found in every range: the swarm judges nothing\n")
				code = worst(code, exitMark)
			}
			continue
		}
		scoredN++
		if s.found() > 0 {
			killed++
			medians = append(medians, m)
		}
	}
	t.print(a.out)
	slices.Sort(medians)
	middle := "-"
	if len(medians) > 0 {
		middle = seedsText(medians[(len(medians)-1)/2], c.Seeds)
	}
	fmt.Fprintf(a.out, "%d of %d found by the swarm alone (%.1f %%), median %s seeds; %v\n", killed, scoredN, 100*float64(killed)/float64(max(scoredN, 1)), middle, short(took))
	if scoredN > 1 && killed*100 < 95*scoredN {
		code = worst(code, exitMark)
	}
	return code
}

// markdown is the page about the mutants.
func markdown(done []scored) string {
	var b strings.Builder
	b.WriteString("# Mutants\n\nGenerated by `go run ./cmd/simrun mutants -o docs/mutants.md`. Each is a fault planted in the source by an overlay\n" +
		"([testdata/mutants](../testdata/mutants)); the numbers say how many drawn worlds it takes to find it, over independent ranges of seeds.\n\n" +
		"| mutant | what is wrong | rows | must break | found as | ranges | seeds, median | p95 |\n|---|---|---|---|---|---|---|---|\n")
	for i := range done {
		s := &done[i]
		if s.err != nil {
			continue
		}
		m, p := quantiles(s.catches, func(x catch) uint64 { return x.seeds })
		by := s.ids()
		if by == "" && s.tests != "" {
			by = "test " + s.tests
		}
		fmt.Fprintf(&b, "| %s | %s | %s | %s | %s | %d/%d | %s | %s |\n", s.Name, s.Title, strings.Join(s.Rows, ", "), strings.Join(s.Violates, ", "), by,
			s.found(), len(s.catches), seedsText(m, 600), seedsText(p, 600))
	}
	return b.String()
}
