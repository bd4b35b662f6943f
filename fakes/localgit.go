package fakes

import (
	"slices"
	"strings"

	"graspsync/core"
	"graspsync/core/value"
	"graspsync/sim"
)

// LocalOp is an operation of LocalGit that can be made to fail.
type LocalOp uint8

// Local operations.
const (
	ReceiveOp LocalOp = iota
	CopyOp
	AlignOp
	CreateOp
	DeleteOp
	NumLocalOps
)

var localOpNames = [NumLocalOps]string{"receive", "copy", "align", "create", "delete"}

// String is the name used in scenario files.
func (o LocalOp) String() string {
	if o < NumLocalOps {
		return localOpNames[o]
	}
	return "op?"
}

// ParseLocalOp is the inverse of String.
func ParseLocalOp(s string) (LocalOp, bool) {
	for i := range localOpNames {
		if localOpNames[i] == s {
			return LocalOp(i), true
		}
	}
	return 0, false
}

// DefaultHead is where HEAD of a new repository points: git's own default (AN-04).
const DefaultHead = "refs/heads/master"

// localRepo is one bare repository of the relay.
type localRepo struct {
	exists  bool
	broken  bool    // an object was destroyed: presence does not imply closure
	objects nodeSet // closed under edges unless broken
	refs    []core.Ref
	head    core.Handle
}

// LocalGit is the relay's own git storage; it implements sim.Local. A failed operation changes nothing, but for what
// an alignment did before it met a lock, and gives core.LocalFault; a ref or copy of an object that is not there
// gives core.NotOurRef.
type LocalGit struct {
	graph    *Graph
	names    *value.Names
	repos    []*localRepo // by repository handle
	diskFull bool
	lockedIn core.Handle      // the repository of locked
	locked   []core.Handle    // refs another process holds
	skip     [NumLocalOps]int // operations that succeed before failures begin
	fail     [NumLocalOps]int // operations that then fail
	scratch  []Node
	counts   LocalCounts
}

var (
	_ sim.Local     = (*LocalGit)(nil)
	_ sim.RefLocker = (*LocalGit)(nil)
)

// LocalCounts is what happened to the storage, for the oracle.
type LocalCounts struct {
	Done            [NumLocalOps]uint64
	Failed          [NumLocalOps]uint64
	DeletedWithRefs uint64 // repositories deleted while they had refs
	TwoSteps        uint64 // alignments that needed a deletion transaction first (ST-08)
	StaleOld        uint64 // alignments whose Old was not what is there
}

// NewLocalGit is a storage without repositories.
func NewLocalGit(g *Graph, names *value.Names) *LocalGit { return &LocalGit{graph: g, names: names} }

// FailNext lets the next skip operations of a kind succeed and the n after them fail.
func (l *LocalGit) FailNext(op LocalOp, skip, n int) {
	l.skip[op], l.fail[op] = max(skip, 0), max(n, 0)
}

// DiskFull makes every operation that writes fail until it is set to false; deletions work.
func (l *LocalGit) DiskFull(full bool) { l.diskFull = full }

// LockRefs has another process hold refs of a repository, or its HEAD, from now until the next call: git refuses a
// transaction that changes one of them, and changes none.
func (l *LocalGit) LockRefs(repo core.Handle, names []core.Handle) {
	l.lockedIn, l.locked = repo, names
}

// holds tells whether another process has locked a ref.
func (l *LocalGit) holds(repo, name core.Handle) bool {
	return len(l.locked) > 0 && l.lockedIn == repo && slices.Contains(l.locked, name)
}

// Counts is what happened so far.
func (l *LocalGit) Counts() LocalCounts { return l.counts }

// fails tells whether an injected failure hits the operation, and counts it.
func (l *LocalGit) fails(op LocalOp) bool {
	bad := l.diskFull && op != DeleteOp
	switch {
	case l.skip[op] > 0:
		l.skip[op]--
	case l.fail[op] > 0:
		l.fail[op]--
		bad = true
	}
	if bad {
		l.counts.Failed[op]++
	} else {
		l.counts.Done[op]++
	}
	return bad
}

// at is a repository that exists, or nil; a nil LocalGit has none.
func (l *LocalGit) at(repo core.Handle) *localRepo {
	if l == nil || int64(repo) >= int64(len(l.repos)) || l.repos[repo] == nil || !l.repos[repo].exists {
		return nil
	}
	return l.repos[repo]
}

// Exists tells whether there is such a repository.
func (l *LocalGit) Exists(repo core.Handle) bool { return l.at(repo) != nil }

