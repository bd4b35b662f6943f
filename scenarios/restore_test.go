package scenarios

import (
	"bytes"
	"reflect"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"graspsync/core"
	"graspsync/sim"
)

// twin drives a core, and beside it one that was restored from its snapshot and then took the same inputs.
// Whatever differs fails the test.
type twin struct {
	*core.Core
	t     *testing.T
	cfg   core.Config
	other *core.Core
	every int // a fresh twin each so many steps
	look  int // equal snapshots are looked for each so many steps
	steps int
	made  int
}

func newTwin(t *testing.T, cfg core.Config, every, look int) *twin {
	c, err := core.New(cfg)
	require.NoError(t, err)
	other, err := core.Restore(cfg, c.AppendState(nil))
	require.NoError(t, err)
	return &twin{Core: c, other: other, t: t, cfg: cfg, every: every, look: look}
}

func (d *twin) Step(now core.Time, in core.Input, out []core.Effect) []core.Effect {
	if d.steps%d.every == 0 {
		state := d.Core.AppendState(nil)
		other, err := core.Restore(d.cfg, state)
		require.NoError(d.t, err, "step %d at %s", d.steps, now)
		require.True(d.t, bytes.Equal(state, other.AppendState(nil)), "step %d: restored and saved again it differs", d.steps)
		d.other = other
		d.made++
	}
	n := len(out)
	out = d.Core.Step(now, in, out)
	got := d.other.Step(now, in, nil)
	if !slices.EqualFunc(out[n:], got, sameEffect) {
		require.Equal(d.t, out[n:], got, "step %d, %s at %s", d.steps, in.Kind, now)
		d.t.Fatalf("step %d, %s at %s: effects differ", d.steps, in.Kind, now)
	}
	if in.Kind == core.InConfigChanged && in.Config != nil && in.Config.Validate() == nil {
		interval := d.cfg.LoopInterval
		d.cfg = *in.Config
		d.cfg.LoopInterval = interval
	}
	d.steps++
	if d.steps%d.look == 0 {
		require.True(d.t, bytes.Equal(d.Core.AppendState(nil), d.other.AppendState(nil)), "after step %d, %s at %s: states differ",
			d.steps, in.Kind, now)
	}
	return out
}

func (d *twin) Next() (core.Time, bool) {
	at, ok := d.Core.Next()
	at2, ok2 := d.other.Next()
	require.Equal(d.t, at, at2, "after step %d", d.steps)
	require.Equal(d.t, ok, ok2, "after step %d", d.steps)
	return at, ok
}

// sameEffect takes an empty list for none: a list's memory is reused, what was restored has none.
func sameEffect(a, b core.Effect) bool {
	if !slices.Equal(a.OIDs, b.OIDs) || !slices.Equal(a.Refs, b.Refs) || !slices.Equal(a.Old, b.Old) {
		return false
	}
	a.OIDs, a.Refs, a.Old, b.OIDs, b.Refs, b.Old = nil, nil, nil, nil, nil, nil
	return reflect.DeepEqual(a, b)
}

// playTwin runs a scenario with a twin at the core's side.
func playTwin(t *testing.T, s *Scenario, every, look int) *twin {
	b, err := s.world(max(s.Seed, 1))
	require.NoError(t, err)
	var d *twin
	setup := b.setup(max(s.Seed, 1))
	setup.New = func(cfg core.Config) (sim.Machine, error) {
		d = newTwin(t, cfg, every, look)
		return d, nil
	}
	setup.Restore = func(cfg core.Config, data []byte) (sim.Machine, error) {
		c, err := core.Restore(cfg, data)
		require.NoError(t, err)
		other, err := core.Restore(cfg, data)
		require.NoError(t, err)
		d = &twin{Core: c, other: other, t: t, cfg: cfg, every: every, look: look, made: d.made}
		return d, nil
	}
	world, err := sim.NewWorld(setup)
	require.NoError(t, err)
	world.Run()
	return d
}

// R-03, I-9: restored again and again while whole scenarios run, the core goes on as if nothing happened.
func TestRestoredCoreGoesOnIdentically(t *testing.T) {
	all, err := Catalogue()
	require.NoError(t, err)
	every := 61
	if testing.Short() {
		all, every = all[:10], 5
	}
	made := 0
	for _, s := range all {
		t.Run(s.Name, func(t *testing.T) { made += playTwin(t, s, every, 19).made })
	}
	require.Greater(t, made, 4*len(all), "snapshots were hardly taken")
}
