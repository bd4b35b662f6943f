package budget

import (
	"errors"
	"strconv"

	"graspsync/core/pq"
	"graspsync/core/value"
	"graspsync/core/wire"
)

// Least bytes of the encoded records, for the bounds of their lists.
const (
	stampSize  = 8
	tallySize  = 16
	dnsSize    = 4 + 8 + 4 + 4 + 8 + 1 + 8
	wholeLimit = 1 << 30 // of counts that are added up
)

// Code writes or reads the table: everything that influences what comes later. Maps, heaps,
// positions and limits are made anew from the rest; AdoptPermits completes a table that was read. now is
// the instant of the latest Step.
//
// The slots, the order in which free ones are used again and the windows as they lie are part of it: a
// window is pruned in passing, and a longer one may come with a change of the limits.
func (t *Table) Code(w *wire.Coder, now Time) {
	w.Section("domains")
	t.codeDomains(w)
	wire.List(w, &t.free, 4, wire.I32[Dom])
	w.Section("tickets")
	wire.List(w, &t.tickets, 1, codeTicket)
	wire.List(w, &t.freeTick, 4, wire.I32[Ticket])
	wire.I64(w, &t.seq)
	w.Section("shares of authors")
	wire.List(w, &t.author, 1, codeAuthor)
	wire.List(w, &t.freeAuth, 4, wire.Slot)
	w.Section("failures to resolve")
	wire.List(w, &t.dns, dnsSize, codeDNS)
	w.Bool(&t.local)
	w.Section("budget")
	if !w.Reading() {
		t.codeQueues(w)
		return
	}
	if w.Err() != nil {
		return
	}
	t.clock = now
	if err := t.rebuild(now); err != nil {
		w.Fail(err.Error())
		return
	}
	t.codeQueues(w)
}

func (t *Table) codeDomains(w *wire.Coder) {
	if wire.List(w, &t.doms, 1, codeDomain); !w.Reading() {
		return
	}
	for l := range t.ready {
		t.readyAt[l] = absent(len(t.doms))
	}
	t.wakeAt = absent(len(t.doms))
}

func absent(n int) []int32 {
	pos := make([]int32, n)
	for i := range pos {
		pos[i] = pq.Absent
	}
	return pos
}

func codeDomain(w *wire.Coder, d *domain) {
	if w.Bool(&d.used); !d.used {
		return
	}
	wire.Handle(w, &d.handle)
	w.Bool(&d.probation)
	wire.Slot(w, &d.inFlight)
	wire.Slot(w, &d.fresh)
	wire.Slot(w, &d.tickets)
	wire.Slot(w, &d.refs)
	d.stamps.code(w)
	d.requests.code(w)
	wire.I64(w, &d.reserved)
	d.record.code(w)
	wire.U32(w, &d.round)
	wire.Slot(w, &d.localRounds)
	wire.Time(w, &d.coolStart)
	wire.Time(w, &d.coolUntil)
	wire.Handle(w, &d.stalledURL)
	wire.Time(w, &d.stalledAt)
}

func (r *record) code(w *wire.Coder) {
	wire.Slot(w, &r.failures)
	wire.Slot(w, &r.lookups)
	wire.Time(w, &r.firstLookup)
	w.Bool(&r.unreachable)
	wire.Time(w, &r.unreachEnd)
}

// code writes the stamps oldest first, wherever the ring's head is.
func (s *window) code(w *wire.Coder) {
	n := w.Len(s.n, stampSize)
	if w.Reading() && n > 0 {
		size := 8
		for size < n {
			size *= 2
		}
		s.ring, s.n = make([]Time, size), n
	}
	for i := range n {
		wire.Time(w, &s.ring[(s.head+i)&(len(s.ring)-1)])
	}
}

func (s *tally) code(w *wire.Coder) {
	n := w.Len(len(s.at)-s.head, tallySize)
	if w.Reading() && n > 0 {
		s.at, s.n = make([]Time, n), make([]int64, n)
	}
	for i := s.head; i < s.head+n; i++ {
		wire.Time(w, &s.at[i])
		wire.I64(w, &s.n[i])
		if !w.Reading() {
			continue
		}
		if s.n[i] < 1 || s.n[i] > wholeLimit {
			w.Fail("a number of requests is " + strconv.FormatInt(s.n[i], 10) + ", must be 1 to " + strconv.Itoa(wholeLimit))
			return
		}
		s.sum += s.n[i]
	}
}

