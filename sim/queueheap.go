package sim

// The oracle of the radix heap: a textbook binary heap over (at, ord). It is kept plain on purpose and
// is selectable for whole runs, so that a run's hash can be compared across both.

func heapPush(h []entry, e entry) []entry {
	h = append(h, e)
	for i := len(h) - 1; i > 0; {
		up := (i - 1) / 2
		if !h[i].less(h[up]) {
			break
		}
		h[i], h[up] = h[up], h[i]
		i = up
	}
	return h
}

func heapPop(h []entry) (entry, []entry) {
	top := h[0]
	n := len(h) - 1
	h[0] = h[n]
	h = h[:n]
	for i := 0; ; {
		c := 2*i + 1
		if c >= n {
			return top, h
		}
		if c+1 < n && h[c+1].less(h[c]) {
			c++
		}
		if !h[c].less(h[i]) {
			return top, h
		}
		h[i], h[c] = h[c], h[i]
		i = c
	}
}
