package sim

import (
	"math/bits"

	"graspsync/core"
)

// QueueKind selects the data structure behind a Queue. Both give exactly the same order; the binary heap
// is the slow, obvious one that the radix heap is tested against.
type QueueKind uint8

// Queue kinds.
const (
	RadixQueue QueueKind = iota // monotone radix heap, the default
	HeapQueue                   // plain binary heap
)

// String is "radix" or "heap".
func (k QueueKind) String() string { return [...]string{"radix", "heap"}[k&1] }

// entry is one pending thing: when, and the tie key that orders equal instants.
type entry struct {
	at  core.Time
	ord uint64
}

func (a entry) less(b entry) bool { return a.at < b.at || a.at == b.at && a.ord < b.ord }

// Queue pops entries in (at, ord) order. It is monotone: nothing may be pushed before the instant of the
// last Pop. There is no removal: an owner keeps the due time beside its own state and ignores entries
// that no longer match.
type Queue struct {
	kind QueueKind
	n    int
	last core.Time // instant of the last Pop; every entry has at ≥ last
	mask uint64    // bit b set: bucket b is not empty

	// bucket[b], b > 0, holds entries whose at differs from last in bit b-1 and in no higher one, in no
	// order; least[b] is the smallest at among them. bucket[0] holds those at last, as a heap by ord:
	// equal instants must not fall back on the order of insertion.
	bucket [64][]entry
	least  [64]core.Time

	heap []entry // HeapQueue only
}

// NewQueue gives an empty queue at instant 0.
func NewQueue(kind QueueKind) *Queue { return &Queue{kind: kind} }

// Len is the number of entries.
func (q *Queue) Len() int { return q.n }

// Push adds an entry. An instant before the last Pop's is a bug of the caller and panics, because order
// could no longer be kept.
func (q *Queue) Push(at core.Time, ord uint64) {
	if at < q.last {
		panic("sim: queue entry lies in the past")
	}
	q.n++
	if q.kind == HeapQueue {
		q.heap = heapPush(q.heap, entry{at, ord})
		return
	}
	q.place(entry{at, ord})
}

func (q *Queue) place(e entry) {
	b := bits.Len64(uint64(e.at) ^ uint64(q.last))
	if b == 0 {
		q.mask |= 1
		q.bucket[0] = ordPush(q.bucket[0], e)
		return
	}
	if q.mask&(1<<b) == 0 || e.at < q.least[b] {
		q.least[b] = e.at
	}
	q.mask |= 1 << b
	q.bucket[b] = append(q.bucket[b], e)
}

// Peek tells the instant of the next Pop and leaves the queue as it is, so that earlier entries may
// still be pushed.
func (q *Queue) Peek() (core.Time, bool) {
	if q.n == 0 {
		return 0, false
	}
	if q.kind == HeapQueue {
		return q.heap[0].at, true
	}
	b := bits.TrailingZeros64(q.mask)
	if b == 0 {
		return q.last, true
	}
	return q.least[b], true
}

// Pop removes the first entry. ok is false when the queue is empty.
func (q *Queue) Pop() (at core.Time, ord uint64, ok bool) {
	if q.n == 0 {
		return 0, 0, false
	}
	q.n--
	var e entry
	if q.kind == HeapQueue {
		e, q.heap = heapPop(q.heap)
		q.last = e.at
		return e.at, e.ord, true
	}
	if q.mask&1 == 0 {
		if e, ok := q.refill(); ok {
			return e.at, e.ord, true
		}
	}
	e, q.bucket[0] = ordPop(q.bucket[0])
	if len(q.bucket[0]) == 0 {
		q.mask &^= 1
	}
	return e.at, e.ord, true
}

// refill moves the present instant to the first entry and spreads its bucket over lower ones, which are
// empty. A bucket of one entry is handed out directly.
func (q *Queue) refill() (entry, bool) {
	b := bits.TrailingZeros64(q.mask)
	from := q.bucket[b]
	q.bucket[b] = from[:0]
	q.mask &^= 1 << b
	q.last = q.least[b]
	if len(from) == 1 {
		return from[0], true
	}
	for _, e := range from {
		q.place(e)
	}
	return entry{}, false
}

// ordPush and ordPop keep a binary heap of entries of one instant, ordered by ord alone.
func ordPush(h []entry, e entry) []entry {
	h = append(h, e)
	i := len(h) - 1
	for i > 0 {
		up := (i - 1) / 2
		if h[up].ord <= e.ord {
			break
		}
		h[i] = h[up]
		i = up
	}
	h[i] = e
	return h
}

func ordPop(h []entry) (entry, []entry) {
	top := h[0]
	n := len(h) - 1
	e := h[n]
	h = h[:n]
	if n == 0 {
		return top, h
	}
	i := 0
	for {
		c := 2*i + 1
		if c >= n {
			break
		}
		if c+1 < n && h[c+1].ord < h[c].ord {
			c++
		}
		if e.ord <= h[c].ord {
			break
		}
		h[i] = h[c]
		i = c
	}
	h[i] = e
	return top, h
}
