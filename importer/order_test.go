package importer

import (
	"bytes"
	"testing"

	"github.com/stretchr/testify/require"

	"graspsync/scenarios"
)

// Two relays delivered three states before their announcements. In all 720 orders of these six events, and after
// redelivery until nothing changes, the same events are served and the repositories have the same refs.
func TestEveryOrderServesTheSame(t *testing.T) { // I-10 S-05 ST-01
	s, _, err := Import(bytes.NewReader(testdata(t, "events.jsonl")), Options{NoTrial: true,
		RelayLog: bytes.NewReader(testdata(t, "relay-arrivals-2025-12-05.jsonl")), Classes: map[string]string{"*": "ok"}})
	require.NoError(t, err)
	s.Timeline = s.Timeline[:6]
	s.Permute = 720
	res, err := s.Run(scenarios.Options{})
	require.NoError(t, err)
	require.Empty(t, res.Violations)
	require.EqualValues(t, 6, res.Counts.Released)
}
