package core

import (
	"slices"

	"graspsync/core/pq"
	"graspsync/core/purgatory"
)

// placeholder is a ref refs/nostr/<id> whose event is not known: its data came first (PR-03). It lives as long as
// a held event, and its ref goes with it. Its id is never remembered as expired (E-03).
type placeholder struct {
	used     bool
	ann      int32
	id       EventID
	commit   OID
	from     Handle
	bytes    int64
	deadline Time // life time
	gen      uint32
}

// placePush is what a push would leave.
type placePush struct {
	id     EventID
	commit OID
}

type placeKey struct {
	repo Handle
	id   EventID
}

// placeTable finds placeholders and counts what sources have left within the window (S-06).
type placeTable struct {
	slab   purgatory.Slab[placeholder]
	at     map[placeKey]int32
	bytes  int64
	stamps []placeStamp // oldest first
	bySrc  map[Handle]placeUse
}

type placeStamp struct {
	from  Handle
	at    Time
	bytes int64
}

// placeUse is what one source has left within the window, and has under way.
type placeUse struct {
	n, pending int32
	bytes      int64
}

// Texts of refusals at a bound (P-03, S-06).
const (
	placeRepoFull    = "push: rate-limited: too many pull request commits wait for their events in this repository; publish the event first"
	placeSourceFull  = "push: rate-limited: too many pull request commits without an event from your address; publish the event first"
	placeBytesFull   = "push: rate-limited: the commits that wait for their events are too large; publish the event first"
	placeWrong       = "push: refs/nostr/<event-id> must be the commit that the pull request names"
	placeNotNamed    = "push: that pull request does not name this repository"
	placeNoPR        = "push: refs/nostr/<event-id> is for pull requests; that event is none"
	placeNotRemoved  = "push: refs/nostr/<event-id> is removed with its event, not by a push"
	placeNothingElse = "push: refs/nostr/ is followed by the 64 hex digits of an event id"
)

func newPlaceTable() placeTable {
	return placeTable{at: make(map[placeKey]int32), bySrc: make(map[Handle]placeUse)}
}

// judgeNostrRef decides about one update of refs/nostr/<id>: a known event must have that commit, an unknown one
// leaves a placeholder (P-03).
func (c *Core) judgeNostrRef(a int32, u *RefUpdate, v *pushJudgement) (moves bool, refused string) {
	switch {
	case u.Event == (EventID{}):
		return false, placeNothingElse
	case u.New.IsZero():
		return false, placeNotRemoved
	}
	if loc, known := c.where[u.Event]; known {
		if loc.kind != recPR {
			return false, placeNoPR
		}
		pr := c.prs.At(loc.slot)
		if !names(pr, c.anns.At(a)) {
			return false, placeNotNamed
		}
		if pr.Commit != u.New {
			return false, placeWrong
		}
		return pr.Status != purgatory.Served, ""
	}
	if i, there := c.places.at[placeKey{c.anns.At(a).Repo, u.Event}]; there && c.places.slab.At(i).commit == u.New {
		return false, ""
	}
	v.places = append(v.places, placePush{u.Event, u.New})
	return true, ""
}

// placeRoom is why the bounds leave no room for the placeholders of a push, or "". Bytes are known at the recheck;
// one push is counted as one, however many refs it brings.
func (c *Core) placeRoom(a int32, p *Push, places []placePush, r *pushRecord) string {
	if len(places) == 0 {
		return ""
	}
	ann := c.anns.At(a)
	n := int32(0)
	for i := range places {
		if _, there := c.places.at[placeKey{ann.Repo, places[i].id}]; !there {
			n++
		}
	}
	own := int32(0) // reserved by this push already
	if r != nil {
		own = int32(len(r.places))
	}
	c.prunePlaces()
	use := c.places.bySrc[p.From]
	bytes := max(p.Bytes, 0)
	switch {
	case int(int32(len(ann.Places))+ann.Reserved-own+n) > c.cfg.PlaceholdersPerRepo:
		return placeRepoFull
	case p.From != 0 && int(use.n+use.pending-own)+len(places) > c.cfg.PlaceholdersPerSource:
		return placeSourceFull
	case p.From != 0 && use.bytes+bytes > c.cfg.PlaceholderSourceBytes,
		ann.PlaceBytes+bytes > c.cfg.PlaceholderRepoBytes, c.places.bytes+bytes > c.cfg.PlaceholderBytes:
		return placeBytesFull
	}
	return ""
}

// reservePlaces counts what an allowed push is about to leave, so that pushes at once do not pass a bound together.
func (c *Core) reservePlaces(r *pushRecord) {
	if len(r.places) == 0 {
		return
	}
	c.anns.At(r.ann).Reserved += int32(len(r.places))
	c.useSource(r.from, func(u *placeUse) { u.pending += int32(len(r.places)) })
}

