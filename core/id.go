package core

import (
	"strconv"

	"graspsync/core/value"
)

// The values of the boundary, under their short names.
type (
	// Time is nanoseconds since the run's epoch, monotonic (T-01).
	Time = value.Time
	// Handle stands for a name; look-up only (T-03).
	Handle = value.Handle
	// OID names a git object.
	OID = value.OID
	// EventID is the id of a Nostr event.
	EventID = value.EventID
	// PubKey is an author.
	PubKey = value.PubKey
)

// Spans and limits of Time, as in package value.
const (
	Millisecond = value.Millisecond
	Second      = value.Second
	Minute      = value.Minute
	Hour        = value.Hour
	Day         = value.Day
	Never       = value.Never
)

// maxTime is the latest instant a run can reach: 146 years, so that a deadline never passes Never.
const maxTime = Never / 2

// HuntID is the permanent id of a hunt: minted in increasing order from 1, never reused.
type HuntID uint32

// AskID names one outstanding request of the core: a pass, or another asking effect. It is minted in
// increasing order and never reused (T-04). The low bits are the slot the core keeps it in, the rest
// a counter; its text is "counter.slot".
type AskID uint64

const askSlotBits = 20

func newAskID(n uint64, slot uint32) AskID { return AskID(n<<askSlotBits | uint64(slot)) }

func (a AskID) slot() uint32 { return uint32(a) & (1<<askSlotBits - 1) }

// String is "counter.slot".
func (a AskID) String() string { return string(a.Append(nil)) }

// Append appends the text of String.
func (a AskID) Append(dst []byte) []byte {
	dst = strconv.AppendUint(dst, uint64(a)>>askSlotBits, 10)
	dst = append(dst, '.')
	return strconv.AppendUint(dst, uint64(a.slot()), 10)
}

// ParseAskID is the inverse of String; ok is false for any other text.
func ParseAskID(s string) (a AskID, ok bool) {
	for i := 0; i < len(s); i++ {
		if s[i] != '.' {
			continue
		}
		n, err1 := strconv.ParseUint(s[:i], 10, 64-askSlotBits)
		slot, err2 := strconv.ParseUint(s[i+1:], 10, askSlotBits)
		if err1 != nil || err2 != nil {
			return 0, false
		}
		a = newAskID(n, uint32(slot))
		return a, a.String() == s
	}
	return 0, false
}
