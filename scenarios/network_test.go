package scenarios

import (
	"bytes"
	"io"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"graspsync/sim"
)

// Each relay of a network has a trace of its own that replays alone, without the others. R-02, I-9
func TestEveryRelaysTraceReplays(t *testing.T) {
	all, err := Catalogue()
	require.NoError(t, err)
	networks := 0
	for _, s := range all {
		if s.Network == nil {
			continue
		}
		networks++
		traces := map[string]*bytes.Buffer{}
		first := new(bytes.Buffer)
		res, err := s.Run(Options{Trace: first, TraceOf: func(relay string) io.Writer {
			traces[relay] = new(bytes.Buffer)
			return traces[relay]
		}})
		require.NoError(t, err)
		require.Empty(t, res.Violations, s.Name)
		require.Len(t, traces, len(s.Network.Relays)-1)
		traces[s.Network.Relays[0]] = first
		steps := uint64(0)
		for relay, b := range traces {
			replayed, err := sim.Replay(bytes.NewReader(b.Bytes()))
			require.NoError(t, err, "%s: %s", s.Name, relay)
			steps += replayed.Steps
		}
		require.Equal(t, res.Steps, steps, s.Name)
	}
	require.GreaterOrEqual(t, networks, 6)
}

// What a network cannot be is said with the field, the value and what would be right.
func TestBadNetworks(t *testing.T) {
	const head = "version: 1\nname: x\ndescription: y\nhorizon: 1h\nrepos: {alice/hello: {start: absent, clone: one.example}}\n"
	for _, row := range []struct{ yaml, want string }{
		{"network: {relays: [one.example]}\n", "network.relays: 1 relays, must be 2 to 16"},
		{"network: {relays: [one.example, one.example]}\n", `network.relays[1]: "one.example" is listed twice`},
		{"network: {relays: [one.example, two.example]}\nservice: relay.example\n", "service: goes without network"},
		{"network: {relays: [one.example, two.example], links: [{from: one.example, to: one.example}]}\n", "leads back to where it comes from"},
		{"network: {relays: [one.example, two.example], links: [{from: one.example, to: tow.example}]}\n", "two.example"},
		{"network: {relays: [one.example, two.example], links: [{from: one.example, to: two.example, cut: [5m, 1m]}]}\n", "must be [from, to]"},
		{"network: {relays: [one.example, two.example], links: [{from: one.example, to: two.example, replay: 1ns}]}\n", "too short"},
		{"network: {relays: [one.example, two.example], lies: nobody.example}\n", "network.lies[0]"},
		{"network: {relays: [one.example, two.example]}\nhosts: {two.example: {}}\n", "declared under hosts too"},
		{"network: {relays: [one.example, two.example]}\ntimeline: [{at: 0s, announce: alice/hello, on: six.example}]\n", "timeline[0].on"},
		{"hosts: {one.example: {}}\ntimeline: [{at: 0s, announce: alice/hello, on: one.example}]\n", "goes with a network of relays"},
	} {
		_, err := Parse("x.yaml", []byte(head+row.yaml))
		require.Error(t, err, row.yaml)
		require.True(t, strings.Contains(err.Error(), row.want), "%s\nmust say %q, says:\n%v", row.yaml, row.want, err)
	}
}

// What a relay of a network holds at the start is objects alone, of a repository that stands there.
func TestBadHoldingsAtRelays(t *testing.T) {
	const head = "version: 1\nname: x\ndescription: y\nhorizon: 1h\nnetwork: {relays: [one.example, two.example]}\n"
	for _, row := range []struct{ yaml, want string }{
		{"repos: {alice/hello: {start: absent, on: {one.example: main}}}\n", `repos["alice/hello"].on["one.example"]: a relay holds something of a repository at the start only with start: served`},
		{"repos: {alice/hello: {on: {one.example: {has: main, from: 1m}}}}\n", "write labels alone"},
		{"repos: {alice/hello: {on: {one.example: {has: main, hidden: true}}}}\n", "write labels alone"},
		{"repos: {alice/hello: {on: {six.example: main}}}\n", `host "six.example" is not declared under hosts`},
	} {
		_, err := Parse("x.yaml", []byte(head+row.yaml))
		require.ErrorContains(t, err, row.want, row.yaml)
	}
	_, err := Parse("x.yaml", []byte(head+"repos: {alice/hello: {on: {one.example: [main, dev]}}}\n"))
	require.NoError(t, err)
}
