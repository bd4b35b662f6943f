package sim

import (
	"fmt"

	"graspsync/core"
)

// deadlines compares until when an event was to be held: each time it was told anew, as long as both were held.
func (c *comparison) deadlines(e *core.Event, a, b *EventRecord) string {
	if len(a.History) == 0 || len(b.History) == 0 || a.History[0].At != b.History[0].At {
		return "" // it was taken sooner, for the hostile listing alone or for what was found sooner
	}
	if c.soonerUnder(e.Repo.Identifier) {
		return ""
	}
	return c.outlived(a, b)
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
