package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"graspsync/core"
	"graspsync/scenarios"
	"graspsync/sim"
)

// scripted is a tool over three scenarios whose runs are made up, so that every verdict can be had.
type scripted struct {
	app
	stdout, stderr bytes.Buffer
	violations     map[string][]sim.Violation // by scenario
	drift          map[string]bool            // the second run differs
	mu             sync.Mutex
	runs           map[string]int
}

func newScripted() *scripted {
	s := &scripted{violations: map[string][]sim.Violation{}, drift: map[string]bool{}, runs: map[string]int{}}
	s.app = app{out: &s.stdout, err: &s.stderr, engine: engine{catalogue: s.catalogue, named: s.named, load: scenarios.Load, run: s.fake}}
	return s
}

func (s *scripted) catalogue() ([]*scenarios.Scenario, error) {
	var out []*scenarios.Scenario
	for _, name := range []string{"market", "dead-host", "drip"} { // not in order on purpose
		out = append(out, &scenarios.Scenario{Version: 1, Name: name, Description: "What " + name + " shows.",
			Horizon: scenarios.Span(core.Minute), Seed: 7})
	}
	return out, nil
}

func (s *scripted) named(name string) (*scenarios.Scenario, error) {
	all, _ := s.catalogue()
	for _, sc := range all {
		if sc.Name == name {
			return sc, nil
		}
	}
	return nil, fs.ErrNotExist
}

func (s *scripted) fake(sc *scenarios.Scenario, seed uint64, trace io.Writer) (*sim.Result, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.runs[sc.Name]++
	if trace != nil {
		fmt.Fprintln(trace, `{"format":1}`)
		for i := 1; i <= 12; i++ {
			fmt.Fprintf(trace, "{\"name\":%d}\n{\"step\":%d}\n", i, i)
		}
	}
	r := &sim.Result{Scenario: sc.Name, Seed: seed, Steps: 12, Virtual: 90 * core.Second, Hash: seed << 8,
		Violations: s.violations[sc.Name], Counts: sim.Counts{Arrived: 3, Released: 2, StillHeld: 1}}
	if s.drift[sc.Name] {
		r.Hash += uint64(s.runs[sc.Name])
	}
	return r, nil
}

// do runs the tool with one run at a time, so that what is counted comes in order.
func (s *scripted) do(args ...string) int {
	s.stdout.Reset()
	s.stderr.Reset()
	if len(args) > 0 && args[0] == "run" {
		args = append(args, "-j", "1")
	}
	return s.main(args)
}

func lastLine(text string) string {
	lines := strings.Split(strings.TrimSpace(text), "\n")
	return lines[len(lines)-1]
}

func TestListIsALineEachNameFirst(t *testing.T) {
	s := newScripted()
	require.Equal(t, exitOK, s.do("list"))
	require.Equal(t, "dead-host  What dead-host shows.\ndrip       What drip shows.\nmarket     What market shows.\n", s.stdout.String())
	require.Empty(t, s.stderr.String())
}

func TestNoArgumentsRunTheCatalogue(t *testing.T) {
	s := newScripted()
	require.Equal(t, exitOK, s.do("run"))
	require.Equal(t, exitOK, s.main(nil))
	require.Equal(t, map[string]int{"dead-host": 4, "drip": 4, "market": 4}, s.runs, "every run is made twice")
	require.Regexp(t, `^3 scenarios: 3 passed, 0 failed; simulated 4m30s in \S+ \(\d+× real time\), 36 events, \d+ events/s$`,
		lastLine(s.stdout.String()))
	require.Empty(t, s.stderr.String(), "no progress bar without a terminal")
}

func TestResultsComeInOrderOfName(t *testing.T) {
	s := newScripted()
	require.Equal(t, exitOK, s.do("run", "market", "drip", "dead-host", "drip"))
	var names []string
	for _, l := range strings.Split(s.stdout.String(), "\n")[1:4] {
		names = append(names, strings.Fields(l)[0])
	}
	require.Equal(t, []string{"dead-host", "drip", "market"}, names)
}

