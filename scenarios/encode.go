package scenarios

import (
	"bytes"
	"encoding/json"
	"reflect"
	"slices"
	"strconv"
	"strings"
)

// node is a piece of YAML to be written: pairs, items or text.
type node interface{}

type (
	pair struct {
		key string
		val node
	}
	pairs []pair
	items []node
	text  string // a scalar that may need quotes
	plain string // a number or truth value
)

type nodeEncoder interface{ encodeNode() node }

type stringer interface{ String() string }

// Encode writes the scenario as YAML that Parse reads back to an equal scenario. Fields with their zero
// value are left out.
func (s *Scenario) Encode() []byte {
	var b bytes.Buffer
	for _, p := range structPairs(reflect.ValueOf(*s)) {
		b.WriteString(p.key + ":")
		switch v := p.val.(type) {
		case pairs:
			b.WriteByte('\n')
			for _, q := range v {
				b.WriteString("  " + scalar(q.key) + ": ")
				flow(&b, q.val)
				b.WriteByte('\n')
			}
		case items:
			if p.key == "rules" {
				b.WriteByte(' ')
				flow(&b, v)
				b.WriteByte('\n')
				continue
			}
			b.WriteByte('\n')
			for _, it := range v {
				b.WriteString("  - ")
				flow(&b, it)
				b.WriteByte('\n')
			}
		default:
			b.WriteByte(' ')
			flow(&b, v)
			b.WriteByte('\n')
		}
	}
	return b.Bytes()
}

func flow(b *bytes.Buffer, n node) {
	switch n := n.(type) {
	case pairs:
		b.WriteByte('{')
		for i, p := range n {
			if i > 0 {
				b.WriteString(", ")
			}
			b.WriteString(scalar(p.key) + ": ")
			flow(b, p.val)
		}
		b.WriteByte('}')
	case items:
		b.WriteByte('[')
		for i, it := range n {
			if i > 0 {
				b.WriteString(", ")
			}
			flow(b, it)
		}
		b.WriteByte(']')
	case text:
		b.WriteString(scalar(string(n)))
	case plain:
		b.WriteString(string(n))
	}
}

// scalar quotes s unless it is plainly a word: letters first, nothing that YAML gives a meaning.
func scalar(s string) string {
	word := s != ""
	for i := 0; i < len(s) && word; i++ {
		c := s[i]
		letter := c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z'
		inner := c >= '0' && c <= '9' || c == '-' || c == '.' || c == '/' || c == '_' || c == ' ' && i+1 < len(s)
		word = letter || inner && (i > 0 || c >= '0' && c <= '9' && strings.ContainsAny(s, "smhu"))
	}
	switch strings.ToLower(s) {
	case "true", "false", "null", "yes", "no", "on", "off", "y", "n", "nan", "inf":
		word = s == "on" || s == "y" || s == "n"
	}
	if word {
		return s
	}
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	if enc.Encode(s) != nil {
		return strconv.Quote(s)
	}
	return strings.TrimSuffix(b.String(), "\n")
}

// structPairs gives the fields of a struct that are not zero, in declaration order.
func structPairs(v reflect.Value) pairs {
	var out pairs
	fields := fieldsOf(v.Type())
	for _, name := range fields.names {
		f := v.FieldByIndex(fields.index[name])
		if f.IsZero() || f.Kind() == reflect.Map && f.Len() == 0 { // nothing in a map says what no map says
			continue
		}
		out = append(out, pair{name, valueNode(f)})
	}
	return out
}

func valueNode(v reflect.Value) node {
	if v.Kind() == reflect.Pointer {
		return valueNode(v.Elem())
	}
	switch t := v.Interface().(type) {
	case nodeEncoder:
		return t.encodeNode()
	case stringer:
		return text(t.String())
	}
	switch v.Kind() {
	case reflect.Struct:
		return structPairs(v)
	case reflect.Map:
		keys := make([]string, 0, v.Len())
		for _, k := range v.MapKeys() {
			keys = append(keys, k.String())
		}
		slices.Sort(keys)
		out := make(pairs, len(keys))
		for i, k := range keys {
			out[i] = pair{k, valueNode(v.MapIndex(reflect.ValueOf(k)))}
		}
		return out
	case reflect.Slice:
		out := make(items, v.Len())
		for i := range out {
			out[i] = valueNode(v.Index(i))
		}
		return out
	case reflect.String:
		return text(v.String())
	case reflect.Bool:
		return plain(strconv.FormatBool(v.Bool()))
	case reflect.Uint64:
		return plain(strconv.FormatUint(v.Uint(), 10))
	default:
		return plain(strconv.FormatInt(v.Int(), 10))
	}
}