func codeTicket(w *wire.Coder, k *ticket) {
	if w.Bool(&k.used); !k.used {
		return
	}
	wire.I32(w, &k.dom)
	wire.U64(w, &k.tag)
	wire.I64(w, &k.place)
	wire.Slot(w, &k.author)
	w.Bool(&k.limited)
	w.Bool(&k.eligible)
	w.Bool(&k.blocked)
}

func codeAuthor(w *wire.Coder, a *authorSlots) {
	if w.Bool(&a.used); !a.used {
		return
	}
	wire.PubKey(w, &a.key)
	wire.Slot(w, &a.running)
	wire.List(w, &a.parked, 4, wire.I32[Ticket])
	wire.Slot(w, &a.tickets)
}

func codeDNS(w *wire.Coder, f *dnsFailure) {
	wire.I32(w, &f.dom)
	wire.Time(w, &f.at)
	f.before.code(w)
}

// codeQueues codes what cannot be worked out from the domains: in which order the idle ones are looked at,
// and which stand among the ready or wait to be woken. A domain whose time has come is not ready before
// the table is told to wake it (D-06).
func (t *Table) codeQueues(w *wire.Coder) {
	n := w.Len(t.idle.Len(), 4)
	for i := range n {
		var d Dom
		if !w.Reading() {
			d = Dom(t.idle.At(i).ID)
		}
		if wire.I32(w, &d); !w.Reading() {
			continue
		}
		if d < 0 || int(d) >= len(t.doms) || !t.doms[d].used || t.doms[d].queued {
			w.Fail("domain slot " + strconv.Itoa(int(d)) + " cannot be idle")
			return
		}
		t.doms[d].queued = true
		t.idle.Push(pq.Entry{ID: uint32(d)})
	}
	for d := range t.doms {
		if !t.doms[d].used {
			continue
		}
		at := value.Never
		if pos := t.wakeAt[d]; pos != pq.Absent {
			key, _ := t.wake.At(int(pos))
			at = Time(key)
		}
		if wire.Time(w, &at); w.Reading() && at != value.Never {
			t.wake.Set(t.wakeAt, int64(at), int32(d))
		}
		for l := range t.ready {
			in := t.readyAt[l][d] != pq.Absent
			if w.Bool(&in); !w.Reading() || !in {
				continue
			}
			place, _, some := t.doms[d].eligible[l].Top()
			if !some {
				w.Fail("domain slot " + strconv.Itoa(d) + " is ready, but no ticket stands there")
				return
			}
			t.ready[l].Set(t.readyAt[l], place, int32(d))
		}
	}
}

// rebuild makes the maps, counts and heaps of a table whose records were read, and refuses records that
// refer to nothing.
func (t *Table) rebuild(now Time) error {
	bad := func(what string, i int, why string) error {
		return errors.New(what + " " + strconv.Itoa(i) + " " + why)
	}
	used := func(d Dom) bool { return d >= 0 && int(d) < len(t.doms) && t.doms[d].used }
	for i := range t.doms {
		dom := &t.doms[i]
		if !dom.used {
			continue
		}
		if _, twice := t.byHandle[dom.handle]; twice {
			return bad("domain slot", i, "has the name of another")
		}
		if dom.stamps.newest() > now || len(dom.requests.at) > 0 && dom.requests.at[len(dom.requests.at)-1] > now {
			return bad("domain slot", i, "has a stamp from the future")
		}
		t.byHandle[dom.handle] = Dom(i)
		t.limitsOf(dom)
		t.running += int(dom.inFlight)
	}
	for i := range t.author {
		a := &t.author[i]
		if !a.used {
			continue
		}
		if _, twice := t.authors[a.key]; twice {
			return bad("author slot", i, "has the key of another")
		}
		t.authors[a.key] = int32(i)
		t.limited += int(a.running)
		for _, k := range a.parked {
			if k < 0 || int(k) >= len(t.tickets) || !t.tickets[k].used || t.tickets[k].author != int32(i) {
				return bad("author slot", i, "holds back a ticket that is not its own")
			}
		}
	}
	t.ticketPos = absent(len(t.tickets))
	places := make(map[int64]bool, len(t.tickets))
	for i := range t.tickets {
		k := &t.tickets[i]
		if !k.used {
			continue
		}
		if !used(k.dom) || k.author < -1 || int(k.author) >= len(t.author) || k.author >= 0 && !t.author[k.author].used ||
			k.limited != (k.author >= 0) || places[k.place] {
			return bad("ticket", i, "stands nowhere, is nobody's, or has the place of another")
		}
		places[k.place] = true
		t.parked++
		if k.eligible && !k.blocked {
			t.enlist(Ticket(i))
		}
	}
	for i := range t.dns {
		if d := t.dns[i].dom; d < 0 || int(d) >= len(t.doms) {
			return bad("failure to resolve", i, "is of no domain")
		}
	}
	return errors.Join(freeSlots("domain", t.free, len(t.doms), func(i int) bool { return t.doms[i].used }),
		freeSlots("ticket", t.freeTick, len(t.tickets), func(i int) bool { return t.tickets[i].used }),
		freeSlots("author", t.freeAuth, len(t.author), func(i int) bool { return t.author[i].used }))
}

