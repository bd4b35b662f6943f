package sim

import (
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"graspsync/core"
)

// The first draws of the streams in use. A new stream adds a row; a changed row means that old seeds no
// longer mean what they meant. I-9
func TestFirstDrawsAreGolden(t *testing.T) {
	for _, row := range []struct {
		name string
		id   uint64
		want [3]uint64
	}{
		{"arrivals", 0, [3]uint64{0x6496660dc8d4c8c7, 0x734f78e4c178caaf, 0x80dcf389d968a26c}},
		{"arrivals", 1, [3]uint64{0x58248941351e72b9, 0x5c56613ff4883a4e, 0x83a17de305c76b66}},
		{"servers", 0, [3]uint64{0xebcc2093749925c2, 0xa1396ca396a91029, 0x8f959bcfd0a4e3f4}},
		{"driver", 0, [3]uint64{0xa2d8e9f8514d174b, 0xcb48cd728b720a9a, 0xa3f7323e4a0ccdf0}},
	} {
		s := NewStream(42, row.name, row.id)
		require.Equal(t, row.want, [3]uint64{s.Uint64(), s.Uint64(), s.Uint64()}, "%s %d", row.name, row.id)
	}
	require.Equal(t, [2]uint64{0x7a33f509fcfa9d43, 0x83a650546619c1f7}, [2]uint64{Mix(42, PurposeDelay, 7, 1), Mix(42, PurposeDelay, 7, 2)})
}

// Reductions stay in range and reach both ends.
func TestReductions(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		x := rapid.Uint64().Draw(t, "x")
		n := rapid.Uint64Range(1, 1<<40).Draw(t, "n")
		if b := Below(x, n); b >= n {
			t.Fatalf("Below(%d, %d) = %d", x, n, b)
		}
		lo := core.Time(rapid.Int64Range(0, 100).Draw(t, "lo"))
		hi := core.Time(rapid.Int64Range(0, 100).Draw(t, "hi"))
		if b := Between(x, lo, hi); b < lo || b > max(lo, hi) {
			t.Fatalf("Between(%d, %d, %d) = %d", x, lo, hi, b)
		}
	})
	require.Equal(t, core.Time(3), Between(^uint64(0), 1, 3))
	require.Equal(t, core.Time(1), Between(0, 1, 3))
	require.Zero(t, Below(^uint64(0), 0))
	require.False(t, Ratio{}.Hit(0))
	require.True(t, Ratio{1, 1}.Hit(^uint64(0)))
	require.True(t, Ratio{1, 2}.Hit(0))
	require.False(t, Ratio{1, 2}.Hit(^uint64(0)))
}

// Draws rise with the random bits, keep the median, and stay within the table's ends.
func TestQuantilesAreMonotone(t *testing.T) {
	for _, q := range []*Quantiles{&Steady, &Wild} {
		require.Equal(t, core.Second, q.Draw(1<<63, core.Second))
		require.Zero(t, q.Draw(1<<63, 0))
		last := core.Time(0)
		for i := range uint64(1 << 12) {
			d := q.Draw(i<<52, 1000*core.Second)
			require.GreaterOrEqual(t, d, last)
			last = d
		}
		require.LessOrEqual(t, q.Draw(^uint64(0), core.Second), core.Time(q[64])*core.Second/1024)
		require.Equal(t, core.Time(q[0])*core.Second/1024, q.Draw(0, core.Second))
	}
}

// A keyed draw depends on each of its four keys.
func TestMixSeparatesKeys(t *testing.T) {
	seen := map[uint64]bool{}
	for seed := range uint64(8) {
		for p := range Purpose(8) {
			for e := range uint64(8) {
				for n := range uint64(8) {
					x := Mix(seed, p, e, n)
					require.False(t, seen[x], "repeated at %d %d %d %d", seed, p, e, n)
					seen[x] = true
				}
			}
		}
	}
}
