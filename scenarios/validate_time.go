package scenarios

import (
	"fmt"
	"reflect"
	"slices"
	"strings"

	"graspsync/core"
	"graspsync/core/value"
	"graspsync/fakes"
)

// verbs lists what is set among the verbs of a struct: the fields before (and without) details.
func verbsSet(v reflect.Value, verbs []string) []string {
	var set []string
	fields := fieldsOf(v.Type())
	for _, name := range verbs {
		if !v.FieldByIndex(fields.index[name]).IsZero() {
			set = append(set, name)
		}
	}
	return set
}

// extra gives the first field that is set but not among allowed.
func extraField(v reflect.Value, allowed []string) string {
	fields := fieldsOf(v.Type())
	for _, name := range fields.names {
		if !v.FieldByIndex(fields.index[name]).IsZero() && !slices.Contains(allowed, name) {
			return name
		}
	}
	return ""
}

func faultVerbs() []string {
	return []string{"stall", "refuse", "throttle", "partition", "flap", "upset"}
}

func (v *validator) fault(i int, f *Fault) {
	path := fmt.Sprintf("faults[%d]", i)
	set := verbsSet(reflect.ValueOf(*f), faultVerbs())
	// throttle's own field name is also a rule's word; only the list counts here.
	if len(set) != 1 {
		v.add(path, fmt.Sprintf("has %d verbs, must have one of %s", len(set), strings.Join(faultVerbs(), ", ")))
		return
	}
	if f.To > 0 && f.To <= f.From {
		v.add(path+".to", fmt.Sprintf("%v is not after %v", f.To, f.From))
	}
	v.instant(path+".from", f.From)
	for _, h := range f.hosts() {
		if !v.known(h) {
			v.add(path+"."+set[0], fmt.Sprintf("host %q is not declared under hosts", h))
		}
	}
	f.fake(v.problems, path)
}

// hosts are the hosts a fault is about.
func (f *Fault) hosts() Labels {
	for _, l := range []Labels{f.Stall, f.Refuse, f.Throttle, f.Partition, f.Flap, f.Upset} {
		if l != nil {
			out, err := l.expand()
			if err != nil {
				return l
			}
			return out
		}
	}
	return nil
}

// fake is the rule of a fault.
func (f *Fault) fake(p *problems, path string) fakes.Rule {
	verb := fakes.StallVerb
	switch {
	case f.Upset != nil:
		if f.Rule.Answer == "" {
			p.add(path+".answer", "missing, upset needs to know what the hosts do")
			return fakes.Rule{}
		}
		return f.Rule.fake(p, path)
	case f.Refuse != nil:
		verb = fakes.RefuseVerb
	case f.Throttle != nil:
		verb = fakes.ThrottleVerb
	case f.Partition != nil:
		verb = fakes.PartitionVerb
	case f.Flap != nil:
		verb = fakes.FlapVerb
	}
	if f.Rule.Answer != "" {
		p.add(path+".answer", "belongs to upset; the other verbs say themselves what happens")
	}
	rule := verb.Rule()
	if f.RetryAfter > 0 {
		rule.RetryAfter = core.Time(f.RetryAfter)
	}
	if f.Up > 0 && f.Down > 0 {
		rule.Up, rule.Down = core.Time(f.Up), core.Time(f.Down)
	}
	return rule
}

func (v *validator) driver() { v.Scenario.Driver.fake(v.problems) }

func (v *validator) instant(path string, t Span) {
	if t > v.Horizon {
		v.add(path, fmt.Sprintf("%v lies past the horizon of %v", t, v.Horizon))
	}
}

