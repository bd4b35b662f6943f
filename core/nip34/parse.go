package nip34

import (
	"encoding/json"
	"strconv"
	"strings"

	"github.com/nbd-wtf/go-nostr"

	"graspsync/core"
	"graspsync/core/value"
)

// maxKind is NIP-01's bound.
const maxKind = 65535

// Parser turns events into core values. Its Names table belongs to the driver and grows only by events
// that were accepted. Not safe for concurrent use.
type Parser struct {
	Names *value.Names
	own   []authority
}

// NewParser makes a Parser for a service reachable at the given authorities ("host", "host:port", or a
// URL of which only the authority counts). A host without a port owns 80 and 443. URLs on them are Own
// (U-02). Without authorities nothing is Own and no announcement lists us.
func NewParser(names *value.Names, service ...string) (*Parser, error) {
	p := &Parser{Names: names}
	for _, s := range service {
		a, err := parseAuthority(s)
		if err != nil {
			return nil, err
		}
		p.own = append(p.own, a)
	}
	return p, nil
}

// Service is the first authority, normalised; "" without one.
func (p *Parser) Service() string {
	if len(p.own) == 0 {
		return ""
	}
	return p.own[0].String()
}

func (p *Parser) owns(l Location) bool {
	for _, a := range p.own {
		if a.is(l) {
			return true
		}
	}
	return false
}

// draft is an event as text: handles are given out only once everything in it is good.
type draft struct {
	ev         *nostr.Event
	author     core.PubKey
	identifier string
	clone      []Location
	refs       []refEntry
	head       string
	coords     []coordinate
	deleted    []coordinate
}

// Parse reads a verified event into a core.Event. The error wraps ErrInvalid and names the field for
// which the event is refused; the problems are parts that were left out of a good event. Kinds the core
// does not know are read as far as every event goes. Size is that of the event's canonical JSON; Raw is
// left nil.
func (p *Parser) Parse(ev *nostr.Event) (core.Event, []Problem, error) {
	var out core.Event
	if ev == nil {
		return out, nil, refuse("event", "nothing", "an event")
	}
	d := draft{ev: ev}
	var rep report
	if err := p.envelope(&d, &out); err != nil {
		return core.Event{}, nil, err
	}
	var err error
	switch out.Kind {
	case core.KindAnnouncement:
		err = p.announcement(&d, &out, &rep)
	case core.KindState:
		err = p.state(&d, &out, &rep)
	case core.KindPR, core.KindPRUpdate:
		err = p.pullRequest(&d, &out, &rep)
	case core.KindDeletion:
		err = p.deletion(&d, &out, &rep)
	}
	if err == nil {
		p.related(&d, &out)
		err = p.bind(&d, &out)
	}
	if err != nil {
		return core.Event{}, rep.problems, err
	}
	return out, rep.problems, nil
}

// ParseRaw is ParseJSON, Verify and Parse of one event; Raw is b itself and Size its length.
func (p *Parser) ParseRaw(b []byte) (core.Event, []Problem, error) {
	ev, err := ParseJSON(b)
	if err != nil {
		return core.Event{}, nil, err
	}
	if err := Verify(ev); err != nil {
		return core.Event{}, nil, err
	}
	out, problems, err := p.Parse(ev)
	if err == nil {
		out.Raw, out.Size = b, int32(len(b))
	}
	return out, problems, err
}

// envelope reads what every event has.
func (p *Parser) envelope(d *draft, out *core.Event) error {
	ev := d.ev
	var ok bool
	if out.ID, ok = ParseEventID(ev.ID); !ok {
		return refuse("field id", ev.ID, "64 lower-case hex digits")
	}
	if out.Author, ok = ParsePubKey(ev.PubKey); !ok {
		return refuse("field pubkey", ev.PubKey, "64 lower-case hex digits")
	}
	if ev.Kind < 0 || ev.Kind > maxKind {
		return refuse("field kind", strconv.Itoa(ev.Kind), "0 to 65535")
	}
	if ev.CreatedAt < 0 {
		return refuse("field created_at", strconv.FormatInt(int64(ev.CreatedAt), 10), "seconds since 1970, not negative")
	}
	b, err := json.Marshal(ev)
	if err != nil {
		return refuse("event", err.Error(), "valid JSON")
	}
	most := MaxEvent
	if ev.Kind == int(core.KindState) {
		most = MaxState
	}
	if len(b) > most {
		return refuse("event", strconv.Itoa(len(b))+" bytes", "at most "+strconv.Itoa(most)+" bytes")
	}
	out.Kind, out.CreatedAt, out.Size = uint32(ev.Kind), int64(ev.CreatedAt), int32(len(b))
	d.author = out.Author
	for _, t := range ev.Tags {
		if len(t) > 0 && t[0] == "-" {
			out.Protected = true
		}
	}
	return nil
}

