package core

import (
	"slices"

	"graspsync/core/pq"
	"graspsync/core/purgatory"
)

// residents orders the held events that came from other relays, which alone may be evicted: under each author
// by age, and under each relay by whether a repository they concern is served already, then by age (S-06). So an
// eviction costs the same however much is held. It holds nothing that the records do not say.
type residents struct {
	slab purgatory.Slab[resident]
	pos  []int32 // of a resident among those of its relay

	relays   purgatory.Slab[upstream]
	byHandle map[Handle]int32
	top      pq.Ranks // relays by who gives way first
	topPos   []int32
	skipped  []int32
}

// resident is a held synced event; its record says 1 + its slot.
type resident struct {
	loc        location
	serial     uint32
	author     int32 // slot in authors
	relay      int32 // slot in relays
	next, prev int32 // the author's, by age
}

// upstream is a relay that events were synced from; 0 is one that is not known. One of which nothing is held costs
// no memory.
type upstream struct {
	from Handle
	held int32
	due  pq.Heap // residents by provenness and age
}

func newResidents() residents { return residents{byHandle: make(map[Handle]int32)} }

// tenancy is what a held event's record says of its residence.
type tenancy struct {
	synced *bool
	from   *Handle
	slot   *int32 // 1 + slot in residents
	author int32
	serial uint32
}

func (c *Core) tenancy(loc location) tenancy {
	switch loc.kind {
	case recState:
		s := c.states.At(loc.slot)
		return tenancy{&s.Synced, &s.From, &s.Resident, s.AuthorSlot, s.Serial}
	case recPR:
		p := c.prs.At(loc.slot)
		return tenancy{&p.Synced, &p.From, &p.Resident, p.AuthorSlot, p.Serial}
	}
	a := c.anns.At(loc.slot)
	return tenancy{&a.Synced, &a.From, &a.Resident, a.AuthorSlot, a.Serial}
}

// moveIn files a held event that was just counted for its author, if it came from another relay.
func (c *Core) moveIn(loc location, in *Input) {
	t := c.tenancy(loc)
	if *t.synced, *t.from = in.Origin == FromSync, in.From; *t.synced {
		c.file(loc, t)
		if loc.kind == recAnnouncement { // states and PRs are ranked when they are put into their groups
			c.rank(loc)
		}
	}
}

func (c *Core) file(loc location, t tenancy) {
	x := &c.residents
	i := x.slab.New()
	for int(i) >= len(x.pos) {
		x.pos = append(x.pos, pq.Absent)
	}
	r := x.slab.At(i)
	*r = resident{loc: loc, serial: t.serial, author: t.author, relay: x.open(*t.from)}
	*t.slot = 1 + i
	u := c.authors.at(t.author)
	r.prev, r.next = u.last, purgatory.None
	for r.prev != purgatory.None && x.slab.At(r.prev).serial > r.serial { // few: records are made in order
		r.prev, r.next = x.slab.At(r.prev).prev, r.prev
	}
	c.link(u, r.prev, i, r.next)
	x.relays.At(r.relay).held++
}

// link makes i follow prev and precede next among the author's; i may be None.
func (c *Core) link(u *authorUse, prev, i, next int32) {
	x := &c.residents
	after, before := i, i
	if i == purgatory.None {
		after, before = next, prev
	}
	if prev == purgatory.None {
		u.first = after
	} else {
		x.slab.At(prev).next = after
	}
	if next == purgatory.None {
		u.last = before
	} else {
		x.slab.At(next).prev = before
	}
}

// moveOut takes an event out that ends its residence, or that a client has sent too.
func (c *Core) moveOut(loc location) {
	t := c.tenancy(loc)
	*t.synced, *t.from = false, 0
	if *t.slot == 0 {
		return
	}
	x := &c.residents
	i := *t.slot - 1
	*t.slot = 0
	r := *x.slab.At(i)
	c.link(c.authors.at(r.author), r.prev, purgatory.None, r.next)
	u := x.relays.At(r.relay)
	u.due.Remove(x.pos, i)
	u.held--
	x.weigh(r.relay)
	x.slab.Free(i)
	if u.held == 0 {
		delete(x.byHandle, u.from)
		x.relays.Free(r.relay)
	}
}

