package main

import (
	"encoding/json"
	"fmt"
	"hash/fnv"
	"io"
	"os"
	"strings"
	"time"

	"graspsync/core"
	"graspsync/scenarios"
)

// reportVersion is the version of the JSON form.
const reportVersion = 1

// report is what came of a swarm, or of several merged. Times are nanoseconds.
type report struct {
	Version  int             `json:"version"`
	Build    string          `json:"commit,omitempty"`
	Profiles []profileReport `json:"profiles"`
}

// profileReport is one profile's part, of one shard or of several.
type profileReport struct {
	Profile   string    `json:"profile"`
	From      uint64    `json:"from"`
	Shard     uint64    `json:"shard"`
	Of        uint64    `json:"of"`
	Worlds    uint64    `json:"worlds"`
	Failed    uint64    `json:"failed"`
	Calm      uint64    `json:"calm"`
	Twice     uint64    `json:"twice"` // run two times
	Events    uint64    `json:"events"`
	VirtualNS int64     `json:"virtual_ns"`
	WallNS    int64     `json:"wall_ns"`
	CPUNS     int64     `json:"cpu_ns"`
	Digest    uint64    `json:"digest,string"` // of all hashes in order of seeds: the same on every machine
	Failures  []failure `json:"failures"`      // one per kind, by first seed
}

// failure is a kind of failure: the first world that failed so, and how many did.
type failure struct {
	Profile     string   `json:"profile"`
	Seed        uint64   `json:"seed"`
	ID          string   `json:"id"`
	AtNS        int64    `json:"at_ns"`
	Step        uint64   `json:"step"`
	Text        string   `json:"text"`
	Shape       string   `json:"shape"`
	Worlds      uint64   `json:"worlds"`
	Code        int      `json:"code"`
	File        string   `json:"file"`              // the scenario as it was drawn
	Minimal     string   `json:"minimal,omitempty"` // and made small
	Size        string   `json:"size,omitempty"`
	Fingerprint string   `json:"fingerprint,omitempty"`
	Needs       []string `json:"needs,omitempty"` // what happens without each of its faults
	Chart       string   `json:"chart,omitempty"`
	Command     string   `json:"command"`         // shows it
	Shows       string   `json:"shows,omitempty"` // what the command printed when it was run
	Unshrunk    string   `json:"unshrunk,omitempty"`
}

// fingerprint is equal for failures of one id with one minimal scenario.
func fingerprint(id string, minimal *scenarios.Scenario) string {
	s := *minimal
	s.Name, s.Description, s.Seed = "minimal", "minimal", 0
	h := fnv.New64a()
	h.Write(s.Encode())
	return fmt.Sprintf("%s-%012x", id, h.Sum64()>>16)
}

func (r *report) write(path string) error {
	text, err := json.MarshalIndent(r, "", "  ")
	if err != nil {
		return err
	}
	if err := os.WriteFile(path, append(text, '\n'), 0o644); err != nil {
		return fmt.Errorf("--json: %w", err)
	}
	return nil
}

// print prints the failures, a table and a sentence, and gives the exit code.
func (r *report) print(w io.Writer) (code int) {
	t := &table{left: 1}
	t.row("profile", "worlds", "failed", "kinds", "calm", "run twice", "simulated", "events", "worlds/s", "worlds/CPU s", "digest")
	var sum profileReport
	shown := make(map[string]string)
	for i := range r.Profiles {
		p := &r.Profiles[i]
		for k := range p.Failures {
			f := &p.Failures[k]
			code = worst(code, f.Code)
			if first, twice := shown[f.Fingerprint]; twice && f.Fingerprint != "" {
				fmt.Fprintf(w, "FAILED %s, seed %d: the same as %s (%s)\n\n", f.Profile, f.Seed, first, f.Fingerprint)
				continue
			}
			shown[f.Fingerprint] = fmt.Sprintf("%s, seed %d", f.Profile, f.Seed)
			f.print(w)
		}
		p.row(t, p.Profile, fmt.Sprintf("%016x", p.Digest))
		sum.Worlds, sum.Failed, sum.Calm, sum.Twice, sum.Events = sum.Worlds+p.Worlds, sum.Failed+p.Failed, sum.Calm+p.Calm, sum.Twice+p.Twice, sum.Events+p.Events
		sum.VirtualNS, sum.WallNS, sum.CPUNS = sum.VirtualNS+p.VirtualNS, sum.WallNS+p.WallNS, sum.CPUNS+p.CPUNS
		sum.Failures = append(sum.Failures, p.Failures...)
	}
	if len(r.Profiles) > 1 {
		sum.row(t, "all", "")
	}
	t.print(w)
	fmt.Fprintf(w, "%d worlds: %d passed, %d failed; simulated %v in %v (%.0f× real time)\n", sum.Worlds, sum.Worlds-sum.Failed, sum.Failed,
		time.Duration(sum.VirtualNS).Round(time.Second), short(time.Duration(sum.WallNS)), float64(sum.VirtualNS)/float64(max(sum.WallNS, 1)))
	return code
}

func (p *profileReport) row(t *table, name, digest string) {
	per := func(ns int64) string {
		return fmt.Sprintf("%.0f", float64(p.Worlds)/max(time.Duration(ns).Seconds(), 1e-9))
	}
	t.row(name, p.Worlds, p.Failed, len(p.Failures), p.Calm, p.Twice, time.Duration(p.VirtualNS).Round(time.Second), p.Events, per(p.WallNS), per(p.CPUNS), digest)
}

// print says what failed, how often, and how to see it.
func (f *failure) print(w io.Writer) {
	fmt.Fprintf(w, "FAILED %s, seed %d: %s %s", f.Profile, f.Seed, verdict(f.Code), f.Fingerprint)
	if f.Worlds > 1 {
		fmt.Fprintf(w, " (and %d more worlds like it)", f.Worlds-1)
	}
	fmt.Fprintf(w, "\n  %s at %v, step %d: %s\n", f.ID, span(core.Time(f.AtNS)), f.Step, oneLine(f.Text))
	fmt.Fprintf(w, "  as drawn: %s\n", f.File)
	if f.Minimal != "" {
		fmt.Fprintf(w, "  minimal:  %s (%s)\n", f.Minimal, f.Size)
		if text, err := os.ReadFile(f.Minimal); err == nil {
			fmt.Fprintf(w, "%s\n", indent(indent(string(text))))
		}
		for _, n := range f.Needs {
			fmt.Fprintf(w, "  %s\n", n)
		}
		if f.Chart != "" {
			fmt.Fprintf(w, "%s\n", indent(f.Chart))
		}
	}
	if f.Unshrunk != "" {
		fmt.Fprintf(w, "  not made small: %s\n", strings.ReplaceAll(f.Unshrunk, "\n", "\n  "))
	}
	fmt.Fprintf(w, "  reproduce: %s\n", f.Command)
	if f.Shows != "" {
		fmt.Fprintf(w, "    (was run, and showed: %s)\n", oneLine(f.Shows))
	}
	fmt.Fprintln(w)
}
