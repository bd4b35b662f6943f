package pq

import (
	"cmp"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"
)

// A heap yields what a sorted list yields, under any mixture of sets, moves and removals.
func TestHeapAgreesWithSortedList(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		const ids = 24
		pos := make([]int32, ids)
		for i := range pos {
			pos[i] = Absent
		}
		var h Heap
		model := map[int32]int64{}
		for range rapid.IntRange(1, 80).Draw(t, "steps") {
			id := rapid.Int32Range(0, ids-1).Draw(t, "id")
			if rapid.Bool().Draw(t, "remove") {
				h.Remove(pos, id)
				delete(model, id)
			} else {
				key := rapid.Int64Range(0, 9).Draw(t, "key")
				h.Set(pos, key, id)
				model[id] = key
			}
			require.Equal(t, len(model), h.Len())
			if len(model) == 0 {
				continue
			}
			var want []item
			for id, key := range model {
				want = append(want, item{key, id})
			}
			slices.SortFunc(want, func(a, b item) int {
				return cmp.Or(cmp.Compare(a.key, b.key), cmp.Compare(a.id, b.id))
			})
			key, top, _ := h.Top()
			require.Equal(t, want[0], item{key, top})
			for i := range h.Len() {
				_, id := h.At(i)
				require.Equal(t, int32(i), pos[id])
			}
		}
	})
}

func TestLaneIsFirstInFirstOut(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var l Lane
		var model []Entry
		at := int64(0)
		for i := range rapid.IntRange(1, 200).Draw(t, "steps") {
			if rapid.Bool().Draw(t, "drop") && len(model) > 0 {
				l.Drop()
				model = model[1:]
			} else {
				at += rapid.Int64Range(0, 2).Draw(t, "gap")
				e := Entry{At: at, ID: uint32(i)}
				require.True(t, l.InOrder(e))
				l.Push(e)
				model = append(model, e)
			}
			require.Equal(t, len(model), l.Len())
			for i := range model {
				require.Equal(t, model[i], l.At(i))
			}
		}
	})
}

// Ranks yield what a sorted list yields, under any mixture of sets, moves and removals.
func TestRanksAgreeWithSortedList(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		const ids = 24
		pos := make([]int32, ids)
		for i := range pos {
			pos[i] = Absent
		}
		var h Ranks
		model := map[int32]Rank{}
		for range rapid.IntRange(1, 80).Draw(t, "steps") {
			id := rapid.Int32Range(0, ids-1).Draw(t, "id")
			if rapid.Bool().Draw(t, "remove") {
				h.Remove(pos, id)
				delete(model, id)
			} else {
				var r Rank
				for i := range r {
					r[i] = rapid.Int64Range(0, 2).Draw(t, "number")
				}
				h.Set(pos, r, id)
				model[id] = r
			}
			require.Equal(t, len(model), h.Len())
			best := Absent
			for id, r := range model {
				if best == Absent || cmp.Or(slices.Compare(r[:], rankOf(model, best)), cmp.Compare(id, best)) < 0 {
					best = id
				}
			}
			r, top, ok := h.Top()
			require.Equal(t, len(model) > 0, ok)
			if ok {
				require.Equal(t, best, top)
				require.Equal(t, model[best], r)
			}
			for i := range h.items {
				require.Equal(t, int32(i), pos[h.items[i].id])
			}
		}
	})
}

func rankOf(m map[int32]Rank, id int32) []int64 { r := m[id]; return r[:] }
