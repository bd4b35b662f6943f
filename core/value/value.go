package value

import (
	"encoding/hex"
	"errors"
	"strconv"
)

// Time is an instant in nanoseconds since the epoch of the run. It is monotonic: it never decreases
// within a run (T-01). It is also used for spans, as time.Duration is.
type Time int64

// Spans of Time.
const (
	Millisecond Time = 1e6
	Second      Time = 1e9
	Minute           = 60 * Second
	Hour             = 60 * Minute
	Day              = 24 * Hour
)

// Never is later than every instant a run can reach.
const Never Time = 1<<63 - 1

// String prints seconds with up to nine decimals, trailing zeros cut: "1.5s".
func (t Time) String() string {
	if t == Never {
		return "never"
	}
	b := make([]byte, 0, 24)
	u := uint64(t)
	if t < 0 {
		b = append(b, '-')
		u = -u
	}
	b = strconv.AppendUint(b, u/1e9, 10)
	if frac := u % 1e9; frac != 0 {
		digits := strconv.AppendUint(nil, 1e9+frac, 10)[1:]
		for digits[len(digits)-1] == '0' {
			digits = digits[:len(digits)-1]
		}
		b = append(b, '.')
		b = append(b, digits...)
	}
	return string(append(b, 's'))
}

// EventID is the id of a Nostr event (NIP-01). Ids compare bytewise; the lowest wins ties (E-06).
type EventID [32]byte

// PubKey is the public key of an author.
type PubKey [32]byte

// String is lower-case hex.
func (e EventID) String() string { return hex.EncodeToString(e[:]) }

// String is lower-case hex.
func (p PubKey) String() string { return hex.EncodeToString(p[:]) }

// Compare orders ids bytewise: -1, 0 or +1.
func (e EventID) Compare(o EventID) int { return compareBytes((*[32]byte)(&e), (*[32]byte)(&o)) }

// Compare orders keys bytewise: -1, 0 or +1.
func (p PubKey) Compare(o PubKey) int {
	return compareBytes((*[32]byte)(&p), (*[32]byte)(&o))
}

func compareBytes(a, b *[32]byte) int {
	for i := 0; i < 32; i += 8 {
		if x, y := word(a, i), word(b, i); x != y {
			if x < y {
				return -1
			}
			return 1
		}
	}
	return 0
}

// word is eight bytes as a number that orders as they do.
func word(b *[32]byte, i int) uint64 {
	w := b[i : i+8 : i+8]
	return uint64(w[0])<<56 | uint64(w[1])<<48 | uint64(w[2])<<40 | uint64(w[3])<<32 |
		uint64(w[4])<<24 | uint64(w[5])<<16 | uint64(w[6])<<8 | uint64(w[7])
}

// OID names a git object: 20 bytes (SHA-1) or 32 bytes (SHA-256). The zero OID names nothing.
// Only ParseOID makes one from text, so nothing but 40 or 64 lower-case hex digits ever reaches a git
// command (F-07).
type OID struct {
	b [32]byte
	n uint8
}

// ErrOID is wrapped by every refusal of ParseOID.
var ErrOID = errors.New("an object id is 40 or 64 lower-case hex digits")

// ParseOID reads 40 or 64 lower-case hex digits; anything else is ErrOID (F-07).
func ParseOID(s string) (OID, error) {
	var o OID
	if len(s) != 40 && len(s) != 64 {
		return o, ErrOID
	}
	for i := 0; i < len(s); i++ {
		var v byte
		switch c := s[i]; {
		case c >= '0' && c <= '9':
			v = c - '0'
		case c >= 'a' && c <= 'f':
			v = c - 'a' + 10
		default:
			return OID{}, ErrOID
		}
		o.b[i/2] |= v << (4 * uint(1-i%2))
	}
	o.n = uint8(len(s) / 2)
	return o, nil
}

// OIDFromBytes makes an OID of 20 or 32 raw bytes; any other length gives the zero OID.
func OIDFromBytes(b []byte) OID {
	var o OID
	if len(b) == 20 || len(b) == 32 {
		copy(o.b[:], b)
		o.n = uint8(len(b))
	}
	return o
}

// IsZero tells whether o names nothing.
func (o OID) IsZero() bool { return o.n == 0 }

// Len is 20 (SHA-1), 32 (SHA-256) or 0.
func (o OID) Len() int { return int(o.n) }

// Bytes is a copy of the raw bytes.
func (o OID) Bytes() []byte { return append([]byte(nil), o.b[:o.n]...) }

// AppendBytes appends the raw bytes.
func (o OID) AppendBytes(dst []byte) []byte { return append(dst, o.b[:o.n]...) }

// Word is the first eight bytes, for hashing.
func (o OID) Word() uint64 { return word(&o.b, 0) }

// AppendHex appends lower-case hex.
func (o OID) AppendHex(dst []byte) []byte { return hex.AppendEncode(dst, o.b[:o.n]) }

// String is lower-case hex.
func (o OID) String() string { return string(o.AppendHex(nil)) }

// Compare orders by bytes, then by length: -1, 0 or +1.
func (o OID) Compare(p OID) int {
	if c := compareBytes(&o.b, &p.b); c != 0 {
		return c
	}
	return int(o.n) - int(p.n)
}
