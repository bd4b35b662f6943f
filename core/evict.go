package core

import (
	"slices"

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
}

func newAuthorTable() authorTable { return authorTable{byKey: make(map[PubKey]int32)} }

func (t *authorTable) at(i int32) *authorUse { return t.slab.At(i) }

func (t *authorTable) open(key PubKey) int32 {
	if i, ok := t.byKey[key]; ok {
		return i
	}
	i := t.slab.New()
	*t.slab.At(i) = authorUse{key: key}
	t.byKey[key] = i
	return i
}

func (t *authorTable) close(i int32) {
	if u := t.slab.At(i); u.hunts == 0 && u.held == 0 {
		delete(t.byKey, u.key)
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

// roomForEvent makes room for one more held event of a source and author, or says that there is none: at a bound a
// synced event gives way, of the author's own at the author's bound, of the greediest author's at the
// total one; a client's never does.
func (c *Core) roomForEvent(from Handle, author PubKey, synced bool, size int32) bool {
	if i, ok := c.authors.byKey[author]; ok && int(c.authors.at(i).held) >= c.cfg.HeldPerAuthor {
		return c.evictEvent(&author)
	}
	for c.holdings >= c.cfg.HeldEvents || c.heldBytes+int64(size) > c.cfg.HeldBytes {
		if !c.evictEvent(nil) {
			return false
		}
	}
	return true
}

// evictEvent ends the residence of one synced state or PR, of one author if given: of the author with most
// held events first, the oldest. The tables are searched only at a bound.
func (c *Core) evictEvent(of *PubKey) bool {
	best := location{slot: purgatory.None}
	var bestHeld int32
	var bestSerial uint32
	consider := func(kind recordKind, slot int32, status purgatory.Status, synced bool, author int32, serial uint32) {
		if status != purgatory.Held || !synced {
			return
		}
		u := c.authors.at(author)
		if of != nil && u.key != *of {
			return
		}
		if best.slot == purgatory.None || u.held > bestHeld || u.held == bestHeld && serial < bestSerial {
			best, bestHeld, bestSerial = location{kind, slot}, u.held, serial
		}
	}
	for i := range c.states.Items {
		s := &c.states.Items[i]
		consider(recState, int32(i), s.Status, s.Synced, s.AuthorSlot, s.Serial)
	}
	for i := range c.prs.Items {
		p := &c.prs.Items[i]
		consider(recPR, int32(i), p.Status, p.Synced, p.AuthorSlot, p.Serial)
	}
	switch {
	case best.slot == purgatory.None:
		return false
	case best.kind == recState:
		c.endState(best.slot, RepEndedEvicted)
	default:
		c.endPR(best.slot, RepEndedEvicted)
	}
	return true
}

// roomForHunt makes room for one more hunt, or says that there is none: a hunt no client asked for gives
// way, of the author with most hunts first, the least recently active, the lowest id; its held events end
// as evicted. The table is searched only at a bound.
func (c *Core) roomForHunt(author PubKey, g int32) bool {
	full := c.hunts >= c.cfg.Hunts
	var own int32
	if i, ok := c.authors.byKey[author]; ok {
		own = c.authors.at(i).hunts
	}
	ownFull := int(own) >= c.cfg.HuntsPerAuthor
	if !full && !ownFull {
		return true
	}
	victim := purgatory.None
	for i := range c.groups.Items {
		o := &c.groups.Items[i]
		if !o.used || o.id == 0 || !o.synced || int32(i) == g || slices.Contains(c.admitting, int32(i)) || ownFull && c.authors.at(o.author).key != author {
			continue
		}
		if victim == purgatory.None || c.evictBefore(o, c.groups.At(victim)) {
			victim = int32(i)
		}
	}
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
	c.fed = c.fed && ok
	return ok
}

// huntRoom tells whether the group has a hunt or could get one.
func (c *Core) huntRoom(g int32) bool {
	return g == purgatory.None || c.groups.At(g).id != 0 || c.roomForHunt(c.huntAuthor(g), g)
}

func (c *Core) evictBefore(a, b *group) bool {
	x, y := c.authors.at(a.author).hunts, c.authors.at(b.author).hunts
	if x != y {
		return x > y
	}
	if a.activity != b.activity {
		return a.activity < b.activity
	}
	return a.id < b.id
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
	c.recount(g)
}
