package sim

import (
	"fmt"
	"slices"

	"graspsync/core"
)

// deadlines compares until when an event was to be held: each time it was told anew, as long as both were held.
func (c *comparison) deadlines(e *core.Event, a, b *EventRecord, helped bool) string {
	if helped && (len(a.History) == 0 || len(b.History) == 0 || a.History[0].At != b.History[0].At) {
		return "" // it was taken sooner, for the hostile listing alone
	}
	if c.pushedTo(e) {
		return c.outlived(a, b)
	}
	x, y := lifetimes(a), lifetimes(b)
	for i := range min(len(x), len(y)) {
		if x[i] != y[i] && !(helped && x[i] > y[i]) {
			return fmt.Sprintf("held until %s with them, until %s without", x[i], y[i])
		}
		if helped && x[i] != y[i] {
			break
		}
	}
	return ""
}

// pushedTo tells whether a hostile author pushes to the repository of an announcement. Refs of pull requests keep it from
// being removed, so that it may stay longer (E-04, I-7).
func (c *comparison) pushedTo(e *core.Event) bool {
	return e.Kind == core.KindAnnouncement && slices.ContainsFunc(c.a.setup.Arrivals, func(x Arrival) bool {
		return x.Push != nil && c.h.acts(&x) && x.Push.Push.Repo.Repo == e.Repo.Repo
	})
}

// outlived demands that whenever a deadline was told without them, there is one as late with them.
func (c *comparison) outlived(a, b *EventRecord) string {
	for i := range b.History {
		told := &b.History[i]
		if told.Report != core.RepHeld && told.Report != core.RepExtended && told.Report != core.RepRevived {
			continue
		}
		latest := core.Time(-1)
		for k := range a.History {
			if x := &a.History[k]; x.At <= told.At && (x.Report == core.RepHeld || x.Report == core.RepExtended || x.Report == core.RepRevived) {
				latest = x.Deadline
			}
		}
		if latest < told.Deadline {
			return fmt.Sprintf("at %s held until %s with them, until %s without", told.At, latest, told.Deadline)
		}
	}
	return ""
}

// lifetimes are the deadlines of an event while it is active, in order. The end of a soft expiry counts from when
// the repository was gone, and is left out.
func lifetimes(r *EventRecord) (out []core.Time) {
	for i := range r.History {
		switch h := &r.History[i]; h.Report {
		case core.RepHeld, core.RepExtended, core.RepRevived:
			out = append(out, h.Deadline)
		}
	}
	return out
}
