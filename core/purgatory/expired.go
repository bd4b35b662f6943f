package purgatory

// Expired remembers the ids of events that are not to be taken in again from another relay: those that expired
// (E-03), and those that were refused (S-05). Each id belongs to a coordinate; new evidence for it lifts its ids.
// Bounded in number and age; the oldest goes first.
type Expired struct {
	max    int
	ttl    Time
	ids    map[EventID]int32
	ring   []expiredID // oldest first, by a wrapping head
	head   int
	n      int
	groups map[coordKey]*coordMemory
}

type coordKey struct {
	owner PubKey
	ident Handle
}

// coordMemory is what is remembered of one coordinate.
type coordMemory struct {
	refs   int32                     // remembered ids that belong to it
	gen    uint32                    // raised by new evidence
	newest [numEvidenceKinds]Version // of the remembered events, by kind; the zero Version is none
}

// EvidenceKind says what kind of event is remembered, or brings evidence.
type EvidenceKind uint8

// Kinds of evidence.
const (
	OfAnnouncement EvidenceKind = iota
	OfState
	OfPR
	numEvidenceKinds
)

// Version places an event in NIP-01's order.
type Version struct {
	CreatedAt int64
	ID        EventID
}

// Evidence is an event as it bears on a coordinate.
type Evidence struct {
	Kind      EvidenceKind
	Why       uint8 // what the caller remembers it for; of Add only
	CreatedAt int64
	ID        EventID
}

type expiredID struct {
	id    EventID
	at    Time
	coord *coordMemory
	key   coordKey
	gen   uint32
	why   uint8
}

// NewExpired makes a memory of at most max ids for ttl of life time.
func NewExpired(limit int, ttl Time) *Expired {
	return &Expired{max: limit, ttl: ttl, ids: make(map[EventID]int32), groups: make(map[coordKey]*coordMemory)}
}

// SetBounds replaces the bounds; what is too much goes, the oldest first.
func (x *Expired) SetBounds(limit int, ttl Time, now Time) {
	x.max, x.ttl = limit, ttl
	for x.n > x.max {
		x.dropOldest()
	}
	x.prune(now)
}

// Add remembers id from now on, as belonging to (owner, ident); what it was is noted, so that newer evidence is
// told from older.
func (x *Expired) Add(id EventID, owner PubKey, ident Handle, now Time, what Evidence) {
	x.prune(now)
	if x.max == 0 {
		return
	}
	if i, ok := x.ids[id]; ok {
		e := &x.ring[i]
		if key := (coordKey{owner, ident}); key != e.key { // it belongs elsewhere now
			x.leave(e)
			e.key, e.coord = key, x.join(key, what)
		}
		e.why = what.Why
		e.gen = e.coord.gen // once more: the evidence since then did not help
		return
	}
	if x.n == x.max {
		x.dropOldest()
	}
	if x.n == len(x.ring) {
		grown := make([]expiredID, min(x.max, max(16, 2*len(x.ring))))
		for i := range x.n {
			e := x.ring[(x.head+i)%len(x.ring)]
			grown[i] = e
			x.ids[e.id] = int32(i)
		}
		x.ring, x.head = grown, 0
	}
	key := coordKey{owner, ident}
	g := x.join(key, what)
	i := (x.head + x.n) % len(x.ring)
	x.ring[i] = expiredID{id: id, at: now, coord: g, key: key, gen: g.gen, why: what.Why}
	x.ids[id] = int32(i)
	x.n++
}

func (x *Expired) join(key coordKey, what Evidence) *coordMemory {
	g := x.groups[key]
	if g == nil {
		g = &coordMemory{}
		x.groups[key] = g
	}
	g.refs++
	if v := &g.newest[what.Kind]; v.ID == (EventID{}) || Newer(what.CreatedAt, what.ID, v.CreatedAt, v.ID) {
		*v = Version{what.CreatedAt, what.ID}
	}
	return g
}

func (x *Expired) leave(e *expiredID) {
	if e.coord.refs--; e.coord.refs == 0 {
		delete(x.groups, e.key)
	}
}

// Has tells whether id is remembered and not lifted.
func (x *Expired) Has(id EventID, now Time) bool {
	x.prune(now)
	i, ok := x.ids[id]
	return ok && x.ring[i].gen == x.ring[i].coord.gen
}

// Why is what a remembered id was last added for, lifted or not; 0 if it is not remembered.
func (x *Expired) Why(id EventID) uint8 {
	if i, ok := x.ids[id]; ok {
		return x.ring[i].why
	}
	return 0
}

// Newest is the newest remembered event of a kind under a coordinate, lifted or not.
func (x *Expired) Newest(owner PubKey, ident Handle, kind EvidenceKind, now Time) (Version, bool) {
	x.prune(now)
	g := x.groups[coordKey{owner, ident}]
	if g == nil || g.newest[kind].ID == (EventID{}) {
		return Version{}, false
	}
	return g.newest[kind], true
}

// Lift is new evidence for (owner, ident): its remembered ids no longer count.
func (x *Expired) Lift(owner PubKey, ident Handle) {
	if g := x.groups[coordKey{owner, ident}]; g != nil {
		g.gen++
	}
}

// LiftBy lifts if the evidence is newer than everything of its kind that is remembered there (E-03).
func (x *Expired) LiftBy(owner PubKey, ident Handle, what Evidence) {
	g := x.groups[coordKey{owner, ident}]
	if g == nil {
		return
	}
	if v := g.newest[what.Kind]; v.ID == (EventID{}) || Newer(what.CreatedAt, what.ID, v.CreatedAt, v.ID) {
		g.gen++
	}
}

// Len is the number of ids remembered, lifted ones included.
func (x *Expired) Len() int { return x.n }

func (x *Expired) prune(now Time) {
	for x.n > 0 && now-x.ring[x.head].at >= x.ttl {
		x.dropOldest()
	}
}

func (x *Expired) dropOldest() {
	e := &x.ring[x.head]
	delete(x.ids, e.id)
	x.leave(e)
	x.ring[x.head] = expiredID{}
	x.head = (x.head + 1) % len(x.ring)
	x.n--
}
