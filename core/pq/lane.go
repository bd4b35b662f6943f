package pq

// Entry is a deadline in a Lane: when, whose, and which arming of it. Whether it still stands is the
// owner's to say (a re-armed deadline has another Gen).
type Entry struct {
	At  int64
	ID  uint32
	Gen uint32
}

// Lane is a ring of deadlines that are armed in the order in which they fall due, as all deadlines with
// one constant delay are: pushing and taking are O(1), and dead heads are dropped in passing.
type Lane struct {
	ring []Entry
	head int
	n    int
}

// Len is the number of entries, dead ones included.
func (l *Lane) Len() int { return l.n }

// Push appends e. InOrder must have said yes, or the lane no longer yields deadlines in order.
func (l *Lane) Push(e Entry) {
	if l.n == len(l.ring) {
		grown := make([]Entry, max(16, 2*len(l.ring)))
		for i := 0; i < l.n; i++ {
			grown[i] = l.ring[(l.head+i)&(len(l.ring)-1)]
		}
		l.ring, l.head = grown, 0
	}
	l.ring[(l.head+l.n)&(len(l.ring)-1)] = e
	l.n++
}

// InOrder tells whether e may be pushed behind what is there: not before its last entry by (At, ID).
func (l *Lane) InOrder(e Entry) bool {
	if l.n == 0 {
		return true
	}
	last := l.ring[(l.head+l.n-1)&(len(l.ring)-1)]
	return last.At < e.At || last.At == e.At && last.ID <= e.ID
}

// Head is the first entry; ok is false when the lane is empty.
func (l *Lane) Head() (e Entry, ok bool) {
	if l.n == 0 {
		return Entry{}, false
	}
	return l.ring[l.head], true
}

// Drop removes the head.
func (l *Lane) Drop() {
	l.head = (l.head + 1) & (len(l.ring) - 1)
	l.n--
}

// At returns the i-th entry from the head.
func (l *Lane) At(i int) Entry { return l.ring[(l.head+i)&(len(l.ring)-1)] }

// Reset empties the lane, keeping its memory.
func (l *Lane) Reset() { l.head, l.n = 0, 0 }
