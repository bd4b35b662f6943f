package stockgit

import (
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// The tables of docs/conformance.md say what the tests above found.
func TestDocument(t *testing.T) {
	raw, err := os.ReadFile("../../docs/conformance.md")
	require.NoError(t, err)
	doc := string(raw)
	type tally struct{ rows, equal, out, driver int }
	var families []string
	sums := make(map[string]*tally)
	for _, o := range all(t) {
		family, _, _ := strings.Cut(o.Case, "/")
		if sums[family] == nil {
			sums[family] = &tally{}
			families = append(families, family)
		}
		s := sums[family]
		s.rows++
		if left[o.Case] != "" {
			s.out++
			require.Contains(t, doc, "`"+o.Case+"`", "a row that is left out is explained")
		} else {
			s.equal++
		}
		if differ[o.Case] != "" {
			s.driver++
			require.Contains(t, doc, "`"+o.Case+"`", "a difference is explained")
		}
	}
	for _, f := range families {
		s := sums[f]
		require.Contains(t, doc, fmt.Sprintf("| %s | %d | %d | %d | %d |", f, s.rows, s.equal, s.out, s.driver))
	}
}
