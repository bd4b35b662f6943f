package scenarios

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"graspsync/core"
	"graspsync/sim"
)

// bad is a core with a fault: what it wants done, when it wants to be woken, and what it says of itself may be
// changed on the way out.
type bad struct {
	*core.Core
	step  func(m *bad, now core.Time, in core.Input, out []core.Effect) []core.Effect
	next  func(m *bad) (core.Time, bool)
	check func() error
}

func (m *bad) Step(now core.Time, in core.Input, out []core.Effect) []core.Effect {
	if m.step != nil {
		return m.step(m, now, in, out)
	}
	return m.Core.Step(now, in, out)
}

func (m *bad) Next() (core.Time, bool) {
	if m.next != nil {
		return m.next(m)
	}
	return m.Core.Next()
}

func (m *bad) Check() error {
	if m.check != nil {
		return m.check()
	}
	return m.Core.Check()
}

// effects is a fault of single effects: change gives what leaves the core instead of each.
func effects(change func(now core.Time, e core.Effect) []core.Effect) func(*build, *sim.Setup, *bad) {
	return func(_ *build, _ *sim.Setup, m *bad) {
		m.step = func(m *bad, now core.Time, in core.Input, out []core.Effect) []core.Effect {
			n := len(out)
			out = m.Core.Step(now, in, out)
			said := slices.Clone(out[n:])
			out = out[:n]
			for _, e := range said {
				out = append(out, change(now, e)...)
			}
			return out
		}
	}
}

// one keeps an effect as it is after a look at it that may change it.
func one(change func(e *core.Effect)) func(*build, *sim.Setup, *bad) {
	return effects(func(_ core.Time, e core.Effect) []core.Effect {
		change(&e)
		return []core.Effect{e}
	})
}

// keepsEmpty is storage that never deletes a repository.
type keepsEmpty struct {
	sim.Local
	sim.LocalView
}

func (keepsEmpty) Delete(core.Handle, bool) (bool, core.Class) { return false, core.OK }

// insists is a driver's HTTP client that asks a dead host again and again for each question.
type insists struct{ sim.Remote }

func (r insists) Ask(now core.Time, q *sim.Request, a *sim.Reply) {
	r.Remote.Ask(now, q, a)
	a.Requests = 41
}

// breakers are faults of a core or driver, one for each invariant, each in a world in which a sound one breaks
// nothing. Every fault must be caught, as a break of exactly that invariant.
var breakers = []struct {
	id, fault string
	world     string
	spoil     func(b *build, s *sim.Setup, m *bad)
}{
	{"I-1", "a core that forgets to ask for a wake-up", stuck, func(b *build, _ *sim.Setup, m *bad) {
		m.next = func(m *bad) (core.Time, bool) { return core.Never, false }
	}},
	{"I-2", "a core that cools a domain for shorter than it says", never, one(func(e *core.Effect) {
		if e.Report == core.RepCooling {
			e.Deadline += core.Hour
		}
	})},
	{"I-3", "a core that starts a second source as if it were alone", secondHost, func(b *build, s *sim.Setup, m *bad) {
		hedge := func(e *core.Effect) {
			if e.Kind == core.EfCompare {
				e.Hedge = !e.Hedge
			}
		}
		one(hedge)(b, s, m)
	}},
	{"I-4", "a core whose grants get lost", strings.Replace(twoSources, "40m", "25m", 1), func(b *build, s *sim.Setup, m *bad) {
		gone := make(map[core.AskID]bool)
		effects(func(_ core.Time, e core.Effect) []core.Effect {
			if e.Kind == core.EfCompare {
				gone[e.Ask] = true
			}
			if gone[e.Ask] && e.Kind != core.EfReport {
				return nil
			}
			return []core.Effect{e}
		})(b, s, m)
	}},
	{"I-5", "a core that serves what it holds", never, effects(func(_ core.Time, e core.Effect) []core.Effect {
		if e.Report == core.RepHeld && e.Hunt != 0 {
			return []core.Effect{e, {Kind: core.EfStoreEvent, Ask: 1<<40 | 700, Event: e.Event}}
		}
		return []core.Effect{e}
	})},
	{"I-6", "a core that leaves out a ref", secondHost, one(func(e *core.Effect) {
		if e.Kind == core.EfAlignRefs && len(e.Refs) > 1 {
			e.Refs = e.Refs[:1]
		}
	})},
	{"I-7", "a driver that says it deleted a repository and did not", never, func(_ *build, s *sim.Setup, _ *bad) {
		s.Local = keepsEmpty{s.Local, s.Local.(sim.LocalView)}
	}},
	{"I-8", "a core whose books do not balance", secondHost, func(_ *build, _ *sim.Setup, m *bad) {
		m.check = func() error { return core.ErrConfig }
	}},
	{"I-9", "a core that decides by something outside the run", secondHost, nil},
	{"I-10", "a core that takes only the first state of an author", orders, func(b *build, _ *sim.Setup, m *bad) {
		seen := false
		m.step = func(m *bad, now core.Time, in core.Input, out []core.Effect) []core.Effect {
			if in.Kind == core.InEvent && in.Event.Kind == core.KindState {
				if seen && in.Event.ID != b.events["s1"].ID {
					return append(out, core.Effect{Kind: core.EfAnswer, Event: in.Event.ID})
				}
				seen = true
			}
			return m.Core.Step(now, in, out)
		}
	}},
	{"I-11", "a core that lets anybody delete", strangers, func(b *build, _ *sim.Setup, m *bad) {
		m.step = func(m *bad, now core.Time, in core.Input, out []core.Effect) []core.Effect {
			out = m.Core.Step(now, in, out)
			if in.Kind == core.InEvent && in.Event.Kind == core.KindDeletion {
				out = m.Core.Step(now, core.Input{Kind: core.InRemove, Target: in.Event.Targets[0]}, out)
			}
			return out
		}
	}},
	{"I-12", "a core that looks elsewhere at every second delivery", secondHost, func(_ *build, _ *sim.Setup, m *bad) {
		m.step = func(m *bad, now core.Time, in core.Input, out []core.Effect) []core.Effect {
			if out = m.Core.Step(now, in, out); in.Kind == core.InEvent && in.Duplicate {
				out = append(out, core.Effect{Kind: core.EfSeekStates, Repo: in.Event.Repo.Repo})
			}
			return out
		}
	}},
	{"I-13", "a core whose ring passes one ticket over", crowd, func(b *build, s *sim.Setup, m *bad) {
		gone := make(map[core.AskID]bool)
		effects(func(_ core.Time, e core.Effect) []core.Effect {
			if e.Kind == core.EfCompare && e.Hunt == 1 && e.Attempt > 1 {
				gone[e.Ask] = true
			}
			if gone[e.Ask] && e.Kind != core.EfReport {
				return nil
			}
			return []core.Effect{e}
		})(b, s, m)
	}},
	{"I-14", "a driver that asks a dead host 41 times for one question", never, func(_ *build, s *sim.Setup, _ *bad) {
		s.Remote = insists{s.Remote}
	}},
	{"I-15", "a core that serves what it holds when it is up again", waiting, func(b *build, _ *sim.Setup, m *bad) {
		m.step = func(m *bad, now core.Time, in core.Input, out []core.Effect) []core.Effect {
			if out = m.Core.Step(now, in, out); in.Kind == core.InRestarted {
				out = append(out, core.Effect{Kind: core.EfStoreEvent, Ask: 1<<40 | 700, Event: b.events["s1"].ID})
			}
			return out
		}
	}},
	{"I-16", "a core that begins a residence twice", stuck, effects(func(_ core.Time, e core.Effect) []core.Effect {
		if e.Report == core.RepHeld {
			return []core.Effect{e, e}
		}
		return []core.Effect{e}
	})},
	{"I-17", "a core that lets no event go", never, effects(func(_ core.Time, e core.Effect) []core.Effect {
		if e.Report == core.RepEndedExpired {
			return nil
		}
		return []core.Effect{e}
	})},
	{"I-18", "a core that asks its own address", ownAndPrivate, func(b *build, s *sim.Setup, m *bad) {
		own := b.events["announce alice/hello"].Sources[0]
		one(func(e *core.Effect) {
			if e.Kind == core.EfCompare {
				e.URL = own.URL
			}
		})(b, s, m)
	}},
}