// bind gives the texts of a good event their handles, in a fixed order.
func (p *Parser) bind(d *draft, out *core.Event) error {
	full := false
	handle := func(text string) core.Handle {
		h := p.Names.Handle(text)
		full = full || h == 0 && text != ""
		return h
	}
	at := func(c coordinate) core.Coordinate {
		return core.Coordinate{Owner: c.owner, Identifier: handle(c.identifier), Repo: handle(RepoName(c.owner, c.identifier))}
	}
	if d.identifier != "" {
		out.Repo = at(coordinate{owner: d.author, identifier: d.identifier})
	}
	for _, l := range d.clone {
		out.Sources = append(out.Sources, core.Source{URL: handle(l.URL), Domain: handle(l.Domain), Class: l.Class})
	}
	for _, r := range d.refs {
		out.Refs = append(out.Refs, core.Ref{Name: handle(r.name), OID: r.oid, Symbolic: r.symbolic})
	}
	out.Head = handle(d.head)
	for _, c := range d.coords {
		out.Repositories = append(out.Repositories, at(c))
	}
	for _, c := range d.deleted {
		out.Coordinates = append(out.Coordinates, core.Deleted{Kind: c.kind, Coordinate: at(c)})
	}
	if full {
		return value.ErrNames
	}
	return nil
}

// identify reads the `d` tag (AN-01). The first one counts, as for every addressable event.
func (d *draft) identify(rep *report) error {
	found := false
	for _, t := range d.ev.Tags {
		if len(t) == 0 || t[0] != "d" {
			continue
		}
		if found {
			rep.add("tag d", second(t), "there once; the first counts")
			continue
		}
		found = true
		d.identifier = second(t)
	}
	if !found {
		return refuse("tag d", "missing", "the repository's identifier")
	}
	return CheckIdentifier(d.identifier)
}

// second is a tag's value, "" if it has none.
func second(t nostr.Tag) string {
	if len(t) < 2 {
		return ""
	}
	return t[1]
}

// sources reads all clone tags, each with one or many values, in order (AN-02, U-02).
func (p *Parser) sources(d *draft, rep *report) {
	seen := map[string]bool{}
	for _, t := range d.ev.Tags {
		if len(t) == 0 || t[0] != "clone" {
			continue
		}
		for _, raw := range t[1:] {
			l, err := ParseURL(raw)
			if err != nil {
				rep.refused("tag clone", raw, err)
				continue
			}
			if l.User {
				rep.add("tag clone", l.URL, "without user info, which is left out")
			}
			if p.owns(l) {
				l.Class = core.Own
			}
			if !seen[l.URL] {
				seen[l.URL] = true
				d.clone = append(d.clone, l)
			}
		}
	}
}

// refused turns the refusal of a part into a problem of the whole.
func (r *report) refused(field, raw string, err error) {
	want := err.Error()
	if e, ok := err.(*Error); ok {
		want = e.Want
	}
	r.add(field, raw, want)
}

// Source reads one clone URL as announcements' are read (U-03).
func (p *Parser) Source(raw string) (core.Source, error) {
	l, err := ParseURL(raw)
	if err != nil {
		return core.Source{}, err
	}
	if p.owns(l) {
		l.Class = core.Own
	}
	s := core.Source{URL: p.Names.Handle(l.URL), Domain: p.Names.Handle(l.Domain), Class: l.Class}
	if s.URL == 0 || s.Domain == 0 {
		return core.Source{}, value.ErrNames
	}
	return s, nil
}

// Coordinate names a repository by owner and identifier (AN-01).
func (p *Parser) Coordinate(owner core.PubKey, identifier string) (core.Coordinate, error) {
	if err := CheckIdentifier(identifier); err != nil {
		return core.Coordinate{}, err
	}
	c := core.Coordinate{Owner: owner, Identifier: p.Names.Handle(identifier),
		Repo: p.Names.Handle(RepoName(owner, identifier))}
	if c.Identifier == 0 || c.Repo == 0 {
		return core.Coordinate{}, value.ErrNames
	}
	return c, nil
}

// coordinate is an `a` value: kind, owner, identifier.
type coordinate struct {
	kind       uint32
	owner      core.PubKey
	identifier string
}

// parseCoordinate splits into exactly three parts, so that an identifier keeps its colons.
// want is "" for a good value.
func parseCoordinate(v string) (c coordinate, want string) {
	parts := strings.SplitN(v, ":", 3)
	if len(parts) != 3 {
		return c, "kind:pubkey:identifier"
	}
	kind, err := strconv.ParseUint(parts[0], 10, 16)
	if err != nil || strconv.FormatUint(kind, 10) != parts[0] {
		return c, "kind:pubkey:identifier with a kind of 0 to 65535"
	}
	owner, ok := ParsePubKey(parts[1])
	if !ok {
		return c, "kind:pubkey:identifier with a pubkey of 64 lower-case hex digits"
	}
	return coordinate{uint32(kind), owner, parts[2]}, ""
}