// actionFields says which details go with which verb.
func actionFields(verb string) []string {
	common := []string{verb, "at", "repeat", "step", "on"}
	event := append(common, "as", "by", "origin", "via", "created", "created-at", "address", "protected", "authed", "size")
	switch verb {
	case "announce":
		return append(event, "clone", "maintainers", "unlisted")
	case "state":
		return append(event, "refs", "head")
	case "pr", "pr-update":
		return append(event, "commit", "clone", "also", "mentions")
	case "issue":
		return append(event, "mentions")
	case "note":
		return append(common, "by", "origin", "via", "created", "address", "protected", "authed", "size", "mentions")
	case "push":
		return append(common, "as", "by", "refs", "old", "upload", "bytes", "cut-after", "address")
	case "again":
		return append(common, "origin", "every", "until", "address")
	case "delete":
		return append(common, "as", "by", "origin", "created", "created-at", "address", "coordinate")
	case "raw":
		return append(event, "tags", "content")
	case "attack":
		return []string{"attack", "at", "step", "on", "as", "by", "origin", "via", "address", "clone", "ways"}
	case "crash":
		return append(common, "down")
	case "event":
		return append(common, "origin")
	}
	return common
}

func actionVerbs() []string {
	return []string{"announce", "state", "pr", "pr-update", "issue", "note", "push", "again", "delete", "remove", "clock", "set", "shutdown", "crash", "event", "raw", "attack"}
}

// verb is the one verb of an action, or "".
func (a *Action) verb() string {
	if set := verbsSet(reflect.ValueOf(*a), actionVerbs()); len(set) == 1 {
		return set[0]
	}
	return ""
}

// about is the repository or event an action names.
func (a *Action) about() string {
	for _, s := range []string{a.Announce, a.State, a.PR, a.PRUpdate, a.Issue, a.Push, a.Again, a.Delete, a.Remove} {
		if s != "" {
			return s
		}
	}
	return ""
}

// eventName is the name under which the event of an action is known; "" for actions without one.
func (a *Action) eventName() string {
	switch verb := a.verb(); verb {
	case "note":
		return a.Note
	case "raw":
		return a.As
	case "announce", "state", "pr", "pr-update", "issue", "delete":
		if a.As != "" {
			return a.As
		}
		return verb + " " + a.about()
	}
	return ""
}

// pushName is the name under which a push is known; the latest of several called alike is meant.
func (a *Action) pushName() string {
	if a.verb() != "push" {
		return ""
	}
	if a.As != "" {
		return a.As
	}
	return "push " + a.Push
}

func (v *validator) timeline() {
	v.events, v.pushes = make(map[string]bool), make(map[string]bool)
	for i := range v.repos {
		if v.repos[i].val.Start != "absent" {
			v.events["announce "+v.repos[i].name] = true
			v.events["base "+v.repos[i].name] = true
		}
	}
	for i := range v.actions {
		if name := v.actions[i].val.eventName(); name != "" {
			if v.events[name] && v.actions[i].val.As == "" {
				v.add(v.actions[i].path, fmt.Sprintf("a second event would be called %q; give it a name with \"as\"", name))
			} else if v.events[name] && v.actions[i].val.As != "" {
				v.add(v.actions[i].path+".as", fmt.Sprintf("an event is called %q already", name))
			}
			v.events[name] = true
		}
	}
	for i := range v.actions {
		if name := v.actions[i].val.pushName(); name != "" {
			if v.pushes[name] && v.actions[i].val.As != "" {
				v.add(v.actions[i].path+".as", fmt.Sprintf("a push is called %q already", name))
			}
			v.pushes[name] = true
		}
		v.action(&v.actions[i])
	}
}

