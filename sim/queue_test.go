package sim

import (
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"graspsync/core"
)

// Any mix of pushes, peeks and pops gives the same order from both structures, and that order is
// (at, ord) whatever the order of insertion. I-9
func TestQueuesAgree(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		radix, heap := NewQueue(RadixQueue), NewQueue(HeapQueue)
		now := core.Time(0)
		delays := rapid.OneOf(
			rapid.Just(core.Time(0)),
			rapid.Custom(func(t *rapid.T) core.Time { return core.Time(rapid.Int64Range(0, 3).Draw(t, "small")) }),
			rapid.Custom(func(t *rapid.T) core.Time {
				return core.Time(1) << rapid.IntRange(0, 50).Draw(t, "bit")
			}),
			rapid.SampledFrom([]core.Time{core.Second, 20 * core.Second, 1800 * core.Second}),
		)
		t.Repeat(map[string]func(*rapid.T){
			"push": func(t *rapid.T) {
				at := now + delays.Draw(t, "delay")
				ord := rapid.Uint64Range(0, 7).Draw(t, "ord")
				radix.Push(at, ord)
				heap.Push(at, ord)
			},
			"pop": func(t *rapid.T) {
				a1, o1, ok1 := radix.Pop()
				a2, o2, ok2 := heap.Pop()
				if a1 != a2 || o1 != o2 || ok1 != ok2 {
					t.Fatalf("radix gave (%v, %d, %v), heap (%v, %d, %v)", a1, o1, ok1, a2, o2, ok2)
				}
				if ok1 {
					if a1 < now {
						t.Fatalf("popped %v after %v", a1, now)
					}
					now = a1
				}
			},
			"": func(t *rapid.T) {
				a1, ok1 := radix.Peek()
				a2, ok2 := heap.Peek()
				if a1 != a2 || ok1 != ok2 || radix.Len() != heap.Len() {
					t.Fatalf("peek: radix (%v, %v, %d), heap (%v, %v, %d)", a1, ok1, radix.Len(), a2, ok2, heap.Len())
				}
			},
		})
	})
}

// Equal instants come by tie key, never by insertion, also when pushed at the present instant.
func TestQueueTiesByKey(t *testing.T) {
	q := NewQueue(RadixQueue)
	for _, ord := range []uint64{5, 1, 4} {
		q.Push(10, ord)
	}
	_, ord, _ := q.Pop()
	require.Equal(t, uint64(1), ord)
	q.Push(10, 2) // at the present instant, smaller than what waits
	var got []uint64
	for q.Len() > 0 {
		_, o, _ := q.Pop()
		got = append(got, o)
	}
	require.Equal(t, []uint64{2, 4, 5}, got)
	require.Panics(t, func() { q.Push(9, 0) })
}

func TestQueueSteadyStateAllocatesNothing(t *testing.T) {
	q, s := holdQueue(RadixQueue, 1000, true)
	for range 200_000 {
		holdOnce(q, &s, true)
	}
	require.Less(t, testing.AllocsPerRun(100, func() {
		for range 100 {
			holdOnce(q, &s, true)
		}
	}), 0.5)
}

// mixedDelays are the waits of the rule book: latencies, grid, backoff, lifetime.
var mixedDelays = [8]core.Time{30 * core.Millisecond, 120 * core.Millisecond, 500 * core.Millisecond,
	20 * core.Second, 40 * core.Second, 80 * core.Second, 120 * core.Second, 1800 * core.Second}

func holdDelay(s *uint64, mixed bool) core.Time {
	*s++
	x := Mix(7, 0, *s, 0)
	if mixed {
		return mixedDelays[x&7] + core.Time(x>>40)
	}
	return core.Time(x >> 24)
}

func holdQueue(kind QueueKind, n int, mixed bool) (*Queue, uint64) {
	q, s := NewQueue(kind), uint64(0)
	for i := range n {
		q.Push(holdDelay(&s, mixed), uint64(i))
	}
	return q, s
}

func holdOnce(q *Queue, s *uint64, mixed bool) {
	at, ord, _ := q.Pop()
	q.Push(at+holdDelay(s, mixed), ord)
}

func BenchmarkHold(b *testing.B) {
	for _, kind := range []QueueKind{RadixQueue, HeapQueue} {
		for _, mixed := range []bool{false, true} {
			for _, n := range []int{1_000, 100_000} {
				name := kind.String() + map[bool]string{false: "/uniform", true: "/mixed"}[mixed] + map[int]string{1_000: "/1k", 100_000: "/100k"}[n]
				b.Run(name, func(b *testing.B) {
					q, s := holdQueue(kind, n, mixed)
					for range 3 * n {
						holdOnce(q, &s, mixed)
					}
					b.ReportAllocs()
					b.ResetTimer()
					for range b.N {
						holdOnce(q, &s, mixed)
					}
				})
			}
		}
	}
}
