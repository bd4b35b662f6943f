package scenarios

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"

	"graspsync/core"
	"graspsync/sim"
)

// relayRow is a user who pushes to one relay, which a second one follows, and that one a third.
const relayRow = `version: 1
name: row
description: What is pushed to the first of three relays reaches the last.
horizon: 40m
network:
  relays: [one.example, two.example, three.example]
  links:
    - {from: one.example, to: two.example, latency: 1s}
    - {from: two.example, to: three.example, latency: 2s}
driver: {copy: {delay: 20ms}, align: {delay: 50ms}, store: {delay: 30ms}, create: {delay: 10ms}}
repos:
  alice/hello:
    start: absent
    clone: [one.example, two.example, three.example]
    commits: {c2: [c1]}
timeline:
  - {at: 0s, announce: alice/hello, origin: client, as: a}
  - {at: 1s, state: alice/hello, refs: {main: c1}, origin: client, as: s1}
  - {at: 10s, push: alice/hello, refs: {main: c1}, as: p1}
  - {at: 1m, state: alice/hello, refs: {main: c2}, origin: client, as: s2}
  - {at: 70s, push: alice/hello, refs: {main: c2}, as: p2}
  - {at: 2m, pr: alice/hello, by: carol, commit: fix, origin: client, as: fix}
  - {at: 130s, push: alice/hello, by: carol, refs: {refs/nostr/fix: fix}, as: p3}
`

// A relay that follows crashes before, between or after the effects of any step of its own and is up again soon or late;
// in the end all three serve and show the same. I-15 I-10 R-01 R-03
func TestFollowersCrashAtEveryStep(t *testing.T) {
	s, err := Parse("row", []byte(relayRow))
	require.NoError(t, err)
	steps := stepsOf(t, s)
	for _, relay := range s.Network.Relays[1:] {
		for step := uint64(1); step <= steps[relay]; step++ {
			for _, effects := range []int{0, 1, 99} {
				at := sim.StepCrash{Step: step, Effects: effects, Down: core.Time(1+step%3*40) * core.Second}
				ends := crashedRow(t, s, relay, at)
				for _, name := range s.Network.Relays {
					require.Equal(t, "a fix s1:false s2 refs/heads/main=hello:c2 refs/nostr/fix", ends[name], "%s with %s crashed at %+v", name, relay, at)
				}
			}
		}
	}
}

// The relay to which users push crashes at any effect boundary. A push it loses is lost, but what it serves in the end the
// others serve and show too. I-15 I-10
func TestFirstRelayCrashesAtEveryStep(t *testing.T) {
	s, err := Parse("row", []byte(relayRow))
	require.NoError(t, err)
	first := s.Network.Relays[0]
	for step := uint64(1); step <= stepsOf(t, s)[first]; step++ {
		for _, effects := range []int{0, 1, 99} {
			at := sim.StepCrash{Step: step, Effects: effects, Down: core.Time(1+step%3*40) * core.Second}
			ends := crashedRow(t, s, first, at)
			for _, name := range s.Network.Relays {
				require.Equal(t, ends[first], ends[name], "%s with %s crashed at %+v", name, first, at)
			}
		}
	}
}

func stepsOf(t *testing.T, s *Scenario) map[string]uint64 {
	members, err := s.playNetwork(1, Options{})
	require.NoError(t, err)
	out := make(map[string]uint64)
	for _, m := range members {
		require.Empty(t, m.judge.res.Violations)
		out[m.name] = m.judge.res.Steps
	}
	return out
}

// crashedRow runs the row with one crash and tells what each relay serves and shows in the end.
func crashedRow(t *testing.T, s *Scenario, relay string, at sim.StepCrash) map[string]string {
	members, err := s.playNetwork(1, Options{Change: func(name string, setup *sim.Setup) {
		if name == relay {
			setup.Crashes = []sim.StepCrash{at}
		}
	}})
	require.NoError(t, err)
	out := make(map[string]string)
	for _, m := range members {
		require.Empty(t, m.judge.res.Violations, "%s with %s crashed at %+v", m.name, relay, at)
		has := func(name string) bool { return m.judge.parts.Store.Has(m.judge.idOf(name)) }
		text := ""
		for _, name := range []string{"a", "fix"} {
			if has(name) {
				text += name + " "
			}
		}
		text += fmt.Sprintf("s1:%v ", has("s1"))
		if has("s2") {
			text += "s2 "
		}
		text += m.judge.refsNow("alice/hello", false)
		if m.judge.refsNow("alice/hello", true) != "" {
			text += " refs/nostr/fix"
		}
		out[m.name] = text
	}
	return out
}
