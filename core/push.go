package core

import (
	"graspsync/core/pq"
	"graspsync/core/purgatory"
)

// pushTable holds the pushes under way (P-02 … P-05).
type pushTable struct {
	byID map[uint64]int32
	slab purgatory.Slab[pushRecord]
	look []int32 // ended ones whose answer may be due as this Step ends
}

type pushRecord struct {
	used    bool
	pinned  bool
	lapsed  bool // its time is over (P-05)
	refused bool // at the recheck: git never ran
	ended   bool
	ok      bool
	heads   bool // it names heads or tags
	astray  bool // it left heads and tags that nobody wants: aligned before it is answered (P-04)
	id      uint64
	ann     int32
	serial  uint32
	gen     uint32      // arming of its pin's end
	until   Time        // a pin lasts this long at most (P-04)
	from    Handle      // its source (S-06)
	fresh   int32       // placeholders it would leave, reserved (P-03)
	bytes   int64       // as the recheck told
	nostr   []placePush // refs below refs/nostr/ that it names
}

const pinFor = 30 * Minute

// Texts of refused pushes; the git client shows them to a person (P-02).
const (
	pushNoRepo    = "push: no such repository here"
	pushNothing   = "push: no ref update could be read; push at least one branch or tag"
	pushOther     = "push: only refs/heads/, refs/tags/ and refs/nostr/<event-id> may be pushed"
	pushNoState   = "push: publish a state event (kind 30618) that names these refs first"
	pushMissing   = "push: a ref of the latest state event (kind 30618) would be missing"
	pushWrong     = "push: a ref would differ from the latest state event (kind 30618)"
	pushExtra     = "push: a ref would be there that the latest state event (kind 30618) does not name"
	pushOver      = "push: its permission has run out; push again"
	pushUnknown   = "push: this push was not asked for, or the relay has restarted since; push again"
	pushNoInput   = "push input without a push"
	pushTwice     = "push: one ref is named twice"
	pushIDTwice   = "push id used twice"
	pushStrayLast = "push: the relay is shutting down; push again later"
)

// onPushAsked answers whether a push may go on: applying it to the current heads and tags must give exactly
// the refs of the latest state authorised for the owner (P-02).
func (c *Core) onPushAsked(in *Input) {
	p := in.Push
	if p == nil {
		c.contract(pushNoInput)
		return
	}
	if _, twice := c.pushes.byID[p.ID]; twice {
		c.contract(pushIDTwice)
		return
	}
	if !c.write(p.From) {
		c.verdict(p, &pushJudgement{text: pushWrites})
		return
	}
	v := c.judgePush(p, nil)
	if v.text == "" {
		a := c.announcementOf(p.Repo.Identifier, p.Repo.Owner)
		i := c.pushes.slab.New()
		r := c.pushes.slab.At(i)
		*r = pushRecord{used: true, id: p.ID, ann: a, serial: c.anns.At(a).Serial, until: c.now + pinFor, gen: r.gen + 1, from: p.From, nostr: r.nostr[:0]}
		c.pushes.byID[p.ID] = i
		c.anns.At(a).Pushes = append(c.anns.At(a).Pushes, i)
		c.timers[tPush].arm(pq.Entry{At: int64(r.until), ID: uint32(i), Gen: r.gen})
		c.allow(r, p, &v)
	}
	c.verdict(p, &v)
}

// onPushRecheck is the same question under the repository's lock, when the size of the push is known (P-03, P-04).
func (c *Core) onPushRecheck(in *Input) {
	p := in.Push
	if p == nil {
		c.contract(pushNoInput)
		return
	}
	i, ok := c.pushes.byID[p.ID]
	if !ok || c.pushes.slab.At(i).ended {
		c.verdict(p, &pushJudgement{text: pushUnknown})
		return
	}
	r := c.pushes.slab.At(i)
	if c.anns.At(r.ann).Serial != r.serial {
		r.refused = true
		c.verdict(p, &pushJudgement{text: pushNoRepo})
		return
	}
	if r.lapsed {
		r.refused = true
		c.verdict(p, &pushJudgement{text: pushOver})
		return
	}
	v := c.judgePush(p, r)
	if r.refused = v.text != ""; !r.refused {
		c.allow(r, p, &v)
	}
	c.verdict(p, &v)
}

// allow notes what an allowed push is about to do, as it looks now, and pins its repository unless it does nothing
// (P-04).
func (c *Core) allow(r *pushRecord, p *Push, v *pushJudgement) {
	c.unreservePlaces(r)
	r.heads, r.bytes, r.fresh, r.nostr = v.heads, max(p.Bytes, 0), int32(len(v.fresh)), append(r.nostr[:0], v.nostr...)
	c.reservePlaces(r)
	if v.moves && !r.pinned {
		r.pinned = true
		c.anns.At(r.ann).Pins++
	}
}

// verdict tells the driver; of a refused push it names the ref at fault, as it should be and as it would be.
func (c *Core) verdict(p *Push, v *pushJudgement) {
	e := Effect{Kind: EfPushVerdict, Push: p.ID, OK: v.text == "", Text: v.text, Repo: p.Repo.Repo}
	if v.want.Name != 0 {
		e.Refs = []Ref{v.want}
	}
	if v.got.Name != 0 {
		e.Old = []Ref{v.got}
	}
	c.emit(e)
}

// pushJudgement is what judgePush finds.
type pushJudgement struct {
	text      string // why it is refused, or ""
	want, got Ref    // the ref at fault, if one is
	moves     bool   // it would change something
	heads     bool
	nostr     []placePush // refs below refs/nostr/ that it names
	fresh     []EventID   // of them those that would be placeholders
}

// judgePush decides about a push as a whole; r is its record at the recheck.
func (c *Core) judgePush(p *Push, r *pushRecord) (v pushJudgement) {
	a := c.announcementOf(p.Repo.Identifier, p.Repo.Owner)
	switch {
	case a == purgatory.None || !c.hasRepo(a) || c.anns.At(a).Doomed != 0:
		v.text = pushNoRepo
	case c.stopping:
		v.text = pushStrayLast
	case len(p.Updates) == 0:
		v.text = pushNothing
	}
	if v.text != "" {
		return v
	}
	for i := range p.Updates {
		u := &p.Updates[i]
		switch u.Space {
		case HeadsAndTags:
			v.heads = true
		case NostrRef:
			moved, text := c.judgeNostrRef(a, u, &v)
			if text != "" {
				v.text, v.got = text, Ref{Name: u.Name, OID: u.New}
				return v
			}
			v.moves = v.moves || moved
		default:
			v.text, v.got = pushOther, Ref{Name: u.Name, OID: u.New}
			return v
		}
	}
	after, twice := applyUpdates(p.Current, p.Updates)
	if twice.Name != 0 {
		v.text, v.got = pushTwice, twice
		return v
	}
	if v.text = c.placeRoom(a, p, v.fresh, r); v.text != "" || !v.heads {
		return v
	}
	s := c.latestAuthorised(a)
	if s == purgatory.None {
		v.text = pushNoState
		return v
	}
	v.text, v.want, v.got = mismatch(c.states.At(s).Refs, after)
	v.moves = v.moves || !sameRefs(after, p.Current)
	return v
}

// latestAuthorised is the latest held or served state authorised for an owner (ST-07), or None.
func (c *Core) latestAuthorised(a int32) int32 {
	ann := c.anns.At(a)
	best := purgatory.None
	look := func(s int32) {
		x := c.states.At(s)
		if x.Unsatisfied || !c.authorises(ann, x.Author) {
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
