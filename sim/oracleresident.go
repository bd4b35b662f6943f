package sim

import (
	"slices"

	"graspsync/core"
)

// begins, moved and ends follow residences of announcements and states.
func (j *judgeRepos) begins(o *Oracle, r *heldRecord) {
	if j.off() {
		return
	}
	j.fresh = append(j.fresh, r.id)
	if r.event == nil {
		r.event = j.memory[r.id]
		delete(j.memory, r.id)
	}
	e := r.event
	switch {
	case e == nil:
	case e.Kind == core.KindAnnouncement:
		x := j.at(e)
		if x.replaced != nil && x.replacedAt == o.step && newer(x.replaced, e) {
			o.violate("E-06", "announcement %s takes the place of %s, which is newer", e.ID, x.replaced.ID)
		}
		x.replaced = nil
		x.held, x.soft = e, false
		j.touch(x.name)
	case e.Kind == core.KindState:
		n := j.name(e.Repo.Identifier)
		n.held = append(n.held, e)
		j.touch(n)
	}
}

func (j *judgeRepos) moved(_ *Oracle, r *heldRecord, why core.ReportKind) {
	if j.off() || r.event == nil || r.event.Kind != core.KindAnnouncement {
		return
	}
	x := j.at(r.event)
	switch why {
	case core.RepSoftExpired:
		x.soft = true
	case core.RepRevived:
		x.soft = false
	}
	j.touch(x.name)
}

func (j *judgeRepos) ends(o *Oracle, r *heldRecord, why core.ReportKind) {
	if j.off() {
		return
	}
	if why != core.RepEndedReleased {
		o.unanswered(r)
	}
	e := r.event
	if why == core.RepEndedDeleted && e != nil && (e.Kind == core.KindAnnouncement || e.Kind == core.KindState) {
		j.memory[r.id] = e // nobody authorises it any more: remembered as a refused one is (S-05, I-11)
	}
	switch {
	case e == nil:
	case e.Kind == core.KindAnnouncement:
		if x := j.at(e); x.held == e {
			x.held, x.soft, x.expired = nil, false, why == core.RepEndedExpired
			if x.replaced = nil; why == core.RepEndedReplaced {
				x.replaced, x.replacedAt = e, o.step
			}
			j.touch(x.name)
		}
	case e.Kind == core.KindState:
		n := j.name(e.Repo.Identifier)
		if i := slices.Index(n.held, e); i >= 0 {
			n.held = slices.Delete(n.held, i, i+1)
		}
		j.touch(n)
	}
}

// refused remembers an announcement or state that was not taken: the relay may think again (S-05).
func (j *judgeRepos) refused(r *heldRecord) {
	if e := r.event; !j.off() && e != nil && (e.Kind == core.KindAnnouncement || e.Kind == core.KindState) {
		j.memory[r.id] = e
	}
}