func violation(id string) []sim.Violation {
	return []sim.Violation{{ID: id, At: 61 * core.Second, Step: 10, Text: "what was seen"}}
}

func TestExitCodes(t *testing.T) {
	for _, c := range []struct {
		name      string
		dead, mkt string // violated ids
		drift     bool
		want      int
	}{
		{"passed", "", "", false, exitOK},
		{"safety", "I-2", "", false, exitSafety},
		{"expectation", "expect", "", false, exitSafety},
		{"liveness", "I-4", "", false, exitLiveness},
		{"mark", "mark", "", false, exitMark},
		{"determinism found by the oracle", "I-9", "", false, exitDiffers},
		{"two runs differ", "", "", true, exitDiffers},
		{"safety before liveness", "I-4", "I-2", false, exitSafety},
		{"liveness before mark", "mark", "I-1", false, exitLiveness},
		{"difference before safety", "I-2", "", true, exitDiffers},
	} {
		t.Run(c.name, func(t *testing.T) {
			s := newScripted()
			if c.dead != "" {
				s.violations["dead-host"] = violation(c.dead)
			}
			if c.mkt != "" {
				s.violations["market"] = violation(c.mkt)
			}
			s.drift["drip"] = c.drift
			require.Equal(t, c.want, s.do("run"), s.stdout.String())
		})
	}
}

func TestCodesInOrder(t *testing.T) {
	// With several the first of 5, 3, 4, 6, 7; nothing beats input that could not be judged at all.
	for i, a := range order {
		for _, b := range order[i:] {
			require.Equal(t, a, worst(a, b))
			require.Equal(t, a, worst(b, a))
		}
	}
	require.Equal(t, []int{64, 5, 3, 4, 6, 7, 0}, order)
}

func TestAFailureShowsWhatLedThereAndHowToSeeItAgain(t *testing.T) {
	s := newScripted()
	s.violations["market"] = violation("I-2")
	require.Equal(t, exitSafety, s.do("run", "market", "--seed", "9", "--set", "domain-rate=5"), s.stderr.String())
	out := s.stdout.String()
	require.Contains(t, out, "FAILED market, seed 9: SAFETY\n  I-2 at 61s, step 10: what was seen\n")
	require.Contains(t, out, "{\"step\":3}\n    {\"step\":4}", "eight steps up to the violation")
	require.NotContains(t, out, "{\"step\":2}")
	require.NotContains(t, out, "{\"step\":11}", "nothing after the violation")
	require.Contains(t, out, "  reproduce: go run ./cmd/simrun run market --seed 9 --set domain-rate=5\n")
	require.Contains(t, lastLine(out), "1 scenarios: 0 passed, 1 failed;")
}

func TestThePrintedCommandReproduces(t *testing.T) {
	s := newScripted()
	s.violations["drip"] = violation("I-4")
	require.Equal(t, exitLiveness, s.do("run"))
	_, line, ok := strings.Cut(s.stdout.String(), "reproduce: go run ./cmd/simrun ")
	require.True(t, ok)
	line, _, _ = strings.Cut(line, "\n")
	require.Equal(t, exitLiveness, s.do(strings.Fields(line)...))
	require.Contains(t, s.stdout.String(), "FAILED drip, seed 7: LIVENESS")
}

func TestManySeedsShareALine(t *testing.T) {
	s := newScripted()
	require.Equal(t, exitOK, s.do("run", "drip", "--seeds", "3", "--seed", "40", "--once"))
	require.Equal(t, 3, s.runs["drip"], "--once runs once")
	require.Regexp(t, `drip +ok +3 seeds +4m30s +36 `, s.stdout.String())
	require.Contains(t, lastLine(s.stdout.String()), "3 scenarios: 3 passed")
}

