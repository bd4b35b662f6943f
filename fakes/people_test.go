package fakes

import (
	"testing"

	"github.com/stretchr/testify/require"

	"graspsync/core"
	"graspsync/core/value"
	"graspsync/sim"
)

// a maintainer publishes, then pushes the refs of the state.
func TestPublishAndPush(t *testing.T) {
	w := NewWorldParts(&value.Names{}, 1)
	w.Chain("main", 2).Tag("v1", "main")
	alice, bob := w.User("alice"), w.User("bob")
	require.Equal(t, alice.Key, w.User("alice").Key)
	require.NotEqual(t, alice.Key, bob.Key)
	ann := alice.Announce(100, "hello", []string{"https://A.example/hello.git", "http://b.example:8080/x"}, bob)
	require.Equal(t, []core.PubKey{bob.Key}, ann.Maintainers)
	require.Equal(t, "b.example:8080", w.Names.Text(ann.Sources[1].Domain))
	require.Equal(t, "a.example", w.Names.Text(ann.Sources[0].Domain))
	require.NotEqual(t, ann.ID, alice.Announce(100, "hello", nil).ID)
	require.Equal(t, ann.ID, alice.Announce(100, "hello", []string{"https://A.example/hello.git", "http://b.example:8080/x"}, bob).ID)

	state := bob.State(101, "hello", RefTo{"refs/heads/main", "main"}, RefTo{"refs/tags/v1", "v1"})
	require.Equal(t, "refs/heads/main", w.Names.Text(state.Head))
	day := bob.PublishAndPush(5*core.Second, 30*core.Second, 9, state, core.Second)
	require.Len(t, day, 2)
	require.Equal(t, core.InEvent, day[0].Input.Kind)
	require.Equal(t, core.FromClient, day[0].Input.Origin)
	require.Equal(t, 35*core.Second, day[1].At)
	push := day[1].Push
	require.Equal(t, w.ids("main", "v1"), push.OIDs)
	require.Equal(t, uint64(9), push.Push.ID)
	require.Equal(t, state.Repo, push.Push.Repo)
	require.Equal(t, core.RefUpdate{Name: w.Names.Handle("refs/tags/v1"), New: Label("v1")}, push.Push.Updates[1])

	pr := bob.PR(102, "main~1", nil, ann.Repo)
	p := bob.PushPR(0, 10, pr, ann.Repo, 0).Push.Push
	require.Equal(t, core.NostrRef, p.Updates[0].Space)
	require.Equal(t, "refs/nostr/"+pr.ID.String(), w.Names.Text(p.Updates[0].Name))
	require.NoError(t, w.Err())
}

func told(t *testing.T, arrivals []sim.Arrival) {
	for i := range arrivals {
		require.Equal(t, core.InEvent, arrivals[i].Input.Kind)
		require.Equal(t, core.FromSync, arrivals[i].Input.Origin)
		require.NotZero(t, arrivals[i].Input.From)
		if i > 0 {
			require.GreaterOrEqual(t, arrivals[i].At, arrivals[i-1].At)
		}
	}
}

// I-12: a relay sends duplicates, swaps neighbours and says everything again; noise is keyed to the event.
func TestUpstream(t *testing.T) {
	w := NewWorldParts(&value.Names{}, 3)
	alice := w.User("alice")
	var events []*core.Event
	for i := range int64(40) {
		events = append(events, alice.State(i, "hello"))
	}
	plain := w.Upstream("wss://a.example").Deliver(core.Second, events...).Arrivals()
	told(t, plain)
	require.Len(t, plain, 40)
	require.Equal(t, events[7].ID, plain[7].Input.Event.ID, "order of delivery stays")

	noisy := func(events []*core.Event) []sim.Arrival {
		u := w.Upstream("wss://b.example")
		u.Duplicate, u.Within, u.Reorder = Ratio{1, 2}, 5*core.Second, 2*core.Second
		u.Replay, u.Until = 15*core.Minute, core.Hour
		for i, e := range events {
			u.Deliver(core.Time(i)*core.Second, e)
		}
		return u.Arrivals()
	}
	all := noisy(events)
	told(t, all)
	require.InDelta(t, 40*4*3/2, len(all), 20, "four times, half of them twice")
	swapped := 0
	for i := 1; i < 30; i++ {
		if all[i].Input.Event.CreatedAt < all[i-1].Input.Event.CreatedAt {
			swapped++
		}
	}
	require.NotZero(t, swapped)
	count := map[core.EventID]int{}
	for _, a := range all {
		count[a.Input.Event.ID]++
		require.Less(t, a.At, core.Hour+5*core.Second)
	}
	for _, e := range events {
		require.GreaterOrEqual(t, count[e.ID], 4)
	}

	less := noisy(events[:39])
	kept := all[:0:0]
	for _, a := range all {
		if a.Input.Event.ID != events[39].ID {
			kept = append(kept, a)
		}
	}
	require.Equal(t, kept, less, "without one event the others come as before")

	both := Interleave(plain, all)
	told(t, both)
	require.Len(t, both, len(plain)+len(all))
	w.Learn(both)
	require.Equal(t, core.StoredOK, w.Store.Store(events[1].ID))
	require.Equal(t, core.StoreSuperseded, w.Store.Store(events[0].ID))
}
