package core

import "graspsync/core/purgatory"

// namesHere tells whether an event names a repository accepted here, held or served.
func (c *Core) namesHere(e *Event) bool {
	for i := range e.Repositories {
		if c.announcementOf(e.Repositories[i].Identifier, e.Repositories[i].Owner) != purgatory.None {
			return true
		}
	}
	return false
}

// related tells whether an event belongs here: it names an accepted repository, names or is named by an event that
// is known here, or the store says the same of what it has accepted, which makes the rule transitive (RE-01).
func (c *Core) related(in *Input) bool {
	e := in.Event
	if in.Related || c.cfg.GeneralRelay || c.namesHere(e) || c.mentioned[e.ID] > 0 {
		return true
	}
	for i := range e.Mentions {
		if loc, known := c.where[e.Mentions[i]]; known && loc.kind != recPending {
			return true
		}
	}
	return false
}

// mention counts the ids that held pull requests name: events called by these are accepted (RE-01).
func (c *Core) mention(ids []EventID, by int32) {
	for _, id := range ids {
		if n := c.mentioned[id] + by; n > 0 {
			c.mentioned[id] = n
		} else {
			delete(c.mentioned, id)
		}
	}
}

// Knowledge is what the core knows of an event's id.
type Knowledge uint8

// What may be known, for a driver that decides what to ask other relays for (S-05, E-03).
const (
	Unknown       Knowledge = iota // ask for it
	KnownHeld                      // in purgatory, or about to be stored
	KnownServed                    // an announcement, state or pull request that is served
	KnownExpired                   // expired without its data, and nothing new is known since
	KnownRejected                  // refused, and nothing has changed since
)

// Knows tells what is known of an event's id. It changes nothing that shows.
func (c *Core) Knows(id EventID) Knowledge {
	if loc, ok := c.where[id]; ok {
		if c.servedAt(loc) {
			return KnownServed
		}
		return KnownHeld
	}
	switch {
	case c.expired.Has(id, c.life()):
		return KnownExpired
	case c.rejected.ids.Has(id, c.life()):
		return KnownRejected
	}
	return Unknown
}
