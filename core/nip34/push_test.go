package nip34

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"graspsync/core"
	"graspsync/core/value"
)

func pkt(s string) string { return fmt.Sprintf("%04x%s", len(s)+4, s) }

var (
	id1, id2 = strings.Repeat("1", 40), strings.Repeat("a2", 20)
	zero40   = strings.Repeat("0", 40)
	wide1    = strings.Repeat("c3", 32)
	zero64   = strings.Repeat("0", 64)
	nostrID  = strings.Repeat("5e", 32)
)

// P-01: command lists of git clients, with capabilities, several refs, both id lengths, and as the hook's text, give
// exactly their updates. // case 104
func TestPushCommands(t *testing.T) {
	p := newParser(t, "relay.example")
	const caps = " report-status-v2 side-band-64k object-format=sha1 agent=git/2.47.3"
	request := pkt(zero40+" "+id1+" refs/heads/main\x00"+caps) + pkt(id1+" "+id2+" refs/tags/v1\n") +
		pkt(id2+" "+zero40+" refs/heads/über/x") + pkt(zero40+" "+id1+" refs/nostr/"+nostrID) + pkt(zero40+" "+id1+" refs/nostr/bad") +
		pkt(zero40+" "+id1+" refs/evil/x") + "0000"
	got, err := p.PushCommands([]byte(request + "PACK…"))
	require.NoError(t, err)
	require.Equal(t, len(request), got.Size)
	require.Equal(t, strings.TrimPrefix(caps, " "), got.Capabilities)
	o := func(s string) core.OID {
		v, err := value.ParseOID(s)
		require.NoError(t, err)
		return v
	}
	ev, ok := ParseEventID(nostrID)
	require.True(t, ok)
	name := p.Names.Handle
	want := []core.RefUpdate{
		{Name: name("refs/heads/main"), New: o(id1)},
		{Name: name("refs/tags/v1"), Old: o(id1), New: o(id2)},
		{Name: name("refs/heads/über/x"), Old: o(id2)},
		{Name: name("refs/nostr/" + nostrID), New: o(id1), Space: core.NostrRef, Event: ev},
		{Name: name("refs/nostr/bad"), New: o(id1), Space: core.NostrRef},
		{Name: name("refs/evil/x"), New: o(id1), Space: core.OtherRef},
	}
	require.Equal(t, want, got.Updates)

	text := zero40 + " " + id1 + " refs/heads/main\n" + id1 + " " + id2 + " refs/tags/v1\n"
	list, err := p.HookCommands(text)
	require.NoError(t, err)
	require.Equal(t, want[:2], list)

	got, err = p.PushCommands([]byte(pkt(zero64+" "+wide1+" refs/heads/main") + "0000"))
	require.NoError(t, err)
	require.Equal(t, []core.RefUpdate{{Name: name("refs/heads/main"), New: o(wide1)}}, got.Updates)
	require.Empty(t, got.Capabilities)
}

