package nip34

import (
	"strings"
	"testing"

	"github.com/nbd-wtf/go-nostr"
	"github.com/stretchr/testify/require"

	"graspsync/core"
)

func TestParseJSONIsStrict(t *testing.T) { // S-04
	good := string(lines(t, "events.jsonl")[0])
	_, err := ParseJSON([]byte(" " + good + "\n"))
	require.NoError(t, err)
	for _, c := range []struct{ name, json, field string }{
		{"empty", "", "event"},
		{"array", "[]", "event"},
		{"null", "null", "event"},
		{"cut in a value", good[:len(good)-9], "field sig"},
		{"cut before the end", good[:len(good)-1], "event"},
		{"trailing text", good + "x", "event"},
		{"two objects", good + good, "event"},
		{"not UTF-8", strings.Replace(good, "root", "ro\xffot", 1), "event"},
		{"unknown field", strings.Replace(good, `{"id"`, `{"x":1,"id"`, 1), "field x"},
		{"field of another case", strings.Replace(good, `"sig"`, `"Sig"`, 1), "field Sig"},
		{"field twice", strings.Replace(good, `{"id"`, `{"kind":1,"id"`, 1), "field kind"},
		{"missing field", strings.Replace(good, `"content":"",`, ``, 1), "field content"},
		{"null field", strings.Replace(good, `"content":""`, `"content":null`, 1), "field content"},
		{"null tags", strings.Replace(good, `[["t","root"]]`, `null`, 1), "field tags"},
		{"null tag", strings.Replace(good, `[["t","root"]]`, `[null]`, 1), "field tags[0]"},
		{"null in a tag", strings.Replace(good, `"root"`, `null`, 1), "field tags[0][1]"},
		{"number in a tag", strings.Replace(good, `"root"`, `1`, 1), "field tags"},
		{"fraction", strings.Replace(good, `1714984571`, `1.5`, 1), "field created_at"},
		{"kind out of range", strings.Replace(good, `1617`, `99999999999999`, 1), "field kind"},
		{"negative kind", strings.Replace(good, `1617`, `-1`, 1), "field kind"},
		{"too large", strings.Replace(good, `"content":""`, `"content":"`+strings.Repeat("x", MaxEvent)+`"`, 1), "event"},
		{"far too large", strings.Repeat(" ", MaxState+1), "event"},
	} {
		t.Run(c.name, func(t *testing.T) {
			_, err := ParseJSON([]byte(c.json))
			wantRefusal(t, err, c.field)
		})
	}
}

func TestStateMayBeLarger(t *testing.T) { // S-04
	ev := event(t, core.KindState, "d|x")
	ev.Content = strings.Repeat("x", MaxEvent)
	b, err := ev.MarshalJSON()
	require.NoError(t, err)
	_, err = ParseJSON(b)
	require.NoError(t, err)
	ev.Kind = int(core.KindAnnouncement)
	_, _, err = newParser(t).Parse(ev)
	wantRefusal(t, err, "event")
}

// go-nostr's own signature check passes with a wrong id and with upper-case signatures.
func TestVerify(t *testing.T) {
	for _, c := range []struct {
		name, field string
		change      func(*nostr.Event)
	}{
		{"wrong id", "field id", func(e *nostr.Event) { e.ID = strings.Repeat("0", 64) }},
		{"upper-case id", "field id", func(e *nostr.Event) { e.ID = strings.ToUpper(e.ID) }},
		{"short id", "field id", func(e *nostr.Event) { e.ID = e.ID[:62] }},
		{"upper-case key", "field pubkey", func(e *nostr.Event) { e.PubKey = strings.ToUpper(e.PubKey) }},
		{"upper-case signature", "field sig", func(e *nostr.Event) { e.Sig = strings.ToUpper(e.Sig) }},
		{"other's signature", "field sig", func(e *nostr.Event) { e.Sig = e.Sig[:126] + "00" }},
		{"changed content", "field id", func(e *nostr.Event) { e.Content += "." }},
		{"empty", "field id", func(e *nostr.Event) { *e = nostr.Event{} }},
		{"no curve point", "field sig", func(e *nostr.Event) { e.PubKey = strings.Repeat("f", 64); e.ID = e.GetID() }},
	} {
		t.Run(c.name, func(t *testing.T) {
			ev := event(t, core.KindIssue, "t|bug")
			require.NoError(t, Verify(ev))
			c.change(ev)
			wantRefusal(t, Verify(ev), c.field)
		})
	}
}
