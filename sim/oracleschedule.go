package sim

import (
	"slices"

	"graspsync/core"
)

// judgeSchedule follows when attempts begin: soon after an event comes (Q-03 … Q-05), with a bounded delay after the last
// one, each URL once; and that passes nobody wants are told to end (H-04, Q-02).
type judgeSchedule struct {
	hunts map[core.HuntID]*judgedHunt

	sources uint64 // counts announcements that came: a URL may go and come back with them

	ended  []core.HuntID // attempts that ended in this step with nothing to follow
	merged []core.HuntID // hunts that took another's passes over in this step
}

// judgedHunt is what is known of one hunt's attempts.
type judgedHunt struct {
	running bool
	attempt uint32
	asked   []core.Handle // URLs of this attempt …
	sources uint64        // … while these announcements stood
	news    core.EventID  // the event that is to be hunted soonest …
	due     core.Time     // … by then; noDeadline: none
}

func (j *judgeSchedule) init() { j.hunts = make(map[core.HuntID]*judgedHunt) }

func (j *judgeSchedule) hunt(id core.HuntID) *judgedHunt {
	h := j.hunts[id]
	if h == nil {
		h = &judgedHunt{due: noDeadline}
		j.hunts[id] = h
	}
	return h
}

func (o *Oracle) gridUp(t core.Time) core.Time {
	i := o.cfg.LoopInterval
	return (t + i - 1) / i * i
}

// news notes that an event is held for which a hunt is to begin, or to begin again.
func (o *Oracle) news(e *core.Effect) {
	if e.Hunt == 0 || o.in.Kind != core.InEvent || o.in.Event.ID != e.Event {
		return // held for another reason than its coming
	}
	delay := o.cfg.ClientDelay
	if o.in.Origin == core.FromSync {
		delay = o.cfg.SyncedDelay
	}
	h := o.schedule.hunt(e.Hunt)
	if at := o.now + delay; h.due == noDeadline || at < h.due {
		h.news, h.due = e.Event, at
	}
}

// begun judges the instant of an attempt against the event that asked for it.
func (o *Oracle) begun(e *core.Effect) {
	h := o.schedule.hunt(e.Hunt)
	if r := o.held.find(h.news); h.due != noDeadline && r != nil && r.held && o.now > o.gridUp(h.due)+o.checks.local {
		o.violate("Q-05", "hunt %d is tried at %s; event %s wanted it by %s", e.Hunt, o.now, h.news, o.gridUp(h.due))
	}
	h.running, h.attempt, h.asked, h.due = true, e.Attempt, h.asked[:0], noDeadline
}

// over notes the end of an attempt and judges what the core says of the next.
func (o *Oracle) over(e *core.Effect) {
	h := o.schedule.hunt(e.Hunt)
	h.running = false
	if e.Deadline == core.Never {
		h.due = noDeadline
		o.schedule.ended = append(o.schedule.ended, e.Hunt)
		return
	}
	if h.due != noDeadline {
		h.due = max(h.due, o.now)
	}
	if last := o.gridUp(o.now + max(o.cfg.BackoffCap, o.cfg.ClientDelay)); e.Deadline > last {
		o.violate("Q-09", "hunt %d is to be tried again at %s, must be by %s", e.Hunt, e.Deadline, last)
	}
}

// restarts: every hunt is due anew; that it is, I-15 judges.
func (j *judgeSchedule) restarts() {
	clear(j.hunts)
}

// asks judges that an attempt asks each URL once. A-01
func (o *Oracle) asks(e *core.Effect) {
	h := o.schedule.hunt(e.Hunt)
	if e.Attempt != h.attempt || e.Attempt == 0 || e.Wave != core.MainWave {
		return // what only pull requests name comes and goes with them
	}
	if h.sources != o.schedule.sources {
		h.sources, h.asked = o.schedule.sources, h.asked[:0]
	}
	if slices.Contains(h.asked, e.URL) {
		o.violate("A-01", "attempt %d of hunt %d asks %s a second time", e.Attempt, e.Hunt, o.name(e.URL))
	}
	h.asked = append(h.asked, e.URL)
}

// wasted judges, at the end of a step, that passes which nothing wants any more were told to end: those of an attempt that
// ended with nothing to follow (H-04), and the younger of two on one URL after a merge.
func (o *Oracle) wasted() {
	j := &o.schedule
	for i := range o.passes.bySlot {
		p := &o.passes.bySlot[i]
		if p.ask == 0 || p.ending || len(j.ended)+len(j.merged) == 0 {
			continue
		}
		if slices.Contains(j.ended, p.hunt) && !slices.Contains(j.merged, p.hunt) {
			o.violate("H-04", "pass %s to %s goes on, but its hunt %d wants nothing", p.ask, o.name(p.url), p.hunt)
		}
		if !slices.Contains(j.merged, p.hunt) {
			continue
		}
		for k := range i {
			if x := &o.passes.bySlot[k]; x.ask != 0 && !x.ending && x.hunt == p.hunt && x.kind == p.kind && x.url == p.url {
				o.violate("Q-02", "passes %s and %s both go on on %s after their hunts merged", x.ask, p.ask, o.name(p.url))
			}
		}
	}
	j.ended, j.merged = j.ended[:0], j.merged[:0]
}
