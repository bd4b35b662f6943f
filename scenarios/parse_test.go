package scenarios

import (
	"testing"

	"github.com/stretchr/testify/require"
)

const small = `
version: 1
name: small
description: A slow first source is hedged at 30 s.
rules: [H-02]
horizon: 10m
hosts:
  slow.example: {latency: 5m}
  fast.example:
    until 10m: {latency: 200ms}
    then: {answer: 503}
repos:
  alice/hello:
    clone: [slow.example, fast.example]
    on: {slow.example: main, fast.example: [main, "b[0-9]"]}
timeline:
  - {at: 0s, state: alice/hello, refs: main, as: s1}
expect:
  - {released: s1, between: [31s, 33s]}
  - {attempts: alice/hello, at: 1s}
`

func TestParseAndEncodeAreInverse(t *testing.T) {
	s, err := Parse("small.yaml", []byte(small))
	require.NoError(t, err)
	again, err := Parse("again.yaml", s.Encode())
	require.NoError(t, err, "%s", s.Encode())
	require.Equal(t, s, again)
	t.Logf("%s", s.Encode())
}