func (c *Core) unreservePlaces(r *pushRecord) {
	if len(r.places) == 0 {
		return
	}
	if ann := c.anns.At(r.ann); ann.Serial == r.serial {
		ann.Reserved -= int32(len(r.places))
	}
	c.useSource(r.from, func(u *placeUse) { u.pending -= int32(len(r.places)) })
}

// useSource changes what is counted for a source; nothing left costs no memory (D-08).
func (c *Core) useSource(from Handle, change func(*placeUse)) {
	u := c.places.bySrc[from]
	if change(&u); u == (placeUse{}) {
		delete(c.places.bySrc, from)
		return
	}
	c.places.bySrc[from] = u
}

// prunePlaces forgets what sources left before the window.
func (c *Core) prunePlaces() {
	n := 0
	for ; n < len(c.places.stamps) && c.now-c.places.stamps[n].at >= c.cfg.PlaceholderWindow; n++ {
		s := c.places.stamps[n]
		c.useSource(s.from, func(u *placeUse) { u.n--; u.bytes -= s.bytes })
	}
	c.places.stamps = slices.Delete(c.places.stamps, 0, n)
}

// takePlaces takes up what a push that ended well has left: a placeholder, unless the event came meanwhile. The
// event wins: a ref with another commit than its own goes (PR-03).
func (c *Core) takePlaces(r *pushRecord) {
	for k := range r.places {
		x := r.places[k]
		bytes := int64(0)
		if k == 0 {
			bytes = r.bytes
		}
		c.places.stamps = append(c.places.stamps, placeStamp{r.from, c.now, bytes})
		c.useSource(r.from, func(u *placeUse) { u.n++; u.bytes += bytes })
		if loc, known := c.where[x.id]; known {
			if loc.kind != recPR || c.prs.At(loc.slot).Commit != x.commit || !names(c.prs.At(loc.slot), c.anns.At(r.ann)) {
				c.dropRef(r.ann, x.id)
			}
			continue
		}
		c.placeAt(r.ann, x, r.from, bytes)
	}
}

// placeAt files a placeholder; one that was there with another commit is replaced.
func (c *Core) placeAt(a int32, x placePush, from Handle, bytes int64) {
	key := placeKey{c.anns.At(a).Repo, x.id}
	if i, there := c.places.at[key]; there {
		c.endPlace(i)
	}
	i := c.places.slab.New()
	p := c.places.slab.At(i)
	*p = placeholder{used: true, ann: a, id: x.id, commit: x.commit, from: from, bytes: bytes, deadline: c.life() + c.cfg.Lifetime, gen: p.gen + 1}
	c.places.at[key] = i
	c.places.bytes += bytes
	ann := c.anns.At(a)
	ann.Places = append(ann.Places, i)
	ann.PlaceBytes += bytes
	c.timers[tPlace].arm(pq.Entry{At: int64(p.deadline), ID: uint32(i), Gen: p.gen})
	c.report(RepPlaceholderHeld, Effect{Event: x.id, Repo: ann.Repo, Deadline: p.deadline - c.offset})
}

// endPlace forgets a placeholder; its ref is the caller's to remove or to leave.
func (c *Core) endPlace(i int32) {
	p := c.places.slab.At(i)
	ann := c.anns.At(p.ann)
	c.report(RepPlaceholderEnded, Effect{Event: p.id, Repo: ann.Repo})
	delete(c.places.at, placeKey{ann.Repo, p.id})
	c.places.bytes -= p.bytes
	ann.PlaceBytes -= p.bytes
	if k := slices.Index(ann.Places, i); k >= 0 {
		ann.Places = slices.Delete(ann.Places, k, k+1)
	}
	*p = placeholder{gen: p.gen + 1}
	c.places.slab.Free(i)
}

// placeDue: nobody has published the event; the ref goes (E-01, PR-03).
func (c *Core) placeDue(i int32) {
	p := c.places.slab.At(i)
	c.dropRef(p.ann, p.id)
	c.endPlace(i)
}

// endPlaces forgets the placeholders of a repository that goes.
func (c *Core) endPlaces(a int32) {
	for ann := c.anns.At(a); len(ann.Places) > 0; {
		c.endPlace(ann.Places[len(ann.Places)-1])
	}
}

// mergePlaces joins the placeholders of an event that has come: a ref to its commit stays, for the release to
// find the object; one to another commit goes (PR-03).
func (c *Core) mergePlaces(p int32) {
	pr := c.prs.At(p)
	for i := range pr.Repos {
		k, there := c.places.at[placeKey{pr.Repos[i].Repo, pr.ID}]
		if !there {
			continue
		}
		x := c.places.slab.At(k)
		if x.commit != pr.Commit {
			c.dropRef(x.ann, pr.ID)
		}
		c.endPlace(k)
	}
}

// lastPlace is the latest deadline of a repository's placeholders, or 0 (E-04).
func (c *Core) lastPlace(a int32) (at Time) {
	for _, i := range c.anns.At(a).Places {
		at = max(at, c.places.slab.At(i).deadline)
	}
	return at
}
