package core

import (
	"slices"
	"strconv"

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
	under  int64        // of pushes under way
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
	n, pending   int32
	bytes, under int64
}

// Texts of refusals of refs below refs/nostr/ (P-03).
const (
	placeWrong       = "push: refs/nostr/<event-id> must be the commit that the pull request names"
	placeNotNamed    = "push: that pull request does not name this repository"
	placeNoPR        = "push: refs/nostr/<event-id> is for pull requests; that event is none"
	placeDeleted     = "push: that pull request was deleted by its author or the operator"
	placeNotRemoved  = "push: refs/nostr/<event-id> is removed with its event, not by a push"
	placeNothingElse = "push: refs/nostr/ is followed by the 64 hex digits of an event id"
	placeFull        = "push: rate-limited: at most "
	placePublish     = "; publish the event first, or wait for those that came before"
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
		v.nostr = append(v.nostr, placePush{u.Event, u.New})
		return pr.Status != purgatory.Served, ""
	}
	if c.gone.Has(u.Event, c.life()) {
		return false, placeDeleted
	}
	v.nostr = append(v.nostr, placePush{u.Event, u.New})
	if i, there := c.places.at[placeKey{c.anns.At(a).Repo, u.Event}]; there && c.places.slab.At(i).commit == u.New {
		return false, ""
	}
	v.fresh = append(v.fresh, u.Event)
	return true, ""
}

// placeRoom is why the bounds leave no room for the placeholders of a push, or "". Its size is known at the
// recheck; what its own record r has reserved does not count against it.
func (c *Core) placeRoom(a int32, p *Push, fresh []EventID, r *pushRecord) string {
	if len(fresh) == 0 {
		return ""
	}
	ann := c.anns.At(a)
	n := int32(0)
	for i := range fresh {
		if _, there := c.places.at[placeKey{ann.Repo, fresh[i]}]; !there {
			n++
		}
	}
	own, under := int32(0), int64(0)
	if r != nil && r.fresh > 0 {
		own, under = r.fresh, r.bytes
	}
	c.prunePlaces()
	use, bytes := c.places.bySrc[p.From], max(p.Bytes, 0)
	over := func(limit int64, what string) string {
		return placeFull + strconv.FormatInt(limit, 10) + what + placePublish
	}
	window := " from one address in " + c.cfg.PlaceholderWindow.String()
	switch {
	case int(int32(len(ann.Places))+ann.Reserved-own+n) > c.cfg.PlaceholdersPerRepo:
		return over(int64(c.cfg.PlaceholdersPerRepo), " commits may wait for their pull requests in one repository")
	case p.From != 0 && int(use.n+use.pending-own)+len(fresh) > c.cfg.PlaceholdersPerSource:
		return over(int64(c.cfg.PlaceholdersPerSource), " commits without a pull request may come"+window)
	case ann.PlaceBytes+bytes > c.cfg.PlaceholderRepoBytes:
		return over(c.cfg.PlaceholderRepoBytes, " bytes may wait for their pull requests in one repository")
	case p.From != 0 && use.bytes+use.under-under+bytes > c.cfg.PlaceholderSourceBytes:
		return over(c.cfg.PlaceholderSourceBytes, " bytes without a pull request may come"+window)
	case c.places.bytes+c.places.under-under+bytes > c.cfg.PlaceholderBytes:
		return over(c.cfg.PlaceholderBytes, " bytes may wait for their pull requests on this server")
	}
	return ""
}

// reservePlaces counts what an allowed push is about to leave, so that pushes at once do not pass a bound together.
func (c *Core) reservePlaces(r *pushRecord) { c.countReserved(r, 1) }

func (c *Core) unreservePlaces(r *pushRecord) { c.countReserved(r, -1) }

func (c *Core) countReserved(r *pushRecord, sign int32) {
	if r.fresh == 0 {
		return
	}
	if ann := c.anns.At(r.ann); ann.Serial == r.serial {
		ann.Reserved += sign * r.fresh
	}
	c.places.under += int64(sign) * r.bytes
	c.useSource(r.from, func(u *placeUse) { u.pending += sign * r.fresh; u.under += int64(sign) * r.bytes })
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
	a, id := c.places.slab.At(i).ann, c.places.slab.At(i).id
	c.endPlace(i)
	c.setRef(a, id)
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
	var wrong []int32
	for i := range pr.Repos {
		k, there := c.places.at[placeKey{pr.Repos[i].Repo, pr.ID}]
		if !there {
			continue
		}
		a, right := c.places.slab.At(k).ann, c.places.slab.At(k).commit == pr.Commit
		c.endPlace(k)
		if right {
			pr.Shown = true
		} else {
			wrong = append(wrong, a)
		}
	}
	for _, a := range wrong {
		c.clearRef(a, pr.ID)
	}
}

// lastPlace is the latest deadline of a repository's placeholders, or 0 (E-04).
func (c *Core) lastPlace(a int32) (at Time) {
	for _, i := range c.anns.At(a).Places {
		at = max(at, c.places.slab.At(i).deadline)
	}
	return at
}
