package core

import (
	"cmp"
	"slices"

	"graspsync/core/purgatory"
)

// rejected remembers synced announcements and states that were refused, in two tiers (S-05): whole, for as long
// as the announcement or the older state that they lack may be on its way, since a relay sends events in any
// order; and by id with the reason, much longer, so that they are not asked for again. A change of an announcement has
// the whole ones of all it authorises looked at again, and lifts their ids.
type rejected struct {
	ids   *purgatory.Expired
	list  []rejectedEvent
	free  []int32
	order []int32           // oldest first
	at    map[EventID]int32 // look-up only
	by    map[rejectedKey][]int32
	empty map[Handle][]int32 // by identifier: states that only lack an older one to clear (ST-06)
}

type rejectedKey struct {
	author PubKey
	ident  Handle
}

type rejectedEvent struct {
	event Event
	from  Handle
	why   refusal
	at    Time // life time
}

func (e *rejectedEvent) key() rejectedKey {
	return rejectedKey{e.event.Author, e.event.Repo.Identifier}
}

// refusal is why an announcement or state was refused, as far as that is remembered.
type refusal uint8

const (
	refusedOtherwise refusal = iota
	refusedUnlisted
	refusedOlder
	refusedNobodys
	refusedEmpty
	numRefusals
)

// refusalOf is the reason that a text gives.
func refusalOf(text string) refusal {
	switch text {
	case textNotListed:
		return refusedUnlisted
	case textOlder:
		return refusedOlder
	case textNoAuthor:
		return refusedNobodys
	case textEmpty:
		return refusedEmpty
	}
	return refusedOtherwise
}

// again is the text for an event that is refused once more without being judged.
func (r refusal) again() string {
	const since = " (refused before, and nothing has changed since)"
	switch r {
	case refusedUnlisted:
		return textNotListed + since
	case refusedOlder:
		return textOlder + since
	case refusedNobodys:
		return textNoAuthor + since
	case refusedEmpty:
		return textEmpty + since
	}
	return "invalid: refused before, and nothing has changed since for this repository"
}

// newRejected makes an empty memory.
func newRejected(cfg *Config) rejected {
	return rejected{ids: purgatory.NewExpired(cfg.RejectedIDs, cfg.RejectedTTL), at: make(map[EventID]int32),
		by: make(map[rejectedKey][]int32), empty: make(map[Handle][]int32)}
}

// reject answers a refused announcement or state and remembers a synced one. rate-limited and failures of our own
// are no judgement of an event and are answered elsewhere (S-06).
func (c *Core) reject(in *Input, text string) {
	c.answer(in.Event.ID, false, text)
	if in.Origin == FromSync {
		c.remember(in.Event, in.From, refusalOf(text))
	}
}

// remember keeps a refused synced event: by id, and whole if a change here may make it acceptable.
func (c *Core) remember(e *Event, from Handle, why refusal) {
	owner := e.Author
	if why == refusedEmpty {
		owner = PubKey{} // of all under the identifier: anybody's older state may lift it
	}
	c.rejected.ids.Add(e.ID, owner, e.Repo.Identifier, c.life(),
		purgatory.Evidence{Kind: evidenceOf(e.Kind), CreatedAt: e.CreatedAt, ID: e.ID, Why: uint8(why)})
	if why != refusedOlder {
		c.rejected.keep(c, e, from, why)
	}
}

// evidenceOf says of what kind an event is evidence for its coordinate (E-03).
func evidenceOf(kind uint32) purgatory.EvidenceKind {
	switch kind {
	case KindAnnouncement:
		return purgatory.OfAnnouncement
	case KindState:
		return purgatory.OfState
	}
	return purgatory.OfPR
}

// rejectedBefore tells whether a synced event was refused and nothing has changed since (S-05).
func (c *Core) rejectedBefore(e *Event) bool {
	return (e.Kind == KindAnnouncement || e.Kind == KindState) && c.rejected.ids.Has(e.ID, c.life())
}

// supersededBefore tells whether a newer version of an announcement was refused: it is the newest seen all the same,
// and an older one that comes later is not taken for it (S-05).
func (c *Core) supersededBefore(e *Event) bool {
	v, ok := c.rejected.ids.Newest(e.Author, e.Repo.Identifier, purgatory.OfAnnouncement, c.life())
	return ok && v.ID != e.ID && !purgatory.Newer(e.CreatedAt, e.ID, v.CreatedAt, v.ID)
}

// keep takes a copy of a refused synced event.
func (x *rejected) keep(c *Core, e *Event, from Handle, why refusal) {
	x.prune(c)
	if i, ok := x.at[e.ID]; ok {
		x.setWhy(i, why)
		return
	}
	if c.cfg.RejectedFull == 0 {
		return
	}
	for len(x.order) >= c.cfg.RejectedFull {
		x.drop(x.order[0])
	}
	var i int32
	if n := len(x.free); n > 0 {
		i = x.free[n-1]
		x.free = x.free[:n-1]
	} else {
		i = int32(len(x.list))
		x.list = append(x.list, rejectedEvent{})
	}
	x.list[i] = rejectedEvent{event: cloneEvent(e), from: from, why: why, at: c.life()}
	x.file(i)
	x.order = append(x.order, i)
}

// file puts a whole event under its author and, if it is one, among the empty states.
func (x *rejected) file(i int32) {
	e := &x.list[i]
	x.at[e.event.ID] = i
	x.by[e.key()] = append(x.by[e.key()], i)
	if e.why == refusedEmpty {
		x.empty[e.event.Repo.Identifier] = append(x.empty[e.event.Repo.Identifier], i)
	}
}

