package sim

import (
	"encoding/hex"
	"slices"
	"strings"

	"graspsync/core"
)

// judgePromises follows what is said of events: that what is taken may be taken, that deadlines are as long as they may be,
// and that what has ended stays away.
type judgePromises struct {
	begun    []core.EventID // held since this step began
	taken    []core.EventID // answered as held in this step
	refused  bool           // the step's own event was refused
	extended bool           // something else got a later deadline in it

	expired map[core.EventID]uint64 // step in which an event expired
	news    map[core.Handle]uint64  // step of the latest event, by identifier
	count   int                     // held events
	longest core.Time               // lifetimes of the run so far
	softest core.Time
}

func (j *judgePromises) init(s *Setup) {
	j.expired, j.news = make(map[core.EventID]uint64), make(map[core.Handle]uint64)
	j.longest, j.softest = s.Config.Lifetime, s.Config.SoftLifetime
}

// told notes a changed configuration.
func (j *judgePromises) told(c *core.Config) {
	j.longest, j.softest = max(j.longest, c.Lifetime), max(j.softest, c.SoftLifetime)
}

// came judges nothing; it notes that something new is known under an identifier (E-03).
func (o *Oracle) came(in *core.Input) {
	e := in.Event
	if e.Kind == core.KindAnnouncement {
		o.schedule.sources++
	}
	note := func(h core.Handle) {
		if h != 0 {
			o.promises.news[h] = o.step
		}
	}
	if _, before := o.promises.expired[e.ID]; before && in.Origin == core.FromSync {
		return // the same again is no news
	}
	note(e.Repo.Identifier)
	for _, r := range e.Repositories {
		note(r.Identifier)
	}
}

// takes judges what begins to be held. DL-01, S-04, S-06, E-03, E-05
func (o *Oracle) takes(e *core.Effect, r *heldRecord) {
	j := &o.promises
	j.begun = append(j.begun, e.Event)
	j.count++
	o.lifetime(e, j.longest)
	in := o.in
	if in.Kind != core.InEvent || in.Event.ID != e.Event {
		return
	}
	ev := in.Event
	if in.Deleted {
		o.violate("DL-01", "event %s is held although its author has deleted it", e.Event)
	}
	if wall := o.cfg.Wall + int64((o.now+o.held.offset)/core.Second); ev.CreatedAt > wall+int64(o.cfg.FutureSlack/core.Second) {
		o.violate("S-04", "event %s is held, but its created_at lies %d s ahead, more than %s", e.Event, ev.CreatedAt-wall, o.cfg.FutureSlack)
	}
	if j.count > o.cfg.HeldEvents {
		o.violate("S-06", "%d events are held, at most %d may be", j.count, o.cfg.HeldEvents)
	}
	step, before := j.expired[e.Event]
	known := len(j.expired) <= o.cfg.ExpiredIDs && o.cfg.ExpiredTTL >= core.Day && o.now < core.Day
	if in.Origin == core.FromSync && before && known && o.crash.up == 0 && o.held.offset == 0 && j.news[ev.Repo.Identifier] < step && len(ev.Repositories) == 0 {
		o.violate("E-03", "event %s is held again, but it expired and nothing new is known of its repository", e.Event)
	}
	delete(j.expired, e.Event)
}

// lifetime judges that a deadline lies no further ahead than one lifetime. E-01, E-05
func (o *Oracle) lifetime(e *core.Effect, span core.Time) {
	if e.Deadline != core.Never && o.held.offset == 0 && e.Deadline > o.now+span {
		o.violate("E-05", "event %s is kept until %s, must be until %s at the latest (%s)", e.Event, e.Deadline, o.now+span, e.Report)
	}
}

// keeps judges a new deadline. E-05
func (o *Oracle) keeps(e *core.Effect) {
	j := &o.promises
	if e.Report == core.RepSoftExpired {
		o.lifetime(e, j.softest)
		return
	}
	o.lifetime(e, j.longest)
	j.extended = true
}

// gone notes the end of a residence. Q-14
func (o *Oracle) gone(e *core.Effect, r *heldRecord) {
	j := &o.promises
	j.count--
	if e.Report == core.RepEndedExpired {
		j.expired[e.Event] = o.step
	}
	if few := 1000; o.cfg.Hunts < few || o.cfg.HuntsPerAuthor < few {
		return // with its hunt other events may go that hunt shares
	}
	if e.Report == core.RepEndedEvicted && r.arrived && !r.synced && r.kind != core.KindAnnouncement {
		o.violate("Q-14", "event %s had to make room, but a client has sent it", e.Event)
	}
}

// said notes an answer.
func (o *Oracle) said(e *core.Effect) {
	j := &o.promises
	switch {
	case e.OK && strings.HasPrefix(e.Text, "purgatory:"):
		j.taken = append(j.taken, e.Event)
	case !e.OK && o.in.Kind == core.InEvent && o.in.Event.ID == e.Event:
		j.refused = true
	}
}

// kept judges, at the end of a step, that what was answered as held is held (S-02), and that a refused event has given
// nobody more time (E-05).
func (o *Oracle) kept(overdue bool) {
	j := &o.promises
	for _, id := range j.taken {
		if r := o.held.find(id); !slices.Contains(j.begun, id) && (r == nil || !r.held) {
			o.violate("S-02", "event %s was answered as held, and is not", id)
		}
	}
	if j.refused && j.extended && !overdue {
		o.violate("E-05", "event %s is refused, and something is kept longer for it", o.in.Event.ID)
	}
	j.begun, j.taken, j.refused, j.extended = j.begun[:0], j.taken[:0], false, false
}

// unexplained judges at the end that every ref of a pull request belongs to one that is held or served, or to a placeholder. PR-03
func (o *Oracle) unexplained() {
	j := &o.repos
	if j.off() || o.crash.down || j.loose > 0 || j.stopping {
		return
	}
	for _, r := range j.byRepo {
		if r == nil || !j.view.Exists(r.repo) || r.name.work > 0 || r.name.failed != noDeadline && o.now <= r.name.failed+o.retrySpan() || r.going {
			continue
		}
		for _, ref := range j.local.Refs(r.repo) {
			text, nostr := strings.CutPrefix(o.name(ref.Name), "refs/nostr/")
			b, err := hex.DecodeString(text)
			if !nostr || err != nil || len(b) != len(core.EventID{}) {
				continue
			}
			id := core.EventID(b)
			x := o.held.find(id)
			if _, placed := o.places.index[place{r.repo, id}]; placed || j.store.Has(id) || x != nil && (x.held || x.storing > 0) {
				continue
			}
			o.violate("PR-03", "refs/nostr/%s of %s is there, but no event and no placeholder explains it", id, o.name(r.repo))
		}
	}
}