func (v *validator) action(it *item[Action]) {
	a, path := &it.val, it.path
	set := verbsSet(reflect.ValueOf(*a), actionVerbs())
	if len(set) != 1 {
		v.add(path, fmt.Sprintf("has %d verbs, must have one of %s", len(set), strings.Join(actionVerbs(), ", ")))
		return
	}
	verb := set[0]
	if f := extraField(reflect.ValueOf(*a), actionFields(verb)); f != "" {
		v.add(join(path, f), fmt.Sprintf("does not go with %s; what does: %s", verb, strings.Join(actionFields(verb), ", ")))
	}
	v.instant(path+".at", a.At)
	v.relay(path+".on", a.On)
	if a.By != "" {
		checkUser(v.problems, path+".by", a.By)
	}
	if a.Bytes < 0 || a.Bytes > 1<<40 {
		v.add(path+".bytes", fmt.Sprintf("%d is out of range, must be 0 to 1099511627776", a.Bytes))
	}
	if n := a.CutAfter; n != nil && (*n < 0 || *n > len(a.Refs)) {
		v.add(path+".cut-after", fmt.Sprintf("%d is out of range, must be 0 to the number of refs, %d", *n, len(a.Refs)))
	}
	if a.Address != "" && set[0] != "push" && a.Origin != "client" {
		v.add(path+".address", "goes with origin: client")
	}
	if a.Created != nil && a.CreatedAt != nil {
		v.add(path+".created-at", "goes without created; write one of them")
	}
	if a.Origin != "" && a.Origin != "synced" && a.Origin != "client" {
		v.add(path+".origin", unknown("origin", a.Origin, []string{"synced", "client"}))
	}
	for _, r := range a.Via {
		if _, ok := v.Relays[r]; !ok {
			v.add(path+".via", unknown("relay", r, sortedKeys(v.Relays)))
		}
	}
	if a.Size < 0 || a.Size > 1<<30 {
		v.add(path+".size", fmt.Sprintf("%d is out of range, must be 0 to 1073741824", a.Size))
	}
	for _, name := range a.Mentions {
		v.event(path+".mentions", name)
	}
	switch verb {
	case "note":
		if a.By == "" {
			v.add(path+".by", "missing; a note belongs to no repository, so say who writes it")
		}
	case "again", "delete", "remove":
		v.event(path+"."+verb, a.about())
		if a.Every == 0 && a.Until != 0 {
			v.add(path+".until", "goes with \"every\"")
		}
		if a.Every > 0 && (v.Horizon-a.At)/a.Every > maxExpansion {
			v.add(path+".every", fmt.Sprintf("%v is too short for a horizon of %v", a.Every, v.Horizon))
		}
	case "clock":
		if _, err := clockOffset(a.Clock); err != nil {
			v.add(path+".clock", err.Error())
		}
	case "set":
		v.config(v.problems, path+".set", a.Set, v.config(v.problems, "config", v.Config, core.DefaultConfig()))
	case "event":
		if _, err := parseReal([]byte(a.Event), v.service()); err != nil {
			v.add(path+".event", err.Error())
		}
	case "raw":
		v.raw(a, path)
	case "shutdown", "crash":
	default:
		v.repoAction(a, verb, path)
	}
}

func (v *validator) repoAction(a *Action, verb, path string) {
	name := a.about()
	v.repository(path+"."+verb, name)
	owner, identifier, err := splitRepo(name)
	if err != nil {
		return
	}
	by := owner
	if a.By != "" {
		by = a.By
	}
	v.refs(path+".refs", a.Refs)
	v.refs(path+".old", a.Old)
	v.clone(path+".clone", a.Clone, by, identifier)
	for _, m := range a.Maintainers {
		checkUser(v.problems, path+".maintainers", m)
	}
	for _, r := range a.Also {
		v.repository(path+".also", r)
	}
	switch verb {
	case "state", "push":
		if a.Refs == nil {
			v.add(path+".refs", "missing; write refs: main, or {} for none")
		}
		if verb == "state" {
			v.sound(path+".refs", a.Refs)
		}
	case "pr", "pr-update":
		if _, err := value.ParseOID(a.Commit); err != nil {
			v.labels(path+".commit", Labels{a.Commit})
		}
	}
}

func (v *validator) repository(path, name string) {
	if _, ok := v.findRepo(name); ok {
		return
	}
	v.add(path, fmt.Sprintf("repository %q is not declared under repos", name))
}

// findRepo looks a repository up by name.
func (s *script) findRepo(name string) (*item[Repo], bool) {
	i, ok := slices.BinarySearchFunc(s.repos, name, func(r item[Repo], name string) int { return strings.Compare(r.name, name) })
	if !ok {
		return nil, false
	}
	return &s.repos[i], true
}

func (v *validator) event(path, name string) {
	if !v.events[name] {
		v.add(path, fmt.Sprintf("no event is called %q; events are called by their \"as\" or \"<verb> <repository>\"", name))
	}
}

// clockOffset reads "1h" or "-1h".
func clockOffset(text string) (core.Time, error) {
	back := strings.HasPrefix(text, "-")
	s, err := ParseSpan(strings.TrimPrefix(text, "-"))
	if back {
		s = -s
	}
	return core.Time(s), err
}
