package sim

import (
	"slices"

	"graspsync/core"
)

// replaced tells whether the store has another version of an announcement or state: what was about to be
// stored when the process died takes the place of what was served then.
func (w *World) replaced(old *core.Event) bool {
	if old.Kind != core.KindAnnouncement && old.Kind != core.KindState {
		return false
	}
	return slices.ContainsFunc(w.journal.events, func(e *core.Event) bool {
		return e.ID != old.ID && e.Kind == old.Kind && e.Author == old.Author && e.Repo.Identifier == old.Repo.Identifier && w.setup.Store.Has(e.ID)
	})
}

// deleted tells whether the store has a deletion by its author that reaches an event: it was about to be stored when
// the process died (DL-01).
func (w *World) deleted(old *core.Event) bool {
	return slices.ContainsFunc(w.journal.events, func(e *core.Event) bool {
		if e.Kind != core.KindDeletion || e.Author != old.Author || !w.setup.Store.Has(e.ID) {
			return false
		}
		return slices.Contains(e.Targets, old.ID) || old.CreatedAt <= e.CreatedAt && slices.ContainsFunc(e.Coordinates, func(d core.Deleted) bool {
			return d.Kind == old.Kind && d.Owner == old.Author && d.Identifier == old.Repo.Identifier
		})
	})
}

// early judges that no state or PR goes to the store, after a crash, while its objects are in no repository
// of its name. I-15
func (w *World) early() {
	j := &w.journal
	for i := range w.out {
		e := &w.out[i]
		if e.Kind == core.EfRemoveEvent { // what it says of that event from now on is another matter
			j.served = slices.DeleteFunc(j.served, func(id core.EventID) bool { return id == e.Event })
		}
		at, ok := j.eventAt[e.Event]
		if !ok {
			continue
		}
		switch {
		case e.Kind == core.EfStoreEvent && !w.complete(j.events[at]):
			w.violate("I-15", "event "+e.Event.String()+" goes to the store after a crash, but its data is not here")
		case e.Kind == core.EfReport && e.Report == core.RepHeld && slices.Contains(j.served, e.Event) && w.setup.Store.Has(e.Event):
			w.violate("I-15", "event "+e.Event.String()+" was served before the crash and is held after it")
		}
	}
}

// complete tells whether one repository has all that an event needs; announcements need nothing here.
func (w *World) complete(ev *core.Event) bool {
	var needed []core.OID
	switch ev.Kind {
	case core.KindState:
		if ev.Unsatisfied {
			return false
		}
		for _, r := range ev.Refs {
			needed = append(needed, r.OID)
		}
	case core.KindPR, core.KindPRUpdate:
		needed = append(needed, ev.Commit)
	}
	if len(needed) == 0 {
		return true
	}
	slices.SortFunc(needed, core.OID.Compare)
	needed = slices.Compact(needed)
	for _, a := range w.journal.events {
		if a.Kind == core.KindAnnouncement && len(w.setup.Local.Check(a.Repo.Repo, needed, nil)) == len(needed) {
			return true
		}
	}
	return false
}
