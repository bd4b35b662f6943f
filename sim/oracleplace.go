package sim

import "graspsync/core"

// judgePlaces follows placeholders: refs pushed before their event, each for so long and ended once (PR-03). They
// are judged as residences are (I-16, I-17), but nothing keeps one past its deadline.
type judgePlaces struct {
	index map[place]int32
	recs  []placeRecord
	free  []int32
	due   *Queue
}

// place names a placeholder: refs/nostr/<event> of a repository.
type place struct {
	repo  core.Handle
	event core.EventID
}

type placeRecord struct {
	place
	held     bool
	deadline core.Time // by the wall clock
	look     core.Time // when it is looked at next
}

func (p *judgePlaces) init() {
	p.index = make(map[place]int32)
	p.due = NewQueue(RadixQueue)
}

// placed takes a report about a placeholder.
func (o *Oracle) placed(e *core.Effect) {
	p, key := &o.places, place{e.Repo, e.Event}
	i, known := p.index[key]
	if e.Report == core.RepPlaceholderEnded {
		if !known {
			o.violate("I-16", "placeholder refs/nostr/%s of %s ends, but there is none", e.Event, o.name(e.Repo))
			return
		}
		delete(p.index, key)
		p.recs[i].held = false
		p.free = append(p.free, i)
		return
	}
	if known {
		o.violate("I-16", "placeholder refs/nostr/%s of %s begins a second time", e.Event, o.name(e.Repo))
		return
	}
	if n := len(p.free); n > 0 {
		i, p.free = p.free[n-1], p.free[:n-1]
	} else {
		i = int32(len(p.recs))
		p.recs = append(p.recs, placeRecord{})
	}
	p.index[key] = i
	look := max(e.Deadline+o.placeSlack(), o.now)
	p.recs[i] = placeRecord{place: key, held: true, deadline: e.Deadline + o.held.offset, look: look}
	p.due.Push(look, uint64(i))
}

// placeSlack is the driver's own delay: late wakes, local work.
func (o *Oracle) placeSlack() core.Time { return o.cfg.LoopInterval + 2*o.checks.local }

// latePlaces looks at the placeholders that are past their deadline, strictly after it (T-02). I-17
func (o *Oracle) latePlaces() {
	p := &o.places
	if o.crash.down {
		return
	}
	for {
		at, ok := p.due.Peek()
		if !ok || at >= o.now {
			return
		}
		_, i, _ := p.due.Pop()
		r := &p.recs[i]
		if !r.held || r.look != at {
			continue
		}
		limit := r.deadline - o.held.offset + o.placeSlack()
		if o.crash.up > 0 {
			limit = max(limit, o.crash.up+o.placeSlack())
		}
		if limit < o.now {
			r.look = noDeadline
			o.violate("I-17", "placeholder refs/nostr/%s of %s is still there at %s, its deadline was %s", r.event, o.name(r.repo), o.now,
				r.deadline-o.held.offset)
			continue
		}
		r.look = limit
		p.due.Push(limit, uint64(i))
	}
}
