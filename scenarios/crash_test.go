package scenarios

import (
	"bytes"
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"graspsync/core"
	"graspsync/sim"
)

// release is a run in which a state and a pull request are found on two hosts, with local work that takes time.
const release = `version: 1
name: release
description: A state of two repositories' data and a pull request are found and released.
horizon: 20m
hosts:
  one.example: {latency: 300ms}
  two.example: {}
driver:
  check: {delay: 50ms}
  copy: {delay: 100ms}
  align: {delay: 200ms}
  store: {delay: 150ms}
repos:
  alice/hello:
    clone: [one.example, two.example]
    maintainers: bob
    on: {one.example: main, two.example: [main, dev, fix]}
  bob/hello:
    clone: two.example
    on: {two.example: [main, dev]}
timeline:
  - {at: 0s, state: alice/hello, refs: [main, dev], as: s1}
  - {at: 200ms, pr: alice/hello, commit: fix, as: p1}
  - {at: 100s, again: p1}
`

// crashed runs a scenario with crashes at effect boundaries, and a change to the setup.
func crashed(t *testing.T, text string, change func(*sim.Setup)) (*build, sim.Result, []byte) {
	t.Helper()
	s, err := Parse("release", []byte(text))
	require.NoError(t, err)
	b, err := s.world(1)
	require.NoError(t, err)
	setup := b.setup(1)
	setup.Reachable, setup.Record, setup.Checks = nil, true, sim.ChecksThorough
	var trace bytes.Buffer
	setup.Trace = sim.NewTraceWriter(&trace, sim.Build{})
	change(&setup)
	w, err := sim.NewWorld(setup)
	require.NoError(t, err)
	return b, w.Run(), trace.Bytes()
}

// A crash before, between and after the effects of every step of a release, down for no time and for a while:
// everything ends released, exactly once, and the trace replays. I-15 I-16 R-01 R-02 R-03
func TestCrashAtEveryStepOfARelease(t *testing.T) {
	b, whole, _ := crashed(t, release, func(*sim.Setup) {})
	require.Empty(t, whole.Violations)
	require.EqualValues(t, 2, whole.Counts.Released)
	first := uint64(len(b.start)) + 1
	require.Greater(t, whole.Steps, first+12, "too few steps to be worth it")
	for step := first; step <= whole.Steps; step++ {
		for _, effects := range []int{0, 1, 2, 99} {
			for _, down := range []core.Time{0, 90 * core.Second} {
				at := sim.StepCrash{Step: step, Effects: effects, Down: down}
				b, res, trace := crashed(t, release, func(s *sim.Setup) { s.Crashes = []sim.StepCrash{at} })
				require.Empty(t, res.Violations, "%+v", at)
				for _, name := range []string{"s1", "p1"} {
					id := b.events[name].ID
					r := res.Record.Event(id)
					require.Equal(t, core.RepEndedReleased, r.Ended, "%+v: %s", at, name)
					require.True(t, b.parts.Store.Has(id), "%+v: %s", at, name)
					ends := 0
					for _, h := range r.History {
						if h.Report.Ends() {
							ends++
						}
					}
					require.Equal(t, 1, ends, "%+v: %s", at, name)
				}
				j := judge{build: b}
				require.Equal(t, "refs/heads/dev=hello:dev refs/heads/main=hello:main", j.refsNow("alice/hello", false), "%+v", at)
				replayed, err := sim.Replay(bytes.NewReader(trace))
				require.NoError(t, err, "%+v", at)
				require.Equal(t, res.Hash, replayed.Hash)
				require.Equal(t, 1, bytes.Count(trace, []byte(`{"kind":"restarted"`)), "%+v", at)
			}
		}
	}
}

