package main

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync"
)

// determinismCmd proves that a world's log depends on nothing but the world and its seed (I-9).
type determinismCmd struct {
	Scenarios []string `arg:"" optional:"" name:"scenario" help:"Names of the catalogue, or scenario files; default the whole catalogue."`
	Seeds     uint64   `default:"1" help:"Seeds per scenario, from its own on."`
	Alone     int      `default:"8" help:"So many worlds, spread over all, run in a process each that runs nothing else."`
	Arch      []string `default:"${det_arch}" help:"Architectures to build for and run on as well; \"none\" for no other."`
	Jobs      int      `short:"j" default:"${jobs}" help:"Processes at a time."`

	List    bool `hidden:"" help:"Print a line per world, and no more: what the other processes do."`
	Reverse bool `hidden:"" help:"With --list: last world first."`
	Only    int  `hidden:"" default:"-1" help:"With --list: this world alone."`
}

// otherArch is what else this machine can run.
func otherArch() string {
	if runtime.GOARCH == "amd64" {
		return "386"
	}
	return "none"
}

// way is one way to run all worlds again; the lines it prints must be the same.
type way struct {
	name string
	tool string   // the program; "" for this one
	env  []string // of the process
	args []string
	only int // one world alone; -1 for all
}

// Run compares every way with a first run in this process.
func (c *determinismCmd) Run(a *app, code *int) error {
	worlds, err := c.worlds(a)
	if err != nil {
		return err
	}
	if c.List {
		return c.list(a, worlds)
	}
	first := make([]string, len(worlds))
	again := make([]string, len(worlds))
	for i, w := range worlds {
		if first[i], err = line(a, w); err != nil {
			return err
		}
		if again[i], err = line(a, w); err != nil {
			return err
		}
	}
	report := &table{left: 1}
	report.row("way", "worlds", "differ")
	var differ []string
	add := func(name string, want, got []string) {
		n := 0
		for i := range want {
			if got[i] != want[i] {
				n++
				differ = append(differ, fmt.Sprintf("%s:\n    here  %s\n    there %s", name, want[i], got[i]))
			}
		}
		report.row(name, len(want), n)
	}
	add("again in this process", first, again)
	dir, err := os.MkdirTemp("", "simrun-determinism-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	ways, err := c.ways(dir, len(worlds))
	if err != nil {
		return err
	}
	got, err := c.children(ways)
	if err != nil {
		return err
	}
	aloneWant, aloneGot := []string{}, []string{}
	for i, w := range ways {
		switch {
		case w.only >= 0 && len(got[i]) == 1:
			aloneWant, aloneGot = append(aloneWant, first[w.only]), append(aloneGot, got[i][0])
		case w.only < 0 && len(got[i]) == len(first):
			if slices.Contains(w.args, "--reverse") {
				slices.Reverse(got[i])
			}
			add(w.name, first, got[i])
		default:
			return fmt.Errorf("%s: %d lines for %d worlds; run the command without --list to see why", w.name, len(got[i]), len(worlds))
		}
	}
	if len(aloneWant) > 0 {
		add("alone in a process of its own", aloneWant, aloneGot)
	}
	report.print(a.out)
	if len(differ) == 0 {
		fmt.Fprintf(a.out, "%d worlds, the same log in every way\n", len(worlds))
		return nil
	}
	*code = exitDiffers
	for _, d := range differ[:min(len(differ), 10)] {
		fmt.Fprintf(a.out, "\nDIFFERS %s\n", d)
	}
	fmt.Fprintf(a.out, "\n%d differences. `simrun run NAME --seed N --trace FILE` writes the log; write it in both ways and compare the first lines that differ\n", len(differ))
	return nil
}

// worlds are the runs to compare, in a fixed order.
func (c *determinismCmd) worlds(a *app) ([]job, error) {
	if c.Alone < 0 {
		return nil, fmt.Errorf("--alone is %d, must be at least 0", c.Alone)
	}
	if c.Jobs < 1 {
		return nil, fmt.Errorf("--jobs is %d, must be at least 1", c.Jobs)
	}
	run := runCmd{Scenarios: c.Scenarios, Seeds: c.Seeds, Jobs: 1}
	return run.jobs(a)
}

// line runs a world and says all that must not depend on anything else.
func line(a *app, w job) (string, error) {
	r, err := a.engine.run(w.Scenario, w.seed, nil)
	if err != nil {
		return "", err
	}
	return fmt.Sprintf("%s %d hash=%016x order=%016x steps=%d violations=%d", w.Name, w.seed, r.Hash, r.OrderHash, r.Steps, len(r.Violations)), nil
}

// list is the work of the other processes.
func (c *determinismCmd) list(a *app, worlds []job) error {
	if c.Only >= len(worlds) {
		return fmt.Errorf("--only is %d, there are %d worlds", c.Only, len(worlds))
	}
	if c.Only >= 0 {
		worlds = worlds[c.Only : c.Only+1]
	}
	if c.Reverse {
		slices.Reverse(worlds)
	}
	for _, w := range worlds {
		l, err := line(a, w)
		if err != nil {
			return err
		}
		fmt.Fprintln(a.out, l)
	}
	return nil
}

// ways lists the processes to start; programs for other architectures are built into dir.
func (c *determinismCmd) ways(dir string, worlds int) ([]way, error) {
	ways := []way{
		{name: "last world first", args: []string{"--reverse"}, only: -1},
		{name: "GOMAXPROCS=1 GOGC=10", env: []string{"GOMAXPROCS=1", "GOGC=10"}, only: -1},
		{name: "GOMAXPROCS=7 GOGC=off", env: []string{"GOMAXPROCS=7", "GOGC=off", "GOMEMLIMIT=2GiB"}, only: -1},
	}
	for _, arch := range c.Arch {
		if arch == "" || arch == "none" {
			continue
		}
		tool := filepath.Join(dir, "simrun-"+arch)
		build := exec.Command("go", "build", "-o", tool, "graspsync/cmd/simrun")
		build.Env = append(os.Environ(), "GOARCH="+arch, "CGO_ENABLED=0")
		if out, err := build.CombinedOutput(); err != nil {
			return nil, fmt.Errorf("--arch %s: cannot build for it, start simrun in the module's directory or give --arch none: %w\n%s", arch, err, out)
		}
		ways = append(ways, way{name: "GOARCH=" + arch, tool: tool, only: -1})
	}
	n := min(c.Alone, worlds)
	for i := range n {
		at := i * worlds / n
		ways = append(ways, way{name: "alone", args: []string{"--only", fmt.Sprint(at)}, only: at})
	}
	return ways, nil
}

// children runs every way in a process of its own and gives the lines each printed.
func (c *determinismCmd) children(ways []way) ([][]string, error) {
	self, err := os.Executable()
	if err != nil {
		return nil, err
	}
	got := make([][]string, len(ways))
	errs := make([]error, len(ways))
	slots := make(chan struct{}, c.Jobs)
	var group sync.WaitGroup
	for i, w := range ways {
		group.Go(func() {
			slots <- struct{}{}
			defer func() { <-slots }()
			tool := w.tool
			if tool == "" {
				tool = self
			}
			args := append([]string{"determinism", "--list", "--seeds", fmt.Sprint(c.Seeds)}, w.args...)
			cmd := exec.Command(tool, append(append(args, "--"), c.Scenarios...)...)
			cmd.Env = append(append(os.Environ(), childMark), w.env...)
			var stderr bytes.Buffer
			cmd.Stderr = &stderr
			out, err := cmd.Output()
			if err != nil {
				errs[i] = fmt.Errorf("%s: %w: %s", w.name, err, strings.TrimSpace(stderr.String()))
				return
			}
			for s := bufio.NewScanner(bytes.NewReader(out)); s.Scan(); {
				got[i] = append(got[i], s.Text())
			}
		})
	}
	group.Wait()
	return got, errors.Join(errs...)
}

// childMark tells a test binary that it is to be the tool.
const childMark = "SIMRUN_CHILD=1"
