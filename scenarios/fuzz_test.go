package scenarios

import (
	"errors"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"
)

// What Parse takes it can write and read back, and it can be run; what it refuses it refuses with an
// Errors that says where.
func FuzzScenario(f *testing.F) {
	files, err := filepath.Glob("catalogue/*.yaml")
	require.NoError(f, err)
	for _, file := range files {
		text, err := os.ReadFile(file)
		require.NoError(f, err)
		if len(text) < 4096 {
			f.Add(text)
		}
	}
	for _, bad := range badScenarios() {
		f.Add([]byte(bad.text))
	}
	f.Fuzz(func(t *testing.T, text []byte) {
		if len(text) > 1<<16 {
			return
		}
		s, err := Parse("fuzz.yaml", text)
		if err != nil {
			var list Errors
			require.True(t, errors.As(err, &list), "%T", err)
			require.NotEmpty(t, list)
			require.NotEmpty(t, list[0].Problem)
			return
		}
		again, err := Parse("again.yaml", s.Encode())
		require.NoError(t, err, "%s", s.Encode())
		require.Equal(t, s, again)
		if cheap(s) {
			_, err = s.Run(Options{})
			require.NoError(t, err)
		}
	})
}

// cheap tells whether a run of s is short whatever happens in it.
func cheap(s *Scenario) bool {
	var p problems
	x := s.expand(&p)
	n := len(x.hosts) + len(x.repos) + len(x.actions)
	for i := range x.repos {
		for _, c := range x.repos[i].val.Chains {
			n += c
		}
	}
	for i := range x.actions {
		refs, _ := x.actions[i].val.Refs.expand()
		n += len(refs)
		if x.actions[i].val.Every > 0 {
			return false
		}
	}
	for _, r := range s.Relays {
		if r.Replay > 0 {
			return false
		}
	}
	return n < 200 && s.Horizon < Span(3600e9) && len(s.Config) == 0 && s.Driver == nil
}
