package scenarios

import (
	"fmt"
	"slices"
	"strings"

	"graspsync/core/nip34"
	"graspsync/core/value"
)

// validator checks the written-out parts of a scenario against each other.
type validator struct {
	*problems
	*script
	urls   map[string]bool // every clone URL of the scenario
	events map[string]bool // names of events
	pushes map[string]bool // names of pushes
}

func (v *validator) host(h *item[Host]) {
	checkAuthority(v.problems, h.path, h.name)
	h.val.fake(v.problems, h.path)
	if _, _, ok := wantRule(h.val.Wants); !ok {
		v.add(h.path+".wants", unknown("want rule", h.val.Wants, wantWords()))
	}
}

// known tells whether host is declared.
func (s *script) known(host string) bool {
	if s.Network != nil && slices.Contains(s.Network.Relays, host) {
		return true
	}
	_, ok := slices.BinarySearchFunc(s.hosts, host, func(h item[Host], name string) int { return strings.Compare(h.name, name) })
	return ok
}

// splitRepo cuts "owner/identifier".
func splitRepo(name string) (owner, identifier string, err error) {
	owner, identifier, ok := strings.Cut(name, "/")
	if !ok || owner == "" {
		return "", "", fmt.Errorf("%q is no repository; write owner/identifier", name)
	}
	return owner, identifier, nip34.CheckIdentifier(identifier)
}

// cloneURL is the URL that text stands for: a host means the usual place of owner/identifier there.
func (s *script) cloneURL(text, owner, identifier string) (nip34.Location, error) {
	if !strings.Contains(text, "://") {
		text = nip34.CloneURL(text, s.pubKey(owner), identifier)
	}
	return nip34.ParseURL(text)
}

// cloneList writes the ranges of a list of hosts out; whole URLs are left as they are, for IPv6's sake.
func cloneList(list Labels) (Labels, error) {
	var out Labels
	for _, text := range list {
		if strings.Contains(text, "://") {
			out = append(out, text)
			continue
		}
		hosts, err := Labels{text}.expand()
		if err != nil {
			return nil, err
		}
		out = append(out, hosts...)
	}
	return out, nil
}

func (v *validator) clone(path string, list Labels, owner, identifier string) {
	list, err := cloneList(list)
	if err != nil {
		v.add(path, err.Error())
	}
	for i, text := range list {
		at := path
		if len(list) > 1 {
			at = fmt.Sprintf("%s[%d]", path, i)
		}
		if strings.Contains(text, "://") && !strings.HasPrefix(text, "http") {
			continue // the parser of real events skips those too (U-02)
		}
		loc, err := v.cloneURL(text, owner, identifier)
		if err != nil {
			v.add(at, err.Error())
			continue
		}
		if !v.known(loc.Domain) && loc.Domain != v.service() {
			v.add(at, fmt.Sprintf("host %q is not declared under hosts", loc.Domain))
		}
		v.urls[loc.URL] = true
	}
}

func (v *validator) repo(r *item[Repo]) {
	owner, identifier, err := splitRepo(r.name)
	if err != nil {
		v.add(r.path, err.Error())
		return
	}
	checkUser(v.problems, r.path, owner)
	if !slices.Contains([]string{"", "served", "absent"}, r.val.Start) {
		v.add(r.path+".start", unknown("start", r.val.Start, []string{"served", "absent"}))
	}
	v.clone(r.path+".clone", r.val.Clone, owner, identifier)
	for _, m := range r.val.Maintainers {
		checkUser(v.problems, r.path+".maintainers", m)
	}
	if name, cyclic := cycle(r.val.Commits); cyclic {
		v.add(join(r.path+".commits", name), "the commit is its own ancestor; history has no cycles")
	}
	for _, label := range sortedKeys(r.val.Commits) {
		v.labels(join(r.path+".commits", label), append(Labels{label}, r.val.Commits[label]...))
	}
	for _, tag := range sortedKeys(r.val.Tags) {
		v.labels(join(r.path+".tags", tag), Labels{tag, r.val.Tags[tag]})
		if _, twice := r.val.Commits[tag]; twice {
			v.add(join(r.path+".tags", tag), fmt.Sprintf("%q is a commit already", tag))
		}
		if _, tagged := r.val.Tags[r.val.Tags[tag]]; tagged {
			v.add(join(r.path+".tags", tag), "a tag of a tag is not part of the format; point it to a commit")
		}
	}
	for _, label := range sortedKeys(r.val.Chains) {
		at := join(r.path+".chains", label)
		v.labels(at, Labels{label})
		if n := r.val.Chains[label]; n < 1 || n > maxExpansion {
			v.add(at, fmt.Sprintf("%d commits, must be 1 to %d", n, maxExpansion))
		}
		if _, twice := r.val.Commits[label]; twice {
			v.add(at, fmt.Sprintf("%q is under commits already", label))
		}
	}
	v.labels(r.path+".has", r.val.Has)
	v.refs(r.path+".nostr", r.val.Nostr)
	if len(r.val.Nostr) > 0 && r.val.Start == "absent" {
		v.add(r.path+".nostr", "goes with start: served")
	}
	for _, where := range sortedKeys(r.val.On) {
		at := join(r.path+".on", where)
		if strings.Contains(where, "://") {
			loc, err := nip34.ParseURL(where)
			switch {
			case err != nil:
				v.add(at, err.Error())
			case !v.known(loc.Domain):
				v.add(at, fmt.Sprintf("host %q is not declared under hosts", loc.Domain))
			}
			v.urls[loc.URL] = true
		} else if !v.known(where) {
			v.add(at, fmt.Sprintf("host %q is not declared under hosts", where))
		}
		for i, h := range r.val.On[where] {
			hp := at
			if len(r.val.On[where]) > 1 {
				hp = fmt.Sprintf("%s[%d]", at, i)
			}
			v.labels(hp, h.Has)
			v.refs(hp+".refs", h.Refs)
			if v.Network != nil && slices.Contains(v.Network.Relays, where) {
				v.atRelay(hp, r, &h)
			}
			if h.Filler < 0 || h.Filler > 10_000_000 {
				v.add(hp+".filler", fmt.Sprintf("%d, must be 0 to 10000000 refs", h.Filler))
			}
			if h.Filler > 0 && h.From|h.Until != 0 {
				v.add(hp+".filler", "is there for all time; write it in a holding without from and until")
			}
			if h.Until > 0 && h.Until <= h.From {
				v.add(hp+".until", fmt.Sprintf("%v is not after %v", h.Until, h.From))
			}
		}
	}
}

