package core

import (
	"cmp"
	"slices"

	"graspsync/core/purgatory"
)

// pushTable holds the pushes under way (P-02 … P-05).
type pushTable struct {
	byID map[uint64]int32
	slab purgatory.Slab[pushRecord]
}

type pushRecord struct {
	used     bool
	pinned   bool
	ended    bool
	ok       bool
	checking int32 // CheckObjects out after its end
	id       uint64
	ann      int32
	serial   uint32
	until    Time // a pin lasts this long at most (P-04)
}

const pinFor = 30 * Minute

// onPushAsked answers whether a push may go on: applying it to the current heads and tags must give exactly
// the refs of the latest state authorised for the owner (P-02).
func (c *Core) onPushAsked(in *Input) {
	p := in.Push
	if p == nil {
		c.contract("push input without a push")
		return
	}
	if _, twice := c.pushes.byID[p.ID]; twice {
		c.contract("push id used twice")
		return
	}
	text, moves := c.judgePush(p)
	if text == "" {
		a := c.announcementOf(p.Repo.Identifier, p.Repo.Owner)
		i := c.pushes.slab.New()
		*c.pushes.slab.At(i) = pushRecord{used: true, id: p.ID, ann: a, serial: c.anns.At(a).Serial, until: c.now + pinFor}
		c.pushes.byID[p.ID] = i
		if moves {
			c.pushes.slab.At(i).pinned = true
			c.anns.At(a).Pins++
		}
	}
	c.emit(Effect{Kind: EfPushVerdict, Push: p.ID, OK: text == "", Text: text, Repo: p.Repo.Repo})
}

// onPushRecheck is the same question under the repository's lock (P-04).
func (c *Core) onPushRecheck(in *Input) {
	p := in.Push
	if p == nil {
		c.contract("push input without a push")
		return
	}
	text := "push: its permission has run out; push again"
	if i, ok := c.pushes.byID[p.ID]; ok && c.now <= c.pushes.slab.At(i).until {
		text, _ = c.judgePush(p)
	}
	c.emit(Effect{Kind: EfPushVerdict, Push: p.ID, OK: text == "", Text: text, Repo: p.Repo.Repo})
}

// judgePush is why a push is refused, or ""; moves tells whether it would change anything.
func (c *Core) judgePush(p *Push) (text string, moves bool) {
	a := c.announcementOf(p.Repo.Identifier, p.Repo.Owner)
	if a == purgatory.None || !c.hasRepo(a) || c.anns.At(a).Unlisted || c.anns.At(a).Doomed != 0 {
		return "push: no such repository here", false
	}
	if len(p.Updates) == 0 {
		return "push: no ref update could be read", false
	}
	after := slices.Clone(p.Current)
	heads := false
	for i := range p.Updates {
		u := &p.Updates[i]
		moves = moves || u.Old != u.New
		switch u.Space {
		case OtherRef:
			return "push: only refs/heads/, refs/tags/ and refs/nostr/<event-id> may be pushed", false
		case NostrRef:
			loc, ok := c.where[u.Event]
			if !ok || loc.kind != recPR || c.prs.At(loc.slot).Commit != u.New {
				return "push: refs/nostr/<event-id> must be the commit of a pull request held here", false
			}
		default:
			heads = true
			after = slices.DeleteFunc(after, func(r Ref) bool { return r.Name == u.Name })
			if !u.New.IsZero() {
				after = append(after, Ref{Name: u.Name, OID: u.New})
			}
		}
	}
	if !heads {
		return "", moves
	}
	s := c.latestAuthorised(a)
	if s == purgatory.None {
		return "push: publish a state event (kind 30618) that names these refs first", false
	}
	if !sameRefs(after, c.states.At(s).Refs) {
		return "push: the refs would not be those of the latest state event (kind 30618)", false
	}
	return "", moves
}

