package scenarios

import (
	"fmt"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"sync"

	"github.com/goccy/go-yaml/ast"
)

// textValue is a scalar of the format with its own notation. The error says what would be right.
type textValue interface{ setText(string) error }

// nodeValue is a part of the format with a shorthand: it decodes its node itself.
type nodeValue interface {
	decodeNode(d *decoder, n ast.Node, path string)
}

// decoder reads a YAML node into the Go value of the format. It is strict: an unknown or repeated field,
// a wrong kind of node and a malformed scalar are errors with position, path and what would be right.
type decoder struct {
	problems
	nodes int
}

const maxNodes = 2_000_000

func (d *decoder) decode(n ast.Node, v reflect.Value, path string) {
	if len(d.list) >= maxErrors {
		return
	}
	d.nodes++
	if d.nodes > maxNodes {
		d.add(path, fmt.Sprintf("the file has more than %d values", maxNodes))
		return
	}
	if d.at == nil {
		d.at = make(map[string]position)
	}
	_, _, plain := scalarText(n)
	if _, ok := d.at[path]; !ok || plain {
		d.at[path] = nodePosition(n) // a wrong value is shown where it stands, a wrong field at its key
	}
	switch n.(type) {
	case *ast.AnchorNode, *ast.AliasNode, *ast.TagNode:
		d.add(path, "anchors, aliases and tags are not part of the format; write the value out")
		return
	}
	if v.Kind() == reflect.Pointer {
		if v.IsNil() {
			v.Set(reflect.New(v.Type().Elem()))
		}
		d.decode(n, v.Elem(), path)
		return
	}
	switch t := v.Addr().Interface().(type) {
	case nodeValue:
		t.decodeNode(d, n, path)
		return
	case textValue:
		text, _, ok := scalarText(n)
		if !ok {
			d.add(path, describe(n)+" where one value belongs")
		} else if err := t.setText(text); err != nil {
			d.add(path, err.Error())
		}
		return
	}
	switch v.Kind() {
	case reflect.Struct:
		d.structure(n, v, path)
	case reflect.Map:
		d.mapping(n, v, path)
	case reflect.Slice:
		d.sequence(n, v, path)
	default:
		d.scalar(n, v, path)
	}
}

// entries gives the pairs of a mapping; null is a mapping without any.
func (d *decoder) entries(n ast.Node, path, want string) []*ast.MappingValueNode {
	switch n := n.(type) {
	case *ast.MappingNode:
		return n.Values
	case *ast.MappingValueNode:
		return []*ast.MappingValueNode{n}
	case *ast.NullNode:
		return nil
	}
	d.add(path, describe(n)+" where "+want+" belongs")
	return nil
}

func (d *decoder) key(e *ast.MappingValueNode, path string) (string, bool) {
	k, _, ok := scalarText(e.Key)
	if !ok || k == "" {
		d.add(path, "a key must be plain text")
		return "", false
	}
	p := join(path, k)
	if _, dup := d.at[p]; dup {
		d.at[p] = nodePosition(e.Key)
		d.add(p, "given twice")
		return "", false
	}
	d.at[p] = nodePosition(e.Key)
	return k, true
}

func (d *decoder) structure(n ast.Node, v reflect.Value, path string) {
	fields := fieldsOf(v.Type())
	for _, e := range d.entries(n, path, "a mapping with "+strings.Join(fields.names, ", ")) {
		k, ok := d.key(e, path)
		if !ok {
			continue
		}
		i, known := fields.index[k]
		if !known {
			d.add(join(path, k), unknown("field", k, fields.names))
			continue
		}
		d.decode(e.Value, v.FieldByIndex(i), join(path, k))
	}
}

func (d *decoder) mapping(n ast.Node, v reflect.Value, path string) {
	es := d.entries(n, path, "a mapping of names")
	if len(es) == 0 {
		return
	}
	v.Set(reflect.MakeMapWithSize(v.Type(), len(es)))
	for _, e := range es {
		k, ok := d.key(e, path)
		if !ok {
			continue
		}
		item := reflect.New(v.Type().Elem()).Elem()
		d.decode(e.Value, item, join(path, k))
		v.SetMapIndex(reflect.ValueOf(k), item)
	}
}

