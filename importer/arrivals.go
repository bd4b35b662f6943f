package importer

import (
	"bufio"
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math/bits"
	"slices"
	"strconv"
	"time"

	"graspsync/core"
	"graspsync/core/nip34"
	"graspsync/scenarios"
)

// arrival is one delivery of an event. One event may be delivered several times.
type arrival struct {
	at  scenarios.Span
	rec *record
}

// byCreated lets the events arrive in the order of their created_at, ties by id, the whole squeezed
// proportionally into window. A window of 0 keeps real distances.
func byCreated(recs []record, window scenarios.Span) []arrival {
	order := make([]*record, len(recs))
	for i := range recs {
		order[i] = &recs[i]
	}
	slices.SortFunc(order, func(a, b *record) int {
		return cmp.Or(cmp.Compare(a.ev.CreatedAt, b.ev.CreatedAt), cmp.Compare(a.ev.ID, b.ev.ID))
	})
	out := make([]arrival, len(order))
	if len(order) == 0 {
		return out
	}
	first := int64(order[0].ev.CreatedAt)
	span := int64(order[len(order)-1].ev.CreatedAt) - first
	for i, r := range order {
		age := int64(r.ev.CreatedAt) - first
		at := scenarios.Span(min(age, maxGap)) * scenarios.Span(core.Second)
		if window > 0 && span > 0 {
			ms := int64(window) / int64(core.Millisecond)
			at = scenarios.Span(mulDiv(age, ms, span)) * scenarios.Span(core.Millisecond)
		}
		out[i] = arrival{at: at, rec: r}
	}
	return out
}

// maxGap bounds uncompressed arrivals, in seconds: eight years.
const maxGap = 8 * 366 * 86_400

// mulDiv is a·b/c for 0 ≤ a ≤ c, without overflow on the way.
func mulDiv(a, b, c int64) int64 {
	hi, lo := bits.Mul64(uint64(a), uint64(b))
	q, _ := bits.Div64(hi, lo, uint64(c))
	return int64(q)
}

// logRow is what counts of a relay log's line; which relay it was makes no difference to us.
type logRow struct {
	Time string `json:"time"`
	Dir  string `json:"dir"`
	Verb string `json:"verb"`
	ID   string `json:"id"`
}

const logClock = "2006/01/02 15:04:05"

// byLog lets the events arrive in the order and at the instants of a relay log: rows with dir "in" and
// verb "EVENT" deliver the event with that id, all others only tell the time. The log's clock shows
// whole seconds; rows of one second follow each other a millisecond apart.
func byLog(r io.Reader, recs []record, sum *Summary) ([]arrival, error) {
	known := make(map[string]*record, len(recs))
	for i := range recs {
		known[recs[i].ev.ID] = &recs[i]
	}
	lines := lineReader{r: bufio.NewReaderSize(r, 64<<10)}
	var out []arrival
	var start, last time.Time
	same := 0
	for {
		b, long, err := lines.next()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			return nil, fmt.Errorf("relay log line %d: %w", lines.line, err)
		}
		if b = bytes.TrimSpace(b); len(b) == 0 && !long {
			continue
		}
		refuse := func(reason Reason, text string) {
			sum.Refusals = append(sum.Refusals, Refusal{Line: lines.line, Log: true, Reason: reason, Text: text})
		}
		var row logRow
		if long || json.Unmarshal(b, &row) != nil {
			refuse(NotAnEvent, `line is no row, must be {"time": …, "relay": …, "dir": …, "verb": …, "id": …}`)
			continue
		}
		at, err := time.Parse(logClock, row.Time)
		if err != nil {
			refuse(NotAnEvent, "time is "+strconv.Quote(row.Time)+", must be as "+logClock)
			continue
		}
		switch {
		case start.IsZero():
			start, last = at, at
		case at.Before(last):
			refuse(Late, "time is "+row.Time+", must not be before the line above")
			continue
		case at.After(last):
			last, same = at, 0
		}
		same++
		if row.Dir != "in" || row.Verb != "EVENT" {
			continue
		}
		rec, ok := known[row.ID]
		if !ok {
			refuse(Unknown, "id is "+strconv.Quote(row.ID)+", must be that of a verified event of the dump")
			continue
		}
		span := scenarios.Span(at.Sub(start)) + scenarios.Span(min(same, 999))*scenarios.Span(core.Millisecond)
		out = append(out, arrival{span, rec})
	}
	if len(out) == 0 {
		return nil, errors.New("relay log: no row delivers an event of the dump")
	}
	return out, nil
}

// relayHost is the authority of a relay's URL, "" if it is none.
func relayHost(u string) string {
	l, err := nip34.ParseRelayURL(u)
	if err != nil {
		return ""
	}
	return l.Domain
}
