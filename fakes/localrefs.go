package fakes

import (
	"slices"
	"strings"

	"graspsync/core"
)

// Align sets HEAD to e.Head, if the state has that branch and its tip is a commit that is here (ST-04), and the heads
// and tags of a repository to exactly e.Refs; other refs are untouched. That is one transaction, or two where git
// refuses it in one: a name that goes is a directory of one that comes, or the reverse (ST-08). With NostrRef it sets refs/nostr/<event> to e.OIDs[0], or deletes
// it if there is none (PR-02, PR-03). A ref to an object that is not here with its closure changes
// nothing and gives core.NotOurRef. A lock (LockRefs) on HEAD changes nothing; on a ref, HEAD is set already, and of two
// transactions perhaps the first is done.
func (l *LocalGit) Align(e *core.Effect) core.Class {
	r := l.at(e.Repo)
	if l.fails(AlignOp) || r == nil {
		return core.LocalFault
	}
	if e.Space == core.NostrRef {
		name := l.names.Handle("refs/nostr/" + e.Event.String())
		var oid core.OID
		if len(e.OIDs) > 0 {
			oid = e.OIDs[0]
		}
		if l.holds(e.Repo, name) {
			return core.LocalFault
		}
		return l.setRef(r, name, oid)
	}
	for i := range e.Refs {
		if !l.has(r, e.Refs[i].OID) {
			return core.NotOurRef
		}
		if l.branch(e.Refs[i].Name) && !l.commit(e.Refs[i].OID) {
			return core.LocalFault // git lets a branch point to nothing but a commit
		}
	}
	if !l.setHead(r, e) {
		return core.LocalFault
	}
	if l.aligned(r, e.Refs) {
		return core.OK
	}
	if !l.aligned(r, e.Old) {
		l.counts.StaleOld++
	}
	wanted := make(map[core.Handle]bool, len(e.Refs))
	for i := range e.Refs {
		wanted[e.Refs[i].Name] = true
	}
	var gone []core.Handle
	for _, ref := range r.refs {
		if l.headOrTag(ref.Name) && !wanted[ref.Name] {
			gone = append(gone, ref.Name)
		}
	}
	if l.Transact(e.Repo, gone, e.Refs) {
		return core.OK
	}
	if !l.Transact(e.Repo, gone, nil) || !l.Transact(e.Repo, nil, e.Refs) {
		return core.LocalFault
	}
	l.counts.TwoSteps++
	return core.OK
}

// Transact deletes and sets refs all at once, as git's update-ref does it: false, and nothing done, where a name
// that is set is a directory of another or lies below one, even of one that is deleted along with it.
func (l *LocalGit) Transact(repo core.Handle, gone []core.Handle, set []core.Ref) bool {
	r := l.at(repo)
	if r == nil {
		return false
	}
	there, new := make(map[string]bool, len(r.refs)+len(set)), make(map[string]bool, len(set))
	for i := range set {
		there[l.names.Text(set[i].Name)], new[l.names.Text(set[i].Name)] = true, true
	}
	for i := range r.refs {
		there[l.names.Text(r.refs[i].Name)] = true
	}
	for i := range set {
		if inside(l.names.Text(set[i].Name), there) || l.holds(repo, set[i].Name) && refOf(r, set[i].Name) != set[i].OID {
			return false
		}
	}
	for _, name := range gone {
		if l.holds(repo, name) {
			return false
		}
	}
	for i := range r.refs {
		if inside(l.names.Text(r.refs[i].Name), new) {
			return false
		}
	}
	goes := make(map[core.Handle]bool, len(gone))
	for _, name := range gone {
		goes[name] = true
	}
	r.refs = slices.DeleteFunc(r.refs, func(ref core.Ref) bool { return goes[ref.Name] || new[l.names.Text(ref.Name)] })
	for i := range set {
		r.refs = append(r.refs, core.Ref{Name: set[i].Name, OID: set[i].OID})
	}
	l.sortRefs(r.refs)
	return true
}

