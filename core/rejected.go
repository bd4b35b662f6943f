package core

import (
	"slices"

	"graspsync/core/purgatory"
)

// rejected remembers synced announcements and states that were refused, in two tiers (S-05): whole, for as long
// as the announcement or the older state that they lack may be on its way, since a relay sends events in any
// order; and by id, much longer, so that they are not asked for again. A change of the announcements of their
// identifier has the whole ones looked at again and lifts the ids of all it authorises.
type rejected struct {
	ids     *purgatory.Expired
	list    []rejectedEvent
	free    []int32
	byIdent map[Handle][]int32
	order   []int32 // oldest first
}

type rejectedEvent struct {
	event Event
	from  Handle
	at    Time // life time
}

// newRejected makes an empty memory.
func newRejected(cfg *Config) rejected {
	return rejected{ids: purgatory.NewExpired(cfg.RejectedIDs, cfg.RejectedTTL), byIdent: make(map[Handle][]int32)}
}

// reject answers a refused announcement or state and remembers a synced one. rate-limited and failures of our own
// are no judgement of an event and are answered elsewhere (S-06). again says that a change here may make it
// acceptable.
func (c *Core) reject(in *Input, text string, again bool) {
	c.answer(in.Event.ID, false, text)
	if in.Origin != FromSync {
		return
	}
	e := in.Event
	c.rejected.ids.Add(e.ID, e.Author, e.Repo.Identifier, c.life(), purgatory.Evidence{Kind: evidenceOf(e.Kind), CreatedAt: e.CreatedAt, ID: e.ID})
	if again {
		c.rejected.keep(c, in)
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
func (x *rejected) keep(c *Core, in *Input) {
	x.prune(c)
	e := in.Event
	for _, i := range x.byIdent[e.Repo.Identifier] {
		if x.list[i].event.ID == e.ID {
			return
		}
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
	x.list[i] = rejectedEvent{event: cloneEvent(e), from: in.From, at: c.life()}
	x.byIdent[e.Repo.Identifier] = append(x.byIdent[e.Repo.Identifier], i)
	x.order = append(x.order, i)
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
	ident := x.list[i].event.Repo.Identifier
	list := x.byIdent[ident]
	if k := slices.Index(list, i); k >= 0 {
		list = slices.Delete(list, k, k+1)
	}
	if len(list) == 0 {
		delete(x.byIdent, ident)
	} else {
		x.byIdent[ident] = list
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

// replayRejected admits the remembered events of an identifier that are acceptable now (S-05, AN-05). One that is
// taken may make another acceptable, which looks again by itself.
func (c *Core) replayRejected(ident Handle) {
	if len(c.rejected.byIdent[ident]) == 0 {
		return
	}
	c.rejected.prune(c)
	for _, i := range slices.Clone(c.rejected.byIdent[ident]) {
		if !slices.Contains(c.rejected.byIdent[ident], i) {
			continue
		}
		e := c.rejected.list[i]
		if _, known := c.where[e.event.ID]; known {
			c.rejected.drop(i)
			continue
		}
		in := Input{Kind: InEvent, Event: &e.event, Origin: FromSync, From: e.from}
		switch e.event.Kind {
		case KindState:
			if c.stateRefusal(&e.event) != "" || !c.roomForEvent(&in) || c.stateRefusal(&e.event) != "" {
				continue
			}
			c.rejected.drop(i)
			c.holdState(&in, true)
		default:
			if c.announcementRefusal(&e.event) != "" {
				continue
			}
			c.rejected.drop(i)
			c.admitAnnouncement(&in)
		}
	}
}

// disown ends the residence of a state that nobody authorises any more. A synced one is remembered as it would be had
// it come now: that somebody listed its author for a while must not cost its own announcement the state (I-11).
func (c *Core) disown(s int32) {
	st := c.states.At(s)
	if st.Synced {
		e := Event{ID: st.ID, Author: st.Author, Kind: KindState, CreatedAt: st.CreatedAt, Size: st.Size, Refs: st.Refs, Head: st.Head,
			Unsatisfied: st.Unsatisfied, Repo: Coordinate{Owner: st.Author, Identifier: c.idents.At(st.Ident).Handle}}
		c.rejected.ids.Add(e.ID, e.Author, e.Repo.Identifier, c.life(), purgatory.Evidence{Kind: purgatory.OfState, CreatedAt: e.CreatedAt, ID: e.ID})
		c.rejected.keep(c, &Input{Kind: InEvent, Event: &e, Origin: FromSync, From: st.From})
	}
	c.endState(s, RepEndedDeleted)
}
