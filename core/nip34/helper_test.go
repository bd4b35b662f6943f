package nip34

import (
	"bufio"
	"bytes"
	"encoding/json"
	"os"
	"strings"
	"testing"

	"github.com/nbd-wtf/go-nostr"
	"github.com/stretchr/testify/require"

	"graspsync/core"
	"graspsync/core/value"
)

const (
	oidA = "1111111111111111111111111111111111111111"
	oidB = "2222222222222222222222222222222222222222"
	wide = "3333333333333333333333333333333333333333333333333333333333333333"
)

func newParser(t testing.TB, service ...string) *Parser {
	t.Helper()
	p, err := NewParser(&value.Names{}, service...)
	require.NoError(t, err)
	return p
}

// event signs an event of the key 1 with the given tags, each "name|value|value…".
func event(t testing.TB, kind uint32, tags ...string) *nostr.Event {
	t.Helper()
	ev := &nostr.Event{Kind: int(kind), CreatedAt: 1_700_000_000}
	for _, tag := range tags {
		ev.Tags = append(ev.Tags, strings.Split(tag, "|"))
	}
	require.NoError(t, NewKey(1, 1).Sign(ev))
	return ev
}

// wantRefusal requires an ErrInvalid of that field.
func wantRefusal(t *testing.T, err error, field string) {
	t.Helper()
	require.ErrorIs(t, err, ErrInvalid)
	require.True(t, strings.HasPrefix(err.Error(), field+" is "), "%s: not about %s", err, field)
	require.Contains(t, err.Error(), ", must be ")
}

// refTexts is each ref as "name=oid", with "~" before a symbolic one.
func refTexts(p *Parser, refs []core.Ref) []string {
	var out []string
	for _, r := range refs {
		s := p.Names.Text(r.Name) + "=" + r.OID.String()
		if r.Symbolic {
			s = "~" + s
		}
		out = append(out, s)
	}
	return out
}

// lines are the lines of a file in the repository's testdata, an event or {"event": …} each.
func lines(t testing.TB, name string) [][]byte {
	t.Helper()
	f, err := os.ReadFile("../../testdata/events/" + name)
	require.NoError(t, err)
	var out [][]byte
	sc := bufio.NewScanner(bytes.NewReader(f))
	sc.Buffer(nil, MaxState)
	for sc.Scan() {
		line := append([]byte(nil), sc.Bytes()...)
		var wrapped struct{ Event json.RawMessage }
		if json.Unmarshal(line, &wrapped) == nil && wrapped.Event != nil {
			line = wrapped.Event
		}
		out = append(out, line)
	}
	require.NoError(t, sc.Err())
	return out
}