func count(list []string, s string) (n int) {
	for _, x := range list {
		if x == s {
			n++
		}
	}
	return n
}

// spoilt runs a world with a fault, or without one, and gives the invariants it broke. I-9 needs a second run, I-10
// and I-11 are judged by comparison.
func spoilt(t *testing.T, text string, spoil func(*build, *sim.Setup, *bad), id string) []string {
	s, err := Parse("spoilt", []byte(text))
	require.NoError(t, err)
	var last *build
	runs := 0
	build := func() (sim.Setup, error) {
		b, err := s.world(1)
		if err != nil {
			return sim.Setup{}, err
		}
		last = b
		setup := b.setup(1)
		runs++
		odd := runs%2 == 1
		setup.New = func(c core.Config) (sim.Machine, error) {
			m, err := core.New(c)
			x := &bad{Core: m}
			if spoil != nil {
				spoil(b, &setup, x)
			} else if id == "I-9" && odd {
				one(func(e *core.Effect) { e.Text += "." })(b, &setup, x)
			}
			return x, err
		}
		setup.Restore = func(c core.Config, data []byte) (sim.Machine, error) {
			m, err := core.Restore(c, data)
			x := &bad{Core: m}
			if spoil != nil {
				spoil(b, &setup, x)
			}
			return x, err
		}
		if spoil != nil { // faults of the driver change the setup before the world is made
			spoil(b, &setup, &bad{})
		}
		return setup, nil
	}
	var res sim.Result
	switch {
	case len(s.Hostile) > 0:
		if _, err = build(); err == nil {
			res, err = sim.CompareWithout(build, last.hostile())
		}
	case s.Permute > 0:
		res, err = sim.ComparePermuted(build, sim.Orders{Most: s.Permute})
	default:
		res, err = sim.RunTwice(build)
	}
	require.NoError(t, err)
	var ids []string
	for _, v := range res.Violations {
		if !slices.Contains(ids, v.ID) {
			ids = append(ids, v.ID)
			t.Logf("%s at %v: %s", v.ID, v.At, v.Text)
		}
	}
	return ids
}

// I-1 I-2 I-3 I-4 I-5 I-6 I-7 I-8 I-9 I-10 I-11 I-12 I-13 I-14 I-15 I-16 I-17 I-18
func TestEveryInvariantHasABreaker(t *testing.T) {
	var ids []string
	for _, x := range breakers {
		ids = append(ids, x.id)
		t.Run(x.id, func(t *testing.T) {
			sound := func(*build, *sim.Setup, *bad) {}
			require.Empty(t, spoilt(t, x.world, sound, ""), "the world itself breaks something")
			require.Equal(t, []string{x.id}, spoilt(t, x.world, x.spoil, x.id), x.fault)
		})
	}
	for n := 1; n <= 18; n++ {
		require.Equal(t, 1, count(ids, fmt.Sprintf("I-%d", n)), "I-%d has no breaker, or more than one", n)
	}
}
