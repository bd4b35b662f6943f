package fakes

import (
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"graspsync/core"
	"graspsync/core/value"
)

// learned is a store that knows the events.
func learned(events ...*core.Event) *EventStore {
	s := NewEventStore()
	for _, e := range events {
		s.Learn(e)
	}
	return s
}

// E-06: the newer version wins whatever order they come in; on a tie the lowest id.
func TestStoreReplaces(t *testing.T) {
	u := NewWorldParts(&value.Names{}, 1).User("alice")
	v1, v2 := u.Announce(10, "hello", nil), u.Announce(20, "hello", nil)
	other := u.Announce(5, "other", nil)
	s := learned(v1, v2, other)
	require.Equal(t, core.StoredOK, s.Store(v1.ID))
	require.Equal(t, core.StoredOK, s.Store(other.ID))
	require.Equal(t, core.StoredOK, s.Store(v2.ID))
	require.False(t, s.Has(v1.ID))
	require.Equal(t, core.StoreSuperseded, s.Store(v1.ID))
	require.Equal(t, core.StoredOK, s.Store(v2.ID), "again is fine")
	require.Equal(t, []core.EventID{v2.ID, other.ID}, s.AppendServed(nil))
	require.Equal(t, core.OK, s.Remove(v2.ID))
	require.Equal(t, core.StoredOK, s.Store(v1.ID), "nothing newer is served")

	a, b := u.State(10, "hello"), u.State(10, "hello", RefTo{"refs/heads/main", "x"})
	low, high := a, b
	if b.ID.Compare(a.ID) < 0 {
		low, high = b, a
	}
	s = learned(a, b)
	require.Equal(t, core.StoredOK, s.Store(low.ID))
	require.Equal(t, core.StoreSuperseded, s.Store(high.ID))
}

// DL-01: a deletion takes out its author's events, refuses them afterwards, and reaches no version newer
// than itself and nobody else's.
func TestStoreDeletes(t *testing.T) {
	w := NewWorldParts(&value.Names{}, 1)
	alice, mallory := w.User("alice"), w.User("mallory")
	state, pr := alice.State(10, "hello"), alice.PR(10, "x", nil)
	newer := alice.State(40, "hello")
	byID, foreign := alice.Delete(20, pr.ID), mallory.Delete(20, state.ID)
	byCoordinate := alice.Delete(30)
	byCoordinate.Coordinates = []core.Deleted{{Kind: core.KindState, Coordinate: state.Repo}}
	s := learned(state, pr, newer, byID, foreign, byCoordinate)
	require.Equal(t, core.StoredOK, s.Store(state.ID))
	require.Equal(t, core.StoredOK, s.Store(foreign.ID))
	require.True(t, s.Has(state.ID))
	require.Equal(t, core.StoredOK, s.Store(byID.ID))
	require.Equal(t, core.StoreDeleted, s.Store(pr.ID), "deletion first")
	require.Equal(t, core.StoredOK, s.Store(byCoordinate.ID))
	require.False(t, s.Has(state.ID))
	duplicate, deleted, _ := s.Facts(state)
	require.False(t, duplicate)
	require.True(t, deleted)
	require.Equal(t, core.StoredOK, s.Store(newer.ID))
	duplicate, deleted, _ = s.Facts(newer)
	require.True(t, duplicate)
	require.False(t, deleted)
}

// injected failures hit the first stores and are in the log.
func TestStoreFails(t *testing.T) {
	s := NewEventStore()
	s.FailNext(1)
	s.FailEvent(core.EventID{2}, 1)
	require.Equal(t, core.StoreFailed, s.Store(core.EventID{1}))
	require.Equal(t, core.StoredOK, s.Store(core.EventID{1}))
	require.Equal(t, core.StoreFailed, s.Store(core.EventID{2}))
	require.Equal(t, core.StoredOK, s.Store(core.EventID{2}))
	s.Remove(core.EventID{1})
	log := s.AppendLog(nil)
	require.Len(t, log, 5)
	require.Equal(t, StoreOp{ID: core.EventID{1}, Verdict: core.StoreFailed}, log[0])
	require.True(t, log[4].Remove)
	require.Equal(t, 1, s.Served())
	for range storeLog {
		s.Store(core.EventID{3})
	}
	require.Len(t, s.AppendLog(nil), storeLog)
}

// I-10: stored in any order, the same events are served in the end.
func TestStoreOrderDoesNotMatter(t *testing.T) {
	u := NewWorldParts(&value.Names{}, 1).User("alice")
	var events []*core.Event
	for i := range int64(6) {
		events = append(events, u.State(i/2, "hello", RefTo{"refs/heads/main", string(rune('a' + i))}))
	}
	events = append(events, u.Delete(9, events[4].ID), u.PR(1, "x", nil))
	events = append(events, u.Delete(9, events[7].ID))
	served := func(order []*core.Event) map[core.EventID]bool {
		s := learned(events...)
		for range 2 { // redelivered
			for _, e := range order {
				s.Store(e.ID)
			}
		}
		out := map[core.EventID]bool{}
		for _, id := range s.AppendServed(nil) {
			out[id] = true
		}
		return out
	}
	want := served(events)
	require.Len(t, want, 3)
	rapid.Check(t, func(t *rapid.T) {
		require.Equal(t, want, served(rapid.Permutation(events).Draw(t, "order")))
	})
}

// RE-01, R-07: what names something served, or is named by it, is related, and so by and by everything that hangs
// together; what is no longer served relates nothing. // cases 144, 145, 146
func TestStoreRelates(t *testing.T) {
	repo := core.Coordinate{Owner: core.PubKey{1}, Identifier: 1, Repo: 1}
	ann := &core.Event{ID: core.EventID{1}, Author: repo.Owner, Kind: core.KindAnnouncement, Repo: repo}
	event := func(n byte, mentions ...byte) *core.Event {
		e := &core.Event{ID: core.EventID{n}, Kind: core.KindIssue}
		for _, m := range mentions {
			e.Mentions = append(e.Mentions, core.EventID{m})
		}
		return e
	}
	issue := event(2, 9)
	issue.Repositories = []core.Coordinate{repo}
	comment, onComment, named := event(3, 2), event(4, 3), event(9)
	s := learned(ann, issue, comment, onComment, named)
	related := func(e *core.Event) bool { _, _, r := s.Facts(e); return r }
	for _, e := range []*core.Event{issue, comment, onComment, named} {
		require.False(t, related(e), "nothing is served")
	}
	s.Store(ann.ID)
	require.True(t, related(issue))
	require.False(t, related(onComment), "what it hangs on is not here yet")
	for _, e := range []*core.Event{issue, comment} {
		require.True(t, related(e))
		s.Store(e.ID)
	}
	require.True(t, related(onComment))
	require.True(t, related(named), "the issue names it")
	elsewhere := event(5)
	elsewhere.Repositories = []core.Coordinate{{Owner: core.PubKey{2}, Identifier: 1, Repo: 2}}
	require.False(t, related(elsewhere), "the name alone is nothing")

	s.Remove(issue.ID)
	require.False(t, related(named))
	require.False(t, related(comment), "nothing it names is here")
	require.True(t, related(onComment), "the comment is")
	other := event(6)
	other.Repositories = issue.Repositories
	require.True(t, related(other))
	s.Remove(ann.ID)
	require.False(t, related(other))
	require.True(t, related(issue), "the comment names it")
}
