package rules

import (
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
)

const generated = "<!-- Written by `make docs` from internal/rules and the sources. Do not edit. -->\n\n"

// Docs renders the generated documents: path below the root → text.
func Docs(cited map[string]*Citations) map[string]string {
	return map[string]string{
		"docs/rules.md":    rulesDoc(cited),
		"docs/cases.md":    rowsDoc(casesIntro, Cases(), cited),
		"docs/faults.md":   rowsDoc(faultsIntro, Faults(), cited),
		"docs/glossary.md": glossaryDoc(),
	}
}

func rulesDoc(cited map[string]*Citations) string {
	var b strings.Builder
	b.WriteString("# Rules\n\n" + generated)
	b.WriteString("Every rule has an id. Comments, tests and scenarios cite it; this page is the way back. Status: *built*, *part* (core and\n" +
		"simulator do their share; the note says what is missing), *later* (not built, or not proven by a test of its own yet). A\n" +
		"rule that is built or part has at least one test or scenario that cites it, or the test of this page fails.\n")
	n := map[Status]int{}
	for _, s := range Sections() {
		for _, r := range s.Rules {
			n[r.Status]++
		}
	}
	fmt.Fprintf(&b, "\n%d built, %d part, %d later.\n", n[Built], n[Part], n[Later])
	for _, s := range Sections() {
		fmt.Fprintf(&b, "\n## %s\n\n| id | status | rule | lives in | proven by |\n|---|---|---|---|---|\n", s.Title)
		for _, r := range s.Rules {
			c := cited[r.ID]
			if c == nil {
				c = &Citations{}
			}
			text := r.Text
			if r.Note != "" {
				text += " *" + strings.ToUpper(r.Note[:1]) + r.Note[1:] + ".*"
			}
			fmt.Fprintf(&b, "| %s | %s | %s | %s | %s |\n", r.ID, r.Status, text, links(c.Code), links(c.Tests))
		}
	}
	return b.String()
}

// maxLinks bounds a cell: with more files the first ones and a count are given.
const maxLinks = 6

func links(files []string) string {
	var out []string
	for i, f := range files {
		if i == maxLinks && len(files) > maxLinks+1 {
			out = append(out, fmt.Sprintf("and %d more", len(files)-maxLinks))
			break
		}
		name := strings.TrimSuffix(strings.TrimPrefix(f, "scenarios/catalogue/"), ".yaml")
		out = append(out, "["+name+"](../"+f+")")
	}
	return strings.Join(out, ", ")
}

// Row is a test case or a fault: something the project can be asked about by number.
type Row struct {
	ID   string // "case 17", "B-01", "mutant 48"
	Text string
	By   []string // scenarios, or tests as "core.TestX", that show it without citing the id
}

func rowsDoc(intro string, rows []Row, cited map[string]*Citations) string {
	var b strings.Builder
	b.WriteString(intro + "\n| id | what | shown by |\n|---|---|---|\n")
	for _, r := range rows {
		by := slices.Clone(r.By)
		for i := range by {
			by[i] = "`" + by[i] + "`"
		}
		if c := cited[r.ID]; c != nil && len(c.Tests) > 0 {
			by = append(by, links(c.Tests))
		}
		fmt.Fprintf(&b, "| %s | %s | %s |\n", r.ID, r.Text, strings.Join(by, ", "))
	}
	return b.String()
}

func glossaryDoc() string {
	var b strings.Builder
	b.WriteString("# Words\n\n" + generated + "| word | meaning | where |\n|---|---|---|\n")
	for _, t := range Terms() {
		fmt.Fprintf(&b, "| %s | %s | [%s](../%s) |\n", t.Word, t.Meaning, t.Where, t.Where)
	}
	return b.String()
}

// Unknown lists the ids that sources cite but no table knows, each with a file that cites it. Number 99 of
// a family stays free: tests of refusals use it as the rule there is not.
func Unknown(cited map[string]*Citations) (out []string) {
	known := map[string]bool{}
	for _, s := range Sections() {
		for _, r := range s.Rules {
			known[r.ID] = true
		}
	}
	for _, r := range slices.Concat(Cases(), Faults()) {
		known[r.ID] = true
	}
	for _, id := range slices.Sorted(maps.Keys(cited)) {
		if !known[id] && !strings.HasSuffix(id, "-99") {
			c := cited[id]
			out = append(out, id+" in "+slices.Concat(c.Code, c.Tests)[0])
		}
	}
	return out
}

// Unproven lists the rules that claim to be built although no test or scenario cites them.
func Unproven(cited map[string]*Citations) (out []string) {
	for _, s := range Sections() {
		for _, r := range s.Rules {
			if c := cited[r.ID]; r.Status != Later && (c == nil || len(c.Tests) == 0) {
				out = append(out, r.ID+" is "+r.Status.String()+", but no test or scenario cites it")
			}
		}
	}
	return out
}

// number is the number at the end of an id, for order.
func number(id string) int {
	n, err := strconv.Atoi(id[strings.LastIndexAny(id, "- ")+1:])
	if err != nil {
		return 0
	}
	return n
}

// Known tells whether an id is one of a rule, case, fault or mutant that stands in the tables.
func Known(id string) bool {
	for _, s := range Sections() {
		for _, r := range s.Rules {
			if r.ID == id {
				return true
			}
		}
	}
	return slices.ContainsFunc(slices.Concat(Cases(), Faults()), func(r Row) bool { return r.ID == id })
}
