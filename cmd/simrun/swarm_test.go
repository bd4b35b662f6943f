package main

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// swarmFile runs a swarm and gives its JSON result without what depends on the machine.
func swarmFile(t *testing.T, args ...string) (report, int, string) {
	t.Helper()
	path := filepath.Join(t.TempDir(), "swarm.json")
	code, out, stderr := tool(append([]string{"swarm", "--fail-dir", filepath.Join(t.TempDir(), "failures"), "--json", path}, args...)...)
	b, err := os.ReadFile(path)
	require.NoError(t, err, stderr)
	var r report
	require.NoError(t, json.Unmarshal(b, &r))
	for i := range r.Profiles {
		r.Profiles[i].WallNS, r.Profiles[i].CPUNS = 0, 0
	}
	return r, code, out
}

// Worlds and what comes of them depend on nothing but seeds: not on the number of cores (I-9).
func TestSwarmIsTheSameOnEveryNumberOfCores(t *testing.T) {
	one, code, out := swarmFile(t, "--profile", "small", "--profile", "push", "--seeds", "300", "--jobs", "1")
	require.Equal(t, exitOK, code, out)
	many, code, _ := swarmFile(t, "--profile", "small", "--profile", "push", "--seeds", "300", "--jobs", "7")
	require.Equal(t, exitOK, code)
	require.Equal(t, one, many)
	require.EqualValues(t, 300, one.Profiles[0].Worlds)
	require.Positive(t, one.Profiles[0].Calm)
	require.Positive(t, one.Profiles[0].Twice)
	require.Contains(t, out, "600 worlds: 600 passed, 0 failed")
}

// Shards run every world once, and merge adds them up.
func TestShardsAndMerge(t *testing.T) {
	dir := t.TempDir()
	var files []string
	for i, shard := range []string{"0/3", "1/3", "2/3"} {
		path := filepath.Join(dir, shard[:1]+".json")
		code, _, stderr := tool("swarm", "--profile", "small", "--seeds", "100", "--shard", shard, "--json", path, "--fail-dir", filepath.Join(dir, "f"))
		require.Equal(t, exitOK, code, stderr)
		files = append(files, path)
		_ = i
	}
	sum := filepath.Join(dir, "sum.json")
	code, out, stderr := tool(append([]string{"merge", "--json", sum}, files...)...)
	require.Equal(t, exitOK, code, stderr)
	require.Contains(t, out, "100 worlds: 100 passed, 0 failed")
	code, _, stderr = tool("merge", files[0], files[0])
	require.Equal(t, exitUsage, code)
	require.Contains(t, stderr, "are both of profile small from 1, shard 0/3")
	require.NoError(t, os.WriteFile(sum, []byte(`{"version":9}`), 0o644))
	_, _, stderr = tool("merge", sum)
	require.Contains(t, stderr, "version is 9, this reads 1")
}

// A swarm whose worlds must fail finds so, writes the scenario, makes it small and gives a command that was run.
func TestSwarmFindsShrinksAndShows(t *testing.T) {
	r, code, out := swarmFile(t, "--profile", "canary", "--seeds", "20", "--stop-at-first")
	require.Equal(t, exitSafety, code)
	require.Len(t, r.Profiles[0].Failures, 1)
	f := r.Profiles[0].Failures[0]
	require.EqualValues(t, 1, f.Seed)
	require.FileExists(t, f.File)
	require.FileExists(t, f.Minimal)
	require.NotEmpty(t, f.Shows)
	require.Contains(t, out, "reproduce: "+f.Command)
	code, shown, _ := tool("run", f.Minimal)
	require.Equal(t, exitSafety, code)
	require.Contains(t, shown, f.ID+" at ")
}

// --show prints the world of a seed; it reads back and runs.
func TestSwarmShowsAWorld(t *testing.T) {
	code, out, _ := tool("swarm", "--profile", "push", "--show", "17")
	require.Equal(t, exitOK, code)
	path := filepath.Join(t.TempDir(), "w.yaml")
	require.NoError(t, os.WriteFile(path, []byte(out), 0o644))
	code, out, stderr := tool("run", path)
	require.Equal(t, exitOK, code, out+stderr)
	code, out, _ = tool("swarm", "--list")
	require.Equal(t, exitOK, code)
	require.Equal(t, 10, strings.Count(out, "\n"))
}

// Wrong flags are named with what would be right.
func TestSwarmRefusesWrongFlags(t *testing.T) {
	for _, x := range []struct {
		args []string
		want string
	}{
		{[]string{"--from", "0"}, `--from is "0", must be a seed from 1 or a text`},
		{[]string{"--shard", "3/3"}, `--shard is "3/3", must be I/N`},
		{[]string{"--jobs", "0"}, "--jobs is 0, must be 1 to 1024"},
		{[]string{"--profile", "tiny"}, `profile is "tiny", must be one of`},
		{[]string{"--time=-1s"}, "must not be negative"},
		{[]string{"--fail-dir", "swarm_test.go"}, "is a file, must be a directory"},
	} {
		code, _, stderr := tool(append([]string{"swarm"}, x.args...)...)
		require.Equal(t, exitUsage, code)
		require.Contains(t, stderr, x.want)
	}
	code, _, stderr := tool("mutants", "--dir", t.TempDir())
	require.Equal(t, exitUsage, code)
	require.Contains(t, stderr, "no mutants in")
}
