package sim

import (
	"testing"

	"github.com/stretchr/testify/require"

	"graspsync/core"
)

// quiet is a world whose machine notes what it is told and asks for nothing, with arrivals at the given instants.
func quiet(t *testing.T, note func(core.Time, *core.Input), at ...core.Time) *World {
	s, _ := toySetup(1, 1, serve)
	s.Arrivals, s.Horizon, s.Checks = nil, core.Minute, ChecksOff
	for range at {
		s.Arrivals = append(s.Arrivals, Arrival{Input: core.Input{Kind: core.InShutdown}})
	}
	for i := range at {
		s.Arrivals[i].At = at[i]
	}
	s.New = func(core.Config) (Machine, error) {
		return &acts{on: func(now core.Time, in *core.Input) []core.Effect { note(now, in); return nil }}, nil
	}
	w, err := NewWorld(s)
	require.NoError(t, err)
	return w
}

// Worlds take their steps in order of time, at one instant in the order of the constellation; what one tells another comes
// when it should, at the present of the other if that lies in its past, and never past the horizon. I-9
func TestConstellation(t *testing.T) {
	type step struct {
		who int
		at  core.Time
	}
	run := func() (steps []step) {
		const sec = core.Second
		var a, b *World
		a = quiet(t, func(now core.Time, in *core.Input) {
			steps = append(steps, step{0, now})
			if in.Kind == core.InShutdown && now == 2*sec {
				b.Inject(now+sec, core.Input{Kind: core.InWake})
				b.Inject(0, core.Input{Kind: core.InWake})
				b.Inject(core.Hour, core.Input{Kind: core.InWake})
			}
		}, sec, 2*sec, 5*sec)
		b = quiet(t, func(now core.Time, in *core.Input) { steps = append(steps, step{1, now}) }, sec, 4*sec)
		all, err := NewConstellation(a, b)
		require.NoError(t, err)
		all.RunUntil(3 * sec)
		require.Equal(t, 5, len(steps))
		results := all.Run()
		require.Len(t, results, 2)
		require.Equal(t, []uint64{3, 4}, []uint64{results[0].Steps, results[1].Steps})
		require.Empty(t, append(results[0].Violations, results[1].Violations...))
		return steps
	}
	const sec = core.Second
	want := []step{{0, sec}, {1, sec}, {0, 2 * sec}, {1, sec}, {1, 3 * sec}, {1, 4 * sec}, {0, 5 * sec}}
	got := run()
	require.Equal(t, want, got)
	require.Equal(t, got, run())
}

func TestConstellationRefuses(t *testing.T) {
	_, err := NewConstellation()
	require.ErrorIs(t, err, ErrSetup)
	require.ErrorContains(t, err, "a constellation of no worlds")
	fresh, used := quiet(t, func(core.Time, *core.Input) {}), quiet(t, func(core.Time, *core.Input) {}, core.Second)
	used.Run()
	_, err = NewConstellation(fresh, used)
	require.ErrorIs(t, err, ErrSetup)
	require.ErrorContains(t, err, "world 1 of the constellation has run already")
}