func (x *rejected) setWhy(i int32, why refusal) {
	e := &x.list[i]
	if e.why == why {
		return
	}
	ident := e.event.Repo.Identifier
	if e.why == refusedEmpty {
		takeOut(x.empty, ident, i)
	} else if why == refusedEmpty {
		x.empty[ident] = append(x.empty[ident], i)
	}
	e.why = why
}

// takeOut takes i out of a list of a map; an empty list goes.
func takeOut[K comparable](m map[K][]int32, k K, i int32) {
	list := m[k]
	if at := slices.Index(list, i); at >= 0 {
		list = slices.Delete(list, at, at+1)
	}
	if m[k] = list; len(list) == 0 {
		delete(m, k)
	}
}

// live is how many are remembered whole at now.
func (x *rejected) live(now, ttl Time) int {
	n := len(x.order)
	for n > 0 && now-x.list[x.order[len(x.order)-n]].at >= ttl {
		n--
	}
	return n
}

func (x *rejected) prune(c *Core) {
	for len(x.order) > 0 && c.life()-x.list[x.order[0]].at >= c.cfg.RejectedFullTTL {
		x.drop(x.order[0])
	}
}

func (x *rejected) drop(i int32) {
	e := &x.list[i]
	delete(x.at, e.event.ID)
	takeOut(x.by, e.key(), i)
	if e.why == refusedEmpty {
		takeOut(x.empty, e.event.Repo.Identifier, i)
	}
	if k := slices.Index(x.order, i); k >= 0 {
		x.order = slices.Delete(x.order, k, k+1)
	}
	x.list[i] = rejectedEvent{}
	x.free = append(x.free, i)
}

// setBounds follows a changed configuration.
func (x *rejected) setBounds(c *Core) {
	x.ids.SetBounds(c.cfg.RejectedIDs, c.cfg.RejectedTTL, c.life())
	for len(x.order) > c.cfg.RejectedFull {
		x.drop(x.order[0])
	}
}

// reconsider lifts the refused ids of everybody whom an announcement lets speak, and takes what is remembered whole of
// them if it is acceptable now (S-05, AN-05). Whoever gains by a change of an announcement is in its closure.
func (c *Core) reconsider(a int32) {
	ann := c.anns.At(a)
	ident := c.idents.At(ann.Ident).Handle
	authors := ann.Closure
	if len(authors) == 0 {
		authors = []PubKey{ann.Owner}
	}
	c.rejected.prune(c)
	c.rejected.ids.Lift(PubKey{}, ident)
	var again []int32
	for _, key := range authors {
		c.rejected.ids.Lift(key, ident)
		again = append(again, c.rejected.by[rejectedKey{key, ident}]...)
	}
	c.takeAgain(again)
}

// reconsiderEmpty lifts and takes the empty states that waited for an older one of their name (ST-06).
func (c *Core) reconsiderEmpty(ident Handle) {
	c.rejected.ids.Lift(PubKey{}, ident)
	if len(c.rejected.empty[ident]) > 0 {
		c.rejected.prune(c)
		c.takeAgain(slices.Clone(c.rejected.empty[ident]))
	}
}

// takeAgain admits those of some remembered events that are acceptable now, in order of arrival. One that is
// taken may make another acceptable, which looks again by itself.
func (c *Core) takeAgain(slots []int32) {
	x := &c.rejected
	slices.SortFunc(slots, func(i, k int32) int {
		return cmp.Or(cmp.Compare(x.list[i].at, x.list[k].at), x.list[i].event.ID.Compare(x.list[k].event.ID))
	})
	ids := make([]EventID, len(slots)) // a slot may be another's before its turn comes
	for n, i := range slots {
		ids[n] = x.list[i].event.ID
	}
	for _, id := range ids {
		if i, ok := x.at[id]; ok {
			c.takeRejected(i)
		}
	}
}

// takeRejected admits one remembered event if it is acceptable now.
func (c *Core) takeRejected(i int32) {
	e := c.rejected.list[i]
	if _, known := c.where[e.event.ID]; known {
		c.rejected.drop(i)
		return
	}
	in := Input{Kind: InEvent, Event: &e.event, Origin: FromSync, From: e.from}
	text := ""
	if e.event.Kind == KindState {
		if text = c.stateRefusal(&e.event); text == "" && (!c.roomForEvent(&in) || c.stateRefusal(&e.event) != "") {
			return
		}
	} else {
		text = c.announcementRefusal(&e.event)
	}
	switch {
	case text == textOlder:
		c.rejected.drop(i)
		c.remember(&e.event, e.from, refusedOlder)
	case text != "":
		c.remember(&e.event, e.from, refusalOf(text)) // for another reason now, perhaps
	case e.event.Kind == KindState:
		c.rejected.drop(i)
		c.holdState(&in, true)
	default:
		c.rejected.drop(i)
		c.admitAnnouncement(&in)
	}
}

// disown ends the residence of a state that nobody authorises any more. A synced one is remembered as it would be had
// it come now: that somebody listed its author for a while must not cost its own announcement the state (I-11).
func (c *Core) disown(s int32) {
	st := c.states.At(s)
	if st.Synced {
		e := Event{ID: st.ID, Author: st.Author, Kind: KindState, CreatedAt: st.CreatedAt, Size: st.Size, Refs: st.Refs, Head: st.Head,
			Unsatisfied: st.Unsatisfied, Repo: Coordinate{Owner: st.Author, Identifier: c.idents.At(st.Ident).Handle}}
		c.remember(&e, st.From, refusedNobodys)
	}
	c.endState(s, RepEndedDeleted)
}
