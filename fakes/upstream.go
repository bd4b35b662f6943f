package fakes

import (
	"cmp"
	"slices"

	"graspsync/core"
	"graspsync/core/value"
	"graspsync/sim"
)

// maxReplays bounds the copies one relay sends of one event.
const maxReplays = 10_000

// UpstreamRelay is a relay we sync from. It delivers events at instants, some twice, some out of order,
// and says everything again every Replay.
type UpstreamRelay struct {
	Name      string
	Duplicate Ratio     // share of events sent twice; the zero Ratio here means none
	Within    core.Time // the second copy comes at most this much later
	Reorder   core.Time // each copy is late by up to this, so that neighbours swap
	Replay    core.Time // everything again this often; 0 = never
	Until     core.Time // nothing is sent at or after this; 0 = never ends, for which Replay must be 0

	seed   uint64
	from   core.Handle
	events []delivery
}

type delivery struct {
	at    core.Time
	event *core.Event
}

// NewUpstreamRelay is a relay that says nothing yet.
func NewUpstreamRelay(names *value.Names, name string, seed uint64) *UpstreamRelay {
	return &UpstreamRelay{Name: name, seed: seed ^ textKey(name), from: names.Handle(name)}
}

// Deliver has the relay send an event at an instant.
func (u *UpstreamRelay) Deliver(at core.Time, events ...*core.Event) *UpstreamRelay {
	for _, e := range events {
		u.events = append(u.events, delivery{at, e})
	}
	return u
}

// Arrivals is everything the relay sends, in order of time.
func (u *UpstreamRelay) Arrivals() []sim.Arrival {
	var out []sim.Arrival
	for i := range u.events {
		d := &u.events[i]
		key := entityOf(d.event)
		for n := uint64(0); n < maxReplays; n++ {
			at := d.at + core.Time(n)*u.Replay
			if u.Until > 0 && at >= u.Until || n > 0 && (u.Replay <= 0 || u.Until == 0) {
				break
			}
			out = u.send(out, at+u.late(forReorder, key, 2*n, u.Reorder), d.event)
			if u.Duplicate.Den > 0 && u.Duplicate.hit(keyed(u.seed, key, forDuplicate, 2*n)) {
				out = u.send(out, at+u.late(forDuplicate, key, 2*n+1, u.Within), d.event)
			}
		}
	}
	return Interleave(out)
}

// entityOf keys noise by the event, so that removing one event moves no other.
func entityOf(e *core.Event) uint64 {
	k := uint64(0)
	for i := 0; i < 8; i++ {
		k = k<<8 | uint64(e.ID[i])
	}
	return k
}

// late is a keyed delay of 0 to most.
func (u *UpstreamRelay) late(purpose, key, n uint64, most core.Time) core.Time {
	if most <= 0 {
		return 0
	}
	return core.Time(below(keyed(u.seed, key, purpose, n), uint64(most)+1))
}

func (u *UpstreamRelay) send(out []sim.Arrival, at core.Time, e *core.Event) []sim.Arrival {
	return append(out, sim.Arrival{At: at, Input: core.Input{Kind: core.InEvent, Event: e, Origin: core.FromSync, From: u.from}})
}

// Interleave merges lists of arrivals into one in order of time; at one instant the order of the lists,
// and within a list its own order, stays.
func Interleave(lists ...[]sim.Arrival) []sim.Arrival {
	all := slices.Concat(lists...)
	slices.SortStableFunc(all, func(a, b sim.Arrival) int { return cmp.Compare(a.At, b.At) })
	return all
}
