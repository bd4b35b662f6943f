package nip34

import (
	"bytes"
	"encoding/json"
	"strconv"
	"unicode/utf8"

	"github.com/nbd-wtf/go-nostr"

	"graspsync/core"
)

// Bounds of an event's JSON (S-04). A state may be larger because it lists every ref.
const (
	MaxEvent = 256 << 10
	MaxState = 1 << 20
)

// ParseJSON decodes one event, strictly: exactly the seven fields of NIP-01, each once, none null, no
// text after the object, valid UTF-8, at most MaxEvent bytes (MaxState for a state). It checks shape,
// not truth: call Verify next. The error wraps ErrInvalid (S-04).
func ParseJSON(b []byte) (*nostr.Event, error) {
	if len(b) > MaxState {
		return nil, refuse("event", strconv.Itoa(len(b))+" bytes", "at most "+strconv.Itoa(MaxState)+" bytes")
	}
	if !utf8.Valid(b) {
		return nil, refuse("event", "bytes that are not UTF-8", "UTF-8 text")
	}
	ev, err := decodeEvent(b)
	if err != nil {
		return nil, err
	}
	if len(b) > MaxEvent && ev.Kind != int(core.KindState) {
		return nil, refuse("event", strconv.Itoa(len(b))+" bytes of kind "+strconv.Itoa(ev.Kind),
			"at most "+strconv.Itoa(MaxEvent)+" bytes")
	}
	return ev, nil
}

func decodeEvent(b []byte) (*nostr.Event, error) {
	d := json.NewDecoder(bytes.NewReader(b))
	if t, err := d.Token(); err != nil || t != json.Delim('{') {
		return nil, refuse("event", string(b[:min(len(b), maxShown)]), "a JSON object")
	}
	var ev nostr.Event
	seen := map[string]bool{}
	for d.More() {
		t, err := d.Token()
		if err != nil {
			return nil, refuse("event", err.Error(), "valid JSON")
		}
		name, _ := t.(string)
		if seen[name] {
			return nil, refuse("field "+shown(name), "there twice", "there once")
		}
		seen[name] = true
		if err := decodeField(d, name, &ev); err != nil {
			return nil, err
		}
	}
	if _, err := d.Token(); err != nil {
		return nil, refuse("event", err.Error(), "valid JSON")
	}
	if _, err := d.Token(); err == nil || d.InputOffset() < int64(len(bytes.TrimRight(b, " \t\r\n"))) {
		return nil, refuse("event", "text after the object", "one JSON object")
	}
	for _, name := range [...]string{"id", "pubkey", "created_at", "kind", "tags", "content", "sig"} {
		if !seen[name] {
			return nil, refuse("field "+name, "missing", "there")
		}
	}
	return &ev, nil
}

func decodeField(d *json.Decoder, name string, ev *nostr.Event) error {
	var text *string
	var number *int64
	var err error
	switch name {
	case "id", "pubkey", "content", "sig":
		if err = d.Decode(&text); err != nil || text == nil {
			return refuse("field "+name, nullOr(err), "a string")
		}
	case "created_at", "kind":
		if err = d.Decode(&number); err != nil || number == nil {
			return refuse("field "+name, nullOr(err), "a whole number")
		}
	case "tags":
		return decodeTags(d, ev)
	default:
		return refuse("field "+shown(name), "unknown", "one of id, pubkey, created_at, kind, tags, content, sig")
	}
	switch name {
	case "id":
		ev.ID = *text
	case "pubkey":
		ev.PubKey = *text
	case "content":
		ev.Content = *text
	case "sig":
		ev.Sig = *text
	case "created_at":
		ev.CreatedAt = nostr.Timestamp(*number)
	case "kind":
		if *number < 0 || *number > maxKind {
			return refuse("field kind", strconv.FormatInt(*number, 10), "0 to 65535")
		}
		ev.Kind = int(*number)
	}
	return nil
}

func decodeTags(d *json.Decoder, ev *nostr.Event) error {
	const want = "a list of lists of strings"
	var tags [][]*string
	if err := d.Decode(&tags); err != nil || tags == nil {
		return refuse("field tags", nullOr(err), want)
	}
	ev.Tags = make(nostr.Tags, len(tags))
	for i, tag := range tags {
		if tag == nil {
			return refuse("field tags["+strconv.Itoa(i)+"]", "null", "a list of strings")
		}
		ev.Tags[i] = make(nostr.Tag, len(tag))
		for j, v := range tag {
			if v == nil {
				return refuse("field tags["+strconv.Itoa(i)+"]["+strconv.Itoa(j)+"]", "null", "a string")
			}
			ev.Tags[i][j] = *v
		}
	}
	return nil
}

func nullOr(err error) string {
	if err == nil {
		return "null"
	}
	return err.Error()
}

// Verify checks that id, key and signature are lower-case hex of the right length, that the id is the
// hash of the event, and that the signature is the author's over it. go-nostr's signature check hashes
// anew and never looks at the id, so both are needed. The error wraps ErrInvalid.
func Verify(ev *nostr.Event) error {
	for _, f := range [...]struct {
		name, v string
		n       int
	}{{"field id", ev.ID, 64}, {"field pubkey", ev.PubKey, 64}, {"field sig", ev.Sig, 128}} {
		if len(f.v) != f.n || !lowerHex(f.v) {
			return refuse(f.name, f.v, strconv.Itoa(f.n)+" lower-case hex digits")
		}
	}
	if !ev.CheckID() {
		return refuse("field id", ev.ID, "the hash of the event, "+ev.GetID())
	}
	if ok, err := ev.CheckSignature(); err != nil || !ok {
		return refuse("field sig", ev.Sig, "a signature of the id by the author")
	}
	return nil
}

func lowerHex(s string) bool {
	for i := 0; i < len(s); i++ {
		if c := s[i]; (c < '0' || c > '9') && (c < 'a' || c > 'f') {
			return false
		}
	}
	return true
}
