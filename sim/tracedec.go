package sim

import (
	"encoding/hex"
	"strconv"
	"unicode/utf8"

	"graspsync/core"
	"graspsync/core/value"
)

// dec reads one line written by enc. The first mistake sticks in err and stops everything; functions
// then return zero values. It is lenient about order and left-out zeros, because the reader compares the
// line with its own encoding afterwards: what is not canonical is refused there.
type dec struct {
	b     []byte
	i     int
	err   string
	names *value.Names // handles must be named already; nil: any handle
}

func (r *dec) fail(text string) {
	if r.err == "" {
		r.err = text + " at byte " + strconv.Itoa(r.i+1)
		r.i = len(r.b)
	}
}

func (r *dec) peek() byte {
	if r.i < len(r.b) {
		return r.b[r.i]
	}
	return 0
}

func (r *dec) want(c byte) bool {
	if r.peek() != c || r.i >= len(r.b) {
		if r.i >= len(r.b) {
			r.fail("line ends where " + strconv.QuoteRune(rune(c)) + " is needed")
		} else {
			r.fail("found " + strconv.QuoteRune(rune(r.b[r.i])) + ", needed " + strconv.QuoteRune(rune(c)))
		}
		return false
	}
	r.i++
	return true
}

// object reads {"key":value,…}; field must read the value of each key it knows and return false for
// others. what names the object in messages.
func (r *dec) object(what string, field func(key string) bool) {
	if !r.want('{') {
		return
	}
	for n := 0; r.err == ""; n++ {
		if n == 0 && r.peek() == '}' {
			break
		}
		key := r.text()
		if !r.want(':') {
			return
		}
		if !field(key) {
			r.fail("unknown field " + strconv.Quote(key) + " in " + what)
			return
		}
		if r.peek() != ',' {
			break
		}
		r.i++
	}
	r.want('}')
}

// array reads [item,…].
func (r *dec) array(item func()) {
	if !r.want('[') {
		return
	}
	for n := 0; r.err == ""; n++ {
		if n == 0 && r.peek() == ']' {
			break
		}
		item()
		if r.peek() != ',' {
			break
		}
		r.i++
	}
	r.want(']')
}

// text reads a quoted text with the escapes that enc writes.
func (r *dec) text() string {
	if !r.want('"') {
		return ""
	}
	start := r.i
	for r.i < len(r.b) && r.b[r.i] != '"' && r.b[r.i] != '\\' {
		r.i++
	}
	if r.peek() == '"' {
		r.i++
		return string(r.b[start : r.i-1])
	}
	out := append([]byte(nil), r.b[start:r.i]...)
	for r.i < len(r.b) {
		switch c := r.b[r.i]; c {
		case '"':
			r.i++
			return string(out)
		case '\\':
			out = r.escape(out)
			if r.err != "" {
				return ""
			}
		default:
			out = append(out, c)
			r.i++
		}
	}
	r.fail("text is not closed")
	return ""
}

func (r *dec) escape(out []byte) []byte {
	rest := r.b[r.i:]
	if len(rest) >= 2 && (rest[1] == '"' || rest[1] == '\\') {
		r.i += 2
		return append(out, rest[1])
	}
	if len(rest) >= 6 && rest[1] == 'u' {
		v, err := strconv.ParseUint(string(rest[2:6]), 16, 16)
		switch {
		case err == nil && v < utf8.RuneSelf:
			r.i += 6
			return append(out, byte(v))
		case err == nil && v >= 0xdc80 && v <= 0xdcff:
			r.i += 6
			return append(out, byte(v))
		}
	}
	r.fail("unknown escape in text")
	return out
}

func (r *dec) digits() string {
	start := r.i
	if r.peek() == '-' {
		r.i++
	}
	for r.i < len(r.b) && r.b[r.i] >= '0' && r.b[r.i] <= '9' {
		r.i++
	}
	return string(r.b[start:r.i])
}

// int reads a number between lo and hi.
func (r *dec) int(lo, hi int64) int64 {
	at := r.i
	s := r.digits()
	v, err := strconv.ParseInt(s, 10, 64)
	if err != nil || v < lo || v > hi {
		r.i = at
		r.fail("number " + strconv.Quote(s) + " must be " + strconv.FormatInt(lo, 10) + " to " + strconv.FormatInt(hi, 10))
		return 0
	}
	return v
}

