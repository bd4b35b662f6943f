package core

import (
	"slices"

	"graspsync/core/purgatory"
)

// pendingEvent is one that goes straight to the event store: what follows from it happens when the store has
// taken it, for the store has the last word. Until then nothing here knows of it but its id.
type pendingEvent struct {
	used    bool
	spoiled bool // deleted or removed meanwhile: stored or not, nothing follows
	answers int32
	origin  Origin
	event   Event
}

// maxAnswers bounds the deliveries of one event that are answered when the store has spoken.
const maxAnswers = 1 << 12

// storeNew asks for an event to be stored as it is.
func (c *Core) storeNew(in *Input) {
	i := c.pending.New()
	*c.pending.At(i) = pendingEvent{used: true, answers: 1, origin: in.Origin, event: cloneEvent(in.Event)}
	c.where[in.Event.ID] = location{recPending, i}
	if p := c.pending.At(i); p.event.Kind == KindDeletion {
		slices.SortFunc(p.event.Targets, EventID.Compare)
		at, _ := slices.BinarySearch(c.deletions, i)
		c.deletions = slices.Insert(c.deletions, at, i)
	}
	c.emit(Effect{Kind: EfStoreEvent, Event: in.Event.ID, Ask: c.request(ask{kind: askPlain, a: i, event: in.Event.ID})})
}

// cloneEvent copies what an Input lends (T-03). The signed JSON is the journal's, not ours.
func cloneEvent(e *Event) Event {
	x := *e
	x.Maintainers, x.Sources, x.Refs = slices.Clone(e.Maintainers), slices.Clone(e.Sources), slices.Clone(e.Refs)
	x.Repositories, x.Mentions = slices.Clone(e.Repositories), slices.Clone(e.Mentions)
	x.Targets, x.Coordinates, x.Raw = slices.Clone(e.Targets), slices.Clone(e.Coordinates), nil
	return x
}

// plainStored takes the store's verdict: first what follows, then the answers, one per delivery.
func (c *Core) plainStored(k ask, v Verdict) {
	p := c.pending.At(k.a)
	if v == StoredOK && !p.spoiled && !c.nowServed(p) {
		c.retryLater(k) // its place is taken by a release that is about to end
		return
	}
	e, answers, spoiled := p.event.ID, p.answers, p.spoiled
	c.dropPending(k.a)
	for range answers {
		switch v {
		case StoredOK:
			c.answer(e, true, "")
		case StoreFailed:
			c.answer(e, false, textStore)
		case StoreSuperseded:
			c.answer(e, false, textOlder)
		default:
			c.answer(e, false, textDeleted)
		}
	}
	switch {
	case v == StoredOK && spoiled:
		c.removeServed(e)
	case v == StoredOK:
		c.emit(Effect{Kind: EfNotify, Event: e})
	}
}

func (c *Core) dropPending(i int32) {
	p := c.pending.At(i)
	if loc := c.where[p.event.ID]; loc == (location{recPending, i}) {
		delete(c.where, p.event.ID)
	}
	if k := slices.Index(c.deletions, i); k >= 0 {
		c.deletions = slices.Delete(c.deletions, k, k+1)
	}
	*p = pendingEvent{}
	c.pending.Free(i)
}

// nowServed draws the consequences of a stored event; false: not yet possible.
func (c *Core) nowServed(p *pendingEvent) bool {
	switch p.event.Kind {
	case KindAnnouncement:
		return c.announcementServed(&p.event, p.origin)
	case KindDeletion:
		e := p.event // the table may grow meanwhile
		c.applyDeletion(&e)
	}
	return true
}

// announcementServed takes a stored announcement over: a newer version of a served one, or one accepted by the
// maintainer exception (AN-03, AN-04, AN-06).
func (c *Core) announcementServed(e *Event, origin Origin) bool {
	a := c.announcementOf(e.Repo.Identifier, e.Author)
	if a != purgatory.None {
		ann := c.anns.At(a)
		if !purgatory.Newer(e.CreatedAt, e.ID, ann.CreatedAt, ann.ID) {
			return true // stored after its successor
		}
		if ann.Status != purgatory.Served {
			c.endAnnouncement(a, RepEndedReplaced)
			if a = c.announcementOf(e.Repo.Identifier, e.Author); a != purgatory.None && c.anns.At(a).Status != purgatory.Served {
				return false
			}
		}
	}
	listed := e.ListsUs || c.cfg.ArchiveAll
	if a == purgatory.None {
		a = c.recordAnnouncement(e)
		c.anns.At(a).Status = purgatory.Served
	} else {
		delete(c.where, c.anns.At(a).ID)
		c.fillAnnouncement(a, e)
	}
	c.where[e.ID] = location{recAnnouncement, a}
	c.setUnlisted(a, !listed)
	in := Input{Origin: origin}
	c.announcementChanged(a, &in)
	c.adoptPRs(a)
	return true
}
