package fakes

import (
	"graspsync/core"
	"graspsync/sim"
)

// Record is one call as the host saw it.
type Record struct {
	At       core.Time
	Pass     core.AskID
	Calls    uint64 // of this host, up to and including this one
	Total    uint64 // HTTP requests of this host, up to and including this call
	URL      core.Handle
	Requests int32 // HTTP requests of this call
	Status   uint16
	Kind     sim.RequestKind
	Class    core.Class
}

// Tally counts calls at a host or URL since the start of the run.
type Tally struct {
	Calls    [3]uint64 // by sim.RequestKind
	Requests uint64    // HTTP
	Failed   uint64    // calls whose class is neither ok nor not-our-ref
	Bytes    int64     // sent
}

func (t *Tally) add(kind sim.RequestKind, requests int32, a *sim.Reply) {
	t.Calls[kind%3]++
	t.Requests += uint64(requests)
	t.Bytes += a.Bytes
	if a.Class != core.OK && a.Class != core.NotOurRef {
		t.Failed++
	}
}

// hostLog is a bounded ring of the last calls, oldest first from start.
type hostLog struct {
	ring  []Record
	start int
	calls uint64
	total uint64
}

func (l *hostLog) add(limit int, rec Record) {
	l.calls++
	l.total += uint64(rec.Requests)
	rec.Calls, rec.Total = l.calls, l.total
	if len(l.ring) < limit {
		l.ring = append(l.ring, rec)
		return
	}
	l.ring[l.start] = rec
	l.start++
	if l.start == len(l.ring) {
		l.start = 0
	}
}

func (l *hostLog) at(i int) *Record { return &l.ring[(l.start+i)%len(l.ring)] }

// after is the index of the oldest record later than t.
func (l *hostLog) after(t core.Time) int {
	lo, hi := 0, len(l.ring)
	for lo < hi {
		mid := int(uint(lo+hi) / 2)
		if l.at(mid).At > t {
			hi = mid
		} else {
			lo = mid + 1
		}
	}
	return lo
}

// between counts what came in (from, to]; whole is false when the ring has lost part of it.
func (l *hostLog) between(from, to core.Time) (calls, requests uint64, whole bool) {
	if len(l.ring) == 0 {
		return 0, 0, true
	}
	first, last := l.after(from), l.after(to)
	whole = first > 0 || l.at(0).Calls == 1
	if first >= last {
		return 0, 0, whole
	}
	f, t := l.at(first), l.at(last-1)
	return t.Calls - f.Calls + 1, t.Total - f.Total + uint64(f.Requests), whole
}
