package scenarios

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"graspsync/core"
	"graspsync/sim"
)

// Whatever ways of attacking come together, from a relay or from addresses, before, between and after the victim's own
// events: what has nothing to do with the attacker is as it would be without. I-11
func TestAttacksChangeNothing(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		s := honest(t)
		s.Hostile = Labels{"mallory"}
		for i := range rapid.IntRange(1, 3).Draw(t, "attacks") {
			a := Action{At: Span(time.Duration(rapid.IntRange(0, 1200).Draw(t, "at")) * time.Second), By: "mallory", As: fmt.Sprint("m", i),
				Attack: rapid.SampledFrom([]string{"alice/hello", "bob/hello"}).Draw(t, "whom"),
				Step:   Span(time.Duration(rapid.IntRange(1, 2000).Draw(t, "step")) * time.Millisecond),
				Clone:  rapid.SampledFrom([]Labels{nil, {"evil.example"}, {"good.example"}}).Draw(t, "clone")}
			if rapid.Bool().Draw(t, "client") {
				a.Origin, a.Address = "client", fmt.Sprint("198.51.100.", i)
			}
			for _, way := range attackWays() {
				if rapid.IntRange(0, 2).Draw(t, way) == 0 {
					a.Ways = append(a.Ways, way)
				}
			}
			if i == 0 && a.Ways == nil {
				a.Ways = Labels{"same-identifier"}
			}
			s.Timeline = append(s.Timeline, a)
		}
		res, err := s.Run(Options{})
		require.NoError(t, err, "%s", s.Encode())
		for _, v := range res.Violations {
			t.Errorf("%s at %v: %s\n%s", v.ID, v.At, v.Text, s.Encode())
		}
	})
}

// Each way does something that the relay notices, and all actions carry the attacker's name and instants in order.
func TestEveryWayActs(t *testing.T) {
	for _, way := range append(attackWays(), "") {
		s := New(t)
		r := s.Repo("alice/hello", "git.example").Has("git.example", "main")
		r.State("main").SyncedAt(time.Minute)
		if way == "" {
			r.Attack("mallory", 0)
		} else {
			r.Attack("mallory", 0, way)
		}
		p := &problems{}
		s.s.Horizon = Span(10 * time.Minute)
		x := s.s.validate(p)
		require.NoError(t, p.err())
		n := 0
		for i := range x.actions {
			if a := &x.actions[i].val; a.By == "mallory" {
				require.Equal(t, Span(n)*attackStep, a.At, way)
				require.True(t, strings.HasPrefix(a.As, "attack 2 "), a.As)
				n++
			}
		}
		require.NotZero(t, n, way)
		res := s.Run(10 * time.Minute)
		require.NotZero(t, res.Counts.Arrived+res.Counts.Pushes-1, way)
	}
}

// An event given by its tags is read as real ones are: names are placed in it, and what cannot be read is refused at
// the door with the reason. S-04 ST-03
func TestRawEvents(t *testing.T) {
	s, err := Parse("raw.yaml", []byte(head+`repos: {alice/hello: {clone: git.example, maintainers: bob, on: {git.example: main}}}
timeline:
  - {at: 0s, raw: 30618, by: bob, as: s1, tags: [[d, hello], [refs/heads/main, "<object hello:main>"], [HEAD, "ref: refs/heads/main"]]}
  - {at: 1s, raw: 30618, by: bob, as: bad, tags: [[d, "a/b"], [refs/heads/main, zz]]}
  - {at: 2s, raw: 1111, by: carol, as: c1, tags: [[e, <event s1>]], content: Nice}
  - {at: 3s, raw: 1618, by: carol, as: p1, created-at: 7, tags: [[a, "30617:<user alice>:hello"], [c, "<object hello:main>"]]}
  - {at: 4s, raw: 1618, by: carol, as: p3, created-at: -7, tags: [[a, "30617:<user alice>:hello"], [c, "<object hello:main>"]]}
  - {at: 4s, raw: 1618, by: carol, as: p2, tags: [[a, "30617:<user alice>:hello"], [c, "--upload-pack=x"]]}
expect:
  - {released: s1, at: 1s}
  - {refused: bad, text: without slash}
  - {served: c1}
  - {served: p1}
  - {refused: p2, text: commit id of 40 or 64}
  - {refused: p3, text: not negative}
  - {refs: alice/hello, is: main}
`))
	require.NoError(t, err)
	res, err := s.Run(Options{})
	require.NoError(t, err)
	require.Empty(t, res.Violations)
	again, err := Parse("again.yaml", s.Encode())
	require.NoError(t, err)
	second, err := again.Run(Options{})
	require.NoError(t, err)
	require.Equal(t, res.Hash, second.Hash)
}

// Every scenario of the catalogue bears an attack on one of its repositories: what it expects may fail, no invariant does,
// and nobody who has nothing to do with the attacker is any worse off. I-11
func TestCatalogueBearsAttacks(t *testing.T) {
	all, err := Catalogue()
	require.NoError(t, err)
	attacks := 0
	for i, s := range all {
		switch {
		case strings.HasPrefix(s.Name, "real-"), s.Horizon > Span(5*core.Hour), s.Network != nil, len(s.Hostile) > 0:
			continue
		case s.Name == "conf-challenge-page": // the attacker uses up what the host lets one address have
			continue
		case s.Name == "clock-jumps-past-deadlines": // and here the pass that was just in time comes later
			continue
		}
		victim := sortedKeys(s.Repos)[i%len(s.Repos)]
		at := Span(sim.Mix(uint64(len(s.Name)), 1, uint64(i), 3) % uint64(min(s.Horizon, Span(2*core.Minute))))
		if strings.Contains(victim, "{") || at+Span(core.Minute) > s.Horizon {
			continue
		}
		c := *s
		c.Permute, c.Hostile = 0, Labels{"zed"}
		c.Timeline = append(append([]Action(nil), s.Timeline...), Action{At: at, Attack: victim, By: "zed", Step: Span(300 * core.Millisecond)})
		res, err := c.Run(Options{})
		require.NoError(t, err)
		attacks++
		for _, v := range res.Violations {
			if v.ID != "expect" && !expectsBroken(s, v.ID) {
				t.Errorf("%s, attack on %s at %v: %s at %v, step %d: %s", s.Name, victim, at, v.ID, v.At, v.Step, v.Text)
				break
			}
		}
	}
	require.Greater(t, attacks, 100)
}
