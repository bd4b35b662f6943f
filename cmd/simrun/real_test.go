package main

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// tool runs the real thing.
func tool(args ...string) (code int, stdout, stderr string) {
	var out, err bytes.Buffer
	code = run(args, &out, &err)
	return code, out.String(), err.String()
}

const small = "testdata/small.yaml"

func TestRealList(t *testing.T) {
	code, out, _ := tool("list")
	require.Equal(t, exitOK, code)
	var names []string
	for _, line := range strings.Split(strings.TrimSpace(out), "\n") {
		name, description, ok := strings.Cut(line, " ")
		require.True(t, ok && strings.TrimSpace(description) != "", "%q has no description", line)
		names = append(names, name)
	}
	require.True(t, slices.IsSorted(names))
	require.Contains(t, names, "hedge-at-30s")
}

func TestRealRun(t *testing.T) {
	code, out, stderr := tool("run", small, "hedge-at-30s")
	require.Equal(t, exitOK, code, out+stderr)
	require.Regexp(t, `(?m)^small +ok +1 +\S+ +\d+ .* [0-9a-f]{16}$`, out)
	require.Regexp(t, `^2 scenarios: 2 passed, 0 failed; simulated \S+ in \S+ \(\d+× real time\), \d+ events, \d+ events/s$`, lastLine(out))
}

// TestRealRunsAreAlike: seeds in any order and number at a time give the same hashes. I-9
func TestRealRunsAreAlike(t *testing.T) {
	hashes := func(args ...string) []string {
		code, out, stderr := tool(append([]string{"run", small, "hedge-at-30s", "--json", "--once"}, args...)...)
		require.Equal(t, exitOK, code, stderr)
		var all []string
		for _, line := range strings.Split(strings.TrimSpace(out), "\n") {
			var r jsonRun
			require.NoError(t, json.Unmarshal([]byte(line), &r))
			if r.Scenario != "" {
				require.NotEqual(t, "0000000000000000", r.Hash)
				all = append(all, r.Scenario+" "+r.Hash+" "+r.OrderHash)
			}
		}
		return all
	}
	want := hashes("--seeds", "6", "-j", "1")
	require.Len(t, want, 12)
	require.Equal(t, want, hashes("--seeds", "6", "-j", "4"))
	alone := hashes("--seed", "6")
	require.Equal(t, []string{want[5], want[11]}, alone, "a seed alone runs as it did after the others")
}

func TestRealFailure(t *testing.T) {
	code, out, _ := tool("run", "testdata/hopeless.yaml")
	require.Equal(t, exitSafety, code, out)
	require.Contains(t, out, "FAILED hopeless, seed 1: SAFETY\n  expect at ")
	require.Contains(t, out, `{"step":`, "the last steps are shown")
	require.Contains(t, out, "reproduce: go run ./cmd/simrun run testdata/hopeless.yaml --seed 1\n")
}

func TestBadFiles(t *testing.T) {
	good, err := os.ReadFile(small)
	require.NoError(t, err)
	for _, c := range []struct {
		name, old, new string
		want           []string // in the message, after the file's name
	}{
		{"unknown field", "horizon: 1m", "horizont: 1m", []string{":5:", "horizont", "horizon"}},
		{"bad span", "latency: 200ms", "latency: 0.2s", []string{":7:", "latency", `"0.2s"`, "500ms"}},
		{"version", "version: 1", "version: 9", []string{":1:", "version", "9", "1"}},
		{"no such host", "clone: [git.example]", "clone: [gti.example]", []string{"gti.example"}},
		{"no yaml", "repos:", "repos: [", []string{":"}},
		{"cut", string(good[40:]), "", []string{":"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			text := strings.Replace(string(good), c.old, c.new, 1)
			require.NotEqual(t, string(good), text)
			file := filepath.Join(t.TempDir(), "bad.yaml")
			require.NoError(t, os.WriteFile(file, []byte(text), 0o600))
			code, out, stderr := tool("run", file)
			require.Equal(t, exitUsage, code, out)
			for _, w := range append([]string{file}, c.want...) {
				require.Contains(t, stderr, w)
			}
			require.NotContains(t, stderr, "panic")
		})
	}
}

