package wire

import (
	"errors"
	"strconv"
)

// ErrMalformed is wrapped by every error of a Coder that reads.
var ErrMalformed = errors.New("malformed")

type malformed string

func (e malformed) Error() string { return string(e) }

func (malformed) Unwrap() error { return ErrMalformed }

// Coder writes or reads. Make one with Writer or Reader. After the first error it reads zeros and empty
// lists; look at Err when done. Not safe for concurrent use.
type Coder struct {
	buf     []byte
	off     int // reading: the next byte
	reading bool
	section string
	err     error
}

// Writer makes a Coder that appends to dst.
func Writer(dst []byte) *Coder { return &Coder{buf: dst} }

// Reader makes a Coder that reads src, which must not change meanwhile.
func Reader(src []byte) *Coder { return &Coder{buf: src, reading: true} }

// Reading tells whether values are read, not written.
func (c *Coder) Reading() bool { return c.reading }

// Bytes is what was written, behind what Writer was given.
func (c *Coder) Bytes() []byte { return c.buf }

// Err is the first thing that was wrong with what was read; nil while writing.
func (c *Coder) Err() error { return c.err }

// Section names what is coded from here on, for errors.
func (c *Coder) Section(name string) { c.section = name }

// Fail notes that what was read cannot be, and stops the reading; the first failure stays.
func (c *Coder) Fail(text string) {
	if c.err == nil {
		c.err = malformed(c.section + ", byte " + strconv.Itoa(c.off) + ": " + text)
	}
}

// Finish is Err, or that bytes are left over.
func (c *Coder) Finish() error {
	if c.reading && c.err == nil && c.off != len(c.buf) {
		c.Fail(strconv.Itoa(len(c.buf)-c.off) + " bytes are left over")
	}
	return c.err
}

// take gives the next n bytes, or nil after an error.
func (c *Coder) take(n int) []byte {
	if c.err != nil {
		return nil
	}
	if left := len(c.buf) - c.off; n > left {
		c.Fail("ends early: " + strconv.Itoa(n) + " bytes wanted, " + strconv.Itoa(left) + " left")
		return nil
	}
	b := c.buf[c.off : c.off+n]
	c.off += n
	return b
}

func (c *Coder) read(n int) (v uint64) {
	b := c.take(n)
	for i := len(b) - 1; i >= 0; i-- {
		v = v<<8 | uint64(b[i])
	}
	return v
}

func (c *Coder) write(v uint64, n int) {
	for range n {
		c.buf = append(c.buf, byte(v))
		v >>= 8
	}
}

// Bool codes one byte, 0 or 1; another one is malformed.
func (c *Coder) Bool(p *bool) {
	if !c.reading {
		v := uint64(0)
		if *p {
			v = 1
		}
		c.write(v, 1)
		return
	}
	v := c.read(1)
	if v > 1 {
		c.Fail("a flag is " + strconv.FormatUint(v, 10) + ", must be 0 or 1")
	}
	*p = v == 1
}

// Raw codes exactly len(p) bytes.
func (c *Coder) Raw(p []byte) {
	if !c.reading {
		c.buf = append(c.buf, p...)
		return
	}
	if b := c.take(len(p)); b != nil {
		copy(p, b)
	}
}

// Count codes a number that cannot be negative, in eight bytes; at most limit when read.
func (c *Coder) Count(p *int, limit int) {
	if !c.reading {
		c.write(uint64(*p), 8)
		return
	}
	v := c.read(8)
	if v > uint64(limit) {
		c.Fail("a count is " + strconv.FormatUint(v, 10) + ", must be at most " + strconv.Itoa(limit))
		v = 0
	}
	*p = int(v)
}

// U8 codes one byte.
func U8[T ~uint8](c *Coder, p *T) {
	if c.reading {
		*p = T(c.read(1))
	} else {
		c.write(uint64(*p), 1)
	}
}

// Enum codes one byte that is below end; another one is malformed.
func Enum[T ~uint8](c *Coder, p *T, end T, what string) {
	U8(c, p)
	if c.reading && *p >= end {
		c.Fail(what + " is " + strconv.Itoa(int(*p)) + ", must be below " + strconv.Itoa(int(end)))
		*p = 0
	}
}

// U32 codes four bytes.
func U32[T ~uint32](c *Coder, p *T) {
	if c.reading {
		*p = T(c.read(4))
	} else {
		c.write(uint64(*p), 4)
	}
}

// I32 codes four bytes.
func I32[T ~int32](c *Coder, p *T) {
	if c.reading {
		*p = T(int32(c.read(4)))
	} else {
		c.write(uint64(uint32(*p)), 4)
	}
}

// U64 codes eight bytes.
func U64[T ~uint64](c *Coder, p *T) {
	if c.reading {
		*p = T(c.read(8))
	} else {
		c.write(uint64(*p), 8)
	}
}

// I64 codes eight bytes.
func I64[T ~int64](c *Coder, p *T) {
	if c.reading {
		*p = T(int64(c.read(8)))
	} else {
		c.write(uint64(*p), 8)
	}
}

// Len codes the length of a list whose elements take at least size bytes each, size ≥ 1: reading, it is
// held against the bytes that are left. It returns the length to go on with.
func (c *Coder) Len(n, size int) int {
	if !c.reading {
		c.write(uint64(n), 4)
		return n
	}
	v := c.read(4)
	if left := len(c.buf) - c.off; v > uint64(left/size) {
		c.Fail("a list of " + strconv.FormatUint(v, 10) + " needs " + strconv.FormatUint(v*uint64(size), 10) +
			" bytes, " + strconv.Itoa(left) + " are left")
		return 0
	}
	return int(v)
}

// List codes a list whose elements take at least size bytes each. An empty one is read as nil.
func List[T any](c *Coder, p *[]T, size int, each func(*Coder, *T)) {
	n := c.Len(len(*p), size)
	if c.reading {
		*p = nil
		if n > 0 {
			*p = make([]T, n)
		}
	}
	for i := range *p {
		if c.err != nil {
			*p = nil
			return
		}
		each(c, &(*p)[i])
	}
}

// Sum is a checksum of b: eight bytes at a time, each step a bijection, so that no single damaged word
// goes unseen. It is no defence against intent.
func Sum(b []byte) uint64 {
	const prime = 0x9e3779b97f4a7c15
	h := uint64(len(b)) ^ 0xcbf29ce484222325
	for len(b) > 0 {
		var w uint64
		n := min(8, len(b))
		for i := n - 1; i >= 0; i-- {
			w = w<<8 | uint64(b[i])
		}
		b = b[n:]
		h = (h ^ w) * prime
		h ^= h >> 32
	}
	return h
}
