package main

import (
	"errors"
	"fmt"
	"io/fs"
	"slices"
	"strings"

	"graspsync/scenarios"
)

// subject is a scenario to run and the word it was asked for by: a name of the catalogue, or a path.
type subject struct {
	*scenarios.Scenario
	asked string
}

// choose finds the scenarios named by words; none means the whole catalogue. The result is in order of
// name, each scenario once.
func (a *app) choose(words []string) ([]subject, error) {
	var out []subject
	if len(words) == 0 {
		all, err := a.engine.catalogue()
		if err != nil {
			return nil, err
		}
		for _, s := range all {
			out = append(out, subject{s, s.Name})
		}
	}
	for _, w := range words {
		if slices.ContainsFunc(out, func(o subject) bool { return o.asked == w }) {
			continue
		}
		s, err := a.find(w)
		if err != nil {
			return nil, err
		}
		out = append(out, subject{s, w})
	}
	slices.SortFunc(out, func(x, y subject) int {
		if c := strings.Compare(x.Name, y.Name); c != 0 {
			return c
		}
		return strings.Compare(x.asked, y.asked)
	})
	return out, nil
}

// find loads one scenario. The others of the catalogue are not read, so that a mistake in one of them
// keeps nobody from running the rest by name.
func (a *app) find(word string) (*scenarios.Scenario, error) {
	if strings.ContainsAny(word, "./\\") {
		s, err := a.engine.load(word)
		if errors.Is(err, fs.ErrNotExist) && s == nil {
			return nil, fmt.Errorf("%w; give a scenario file or a name of `simrun list`", err)
		}
		return s, err
	}
	s, err := a.engine.named(word)
	if !errors.Is(err, fs.ErrNotExist) {
		return s, err
	}
	all, err := a.engine.catalogue()
	if err != nil {
		return nil, fmt.Errorf("no scenario is called %q, and the catalogue cannot be listed: %w", word, err)
	}
	return nil, fmt.Errorf("no scenario is called %q; %s", word, suggest(all, word))
}

// suggest names the closest scenarios or commands, so that a slip of the pen costs one look.
func suggest(all []*scenarios.Scenario, word string) string {
	names := []string{"run", "list", "replay", "import", "determinism", "bench"}
	for _, s := range all {
		names = append(names, s.Name)
	}
	best, limit := []string(nil), max(2, len(word)/3)
	for _, name := range names {
		d := distance(name, word)
		if strings.Contains(name, word) {
			d = 0
		}
		if d < limit {
			best, limit = nil, d
		}
		if d == limit {
			best = append(best, name)
		}
	}
	if len(best) == 0 {
		return "`simrun list` names them all (a file needs a dot or a slash in its path)"
	}
	return "did you mean " + strings.Join(best[:min(3, len(best))], ", ") + "?"
}

// distance is the number of letters to insert, drop or change.
func distance(a, b string) int {
	row := make([]int, len(b)+1)
	for j := range row {
		row[j] = j
	}
	for i := 1; i <= len(a); i++ {
		diagonal := row[0]
		row[0] = i
		for j := 1; j <= len(b); j++ {
			change := diagonal
			if a[i-1] != b[j-1] {
				change++
			}
			diagonal = row[j]
			row[j] = min(change, row[j]+1, row[j-1]+1)
		}
	}
	return row[len(b)]
}

// listCmd prints the catalogue.
type listCmd struct{}

// Run prints a line per scenario, name first, no header.
func (*listCmd) Run(a *app, _ *int) error {
	all, err := a.choose(nil)
	if err != nil {
		return err
	}
	width := 0
	for _, s := range all {
		width = max(width, len(s.Name))
	}
	for _, s := range all {
		fmt.Fprintf(a.out, "%-*s  %s\n", width, s.Name, strings.Join(strings.Fields(s.Description), " "))
	}
	return nil
}
