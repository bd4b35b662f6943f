package importer

import (
	"bytes"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"graspsync/core"
	"graspsync/scenarios"
)

// Two relays delivered states before their announcements. Whatever their order, the same events
// are served in the end.
func TestEveryOrderServesTheSame(t *testing.T) { // I-10 S-05 ST-01
	s, _, err := Import(bytes.NewReader(testdata(t, "events.jsonl")), Options{NoTrial: true,
		RelayLog: bytes.NewReader(testdata(t, "relay-arrivals-2025-12-05.jsonl")), Classes: map[string]string{"*": "ok"}})
	require.NoError(t, err)
	s.Timeline = s.Timeline[:6] // three states, each before its announcement
	first := make([]string, 5)  // 120 orders; the sixth event stays last
	for i := range first {
		first[i] = s.Timeline[i].Event
	}
	var want []core.EventID
	permute(first, 0, func(order []string) {
		for i, e := range order {
			s.Timeline[i].Event = e
		}
		res, err := s.Run(scenarios.Options{})
		require.NoError(t, err)
		require.Empty(t, res.Violations)
		var served []core.EventID
		for _, e := range res.Record.Events {
			if e.Ended == core.RepEndedReleased {
				served = append(served, e.ID)
			}
		}
		slices.SortFunc(served, core.EventID.Compare)
		if want == nil {
			want = served
		}
		require.Equal(t, want, served)
	})
	require.Len(t, want, 6)
}

func permute(list []string, from int, visit func([]string)) {
	if from == len(list) {
		visit(list)
		return
	}
	for i := from; i < len(list); i++ {
		list[from], list[i] = list[i], list[from]
		permute(list, from+1, visit)
		list[from], list[i] = list[i], list[from]
	}
}
