package fakes

import (
	"slices"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"graspsync/core"
)

// I-9: the first draws of a seed are fixed for ever; a new purpose moves no old row.
func TestDrawsAreFixed(t *testing.T) {
	var got []uint64
	for _, purpose := range []uint64{forLatency, forShare, forChurn, forSilence, forDuplicate, forReorder} {
		got = append(got, keyed(1, textKey("https://a.example/r.git"), purpose, 1))
	}
	require.Equal(t, []uint64{0xb8898afc7e282389, 0xec24c0ae7854a5bc, 0x68a938d17b596f8a, 0x89a148e55cf4e9c0,
		0xa66a1bf2f3c93677, 0x18d869612a0daaf5}, got)
}

// Ratios are exact shares over a whole range of draws.
func TestRatio(t *testing.T) {
	require.True(t, Ratio{}.hit(0))
	require.False(t, Ratio{0, 3}.hit(0))
	require.True(t, Ratio{3, 3}.hit(^uint64(0)))
	hits := 0
	for i := range uint64(30_000) {
		if (Ratio{1, 3}).hit(mix(i)) {
			hits++
		}
	}
	require.InDelta(t, 10_000, hits, 250)
	require.ErrorContains(t, Ratio{2, 1}.validate("Share"), "Share is 2/1")
}

// The presets have the stated median and 99th percentile, and stay below the stall limit (H-06).
func TestPresetQuantiles(t *testing.T) {
	for _, c := range []struct {
		name     string
		l        Latency
		p50, p99 core.Time
	}{{"ls-remote", LsRemote(), 400 * core.Millisecond, 5 * core.Second}, {"fetch", SmallFetch(), 1500 * core.Millisecond, 60 * core.Second}} {
		all := make([]core.Time, 40_000)
		for i := range all {
			all[i] = c.l.draw(mix(uint64(i)))
		}
		slices.Sort(all)
		p50, p99 := all[len(all)/2], all[len(all)*99/100]
		require.InEpsilon(t, int64(c.p50), int64(p50), 0.05, c.name)
		require.InEpsilon(t, int64(c.p99), int64(p99), 0.15, c.name)
		require.Less(t, all[len(all)-1], 5*core.Minute, c.name)
		require.GreaterOrEqual(t, all[0], core.Time(0))
	}
}

// Every draw lies between the ends of its table, and a larger draw of the coarse step is not smaller.
func TestQuantilesAreMonotone(t *testing.T) {
	q, err := NewQuantiles([]Point{{0, 5}, {250, 100}, {990, 1000}, {1000, 900_000}})
	require.NoError(t, err)
	rapid.Check(t, func(t *rapid.T) {
		a := rapid.Uint64().Draw(t, "a")
		b := rapid.Uint64().Draw(t, "b")
		x, y := q.at(min(a, b)), q.at(max(a, b))
		require.GreaterOrEqual(t, x, core.Time(5))
		require.LessOrEqual(t, y, core.Time(900_000))
		if min(a, b)>>52 < max(a, b)>>52 {
			require.LessOrEqual(t, x, y)
		}
	})
	for _, bad := range [][]Point{nil, {{0, 1}}, {{1, 1}, {1000, 2}}, {{0, 1}, {999, 2}}, {{0, 9}, {1000, 2}}, {{0, 1}, {0, 2}, {1000, 3}}, {{0, -1}, {1000, 3}}} {
		_, err := NewQuantiles(bad)
		require.ErrorIs(t, err, ErrQuantiles, "%v", bad)
	}
}

// D-01's window as a server applies it: at most N in any (t-W, t], judged against all stamps kept.
func TestLimiterAgainstModel(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		limit := Limit{Requests: rapid.IntRange(1, 6).Draw(t, "n"), Window: core.Time(rapid.IntRange(1, 20).Draw(t, "w")),
			CountRefused: rapid.Bool().Draw(t, "refused")}
		l := limiter{Limit: limit}
		var stamps []core.Time
		now := core.Time(0)
		for range rapid.IntRange(1, 60).Draw(t, "calls") {
			now += core.Time(rapid.IntRange(0, 8).Draw(t, "gap"))
			want := int32(rapid.IntRange(1, 3).Draw(t, "requests"))
			passed := int32(0)
			for passed < want {
				in := 0
				for _, s := range stamps {
					if s > now-limit.Window {
						in++
					}
				}
				if in >= limit.Requests {
					if limit.CountRefused {
						stamps = append(stamps, now)
					}
					break
				}
				stamps = append(stamps, now)
				passed++
			}
			require.Equal(t, passed, l.take(now, want))
		}
	})
}
