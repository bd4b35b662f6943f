// Package pq holds the waiting structures of the core: indexed binary heaps, whose members can be
// moved and taken out, and a lane, a ring for deadlines that are armed in the order in which they fall
// due.
//
// What may enter: plain data structures that know keys and ids. What may not: rules, meanings of keys.
package pq

// Heap is a binary min-heap of dense int32 ids under a key, ties by id. The position of each id is kept
// in a slice that the caller passes to every call, so that many heaps over one id space share it; -1
// (Absent) marks an id that is in none.
type Heap struct {
	items []item
}

type item struct {
	key int64
	id  int32
}

// Absent is the position of an id that is in no heap.
const Absent int32 = -1

func (a item) less(b item) bool { return a.key < b.key || a.key == b.key && a.id < b.id }

// Len is the number of ids held.
func (h *Heap) Len() int { return len(h.items) }

// Top is the least (key, id); ok is false when empty.
func (h *Heap) Top() (key int64, id int32, ok bool) {
	if len(h.items) == 0 {
		return 0, 0, false
	}
	return h.items[0].key, h.items[0].id, true
}

// At returns the i-th item in storage order, for sweeps and snapshots.
func (h *Heap) At(i int) (key int64, id int32) { return h.items[i].key, h.items[i].id }

// Set puts id in under key, or moves it there.
func (h *Heap) Set(pos []int32, key int64, id int32) {
	i := pos[id]
	if i == Absent {
		h.items = append(h.items, item{key, id})
		h.up(pos, int32(len(h.items)-1))
		return
	}
	old := h.items[i].key
	h.items[i].key = key
	switch {
	case key < old:
		h.up(pos, i)
	case key > old:
		h.down(pos, i)
	}
}

// Remove takes id out; absent ids are ignored.
func (h *Heap) Remove(pos []int32, id int32) {
	i := pos[id]
	if i == Absent {
		return
	}
	pos[id] = Absent
	last := len(h.items) - 1
	moved := h.items[last]
	h.items = h.items[:last]
	if int(i) == last {
		return
	}
	h.items[i] = moved
	pos[moved.id] = i
	if i > 0 && moved.less(h.items[(i-1)/2]) {
		h.up(pos, i)
	} else {
		h.down(pos, i)
	}
}

func (h *Heap) up(pos []int32, i int32) {
	it := h.items[i]
	for i > 0 {
		p := (i - 1) / 2
		if !it.less(h.items[p]) {
			break
		}
		h.items[i] = h.items[p]
		pos[h.items[i].id] = i
		i = p
	}
	h.items[i] = it
	pos[it.id] = i
}

func (h *Heap) down(pos []int32, i int32) {
	it := h.items[i]
	n := int32(len(h.items))
	for {
		c := 2*i + 1
		if c >= n {
			break
		}
		if c+1 < n && h.items[c+1].less(h.items[c]) {
			c++
		}
		if !h.items[c].less(it) {
			break
		}
		h.items[i] = h.items[c]
		pos[h.items[i].id] = i
		i = c
	}
	h.items[i] = it
	pos[it.id] = i
}
