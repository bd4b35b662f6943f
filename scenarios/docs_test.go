package scenarios

import (
	"os"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"graspsync/sim"
)

// The reference speaks of every field, verb, subject and answer there is, and its example is sound.
func TestReferenceIsComplete(t *testing.T) {
	raw, err := os.ReadFile("../docs/scenarios.md")
	require.NoError(t, err)
	doc := string(raw)
	words := append(append(append(actionVerbs(), subjects()...), faultVerbs()...), localVerbs()...)
	words = append(append(append(words, verdicts()...), sim.LocalWorkNames()...), append(attackWays(), likeWords()...)...)
	words = append(append(words, answers()...), wantWords()...)
	for _, typ := range []reflect.Type{reflect.TypeFor[Scenario](), reflect.TypeFor[hostFields](), reflect.TypeFor[Behaviour](), reflect.TypeFor[Repo](),
		reflect.TypeFor[Holding](), reflect.TypeFor[Relay](), reflect.TypeFor[Driver](), reflect.TypeFor[Work](), reflect.TypeFor[Action](),
		reflect.TypeFor[Expectation](), reflect.TypeFor[Network](), reflect.TypeFor[Link](), reflect.TypeFor[Local]()} {
		words = append(words, fieldsOf(typ).names...)
	}
	for _, w := range words {
		if !strings.Contains(doc, "`"+w+"`") && !strings.Contains(doc, "`"+w+":") && !strings.Contains(doc, w+"`") && !strings.Contains(doc, "{"+w) &&
			!strings.Contains(doc, ", "+w) {
			t.Errorf("docs/scenarios.md does not mention %q", w)
		}
	}
	_, rest, ok := strings.Cut(doc, "```yaml\nversion: 1")
	require.True(t, ok)
	example, _, _ := strings.Cut(rest, "```")
	s, err := Parse("docs/scenarios.md", []byte("version: 1"+example))
	require.NoError(t, err)
	res, err := s.Run(Options{})
	require.NoError(t, err)
	require.Empty(t, res.Violations)
}

// The table of what real servers do names scenarios that exist, every answer a host may give, and every kind of host.
func TestTableOfRealServers(t *testing.T) {
	raw, err := os.ReadFile("../docs/conformance.md")
	require.NoError(t, err)
	_, rest, ok := strings.Cut(string(raw), "| real servers do | fake | scenario |\n|---|---|---|\n")
	require.True(t, ok)
	table, _, _ := strings.Cut(rest, "\n\n")
	all, err := Catalogue()
	require.NoError(t, err)
	fakesNamed := ""
	for _, row := range strings.Split(table, "\n") {
		cells := strings.Split(strings.Trim(row, "| "), " | ")
		require.Len(t, cells, 3, row)
		fakesNamed += cells[1]
		for _, name := range strings.Split(cells[2], ", ") {
			require.True(t, slices.ContainsFunc(all, func(s *Scenario) bool { return s.Name == name }), "no scenario is called %q", name)
		}
	}
	for _, word := range append(answers(), likeWords()...) {
		if word != "answer" && !strings.Contains(fakesNamed, "`"+word) {
			t.Errorf("docs/conformance.md does not name %q among what real servers do", word)
		}
	}
}
