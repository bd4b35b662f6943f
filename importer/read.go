package importer

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strconv"

	"github.com/nbd-wtf/go-nostr"

	"graspsync/core/nip34"
)

// Bounds of a dump. A scenario is read by people; what is larger belongs into several.
const (
	maxLine   = 4 << 20
	maxEvents = 20_000
)

// Refusal is a line of the dump or the relay log that did not become an arrival.
type Refusal struct {
	Line   int    // from 1
	Log    bool   // of the relay log, not the dump
	Reason Reason // its class
	Text   string // field, value and what would be right
}

// String is "line 3: bad signature: …".
func (r Refusal) String() string {
	where := "line "
	if r.Log {
		where = "relay log line "
	}
	return where + strconv.Itoa(r.Line) + ": " + r.Reason.String() + ": " + r.Text
}

// Reason is why a line was refused.
type Reason uint8

// Reasons.
const (
	NotAnEvent Reason = iota // no JSON object that is an event, a wrapped event or a relay frame
	BadID                    // the id is not the hash
	BadSignature
	Unusable // verified, but its content breaks a rule
	Twice    // the id was in the dump already
	Unknown  // relay log: the id is not in the dump
	Late     // relay log: an instant outside the log's order
	NumReasons
)

// String is a few words.
func (r Reason) String() string {
	return [...]string{"not an event", "id is not the hash", "bad signature", "unusable", "there twice", "not in the dump",
		"out of order"}[min(r, NumReasons-1)]
}

// record is one verified event of the dump.
type record struct {
	line int
	raw  []byte
	ev   *nostr.Event
}

// lineReader hands out lines and skips those that are too long.
type lineReader struct {
	r    *bufio.Reader
	line int
}

// next is the next line without its end; long tells that it was cut because it is longer than maxLine.
func (l *lineReader) next() (b []byte, long bool, err error) {
	l.line++
	for {
		part, more, err := l.r.ReadLine()
		if err != nil {
			return b, long, err
		}
		if len(b)+len(part) > maxLine {
			long = true
		} else {
			b = append(b, part...)
		}
		if !more {
			return b, long, nil
		}
	}
}

// readDump reads all events; refused lines are listed in sum. The error is one of reading, or a bound.
func readDump(r io.Reader, sum *Summary) ([]record, error) {
	lines := lineReader{r: bufio.NewReaderSize(r, 64<<10)}
	var out []record
	seen := map[string]int{}
	for {
		b, long, err := lines.next()
		if errors.Is(err, io.EOF) {
			return out, nil
		}
		if err != nil {
			return nil, fmt.Errorf("dump line %d: %w", lines.line, err)
		}
		if b = bytes.TrimSpace(b); len(b) == 0 && !long {
			continue
		}
		raw, skip, why := unwrap(b, long)
		if skip {
			continue
		}
		sum.Read++
		refuse := func(reason Reason, text string) {
			sum.Refusals = append(sum.Refusals, Refusal{Line: lines.line, Reason: reason, Text: text})
		}
		if why != "" {
			refuse(NotAnEvent, why)
			continue
		}
		ev, err := nip34.ParseJSON(raw)
		if err != nil {
			refuse(NotAnEvent, err.Error())
			continue
		}
		if err := nip34.Verify(ev); err != nil {
			reason := BadSignature
			if !ev.CheckID() {
				reason = BadID
			}
			refuse(reason, err.Error())
			continue
		}
		if first, dup := seen[ev.ID]; dup {
			refuse(Twice, "event "+ev.ID+" is on line "+strconv.Itoa(first)+" already")
			continue
		}
		if len(out) == maxEvents {
			return nil, fmt.Errorf("dump line %d: more than %d events, split the dump", lines.line, maxEvents)
		}
		seen[ev.ID] = lines.line
		sum.Verified++
		out = append(out, record{lines.line, raw, ev})
	}
}

// unwrap finds the event in a line: the line itself, the "event" of an object around it, or the last
// element of an EVENT frame. skip is set for relay frames that carry none; why says what is wrong.
func unwrap(b []byte, long bool) (raw []byte, skip bool, why string) {
	switch {
	case long:
		return nil, false, "line is longer than " + strconv.Itoa(maxLine) + " bytes"
	case b[0] == '{':
		var w struct {
			Event json.RawMessage `json:"event"`
			ID    json.RawMessage `json:"id"`
		}
		if json.Unmarshal(b, &w) == nil && w.ID == nil && w.Event != nil {
			return compact(w.Event), false, ""
		}
		return b, false, ""
	case b[0] == '[':
		var frame []json.RawMessage
		var verb string
		if json.Unmarshal(b, &frame) != nil || len(frame) == 0 || json.Unmarshal(frame[0], &verb) != nil {
			return nil, false, "relay frame is " + strconv.Quote(string(b[:min(len(b), 80)])) + `, must be ["EVENT", …, {…}]`
		}
		if verb != "EVENT" {
			return nil, true, ""
		}
		if len(frame) != 2 && len(frame) != 3 {
			return nil, false, "EVENT frame has " + strconv.Itoa(len(frame)) + " elements, must have 2 or 3"
		}
		return compact(frame[len(frame)-1]), false, ""
	}
	return nil, false, "line begins with " + strconv.Quote(string(b[:min(len(b), 20)])) + ", must be a JSON object or relay frame"
}

func compact(raw json.RawMessage) []byte {
	var b bytes.Buffer
	if json.Compact(&b, raw) != nil {
		return raw
	}
	return b.Bytes()
}
