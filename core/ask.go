package core

import "graspsync/core/pq"

// ask is an outstanding request: exactly one completion closes it, and a watchdog runs meanwhile (T-04).
type ask struct {
	kind    askKind
	id      AskID
	gen     uint32
	attempt uint32 // askCheck: of this attempt's start, or 0; askRef: mark of what was asked for
	serial  uint32 // of the announcement b, whose slot may be reused
	repo    Handle // askCreate, askDelete, askRealign; askShow: the source
	a, b    int32  // what it is about, by kind
	event   EventID
	retry   bool // not out now: it failed and goes out again when its timer fires
}

type askKind uint8

const (
	askNone    askKind = iota
	askPass            // a: pass
	askCheck           // a: group, b: announcement whose repository is asked
	askCopy            // a: release, b: announcement that receives
	askAlign           // a: release, b: announcement
	askNostr           // a: release, b: announcement
	askState           // a: release: its event is being stored
	askPromote         // a: release or -1, b: announcement being stored
	askPlain           // a: pending event, stored as it is
	askRemove          // event is removed from serving
	askCreate          // b: announcement whose repository is made
	askDelete          // b: announcement whose repository is deleted if it has no refs
	askErase           // repository of a forgotten announcement is deleted
	askRealign         // b: announcement set back to its applied state; with event: refs/nostr/<event> removed
	askRef             // refs/nostr/<event> of repo is set to what it should show, or removed (a: 1 in any case); attempt: what it was told
	askBring           // b: announcement that receives the commit of the served PR event from repo
	askShow            // b: announcement that receives the objects of the served state event from repo
)

// request opens an ask and returns its id.
func (c *Core) request(k ask) AskID {
	i := c.asks.New()
	o := c.asks.At(i)
	c.askSeq++
	k.id, k.gen = newAskID(c.askSeq, uint32(i)), o.gen+1
	*o = k
	if k.kind != askPass { // a pass has its own timer
		c.armAsk(i, c.overdueSpan())
	}
	return k.id
}

func (c *Core) overdueSpan() Time { return c.cfg.StallLimit + c.cfg.KillGrace + 30*Second }

func (c *Core) armAsk(i int32, span Time) {
	k := c.asks.At(i)
	k.gen++
	c.timers[tAsk].arm(pq.Entry{At: int64(c.now + span), ID: uint32(i), Gen: k.gen})
}

// peek finds an open ask of a kind; anything else is counted and ignored (T-04).
func (c *Core) peek(id AskID, kind askKind) *ask {
	if s := id.slot(); int(s) < len(c.asks.Items) {
		if k := &c.asks.Items[s]; k.id == id && k.kind == kind && id != 0 {
			return k
		}
	}
	c.ignore(id)
	return nil
}

func (c *Core) ignore(id AskID) {
	c.ignored++
	c.report(RepIgnored, Effect{Ask: id})
}

// take closes an open ask of a kind.
func (c *Core) take(id AskID, kind askKind) (ask, bool) {
	k := c.peek(id, kind)
	if k == nil {
		return ask{}, false
	}
	out := *k
	c.closeAsk(id)
	return out, true
}

func (c *Core) closeAsk(id AskID) {
	i := int32(id.slot())
	k := c.asks.At(i)
	gen := k.gen + 1
	*k = ask{gen: gen}
	c.asks.Free(i)
}

// takeAny closes an open ask of one of the kinds.
func (c *Core) takeAny(id AskID, kinds ...askKind) (ask, bool) {
	if s := id.slot(); id != 0 && int(s) < len(c.asks.Items) && c.asks.Items[s].id == id {
		for _, kind := range kinds {
			if c.asks.Items[s].kind == kind {
				return c.take(id, kind)
			}
		}
	}
	c.ignore(id)
	return ask{}, false
}

// askDue: a request is overdue and is issued again under its id, which is idempotent; or one that failed
// is due for its next try (T-04).
func (c *Core) askDue(i int32) {
	k := c.asks.At(i)
	if k.id == 0 {
		return
	}
	if k.retry && k.kind == askShow {
		c.showAgain(*k)
		return
	}
	if (k.retry || k.kind == askRemove) && c.moot(k) {
		c.closeAsk(k.id)
		return
	}
	if !k.retry {
		c.overdue++
		c.report(RepOverdue, Effect{Ask: k.id, Event: k.event})
	}
	k.retry = false
	c.armAsk(i, c.overdueSpan())
	c.issue(i)
}

// moot tells whether a request that failed is not to be made again: what it was about is gone.
func (c *Core) moot(k *ask) bool {
	switch k.kind {
	case askCreate:
		return c.anns.At(k.b).Serial != k.serial || !c.anns.At(k.b).RepoAsked
	case askBring:
		return c.anns.At(k.b).Serial != k.serial || !c.hasRepo(k.b) || c.refOf(k.b, k.event).IsZero()
	case askRef:
		a, ok := c.annOf[k.repo]
		return !ok || !c.anns.At(a).RepoExists
	case askRemove:
		_, again := c.where[k.event]
		return again // it was published again meanwhile
	case askPromote:
		return c.anns.At(k.b).Serial != k.serial || c.anns.At(k.b).ID != k.event
	}
	return false
}

// retryLater keeps a failed request open and issues it again after the first backoff.
func (c *Core) retryLater(k ask) {
	id := c.request(k)
	i := int32(id.slot())
	c.asks.At(i).retry = true
	c.armAsk(i, c.cfg.BackoffBase)
}

// issue emits the effect of an open ask.
func (c *Core) issue(i int32) {
	k := c.asks.At(i)
	e := Effect{Ask: k.id, Event: k.event}
	switch k.kind {
	case askCheck:
		o, ann := c.groups.At(k.a), c.anns.At(k.b)
		n := len(c.arena)
		for w := range o.wants {
			c.arena = append(c.arena, o.wants[w].oid)
		}
		e.Kind, e.Hunt, e.Repo, e.OIDs = EfCheckObjects, o.id, ann.Repo, c.arena[n:len(c.arena):len(c.arena)]
	case askRef:
		c.issueRef(k, &e)
	case askBring:
		c.issueBring(k, &e)
	case askCopy, askAlign, askNostr, askRealign, askShow:
		c.issueRepo(k, &e)
	case askState, askPromote, askPlain:
		e.Kind = EfStoreEvent
	case askRemove:
		e.Kind = EfRemoveEvent
	case askCreate:
		e.Kind, e.Repo = EfCreateRepo, k.repo
	case askDelete:
		e.Kind, e.Repo = EfDeleteRepoIfNoRefs, k.repo
	case askErase:
		e.Kind, e.Repo = EfDeleteRepo, k.repo
	default:
		return
	}
	c.emit(e)
}
