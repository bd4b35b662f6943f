package nip34

import (
	"bytes"
	"strconv"
	"strings"

	"graspsync/core"
	"graspsync/core/value"
)

// What a git client sends before its pack, and what it is told (P-01, P-02).

// Bounds of a push's command list.
const (
	MaxPushCommands = 10_000
	maxPktLine      = 65_520
)

// PushList is the command list of a push.
type PushList struct {
	Updates      []core.RefUpdate // in the client's order
	Capabilities string           // as the client sent them
	Size         int              // bytes of the list, its closing flush included; push options or the pack follow
}

// PushCommands reads the command list at the start of a receive-pack request: pkt-lines, each an old id, a new id and
// a ref, the capabilities behind the first one's NUL, closed by a flush. Anything else is an error that wraps ErrInvalid
// and names line, value and what would be right; an empty list is one too, so that nothing is ever allowed that
// was not understood. Names are given handles only when all is good (P-01).
func (p *Parser) PushCommands(request []byte) (PushList, error) {
	var out PushList
	var lines []string
	for at := 0; ; {
		line, size, err := pktLine(request[at:])
		if err != nil {
			return PushList{}, err
		}
		if at += size; size == 4 && line == nil {
			out.Size = at
			break
		}
		text := string(bytes.TrimSuffix(line, []byte{'\n'}))
		if len(lines) == 0 {
			text, out.Capabilities, _ = strings.Cut(text, "\x00")
			out.Capabilities = strings.TrimSuffix(strings.TrimPrefix(out.Capabilities, " "), "\n")
		}
		if len(lines) == MaxPushCommands {
			return PushList{}, refuse("number of ref updates", "more than "+strconv.Itoa(MaxPushCommands), "at most "+strconv.Itoa(MaxPushCommands))
		}
		lines = append(lines, text)
	}
	var err error
	out.Updates, err = p.commands(lines)
	return out, err
}

// HookCommands reads what git writes to its pre-receive hook: the same commands, one a line, as text. Errors are those
// of PushCommands.
func (p *Parser) HookCommands(text string) ([]core.RefUpdate, error) {
	lines := strings.Split(strings.TrimSuffix(text, "\n"), "\n")
	if text == "" {
		lines = nil
	}
	if len(lines) > MaxPushCommands {
		return nil, refuse("number of ref updates", strconv.Itoa(len(lines)), "at most "+strconv.Itoa(MaxPushCommands))
	}
	return p.commands(lines)
}

// pktLine takes one pkt-line off the front of b; nil for a flush.
func pktLine(b []byte) (line []byte, size int, err error) {
	if len(b) < 4 {
		return nil, 0, refuse("command list", string(b), "closed by a flush (0000)")
	}
	n := 0
	for _, c := range b[:4] {
		v := strings.IndexByte("0123456789abcdef", c)
		if c >= 'A' && c <= 'F' { // git writes lower case and reads both
			v = int(c-'A') + 10
		}
		if v < 0 {
			return nil, 0, refuse("length of a pkt-line", string(b[:4]), "four hex digits")
		}
		n = n<<4 | v
	}
	switch {
	case n == 0:
		return nil, 4, nil
	case n <= 4 || n > maxPktLine:
		return nil, 0, refuse("length of a pkt-line", string(b[:4]), "0000 or 0005 to fff0")
	case n > len(b):
		return nil, 0, refuse("command list", strconv.Itoa(len(b))+" bytes left of a line of "+strconv.Itoa(n), "whole")
	}
	return b[4:n], n, nil
}

// command is one line before its ref has a handle.
type command struct {
	up  core.RefUpdate
	ref string
}

func (p *Parser) commands(lines []string) ([]core.RefUpdate, error) {
	if len(lines) == 0 {
		return nil, refuse("command list", "", "at least one ref update")
	}
	list := make([]command, len(lines))
	seen := make(map[string]bool, len(lines))
	digits := 0
	for i, line := range lines {
		field := "ref update " + strconv.Itoa(i+1)
		old, rest, _ := strings.Cut(line, " ")
		now, ref, ok := strings.Cut(rest, " ")
		if !ok {
			return nil, refuse(field, line, "old id, new id and ref, with one space between them")
		}
		c := command{ref: ref}
		var err error
		if c.up.Old, err = pushedOID(old); err != nil {
			return nil, refuse(field+", old id", old, "40 or 64 lower-case hex digits")
		}
		if c.up.New, err = pushedOID(now); err != nil {
			return nil, refuse(field+", new id", now, "40 or 64 lower-case hex digits")
		}
		if digits == 0 {
			digits = len(old)
		}
		switch {
		case len(old) != digits || len(now) != digits:
			return nil, refuse(field, line, "of ids as long as the others, "+strconv.Itoa(digits)+" digits")
		case c.up.Old.IsZero() && c.up.New.IsZero():
			return nil, refuse(field, line, "a creation, a change or a deletion; both ids are zero")
		}
		if want := CheckRefName(ref); want != "" {
			return nil, refuse(field+", ref", ref, want)
		}
		if seen[ref] {
			return nil, refuse(field+", ref", ref, "named once")
		}
		seen[ref] = true
		c.up.Space, c.up.Event = refSpace(ref)
		list[i] = c
	}
	out := make([]core.RefUpdate, len(list))
	for i := range list {
		out[i] = list[i].up
		out[i].Name = p.Names.Handle(list[i].ref)
	}
	return out, nil
}

// pushedOID is an object id; all zeros is the zero OID, "absent".
func pushedOID(s string) (core.OID, error) {
	o, err := value.ParseOID(s)
	if err == nil && strings.Trim(s, "0") == "" {
		return core.OID{}, nil
	}
	return o, err
}

// refSpace says where a ref lies. Below refs/nostr/ the event is zero unless 64 hex digits follow, which the core
// refuses by name.
func refSpace(ref string) (core.RefSpace, core.EventID) {
	if rest, ok := strings.CutPrefix(ref, "refs/nostr/"); ok {
		id, _ := ParseEventID(rest)
		return core.NostrRef, id
	}
	if headOrTag(ref) {
		return core.HeadsAndTags, core.EventID{}
	}
	return core.OtherRef, core.EventID{}
}

// RefusalText is what a refused push's client is shown: the core's text, with the ref at fault as it should be (want)
// and as it would be (got), of which each has at most one (P-02).
func RefusalText(names *value.Names, text string, want, got []core.Ref) string {
	var b strings.Builder
	b.WriteString(text)
	if len(want)+len(got) == 0 {
		return text
	}
	b.WriteString(": ")
	switch {
	case len(want) == 0:
		b.WriteString(names.Text(got[0].Name))
		if !got[0].OID.IsZero() {
			b.WriteString(" at " + got[0].OID.String())
		}
	case len(got) == 0:
		b.WriteString(names.Text(want[0].Name) + " should be " + want[0].OID.String())
	default:
		b.WriteString(names.Text(want[0].Name) + " should be " + want[0].OID.String() + ", not " + got[0].OID.String())
	}
	return b.String()
}
