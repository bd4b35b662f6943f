package scenarios

import (
	"fmt"
	"os"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"graspsync/core"
	"graspsync/sim"
)

// wrong is a core whose effects are changed on their way out; change returns false to swallow one.
type wrong struct {
	*core.Core
	change func(now core.Time, e *core.Effect) bool
}

func (w *wrong) Step(now core.Time, in core.Input, out []core.Effect) []core.Effect {
	n := len(out)
	out = w.Core.Step(now, in, out)
	kept := out[:n]
	for _, e := range out[n:] {
		if w.change(now, &e) {
			kept = append(kept, e)
		}
	}
	return kept
}

// broken runs a scenario on a wrong core and gives the invariants it broke. prepare gets the names.
func broken(t *testing.T, text string, prepare func(*build) func(core.Time, *core.Effect) bool) []string {
	s, err := Parse("broken", []byte(text))
	require.NoError(t, err)
	b, err := s.world(1)
	require.NoError(t, err)
	setup := b.setup(1)
	setup.New = func(c core.Config) (sim.Machine, error) {
		m, err := core.New(c)
		return &wrong{m, prepare(b)}, err
	}
	w, err := sim.NewWorld(setup)
	require.NoError(t, err)
	var ids []string
	for _, v := range w.Run().Violations {
		ids = append(ids, v.ID)
	}
	slices.Sort(ids)
	return slices.Compact(ids)
}

func untouched(*build) func(core.Time, *core.Effect) bool {
	return func(core.Time, *core.Effect) bool { return true }
}

const ownAndPrivate = `
version: 1
name: own-and-private
description: Own and private sources stand among the clone URLs, and only the public one is asked.
horizon: 1m
hosts: {git.example: {}, 10.0.0.1: {}}
repos:
  alice/hello:
    clone: [relay.example, "http://10.0.0.1/x.git", git.example]
    on: {git.example: main}
timeline:
  - {at: 0s, state: alice/hello, refs: main}
`

// A core that asks our own authority or a private address is caught without a word in the scenario. I-18
func TestForbiddenIsFilledIn(t *testing.T) {
	require.Empty(t, broken(t, ownAndPrivate, untouched))
	for _, url := range []string{"https://relay.example/npub", "http://10.0.0.1/x.git"} {
		require.Contains(t, broken(t, ownAndPrivate, func(b *build) func(core.Time, *core.Effect) bool {
			var own core.Source
			for _, s := range b.events["announce alice/hello"].Sources {
				if text := b.names.Text(s.URL); len(text) >= len(url) && text[:len(url)] == url {
					own = s
				}
			}
			require.NotZero(t, own.URL)
			return func(_ core.Time, e *core.Effect) bool {
				if e.Kind == core.EfCompare {
					e.URL = own.URL
				}
				return true
			}
		}), "I-18", url)
		require.Contains(t, broken(t, ownAndPrivate, func(b *build) func(core.Time, *core.Effect) bool {
			return func(_ core.Time, e *core.Effect) bool {
				if e.Kind == core.EfCompare {
					e.Domain = b.names.Handle("relay.example") // another spelling of a URL there
				}
				return true
			}
		}), "I-18")
	}
	allowed, err := Parse("allowed", []byte(ownAndPrivate+"config: {allow-private: true}\n"))
	require.NoError(t, err)
	b, err := allowed.world(1)
	require.NoError(t, err)
	private, _ := b.names.Lookup("10.0.0.1")
	own, _ := b.names.Lookup("relay.example")
	require.NotContains(t, b.forbidden(), private)
	require.Contains(t, b.forbidden(), own)
}

const twoSources = `
version: 1
name: two-sources
description: The first source has nothing, and the second has it all.
horizon: 40m
hosts:
  empty.example: {}
  git.example: {latency: 100ms}
repos:
  alice/hello:
    clone: [empty.example, git.example]
    on: {git.example: main}
timeline:
  - {at: 1s, state: alice/hello, refs: main, as: s1}
`