func TestRealTraceAndReplay(t *testing.T) {
	file := filepath.Join(t.TempDir(), "small.jsonl")
	code, out, stderr := tool("run", small, "--trace", file)
	require.Equal(t, exitOK, code, out+stderr)
	text, err := os.ReadFile(file)
	require.NoError(t, err)

	code, out, stderr = tool("replay", file)
	require.Equal(t, exitOK, code, out+stderr)
	require.Contains(t, out, "small, seed 1, replayed, not judged: ")
	require.Contains(t, lastLine(out), "1 scenarios: 1 passed, 0 failed;")

	replay := func(text []byte) (int, string) {
		require.NoError(t, os.WriteFile(file, text, 0o600))
		code, out, stderr := tool("replay", file)
		return code, out + stderr
	}
	lines := bytes.SplitAfter(text, []byte("\n"))
	for _, cut := range []int{0, 1, len(text) / 3, len(text) / 2, len(text) - 2, len(text) - len(lines[len(lines)-2])} {
		code, message := replay(text[:cut])
		require.Equal(t, exitUsage, code, "cut after %d bytes: %s", cut, message)
		require.Contains(t, message, file)
	}
	code, message := replay(bytes.Replace(text, []byte(`{"format":1,`), []byte(`{"format":7,`), 1))
	require.Equal(t, exitUsage, code, message)
	require.Contains(t, message, "7")

	other := bytes.Replace(text, []byte(`"kind":"compare"`), []byte(`"kind":"probe"`), 1)
	require.NotEqual(t, text, other)
	code, message = replay(other)
	require.Equal(t, exitDiffers, code, message)
	require.Contains(t, message, "the core answers differently at step ")
	require.Contains(t, message, "compare")
}

func TestRealImport(t *testing.T) {
	dump := "../../testdata/events/events.jsonl"
	file := filepath.Join(t.TempDir(), "imported.yaml")
	code, out, stderr := tool("import", dump, "-o", file)
	require.Equal(t, exitOK, code, out+stderr)
	for _, word := range []string{"admitted", "refused", "hunted", "service"} {
		require.Contains(t, out, word)
	}
	code, out, stderr = tool("run", file)
	require.Equal(t, exitOK, code, out+stderr)

	code, out, stderr = tool("import", dump, "--service", "nobody.example")
	require.Equal(t, exitUsage, code, out)
	require.Contains(t, out, "hunted    0")
	require.Contains(t, stderr, "nothing in the dump can be hunted")

	code, yaml, stderr := tool("import", dump, "-o", "-", "--name", "piped", "--class", "*=stall")
	require.Equal(t, exitOK, code, stderr)
	require.Contains(t, yaml, "name: piped")
	require.Contains(t, stderr, "hunted", "the summary does not mix with the scenario")
}

func TestImportUsage(t *testing.T) {
	dump := "../../testdata/events/events.jsonl"
	for args, want := range map[string]string{
		"import no-such-file":                    "no-such-file",
		"import " + dump + " --class github.com": "--class github.com: write HOST=CLASS",
		"import " + dump + " --class x.test=ok":  "x.test",
		"import " + dump + " --class *=nonsense": "nonsense",
		"import " + dump + " --window soon":      "--window",
		"import " + dump + " --holder x":         "--holder x: write ID=HOST",
		"import " + dump + " --arrivals no-such": "no-such",
		"import ../../testdata/events/README.md": "README.md",
	} {
		code, out, stderr := tool(strings.Fields(args)...)
		require.Equal(t, exitUsage, code, args+out)
		require.Contains(t, stderr, want, args)
	}
}

func TestRealBench(t *testing.T) {
	code, out, stderr := tool("bench", small, "--for", "1ms")
	require.Equal(t, exitOK, code, stderr)
	require.Regexp(t, `(?m)^small +\d+ +\d+ +\d+ +\d+ +\d+ +[+-]\d+ % +\d+$`, out)
}
