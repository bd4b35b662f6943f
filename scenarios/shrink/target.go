package shrink

import (
	"strconv"
	"strings"
	"time"

	"graspsync/scenarios"
	"graspsync/sim"
)

// target is the failure that a candidate must show: a break of the same invariant, whatever its text, or the same
// expectation unmet in the same way.
type target struct {
	id    string
	shape string // of an unmet expectation: the words that say how, without names and numbers
}

// expectID is the id of unmet expectations.
const expectID = "expect"

// hit finds the failure in a result.
func (t *target) hit(s *scenarios.Scenario, r *sim.Result) (sim.Violation, bool) {
	for _, v := range r.Violations {
		if v.ID == t.id && (t.id != expectID || t.shape == shapeOf(s, v.Text)) {
			return v, true
		}
	}
	return sim.Violation{}, false
}

// promises tells whether the failure is about what the scenario itself says must come of it. Then nothing may be taken
// away that could make it come: the smallest scenario in which data is never found is one without data.
func (t *target) promises(s *scenarios.Scenario) bool {
	if t.id == expectID {
		return true
	}
	for i := range s.Expect {
		if t.id == "I-4" && s.Expect[i].Reachable != "" {
			return true
		}
	}
	return false
}

// expectationOf is the number of the expectation that a violation is about, or -1.
func expectationOf(text string) (n int, rest string) {
	i := strings.Index(text, expectID+"[")
	j := strings.Index(text, "]: ")
	if i < 0 || j < i {
		return -1, text
	}
	n = 0
	for _, c := range text[i+len(expectID)+1 : j] {
		if c < '0' || c > '9' {
			return -1, text
		}
		n = n*10 + int(c-'0')
	}
	return n, text[j+3:]
}

// shapeOf is how an expectation was not met, without names, instants and numbers, as "still held since"; of what came at
// the wrong time or in the wrong number it says in which direction, so that late never turns into early.
func shapeOf(s *scenarios.Scenario, text string) string {
	n, text := expectationOf(text)
	if _, how, ok := strings.Cut(text, ": "); ok { // subject and name go first
		text = how
	}
	var words []string
	quoted := false
	all := strings.Fields(text)
	for _, w := range all {
		was := quoted
		if strings.Count(w, `"`)%2 == 1 {
			quoted = !quoted
		}
		if was || strings.ContainsAny(w, `"[]0123456789`) {
			continue
		}
		words = append(words, w)
	}
	if n >= 0 && n < len(s.Expect) {
		words = append(words, direction(&s.Expect[n], all)...)
	}
	return strings.Join(words, " ")
}

// direction tells late from early and many from few, where the words of a failure begin with an instant or a number.
func direction(e *scenarios.Expectation, words []string) []string {
	if len(words) > 1 && words[0] == "at" {
		d, err := time.ParseDuration(strings.TrimSuffix(words[1], ","))
		var first scenarios.Span
		switch {
		case err != nil:
			return nil
		case len(e.Between) > 0:
			first = e.Between[0]
		case len(e.At) > 0:
			first = e.At[0]
		}
		if scenarios.Span(d) < first {
			return []string{"early"}
		}
		return []string{"late"}
	}
	if len(words) > 0 && e.Count.Set {
		if n, err := strconv.ParseInt(words[0], 10, 64); err == nil && n < e.Count.Min {
			return []string{"few"}
		}
		return []string{"many"}
	}
	return nil
}
