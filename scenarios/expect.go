package scenarios

import (
	"fmt"
	"slices"
	"strings"

	"graspsync/core"
	"graspsync/core/nip34"
	"graspsync/sim"
)

// judge compares what happened with what a scenario expects.
type judge struct {
	*build
	rec  *sim.Record
	log  []request
	seen map[sight]string // what was there at the instants that are looked at

	promised []sim.Reachable // what I-4 was told
	res      *sim.Result
	watch    *watch
}

func (j *judge) fail(e *item[Expectation], format string, args ...any) {
	subject, about := e.val.subject()
	j.res.Violations = append(j.res.Violations, sim.Violation{ID: "expect", At: j.res.Virtual, Step: j.res.Steps,
		Text: fmt.Sprintf("%s: %s %s: ", e.path, subject, about) + fmt.Sprintf(format, args...)})
}

// expectations judges all of them.
func (j *judge) expectations() {
	for i := range j.expect {
		if j.Network == nil || j.Network.at(j.expect[i].val.On) == j.relay {
			j.expectOne(&j.expect[i])
		}
	}
}

func (j *judge) expectOne(e *item[Expectation]) {
	switch subject, about := e.val.subject(); subject {
	case "released":
		j.ended(e, about, core.RepEndedReleased)
	case "expired":
		j.ended(e, about, core.RepEndedExpired)
	case "deleted":
		j.ended(e, about, core.RepEndedDeleted)
	case "replaced":
		j.ended(e, about, core.RepEndedReplaced)
	case "evicted":
		j.ended(e, about, core.RepEndedEvicted)
	case "held", "absent":
		j.present(e, about, subject == "held")
	case "refused":
		j.refused(e, about)
	case "attempts":
		j.instants(e, j.attempts(about))
	case "passes":
		j.instants(e, j.passes(&e.val))
	case "requests":
		j.requests(e)
	case "at-once":
		j.count(e, j.atOnce(&e.val), "passes at one time")
	case "fair":
		j.fair(e)
	case "report":
		j.instants(e, j.reports(&e.val))
	case "counter":
		n, _ := counter(&j.res.Counts, about)
		j.count(e, n, "counted")
	case "refs", "nostr":
		j.compareRefs(e)
	case "pushed", "denied":
		j.push(e, about, subject == "pushed")
	case "head", "served":
		j.compareSight(e)
	case "reachable":
		j.reachable(e, about)
	case "broken":
		j.broken(e, about)
	}
}

func (j *judge) record(name string) *sim.EventRecord { return j.rec.Event(j.idOf(name)) }

func (j *judge) ended(e *item[Expectation], name string, how core.ReportKind) {
	r := j.record(name)
	switch {
	case r == nil:
		j.fail(e, "the event never reached the relay")
		return
	case r.Ended == core.RepNone && r.Held >= 0:
		j.fail(e, "still held since %v", r.Held)
		return
	case r.Ended == core.RepNone && how == core.RepEndedReleased && r.Stored >= 0:
		j.within(e, r.Stored) // satisfied at once: it was never held
		return
	case r.Ended == core.RepNone:
		j.fail(e, "it was never held%s", answered(r))
		return
	case r.Ended != how:
		j.fail(e, "it was %v at %v", r.Ended, r.EndedAt)
		return
	}
	j.within(e, r.EndedAt)
}

func answered(r *sim.EventRecord) string {
	if len(r.Answers) == 0 {
		return ""
	}
	return fmt.Sprintf(" (answered %v %q)", r.Answers[0].OK, r.Answers[0].Text)
}

// within checks one instant.
func (j *judge) within(e *item[Expectation], t core.Time) {
	switch {
	case len(e.val.At) > 0 && t != core.Time(e.val.At[0]):
		j.fail(e, "at %v, expected at %v", t, e.val.At[0])
	case len(e.val.Between) == 2 && (t < core.Time(e.val.Between[0]) || t > core.Time(e.val.Between[1])):
		j.fail(e, "at %v, expected between %v and %v", t, e.val.Between[0], e.val.Between[1])
	}
}

// present judges whether an event is held, or neither held nor served, at an instant.
func (j *judge) present(e *item[Expectation], name string, held bool) {
	at := core.Time(j.Horizon)
	if len(e.val.At) > 0 {
		at = core.Time(e.val.At[0])
	}
	r := j.record(name)
	if r == nil {
		if held {
			j.fail(e, "the event never reached the relay")
		}
		return
	}
	last := core.RepNone
	for _, h := range r.History {
		if h.At <= at && (h.Report == core.RepHeld || h.Report.Ends()) {
			last = h.Report
		}
	}
	switch {
	case held && last != core.RepHeld:
		j.fail(e, "not held at %v, last seen: %v%s", at, last, answered(r))
	case !held && last == core.RepHeld:
		j.fail(e, "held at %v", at)
	case !held && j.seen[sight{"served", name, at}] == "served":
		j.fail(e, "served at %v", at)
	}
}