// latestAuthorised is the latest held or served state authorised for an owner (ST-07), or None.
func (c *Core) latestAuthorised(a int32) int32 {
	ann := c.anns.At(a)
	best := purgatory.None
	look := func(s int32) {
		x := c.states.At(s)
		if x.Unsatisfied || !ann.Authorises(x.Author) {
			return
		}
		if best == purgatory.None || purgatory.Newer(x.CreatedAt, x.ID, c.states.At(best).CreatedAt, c.states.At(best).ID) {
			best = s
		}
	}
	for _, s := range c.idents.At(ann.Ident).Served {
		look(s)
	}
	if ann.Group != purgatory.None {
		for _, s := range c.groups.At(ann.Group).states {
			look(s)
		}
	}
	return best
}

func sameRefs(a, b []Ref) bool {
	if len(a) != len(b) {
		return false
	}
	x, y := slices.Clone(a), slices.Clone(b)
	byName := func(p, q Ref) int { return cmp.Compare(p.Name, q.Name) }
	slices.SortFunc(x, byName)
	slices.SortFunc(y, byName)
	return slices.EqualFunc(x, y, func(p, q Ref) bool { return p.Name == q.Name && p.OID == q.OID })
}

// onPushEnded unpins, renews what the push proved alive (E-05), looks what the repository holds now, and
// answers the client when the release it may allow has been tried (P-05).
func (c *Core) onPushEnded(in *Input) {
	p := in.Push
	if p == nil {
		c.contract("push input without a push")
		return
	}
	i, ok := c.pushes.byID[p.ID]
	if !ok {
		c.ignored++
		return
	}
	r := c.pushes.slab.At(i)
	if r.ended {
		c.ignored++
		return
	}
	r.ended, r.ok = true, in.Class == OK
	ann := c.anns.At(r.ann)
	if ann.Serial != r.serial {
		c.answerPush(i)
		return
	}
	if r.pinned {
		r.pinned = false
		ann.Pins--
	}
	if c.endDoomed(r.ann) {
		c.answerPush(i)
		return
	}
	if p.Moved {
		c.extendAnnouncement(r.ann)
	}
	g := ann.Group
	c.forgive(g)
	o := c.groups.At(g)
	for k := range o.wants {
		o.wants[k].asked = o.wants[k].have != 0
	}
	o.askAll = true
	c.checkWants(g, false)
	c.tryRelease(g)
	c.touch(g)
}

// dropStalePins ends the pins that have lasted their time; a recheck of their pushes is refused from then on,
// their end is still answered (P-04, P-05).
func (c *Core) dropStalePins(a int32) {
	for i := range c.pushes.slab.Items {
		if r := &c.pushes.slab.Items[i]; r.used && r.ann == a && r.serial == c.anns.At(a).Serial && r.pinned && r.until <= c.now {
			c.anns.At(a).Pins--
			r.pinned = false
		}
	}
}

// settlePushes answers the ended pushes whose repository has no check or release out any more, or is gone
// (P-05).
func (c *Core) settlePushes() {
	if len(c.pushes.byID) == 0 {
		return
	}
	for i := range c.pushes.slab.Items {
		r := &c.pushes.slab.Items[i]
		if !r.used || !r.ended {
			continue
		}
		if ann := c.anns.At(r.ann); ann.Serial != r.serial || !ann.Locked && !c.checkOut(ann.Group) {
			c.answerPush(int32(i))
		}
	}
}

// checkOut tells whether a local check of the group is outstanding.
func (c *Core) checkOut(g int32) bool {
	return g != purgatory.None && c.groups.At(g).checksOut > 0
}

func (c *Core) answerPush(i int32) {
	r := c.pushes.slab.At(i)
	c.emit(Effect{Kind: EfAnswerPush, Push: r.id, OK: r.ok, Repo: c.anns.At(r.ann).Repo})
	delete(c.pushes.byID, r.id)
	r.used = false
	c.pushes.slab.Free(i)
}
