package main

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// TestMain is the tool where a test starts it as a process of its own, and ends the tests when a run does not end: an endless loop in a core would otherwise fill the
// machine's memory for ten minutes.
func TestMain(m *testing.M) {
	if os.Getenv("SIMRUN_CHILD") == "1" {
		main()
	}
	time.AfterFunc(3*time.Minute, func() { panic("a run does not end") })
	os.Exit(m.Run())
}

// TestTamperedTraces: whatever stands in a trace, replay says what is wrong with it or names a difference;
// neither reader nor core panics on input. T-05
func TestTamperedTraces(t *testing.T) {
	file := filepath.Join(t.TempDir(), "t.jsonl")
	code, out, stderr := tool("run", small, "--trace", file)
	require.Equal(t, exitOK, code, out+stderr)
	text, err := os.ReadFile(file)
	require.NoError(t, err)
	lines := bytes.SplitAfter(text, []byte("\n"))
	try := func(i int, line []byte) {
		all := bytes.Join(append(append(append([][]byte(nil), lines[:i]...), line), lines[i+1:]...), nil)
		require.NoError(t, os.WriteFile(file, all, 0o600))
		code, out, stderr := tool("replay", file)
		require.Contains(t, []int{exitOK, exitDiffers, exitUsage}, code, "%s%s%s", line, out, stderr)
	}
	tried := 0
	for i, line := range lines {
		if !isStep(line) {
			continue
		}
		for _, kind := range []string{"wake", "event", "checked", "compared", "fetched", "probed", "progress", "pass-ended", "copied", "aligned",
			"stored", "removed", "repo-created", "repo-deleted", "served", "repo-refs", "push-asked", "push-recheck", "push-ended", "remove",
			"shutdown", "clock", "restarted", "config-changed", "none", "nonsense"} {
			at := bytes.Index(line, []byte(`"kind":"`)) + len(`"kind":"`)
			end := at + bytes.IndexByte(line[at:], '"')
			try(i, []byte(fmt.Sprintf("%s%s%s", line[:at], kind, line[end:])))
			tried++
		}
		for _, c := range [][2]string{{`"ask":"1.`, `"ask":"9.`}, {`"t":`, `"t":9`}, {`"t":`, `"t":-`}, {`"hunt":1`, `"hunt":7`}, {`"kind"`, `"knid"`}} {
			if bytes.Contains(line, []byte(c[0])) {
				try(i, bytes.Replace(line, []byte(c[0]), []byte(c[1]), 1))
				tried++
			}
		}
		try(i, nil)
		try(i, append(append([]byte(nil), line...), line...))
	}
	require.Greater(t, tried, 200)
}