func TestJSONShape(t *testing.T) {
	s := newScripted()
	s.violations["drip"] = violation("I-2")
	require.Equal(t, exitSafety, s.do("run", "drip", "market", "--json"))
	lines := strings.Split(strings.TrimSpace(s.stdout.String()), "\n")
	require.Len(t, lines, 3, "a line per run and one with the sums")
	var r jsonRun
	dec := json.NewDecoder(strings.NewReader(lines[0]))
	dec.DisallowUnknownFields()
	require.NoError(t, dec.Decode(&r))
	require.Equal(t, "drip", r.Scenario)
	require.Equal(t, "safety", r.Verdict)
	require.Equal(t, exitSafety, r.Code)
	require.Equal(t, "0000000000000700", r.Hash)
	require.Equal(t, int64(90e9), r.VirtualNS)
	require.Equal(t, int64(1), r.Counts["still_held"])
	require.Equal(t, []jsonViolation{{ID: "I-2", AtNS: 61e9, Step: 10, Text: "what was seen"}}, r.Violations)
	require.Equal(t, "go run ./cmd/simrun run drip --seed 7", r.Reproduce)
	require.Contains(t, lines[1], `"violations":[]`)
	var sum struct{ Summary jsonSummary }
	require.NoError(t, json.Unmarshal([]byte(lines[2]), &sum))
	require.Equal(t, 2, sum.Summary.Runs)
	require.Equal(t, 1, sum.Summary.Failed)
	require.Equal(t, uint64(24), sum.Summary.Events)
}

func TestUsageErrors(t *testing.T) {
	file := filepath.Join(t.TempDir(), "out.jsonl")
	require.NoError(t, os.WriteFile(file, nil, 0o600))
	for _, c := range []struct {
		args string
		want string
	}{
		{"run markte", `no scenario is called "markte"; did you mean market?`},
		{"lst", `no scenario is called "lst"; did you mean list?`},
		{"run nothing-like-it", "`simrun list` names them all"},
		{"run no/such.yaml", "no/such.yaml: no such file or directory; give a scenario file or a name of `simrun list`"},
		{"run --seeds 0", "--seeds is 0, must be 1 to 1000000"},
		{"run --seed -1", "--seed"},
		{"run --seed 0", "--seed is 0, must be at least 1"},
		{"run --set domain-rate", "--set domain-rate: no value; write FIELD=VALUE"},
		{"run --set domain-rat=3", `no field is called "domain-rat"; did you mean domain-rate?`},
		{"run --set domain-rate=0", "domain-rate"},
		{"run --set horizon=fast", `--set horizon=fast: "fast" is no time span`},
		{"run --trace " + file, "is a file, but there are 3 runs: give a directory"},
		{"run --fast", "unknown flag --fast"},
		{"replay", "trace"},
		{"replay no-such-file", "no-such-file"},
		{"bench --for 0s", "--for is 0s, must be positive"},
	} {
		t.Run(c.args, func(t *testing.T) {
			s := newScripted()
			require.Equal(t, exitUsage, s.do(strings.Fields(c.args)...), s.stdout.String())
			require.Contains(t, s.stderr.String(), c.want)
			require.Empty(t, s.runs, "nothing ran")
		})
	}
}

func TestHelpIsNoError(t *testing.T) {
	s := newScripted()
	require.Equal(t, exitOK, s.do("--help"))
	for _, word := range []string{"list", "replay", "import", "bench", "5 nondeterminism"} {
		require.Contains(t, s.stdout.String(), word)
	}
	require.Empty(t, s.runs)
}

func TestTracesAreWrittenWhole(t *testing.T) {
	dir := t.TempDir()
	s := newScripted()
	require.Equal(t, exitOK, s.do("run", "drip", "--trace", filepath.Join(dir, "one.jsonl")))
	one, err := os.ReadFile(filepath.Join(dir, "one.jsonl"))
	require.NoError(t, err)
	require.Equal(t, 25, bytes.Count(one, []byte("\n")))
	require.Equal(t, exitOK, s.do("run", "--trace", filepath.Join(dir, "all")+"/"))
	files, err := os.ReadDir(filepath.Join(dir, "all"))
	require.NoError(t, err)
	var names []string
	for _, f := range files {
		names = append(names, f.Name())
	}
	require.Equal(t, []string{"dead-host-7.jsonl", "drip-7.jsonl", "market-7.jsonl"}, names)
}