// Check appends the ids of oids that repo holds with their closure (F-05).
func (l *LocalGit) Check(repo core.Handle, oids, have []core.OID) []core.OID {
	r := l.at(repo)
	if r == nil {
		return have
	}
	for _, oid := range oids {
		if n := l.graph.Find(oid); n != NoNode && l.connected(r, n) {
			have = append(have, oid)
		}
	}
	return have
}

// connected tells whether r holds n and everything below it.
func (l *LocalGit) connected(r *localRepo, n Node) bool {
	if !r.objects.has(n) {
		return false
	}
	if !r.broken {
		return true
	}
	g := l.graph
	g.start()
	g.visit(n)
	for m, ok := g.next(); ok; m, ok = g.next() {
		if !r.objects.has(m) {
			return false
		}
		g.visitEdges(m)
	}
	return true
}

// Receive takes in oids and their closures, all or nothing; ids no object has are left out. A repository
// that is gone, a full disk or an injected failure keeps nothing.
func (l *LocalGit) Receive(repo core.Handle, oids []core.OID) {
	r := l.at(repo)
	if l.fails(ReceiveOp) || r == nil {
		return
	}
	for _, oid := range oids {
		if n := l.graph.Find(oid); n != NoNode {
			l.take(r, n)
		}
	}
}

// take adds n and its closure. What r holds is closed, so the walk stops there, unless r is broken.
func (l *LocalGit) take(r *localRepo, n Node) {
	g := l.graph
	g.start()
	g.visit(n)
	for m, ok := g.next(); ok; m, ok = g.next() {
		if r.objects.add(m) || r.broken {
			g.visitEdges(m)
		}
	}
}

// Copy brings oids and their closures over from another repository, all or nothing.
func (l *LocalGit) Copy(from, to core.Handle, oids []core.OID) core.Class {
	src, dst := l.at(from), l.at(to)
	if l.fails(CopyOp) || src == nil || dst == nil {
		return core.LocalFault
	}
	l.scratch = l.scratch[:0]
	for _, oid := range oids {
		n := l.graph.Find(oid)
		if n == NoNode || !l.connected(src, n) {
			return core.NotOurRef
		}
		l.scratch = append(l.scratch, n)
	}
	for _, n := range l.scratch {
		l.take(dst, n)
	}
	return core.OK
}

// Create makes an empty repository with HEAD at DefaultHead; one that exists is left as it is.
func (l *LocalGit) Create(repo core.Handle) core.Class {
	if l.fails(CreateOp) || repo == 0 {
		return core.LocalFault
	}
	for int64(repo) >= int64(len(l.repos)) {
		l.repos = append(l.repos, nil)
	}
	r := l.repos[repo]
	if r == nil {
		r = &localRepo{}
		l.repos[repo] = r
	}
	if !r.exists {
		r.exists, r.head = true, l.names.Handle(DefaultHead)
	}
	return core.OK
}

// Delete removes a repository with its objects. With onlyWithoutRefs one that has refs is left, and
// hadRefs is true (E-04). A repository that is not there is deleted already.
func (l *LocalGit) Delete(repo core.Handle, onlyWithoutRefs bool) (hadRefs bool, c core.Class) {
	if l.fails(DeleteOp) {
		return false, core.LocalFault
	}
	r := l.at(repo)
	if r == nil {
		return false, core.OK
	}
	if len(r.refs) > 0 {
		if onlyWithoutRefs {
			return true, core.OK
		}
		l.counts.DeletedWithRefs++
	}
	r.exists, r.broken, r.head = false, false, 0
	r.objects.clear()
	r.refs = r.refs[:0]
	return false, core.OK
}

// Refs are the refs of repo, sorted by name; valid until the repository changes.
func (l *LocalGit) Refs(repo core.Handle) []core.Ref {
	if r := l.at(repo); r != nil {
		return r.refs
	}
	return nil
}

// Head is the name HEAD of repo points to, 0 if there is no repository.
func (l *LocalGit) Head(repo core.Handle) core.Handle {
	if r := l.at(repo); r != nil {
		return r.head
	}
	return 0
}

// Objects is how many objects repo holds.
func (l *LocalGit) Objects(repo core.Handle) int {
	if r := l.at(repo); r != nil {
		return r.objects.n
	}
	return 0
}

// Lose destroys one object behind git's back, as a crash in the middle of a transfer can: the objects
// above it stay but are no longer connected.
func (l *LocalGit) Lose(repo core.Handle, oid core.OID) {
	if r := l.at(repo); r != nil {
		r.objects.remove(l.graph.Find(oid))
		r.broken = true
	}
}

func (l *LocalGit) sortRefs(refs []core.Ref) {
	slices.SortFunc(refs, func(a, b core.Ref) int {
		return strings.Compare(l.names.Text(a.Name), l.names.Text(b.Name))
	})
}