func (x *residents) open(from Handle) int32 {
	if i, ok := x.byHandle[from]; ok {
		return i
	}
	i := x.relays.New()
	for int(i) >= len(x.topPos) {
		x.topPos = append(x.topPos, pq.Absent)
	}
	u := x.relays.At(i)
	u.from, u.held = from, 0
	x.byHandle[from] = i
	return i
}

// provenLast is the part of a rank that puts what concerns a served repository behind all else (S-06).
const provenLast = 1 << 40

// weigh puts a relay where its first event and the number of its events place it.
func (x *residents) weigh(relay int32) {
	u := x.relays.At(relay)
	key, _, ok := u.due.Top()
	if !ok {
		x.top.Remove(x.topPos, relay)
		return
	}
	x.top.Set(x.topPos, pq.Rank{key &^ (provenLast - 1), -int64(u.held), key}, relay)
}

// rank places an event anew after the groups it concerns have changed.
func (c *Core) rank(loc location) {
	t := c.tenancy(loc)
	if *t.slot == 0 {
		return
	}
	x := &c.residents
	i := *t.slot - 1
	r := x.slab.At(i)
	key := int64(r.serial)
	if c.concernsServed(loc) {
		key += provenLast
	}
	x.relays.At(r.relay).due.Set(x.pos, key, i)
	x.weigh(r.relay)
}

// concernsServed tells whether a group that a held event concerns has a served announcement.
func (c *Core) concernsServed(loc location) bool {
	proven := func(g int32) bool { return g != purgatory.None && c.groups.At(g).proven }
	switch loc.kind {
	case recState:
		return slices.ContainsFunc(c.states.At(loc.slot).Groups, proven)
	case recPR:
		return slices.ContainsFunc(c.prs.At(loc.slot).Groups, proven)
	}
	return proven(c.anns.At(loc.slot).Group)
}

// rerank follows a group that has got its first served announcement, or lost its last.
func (c *Core) rerank(g int32) {
	o := c.groups.At(g)
	if proven := !c.unproven(o); proven != o.proven {
		o.proven = proven
		for _, s := range o.states {
			c.rank(location{recState, s})
		}
		for _, p := range o.prs {
			c.rank(location{recPR, p})
		}
		for _, a := range o.anns {
			c.rank(location{recAnnouncement, a})
		}
	}
	c.rankHunt(g)
}

// evictOf ends the residence of an author's oldest synced event that can go, unless spared.
func (c *Core) evictOf(author int32, spared func(a int32) bool) bool {
	x := &c.residents
	for i := c.authors.at(author).first; i != purgatory.None; i = x.slab.At(i).next {
		if loc := x.slab.At(i).loc; c.mayGo(loc, spared) {
			c.evict(loc)
			return true
		}
	}
	return false
}

// evictAny ends the residence of one synced event: first of what concerns no served repository, of the relay with most
// held events, the oldest (S-06, Q-14). What cannot go now is passed over: what is on its way out already.
func (c *Core) evictAny(spared func(a int32) bool) bool {
	x := &c.residents
	victim := purgatory.None
	x.skipped = x.skipped[:0]
	for victim == purgatory.None {
		_, relay, ok := x.top.Top()
		if !ok {
			break
		}
		u := x.relays.At(relay)
		_, i, _ := u.due.Top()
		if c.mayGo(x.slab.At(i).loc, spared) {
			victim = i
			break
		}
		u.due.Remove(x.pos, i)
		x.weigh(relay)
		x.skipped = append(x.skipped, i)
	}
	for _, i := range x.skipped {
		c.rank(x.slab.At(i).loc)
	}
	if victim == purgatory.None {
		return false
	}
	c.evict(x.slab.At(victim).loc)
	return true
}

// mayGo tells whether ending a residence frees its place at once.
func (c *Core) mayGo(loc location, spared func(a int32) bool) bool {
	switch loc.kind {
	case recState:
		return c.states.At(loc.slot).Status == purgatory.Held
	case recPR:
		return c.prs.At(loc.slot).Status == purgatory.Held
	}
	ann := c.anns.At(loc.slot)
	return !ann.Locked && ann.Pins == 0 && ann.Status != purgatory.Releasing && ann.Doomed == 0 && !spared(loc.slot)
}

func (c *Core) evict(loc location) {
	switch loc.kind {
	case recState:
		c.endState(loc.slot, RepEndedEvicted)
	case recPR:
		c.endPR(loc.slot, RepEndedEvicted)
	default:
		c.endAnnouncement(loc.slot, RepEndedEvicted)
	}
}
