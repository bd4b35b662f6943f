package nip34

import (
	"testing"

	"github.com/nbd-wtf/go-nostr"
	"github.com/stretchr/testify/require"

	"graspsync/core"
	"graspsync/core/value"
)

// Ids come from e, E and q, coordinates of announcements from a, A and q, each once; what is neither refers to
// nothing. // RE-01; cases 144, 145
func TestWhatAnEventRefersTo(t *testing.T) {
	names := new(value.Names)
	p, err := NewParser(names, "relay.example")
	require.NoError(t, err)
	id := func(c byte) string {
		b := make([]byte, 64)
		for i := range b {
			b[i] = c
		}
		return string(b)
	}
	a := "30617:" + id('a') + ":hello"
	read := func(kind int, tags nostr.Tags) core.Event {
		ev := &nostr.Event{Kind: kind, PubKey: id('1'), CreatedAt: 5, Tags: tags}
		ev.ID, ev.Sig = id('2'), id('3')+id('3')
		out, _, err := p.Parse(ev)
		require.NoError(t, err)
		return out
	}
	tags := nostr.Tags{{"e", id('b')}, {"E", id('c'), "wss://x"}, {"q", id('d')}, {"e", id('b')}, {"e", "short"}, {"e"}, {"p", id('e')},
		{"a", a}, {"A", a}, {"q", "30617:" + id('b') + ":a:b"}, {"a", "30618:" + id('c') + ":hello"}, {"a", "30617:" + id('c') + ":.."}, {"a", id('f')}}
	out := read(int(core.KindIssue), tags)
	require.Len(t, out.Mentions, 3)
	require.Equal(t, []string{id('b'), id('c'), id('d')}, []string{out.Mentions[0].String(), out.Mentions[1].String(), out.Mentions[2].String()})
	require.Len(t, out.Repositories, 2)
	require.Equal(t, "hello", names.Text(out.Repositories[0].Identifier))
	require.Equal(t, "a:b", names.Text(out.Repositories[1].Identifier))

	deletion := read(int(core.KindDeletion), nostr.Tags{{"e", id('b')}, {"a", a}})
	require.Empty(t, deletion.Mentions)
	require.Empty(t, deletion.Repositories)

	commit := id('4')[:40]
	pr := read(int(core.KindPR), nostr.Tags{{"c", commit}, {"a", a}, {"A", "30617:" + id('b') + ":other"}, {"e", id('b')}})
	require.Len(t, pr.Repositories, 1)
	require.Len(t, pr.Mentions, 1)
}
