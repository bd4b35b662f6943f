package fakes

import (
	"strings"

	"graspsync/core"
)

// Align sets the heads and tags of a repository to exactly e.Refs and HEAD to e.Head, in one transaction
// (ST-08); other refs are untouched. With NostrRef it sets refs/nostr/<event> to e.OIDs[0], or deletes
// it if there is none (PR-02, PR-03). A ref to an object that is not here with its closure changes
// nothing and gives core.NotOurRef.
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
		return l.setRef(r, name, oid)
	}
	for i := range e.Refs {
		if !l.has(r, e.Refs[i].OID) {
			return core.NotOurRef
		}
	}
	if l.aligned(r, e.Refs) {
		l.setHead(r, e.Head)
		return core.OK
	}
	if !l.aligned(r, e.Old) {
		l.counts.StaleOld++
	}
	kept := r.refs[:0]
	for _, ref := range r.refs {
		if !l.headOrTag(ref.Name) {
			kept = append(kept, ref)
		}
	}
	r.refs = kept
	for _, ref := range e.Refs {
		r.refs = append(r.refs, core.Ref{Name: ref.Name, OID: ref.OID})
	}
	l.sortRefs(r.refs)
	l.setHead(r, e.Head)
	return core.OK
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

func (l *LocalGit) setHead(r *localRepo, head core.Handle) {
	if head != 0 {
		r.head = head
	}
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