// Two crashes in a row, the second before, at and after the step of the restart. I-15
func TestCrashRightAfterRestart(t *testing.T) {
	b, whole, _ := crashed(t, release, func(*sim.Setup) {})
	first := uint64(len(b.start)) + 1
	for step := first; step < whole.Steps; step += 3 {
		for gap := uint64(1); gap <= 6; gap++ {
			b, res, _ := crashed(t, release, func(s *sim.Setup) {
				s.Crashes = []sim.StepCrash{{Step: step, Down: core.Second}, {Step: step + gap, Effects: 1, Down: 30 * core.Second}}
			})
			require.Empty(t, res.Violations, "step %d and %d later", step, gap)
			require.Equal(t, core.RepEndedReleased, res.Record.Event(b.events["s1"].ID).Ended)
			require.Equal(t, core.RepEndedReleased, res.Record.Event(b.events["p1"].ID).Ended)
		}
	}
}

// Every scenario of the catalogue bears four crashes, at steps of no particular choice. I-15 I-2 I-3 I-8
func TestCatalogueBearsCrashes(t *testing.T) {
	all, err := Catalogue()
	require.NoError(t, err)
	crashes := 0
	for _, s := range all {
		if strings.HasPrefix(s.Name, "real-") || s.Horizon > Span(3*core.Hour) || s.Name == "local-dns-outage" {
			continue
		}
		for k := range 3 {
			b, err := s.world(1)
			require.NoError(t, err)
			setup := b.setup(1)
			setup.Reachable = nil
			for i := range 4 {
				setup.Crashes = append(setup.Crashes, sim.StepCrash{Step: uint64(len(setup.Start) + 1 + i*i*11 + k*5*(i+1)), Effects: k % 4,
					Down: core.Time(k) * 20 * core.Second})
			}
			w, err := sim.NewWorld(setup)
			require.NoError(t, err, s.Name)
			res := w.Run()
			for _, v := range res.Violations {
				t.Errorf("%s, crashes %+v: %s at %v, step %d: %s", s.Name, setup.Crashes, v.ID, v.At, v.Step, v.Text)
			}
			for _, c := range setup.Crashes {
				if c.Step <= res.Steps {
					crashes++
				}
			}
		}
	}
	require.Greater(t, crashes, 300)
}

// badRestart is a core whose restart goes wrong in one way.
type badRestart struct {
	*core.Core
	restarted func(now core.Time, in core.Input, out []core.Effect) []core.Effect
}

func (m *badRestart) Step(now core.Time, in core.Input, out []core.Effect) []core.Effect {
	if in.Kind == core.InRestarted && m.restarted != nil {
		return m.restarted(now, in, out)
	}
	return m.Core.Step(now, in, out)
}

// waiting is a run with a state that nobody has and a crash in the middle of a pass for it.
const waiting = `version: 1
name: release
description: A state waits for data that nobody has.
horizon: 20m
hosts: {git.example: {latency: 20s}}
repos:
  alice/hello: {clone: git.example, on: {git.example: other}}
timeline:
  - {at: 0s, state: alice/hello, refs: main, as: s1}
  - {at: 5s, crash: true, down: 10s}
`

// damaged runs waiting on a core that spoil breaks when it is made anew.
func damaged(t *testing.T, spoil func(b *build, m *badRestart)) []string {
	t.Helper()
	s, err := Parse("release", []byte(waiting))
	require.NoError(t, err)
	b, err := s.world(1)
	require.NoError(t, err)
	setup := b.setup(1)
	setup.New = func(cfg core.Config) (sim.Machine, error) {
		c, err := core.New(cfg)
		return &badRestart{Core: c}, err
	}
	setup.Restore = func(cfg core.Config, data []byte) (sim.Machine, error) {
		c, err := core.Restore(cfg, data)
		m := &badRestart{Core: c}
		if err == nil {
			spoil(b, m)
		}
		return m, err
	}
	w, err := sim.NewWorld(setup)
	require.NoError(t, err)
	var out []string
	for _, v := range w.Run().Violations {
		out = append(out, v.ID+" "+v.Text)
	}
	return out
}

