package purgatory

// Slab is a table of records reused by slot. A reused record keeps its slices' memory: New returns it as
// Free left it, and the caller resets it.
type Slab[T any] struct {
	Items []T
	free  []int32
	n     int
}

// New gives a slot.
func (s *Slab[T]) New() int32 {
	s.n++
	if k := len(s.free); k > 0 {
		i := s.free[k-1]
		s.free = s.free[:k-1]
		return i
	}
	var zero T
	s.Items = append(s.Items, zero)
	return int32(len(s.Items) - 1)
}

// Free takes a slot back.
func (s *Slab[T]) Free(i int32) {
	s.n--
	s.free = append(s.free, i)
}

// At is the record in slot i.
func (s *Slab[T]) At(i int32) *T { return &s.Items[i] }

// Len is the number of slots in use.
func (s *Slab[T]) Len() int { return s.n }
