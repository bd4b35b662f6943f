package scenarios

import (
	"os"
	"reflect"
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
	words = append(append(append(words, verdicts()...), sim.LocalWorkNames()...), attackWays()...)
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