func requireFound(t *testing.T, found []string, id, text string) {
	t.Helper()
	for _, f := range found {
		if strings.HasPrefix(f, id+" ") && strings.Contains(f, text) {
			return
		}
	}
	t.Errorf("%s with %q is not among the findings:\n%s", id, text, strings.Join(found, "\n"))
}

// The same run on a sound core breaks nothing, so that what follows is caught for its fault alone. I-15
func TestSoundRestart(t *testing.T) {
	require.Empty(t, damaged(t, func(*build, *badRestart) {}))
}

// A restart that forgets a held state: nobody looks for it again. I-15 R-03
func TestRestoreThatForgets(t *testing.T) {
	found := damaged(t, func(b *build, m *badRestart) {
		m.restarted = func(now core.Time, in core.Input, out []core.Effect) []core.Effect {
			m.Core.Step(now, core.Input{Kind: core.InRemove, Target: b.events["s1"].ID}, nil)
			return m.Core.Step(now, in, out)
		}
	})
	requireFound(t, found, "I-15", "still held, but no attempt for it began")
}

// A journal that comes back without its last input gives another core. R-03
func TestReexecutionThatDiffers(t *testing.T) {
	found := damaged(t, func(_ *build, m *badRestart) {
		m.Core.Step(0, core.Input{Kind: core.InClock, Offset: core.Second}, nil)
	})
	requireFound(t, found, "R-03", "the core is not the one that crashed")
}

// A restart that serves what it holds. I-15
func TestRestartThatServesEarly(t *testing.T) {
	found := damaged(t, func(b *build, m *badRestart) {
		m.restarted = func(now core.Time, in core.Input, out []core.Effect) []core.Effect {
			out = m.Core.Step(now, in, out)
			return append(out, core.Effect{Kind: core.EfStoreEvent, Ask: 1<<40 | 700, Event: b.events["s1"].ID})
		}
	})
	requireFound(t, found, "I-15", "goes to the store after a crash, but its data is not here")
}

// A restart that does not end what was in flight: its permits never return, and its hunts wait for ever. I-15 I-8
func TestRestartThatLosesPermits(t *testing.T) {
	found := damaged(t, func(_ *build, m *badRestart) {
		m.restarted = func(now core.Time, _ core.Input, out []core.Effect) []core.Effect {
			return m.Core.Step(now, core.Input{Kind: core.InWake}, out)
		}
	})
	requireFound(t, found, "I-15", "no attempt for it began")
}

// Crashes that cannot be are refused, naming field, value and bound.
func TestCrashSetupRefused(t *testing.T) {
	s, err := Parse("release", []byte(waiting))
	require.NoError(t, err)
	for text, change := range map[string]func(*sim.Setup){
		"Crashes[0].Step is 1, must be above":     func(s *sim.Setup) { s.Crashes = []sim.StepCrash{{Step: 1}} },
		"has Effects -1 and Down 0s":              func(s *sim.Setup) { s.Crashes = []sim.StepCrash{{Step: 50, Effects: -1}} },
		"Crash.Down is -1s, must be ≥ 0":          func(s *sim.Setup) { s.Arrivals[1].Crash = &sim.Crash{Down: -core.Second} },
		"Restore is nil, must be given":           func(s *sim.Setup) { s.New = func(c core.Config) (sim.Machine, error) { return core.New(c) } },
		"Crashes[1].Step is 50, must be above 50": func(s *sim.Setup) { s.Crashes = []sim.StepCrash{{Step: 50}, {Step: 50}} },
	} {
		b, err := s.world(1)
		require.NoError(t, err)
		setup := b.setup(1)
		change(&setup)
		_, err = sim.NewWorld(setup)
		require.ErrorIs(t, err, sim.ErrSetup)
		require.ErrorContains(t, err, text, fmt.Sprint(setup.Crashes))
	}
}
