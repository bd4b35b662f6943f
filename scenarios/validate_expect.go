package scenarios

import (
	"fmt"
	"reflect"
	"slices"
	"strings"

	"graspsync/core"
	"graspsync/sim"
)

func subjects() []string {
	return []string{"released", "expired", "deleted", "replaced", "evicted", "held", "absent", "refused", "attempts", "passes",
		"requests", "at-once", "report", "counter", "fair", "refs", "nostr", "head", "served", "pushed", "denied", "reachable", "broken"}
}

func (e *Expectation) subject() (subject, about string) {
	v := reflect.ValueOf(*e)
	fields := fieldsOf(v.Type())
	for _, s := range subjects() {
		if t := v.FieldByIndex(fields.index[s]).String(); t != "" {
			return s, t
		}
	}
	return "", ""
}

// expectFields says which details go with which subject.
func expectFields(subject string) []string {
	common := []string{subject, "repeat", "on"}
	switch subject {
	case "released", "expired", "deleted", "replaced", "evicted":
		return append(common, "at", "between")
	case "held", "absent", "served":
		return append(common, "at")
	case "head":
		return append(common, "at", "branch")
	case "refused":
		return append(common, "text", "at", "between", "count")
	case "denied":
		return append(common, "text")
	case "pushed":
		return append(common, "at", "between")
	case "attempts":
		return append(common, "at", "between", "count", "from", "to")
	case "passes":
		return append(common, "at", "between", "count", "from", "to", "hedge", "wave", "repo")
	case "requests":
		return append(common, "count", "from", "to", "ask", "repo")
	case "at-once", "fair":
		return append(common, "count", "from", "to")
	case "report":
		return append(common, "at", "between", "count", "from", "to", "host", "class")
	case "counter":
		return append(common, "count")
	case "refs", "nostr":
		return append(common, "at", "is")
	case "reachable":
		return append(common, "from")
	}
	return common
}

func (v *validator) expectation(it *item[Expectation]) {
	e, path := &it.val, it.path
	set := verbsSet(reflect.ValueOf(*e), subjects())
	if len(set) != 1 {
		v.add(path, fmt.Sprintf("has %d subjects, must have one of %s", len(set), strings.Join(subjects(), ", ")))
		return
	}
	subject, about := e.subject()
	allowed := expectFields(subject)
	if f := extraField(reflect.ValueOf(*e), allowed); f != "" {
		v.add(join(path, f), fmt.Sprintf("does not go with %s; what does: %s", subject, strings.Join(allowed, ", ")))
	}
	v.relay(path+".on", e.On)
	if e.Between != nil && (len(e.Between) != 2 || e.Between[0] > e.Between[1]) {
		v.add(path+".between", "must be [first, last] in order of time")
	}
	if e.To > 0 && e.To <= e.From {
		v.add(path+".to", fmt.Sprintf("%v is not after %v", e.To, e.From))
	}
	for _, t := range append(slices.Clone(e.At), e.Between...) {
		v.instant(path, t)
	}
	if !slices.IsSorted(e.At) {
		v.add(path+".at", "instants must be in order of time")
	}
	v.subject(e, path, subject, about)
}

func (v *validator) subject(e *Expectation, path, subject, about string) {
	at := path + "." + subject
	switch subject {
	case "released", "expired", "deleted", "replaced", "evicted", "held", "absent", "served", "refused", "reachable":
		v.event(at, about)
		v.instant(path+".from", e.From)
		if (subject == "held" || subject == "absent" || subject == "served") && len(e.At) > 1 {
			v.add(path+".at", "must be one instant")
		}
	case "pushed", "denied":
		if !v.pushes[about] {
			v.add(at, fmt.Sprintf("no push is called %q; pushes are called by their \"as\" or \"push <repository>\"", about))
		}
	case "attempts", "refs", "nostr":
		v.repository(at, about)
		v.refs(path+".is", e.Is)
		if subject == "attempts" && e.At == nil && e.Between == nil && !e.Count.Set {
			v.add(path, "says nothing about the attempts; add at, between or count")
		}
	case "head":
		v.repository(at, about)
		if e.Branch == "" {
			v.add(path+".branch", "missing; name the branch HEAD must point to")
		}
	case "passes", "requests", "fair", "at-once":
		if !v.known(about) && !v.urls[about] && about != v.service() && (subject != "at-once" || about != "all") {
			v.add(at, fmt.Sprintf("%q is neither a declared host nor a clone URL of the scenario", about))
		}
		if subject != "passes" && !e.Count.Set {
			v.add(path+".count", "missing; write a comparison as \"<= 5\"")
		}
		if subject == "passes" && e.At == nil && e.Between == nil && !e.Count.Set {
			v.add(path, "says nothing about the passes; add at, between or count")
		}
		if _, ok := askKind(e.Ask); e.Ask != "" && !ok {
			v.add(path+".ask", unknown("request", e.Ask, []string{"compare", "fetch", "probe"}))
		}
		if e.Wave != "" && e.Wave != "main" && e.Wave != "pr" {
			v.add(path+".wave", unknown("wave", e.Wave, []string{"main", "pr"}))
		}
		if e.Repo != "" {
			v.repository(path+".repo", e.Repo)
		}
	case "report":
		if _, ok := reportKind(about); !ok {
			v.add(at, unknown("report", about, reportWords()))
		}
		if _, ok := core.ParseClass(e.Class); e.Class != "" && !ok {
			v.add(path+".class", fmt.Sprintf("%q is no outcome class, as dns, tls or too-many-requests", e.Class))
		}
		if e.Host != "" && !v.known(e.Host) {
			v.add(path+".host", fmt.Sprintf("host %q is not declared under hosts", e.Host))
		}
		if e.At == nil && e.Between == nil && !e.Count.Set {
			e.Count = Count{Min: 1, Max: maxCount, Set: true}
		}
	case "counter":
		if _, ok := counter(&sim.Counts{}, about); !ok {
			v.add(at, unknown("counter", about, counterWords()))
		}
		if !e.Count.Set {
			v.add(path+".count", "missing; write a comparison as \">= 300\"")
		}
	case "broken":
		if !KnownRule(about) {
			v.add(at, fmt.Sprintf("%q is no invariant; write one as I-2", about))
		}
	}
}

func reportWords() []string {
	var out []string
	for k := core.RepPass; k < core.NumReportKinds; k++ {
		out = append(out, k.String())
	}
	return out
}

func reportKind(word string) (core.ReportKind, bool) {
	i := slices.Index(reportWords(), word)
	return core.RepPass + core.ReportKind(i), i >= 0
}

// counter reads one field of the counts by its name in kebab-case.
func counter(c *sim.Counts, name string) (int64, bool) {
	v := reflect.ValueOf(c).Elem()
	for i := range v.NumField() {
		if kebab(v.Type().Field(i).Name) == name {
			return v.Field(i).Int(), true
		}
	}
	return 0, false
}

func counterWords() []string {
	var out []string
	t := reflect.TypeFor[sim.Counts]()
	for i := range t.NumField() {
		out = append(out, kebab(t.Field(i).Name))
	}
	return out
}
