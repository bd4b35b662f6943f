package nip34

import (
	"cmp"
	"slices"
	"strconv"
	"strings"

	"graspsync/core"
	"graspsync/core/value"
)

// refEntry is one head or tag of a state, still as text.
type refEntry struct {
	name, target string
	oid          core.OID
	symbolic     bool
	known        bool // oid is what the ref is, or it is known to have none
	next         int  // of a symbolic ref: index of its target
}

// state reads kind 30618 into its one normal form (ST-03, ST-04): heads and tags sorted by name,
// symbolic values resolved within the state. A value that is neither an object id nor symbolic leaves
// the ref with the zero OID and makes the state Unsatisfied; git's null id (all zeros) is such a value,
// for a ref cannot be set to it.
func (p *Parser) state(d *draft, out *core.Event, rep *report) error {
	if err := d.identify(rep); err != nil {
		return err
	}
	for _, t := range d.ev.Tags {
		if len(t) == 0 || !strings.HasPrefix(t[0], "refs/") || strings.HasSuffix(t[0], "^{}") {
			continue
		}
		if !headOrTag(t[0]) {
			rep.add("tag "+shown(t[0]), second(t), "below refs/heads/ or refs/tags/ to count")
			continue
		}
		if want := CheckRefName(t[0]); want != "" {
			return refuse("tag "+shown(t[0]), t[0], "a ref name "+want)
		}
		r := refEntry{name: t[0]}
		if r.target, r.symbolic = symbolicTarget(second(t)); !r.symbolic {
			r.known = true
			if r.oid = parseOID(second(t)); r.oid.IsZero() {
				out.Unsatisfied = true
				rep.add("tag "+shown(t[0]), second(t), "40 or 64 lower-case hex digits, not all zero, or ref: and a ref name; the state is never satisfied")
			}
		}
		d.refs = append(d.refs, r)
	}
	slices.SortFunc(d.refs, func(a, b refEntry) int { return cmp.Compare(a.name, b.name) })
	if err := checkRefs(d.refs); err != nil {
		return err
	}
	if err := resolve(d.refs); err != nil {
		return err
	}
	d.readHead(rep)
	return nil
}

// parseOID is the zero OID for anything but 40 or 64 lower-case hex digits that are not all zero (F-07).
func parseOID(s string) core.OID {
	o, err := value.ParseOID(s)
	if err != nil || strings.Trim(s, "0") == "" {
		return core.OID{}
	}
	return o
}

// checkRefs refuses duplicates, directory/file conflicts and mixed object formats; refs are sorted.
func checkRefs(refs []refEntry) error {
	names := make(map[string]bool, len(refs))
	length := 0
	for i, r := range refs {
		if i > 0 && refs[i-1].name == r.name {
			return refuse("tag "+shown(r.name), "there twice", "there once")
		}
		names[r.name] = true
		if n := r.oid.Len(); n != 0 && length == 0 {
			length = n
		} else if n != 0 && n != length {
			return refuse("tag "+shown(r.name), r.oid.String(), strconv.Itoa(2*length)+" hex digits, as the others of this state")
		}
	}
	for _, r := range refs {
		for i := len("refs/heads/"); i < len(r.name); i++ {
			if r.name[i] == '/' && names[r.name[:i]] {
				return refuse("tag "+shown(r.name), r.name, "no ref below "+shown(r.name[:i])+", which is a ref itself")
			}
		}
	}
	return nil
}

// resolve gives symbolic refs the object of the ref they lead to. Each ref is walked once, so a long
// chain costs no more than its length.
func resolve(refs []refEntry) error {
	for i := range refs {
		r := &refs[i]
		if !r.symbolic {
			continue
		}
		j, ok := findRef(refs, r.target)
		if !ok {
			return refuse("tag "+shown(r.name), "ref: "+r.target, "ref: and the name of a head or tag of this state")
		}
		r.next = j
	}
	for i := range refs {
		end, steps := i, 0
		for !refs[end].known {
			if end, steps = refs[end].next, steps+1; steps > len(refs) {
				return refuse("tag "+shown(refs[i].name), "ref: "+refs[i].target, "a symbolic ref that leads to an object, not back to itself")
			}
		}
		oid := refs[end].oid
		for j := i; !refs[j].known; j = refs[j].next {
			refs[j].oid, refs[j].known = oid, true
		}
	}
	return nil
}

func findRef(refs []refEntry, name string) (int, bool) {
	return slices.BinarySearchFunc(refs, name, func(r refEntry, n string) int { return cmp.Compare(r.name, n) })
}

// readHead reads the HEAD tag, with or without "ref: " (ST-04). A branch the state does not have leaves
// HEAD where it is.
func (d *draft) readHead(rep *report) {
	found := false
	for _, t := range d.ev.Tags {
		if len(t) == 0 || t[0] != "HEAD" {
			continue
		}
		if found {
			rep.add("tag HEAD", second(t), "there once; the first counts")
			continue
		}
		found = true
		name := second(t)
		if target, ok := symbolicTarget(name); ok {
			name = target
		}
		if _, ok := findRef(d.refs, name); !ok || !strings.HasPrefix(name, "refs/heads/") {
			rep.add("tag HEAD", second(t), "ref: and the name of a branch of this state; HEAD stays")
			continue
		}
		d.head = name
	}
}
