package budget

import (
	"errors"
	"strconv"

	"graspsync/core/pq"
	"graspsync/core/value"
)

// Check sweeps the whole table and names the first thing that does not agree with the rest: counts with
// what they count, heaps with tickets, the ready and wake sets with what refresh would make of them at
// the last instant the table was told. It changes nothing, costs O(all), and is for tests and for the
// core's own Check (I-8).
func (t *Table) Check() error {
	for _, part := range [...]func() error{t.checkDomains, t.checkTickets, t.checkAuthors, t.checkReady} {
		if err := part(); err != nil {
			return err
		}
	}
	return nil
}

func checkFailed(what string, id int, got, want int64) error {
	return errors.New("budget: " + what + " of slot " + strconv.Itoa(id) + " is " + strconv.FormatInt(got, 10) +
		", should be " + strconv.FormatInt(want, 10))
}

type count struct {
	what      string
	got, want int64
}

func checkCounts(id int, counts ...count) error {
	for _, c := range counts {
		if c.got != c.want {
			return checkFailed(c.what, id, c.got, c.want)
		}
	}
	return nil
}

func truth(b bool) int64 {
	if b {
		return 1
	}
	return 0
}

// checkDomains: slots and handles, sums of permits, windows in order, health that fits together.
func (t *Table) checkDomains() error {
	used, running := 0, int64(0)
	for i := range t.doms {
		dom := &t.doms[i]
		if !dom.used {
			if dom.inFlight != 0 || dom.tickets != 0 || dom.refs != 0 || dom.stamps.n != 0 || dom.probation || dom.queued {
				return errors.New("budget: forgotten domain slot " + strconv.Itoa(i) + " still holds something")
			}
			continue
		}
		used++
		running += int64(dom.inFlight)
		at, known := t.byHandle[dom.handle]
		idle := dom.refs == 0 && dom.inFlight == 0 && dom.tickets == 0
		sum := int64(0)
		for j := dom.requests.head; j < len(dom.requests.n); j++ {
			sum += dom.requests.n[j]
			if j > dom.requests.head && dom.requests.at[j] <= dom.requests.at[j-1] {
				return errors.New("budget: request stamps of slot " + strconv.Itoa(i) + " are out of order")
			}
		}
		for j := 1; j < dom.stamps.n; j++ {
			if dom.stamps.at(j) < dom.stamps.at(j-1) {
				return errors.New("budget: start stamps of slot " + strconv.Itoa(i) + " are out of order")
			}
		}
		if err := checkCounts(i,
			count{"handle known", truth(known), 1}, count{"slot by handle", int64(at), int64(i)},
			count{"negative permits", truth(dom.inFlight < 0 || dom.fresh < 0 || dom.fresh > dom.inFlight), 0},
			count{"negative references", truth(dom.refs < 0), 0},
			count{"requests in the window", dom.requests.sum, sum},
			count{"idle but not queued to be forgotten", truth(idle && !dom.queued), 0},
			count{"failures off probation", truth(!dom.probation &&
				(dom.record != record{} || dom.localRounds != 0 || dom.coolUntil != 0)), 0},
			count{"lookup failures beyond failures", truth(dom.lookups > dom.failures), 0},
		); err != nil {
			return err
		}
	}
	return checkCounts(-1, count{"domains by handle", int64(len(t.byHandle)), int64(used)},
		count{"domain slots", int64(len(t.doms)), int64(used + len(t.free))},
		count{"permits out", int64(t.running), running},
		count{"addresses beyond permits", truth(len(t.addresses) > t.running), 0})
}

// checkTickets: every ticket is where its flags say, and nowhere else.
func (t *Table) checkTickets() error {
	parked := 0
	perDom := make([]int64, len(t.doms))
	inHeap := make([][2]int64, len(t.doms))
	for i := range t.tickets {
		tk := &t.tickets[i]
		pos := t.ticketPos[i]
		if !tk.used {
			if pos != pq.Absent {
				return checkFailed("heap position of a ticket that is gone", i, int64(pos), int64(pq.Absent))
			}
			continue
		}
		parked++
		perDom[tk.dom]++
		listed := 0
		if tk.author >= 0 {
			for _, k := range t.author[tk.author].parked {
				listed += int(truth(k == Ticket(i)))
			}
		}
		if err := checkCounts(i, count{"ticket's domain in use", truth(t.doms[tk.dom].used), 1},
			count{"author given", truth(tk.author >= 0), truth(tk.limited)},
			count{"blocked but not eligible", truth(tk.blocked && !tk.eligible), 0},
			count{"times held back for its author", int64(listed), truth(tk.blocked)},
			count{"in a heap", truth(pos != pq.Absent), truth(tk.eligible && !tk.blocked)},
			count{"place from the future", truth(tk.place > t.seq), 0}); err != nil {
			return err
		}
		if pos == pq.Absent {
			continue
		}
		l := t.lane(tk)
		heap := &t.doms[tk.dom].eligible[l]
		inHeap[tk.dom][l]++
		if int(pos) >= heap.Len() {
			return checkFailed("heap position", i, int64(pos), int64(heap.Len()-1))
		}
		key, id := heap.At(int(pos))
		if err := checkCounts(i, count{"ticket at its position", int64(id), int64(i)}, count{"key", key, tk.place}); err != nil {
			return err
		}
	}
	for d := range t.doms {
		if err := checkCounts(d, count{"tickets", int64(t.doms[d].tickets), perDom[d]},
			count{"eligible tickets", int64(t.doms[d].eligible[0].Len()), inHeap[d][0]},
			count{"eligible limited tickets", int64(t.doms[d].eligible[1].Len()), inHeap[d][1]},
			count{"heap order broken", truth(!ordered(&t.doms[d].eligible[0]) || !ordered(&t.doms[d].eligible[1])), 0}); err != nil {
			return err
		}
	}
	return checkCounts(-1, count{"tickets parked", int64(t.parked), int64(parked)},
		count{"ticket slots", int64(len(t.tickets)), int64(parked + len(t.freeTick))})
}