// A grant that gets lost, and a second source that is never started, leave data in reach unfetched. I-4
func TestDataInReachIsFetched(t *testing.T) {
	require.Empty(t, broken(t, twoSources, untouched))
	lost := func(host string, first int) func(b *build) func(core.Time, *core.Effect) bool {
		return func(b *build) func(core.Time, *core.Effect) bool {
			domain, n := b.names.Handle(host), 0
			gone := make(map[core.AskID]bool)
			return func(_ core.Time, e *core.Effect) bool {
				if e.Kind == core.EfCompare && e.Domain == domain {
					if n++; n <= first {
						gone[e.Ask] = true
					}
				}
				return !gone[e.Ask] || e.Kind == core.EfReport // nothing of that pass ever leaves the core
			}
		}
	}
	require.Contains(t, broken(t, twoSources, lost("git.example", 1)), "I-4")
	require.Contains(t, broken(t, twoSources, lost("git.example", 1<<30)), "I-4")
	require.NotContains(t, broken(t, twoSources, lost("empty.example", 1)), "I-4", "the other source is enough")
}

// What is judged of the catalogue, so that a change of the search for it does not go unseen. I-4
func TestReachIsFound(t *testing.T) {
	all, err := Catalogue()
	require.NoError(t, err)
	judged, events := 0, 0
	for _, s := range all {
		b, err := s.world(1)
		require.NoError(t, err)
		n := 0
		for _, r := range b.inReach() {
			require.NotZero(t, r.Bound)
			if r.From+r.Bound <= min(core.Time(s.Horizon), b.cfg.Lifetime) {
				n++
			}
		}
		if events += n; n > 0 {
			judged++
		}
	}
	t.Logf("%d events of %d scenarios", events, judged)
	require.GreaterOrEqual(t, judged, 20)
	require.GreaterOrEqual(t, events, 60)
}

// The published bounds are those that are judged by. I-4
func TestBoundsAreAsPublished(t *testing.T) {
	doc, err := os.ReadFile("../docs/scenarios.md")
	require.NoError(t, err)
	c := core.DefaultConfig()
	head, steady, sound := "| tickets ahead |", "| sound from the start |", "| sound from some instant |"
	for _, waiting := range []int{0, 1, 10, 100, 300} {
		head += fmt.Sprintf(" %d |", waiting)
		steady += fmt.Sprintf(" %d |", sim.SteadyBound(&c, waiting)/core.Second)
		sound += fmt.Sprintf(" %d |", sim.LivenessBound(&c, waiting)/core.Second)
	}
	require.Contains(t, string(doc), head+"\n|---|---|---|---|---|---|\n"+steady+"\n"+sound+"\n")
}

const said = `
version: 1
name: said
description: A host of the usual kind has the data, and the scenario says that this is enough.
horizon: %s
config: {lifetime: 2h}
hosts: {git.example: {like: typical}}
repos:
  alice/hello: {clone: git.example, on: {git.example: [{has: main, from: 5m}]}}
timeline:
  - {at: 0s, state: alice/hello, refs: main, as: s1}
expect:
  - {reachable: %s, from: 10m}
`

// What an expectation says of the data is judged, and it must be of a kind that can be. I-4
func TestReachableIsJudged(t *testing.T) {
	run := func(horizon, event string) ([]sim.Violation, error) {
		s, err := Parse("said", fmt.Appendf(nil, said, horizon, event))
		if err != nil {
			return nil, err
		}
		res, err := s.Run(Options{})
		return res.Violations, err
	}
	found, err := run("1h", "s1")
	require.NoError(t, err)
	require.Empty(t, found)
	found, err = run("20m", "s1")
	require.NoError(t, err)
	require.Len(t, found, 1)
	require.Contains(t, found[0].Text, "nothing to judge: with 0 tickets ahead it is due by 2332s, but its deadline is 7200s and the run ends at 20m")
	_, err = run("1h", "s2")
	require.ErrorContains(t, err, "s2")
	_, err = run("5m", "s1")
	require.ErrorContains(t, err, "past the horizon")

	require.Empty(t, broken(t, fmt.Sprintf(said, "1h", "s1"), untouched))
	require.Contains(t, broken(t, fmt.Sprintf(said, "1h", "s1"), func(*build) func(core.Time, *core.Effect) bool {
		return func(now core.Time, e *core.Effect) bool { return now < 5*core.Minute || e.Kind != core.EfCompare }
	}), "I-4")
}