// P-01, F-07: what cannot be read is refused, with the place and what would be right; nothing of it gets a handle.
// // cases 105, 106; B-39
func TestPushCommandsRefuse(t *testing.T) {
	good := zero40 + " " + id1 + " refs/heads/main"
	for _, row := range []struct{ request, field string }{
		{"", "command list"},
		{"0000", "command list"},
		{"00", "command list"},
		{pkt(good), "command list"},
		{pkt(good)[:20], "command list"},
		{"zzzz" + good, "length of a pkt-line"},
		{"0004" + "0000", "length of a pkt-line"},
		{"0001" + "0000", "length of a pkt-line"},
		{"fff1" + good, "length of a pkt-line"},
		{pkt("") + "0000", "length of a pkt-line"},
		{pkt("hello") + "0000", "ref update 1"},
		{pkt(id1+" "+id2) + "0000", "ref update 1"},
		{pkt("push-cert\x00x") + pkt(good) + "0000", "ref update 1"},
		{pkt("shallow "+id1) + pkt(good) + "0000", "ref update 1"},
		{pkt(good) + pkt(zero40+" +a:b refs/heads/x") + "0000", "ref update 2, new id"},
		{pkt(zero40+" --x refs/heads/x") + "0000", "ref update 1, new id"},
		{pkt(zero40+" HEAD refs/heads/x") + "0000", "ref update 1, new id"},
		{pkt(zero40+" "+strings.ToUpper(id2)+" refs/heads/x") + "0000", "ref update 1, new id"},
		{pkt("  refs/heads/x") + "0000", "ref update 1, old id"},
		{pkt(zero40+" "+wide1+" refs/heads/x") + "0000", "ref update 1"},
		{pkt(good) + pkt(zero64+" "+wide1+" refs/heads/x") + "0000", "ref update 2"},
		{pkt(zero40+" "+zero40+" refs/heads/x") + "0000", "ref update 1"},
		{pkt(zero40+" "+id1+" main") + "0000", "ref update 1, ref"},
		{pkt(zero40+" "+id1+" refs/heads/../x") + "0000", "ref update 1, ref"},
		{pkt(zero40+" "+id1+"  refs/heads/x") + "0000", "ref update 1, ref"},
		{pkt(good) + pkt(good+"\x00caps") + "0000", "ref update 2, ref"},
		{pkt(good) + pkt(id1+" "+id2+" refs/heads/main") + "0000", "ref update 2, ref"},
		{strings.Repeat(pkt(good), MaxPushCommands+1) + "0000", "number of ref updates"},
	} {
		p := newParser(t, "relay.example")
		before := p.Names.Len()
		got, err := p.PushCommands([]byte(row.request))
		require.ErrorIs(t, err, ErrInvalid, row.request[:min(60, len(row.request))])
		require.ErrorContains(t, err, row.field+" is ")
		require.Empty(t, got.Updates)
		require.Equal(t, before, p.Names.Len())
	}
	p := newParser(t, "relay.example")
	for _, text := range []string{"", "\n", good + "\n\n", strings.Repeat(good+"\n", MaxPushCommands+1)} {
		_, err := p.HookCommands(text)
		require.ErrorIs(t, err, ErrInvalid)
	}
}

// P-02: the client reads which ref is at fault, what it should be and what it would be.
func TestRefusalText(t *testing.T) {
	names := new(value.Names)
	o, _ := value.ParseOID(id1)
	q, _ := value.ParseOID(id2)
	r := func(o core.OID) []core.Ref { return []core.Ref{{Name: names.Handle("refs/heads/main"), OID: o}} }
	require.Equal(t, "push: no", RefusalText(names, "push: no", nil, nil))
	require.Equal(t, "push: no: refs/heads/main should be "+id1, RefusalText(names, "push: no", r(o), nil))
	require.Equal(t, "push: no: refs/heads/main should be "+id1+", not "+id2, RefusalText(names, "push: no", r(o), r(q)))
	require.Equal(t, "push: no: refs/heads/main at "+id2, RefusalText(names, "push: no", nil, r(q)))
	require.Equal(t, "push: no: refs/heads/main", RefusalText(names, "push: no", nil, r(core.OID{})))
}

// P-01: whatever the bytes, what is accepted is well formed.
func FuzzPushCommands(f *testing.F) {
	f.Add([]byte(pkt(zero40+" "+id1+" refs/heads/main\x00 caps\n") + pkt(id1+" "+id2+" refs/nostr/"+nostrID) + "0000PACK"))
	f.Add([]byte("0000"))
	f.Fuzz(func(t *testing.T, b []byte) {
		p := newParser(t, "relay.example")
		got, err := p.PushCommands(b)
		if err != nil {
			return
		}
		if len(got.Updates) == 0 || got.Size > len(b) || string(b[got.Size-4:got.Size]) != "0000" {
			t.Fatalf("%+v", got)
		}
		for _, u := range got.Updates {
			if CheckRefName(p.Names.Text(u.Name)) != "" || u.Old.IsZero() && u.New.IsZero() || u.Space == core.OtherRef && headOrTag(p.Names.Text(u.Name)) {
				t.Fatalf("%+v", u)
			}
		}
	})
}