func (d *decoder) sequence(n ast.Node, v reflect.Value, path string) {
	seq, ok := n.(*ast.SequenceNode)
	if !ok {
		if _, null := n.(*ast.NullNode); !null {
			d.add(path, describe(n)+" where a list belongs; write \"- …\" lines or [a, b]")
		}
		return
	}
	if len(seq.Values) == 0 {
		return
	}
	v.Set(reflect.MakeSlice(v.Type(), len(seq.Values), len(seq.Values)))
	for i, item := range seq.Values {
		d.decode(item, v.Index(i), path+"["+strconv.Itoa(i)+"]")
	}
}

func (d *decoder) scalar(n ast.Node, v reflect.Value, path string) {
	text, quoted, ok := scalarText(n)
	if !ok {
		d.add(path, describe(n)+" where one value belongs")
		return
	}
	switch v.Kind() {
	case reflect.String:
		v.SetString(text)
	case reflect.Bool:
		if quoted || text != "true" && text != "false" {
			d.add(path, fmt.Sprintf("%q is neither true nor false", text))
			return
		}
		v.SetBool(text == "true")
	case reflect.Int, reflect.Int64:
		i, err := strconv.ParseInt(text, 10, 64)
		if quoted || err != nil {
			d.add(path, fmt.Sprintf("%q is not a whole number", text))
			return
		}
		v.SetInt(i)
	case reflect.Uint64:
		u, err := strconv.ParseUint(text, 10, 64)
		if quoted || err != nil {
			d.add(path, fmt.Sprintf("%q is not a whole number from 0", text))
			return
		}
		v.SetUint(u)
	default:
		d.add(path, "the format has no text form for "+v.Type().String())
	}
}

// join gives the path of a key below path: plain words with a dot, others in brackets.
func join(path, key string) string {
	for i := 0; i < len(key); i++ {
		c := key[i]
		if c != '-' && c != '_' && (c < '0' || c > '9') && (c < 'a' || c > 'z') && (c < 'A' || c > 'Z') {
			return path + "[" + strconv.Quote(key) + "]"
		}
	}
	if path == "" {
		return key
	}
	return path + "." + key
}

// structFields is the yaml view of a Go struct: names in declaration order, and where each is.
type structFields struct {
	names []string
	index map[string][]int
}

func fieldsOf(t reflect.Type) structFields {
	if f, ok := knownFields.Load(t); ok {
		return f.(structFields)
	}
	f := readFields(t)
	knownFields.Store(t, f)
	return f
}

// knownFields keeps what readFields found, by type; nobody changes it.
var knownFields sync.Map

func readFields(t reflect.Type) structFields {
	f := structFields{index: make(map[string][]int)}
	for i := range t.NumField() {
		sf := t.Field(i)
		name, opts, _ := strings.Cut(sf.Tag.Get("yaml"), ",")
		switch {
		case strings.Contains(opts, "inline"):
			sub := fieldsOf(sf.Type)
			for _, s := range sub.names {
				if _, twice := f.index[s]; twice {
					panic("scenarios: two fields of " + t.Name() + " are called " + s)
				}
				f.names = append(f.names, s)
				f.index[s] = append([]int{i}, sub.index[s]...)
			}
		case name != "" && name != "-":
			f.names = append(f.names, name)
			f.index[name] = []int{i}
		}
	}
	return f
}

// unknown says that word is no known one and which would be right.
func unknown(what, word string, known []string) string {
	if len(word) > 60 {
		word = word[:60] + "…"
	}
	near, best := "", 3
	for _, k := range known {
		if dist := distance(word, k); dist < best {
			near, best = k, dist
		}
	}
	sorted := slices.Clone(known)
	slices.Sort(sorted)
	msg := fmt.Sprintf("unknown %s %q", what, word)
	if near != "" {
		msg += fmt.Sprintf(", did you mean %q?", near)
	}
	if len(sorted) > 60 {
		sorted = append(sorted[:60], "…")
	}
	return msg + " (known: " + strings.Join(sorted, ", ") + ")"
}

// distance is the edit distance of two short words.
func distance(a, b string) int {
	if len(a) > 40 || len(b) > 40 {
		return 99
	}
	row := make([]int, len(b)+1)
	for j := range row {
		row[j] = j
	}
	for i := range len(a) {
		diag := row[0]
		row[0] = i + 1
		for j := range len(b) {
			cost := diag
			if a[i] != b[j] {
				cost++
			}
			diag = row[j+1]
			row[j+1] = min(cost, diag+1, row[j]+1)
		}
	}
	return row[len(b)]
}
