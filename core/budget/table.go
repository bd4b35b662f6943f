package budget

import (
	"graspsync/core/pq"
	"graspsync/core/value"
)

// Time, Handle and PubKey are those of package value.
type (
	Time   = value.Time
	Handle = value.Handle
	PubKey = value.PubKey
)

// Dom is a domain's slot in a Table: valid while anything refers to the domain.
type Dom int32

// NoDom is no domain.
const NoDom Dom = -1

// Limits are the numbers a Table works with; see core.Config for meaning, units and bounds.
type Limits struct {
	Concurrency, Rate, Requests int
	Window                      Time
	RequestUnit                 bool
	AddressPasses               int
	Pressure, AuthorPasses      int

	CoolBase, CoolCap, RetryAfterCap, CoolForget   Time
	LocalCap                                       Time // longest cool-down while the fault is local
	URLCool                                        Time // two URLs stalled within this cool their domain (H-06)
	UnreachableAge, UnreachableFor, UnreachableTry Time
	Overrides                                      []Override
}

// Override replaces concurrency and rate of one domain.
type Override struct {
	Domain            Handle
	Concurrency, Rate int
}

// requestsPerPass is what a pass reserves at its start: compare 1, fetch 2 to 3 (D-03).
const requestsPerPass = 4

// localSpan and localDomains: so many domains failing to resolve within the span, with no success
// between, mean that the fault is ours (D-07).
const (
	localSpan    = 10 * value.Second
	localDomains = 3
)

// Table is the state of all domains. Not safe for concurrent use.
type Table struct {
	lim      Limits
	byHandle map[Handle]Dom
	doms     []domain
	free     []Dom

	clock   Time // the last instant the table was told; for Check
	running int  // permits out (D-04)
	limited int  // of them PR-only or unproven (H-07)

	tickets   []ticket
	ticketPos []int32 // position in its domain's heap of eligible tickets
	freeTick  []Ticket
	parked    int
	seq       int64 // ring places and arming order

	ready   [2]pq.Heap // domains with room, by the place of their first eligible ticket; [1] = limited ones
	readyAt [2][]int32
	wake    pq.Heap // domains by the instant something of theirs ends
	wakeAt  []int32

	authors   map[PubKey]int32
	author    []authorSlots
	freeAuth  []int32
	addresses map[[16]byte]int32

	idle pq.Lane // domains that may be forgotten, looked at in passing (D-08)

	dns   []dnsFailure // failures that may turn out to be local
	eased []Dom        // cool-downs that the latest local fault shortened
	local bool
	spare [][]Time
}

type domain struct {
	handle            Handle
	used              bool
	probation         bool // after a cool-down: one at a time until one succeeds
	queued            bool // in Table.idle
	inFlight          int32
	fresh             int32 // of them started since the present cool-down began
	concurrency, rate int32
	tickets           int32 // parked here, eligible or not
	refs              int32 // holders outside: keep the slot
	stamps            window
	requests          tally
	reserved          int64      // requests that running passes may still make (D-03)
	eligible          [2]pq.Heap // tickets by place; [1] = limited ones

	record
	round       uint32 // counts cool-downs; a permit remembers in which it started
	localRounds int32
	coolStart   Time // meaningful on probation
	coolUntil   Time // 0: none
	stalledURL  Handle
	stalledAt   Time
}

// record is what failed rounds have left on a domain, and what is put back when the fault turns out to
// be local (D-07).
type record struct {
	failures    int32 // failed rounds in a row
	lookups     int32 // of them the last ones, in a row, that failed for DNS or TLS
	firstLookup Time  // when the first of those failed
	unreachable bool
	unreachEnd  Time
}

type authorSlots struct {
	key     PubKey
	used    bool
	running int32
	parked  []Ticket // held back while the author is at the cap
	tickets int32
}

// New makes an empty table.
func New(lim Limits) *Table {
	return &Table{lim: lim, byHandle: make(map[Handle]Dom), authors: make(map[PubKey]int32),
		addresses: make(map[[16]byte]int32)}
}

// Doms is above every slot in use.
func (t *Table) Doms() int { return len(t.doms) }

