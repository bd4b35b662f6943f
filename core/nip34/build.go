package nip34

import (
	"errors"
	"strconv"

	"github.com/nbd-wtf/go-nostr"

	"graspsync/core"
)

// ErrBuild is wrapped when a core value has no event form.
var ErrBuild = errors.New("cannot be written as an event")

type buildError string

func (e buildError) Error() string { return "cannot be written as an event: " + string(e) }

func (buildError) Unwrap() error { return ErrBuild }

// Build is the inverse of Parse: an event without id and signature that Parse reads as e again, apart
// from ID, Author (once a Key has signed it), Size and Raw. Handles must be of p.Names. A symbolic ref
// is written as a link to the first ref that is not symbolic and has its object; where there is none,
// and for an announcement that lists a service this parser does not know, the error wraps ErrBuild.
func (p *Parser) Build(e *core.Event) (*nostr.Event, error) {
	ev := &nostr.Event{Kind: int(e.Kind), CreatedAt: nostr.Timestamp(e.CreatedAt), Tags: nostr.Tags{}}
	if e.Author != (core.PubKey{}) {
		ev.PubKey = e.Author.String()
	}
	add := func(t ...string) { ev.Tags = append(ev.Tags, t) }
	if e.Kind == core.KindAnnouncement || e.Kind == core.KindState {
		add("d", p.Names.Text(e.Repo.Identifier))
	}
	if len(e.Sources) > 0 {
		clone := nostr.Tag{"clone"}
		for _, s := range e.Sources {
			clone = append(clone, p.Names.Text(s.URL))
		}
		add(clone...)
	}
	var err error
	switch e.Kind {
	case core.KindAnnouncement:
		err = p.buildAnnouncement(e, add)
	case core.KindState:
		err = p.buildState(e, add)
	case core.KindPR, core.KindPRUpdate:
		add("c", e.Commit.String())
		for _, c := range e.Repositories {
			add("a", p.coordinateText(core.KindAnnouncement, c))
		}
	case core.KindDeletion:
		for _, t := range e.Targets {
			add("e", t.String())
		}
		for _, c := range e.Coordinates {
			add("a", p.coordinateText(c.Kind, c.Coordinate))
		}
	}
	if e.Protected {
		add("-")
	}
	return ev, err
}

// BuildSigned is Build, signed by k, as the JSON that ParseRaw reads.
func (p *Parser) BuildSigned(e *core.Event, k Key) (*nostr.Event, []byte, error) {
	ev, err := p.Build(e)
	if err != nil {
		return nil, nil, err
	}
	if err := k.Sign(ev); err != nil {
		return nil, nil, err
	}
	b, err := ev.MarshalJSON()
	return ev, b, err
}

func (p *Parser) buildAnnouncement(e *core.Event, add func(...string)) error {
	if e.ListsUs {
		if len(p.own) == 0 {
			return buildError("ListsUs is set, but the parser has no service")
		}
		add("relays", "wss://"+p.Service())
	}
	if len(e.Maintainers) > 0 {
		t := nostr.Tag{"maintainers"}
		for _, m := range e.Maintainers {
			t = append(t, m.String())
		}
		add(t...)
	}
	return nil
}

func (p *Parser) buildState(e *core.Event, add func(...string)) error {
	first := make(map[core.OID]core.Handle, len(e.Refs))
	for _, r := range e.Refs {
		if _, ok := first[r.OID]; !ok && !r.Symbolic {
			first[r.OID] = r.Name
		}
	}
	for _, r := range e.Refs {
		name := p.Names.Text(r.Name)
		switch target, ok := first[r.OID]; {
		case !r.Symbolic && r.OID.IsZero():
			add(name, "unknown")
		case !r.Symbolic:
			add(name, r.OID.String())
		case !ok:
			return buildError("symbolic ref " + name + " leads to no ref of its state")
		default:
			add(name, "ref: "+p.Names.Text(target))
		}
	}
	if e.Head != 0 {
		add("HEAD", "ref: "+p.Names.Text(e.Head))
	}
	return nil
}

func (p *Parser) coordinateText(kind uint32, c core.Coordinate) string {
	return strconv.FormatUint(uint64(kind), 10) + ":" + c.Owner.String() + ":" + p.Names.Text(c.Identifier)
}
