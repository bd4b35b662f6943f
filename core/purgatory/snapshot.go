package purgatory

import (
	"strconv"

	"graspsync/core/wire"
)

// Least bytes of the encoded records, for the bounds of their lists.
const (
	AnnouncementSize = 4 + 1 + 1 + 4 + 4 + 8 + 4 + 4 + 4 + 1 + 9 + 4 + 1 + 4 + 32 + 32 + 4 + 4 + 8 + 8 + 4 + 3*4 + 4 + 4 + 4 + 4 + 4
	StateSize        = 1 + 6 + 4 + 32 + 32 + 4 + 8 + 8 + 4 + 2*4 + 4 + 4 + 4 + 4 + 4 + 4 + 4
	PRSize           = 4 + 1 + 6 + 4 + 32 + 32 + 8 + 8 + wire.OIDSize + 4 + 3*4 + 4 + 4 + 4 + 4
	IdentSize        = 4 + 3*4 + 4 + 4
	expiredSize      = 32 + 8 + 32 + 4 + 4 + 4 + 1 + 3*40
	most             = 1 << 24 // of the bound on expired ids
)

// Code writes or reads the table: each slot, used or not, and the free ones in the order in which they are
// used again, since slots show in ids and decide ties. size is the least number of bytes a record
// takes.
func (s *Slab[T]) Code(w *wire.Coder, size int, each func(*wire.Coder, *T)) {
	wire.List(w, &s.Items, size, each)
	if wire.List(w, &s.free, 4, wire.Slot); !w.Reading() || w.Err() != nil {
		return
	}
	seen := make([]bool, len(s.Items))
	for _, i := range s.free {
		if i < 0 || int(i) >= len(s.Items) || seen[i] {
			w.Fail("the list of free slots names " + strconv.Itoa(int(i)) + ", which is none or named twice")
			return
		}
		seen[i] = true
	}
	s.n = len(s.Items) - len(s.free)
}

// InUse tells for each slot whether it is in use.
func (s *Slab[T]) InUse() []bool {
	used := make([]bool, len(s.Items))
	for i := range used {
		used[i] = true
	}
	for _, i := range s.free {
		used[i] = false
	}
	return used
}

// Code writes or reads an announcement.
func (a *Announcement) Code(w *wire.Coder) {
	wire.Enum(w, &a.Status, SoftExpired+1, "status of an announcement")
	for _, flag := range [...]*bool{&a.RepoExists, &a.RepoAsked, &a.Locked, &a.HeadsSeen, &a.Overdue, &a.Unlisted, &a.ShowLater, &a.Orphan, &a.Grace, &a.Synced, &a.Strayed, &a.Crooked} {
		w.Bool(flag)
	}
	wire.Slot(w, &a.Pins)
	wire.U8(w, &a.Doomed)
	wire.U32(w, &a.Gen)
	wire.EventID(w, &a.ID)
	wire.PubKey(w, &a.Owner)
	wire.Slot(w, &a.Ident)
	wire.Handle(w, &a.Repo)
	wire.I64(w, &a.CreatedAt)
	wire.Time(w, &a.Deadline)
	wire.Slot(w, &a.Holder)
	wire.List(w, &a.URLs, 4, wire.Slot)
	wire.List(w, &a.Listed, wire.IDSize, wire.PubKey)
	wire.List(w, &a.Closure, wire.IDSize, wire.PubKey)
	wire.Slot(w, &a.Applied)
	wire.Slot(w, &a.Showing)
	wire.Slot(w, &a.Group)
	wire.U32(w, &a.Serial)
	wire.Slot(w, &a.AuthorSlot)
	wire.Handle(w, &a.From)
	wire.Slot(w, &a.Shadow)
	wire.I32(w, &a.Size)
	w.Bool(&a.Fresh)
	wire.List(w, &a.Places, 4, wire.Slot)
	wire.I64(w, &a.PlaceBytes)
	wire.Slot(w, &a.Reserved)
	wire.List(w, &a.Pushes, 4, wire.Slot)
}

