package core

import (
	"graspsync/core/purgatory"
)

// Texts of answers (S-02). A client shows them to a person.
const (
	textHeld      = "purgatory: won't be served until git data arrives"
	textInHold    = "duplicate: in purgatory"
	textDuplicate = "duplicate: already have this event"
	textExpired   = "invalid: previously expired from purgatory without git data"
	textDeleted   = "invalid: the author has deleted this event; publish it anew with a later created_at"
	textFuture    = "invalid: created_at is too far ahead of this relay's clock; set your clock and sign the event again"
	textNotListed = "invalid: announcement must list this service in its clone and relays tags"
	textOlder     = "invalid: a newer version of this event is known; created_at must be later than its"
	textNoAuthor  = "invalid: no accepted announcement of this repository lists the author as maintainer; announce it here (kind 30617) or have its owner list you"
	textEmpty     = "invalid: a state without refs needs an older state here to clear; name at least one branch or tag"
	textNoRepo    = "invalid: no a tag names a repository that is accepted here; send its announcement (kind 30617) first"
	textProtected = "blocked: protected event: its author must be authenticated here (NIP-70)"
	textFull      = "rate-limited: too many events wait for git data; try again later"
	textNoCommit  = "invalid: the c tag is missing or no commit id; it must be 40 or 64 hex digits"
	textKind      = "blocked: its a, A, e, E and q tags refer to no repository, issue, patch or pull request that is accepted here; send that first"
	textBlocked   = "blocked: the operator of this relay takes no events of this author"
	textTargets   = "invalid: its e and a tags name more than 500 events and coordinates; delete them in several events"
	textStore     = "error: storage failed; try again later"
	textStopping  = "error: this relay is shutting down; try again later"
)

// maxTargets bounds what one deletion names (S-06).
const maxTargets = 500

func (c *Core) answer(id EventID, ok bool, text string) {
	c.emit(Effect{Kind: EfAnswer, Event: id, OK: ok, Text: text})
}

// onEvent admits an event, in the order of the gates: its source's bounds, what is known of its id, size and time,
// author, deletion, kind (S-04, S-06).
func (c *Core) onEvent(in *Input) {
	e := in.Event
	if e == nil {
		c.contract("event input without an event")
		return
	}
	if c.stopping {
		c.answer(e.ID, false, textStopping)
		return
	}
	if in.Origin == FromClient && !c.write(in.From) {
		c.answer(e.ID, false, textWrites)
		return
	}
	if loc, known := c.where[e.ID]; known {
		c.redelivered(loc, in)
		return
	}
	switch {
	case in.Duplicate:
		c.answer(e.ID, true, textDuplicate)
	case int64(e.Size) > int64(c.sizeLimit(e.Kind)):
		c.answer(e.ID, false, c.tooBig(e))
	case e.CreatedAt > c.wall()+int64(c.cfg.FutureSlack/Second):
		c.answer(e.ID, false, textFuture)
	case c.blocked[e.Author]:
		c.answer(e.ID, false, textBlocked)
	case in.Deleted || c.deletedSoon(e):
		c.deletedFirst(e)
		c.answer(e.ID, false, textDeleted)
	case e.Protected && (in.Origin == FromSync || !in.Authed):
		c.answer(e.ID, false, textProtected)
	case in.Origin == FromSync && c.expired.Has(e.ID, c.life()):
		c.answer(e.ID, false, textExpired)
	case in.Origin == FromSync && c.rejectedBefore(e):
		c.answer(e.ID, false, refusal(c.rejected.ids.Why(e.ID)).again())
	default:
		c.dispatch(in)
	}
}

func (c *Core) tooBig(e *Event) string {
	return "invalid: event of " + num(int(e.Size)) + " bytes is too large; at most " + num(c.sizeLimit(e.Kind)) + " are taken of its kind"
}

func (c *Core) sizeLimit(kind uint32) int {
	if kind == KindState {
		return c.cfg.StateBytes
	}
	return c.cfg.EventBytes
}

func (c *Core) dispatch(in *Input) {
	e := in.Event
	switch e.Kind {
	case KindAnnouncement:
		c.admitAnnouncement(in)
	case KindState:
		c.admitState(in)
	case KindPR, KindPRUpdate:
		c.admitPR(in)
	case KindDeletion:
		if len(e.Targets)+len(e.Coordinates) > maxTargets {
			c.answer(e.ID, false, textTargets)
			return
		}
		c.storeNew(in)
	case KindUserGrasps:
		c.storeNew(in)
	default:
		if c.related(in) {
			c.storeNew(in)
		} else {
			c.answer(e.ID, false, textKind)
		}
	}
}

// redelivered: an event that is held already changes nothing, except that a client's copy of a synced one
// makes it a client's.
func (c *Core) redelivered(loc location, in *Input) {
	if c.servedAt(loc) {
		c.answer(in.Event.ID, true, textDuplicate)
		return
	}
	switch loc.kind {
	case recPending:
		if p := c.pending.At(loc.slot); p.answers < maxAnswers {
			p.answers++ // answered with the first, when the store has spoken
		}
		return
	case recState:
		c.upgrade(in, loc, c.states.At(loc.slot).Groups)
	case recPR:
		c.upgrade(in, loc, c.prs.At(loc.slot).Groups)
	case recAnnouncement:
		c.upgrade(in, loc, []int32{c.anns.At(loc.slot).Group})
	}
	c.answer(in.Event.ID, true, textInHold)
}

// upgrade makes an event that a client sends too a client's, and the hunts for it: they give way to nobody.
func (c *Core) upgrade(in *Input, loc location, groups []int32) {
	if in.Origin != FromClient {
		return
	}
	c.moveOut(loc)
	for _, g := range groups {
		c.groups.At(g).synced = false
		c.rankHunt(g)
	}
}

// announcementOf finds the announcement of (identifier, owner), or None.
func (c *Core) announcementOf(ident Handle, owner PubKey) int32 {
	i, ok := c.identOf[ident]
	if !ok {
		return purgatory.None
	}
	return c.announcedBy(c.idents.At(i), owner)
}

// delay is how long after an event its hunt begins.
func (c *Core) delay(o Origin) Time {
	if o == FromSync {
		return c.cfg.SyncedDelay
	}
	return c.cfg.ClientDelay
}

// held begins the residence of an event and answers its sender (S-02, I-16).
func (c *Core) held(id EventID, hunt HuntID, deadline Time, answered bool) {
	c.report(RepHeld, Effect{Event: id, Hunt: hunt, Deadline: deadline - c.offset})
	if !answered {
		c.answer(id, true, textHeld)
	}
}

// onStored takes the event store's verdict; what it means depends on what was stored.
func (c *Core) onStored(in *Input) {
	k, ok := c.takeAny(in.Ask, askState, askPromote, askPlain)
	if !ok {
		return
	}
	switch k.kind {
	case askState:
		c.releaseStored(k, in.Verdict)
	case askPromote:
		c.promoted(k, in.Verdict)
	default:
		c.plainStored(k, in.Verdict)
	}
}