// Open finds or makes the slot of a domain and takes a reference; Close gives it back.
func (t *Table) Open(h Handle) Dom {
	d, ok := t.byHandle[h]
	if !ok {
		if n := len(t.free); n > 0 {
			d = t.free[n-1]
			t.free = t.free[:n-1]
		} else {
			d = Dom(len(t.doms))
			t.doms = append(t.doms, domain{})
			t.readyAt[0] = append(t.readyAt[0], pq.Absent)
			t.readyAt[1] = append(t.readyAt[1], pq.Absent)
			t.wakeAt = append(t.wakeAt, pq.Absent)
		}
		dom := &t.doms[d]
		e0, e1 := dom.eligible[0], dom.eligible[1]
		*dom = domain{handle: h, used: true, eligible: [2]pq.Heap{e0, e1}}
		t.limitsOf(dom)
		t.byHandle[h] = d
	}
	t.doms[d].refs++
	return d
}

// Close gives a reference back; an idle domain without references is forgotten in time (D-08).
func (t *Table) Close(d Dom) {
	t.doms[d].refs--
	t.maybeIdle(d)
}

// Handle is the name of d.
func (t *Table) Handle(d Dom) Handle { return t.doms[d].handle }

func (t *Table) limitsOf(dom *domain) {
	dom.concurrency, dom.rate = int32(t.lim.Concurrency), int32(t.lim.Rate)
	for i := range t.lim.Overrides {
		if o := &t.lim.Overrides[i]; o.Domain == dom.handle {
			dom.concurrency, dom.rate = int32(o.Concurrency), int32(o.Rate)
		}
	}
}

// SetLimits replaces the limits; tickets that fit now are granted by the next NextGrant (D-06).
func (t *Table) SetLimits(lim Limits, now Time) {
	t.lim = lim
	for a := range t.author {
		t.unblockAuthor(int32(a), now)
	}
	for d := range t.doms {
		if dom := &t.doms[d]; dom.used {
			t.limitsOf(dom)
			t.refresh(Dom(d), now)
		}
	}
}

// prune lets what has left the windows of a domain go.
func (t *Table) prune(dom *domain, now Time) {
	t.clock = now
	dom.stamps.prune(now - t.lim.Window)
	dom.requests.prune(now - t.lim.Window)
}

// hasRoom tells whether d itself could take a pass at now: concurrency, window, requests, cool-down.
// Pressure and shares are not d's. If time alone stands in the way, until is when that ends.
func (t *Table) hasRoom(d Dom, now Time) (ok bool, until Time) {
	dom := &t.doms[d]
	t.prune(dom, now)
	t.forgetOld(dom, now)
	if dom.coolUntil > now {
		return false, dom.coolUntil
	}
	if dom.inFlight >= dom.concurrency {
		return false, value.Never
	}
	if dom.probation && dom.fresh > 0 {
		// Passes older than the cool-down do not hold up the one that may end the probation (D-07).
		return false, t.forgetAt(dom)
	}
	if t.lim.RequestUnit {
		return t.roomForRequests(dom, dom.requests.sum, int64(dom.rate))
	}
	if dom.stamps.n >= int(dom.rate) {
		// The stamp whose leaving makes room is the one rate places from the newest.
		return false, dom.stamps.at(dom.stamps.n-int(dom.rate)) + t.lim.Window
	}
	return t.roomForRequests(dom, dom.requests.sum, int64(t.lim.Requests))
}

// roomForRequests tells whether a pass's first requests fit beside the made ones of the window, made in all,
// and those reserved; where passes must give theirs back first, time alone helps nobody.
func (t *Table) roomForRequests(dom *domain, made, limit int64) (ok bool, until Time) {
	left := limit - dom.reserved - min(requestsPerPass, limit)
	switch {
	case made <= left:
		return true, 0
	case left < 0:
		return false, value.Never
	}
	return false, dom.requests.freeAt(left, t.lim.Window)
}

// Free tells whether a newcomer may start at d at once: room, pressure, its shares, and nobody
// eligible waiting in the ring.
func (t *Table) Free(d Dom, now Time, limited bool, author PubKey) bool {
	dom := &t.doms[d]
	if t.running >= t.lim.Pressure || dom.eligible[0].Len() > 0 {
		return false
	}
	if dom.eligible[1].Len() > 0 && t.shareFree() {
		return false // without a share those are not eligible
	}
	if limited && !(t.shareFree() && t.authorFree(author)) {
		return false
	}
	ok, _ := t.hasRoom(d, now)
	return ok
}

// Cooling tells whether d is in a cool-down or unreachable and resting at now.
func (t *Table) Cooling(d Dom, now Time) bool { return t.doms[d].coolUntil > now }

