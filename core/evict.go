package core

import (
	"slices"

	"graspsync/core/pq"
	"graspsync/core/purgatory"
)

// authorTable counts what each author has in purgatory.
type authorTable struct {
	byKey map[PubKey]int32
	slab  purgatory.Slab[authorUse]
}

type authorUse struct {
	key   PubKey
	hunts int32
	held  int32

	first, last int32 // its residents, by age
}

func newAuthorTable() authorTable { return authorTable{byKey: make(map[PubKey]int32)} }

func (t *authorTable) at(i int32) *authorUse { return t.slab.At(i) }

func (t *authorTable) open(key PubKey) int32 {
	if i, ok := t.byKey[key]; ok {
		return i
	}
	i := t.slab.New()
	*t.slab.At(i) = authorUse{key: key, first: purgatory.None, last: purgatory.None}
	t.byKey[key] = i
	return i
}

func (t *authorTable) close(i int32) {
	if u := t.slab.At(i); u.hunts == 0 && u.held == 0 {
		delete(t.byKey, u.key)
		*u = authorUse{}
		t.slab.Free(i)
	}
}

func (t *authorTable) hold(slot *int32, key PubKey) {
	i := t.open(key)
	t.at(i).held++
	*slot = i
}

func (t *authorTable) release(i int32) {
	t.at(i).held--
	t.close(i)
}

// roomForEvent makes room for one more held event, or says that there is none: at a bound a synced event gives way,
// of the author's own at the author's bound, of the relay with most at the total one; a client's never does (Q-14, S-06).
// What it rests on is spared: announcements of what it names.
func (c *Core) roomForEvent(in *Input) bool {
	e := in.Event
	spared := func(a int32) bool { return c.restsOn(e, a) }
	for {
		if i, ok := c.authors.byKey[e.Author]; ok && int(c.authors.at(i).held) >= c.cfg.HeldPerAuthor {
			if !c.evictOf(i, spared) {
				return false
			}
		} else if c.holdings < c.cfg.HeldEvents && c.heldBytes+int64(e.Size) <= c.cfg.HeldBytes {
			return true
		} else if !c.evictAny(spared) {
			return false
		}
	}
}

// restsOn tells whether an event would not be taken without an announcement.
func (c *Core) restsOn(e *Event, a int32) bool {
	ann := c.anns.At(a)
	if e.Kind == KindState {
		return c.idents.At(ann.Ident).Handle == e.Repo.Identifier && ann.Authorises(e.Author)
	}
	return slices.ContainsFunc(e.Repositories, func(r Coordinate) bool { return r.Repo == ann.Repo })
}

// huntOrder orders the hunts that no client asked for by who gives way: under each author what concerns no served
// repository first, then the least recently active, the lowest id; authors by the same and by how many hunts they
// have (Q-14, S-06).
type huntOrder struct {
	pos    []int32 // of groups
	of     []int32 // author slot under whom a group stands
	under  []pq.Ranks
	top    pq.Ranks
	topPos []int32
}

// rankHunt puts a group's hunt where it belongs now.
func (c *Core) rankHunt(g int32) {
	h, o := &c.huntOrder, c.groups.At(g)
	for int(g) >= len(h.pos) {
		h.pos, h.of = append(h.pos, pq.Absent), append(h.of, purgatory.None)
	}
	in := o.used && o.id != 0 && o.synced
	if h.pos[g] != pq.Absent && (!in || h.of[g] != o.author) {
		h.under[h.of[g]].Remove(h.pos, g)
		c.weighAuthor(h.of[g])
	}
	if !in {
		return
	}
	h.of[g] = o.author
	for int(o.author) >= len(h.under) {
		h.under, h.topPos = append(h.under, pq.Ranks{}), append(h.topPos, pq.Absent)
	}
	h.under[o.author].Set(h.pos, pq.Rank{int64(b2i(o.proven)), int64(o.activity), int64(o.id)}, g)
	c.weighAuthor(o.author)
}

// weighAuthor puts an author where the first of its hunts and their number place it.
func (c *Core) weighAuthor(i int32) {
	h := &c.huntOrder
	if int(i) >= len(h.under) {
		return // no hunt of its own was ever to be evicted
	}
	r, _, ok := h.under[i].Top()
	if !ok {
		h.top.Remove(h.topPos, i)
		return
	}
	const most = 1 << 40 // above every number of hunts
	h.top.Set(h.topPos, pq.Rank{(r[0]+1)*most - int64(c.authors.at(i).hunts), r[1], r[2]}, i)
}