// inside tells whether one of the names is a directory of name.
func inside(name string, names map[string]bool) bool {
	for i := range name {
		if name[i] == '/' && names[name[:i]] {
			return true
		}
	}
	return false
}

// Push applies the updates of a push that was let through, all or nothing: the relay's receive-pack. The
// zero OID deletes. An update whose Old is neither zero nor what is there, or whose object is not here,
// changes nothing; moved tells whether a head or tag changed (E-05).
func (l *LocalGit) Push(repo core.Handle, updates []core.RefUpdate) (moved bool, c core.Class) {
	r := l.at(repo)
	if l.fails(AlignOp) || r == nil {
		return false, core.LocalFault
	}
	for i := range updates {
		u := &updates[i]
		if now := refOf(r, u.Name); !u.Old.IsZero() && u.Old != now {
			return false, core.LocalFault
		}
		if !u.New.IsZero() && !l.has(r, u.New) {
			return false, core.NotOurRef
		}
	}
	for i := range updates {
		u := &updates[i]
		moved = moved || refOf(r, u.Name) != u.New && u.Space == core.HeadsAndTags
		l.setRef(r, u.Name, u.New)
	}
	return moved, core.OK
}

func (l *LocalGit) has(r *localRepo, oid core.OID) bool {
	n := l.graph.Find(oid)
	return n != NoNode && l.connected(r, n)
}

// setRef sets one ref, or deletes it when oid is zero.
func (l *LocalGit) setRef(r *localRepo, name core.Handle, oid core.OID) core.Class {
	if !oid.IsZero() && !l.has(r, oid) {
		return core.NotOurRef
	}
	for i := range r.refs {
		if r.refs[i].Name != name {
			continue
		}
		if oid.IsZero() {
			r.refs = append(r.refs[:i], r.refs[i+1:]...)
		} else {
			r.refs[i].OID = oid
		}
		return core.OK
	}
	if !oid.IsZero() {
		r.refs = append(r.refs, core.Ref{Name: name, OID: oid})
		l.sortRefs(r.refs)
	}
	return core.OK
}

// setHead points HEAD to the branch a state names, if the state has it and its tip is a commit here; else it stays.
// It tells whether nobody holds HEAD locked.
func (l *LocalGit) setHead(r *localRepo, e *core.Effect) bool {
	for i := range e.Refs {
		if ref := &e.Refs[i]; ref.Name == e.Head && l.branch(e.Head) && l.has(r, ref.OID) && l.commit(ref.OID) && r.head != e.Head {
			if len(l.locked) > 0 && l.holds(e.Repo, l.names.Handle("HEAD")) {
				return false
			}
			r.head = e.Head
		}
	}
	return true
}

func (l *LocalGit) branch(name core.Handle) bool {
	return strings.HasPrefix(l.names.Text(name), "refs/heads/")
}

func (l *LocalGit) commit(oid core.OID) bool {
	n := l.graph.Find(oid)
	return n != NoNode && l.graph.Kind(n) == CommitObject
}

// aligned tells whether the heads and tags of r are exactly want, in any order.
func (l *LocalGit) aligned(r *localRepo, want []core.Ref) bool {
	n := 0
	for _, ref := range r.refs {
		if l.headOrTag(ref.Name) {
			n++
		}
	}
	if n != len(want) {
		return false
	}
	for i := range want {
		if refOf(r, want[i].Name) != want[i].OID {
			return false
		}
	}
	return true
}

func refOf(r *localRepo, name core.Handle) core.OID {
	for i := range r.refs {
		if r.refs[i].Name == name {
			return r.refs[i].OID
		}
	}
	return core.OID{}
}

func (l *LocalGit) headOrTag(name core.Handle) bool {
	text := l.names.Text(name)
	return strings.HasPrefix(text, "refs/heads/") || strings.HasPrefix(text, "refs/tags/")
}
