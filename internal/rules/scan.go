package rules

import (
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
)

// Citations are the files that cite an id: relative, slash-separated, sorted, each once.
type Citations struct {
	Code  []string // Go files that are not tests
	Tests []string // test files, scenario files and golden inputs
}

// idPattern finds ids of rules, invariants and faults. A family of two letters comes before its suffix,
// and NIP-01 or GRASP-06 are no ids because a letter stands before the P.
var idPattern = regexp.MustCompile(`\b(?:AN|ST|PR|DL|RE|OP|RS|FL|[TQNUAHDFERSMPB])-[0-9]{2}\b|\bI-[0-9]{1,2}\b`)

// casePattern finds "case 17", "cases 60, 61 and 62" and "mutant 48": rows that have numbers alone.
var casePattern = regexp.MustCompile(`\b(case|mutant)s? ([0-9]{1,3}(?:(?:, | and |, and )[0-9]{1,3})*)\b`)

// labelPattern finds the labels of a switch.
var labelPattern = regexp.MustCompile(`(?m)^\s*case [0-9].*:.*$`)

var numberPattern = regexp.MustCompile(`[0-9]+`)

// Find lists the ids that a text cites, each once, in order of appearance. Rows with numbers alone are
// given as "case 17" and "mutant 48"; a label of a switch is not one.
func Find(text string) (ids []string) {
	add := func(id string) {
		if !slices.Contains(ids, id) {
			ids = append(ids, id)
		}
	}
	for _, id := range idPattern.FindAllString(text, -1) {
		add(id)
	}
	text = labelPattern.ReplaceAllString(text, "")
	for _, m := range casePattern.FindAllStringSubmatch(text, -1) {
		for _, n := range numberPattern.FindAllString(m[2], -1) {
			add(m[1] + " " + n)
		}
	}
	return ids
}

// Scan reads the sources below root. The index itself, its test and the lint are left out: naming an id
// there proves nothing.
func Scan(root string) (map[string]*Citations, error) {
	out := map[string]*Citations{}
	err := filepath.WalkDir(root, func(p string, d os.DirEntry, err error) error {
		if err != nil {
			return err
		}
		rel, err := filepath.Rel(root, p)
		if err != nil {
			return err
		}
		rel = filepath.ToSlash(rel)
		if d.IsDir() {
			if rel == "internal" || rel == "docs" || rel != "." && strings.HasPrefix(d.Name(), ".") {
				return filepath.SkipDir
			}
			return nil
		}
		isTest, ok := kind(rel)
		if !ok {
			return nil
		}
		text, err := os.ReadFile(p)
		if err != nil {
			return err
		}
		for _, id := range Find(string(text)) {
			c := out[id]
			if c == nil {
				c = &Citations{}
				out[id] = c
			}
			if isTest {
				c.Tests = append(c.Tests, rel)
			} else {
				c.Code = append(c.Code, rel)
			}
		}
		return nil
	})
	return out, err // WalkDir goes in lexical order, so the lists are sorted
}

// kind tells whether a file counts, and as what.
func kind(rel string) (isTest, ok bool) {
	switch ext := filepath.Ext(rel); {
	case strings.HasSuffix(rel, "_test.go"):
		return true, true
	case ext == ".go":
		return false, true
	case ext == ".yaml":
		return true, true
	case ext == ".txt" && strings.Contains(rel, "testdata/"):
		return true, true
	}
	return false, false
}
