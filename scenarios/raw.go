package scenarios

import (
	"encoding/json"
	"fmt"
	"strings"

	"graspsync/core"
	"graspsync/core/nip34"
)

// Unix is an instant in whole seconds since 1970, which events may claim to be anything at all.
type Unix int64

// rawEvent reads an event of which the timeline gives kind and tags, as the relay reads those of the wire. What cannot
// be read is refused at the door and never reaches the core; the error says why.
func (b *build) rawEvent(a *Action) (core.Event, error) {
	tags := make([][]string, len(a.Tags))
	for i, t := range a.Tags {
		tags[i] = make([]string, len(t))
		for k, text := range t {
			tags[i][k], _ = b.placeNames(text)
		}
	}
	content, _ := b.placeNames(a.Content)
	text, err := json.Marshal(struct {
		ID        string     `json:"id"`
		PubKey    string     `json:"pubkey"`
		CreatedAt int64      `json:"created_at"`
		Kind      int64      `json:"kind"`
		Tags      [][]string `json:"tags"`
		Content   string     `json:"content"`
		Sig       string     `json:"sig"`
	}{eventID(a.eventName()).String(), b.pubKey(a.By).String(), b.created(a), a.Raw, tags, content, strings.Repeat("0", 128)})
	if err != nil {
		return core.Event{}, err
	}
	wire, err := nip34.ParseJSON(text)
	if err != nil {
		return core.Event{}, err
	}
	ev, _, err := b.parser.Parse(wire) // who signed it is not in question here
	return ev, err
}

// created is the created_at of an action's event.
func (b *build) created(a *Action) int64 {
	switch {
	case a.CreatedAt != nil:
		return int64(*a.CreatedAt)
	case a.Created != nil:
		return b.cfg.Wall + int64(core.Time(*a.Created)/core.Second)
	}
	return b.cfg.Wall + int64(core.Time(a.At)/core.Second)
}

// placeNames replaces what stands in angle brackets in a tag: <user alice> by the key, <npub alice> by the key as in
// URLs, <event s1> by the id, <object hello:main> by the object's id, <service> by our authority.
func (b *build) placeNames(text string) (string, error) {
	var out strings.Builder
	for {
		i := strings.IndexByte(text, '<')
		j := i + strings.IndexByte(text[max(i, 0):], '>')
		if i < 0 || j < i {
			out.WriteString(text)
			return out.String(), nil
		}
		out.WriteString(text[:i])
		what, name, _ := strings.Cut(text[i+1:j], " ")
		switch {
		case what == "service" && name == "":
			out.WriteString(b.relay)
		case what == "user" && name != "":
			out.WriteString(b.pubKey(name).String())
		case what == "npub" && name != "":
			out.WriteString(nip34.Npub(b.pubKey(name)))
		case what == "event" && name != "":
			out.WriteString(b.idOf(name).String())
		case what == "object" && strings.Contains(name, ":"):
			identifier, label, _ := strings.Cut(name, ":")
			out.WriteString(oid(identifier, label).String())
		default:
			return "", fmt.Errorf("%q stands for nothing; write <user alice>, <npub alice>, <event s1>, <object hello:main> or <service>", text[i:j+1])
		}
		text = text[j+1:]
	}
}

// raw checks an event given by its tags.
func (v *validator) raw(a *Action, path string) {
	if a.Raw < 1 || a.Raw > 65535 {
		v.add(path+".raw", fmt.Sprintf("%d, must be a kind from 1 to 65535", a.Raw))
	}
	if a.By == "" {
		v.add(path+".by", "missing, an event given by its tags needs an author")
	}
	if a.As == "" {
		v.add(path+".as", "missing, an event given by its tags needs a name")
	}
	b := &build{script: v.script, relay: v.service()}
	for i, t := range a.Tags {
		if len(t) == 0 {
			v.add(fmt.Sprintf("%s.tags[%d]", path, i), "empty; write [name, value]")
		}
		for _, text := range t {
			if _, err := b.placeNames(text); err != nil {
				v.add(fmt.Sprintf("%s.tags[%d]", path, i), err.Error())
			}
		}
	}
	if _, err := b.placeNames(a.Content); err != nil {
		v.add(path+".content", err.Error())
	}
	for _, t := range a.Tags { // events that are named must be some
		for _, text := range t {
			if _, rest, found := strings.Cut(text, "<event "); found {
				name, _, _ := strings.Cut(rest, ">")
				if _, isID := nip34.ParseEventID(name); !isID {
					v.event(path+".tags", name)
				}
			}
		}
	}
}