func (t *Table) shareFree() bool { return t.limited < max(1, t.lim.Pressure/2) }

func (t *Table) authorFree(key PubKey) bool {
	a, ok := t.authors[key]
	return !ok || int(t.author[a].running) < t.lim.AuthorPasses
}

// Permit is a reservation for one pass; it returns through End.
type Permit struct {
	Dom     Dom
	Limited bool
	author  int32  // slot, -1 if not limited
	round   uint32 // the domain's at the start
	whole   bool   // started with RequestUnit: has reserved all it gets
	left    int32  // requests reserved and not made yet (D-03)
	Address [16]byte
	Joined  bool // Address is counted
}

// Start reserves a permit at d: one stamp, its requests, a slot of pressure and shares, in one
// transition (D-02). The caller has seen Free or a grant at the same instant. need is how many requests
// the pass may make at most.
func (t *Table) Start(d Dom, now Time, limited bool, author PubKey, need int) Permit {
	dom := &t.doms[d]
	p := Permit{Dom: d, Limited: limited, author: -1, round: dom.round}
	dom.inFlight++
	dom.fresh++
	t.running++
	if limited {
		t.limited++
		p.author = t.openAuthor(author)
		t.author[p.author].running++
	}
	t.prune(dom, now)
	reserve := int64(requestsPerPass)
	if t.lim.RequestUnit {
		reserve = max(min(int64(dom.rate)-dom.requests.sum-dom.reserved, int64(need)), min(requestsPerPass, int64(dom.rate)))
		p.whole = true
	}
	dom.stamps.push(now, t) // with RequestUnit too: a change of configuration may ask for them
	p.left = int32(reserve)
	dom.reserved += reserve
	t.refresh(d, now)
	return p
}

// Left is how many reserved requests the pass has not made yet.
func (p *Permit) Left() int { return int(p.left) }

// Spend notes that a pass makes n requests now: they count in the window from this instant, out of what it
// has reserved (D-03).
func (t *Table) Spend(p *Permit, now Time, n int) {
	dom := &t.doms[p.Dom]
	t.prune(dom, now)
	dom.requests.add(now, int64(n))
	kept := min(int32(n), p.left)
	p.left -= kept
	dom.reserved -= int64(kept)
	t.refresh(p.Dom, now)
}

// TakeRequests reserves up to want further requests for a running pass and returns how many it got
// (D-03). With RequestUnit a pass has reserved all it gets at its start.
func (t *Table) TakeRequests(p *Permit, now Time, want int) int {
	got := t.RequestsLeft(p, now, want)
	if got > 0 {
		p.left += int32(got)
		t.doms[p.Dom].reserved += int64(got)
		t.refresh(p.Dom, now)
	}
	return got
}

// RequestsLeft is how many further requests, at most limit, TakeRequests would reserve now (D-03).
func (t *Table) RequestsLeft(p *Permit, now Time, limit int) int {
	if p.whole {
		return 0
	}
	dom := &t.doms[p.Dom]
	t.prune(dom, now)
	most := int64(t.lim.Requests)
	if t.lim.RequestUnit {
		most = int64(dom.rate)
	}
	return int(max(0, min(int64(limit), most-dom.requests.sum-dom.reserved)))
}

// JoinAddress counts a running pass at its resolved address; false means that the address has its fill
// and the pass must end as throttled, uncharged (D-03). The zero address is unknown and not counted.
func (t *Table) JoinAddress(p *Permit, addr [16]byte) bool {
	if addr == ([16]byte{}) || p.Joined {
		return true
	}
	if int(t.addresses[addr]) >= t.lim.AddressPasses {
		return false
	}
	t.addresses[addr]++
	p.Address, p.Joined = addr, true
	return true
}

// End gives the permit back when its pass has really ended (D-02).
func (t *Table) End(p *Permit, now Time) {
	dom := &t.doms[p.Dom]
	dom.inFlight--
	dom.reserved -= int64(p.left)
	p.left = 0
	if p.round == dom.round {
		dom.fresh--
	}
	t.running--
	if p.Limited {
		t.limited--
		a := &t.author[p.author]
		a.running--
		t.unblockAuthor(p.author, now)
		t.closeAuthor(p.author)
	}
	if p.Joined {
		if t.addresses[p.Address]--; t.addresses[p.Address] == 0 {
			delete(t.addresses, p.Address)
		}
	}
	t.refresh(p.Dom, now)
	t.maybeIdle(p.Dom)
}
