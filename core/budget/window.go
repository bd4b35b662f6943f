package budget

// window is the exact sliding window of start stamps of one domain: a ring, oldest first (D-01).
type window struct {
	ring []Time
	head int
	n    int
}

func (w *window) at(i int) Time { return w.ring[(w.head+i)&(len(w.ring)-1)] }

// prune drops the stamps at or before edge = now - window: one aged exactly the window's length no
// longer counts (D-01).
func (w *window) prune(edge Time) {
	for w.n > 0 && w.at(0) <= edge {
		w.head = (w.head + 1) & (len(w.ring) - 1)
		w.n--
	}
}

func (w *window) push(now Time, t *Table) {
	if w.n == len(w.ring) {
		if k := len(t.spare); w.n == 0 && k > 0 {
			w.ring = t.spare[k-1]
			t.spare = t.spare[:k-1]
		} else {
			grown := make([]Time, max(8, 2*len(w.ring)))
			for i := range w.n {
				grown[i] = w.at(i)
			}
			w.ring = grown
		}
		w.head = 0
	}
	w.ring[(w.head+w.n)&(len(w.ring)-1)] = now
	w.n++
}

// newest is the last stamp, or 0.
func (w *window) newest() Time {
	if w.n == 0 {
		return 0
	}
	return w.at(w.n - 1)
}

// tally is a sliding window of request counts, stamps of one instant merged.
type tally struct {
	at   []Time
	n    []int64
	head int
	sum  int64
}

func (w *tally) prune(edge Time) {
	for w.head < len(w.at) && w.at[w.head] <= edge {
		w.sum -= w.n[w.head]
		w.head++
	}
	if w.head == len(w.at) {
		w.at, w.n, w.head = w.at[:0], w.n[:0], 0
	}
}

func (w *tally) add(now Time, n int64) {
	w.sum += n
	if k := len(w.at); k > w.head && w.at[k-1] == now {
		w.n[k-1] += n
		return
	}
	if w.head > 32 && 2*w.head > len(w.at) {
		w.at = append(w.at[:0], w.at[w.head:]...)
		w.n = append(w.n[:0], w.n[w.head:]...)
		w.head = 0
	}
	w.at = append(w.at, now)
	w.n = append(w.n, n)
}

// freeAt is the instant from which at most limit requests are left in a window of the given length.
func (w *tally) freeAt(limit int64, length Time) Time {
	left := w.sum
	for i := w.head; i < len(w.at); i++ {
		left -= w.n[i]
		if left <= limit {
			return w.at[i] + length
		}
	}
	return 0
}