func (j *judge) refused(e *item[Expectation], name string) {
	if why, ok := j.atDoor[name]; ok {
		if !strings.Contains(why, e.val.Text) {
			j.fail(e, "no refusal with %q; it could not be read: %s", e.val.Text, why)
		}
		return
	}
	r := j.record(name)
	if r == nil || len(r.Answers) == 0 {
		j.fail(e, "the event got no answer")
		return
	}
	if r.Ended == core.RepEndedRefused && e.val.Text == "" && !e.val.Count.Set && len(e.val.At) == 0 {
		return // taken at first, and refused by the store at its release
	}
	var at []core.Time
	for _, a := range r.Answers {
		if !a.OK && strings.Contains(a.Text, e.val.Text) {
			at = append(at, a.At)
		}
	}
	if len(at) > 0 {
		j.instants(e, at)
		return
	}
	last := r.Answers[len(r.Answers)-1]
	j.fail(e, "no refusal with %q; the last answer was %v %q", e.val.Text, last.OK, last.Text)
}

// instants checks a list of instants, after From and before To.
func (j *judge) instants(e *item[Expectation], all []core.Time) {
	x := &e.val
	var at []core.Time
	for _, t := range all {
		if t >= core.Time(x.From) && (x.To == 0 || t < core.Time(x.To)) {
			at = append(at, t)
		}
	}
	if x.At != nil && !slices.EqualFunc(at, x.At, func(got core.Time, want Span) bool { return got == core.Time(want) }) {
		j.fail(e, "at %s, expected at %s", list(at), listSpans(x.At))
	}
	if len(x.Between) == 2 {
		for _, t := range at {
			if t < core.Time(x.Between[0]) || t > core.Time(x.Between[1]) {
				j.fail(e, "at %v, expected between %v and %v", t, x.Between[0], x.Between[1])
				break
			}
		}
		if len(at) == 0 {
			j.fail(e, "never, expected between %v and %v", x.Between[0], x.Between[1])
		}
	}
	if x.Count.Set {
		j.count(e, int64(len(at)), "times, at "+list(at)+",")
	}
}

func (j *judge) count(e *item[Expectation], n int64, what string) {
	if !e.val.Count.Holds(n) {
		j.fail(e, "%d %s expected %v", n, what, e.val.Count)
	}
}

func list(at []core.Time) string {
	const most = 24
	var b strings.Builder
	b.WriteByte('[')
	for i, t := range at {
		if i == most {
			fmt.Fprintf(&b, " … %d in all", len(at))
			break
		}
		if i > 0 {
			b.WriteByte(' ')
		}
		b.WriteString(t.String())
	}
	return b.String() + "]"
}

func listSpans(s Spans) string {
	at := make([]core.Time, len(s))
	for i := range s {
		at[i] = core.Time(s[i])
	}
	return list(at)
}

// push judges what a push's client was told.
func (j *judge) push(e *item[Expectation], name string, ok bool) {
	r := j.rec.Push(j.pushID[name])
	switch {
	case r == nil:
		j.fail(e, "the push never reached the relay")
		return
	case ok && (r.AnsweredAt < 0 || !r.OK):
		why := "it was never answered"
		if r.AnsweredAt >= 0 {
			why = "git failed"
		}
		for _, v := range r.Verdicts {
			if !v.OK {
				why = nip34.RefusalText(j.names, v.Text, v.Want, v.Got)
			}
		}
		j.fail(e, "it had no success: %s", why)
		return
	case ok:
		j.within(e, r.AnsweredAt)
		return
	case r.AnsweredAt >= 0 && r.OK:
		j.fail(e, "its client was told of success at %v", r.AnsweredAt)
		return
	}
	var told []string
	for _, v := range r.Verdicts {
		if v.OK {
			continue
		}
		text := nip34.RefusalText(j.names, v.Text, v.Want, v.Got)
		if strings.Contains(text, e.val.Text) {
			return
		}
		told = append(told, text)
	}
	if e.val.Text != "" || r.AnsweredAt < 0 && len(r.Verdicts) == 0 {
		j.fail(e, "no refusal with %q; its client was told: %q", e.val.Text, told)
	}
}

func (j *judge) compareRefs(e *item[Expectation]) {
	x, _ := j.sightOf(&e.val)
	_, identifier, _ := splitRepo(x.about)
	refs, _ := e.val.Is.expand()
	var want []string
	for _, r := range refs {
		name := fullName(r.Name)
		if e.val.Nostr != "" {
			name = nostrSpace + j.idOf(r.Name).String()
		}
		want = append(want, name+"="+j.parts.Graph.Name(oid(identifier, r.Value)))
	}
	slices.Sort(want)
	if got := j.seen[x]; got != strings.Join(want, " ") {
		j.fail(e, "at %v: %q, expected %q", x.at, got, strings.Join(want, " "))
	}
}

// compareSight judges where HEAD points, or whether the store has an event.
func (j *judge) compareSight(e *item[Expectation]) {
	x, _ := j.sightOf(&e.val)
	want := "served"
	if x.subject == "head" {
		want = fullName(e.val.Branch)
	}
	if got := j.seen[x]; got != want {
		j.fail(e, "at %v: %q, expected %q", x.at, got, want)
	}
}

// broken takes the violations of an invariant that was meant to break out of the result.
func (j *judge) broken(e *item[Expectation], id string) {
	before := len(j.res.Violations)
	j.res.Violations = slices.DeleteFunc(j.res.Violations, func(v sim.Violation) bool { return v.ID == id })
	if len(j.res.Violations) == before {
		j.fail(e, "not seen")
	}
}