func TestABudgetStopsStarting(t *testing.T) {
	s := newScripted()
	slow := s.engine.run
	s.engine.run = func(sc *scenarios.Scenario, seed uint64, trace io.Writer) (*sim.Result, error) {
		time.Sleep(150 * time.Millisecond)
		return slow(sc, seed, trace)
	}
	require.Equal(t, exitBudget, s.do("run", "--once", "--budget", "100ms"))
	require.Contains(t, s.stdout.String(), "not started: the budget of 100ms was used up")
	require.Contains(t, lastLine(s.stdout.String()), "3 scenarios: 1 passed, 2 failed;")
}

func TestARunThatCannotBeMadeIsNoVerdict(t *testing.T) {
	s := newScripted()
	s.engine.run = func(*scenarios.Scenario, uint64, io.Writer) (*sim.Result, error) {
		return nil, errors.New("setup refused: Horizon is 0s, must be > 0 and finite")
	}
	require.Equal(t, exitUsage, s.do("run", "drip"))
	require.Contains(t, s.stdout.String(), "setup refused: Horizon is 0s")
}

func TestReplayVerdicts(t *testing.T) {
	file := filepath.Join(t.TempDir(), "t.jsonl")
	require.NoError(t, os.WriteFile(file, []byte("{}\n"), 0o600))
	s := newScripted()
	header := sim.TraceHeader{Scenario: "drip", Seed: 7}
	s.engine.replay = func(io.Reader) (sim.Replayed, error) {
		return sim.Replayed{Header: header, Steps: 5, At: core.Minute, Hash: 0xabc}, nil
	}
	require.Equal(t, exitOK, s.do("replay", file))
	require.Contains(t, s.stdout.String(), "drip, seed 7, replayed, not judged: 5 steps, every effect the same, hash 0000000000000abc\n")
	require.Contains(t, lastLine(s.stdout.String()), "1 scenarios: 1 passed, 0 failed; simulated 1m0s in ")

	s.engine.replay = func(io.Reader) (sim.Replayed, error) {
		return sim.Replayed{Header: header, Steps: 2}, &sim.Difference{Step: 3, At: 2 * core.Second, Input: "wake", Expected: "compare a", Got: "compare b"}
	}
	require.Equal(t, exitDiffers, s.do("replay", file))
	require.Contains(t, s.stdout.String(), "FAILED replay of drip, seed 7: the core answers differently at step 3, 2s\n"+
		"  input:        wake\n  in the trace: compare a\n  now:          compare b\n  reproduce: go run ./cmd/simrun replay "+file+"\n")

	s.engine.replay = func(io.Reader) (sim.Replayed, error) {
		return sim.Replayed{}, errors.New("line 4: the trace ends in the middle")
	}
	require.Equal(t, exitUsage, s.do("replay", file))
	require.Contains(t, s.stderr.String(), "t.jsonl: line 4: the trace ends in the middle")
}

func TestBenchPrintsALineEach(t *testing.T) {
	s := newScripted()
	require.Equal(t, exitOK, s.do("bench", "--for", "1ms"))
	require.Regexp(t, `(?m)^market +12 +\d+ +\d+ +\d+ +\d+ +[+-]\d+ % +\d+$`, s.stdout.String())
	require.Regexp(t, `(?m)^all `, s.stdout.String())
}

func TestQuote(t *testing.T) {
	require.Equal(t, "a/b-c.yaml", quote("a/b-c.yaml"))
	require.Equal(t, `'a b'`, quote("a b"))
	require.Equal(t, `'it'\''s'`, quote("it's"))
	require.Equal(t, `''`, quote(""))
}
