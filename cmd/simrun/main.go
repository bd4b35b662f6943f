// Command simrun runs simulated worlds against the sync core, judges them from outside and prints what
// happened. Without arguments it runs the whole catalogue.
//
// What may enter: flags, choice of what to run, goroutines over independent runs, text for people. What
// may not: a decision about a run's verdict (package sim and package scenarios judge), behaviour of the
// core or of a fake peer.
package main

import (
	"fmt"
	"io"
	"os"
	"runtime"

	"github.com/alecthomas/kong"
)

func main() {
	os.Exit(run(os.Args[1:], os.Stdout, os.Stderr))
}

// run is the whole tool: results go to stdout, progress and complaints to stderr; it returns the exit code.
func run(args []string, stdout, stderr io.Writer) int {
	return newApp(stdout, stderr).main(args)
}

// app is one call of the tool.
type app struct {
	out, err io.Writer
	engine   engine
}

func newApp(stdout, stderr io.Writer) *app {
	return &app{out: stdout, err: stderr, engine: realEngine()}
}

type grammar struct {
	Run         runCmd         `cmd:"" default:"withargs" help:"Run scenarios, by name or from files; without any, the whole catalogue."`
	List        listCmd        `cmd:"" help:"List the catalogue: a line each, name first."`
	Replay      replayCmd      `cmd:"" help:"Feed the inputs of a trace to a fresh core and demand the same effects."`
	Import      importCmd      `cmd:"" help:"Turn a dump of real NIP-34 events into a scenario."`
	Determinism determinismCmd `cmd:"" help:"Prove that runs depend on world and seed alone: other orders, other processes, other GOMAXPROCS and GOGC, another architecture."`
	Swarm       swarmCmd       `cmd:"" help:"Draw worlds from seeds, judge them, and make each kind of failure small."`
	Mutants     mutantsCmd     `cmd:"" help:"Plant known faults in the source, one at a time, and measure how many worlds it takes to find each."`
	Merge       mergeCmd       `cmd:"" help:"Add up the results of several shards of a swarm."`
	Shrink      shrinkCmd      `cmd:"" help:"Make a failing scenario as small as it can be while it fails alike, and say why each fault in it is needed."`
	Bench       benchCmd       `cmd:"" help:"Measure what a run costs with checks, hash and trace on and off."`
}

const description = `Runs simulated worlds against the sync core and judges them from outside.

Exit codes: 0 passed, 3 safety, 4 liveness, 5 nondeterminism or replay difference, 6 mark not hit, 7 over budget,
64 usage; with several, the first of 5, 3, 4, 6, 7.`

// main parses the arguments and runs the command.
func (a *app) main(args []string) int {
	var g grammar
	done := false // --help was printed
	parser, err := kong.New(&g, kong.Name("simrun"), kong.Description(description), kong.Writers(a.out, a.err),
		kong.Exit(func(int) { done = true }), kong.Vars{"jobs": fmt.Sprint(runtime.GOMAXPROCS(0)), "det_arch": otherArch()})
	if err != nil {
		panic(err) // the grammar above is wrong
	}
	ctx, err := parser.Parse(args)
	if done {
		return exitOK
	}
	if err != nil {
		return a.usage(err)
	}
	code := exitOK
	if err := ctx.Run(a, &code); err != nil {
		return a.usage(err)
	}
	return code
}

// usage reports that the tool was asked for something it cannot do.
func (a *app) usage(err error) int {
	fmt.Fprintf(a.err, "simrun: %v\n", err)
	return exitUsage
}
