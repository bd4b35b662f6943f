package purgatory

import (
	"testing"

	"github.com/stretchr/testify/require"

	"graspsync/core/wire"
)

func savedIDs(x *Expired) []byte {
	w := wire.Writer(nil)
	x.Code(w)
	return w.Bytes()
}

func readIDs(b []byte) (*Expired, error) {
	x, r := NewExpired(0, 0), wire.Reader(b)
	x.Code(r)
	return x, r.Finish()
}

// E-03, R-03: what was lifted stays lifted, what was not does not, and the oldest goes first; the bounds are
// those of the first memory.
func TestRestoredExpiredIDs(t *testing.T) {
	x := NewExpired(3, 100)
	for i := range byte(4) { // wraps: id 0 goes
		x.Add(EventID{i}, PubKey{i % 2}, 7, Time(i), Evidence{})
	}
	x.Lift(PubKey{1}, 7)
	x.Add(EventID{3}, PubKey{1}, 7, 9, Evidence{}) // expired once more
	got, err := readIDs(savedIDs(x))
	require.NoError(t, err)
	for _, y := range []*Expired{x, got} {
		require.Equal(t, []bool{false, false, true, true}, []bool{y.Has(EventID{0}, 9), y.Has(EventID{1}, 9), y.Has(EventID{2}, 9), y.Has(EventID{3}, 9)})
		y.Lift(PubKey{0}, 7)
		require.False(t, y.Has(EventID{2}, 9))
		y.Add(EventID{9}, PubKey{5}, 7, 9, Evidence{})
		require.Equal(t, 3, y.Len())
		require.False(t, y.Has(EventID{9}, 109))
	}
	require.Equal(t, savedIDs(x), savedIDs(got))
}

func TestContradictoryExpiredIDsAreRefused(t *testing.T) {
	for name, spoil := range map[string]func(*Expired){
		"remembered twice":           func(x *Expired) { x.ring[1].id = x.ring[0].id },
		"contradictory":              func(x *Expired) { x.ring[1].gen = 5 },
		"2 ids are remembered, the ": func(x *Expired) { x.max = 1 },
	} {
		x := NewExpired(3, 100)
		x.Add(EventID{1}, PubKey{1}, 7, 1, Evidence{})
		x.Add(EventID{2}, PubKey{1}, 7, 1, Evidence{})
		spoil(x)
		_, err := readIDs(savedIDs(x))
		require.ErrorContains(t, err, name)
	}
}

// slots are given out again in the same order, since they show in ids and decide ties.
func TestRestoredSlabReusesTheSameSlots(t *testing.T) {
	var s, got Slab[int32]
	for range 4 {
		s.New()
	}
	s.Free(2)
	s.Free(0)
	w := wire.Writer(nil)
	s.Code(w, 4, wire.Slot)
	r := wire.Reader(w.Bytes())
	got.Code(r, 4, wire.Slot)
	require.NoError(t, r.Finish())
	require.Equal(t, []bool{false, true, false, true}, got.InUse())
	for range 3 {
		require.Equal(t, s.New(), got.New())
		require.Equal(t, s.Len(), got.Len())
	}
	s.free = []int32{1, 1}
	w = wire.Writer(nil)
	s.Code(w, 4, wire.Slot)
	r = wire.Reader(w.Bytes())
	got.Code(r, 4, wire.Slot)
	require.ErrorContains(t, r.Finish(), "named twice")
}
