package pq

// Rank orders by its numbers, one after the other.
type Rank [3]int64

func (r Rank) less(s Rank) bool {
	for i := range r {
		if r[i] != s[i] {
			return r[i] < s[i]
		}
	}
	return false
}

// Ranks is a Heap whose ids stand under a Rank, ties by id; positions are kept as a Heap's are.
type Ranks struct {
	items []ranked
}

type ranked struct {
	rank Rank
	id   int32
}

func (a *ranked) less(b *ranked) bool {
	return a.rank.less(b.rank) || a.rank == b.rank && a.id < b.id
}

// Len is the number of ids held.
func (h *Ranks) Len() int { return len(h.items) }

// Top is the least (rank, id); ok is false when empty.
func (h *Ranks) Top() (rank Rank, id int32, ok bool) {
	if len(h.items) == 0 {
		return Rank{}, 0, false
	}
	return h.items[0].rank, h.items[0].id, true
}

// Set puts id in under rank, or moves it there.
func (h *Ranks) Set(pos []int32, rank Rank, id int32) {
	i := pos[id]
	if i == Absent {
		i = int32(len(h.items))
		h.items = append(h.items, ranked{rank, id})
		pos[id] = i
	} else if h.items[i].rank == rank {
		return
	}
	h.items[i].rank = rank
	h.settle(pos, i)
}

// Remove takes id out; absent ids are ignored.
func (h *Ranks) Remove(pos []int32, id int32) {
	i := pos[id]
	if i == Absent {
		return
	}
	pos[id] = Absent
	last := int32(len(h.items) - 1)
	moved := h.items[last]
	h.items = h.items[:last]
	if i != last {
		h.items[i] = moved
		pos[moved.id] = i
		h.settle(pos, i)
	}
}

// settle moves the i-th item to where it belongs.
func (h *Ranks) settle(pos []int32, i int32) {
	for i > 0 && h.items[i].less(&h.items[(i-1)/2]) {
		h.swap(pos, i, (i-1)/2)
		i = (i - 1) / 2
	}
	for n := int32(len(h.items)); ; {
		c := 2*i + 1
		if c+1 < n && h.items[c+1].less(&h.items[c]) {
			c++
		}
		if c >= n || !h.items[c].less(&h.items[i]) {
			return
		}
		h.swap(pos, i, c)
		i = c
	}
}

func (h *Ranks) swap(pos []int32, i, k int32) {
	h.items[i], h.items[k] = h.items[k], h.items[i]
	pos[h.items[i].id], pos[h.items[k].id] = i, k
}
