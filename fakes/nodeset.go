package fakes

// nodeSet is a set of nodes in open addressing: a bare slice, because a world has one per repository.
type nodeSet struct {
	slots []Node // Node+1; 0 = free; length a power of two, or none
	n     int
}

func (s *nodeSet) has(n Node) bool {
	if len(s.slots) == 0 {
		return false
	}
	mask := uint32(len(s.slots) - 1)
	for i := spread(n) & mask; s.slots[i] != 0; i = (i + 1) & mask {
		if s.slots[i] == n+1 {
			return true
		}
	}
	return false
}

// add puts n in and tells whether it was new.
func (s *nodeSet) add(n Node) bool {
	if s.has(n) {
		return false
	}
	if 4*(s.n+1) > 3*len(s.slots) {
		old := s.slots
		s.slots = make([]Node, max(4, 2*len(old)))
		for _, m := range old {
			if m != 0 {
				s.place(m)
			}
		}
	}
	s.place(n + 1)
	s.n++
	return true
}

// remove takes n out by building the table anew: it happens only when a fault destroys an object.
func (s *nodeSet) remove(n Node) {
	if !s.has(n) {
		return
	}
	old := s.slots
	s.slots = make([]Node, len(old))
	for _, m := range old {
		if m != 0 && m != n+1 {
			s.place(m)
		}
	}
	s.n--
}

func (s *nodeSet) place(m Node) {
	mask := uint32(len(s.slots) - 1)
	i := spread(m-1) & mask
	for s.slots[i] != 0 {
		i = (i + 1) & mask
	}
	s.slots[i] = m
}

// clear empties the set and keeps its memory.
func (s *nodeSet) clear() {
	clear(s.slots)
	s.n = 0
}

func spread(n Node) uint32 { return uint32(n) * 0x9e3779b1 >> 7 }
