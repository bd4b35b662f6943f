package main

import (
	"io"
	"os"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"graspsync/scenarios"
	"graspsync/sim"
)

// One command proves that a world's log depends on nothing but world and seed: in another order, alone, in other
// processes with other settings of the runtime, on a 32-bit machine. I-9
func TestDeterminismCommand(t *testing.T) {
	code, out, stderr := tool("determinism", "crash-mid-pass", "two-relays-mutual", "market", "--seeds", "2", "--alone", "3")
	require.Equal(t, exitOK, code, out+stderr)
	for _, way := range []string{"again in this process", "last world first", "GOMAXPROCS=1 GOGC=10", "GOMAXPROCS=7 GOGC=off", "alone in a process of its own"} {
		require.Contains(t, out, way)
	}
	require.Contains(t, out, "6 worlds, the same log in every way")
	if otherArch() != "none" {
		require.Contains(t, out, "GOARCH=386")
	}
}

// A world that depends on how often it ran is told, with the way in which it differs. I-9
func TestDeterminismCommandSeesADifference(t *testing.T) {
	var b strings.Builder
	a := newApp(&b, io.Discard)
	n := uint64(0)
	a.engine.run = func(s *scenarios.Scenario, seed uint64, trace io.Writer) (*sim.Result, error) {
		n++
		return &sim.Result{Scenario: s.Name, Seed: seed, Hash: n}, nil
	}
	require.Equal(t, exitDiffers, a.main([]string{"determinism", "market", "--alone", "0", "--arch", "none"}))
	require.Contains(t, b.String(), "DIFFERS again in this process")
	require.Contains(t, b.String(), "DIFFERS last world first", "the other process runs the real world")
	require.Contains(t, b.String(), "4 differences")
}

// What cannot be done is said before anything runs.
func TestDeterminismCommandRefuses(t *testing.T) {
	for _, row := range [][]string{
		{"--alone is -1", "--alone=-1"},
		{"--jobs is 0", "--jobs", "0"},
		{"--seeds is 0", "--seeds", "0"},
		{"no scenario is called", "nothing-like-it"},
		{"--arch nonsense: cannot build", "market", "--arch", "nonsense"},
	} {
		code, out, stderr := tool(append([]string{"determinism"}, row[1:]...)...)
		require.Equal(t, exitUsage, code, out)
		require.Contains(t, stderr, row[0])
	}
	require.Empty(t, os.Getenv("SIMRUN_CHILD"))
}