func (r *dec) uint() uint64 {
	at := r.i
	s := r.digits()
	v, err := strconv.ParseUint(s, 10, 64)
	if err != nil {
		r.i = at
		r.fail("number " + strconv.Quote(s) + " must be 0 to 18446744073709551615")
	}
	return v
}

func (r *dec) any() int64      { return r.int(-1<<63, 1<<63-1) }
func (r *dec) time() core.Time { return core.Time(r.any()) }
func (r *dec) int32() int32    { return int32(r.int(-1<<31, 1<<31-1)) }
func (r *dec) uint32() uint32  { return uint32(r.int(0, 1<<32-1)) }

func (r *dec) handle() core.Handle {
	h := core.Handle(r.uint32())
	if r.names != nil && int64(h) > int64(r.names.Len()) {
		r.fail("handle " + strconv.FormatUint(uint64(h), 10) + " has no name record before it")
	}
	return h
}

func (r *dec) flag() bool {
	for _, s := range [...]string{"true", "false"} {
		if rest := r.b[r.i:]; len(rest) >= len(s) && string(rest[:len(s)]) == s {
			r.i += len(s)
			return s == "true"
		}
	}
	r.fail("must be true or false")
	return false
}

// hex fills dst with exactly as many bytes as it has.
func (r *dec) hex(dst []byte) {
	at := r.i
	s := r.text()
	if r.err != "" {
		return
	}
	if len(s) != 2*len(dst) {
		r.i = at
		r.fail("hex text of " + strconv.Itoa(len(s)) + " digits must have " + strconv.Itoa(2*len(dst)))
		return
	}
	if _, err := hex.Decode(dst, []byte(s)); err != nil {
		r.i = at
		r.fail("text must be lower-case hex")
	}
}

func (r *dec) oid() core.OID {
	at := r.i
	o, err := value.ParseOID(r.text())
	if err != nil {
		r.i = at
		r.fail(err.Error())
	}
	return o
}

func (r *dec) ask() core.AskID {
	at := r.i
	s := r.text()
	a, ok := core.ParseAskID(s)
	if !ok {
		r.i = at
		r.fail("request id " + strconv.Quote(s) + " must be counter.slot")
	}
	return a
}

// one reads a text that must be among n names.
func (r *dec) one(what string, n int, name func(int) string) int {
	at := r.i
	s := r.text()
	for i := range n {
		if name(i) == s {
			return i
		}
	}
	r.i = at
	r.fail("unknown " + what + " " + strconv.Quote(s))
	return 0
}

func (r *dec) class() core.Class {
	return core.Class(r.one("class", int(core.NumClasses), func(i int) string { return core.Class(i).String() }))
}

func (r *dec) oids() (list []core.OID) {
	r.array(func() { list = append(list, r.oid()) })
	return list
}

func (r *dec) refs() (list []core.Ref) {
	r.array(func() {
		var f core.Ref
		r.object("ref", func(key string) bool {
			switch key {
			case "name":
				f.Name = r.handle()
			case "oid":
				f.OID = r.oid()
			case "symbolic":
				f.Symbolic = r.flag()
			default:
				return false
			}
			return true
		})
		list = append(list, f)
	})
	return list
}

func (r *dec) config() *core.Config {
	c := new(core.Config)
	fields := configFields(c)
	r.object("config", func(key string) bool {
		if key == "Blocked" {
			r.array(func() {
				var p core.PubKey
				r.hex(p[:])
				c.Blocked = append(c.Blocked, p)
			})
			return true
		}
		if key == "Overrides" {
			r.array(func() { c.Overrides = append(c.Overrides, r.override()) })
			return true
		}
		for i := range fields {
			f := &fields[i]
			if f.name != key {
				continue
			}
			switch {
			case f.flag != nil:
				*f.flag = r.flag()
			case f.seed != nil:
				*f.seed = r.uint()
			default:
				f.set(r.any())
			}
			return true
		}
		return false
	})
	return c
}

func (r *dec) override() (o core.DomainLimit) {
	r.object("override", func(key string) bool {
		switch key {
		case "domain":
			o.Domain = core.Handle(r.uint32()) // the header stands before all names
		case "concurrency":
			o.Concurrency = int(r.int32())
		case "rate":
			o.Rate = int(r.int32())
		default:
			return false
		}
		return true
	})
	return o
}
