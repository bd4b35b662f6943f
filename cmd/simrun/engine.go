package main

import (
	"bufio"
	"io"
	"runtime"
	"runtime/debug"

	"graspsync/scenarios"
	"graspsync/sim"
)

// engine is what the tool needs of the packages below it. Tests put their own runs in here.
type engine struct {
	catalogue func() ([]*scenarios.Scenario, error)
	named     func(name string) (*scenarios.Scenario, error) // wraps fs.ErrNotExist if there is none
	load      func(path string) (*scenarios.Scenario, error)
	run       func(s *scenarios.Scenario, seed uint64, trace io.Writer) (*sim.Result, error)
	replay    func(trace io.Reader) (sim.Replayed, error)
	change    func(relay string, s *sim.Setup) // of runs that are drawn; nil: none
}

func realEngine() engine {
	return engine{catalogue: scenarios.Catalogue, named: scenarios.Named, load: scenarios.Load, run: runScenario, replay: replayTrace}
}

// runScenario runs s once, checks and hash on. The record of the run is dropped: a long list of runs
// must not pile up what only the judge needed.
func runScenario(s *scenarios.Scenario, seed uint64, trace io.Writer) (*sim.Result, error) {
	r, err := s.Run(scenarios.Options{Seed: seed, Trace: trace, Build: thisBuild()})
	if err != nil {
		return nil, err
	}
	r.Record = nil
	for i := range r.Relays {
		r.Relays[i].Record = nil
	}
	return &r, nil
}

func replayTrace(trace io.Reader) (sim.Replayed, error) {
	return sim.Replay(bufio.NewReaderSize(trace, 1<<20))
}

// thisBuild is what a trace's header says about this program. The commit is known to an installed tool,
// not to go run.
func thisBuild() sim.Build {
	b := sim.Build{Go: runtime.Version(), Arch: runtime.GOARCH}
	if info, ok := debug.ReadBuildInfo(); ok {
		for _, s := range info.Settings {
			if s.Key == "vcs.revision" {
				b.Commit = s.Value
			}
		}
	}
	return b
}
