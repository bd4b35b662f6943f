// Command heldwork does each operation of bench.Purgatory a thousand times in cores of two sizes and leaves the
// counts of the statements that package core executed for it, a directory each, below the directory named by its
// argument. It must be built with -cover -covermode=atomic -coverpkg=graspsync/core/...; the test of package
// bench does that and reads the counts.
package main

import (
	"fmt"
	"os"
	"path/filepath"
	"runtime/coverage"

	"graspsync/bench"
)

func main() {
	if len(os.Args) != 2 {
		fmt.Fprintln(os.Stderr, "usage: heldwork DIRECTORY")
		os.Exit(64)
	}
	if err := run(os.Args[1]); err != nil {
		fmt.Fprintln(os.Stderr, "heldwork:", err)
		os.Exit(1)
	}
}

func run(dir string) error {
	for _, s := range bench.HeldSizes() {
		p := s.Purgatory
		if err := p.Fill(); err != nil {
			return err
		}
		for _, op := range bench.HeldOps() {
			if op.Before != nil {
				op.Before(&p)
			}
			if err := coverage.ClearCounters(); err != nil {
				return err
			}
			for i := range bench.HeldTimes {
				if err := op.Do(&p, i%p.Repos); err != nil {
					return fmt.Errorf("%s in %s: %w", op.Name, s.Name, err)
				}
			}
			to := filepath.Join(dir, op.Name+"-"+s.Name)
			if err := os.Mkdir(to, 0o755); err != nil {
				return err
			}
			if err := coverage.WriteMetaDir(to); err != nil {
				return err
			}
			if err := coverage.WriteCountersDir(to); err != nil {
				return err
			}
		}
	}
	return nil
}
