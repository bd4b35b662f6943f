package wire

import (
	"strconv"

	"graspsync/core/value"
)

// Sizes of the encoded values, for Len and List.
const (
	OIDSize = 1 + 32
	IDSize  = 32
	RefSize = 4 + OIDSize + 1
)

// OID codes an object id in OIDSize bytes: its length and the id, filled up with zeros.
func OID(c *Coder, p *value.OID) {
	var b [32]byte
	n := uint8(p.Len())
	if !c.Reading() {
		p.AppendBytes(b[:0])
	}
	U8(c, &n)
	c.Raw(b[:])
	if !c.Reading() {
		return
	}
	if n != 0 && n != 20 && n != 32 {
		c.Fail("an object id has " + strconv.Itoa(int(n)) + " bytes, must have 20 or 32, or 0 for none")
		n = 0
	}
	for _, x := range b[n:] {
		if x != 0 {
			c.Fail("an object id is not filled up with zeros")
			break
		}
	}
	*p = value.OIDFromBytes(b[:n])
}

// EventID codes 32 bytes.
func EventID(c *Coder, p *value.EventID) { c.Raw(p[:]) }

// PubKey codes 32 bytes.
func PubKey(c *Coder, p *value.PubKey) { c.Raw(p[:]) }

// Handle codes four bytes.
func Handle(c *Coder, p *value.Handle) { U32(c, p) }

// timeLimit is so far from the ends of the scale that spans can be added without a check.
const timeLimit value.Time = 1 << 62

// Time codes eight bytes; an instant within reach of the ends of the scale, other than Never, is malformed.
func Time(c *Coder, p *value.Time) {
	I64(c, p)
	if c.Reading() && (*p > timeLimit || *p < -timeLimit) && *p != value.Never {
		c.Fail("an instant is " + strconv.FormatInt(int64(*p), 10) + " ns, which no run reaches")
		*p = 0
	}
}

// Slot codes four bytes.
func Slot(c *Coder, p *int32) { I32(c, p) }

// Ref codes a ref in RefSize bytes.
func Ref(c *Coder, p *value.Ref) {
	U32(c, &p.Name)
	OID(c, &p.OID)
	c.Bool(&p.Symbolic)
}

// Coordinate codes 40 bytes.
func Coordinate(c *Coder, p *value.Coordinate) {
	PubKey(c, &p.Owner)
	U32(c, &p.Identifier)
	U32(c, &p.Repo)
}