// nextHunt is the hunt that gives way first, of one author or of all: never of group g, nor of a group of the event
// that is being admitted.
func (c *Core) nextHunt(of, g int32) int32 {
	h, skipped := &c.huntOrder, c.scratch.skipped[:0]
	victim := purgatory.None
	for victim == purgatory.None {
		author := of
		if of == purgatory.None {
			var ok bool
			if _, author, ok = h.top.Top(); !ok {
				break
			}
		}
		if int(author) >= len(h.under) {
			break
		}
		_, i, ok := h.under[author].Top()
		if !ok {
			break
		}
		if i != g && !slices.Contains(c.admitting, i) {
			victim = i
			break
		}
		h.under[author].Remove(h.pos, i)
		c.weighAuthor(author)
		skipped = append(skipped, i)
	}
	for _, i := range skipped {
		c.rankHunt(i)
	}
	c.scratch.skipped = skipped
	return victim
}

// roomForHunt makes room for one more hunt, or says that there is none: a hunt no client asked for gives
// way; its held events end as evicted.
func (c *Core) roomForHunt(author PubKey, g int32) bool {
	of, known := c.authors.byKey[author]
	ownFull := known && int(c.authors.at(of).hunts) >= c.cfg.HuntsPerAuthor
	if c.hunts < c.cfg.Hunts && !ownFull {
		return true
	}
	if !ownFull {
		of = purgatory.None
	}
	victim := c.nextHunt(of, g)
	if victim == purgatory.None {
		return false
	}
	c.evictHunt(victim)
	return true
}

// huntFits tells whether the bounds leave room for a hunt of the group without an eviction: only a newcomer may
// evict.
func (c *Core) huntFits(i int32) bool {
	a, ok := c.authors.byKey[c.huntAuthor(i)]
	return c.hunts < c.cfg.Hunts && (!ok || int(c.authors.at(a).hunts) < c.cfg.HuntsPerAuthor)
}

// hasHunt tells whether the group has a hunt or may have one without an eviction; if not it is looked at
// again when another ends.
func (c *Core) hasHunt(g int32) bool {
	ok := c.groups.At(g).id != 0 || c.huntFits(g)
	if !ok {
		c.starve(g)
	}
	return ok
}

// starve notes a group that found no room for its hunt.
func (c *Core) starve(g int32) {
	c.fed = false
	if o := c.groups.At(g); !o.hungry {
		o.hungry = true
		c.hungry = append(c.hungry, g)
	}
}

// feed looks again at the groups that found no room for a hunt, now that one has ended (Q-14, I-1).
func (c *Core) feed() {
	if c.fed {
		return
	}
	c.fed = true
	slices.Sort(c.hungry)
	for _, g := range c.hungry {
		o := c.groups.At(g)
		if o.hungry = false; o.used && o.id == 0 && o.active > 0 {
			c.touch(g)
		}
	}
	c.hungry = c.hungry[:0]
}

// huntRoom tells whether the group has a hunt or could get one.
func (c *Core) huntRoom(g int32) bool {
	return g == purgatory.None || c.groups.At(g).id != 0 || c.roomForHunt(c.huntAuthor(g), g)
}

// evictHunt ends the residences the hunt was for and the hunt itself; its passes are told to end.
func (c *Core) evictHunt(g int32) {
	o := c.groups.At(g)
	if o.phase != idle {
		c.dropTickets(g)
		o.phase = idle
		c.attempts--
		c.report(RepAttemptEnded, Effect{Hunt: o.id, Attempt: o.attempt, Deadline: Never})
	}
	c.report(RepHuntDropped, Effect{Hunt: o.id})
	c.endHunt(g)
	for w := range o.waves {
		for _, p := range o.waves[w].running {
			c.cancel(p)
		}
	}
	for i := len(o.states) - 1; i >= 0; i = min(i, len(o.states)) - 1 {
		if c.states.At(o.states[i]).Status == purgatory.Held {
			c.endState(o.states[i], RepEndedEvicted)
		}
	}
	for i := len(o.prs) - 1; i >= 0; i = min(i, len(o.prs)) - 1 {
		if c.prs.At(o.prs[i]).Status == purgatory.Held {
			c.endPR(o.prs[i], RepEndedEvicted)
		}
	}
	for _, a := range o.anns {
		// An announcement that only looked for heads goes on waiting for a push, unhunted.
		c.anns.At(a).HeadsSeen = true
	}
	if c.recount(g); o.active > 0 {
		c.starve(g) // what is being released stays, and is to be hunted again should that fail (I-1)
	}
}
