package mutants

import (
	"go/parser"
	"go/token"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"graspsync/internal/rules"
)

const root = "../.."

// Every mutant applies to the source as it is, still parses, and cites rows that are there.
func TestMutantsApply(t *testing.T) {
	list, err := Load(filepath.Join(root, "testdata/mutants"))
	require.NoError(t, err)
	for _, m := range list {
		files, err := m.Apply(root)
		require.NoError(t, err)
		for name, text := range files {
			_, err := parser.ParseFile(token.NewFileSet(), name, text, 0)
			require.NoError(t, err, m.Path)
		}
		for _, id := range append(append([]string(nil), m.Rows...), m.Violates...) {
			require.True(t, rules.Known(id), "%s cites %q, which is no row", m.Path, id)
		}
	}
}

// A mutant that cannot be used says why.
func TestBadMutants(t *testing.T) {
	for _, x := range []struct{ text, want string }{
		{"mutant: x\n", `01-a.mutant:1: "mutant: x": want a number`},
		{"what\n", "want a field and a colon"},
		{"|code\n", "want find: or replace: before"},
		{"colour: red\n", "want mutant, title"},
		{"mutant: 1\n", "needs title, violates and a hunk"},
		{"mutant: 2\ntitle: t\nviolates: I-4\nfile: a\nfind:\n|x\n", "must begin with its number, 02-"},
	} {
		_, err := Parse("01-a.mutant", x.text)
		require.ErrorContains(t, err, x.want)
	}
	dir := t.TempDir()
	require.NoError(t, os.WriteFile(filepath.Join(dir, "a.go"), []byte("one\ntwo\ntwo\n"), 0o644))
	for find, want := range map[string]string{"three": "stand 0 times", "two": "stand 2 times", "one": "changes nothing"} {
		m, err := Parse("01-a.mutant", "mutant: 1\ntitle: t\nviolates: I-4\nfile: a.go\nfind:\n|"+find+"\nreplace:\n|one\n")
		require.NoError(t, err)
		_, err = m.Apply(dir)
		require.ErrorContains(t, err, want)
	}
	m, err := Parse("01-a.mutant", "mutant: 1\ntitle: t\nviolates: I-4\nfile: a.go\nfind:\n|one\nreplace:\n|1\n")
	require.NoError(t, err)
	files, err := m.Apply(dir)
	require.NoError(t, err)
	require.Equal(t, "1\ntwo\ntwo\n", files["a.go"])
	_, err = Load(t.TempDir())
	require.ErrorContains(t, err, "no mutants in")
}
