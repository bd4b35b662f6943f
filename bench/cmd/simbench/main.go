// Command simbench runs one load and prints what it cost. It is what docs/performance.md runs under
// callgrind and a profiler, and many times over to see that the order hash is always the same.
//
//	simbench --what world --repos 1000 --hours 24 --found 300
package main

import (
	"flag"
	"fmt"
	"os"
	"runtime"
	"runtime/pprof"
	"time"

	"graspsync/bench"
	"graspsync/core"
	"graspsync/sim"
)

func main() {
	if err := run(); err != nil {
		fmt.Fprintln(os.Stderr, "simbench:", err)
		os.Exit(1)
	}
}

func run() error {
	what := flag.String("what", "world", "what to run: world, core (on recorded inputs) or queue-and-domains")
	repos := flag.Int("repos", 1000, "repositories, or keys")
	hours := flag.Int("hours", 24, "simulated hours that arrivals are made for")
	until := flag.Duration("until", 0, "stop at this instant instead of after all hours")
	found := flag.Int("found", 300, "per thousand comparisons that show what is wanted: 300 is the light load, 0 the saturated one")
	seed := flag.Uint64("seed", 1, "seed")
	heap := flag.Bool("heap", false, "use the binary heap in place of the radix heap")
	checks := flag.String("checks", "fast", "fast or off")
	hashes := flag.Bool("hashes", false, "print only steps and hashes: the same on every machine")
	profile := flag.String("cpuprofile", "", "write a CPU profile of the run to this file")
	flag.Parse()

	l := bench.Light(*repos, *hours)
	l.Found, l.Seed = *found, *seed
	if *heap {
		l.Queue = sim.HeapQueue
	}
	switch *checks {
	case "fast":
	case "off":
		l.Checks = sim.ChecksOff
	default:
		return fmt.Errorf("-checks is %q, must be fast or off", *checks)
	}
	horizon := core.Time(*hours) * core.Hour
	if *until != 0 {
		horizon = min(horizon, core.Time(*until))
	}
	r, err := prepare(*what, l, horizon)
	if err != nil {
		return err
	}
	runtime.GC()
	if *profile != "" {
		f, err := os.Create(*profile)
		if err != nil {
			return err
		}
		defer f.Close()
		if err := pprof.StartCPUProfile(f); err != nil {
			return err
		}
		defer pprof.StopCPUProfile()
	}
	before := bench.CPU()
	steps, hash, order, note := r()
	cpu := bench.CPU() - before
	if *hashes {
		fmt.Printf("steps %d hash %016x order %016x\n", steps, hash, order)
		return nil
	}
	fmt.Printf("%s: %d repositories, %v, found %d/1000: %d events, %.3f CPU-s, %.0f ns/event; hash %016x order %016x %s\n",
		*what, l.Repos, time.Duration(horizon), l.Found, steps, cpu.Seconds(), float64(cpu.Nanoseconds())/float64(max(steps, 1)), hash, order, note)
	return nil
}

// prepare builds what is to be measured and gives the part that is.
func prepare(what string, l bench.Load, horizon core.Time) (func() (steps, hash, order uint64, note string), error) {
	switch what {
	case "world":
		s, err := l.Setup()
		if err != nil {
			return nil, err
		}
		s.Horizon = horizon
		w, err := sim.NewWorld(s)
		if err != nil {
			return nil, err
		}
		return func() (uint64, uint64, uint64, string) {
			r := w.Run()
			note := fmt.Sprintf("%+v", r.Counts)
			for i := range r.Violations {
				note += fmt.Sprintf("\n%+v", r.Violations[i])
			}
			return r.Steps, r.Hash, r.OrderHash, note
		}, nil
	case "core":
		t, _, err := bench.Record(l)
		if err != nil {
			return nil, err
		}
		n := 0
		for n < len(t.At) && t.At[n] <= horizon {
			n++
		}
		p, err := t.Player()
		if err != nil {
			return nil, err
		}
		return func() (uint64, uint64, uint64, string) { return uint64(p.PlayTo(n)), 0, 0, "" }, nil
	case "queue-and-domains":
		return func() (uint64, uint64, uint64, string) {
			r := bench.RunQD(l.QD(), l.Queue, l.Checks != sim.ChecksOff)
			return r.Events, r.Set, r.Order, fmt.Sprintf("%d passes, %d found %s", r.Passes, r.Found, r.Broken)
		}, nil
	}
	return nil, fmt.Errorf("-what is %q, must be world, core or queue-and-domains", what)
}
