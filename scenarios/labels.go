package scenarios

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/goccy/go-yaml/ast"
)

// Labels is a list of names: one name, or [a, b]. "b[0-299]" stands for b0 … b299.
type Labels []string

func (l *Labels) decodeNode(d *decoder, n ast.Node, path string) {
	if text, _, ok := scalarText(n); ok {
		*l = Labels{text}
		return
	}
	seq, ok := n.(*ast.SequenceNode)
	if !ok {
		d.add(path, describe(n)+" where a name or a list of names belongs")
		return
	}
	out := make(Labels, 0, len(seq.Values))
	for i, item := range seq.Values {
		text, _, ok := scalarText(item)
		p := path + "[" + strconv.Itoa(i) + "]"
		d.at[p] = nodePosition(item)
		if !ok {
			d.add(p, describe(item)+" where a name belongs")
			continue
		}
		out = append(out, text)
	}
	if len(out) > 0 {
		*l = out
	}
}

// Ref is one ref and what it points to: a commit's label, 40 or 64 hex digits, or "ref: refs/heads/x".
// A name without a slash is a branch; "tags/v1" is a tag.
type Ref struct{ Name, Value string }

// Refs are the refs of a state, a push or a host: {main: c1, tags/v1: t1}, or [main, dev] where each
// branch points to the commit of its own name, or just main. The text keeps its order.
type Refs []Ref

func (r *Refs) decodeNode(d *decoder, n ast.Node, path string) {
	switch n := n.(type) {
	case *ast.NullNode:
		*r = Refs{}
		return
	case *ast.MappingNode, *ast.MappingValueNode:
		out := Refs{}
		for _, e := range d.entries(n, path, "refs") {
			k, ok := d.key(e, path)
			if !ok {
				continue
			}
			v, _, ok := scalarText(e.Value)
			if !ok {
				d.add(join(path, k), describe(e.Value)+" where a commit belongs")
				continue
			}
			out = append(out, Ref{k, v})
		}
		*r = out
		return
	}
	var names Labels
	names.decodeNode(d, n, path)
	*r = make(Refs, len(names))
	for i, name := range names {
		(*r)[i] = Ref{name, lastWord(name)}
	}
}

func lastWord(name string) string { return name[strings.LastIndexByte(name, '/')+1:] }

// fullName is the full ref name of a short one.
func fullName(short string) string {
	switch {
	case strings.HasPrefix(short, "refs/"):
		return short
	case strings.HasPrefix(short, "heads/"), strings.HasPrefix(short, "tags/"):
		return "refs/" + short
	}
	return "refs/heads/" + short
}

// maxExpansion bounds what one range or repetition may stand for.
const maxExpansion = 100_000

// rangeOf finds "[lo-hi]" in s.
func rangeOf(s string) (head, tail string, lo, hi int, err error) {
	i := strings.IndexByte(s, '[')
	if i < 0 {
		return s, "", 0, -1, nil
	}
	j := strings.IndexByte(s[i:], ']')
	if j < 0 {
		return "", "", 0, -1, fmt.Errorf("%q has an open bracket; a range is b[0-9]", s)
	}
	a, b, ok := strings.Cut(s[i+1:i+j], "-")
	lo, err1 := strconv.Atoi(a)
	hi, err2 := strconv.Atoi(b)
	if !ok || err1 != nil || err2 != nil || lo < 0 || hi < lo {
		return "", "", 0, -1, fmt.Errorf("%q is no range; write b[0-9] with the smaller number first", s)
	}
	if hi-lo >= maxExpansion {
		return "", "", 0, -1, fmt.Errorf("%q stands for %d names, at most %d are allowed", s, hi-lo+1, maxExpansion)
	}
	return s[:i], s[i+j+1:], lo, hi, nil
}

// expand writes the ranges out.
func (l Labels) expand() (Labels, error) {
	out := make(Labels, 0, len(l))
	for _, s := range l {
		head, tail, lo, hi, err := rangeOf(s)
		if err != nil {
			return nil, err
		}
		if hi < 0 {
			out = append(out, s)
			continue
		}
		for n := lo; n <= hi; n++ {
			out = append(out, head+strconv.Itoa(n)+tail)
		}
	}
	if len(out) > maxExpansion {
		return nil, fmt.Errorf("%d names, at most %d are allowed", len(out), maxExpansion)
	}
	return out, nil
}

// expand writes the ranges out; a range in the value runs with the one in the name.
func (r Refs) expand() (Refs, error) {
	out := make(Refs, 0, len(r))
	for _, s := range r {
		if strings.HasPrefix(s.Name, "refs/") && strings.ContainsAny(s.Name, "*?") {
			return nil, fmt.Errorf("%q is a pattern, not a ref", s.Name)
		}
		head, tail, lo, hi, err := rangeOf(s.Name)
		if err != nil {
			return nil, err
		}
		if hi < 0 {
			out = append(out, s)
			continue
		}
		vh, vt, vlo, vhi, err := rangeOf(s.Value)
		if err != nil {
			return nil, err
		}
		if vhi >= 0 && vhi-vlo != hi-lo {
			return nil, fmt.Errorf("%q and %q are ranges of different lengths", s.Name, s.Value)
		}
		for n := lo; n <= hi; n++ {
			v := s.Value
			if vhi >= 0 {
				v = vh + strconv.Itoa(vlo+n-lo) + vt
			}
			out = append(out, Ref{head + strconv.Itoa(n) + tail, v})
		}
	}
	if len(out) > maxExpansion {
		return nil, fmt.Errorf("%d refs, at most %d are allowed", len(out), maxExpansion)
	}
	return out, nil
}
