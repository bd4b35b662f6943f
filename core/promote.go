package core

import (
	"slices"

	"graspsync/core/purgatory"
)

// What a stored state makes of its owners: refs that show it, and announcements that are served with it (ST-07,
// ST-09).

// stateServed makes a stored state the one its owners' refs show and its author's latest (ST-07).
func (c *Core) stateServed(r *release) {
	st := c.states.At(r.slot)
	id := c.idents.At(st.Ident)
	for _, a := range r.owners {
		if ann := c.anns.At(a); ann.Status != purgatory.Free {
			c.unapply(a)
			ann.Applied = r.slot
			st.Applied++
		}
	}
	for _, s := range slices.Clone(c.servedBy(id, st.Author)) {
		if s == r.slot {
			continue
		}
		if x := c.states.At(s); purgatory.Newer(x.CreatedAt, x.ID, st.CreatedAt, st.ID) {
			return // stored after its successor: remembered as latest by nobody
		}
		i := slices.Index(id.Served, s)
		id.Served = slices.Delete(id.Served, i, i+1)
		c.freeServed(s)
	}
	c.fileServed(id, r.slot)
}

// isServed tells whether a state is its author's latest served one, neither deleted nor superseded.
func (c *Core) isServed(s int32) bool {
	return slices.Contains(c.idents.At(c.states.At(s).Ident).Served, s)
}

// promote stores the held announcements whose own repository now has a head or tag from an authorised
// state; no other event promotes (ST-09).
func (c *Core) promote(i int32) {
	r := c.releases.At(i)
	if r.kind != recState || len(c.states.At(r.slot).Refs) == 0 {
		return
	}
	for _, a := range r.owners {
		if ann := c.anns.At(a); ann.Status == purgatory.Held && ann.Applied == r.slot &&
			c.authorises(ann, c.states.At(r.slot).Author) {
			ann.Status = purgatory.Releasing
			c.refreshGroup(ann.Group)
			c.emit(Effect{Kind: EfStoreEvent, Event: ann.ID, Repo: ann.Repo,
				Ask: c.request(ask{kind: askPromote, a: i, b: a, event: ann.ID})})
			r.waiting++
		}
	}
}

// promoted takes the store's verdict on an announcement.
func (c *Core) promoted(k ask, v Verdict) {
	ann := c.anns.At(k.b)
	if ann.ID == k.event && ann.Status == purgatory.Releasing {
		switch v {
		case StoredOK:
			ann.Status = purgatory.Served
			ann.Gen++ // its deadline is void
			c.moveOut(location{recAnnouncement, k.b})
			c.authors.release(ann.AuthorSlot)
			c.subHeld(ann.Size)
			c.announced--
			c.dropShadow(k.b)
			c.report(RepEndedReleased, Effect{Event: ann.ID})
			if ReportKind(ann.Doomed) == RepEndedDeleted { // deleted while it was being stored (DL-02)
				ann.Doomed = 0
				c.removeServed(ann.ID)
				c.orphan(k.b)
				break
			}
			c.emit(Effect{Kind: EfNotify, Event: ann.ID})
			c.showPRs(k.b)
		case StoreFailed: // the state is served already: this is tried again by itself
			again := c.askOf(askPromote, k.b)
			if ann.Doomed == 0 {
				c.retryLater(again)
			} else {
				ann.Status = purgatory.Held
			}
		default:
			ann.Status = purgatory.Held
			if ann.Doomed == 0 {
				ann.Doomed = uint8(RepEndedRefused)
			}
		}
		c.refreshGroup(ann.Group)
	} else if v == StoredOK && ann.Status == purgatory.Held && (k.serial == 0 || k.serial == ann.Serial) {
		// An older version is served now: this newer one of a served announcement is taken at once (AN-04).
		ann.Status = purgatory.Releasing
		c.storeAnnouncement(k.b)
		c.refreshGroup(ann.Group)
	}
	if k.a != purgatory.None {
		r := c.releases.At(k.a)
		r.waiting--
		c.advance(k.a)
	}
	c.endDoomed(k.b)
}

// promoteShown promotes a held announcement whose own repository shows an authorised state already: a
// newer version that came while the older one was being stored (ST-09).
func (c *Core) promoteShown(a int32) {
	ann := c.anns.At(a)
	if ann.Status == purgatory.Held && !ann.Locked && ann.RepoExists && ann.Applied != purgatory.None &&
		len(c.states.At(ann.Applied).Refs) > 0 && c.isServed(ann.Applied) && c.authorises(ann, c.states.At(ann.Applied).Author) {
		ann.Status = purgatory.Releasing
		c.storeAnnouncement(a)
		c.refreshGroup(ann.Group)
	}
}
