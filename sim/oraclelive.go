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

// LivenessBound is the longest an event may stay held once its data is reachable for good, in the sense
// of I-4, with waiting tickets ahead of its own on the domain:
//
//   - the first delay or the longest backoff, and the grid, until its next attempt;
//   - the rest of a cool-down, of its domain or of its URL after a stall;
//   - the attempt that runs now, until its old passes let it go;
//   - the grants ahead of its ticket, waiting + 5 (D-05), at the domain's rate, and at its concurrency
//     with every pass ahead taking as long as a silent one may (H-06);
//   - its own pass with a silent partner before it, and the head start of a hedge.
//
// Local work is taken to be instantaneous; a scenario with slow local work states a Bound of its own.
func LivenessBound(cfg *core.Config, waiting int) core.Time {
	ahead := core.Time(max(waiting, 0)) + 5
	pass := cfg.StallLimit + cfg.KillGrace
	bound := max(cfg.ClientDelay, cfg.SyncedDelay, cfg.BackoffCap) + 2*cfg.LoopInterval
	bound += max(cfg.CoolCap, cfg.URLCool) + cfg.GuestAge + cfg.HedgeHeadStart + 2*pass
	rate, slots := core.Time(max(cfg.DomainRate, 1)), core.Time(max(cfg.DomainConcurrency, 1))
	bound += (ahead + rate - 1) / rate * cfg.DomainWindow
	bound += (ahead - 5 + slots - 1) / slots * pass
	return bound
}

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