// freeSlots: the free list names each unused slot once.
func freeSlots[T ~int32](what string, free []T, n int, used func(int) bool) error {
	seen := make([]bool, n)
	for _, i := range free {
		if i < 0 || int(i) >= n || seen[i] || used(int(i)) {
			return errors.New("the list of free " + what + " slots names " + strconv.Itoa(int(i)) + ", which is not free")
		}
		seen[i] = true
	}
	for i := range n {
		if !used(i) && !seen[i] {
			return errors.New(what + " slot " + strconv.Itoa(i) + " is neither used nor free")
		}
	}
	return nil
}

// Code writes or reads a permit.
func (p *Permit) Code(w *wire.Coder) {
	wire.I32(w, &p.Dom)
	w.Bool(&p.Limited)
	wire.Slot(w, &p.author)
	wire.U32(w, &p.round)
	w.Bool(&p.whole)
	wire.Slot(w, &p.left)
	w.Raw(p.Address[:])
	w.Bool(&p.Joined)
}

// AdoptPermits completes a table that was read: the permits that are out, as their passes hold them, and
// the references to its domains by slot. What the table counts must be just these (D-02, D-03).
func (t *Table) AdoptPermits(permits []*Permit, refs []int32) error {
	domains, authors := make([][2]int32, len(t.doms)), make([]int32, len(t.author))
	reserved := make([]int64, len(t.doms))
	for i, p := range permits {
		name := "permit of pass " + strconv.Itoa(i)
		if p.Dom < 0 || int(p.Dom) >= len(t.doms) || !t.doms[p.Dom].used {
			return errors.New(name + " is of no domain")
		}
		domains[p.Dom][0]++
		reserved[p.Dom] += int64(p.left)
		if p.round == t.doms[p.Dom].round {
			domains[p.Dom][1]++
		}
		if p.Limited != (p.author >= 0) || p.author < -1 || int(p.author) >= len(t.author) || p.Limited && !t.author[p.author].used {
			return errors.New(name + " is of no author")
		}
		if p.Limited {
			authors[p.author]++
		}
		if p.Joined {
			t.addresses[p.Address]++
		}
	}
	for d := range t.doms {
		dom := &t.doms[d]
		if dom.inFlight != domains[d][0] || dom.fresh != domains[d][1] {
			return checkFailed("permits out", d, int64(dom.inFlight), int64(domains[d][0]))
		}
		if dom.reserved != reserved[d] {
			return checkFailed("requests reserved", d, dom.reserved, reserved[d])
		}
		want := int32(0)
		if d < len(refs) {
			want = refs[d]
		}
		if dom.refs != want {
			return checkFailed("references", d, int64(dom.refs), int64(want))
		}
	}
	for a := range t.author {
		if t.author[a].running != authors[a] {
			return checkFailed("author's permits out", a, int64(t.author[a].running), int64(authors[a]))
		}
	}
	return nil
}

// Permits is the number of permits out and how many of them are limited, without a look at anything else.
func (t *Table) Permits() (running, limited int) { return t.running, t.limited }

// Slots is the number of domain slots, used or not.
func (t *Table) Slots() int { return len(t.doms) }

// IsTicket tells whether k stands in a ring with that tag.
func (t *Table) IsTicket(k Ticket, tag uint64) bool {
	return k >= 0 && int(k) < len(t.tickets) && t.tickets[k].used && t.tickets[k].tag == tag
}

// IsDomain tells whether d is in use.
func (t *Table) IsDomain(d Dom) bool { return d >= 0 && int(d) < len(t.doms) && t.doms[d].used }

// Tickets is the number of tickets parked.
func (t *Table) Tickets() int { return t.parked }
