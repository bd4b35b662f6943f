package nip34

import (
	"encoding/json"
	"testing"

	"github.com/nbd-wtf/go-nostr"
	"github.com/stretchr/testify/require"

	"graspsync/core"
)

func TestRealEventsVerifyAndParse(t *testing.T) { // AN-02 AN-03 ST-03
	p := newParser(t, "relay.ngit.dev")
	kinds, listed, refs := map[uint32]int{}, 0, 0
	for i, line := range append(lines(t, "events.jsonl"), lines(t, "events-adjacent.jsonl")...) {
		e, problems, err := p.ParseRaw(line)
		require.NoError(t, err, "line %d", i+1)
		require.Empty(t, problems, "line %d", i+1)
		require.Equal(t, line, e.Raw)
		require.EqualValues(t, len(line), e.Size)
		kinds[e.Kind]++
		if e.ListsUs {
			listed++
			require.Equal(t, core.Own, e.Sources[indexOwn(t, e.Sources)].Class)
		}
		if e.Kind == core.KindState {
			require.NotEmpty(t, e.Refs)
			require.False(t, e.Unsatisfied)
			refs = max(refs, len(e.Refs))
		}
	}
	require.Equal(t, map[uint32]int{30617: 11, 30618: 9, 1617: 3, 1621: 7, 1630: 1, 1631: 1, 1632: 1, 1633: 1, 5: 1, 9842: 1}, kinds)
	require.Equal(t, 10, listed, "all but the announcement without clone URLs list the host")
	require.Equal(t, 59, refs, "the largest real state")
}

func indexOwn(t *testing.T, sources []core.Source) int {
	t.Helper()
	for i, s := range sources {
		if s.Class == core.Own {
			return i
		}
	}
	t.Fatal("no own source")
	return -1
}

func TestRealInvalidEventsAreRefused(t *testing.T) { // S-04
	for i, line := range lines(t, "events-invalid.jsonl") {
		ev, err := ParseJSON(line)
		if err == nil {
			err = Verify(ev)
		}
		require.ErrorIs(t, err, ErrInvalid, "line %d", i+1)
	}
}

// Shapes seen on relays, signed by a key of ours: none may crash, odd parts are reported.
func TestRealShapes(t *testing.T) { // AN-02 U-02 ST-06 PR-01
	p := newParser(t, "relay.ngit.dev")
	type shape struct {
		Kind    int
		Tags    nostr.Tags
		Content string
		Name    string `json:"_name"`
	}
	got := map[string]core.Event{}
	told := map[string][]Problem{}
	for _, line := range lines(t, "event-shapes-unsigned.jsonl") {
		var s shape
		require.NoError(t, json.Unmarshal(line, &s))
		ev := &nostr.Event{Kind: s.Kind, Tags: s.Tags, Content: s.Content}
		require.NoError(t, NewKey(1, 1).Sign(ev))
		e, problems, err := p.Parse(ev)
		require.NoError(t, err, s.Name)
		got[s.Name], told[s.Name] = e, problems
	}
	require.Len(t, got, 25)
	require.Len(t, got["event_three_clone_urls"].Sources, 3)
	require.Empty(t, got["event_ssh_only_clone"].Sources)
	require.Equal(t, "tag clone", told["event_ssh_only_clone"][0].Field)
	require.Empty(t, told["event_with_relay_paths"], "relays with a path are relays")
	require.Empty(t, got["event_30618_empty_refs"].Refs)
	require.Len(t, got["event_30618_amethyst"].Refs, 7)
	pr := got["event_1618_pr"]
	require.Equal(t, "c318b8577faef1bc57671b61524af476e86ac800", pr.Commit.String())
	require.Len(t, pr.Repositories, 1)
	require.Equal(t, "satshoot", p.Names.Text(pr.Repositories[0].Identifier))
	require.Equal(t, "github.com", p.Names.Text(pr.Sources[0].Domain))
}

func TestNpub(t *testing.T) {
	k, ok := ParsePubKey("bbb5dda0e15567979f0543407bdc2033d6f0bbb30f72512a981cfdb2f09e2747")
	require.True(t, ok)
	require.Equal(t, "npub1hw6amg8p24ne08c9gdq8hhpqx0t0pwanpae9z25crn7m9uy7yarse465gr", Npub(k))
	k, ok = ParsePubKey("5c1eeccff05aa3ff47bc56fa80bc5c254a8eb67c3a8be2d29bf9b142aa57a7da")
	require.True(t, ok)
	require.Equal(t, "npub1ts0wenlst23l73au2magp0zuy49gadnu8297955mlxc592jh5ldq0xzwcx", Npub(k))
}
