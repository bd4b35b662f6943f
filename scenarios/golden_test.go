package scenarios

import (
	"bytes"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// goldenSteps is how long a run may be to have a golden trace: short enough to be read.
const goldenSteps = 60

const goldenDir = "testdata/golden"

// I-9
func TestGoldenTraces(t *testing.T) {
	all, err := Catalogue()
	require.NoError(t, err)
	var names []string
	for _, s := range all {
		var trace bytes.Buffer
		res, err := s.Run(Options{Trace: &trace})
		require.NoError(t, err)
		if res.Steps > goldenSteps || strings.HasPrefix(s.Name, "real-") {
			continue
		}
		names = append(names, s.Name+".trace")
		t.Run(s.Name, func(t *testing.T) { compareGolden(t, s.Name, trace.Bytes()) })
	}
	files, err := os.ReadDir(goldenDir)
	require.NoError(t, err)
	for _, f := range files {
		if !slices.Contains(names, f.Name()) {
			if *update {
				require.NoError(t, os.Remove(filepath.Join(goldenDir, f.Name())))
				continue
			}
			t.Errorf("%s belongs to no short scenario; remove it, or go test ./scenarios -run TestGoldenTraces -update", f.Name())
		}
	}
	require.GreaterOrEqual(t, len(names), 20)
}

func compareGolden(t *testing.T, name string, got []byte) {
	file := filepath.Join(goldenDir, name+".trace")
	if *update {
		require.NoError(t, os.WriteFile(file, got, 0o644))
		return
	}
	want, err := os.ReadFile(file)
	require.NoError(t, err, "no golden trace yet; go test ./scenarios -run TestGoldenTraces -update writes it")
	if bytes.Equal(want, got) {
		return
	}
	old, now := strings.Split(string(want), "\n"), strings.Split(string(got), "\n")
	line := 0
	for line < len(old) && line < len(now) && old[line] == now[line] {
		line++
	}
	at := func(lines []string) string {
		if line < len(lines) {
			return lines[line]
		}
		return "(nothing)"
	}
	t.Errorf("%s differs from line %d on:\n  golden: %s\n  now:    %s\n"+
		"Something decides differently. Understand the first difference before anything else: which rule of the scenario (%s) "+
		"asks for the new line? Only then rewrite with\n  go test ./scenarios -run TestGoldenTraces -update\n"+
		"and say in the commit why the trace changed.", file, line+1, at(old), at(now), name)
}