// Code writes or reads a state.
func (s *State) Code(w *wire.Coder) {
	wire.Enum(w, &s.Status, Served+1, "status of a state")
	for _, flag := range [...]*bool{&s.Synced, &s.Unsatisfied, &s.Chance, &s.Failed, &s.Overdue, &s.Grace} {
		w.Bool(flag)
	}
	wire.U32(w, &s.Gen)
	wire.EventID(w, &s.ID)
	wire.PubKey(w, &s.Author)
	wire.Slot(w, &s.Ident)
	wire.I64(w, &s.CreatedAt)
	wire.Time(w, &s.Deadline)
	wire.Handle(w, &s.Head)
	wire.List(w, &s.Refs, wire.RefSize, wire.Ref)
	wire.List(w, &s.Groups, 4, wire.Slot)
	wire.Slot(w, &s.Applied)
	wire.I32(w, &s.Size)
	wire.Handle(w, &s.Home)
	wire.Slot(w, &s.Release)
	wire.U32(w, &s.Serial)
	wire.Handle(w, &s.From)
	wire.Slot(w, &s.AuthorSlot)
}

// Code writes or reads a PR.
func (p *PR) Code(w *wire.Coder) {
	wire.Enum(w, &p.Status, Served+1, "status of a PR")
	for _, flag := range [...]*bool{&p.Synced, &p.Chance, &p.Failed, &p.Overdue, &p.Grace, &p.Shown} {
		w.Bool(flag)
	}
	wire.U32(w, &p.Gen)
	wire.EventID(w, &p.ID)
	wire.PubKey(w, &p.Author)
	wire.I64(w, &p.CreatedAt)
	wire.Time(w, &p.Deadline)
	wire.OID(w, &p.Commit)
	wire.I32(w, &p.Size)
	wire.List(w, &p.Mentions, wire.IDSize, wire.EventID)
	wire.Slot(w, &p.Release)
	wire.List(w, &p.Repos, 40, wire.Coordinate)
	wire.List(w, &p.URLs, 4, wire.Slot)
	wire.List(w, &p.Groups, 4, wire.Slot)
	wire.U32(w, &p.Serial)
	wire.Handle(w, &p.From)
	wire.Handle(w, &p.Home)
	wire.Slot(w, &p.AuthorSlot)
}

// Code writes or reads what is under one `d`.
func (i *Ident) Code(w *wire.Coder) {
	wire.Handle(w, &i.Handle)
	wire.List(w, &i.Anns, 4, wire.Slot)
	wire.List(w, &i.Groups, 4, wire.Slot)
	wire.List(w, &i.Served, 4, wire.Slot)
	wire.Slot(w, &i.States)
	wire.Slot(w, &i.Orphans)
}

// Code writes or reads the memory of expired ids, oldest first, with its bounds, which a change of the
// configuration leaves as they were (E-03, R-03). Each id carries the present evidence for its coordinate
// beside that of its own time; coordinates and index are made anew.
func (x *Expired) Code(w *wire.Coder) {
	w.Section("expired ids")
	w.Count(&x.max, most)
	wire.Time(w, &x.ttl)
	n := w.Len(x.n, expiredSize)
	if w.Reading() {
		x.ring, x.head, x.n = make([]expiredID, n), 0, n
	}
	for i := range n {
		e := &x.ring[(x.head+i)%len(x.ring)]
		var lifted uint32
		var newest [numEvidenceKinds]Version
		if !w.Reading() {
			lifted, newest = e.coord.gen, e.coord.newest
		}
		wire.EventID(w, &e.id)
		wire.Time(w, &e.at)
		wire.PubKey(w, &e.key.owner)
		wire.Handle(w, &e.key.ident)
		wire.U32(w, &e.gen)
		wire.U8(w, &e.why)
		for k := range newest {
			wire.I64(w, &newest[k].CreatedAt)
			wire.EventID(w, &newest[k].ID)
		}
		if wire.U32(w, &lifted); w.Reading() && !x.file(w, int32(i), lifted, newest) {
			return
		}
	}
	if w.Reading() && x.n > x.max {
		w.Fail(strconv.Itoa(x.n) + " ids are remembered, the bound is " + strconv.Itoa(x.max))
	}
}

// file puts an id that was read into index and coordinate.
func (x *Expired) file(w *wire.Coder, i int32, lifted uint32, newest [numEvidenceKinds]Version) bool {
	e := &x.ring[i]
	if w.Err() != nil {
		return false
	}
	g := x.groups[e.key]
	if g == nil {
		g = &coordMemory{gen: lifted, newest: newest}
		x.groups[e.key] = g
	}
	if _, twice := x.ids[e.id]; twice || g.gen != lifted || g.newest != newest || e.gen > lifted {
		w.Fail("id " + e.id.String() + " is remembered twice, or the evidence for its coordinate is contradictory")
		return false
	}
	g.refs++
	e.coord = g
	x.ids[e.id] = i
	return true
}
