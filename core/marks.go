package core

// marks is a set of slots that is emptied at once: what a list holds already, without searching it. Each slot
// keeps a place in that list.
type marks struct {
	round uint32
	slots []placeMark
}

type placeMark struct {
	round uint32
	place int32
}

// clear empties the set; slots will be less than n.
func (m *marks) clear(n int) {
	if m.round++; m.round == 0 { // the counter has gone round: marks of old could look new
		clear(m.slots)
		m.round = 1
	}
	if n > len(m.slots) {
		m.slots = append(m.slots, make([]placeMark, n-len(m.slots))...)
	}
}

// mark adds a slot; false means that it was there already, and its place stays.
func (m *marks) mark(slot int32, place int) bool {
	x := &m.slots[slot]
	if x.round == m.round {
		return false
	}
	*x = placeMark{m.round, int32(place)}
	return true
}

func (m *marks) has(slot int32) bool { return m.slots[slot].round == m.round }

func (m *marks) at(slot int32) (place int32, ok bool) {
	if int(slot) >= len(m.slots) {
		return 0, false
	}
	x := m.slots[slot]
	return x.place, x.round == m.round
}
