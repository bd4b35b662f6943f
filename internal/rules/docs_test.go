package rules

import (
	"flag"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

var update = flag.Bool("update", false, "rewrite the generated documents")

const root = "../.."

func scan(t *testing.T) map[string]*Citations {
	t.Helper()
	cited, err := Scan(root)
	require.NoError(t, err)
	require.NotEmpty(t, cited, "no id was found: the test looks at the wrong place")
	return cited
}

func TestDocsAreFresh(t *testing.T) {
	docs := Docs(scan(t))
	for _, name := range slices.Sorted(maps.Keys(docs)) {
		path := filepath.Join(root, name)
		if *update {
			require.NoError(t, os.WriteFile(path, []byte(docs[name]), 0o644))
			continue
		}
		have, err := os.ReadFile(path)
		require.NoError(t, err)
		if string(have) != docs[name] {
			t.Errorf("%s is stale: sources and index say something else. Run make docs and read the difference.", name)
		}
	}
}

func TestCitedIDsExist(t *testing.T) {
	require.Empty(t, Unknown(scan(t)), "these ids are cited but stand in no table of internal/rules")
}

func TestBuiltRulesAreProven(t *testing.T) {
	require.Empty(t, Unproven(scan(t)))
}

// TestChecksBite shows that the three checks can fail at all.
func TestChecksBite(t *testing.T) {
	cited := map[string]*Citations{"Q-99": {Tests: []string{"a_test.go"}}, "T-01": {Code: []string{"core/x.go"}}, "T-77": {Code: []string{"core/y.go"}}}
	require.Equal(t, []string{"T-77 in core/y.go"}, Unknown(cited))
	require.Contains(t, Unproven(cited), "T-01 is built, but no test or scenario cites it")
	cited["T-01"].Tests = []string{"core/x_test.go"}
	require.NotContains(t, Unproven(cited), "T-01 is built, but no test or scenario cites it")
	require.Contains(t, Docs(cited)["docs/rules.md"], "| T-01 | built |")
}

func TestFind(t *testing.T) {
	require.Equal(t, []string{"Q-05", "AN-03", "I-9", "B-41", "case 60", "case 61", "case 62", "mutant 48"},
		Find("// Q-05, Q-05; AN-03 (NIP-01, GRASP-06, SHA-1, UTF-16, X-123); I-9: B-41; cases 60, 61 and 62, mutant 48 of 2026"))
	require.Empty(t, Find("a case in point\n\tcase 0:\n\tcase 7, 8: return 3\n"))
}

func TestTablesAreOrderly(t *testing.T) {
	seen := map[string]bool{}
	one := func(id, text string) {
		require.False(t, seen[id], "%s stands twice", id)
		seen[id] = true
		require.Equal(t, []string{id}, Find(id), "%q is no id", id)
		require.NotEmpty(t, text, id)
		require.NotContains(t, text, "\n", id)
		require.NotContains(t, text, "|", "%s: a bar breaks the table", id)
		require.LessOrEqual(t, len(text), 260, "%s: one line, please", id)
	}
	for _, s := range Sections() {
		for _, r := range s.Rules {
			one(r.ID, r.Text)
			require.Equal(t, r.Status == Part, r.Note != "", "%s: a note says what is missing, and only then", r.ID)
		}
	}
	for _, rows := range [][]Row{Cases(), Faults()} {
		for i, r := range rows {
			one(r.ID, r.Text)
			if i > 0 && r.ID[0] == rows[i-1].ID[0] {
				require.Greater(t, number(r.ID), number(rows[i-1].ID), "%s is out of order", r.ID)
			}
		}
	}
}

// TestRowsAreShown looks for the scenarios and tests that a row names.
func TestRowsAreShown(t *testing.T) {
	cited := scan(t)
	for _, r := range slices.Concat(Cases(), Faults()) {
		shown := len(r.By) > 0 || cited[r.ID] != nil && len(cited[r.ID].Tests) > 0
		require.True(t, shown, "%s is in the table but nothing shows it", r.ID)
		for _, by := range r.By {
			pkg, test, isTest := strings.Cut(by, ".")
			if !isTest {
				require.FileExists(t, filepath.Join(root, "scenarios/catalogue", by+".yaml"), r.ID)
				continue
			}
			require.True(t, declares(t, filepath.Join(root, pkg), "func "+test+"("), "%s: no test %s", r.ID, by)
		}
	}
}

func declares(t *testing.T, dir, text string) bool {
	t.Helper()
	files, err := filepath.Glob(filepath.Join(dir, "*.go"))
	require.NoError(t, err)
	return slices.ContainsFunc(files, func(f string) bool {
		src, err := os.ReadFile(f)
		require.NoError(t, err)
		return strings.Contains(string(src), text)
	})
}

func TestGlossaryPointsSomewhere(t *testing.T) {
	terms := Terms()
	require.True(t, slices.IsSortedFunc(terms, func(a, b Term) int { return strings.Compare(a.Word, b.Word) }), "words are in order")
	for _, w := range terms {
		_, err := os.Stat(filepath.Join(root, w.Where))
		require.NoError(t, err, w.Word)
	}
}

var (
	linkPattern   = regexp.MustCompile(`\]\(([^)#:\s]+)\)`)
	symbolPattern = regexp.MustCompile("`([a-z0-9_./-]+\\.(?:go|yaml|md))(?::([A-Za-z_][A-Za-z0-9_]*))?`")
)

// TestPagesPointSomewhere follows the relative links of the pages people read first, and the
// `file.go:Name` marks of the seed map, so that neither outlives a move.
func TestPagesPointSomewhere(t *testing.T) {
	for _, page := range []string{"README.md", "CONTRIBUTING.md", "docs/seed-map.md"} {
		text, err := os.ReadFile(filepath.Join(root, page))
		require.NoError(t, err)
		for _, m := range linkPattern.FindAllStringSubmatch(string(text), -1) {
			_, err := os.Stat(filepath.Join(root, filepath.Dir(page), m[1]))
			require.NoError(t, err, "%s links to %s", page, m[1])
		}
		for _, m := range symbolPattern.FindAllStringSubmatch(string(text), -1) {
			if !strings.Contains(m[1], "/") {
				continue
			}
			src, err := os.ReadFile(filepath.Join(root, m[1]))
			require.NoError(t, err, "%s names %s", page, m[1])
			if m[2] != "" {
				require.Regexp(t, `\b`+m[2]+`\b`, string(src), "%s names %s in %s", page, m[2], m[1])
			}
		}
	}
}
