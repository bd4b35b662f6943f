package sim

import "graspsync/core"

// watch is the liveness expectation of one event (I-4).
type watch struct {
	Reachable
	heldAt, deadline, endedAt core.Time
	ended                     core.ReportKind
}

func (o *Oracle) watch(id core.EventID) *watch {
	if len(o.held.watches) == 0 {
		return nil
	}
	if i, ok := o.held.watchAt[id]; ok {
		return &o.held.watches[i]
	}
	return nil
}

// LivenessBound is the longest an event may stay held once its data is in reach for good: I-4's published
// bound, a function of the configuration and of waiting alone. waiting counts the tickets that may stand
// before its own on any domain of its sources.
//
// In reach means that from then on one of its sources has all it needs, advertised, and answers whole
// passes within the hedge head start; that at most two other sources of its hunt are slower than that, and
// none of them for ever faster than a stall (H-06); and that nobody queues for those two. Local work takes
// no time. The worst case has these parts, one after the other:
//
//	recovery  a pass that began too early and stalls, then the cool-down of the domain or the rest of the
//	          URL, or the next try of an unreachable domain (D-07, H-06)
//	attempt   the attempt that runs then and has asked the source already: its tickets elsewhere, a hedge,
//	          and its last passes until they let it go
//	backoff   or a first delay, and the grid
//	turn      in the next attempt: two slow passes hold the wave until they stall (H-01), or a head start
//	          passes (H-02); then the ticket's turn (D-05)
//	pass      its own, within a head start
//
// With the default configuration: SteadyBound, which is without recovery, 13m42s for an empty ring.
func LivenessBound(cfg *core.Config, waiting int) core.Time {
	recovery := cfg.StallLimit + cfg.KillGrace + max(cfg.CoolCap, cfg.URLCool, cfg.UnreachableTry)
	return recovery + SteadyBound(cfg, waiting)
}

// SteadyBound is LivenessBound for a source that has answered whole passes within the head start since the
// run began, so that nothing about it needs to recover. I-4
func SteadyBound(cfg *core.Config, waiting int) core.Time {
	turns := ring(cfg, waiting)
	attempt := turns + cfg.HedgeHeadStart + cfg.GuestAge
	backoff := max(cfg.ClientDelay, cfg.SyncedDelay, cfg.BackoffCap) + 2*cfg.LoopInterval
	turn := cfg.StallLimit + cfg.KillGrace + cfg.HedgeHeadStart + turns
	return attempt + backoff + turn + cfg.HedgeHeadStart
}

// ring is how long a ticket may wait with so many others before it: the grants of D-05 at the rate of the
// domain, where each may use all the requests a pass may need (D-03), and at its concurrency with passes of
// a head start each.
func ring(cfg *core.Config, waiting int) core.Time {
	const others = 7 // requests of a pass beside its probes: compare, and two fetches of three
	perWindow := max(min(cfg.DomainRate, cfg.DomainRequests/(others+cfg.ResidualProbes)), 1)
	if cfg.RequestUnit {
		perWindow = 1
	}
	waiting = max(waiting, 0)
	return up(waiting+fairSlack, perWindow)*cfg.DomainWindow + up(waiting, max(cfg.DomainConcurrency, 1))*cfg.HedgeHeadStart
}

func up(n, by int) core.Time { return core.Time((n + by - 1) / by) }

// unreleased judges the expectations at the end: data in reach from From (or from the moment it is held,
// if later) and time enough before the deadline and the end of the run means released in time. I-4
func (o *Oracle) unreleased(end core.Time) {
	for i := range o.held.watches {
		w := &o.held.watches[i]
		if w.heldAt == noDeadline {
			continue // never held: served at once, refused, or never delivered
		}
		bound := w.Bound
		if bound == 0 {
			bound = LivenessBound(&o.cfg, w.Waiting)
		}
		due := max(w.From, w.heldAt) + bound
		if due > w.deadline || due > end {
			continue
		}
		switch {
		case w.endedAt == noDeadline:
			o.violate("I-4", "event %s is still held at %s; its data is in reach since %s, so it was due by %s", w.Event, end, w.From, due)
		case w.ended == core.RepEndedReleased && w.endedAt > due:
			o.violate("I-4", "event %s was released at %s; its data is in reach since %s, so it was due by %s", w.Event, w.endedAt, w.From, due)
		case w.ended == core.RepEndedExpired:
			o.violate("I-4", "event %s expired at %s; its data is in reach since %s, so it was due by %s", w.Event, w.endedAt, w.From, due)
		}
	}
}