func ordered(h *pq.Heap) bool {
	for i := 1; i < h.Len(); i++ {
		above, a := h.At((i - 1) / 2)
		below, b := h.At(i)
		if above > below || above == below && a > b {
			return false
		}
	}
	return true
}

// checkAuthors: shares add up, and a ticket is held back only while its author is at the cap (D-06).
func (t *Table) checkAuthors() error {
	used, limited := 0, int64(0)
	tickets := make([]int64, len(t.author))
	for i := range t.tickets {
		if tk := &t.tickets[i]; tk.used && tk.author >= 0 {
			tickets[tk.author]++
		}
	}
	for i := range t.author {
		a := &t.author[i]
		limited += int64(a.running)
		if !a.used {
			if err := checkCounts(i, count{"passes of a closed author", int64(a.running), 0},
				count{"tickets of a closed author", int64(a.tickets), 0}); err != nil {
				return err
			}
			continue
		}
		used++
		at, known := t.authors[a.key]
		if err := checkCounts(i, count{"author known", truth(known), 1}, count{"slot of the author", int64(at), int64(i)},
			count{"author's tickets", int64(a.tickets), tickets[i]},
			count{"author holding nothing", truth(a.tickets == 0 && a.running == 0), 0},
			count{"held back below the cap", truth(len(a.parked) > 0 && int(a.running) < t.lim.AuthorPasses), 0},
		); err != nil {
			return err
		}
	}
	return checkCounts(-1, count{"authors by key", int64(len(t.authors)), int64(used)},
		count{"author slots", int64(len(t.author)), int64(used + len(t.freeAuth))},
		count{"limited permits out", int64(t.limited), limited})
}

// checkReady: a domain stands among the ready ones if it has room and somebody waits, unless its wake-up
// is still to come; and if only time is in the way a wake-up is armed, not too late (D-06).
func (t *Table) checkReady() error {
	var members [2]int
	wakes := 0
	for d := range t.doms {
		dom := &t.doms[d]
		waiting := dom.eligible[0].Len()+dom.eligible[1].Len() > 0
		armed := value.Never
		if pos := t.wakeAt[d]; pos != pq.Absent {
			wakes++
			at, _ := t.wake.At(int(pos))
			armed = Time(at)
		}
		room, until := false, value.Never
		if waiting {
			room, until = t.roomAt(dom, t.clock)
		}
		due := armed <= t.clock // refresh has not looked since
		for l := range t.ready {
			place, _, some := dom.eligible[l].Top()
			pos := t.readyAt[l][d]
			in := pos != pq.Absent
			if err := checkCounts(d, count{"ready without room", truth(in && !(some && room)), 0},
				count{"room but neither ready nor due", truth(some && room && !in && !due), 0}); err != nil {
				return err
			}
			if in {
				members[l]++
				key, _ := t.ready[l].At(int(pos))
				if key != place {
					return checkFailed("key among the ready", d, key, place)
				}
			}
		}
		if err := checkCounts(d, count{"wake-up with nobody waiting", truth(armed != value.Never && !waiting), 0},
			count{"wake-up later than room", truth(waiting && !room && armed > until), 0}); err != nil {
			return err
		}
	}
	return checkCounts(-1, count{"ready domains", int64(t.ready[0].Len()), int64(members[0])},
		count{"ready domains for limited passes", int64(t.ready[1].Len()), int64(members[1])},
		count{"wake-ups", int64(t.wake.Len()), int64(wakes)},
		count{"heap order broken", truth(!ordered(&t.ready[0]) || !ordered(&t.ready[1]) || !ordered(&t.wake)), 0})
}

// roomAt is hasRoom told apart from the windows it prunes: it counts instead.
func (t *Table) roomAt(dom *domain, now Time) (ok bool, until Time) {
	if dom.coolUntil > now {
		return false, dom.coolUntil
	}
	if dom.inFlight >= dom.concurrency {
		return false, value.Never
	}
	if dom.probation && dom.fresh > 0 && now < t.forgetAt(dom) {
		return false, t.forgetAt(dom)
	}
	edge := now - t.lim.Window
	starts, requests := dom.stamps.n, dom.requests.sum
	for starts > 0 && dom.stamps.at(dom.stamps.n-starts) <= edge {
		starts--
	}
	for i := dom.requests.head; i < len(dom.requests.at) && dom.requests.at[i] <= edge; i++ {
		requests -= dom.requests.n[i]
	}
	limit := int64(t.lim.Requests)
	if t.lim.RequestUnit {
		limit = int64(dom.rate)
	} else if starts >= int(dom.rate) {
		return false, dom.stamps.at(dom.stamps.n-int(dom.rate)) + t.lim.Window
	}
	return t.roomForRequests(dom, requests, limit)
}
