package shrink

import (
	"strings"

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
		if v.ID == t.id && (t.id != expectID || t.shape == "" || shapeOf(v.Text) == t.shape) {
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

// shapeOf is how an expectation was not met, without names, instants and numbers: "still held since".
func shapeOf(text string) string {
	_, text = expectationOf(text)
	if _, how, ok := strings.Cut(text, ": "); ok { // subject and name go first
		text = how
	}
	var words []string
	quoted := false
	for _, w := range strings.Fields(text) {
		was := quoted
		if strings.Count(w, `"`)%2 == 1 {
			quoted = !quoted
		}
		if was || strings.ContainsAny(w, `"[]0123456789`) {
			continue
		}
		words = append(words, w)
	}
	return strings.Join(words, " ")
}
