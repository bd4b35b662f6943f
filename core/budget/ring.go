package budget

import (
	"graspsync/core/pq"
	"graspsync/core/value"
)

// Ticket is a place in the ring of one domain (D-05).
type Ticket int32

// NoTicket is no ticket.
const NoTicket Ticket = -1

type ticket struct {
	dom      Dom
	tag      uint64
	place    int64 // order in the ring; a granted ticket gets a new one, at the back
	author   int32 // slot if limited, else -1
	used     bool
	limited  bool
	eligible bool
	blocked  bool // eligible, but its author is at the cap
}

// Park puts a ticket at the back of d's ring, not yet eligible. tag is the caller's.
func (t *Table) Park(d Dom, tag uint64, limited bool, author PubKey) Ticket {
	var k Ticket
	if n := len(t.freeTick); n > 0 {
		k = t.freeTick[n-1]
		t.freeTick = t.freeTick[:n-1]
	} else {
		k = Ticket(len(t.tickets))
		t.tickets = append(t.tickets, ticket{})
		t.ticketPos = append(t.ticketPos, pq.Absent)
	}
	t.seq++
	t.tickets[k] = ticket{dom: d, tag: tag, place: t.seq, author: -1, used: true, limited: limited}
	if limited {
		a := t.openAuthor(author)
		t.author[a].tickets++
		t.tickets[k].author = a
	}
	t.doms[d].tickets++
	t.parked++
	return k
}

// Unpark takes a ticket out of the ring.
func (t *Table) Unpark(k Ticket, now Time) {
	tk := &t.tickets[k]
	t.SetEligible(k, false, now)
	if a := tk.author; a >= 0 {
		t.author[a].tickets--
		t.closeAuthor(a)
	}
	t.doms[tk.dom].tickets--
	t.parked--
	tk.used = false
	t.freeTick = append(t.freeTick, k)
	t.maybeIdle(tk.dom)
}

// SetEligible says whether the ticket's wave may start a pass here; its place is kept either way.
func (t *Table) SetEligible(k Ticket, yes bool, now Time) {
	tk := &t.tickets[k]
	if tk.eligible == yes {
		return
	}
	tk.eligible = yes
	first := &t.doms[tk.dom].eligible[t.lane(tk)]
	_, before, had := first.Top()
	if yes {
		t.enlist(k)
	} else {
		t.delist(k)
	}
	if _, after, has := first.Top(); had && has && before == after {
		return // behind the same first ticket the domain stands where it stood
	}
	t.refresh(tk.dom, now)
}

func (t *Table) lane(tk *ticket) int {
	if tk.limited {
		return 1
	}
	return 0
}

func (t *Table) enlist(k Ticket) {
	tk := &t.tickets[k]
	t.doms[tk.dom].eligible[t.lane(tk)].Set(t.ticketPos, tk.place, int32(k))
}

func (t *Table) delist(k Ticket) {
	tk := &t.tickets[k]
	if tk.blocked {
		tk.blocked = false
		list := t.author[tk.author].parked
		for i, other := range list {
			if other == k {
				t.author[tk.author].parked = append(list[:i], list[i+1:]...)
				break
			}
		}
		return
	}
	t.doms[tk.dom].eligible[t.lane(tk)].Remove(t.ticketPos, int32(k))
}

// NextGrant picks the ticket that may start a pass now, over all domains that have room: the one that
// has waited in its ring the longest (D-05, D-06). The ticket goes to the back of its ring and is no
// longer eligible; the caller must Start, and says anew when it is eligible. ok is false when none may.
func (t *Table) NextGrant(now Time) (k Ticket, ok bool) {
	for t.running < t.lim.Pressure {
		k = NoTicket
		lane := -1
		for l := range t.ready {
			if l == 1 && !t.shareFree() {
				continue
			}
			if place, _, some := t.ready[l].Top(); some && (lane < 0 || place < t.tickets[k].place) {
				_, d, _ := t.ready[l].Top()
				_, id, _ := t.doms[d].eligible[l].Top()
				k, lane = Ticket(id), l
			}
		}
		if lane < 0 {
			return NoTicket, false
		}
		tk := &t.tickets[k]
		if tk.limited && int(t.author[tk.author].running) >= t.lim.AuthorPasses {
			// The author has its fill: the ticket keeps its place and comes back with a slot (H-07).
			t.delist(k)
			tk.blocked = true
			t.author[tk.author].parked = append(t.author[tk.author].parked, k)
			t.refresh(tk.dom, now)
			continue
		}
		t.seq++
		t.delist(k)
		tk.eligible = false
		tk.place = t.seq
		t.refresh(tk.dom, now)
		return k, true
	}
	return NoTicket, false
}

// Tag is what the ticket was parked with.
func (t *Table) Tag(k Ticket) uint64 { return t.tickets[k].tag }

// Dom is the domain in whose ring the ticket stands.
func (t *Table) Dom(k Ticket) Dom { return t.tickets[k].dom }

// refresh puts d where it belongs among the domains that can grant, and arms its wake-up if only time
// stands in the way (D-06).
func (t *Table) refresh(d Dom, now Time) {
	t.clock = now
	dom := &t.doms[d]
	waiting := dom.eligible[0].Len()+dom.eligible[1].Len() > 0
	room, until := false, Time(value.Never)
	if waiting {
		room, until = t.hasRoom(d, now)
	}
	for l := range t.ready {
		place, _, some := dom.eligible[l].Top()
		if some && room {
			t.ready[l].Set(t.readyAt[l], place, int32(d))
		} else if t.readyAt[l][d] != pq.Absent {
			t.ready[l].Remove(t.readyAt[l], int32(d))
		}
	}
	if waiting && !room && until != value.Never {
		t.wake.Set(t.wakeAt, int64(until), int32(d))
	} else if t.wakeAt[d] != pq.Absent {
		t.wake.Remove(t.wakeAt, int32(d))
	}
}

// NextWake is the earliest instant at which Wake can change something.
func (t *Table) NextWake() Time {
	if at, _, ok := t.wake.Top(); ok {
		return Time(at)
	}
	return value.Never
}

// Wake looks again at the domains whose time has come; grants follow from NextGrant.
func (t *Table) Wake(now Time) {
	for {
		at, d, ok := t.wake.Top()
		if !ok || Time(at) > now {
			return
		}
		t.refresh(Dom(d), now)
	}
}

func (t *Table) openAuthor(key PubKey) int32 {
	if a, ok := t.authors[key]; ok {
		return a
	}
	var a int32
	if n := len(t.freeAuth); n > 0 {
		a = t.freeAuth[n-1]
		t.freeAuth = t.freeAuth[:n-1]
		t.author[a] = authorSlots{key: key, used: true, parked: t.author[a].parked[:0]}
	} else {
		a = int32(len(t.author))
		t.author = append(t.author, authorSlots{key: key, used: true})
	}
	t.authors[key] = a
	return a
}

func (t *Table) closeAuthor(a int32) {
	s := &t.author[a]
	if s.used && s.running == 0 && s.tickets == 0 {
		s.used = false
		delete(t.authors, s.key)
		t.freeAuth = append(t.freeAuth, a)
	}
}

// unblockAuthor lets the tickets held back for an author stand in their rings again (D-06).
func (t *Table) unblockAuthor(a int32, now Time) {
	list := t.author[a].parked
	t.author[a].parked = list[:0]
	for _, k := range list {
		t.tickets[k].blocked = false
		t.enlist(k)
		t.refresh(t.tickets[k].dom, now)
	}
}
