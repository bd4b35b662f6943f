package sim

import (
	"testing"

	"github.com/stretchr/testify/require"

	"graspsync/core"
	"graspsync/core/value"
)

// A record answers what scenario tests ask: attempts, passes by hunt, domain and URL, lives of events.
func TestRecord(t *testing.T) {
	lacks := func(_ core.Time, q *Request, a *Reply) { // nothing there until 50 s
		a.Status = 200
		if q.N > 3 || q.Kind == AskFetch {
			a.OIDs = append(a.OIDs, q.OIDs...)
		}
	}
	s, _ := toySetup(2, 2, lacks)
	_, w := runToy(t, s)
	r := w.Record()
	require.Equal(t, []core.Time{1e9, 21e9, 41e9, 61e9}, r.AttemptStarts(1))
	require.Len(t, r.PassesOf(1), 4)
	require.Len(t, r.DomainPasses(s.Names.Handle("hb.example")), 4)
	require.Len(t, r.URLPasses(s.Arrivals[0].Input.Event.Sources[0].URL), 4)
	require.Len(t, r.ReportsOf(core.RepAttemptEnded), 8)
	e := r.Event(toyID(0))
	require.Equal(t, [4]core.Time{0, 0, 61 * core.Second, 61 * core.Second}, [4]core.Time{e.Arrived, e.Held, e.EndedAt, e.Notified})
	require.Equal(t, 1800*core.Second, e.Deadline)
	require.Equal(t, []AnswerRecord{{At: 0, OK: true}}, e.Answers)
	require.Len(t, e.History, 2)
	require.Nil(t, r.Event(toyID(77)))
	require.Nil(t, r.Push(1))
	for _, p := range r.Passes {
		require.GreaterOrEqual(t, p.End, p.Start)
	}
	for _, a := range r.Attempts {
		require.GreaterOrEqual(t, a.End, a.Start)
	}
}

// Rows are domains, marks are what happened.
func TestTimeline(t *testing.T) {
	names := new(value.Names)
	a, b := names.Handle("a.example"), names.Handle("longer.example")
	r := &Record{Passes: []PassRecord{
		{Domain: b, Start: 10 * core.Second, End: 30 * core.Second, Supplied: 1},
		{Domain: a, Start: 20 * core.Second, End: 20 * core.Second, Class: core.Refused},
		{Domain: a, Start: 40 * core.Second, End: -1, Hedge: true},
		{Domain: 9, Start: 500 * core.Second, End: -1},
	}}
	require.Equal(t, "                0s … 60s, a column is 10s\n"+
		"longer.example  .*-+..\n"+
		"a.example       ..X.H-\n", r.Timeline(names, 0, 60*core.Second, 6))
	require.Empty(t, r.Timeline(names, 5, 5, 6))
	require.Contains(t, r.Timeline(nil, 0, 600*core.Second, 6), "#9")
}
