package sim

import (
	"encoding/hex"
	"strconv"
	"unicode/utf8"

	"graspsync/core"
)

// enc appends JSON by hand: one field after another in a fixed order, zero values left out, no spaces.
// There is one way to write a value, so equal steps are equal bytes on every machine. The first field of
// each object is always present.
type enc struct {
	b     []byte
	first bool
}

func (w *enc) key(k string) {
	if !w.first {
		w.b = append(w.b, ',')
	}
	w.first = false
	w.b = append(w.b, '"')
	w.b = append(w.b, k...)
	w.b = append(w.b, '"', ':')
}

func (w *enc) open()  { w.b = append(w.b, '{'); w.first = true }
func (w *enc) close() { w.b = append(w.b, '}'); w.first = false }

func (w *enc) mustInt(k string, v int64) { w.key(k); w.b = strconv.AppendInt(w.b, v, 10) }

func (w *enc) int(k string, v int64) {
	if v != 0 {
		w.mustInt(k, v)
	}
}

func (w *enc) uint(k string, v uint64) {
	if v != 0 {
		w.key(k)
		w.b = strconv.AppendUint(w.b, v, 10)
	}
}

func (w *enc) flag(k string, v bool) {
	if v {
		w.key(k)
		w.b = append(w.b, "true"...)
	}
}

// word writes a text that needs no escapes.
func (w *enc) word(k, v string) {
	w.key(k)
	w.b = append(w.b, '"')
	w.b = append(w.b, v...)
	w.b = append(w.b, '"')
}

func (w *enc) ask(k string, a core.AskID) {
	if a != 0 {
		w.key(k)
		w.b = append(w.b, '"')
		w.b = a.Append(w.b)
		w.b = append(w.b, '"')
	}
}

func (w *enc) hex(k string, v []byte) {
	for _, c := range v {
		if c != 0 {
			w.key(k)
			w.quotedHex(v)
			return
		}
	}
}

func (w *enc) quotedHex(v []byte) {
	w.b = append(w.b, '"')
	w.b = hex.AppendEncode(w.b, v)
	w.b = append(w.b, '"')
}

func (w *enc) hash(k string, v uint64) {
	w.key(k)
	w.b = append(w.b, '"')
	for shift := 60; shift >= 0; shift -= 4 {
		w.b = append(w.b, hexDigits[v>>uint(shift)&15])
	}
	w.b = append(w.b, '"')
}

const hexDigits = "0123456789abcdef"

func (w *enc) text(k, v string) {
	if v != "" {
		w.key(k)
		w.quoted(v)
	}
}

// quoted writes any bytes: valid UTF-8 as it is but for quotes, backslashes and control characters, and
// a byte that is part of none as the lone surrogate \udc80 … \udcff, which valid text cannot contain.
func (w *enc) quoted(v string) {
	w.b = append(w.b, '"')
	for i := 0; i < len(v); {
		c := v[i]
		switch {
		case c == '"' || c == '\\':
			w.b = append(w.b, '\\', c)
		case c < 0x20:
			w.b = append(w.b, '\\', 'u', '0', '0', hexDigits[c>>4], hexDigits[c&15])
		case c < utf8.RuneSelf:
			w.b = append(w.b, c)
		default:
			r, n := utf8.DecodeRuneInString(v[i:])
			if r == utf8.RuneError && n <= 1 {
				w.b = append(w.b, '\\', 'u', 'd', 'c', hexDigits[c>>4], hexDigits[c&15])
				break
			}
			w.b = append(w.b, v[i:i+n]...)
			i += n
			continue
		}
		i++
	}
	w.b = append(w.b, '"')
}

func (w *enc) oids(k string, list []core.OID) {
	if len(list) == 0 {
		return
	}
	w.key(k)
	w.b = append(w.b, '[')
	for i := range list {
		if i > 0 {
			w.b = append(w.b, ',')
		}
		w.b = append(w.b, '"')
		w.b = list[i].AppendHex(w.b)
		w.b = append(w.b, '"')
	}
	w.b = append(w.b, ']')
}

func (w *enc) oid(k string, o core.OID) {
	if !o.IsZero() {
		w.key(k)
		w.b = append(w.b, '"')
		w.b = o.AppendHex(w.b)
		w.b = append(w.b, '"')
	}
}

// list writes n objects under k, nothing if there are none.
func (w *enc) list(k string, n int) bool {
	if n == 0 {
		return false
	}
	w.key(k)
	w.b = append(w.b, '[')
	return true
}

func (w *enc) item(i int) {
	if i > 0 {
		w.b = append(w.b, ',')
	}
	w.open()
}

func (w *enc) endList() { w.b = append(w.b, ']'); w.first = false }

func (w *enc) refs(k string, list []core.Ref) {
	if !w.list(k, len(list)) {
		return
	}
	for i := range list {
		w.item(i)
		w.mustInt("name", int64(list[i].Name))
		w.oid("oid", list[i].OID)
		w.flag("symbolic", list[i].Symbolic)
		w.close()
	}
	w.endList()
}

func (w *enc) config(k string, c *core.Config) {
	w.key(k)
	w.open()
	fields := configFields(c)
	for i := range fields {
		f := &fields[i]
		w.key(f.name)
		switch {
		case f.flag != nil:
			w.b = strconv.AppendBool(w.b, *f.flag)
		case f.seed != nil:
			w.b = strconv.AppendUint(w.b, *f.seed, 10)
		default:
			w.b = strconv.AppendInt(w.b, f.get(), 10)
		}
	}
	if w.list("Blocked", len(c.Blocked)) {
		for i := range c.Blocked {
			if i > 0 {
				w.b = append(w.b, ',')
			}
			w.quotedHex(c.Blocked[i][:])
		}
		w.endList()
	}
	if w.list("Overrides", len(c.Overrides)) {
		for i := range c.Overrides {
			w.item(i)
			w.mustInt("domain", int64(c.Overrides[i].Domain))
			w.mustInt("concurrency", int64(c.Overrides[i].Concurrency))
			w.mustInt("rate", int64(c.Overrides[i].Rate))
			w.close()
		}
		w.endList()
	}
	w.close()
}