// atRelay checks what a relay of the network holds at the start.
func (v *validator) atRelay(path string, r *item[Repo], h *Holding) {
	if r.val.Start == "absent" {
		v.add(path, "a relay holds something of a repository at the start only with start: served")
	}
	if h.Refs != nil || h.Hidden || h.Filler != 0 || h.From != 0 || h.Until != 0 {
		v.add(path, "a relay holds objects from the start on and shows what its states say; write labels alone")
	}
}

func (v *validator) labels(path string, l Labels) {
	out, err := l.expand()
	if err != nil {
		v.add(path, err.Error())
		return
	}
	for _, label := range out {
		if label == "" || len(label) > 100 || strings.ContainsAny(label, " \t\n:^{}") {
			v.add(path, fmt.Sprintf("%q is no label; write 1 to 100 characters without spaces, colons, ^ and braces", label))
			return
		}
	}
}

func (v *validator) refs(path string, r Refs) {
	out, err := r.expand()
	if err != nil {
		v.add(path, err.Error())
		return
	}
	seen := make(map[string]bool, len(out))
	for _, ref := range out {
		name := fullName(ref.Name)
		if why := nip34.CheckRefName(name); why != "" {
			v.add(path, fmt.Sprintf("%q is no ref name: want %s", ref.Name, why))
			return
		}
		if seen[name] {
			v.add(path, fmt.Sprintf("%q is given twice", ref.Name))
			return
		}
		seen[name] = true
		if _, symbolic := strings.CutPrefix(ref.Value, "ref: "); symbolic {
			continue
		}
		if _, err := value.ParseOID(ref.Value); err != nil {
			v.labels(path, Labels{ref.Value})
		}
	}
}

// sound checks what the parser of real events refuses in a state (ST-03).
func (v *validator) sound(path string, r Refs) {
	out, err := r.expand()
	if err != nil {
		return // said before
	}
	values := make(map[string]string, len(out))
	for _, ref := range out {
		values[fullName(ref.Name)] = ref.Value
	}
	for _, ref := range out {
		name := fullName(ref.Name)
		for i := len("refs/heads/"); i < len(name); i++ {
			if _, above := values[name[:min(i, len(name))]]; name[i] == '/' && above {
				v.add(path, fmt.Sprintf("%q lies below %q, which is a ref itself: such a state is refused at the door (ST-03); write it with raw", name, name[:i]))
			}
		}
		target, symbolic := strings.CutPrefix(ref.Value, "ref: ")
		for hops := 0; symbolic; hops++ {
			next, there := values[target]
			if !there || hops > len(out) {
				v.add(path, fmt.Sprintf("%q is %q and leads to no ref of the state with a value: such a state is refused at the door (ST-03); write it with raw", ref.Name, ref.Value))
				break
			}
			target, symbolic = strings.CutPrefix(next, "ref: ")
		}
	}
}

// cycle finds a commit that is its own ancestor.
func cycle(commits map[string]Labels) (string, bool) {
	const walking, done = 1, 2
	state := make(map[string]int, len(commits))
	type frame struct {
		name string
		next int
	}
	for _, start := range sortedKeys(commits) {
		if state[start] != 0 {
			continue
		}
		stack := []frame{{start, 0}}
		state[start] = walking
		for len(stack) > 0 {
			top := &stack[len(stack)-1]
			parents := commits[top.name]
			if top.next == len(parents) {
				state[top.name] = done
				stack = stack[:len(stack)-1]
				continue
			}
			parent := parents[top.next]
			top.next++
			switch state[parent] {
			case walking:
				return parent, true
			case 0:
				state[parent] = walking
				stack = append(stack, frame{parent, 0})
			}
		}
	}
	return "", false
}
