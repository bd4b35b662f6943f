package scenarios

import (
	"fmt"
	"reflect"
	"strconv"
	"strings"

	"github.com/goccy/go-yaml/ast"
)

// hostFields are the fields of a Host beside its behaviour.
type hostFields struct {
	Repeat  int    `yaml:"repeat"`
	Address string `yaml:"address"`
	Wants   string `yaml:"wants"`
}

const untilPrefix = "until "

func (h *Host) decodeNode(d *decoder, n ast.Node, path string) {
	var fixed hostFields
	var constant Behaviour
	own, behaviour := fieldsOf(reflect.TypeFor[hostFields]()), fieldsOf(reflect.TypeFor[Behaviour]())
	then, direct := false, false
	for _, e := range d.entries(n, path, "a host's behaviour, as {latency: 200ms},") {
		k, ok := d.key(e, path)
		if !ok {
			continue
		}
		p := join(path, k)
		if i, ok := own.index[k]; ok {
			d.decode(e.Value, reflect.ValueOf(&fixed).Elem().FieldByIndex(i), p)
			continue
		}
		if i, ok := behaviour.index[k]; ok {
			direct = true
			d.decode(e.Value, reflect.ValueOf(&constant).Elem().FieldByIndex(i), p)
			continue
		}
		var ph Phase
		switch {
		case strings.HasPrefix(k, untilPrefix):
			var err error
			if ph.Until, err = ParseSpan(strings.TrimSpace(k[len(untilPrefix):])); err != nil {
				d.add(p, err.Error())
				continue
			}
			last := Span(0)
			if len(h.Script) > 0 {
				last = h.Script[len(h.Script)-1].Until
			}
			if then || ph.Until <= last {
				d.add(p, "phases must come in order of time, \"then\" last")
				continue
			}
		case k == "then":
			then = true
		default:
			d.add(p, unknown("field", k, append(append([]string{"until <time>", "then"}, own.names...), behaviour.names...)))
			continue
		}
		d.decode(e.Value, reflect.ValueOf(&ph.Behaviour).Elem(), p)
		h.Script = append(h.Script, ph)
	}
	if direct && len(h.Script) > 0 {
		d.add(path, "behaviour both directly and in phases; put what comes after the phases under \"then\"")
	}
	if !then {
		h.Script = append(h.Script, Phase{Behaviour: constant})
	}
	h.Repeat, h.Address, h.Wants = fixed.Repeat, fixed.Address, fixed.Wants
}

func (h Host) encodeNode() node {
	var out pairs
	out = append(out, structPairs(reflect.ValueOf(hostFields{h.Repeat, h.Address, h.Wants}))...)
	for _, ph := range h.Script {
		b := structPairs(reflect.ValueOf(ph.Behaviour))
		switch {
		case ph.Until > 0:
			out = append(out, pair{untilPrefix + ph.Until.String(), b})
		case len(h.Script) == 1:
			out = append(out, b...)
		case len(b) > 0:
			out = append(out, pair{"then", b})
		}
	}
	return out
}

func (h *Holdings) decodeNode(d *decoder, n ast.Node, path string) {
	seq, isList := n.(*ast.SequenceNode)
	if _, isMap := n.(*ast.MappingNode); isMap {
		var one Holding
		d.decode(n, reflect.ValueOf(&one).Elem(), path)
		*h = Holdings{one}
		return
	}
	if isList && len(seq.Values) > 0 {
		if _, ok := seq.Values[0].(*ast.MappingNode); ok {
			out := make(Holdings, len(seq.Values))
			for i := range seq.Values {
				d.decode(seq.Values[i], reflect.ValueOf(&out[i]).Elem(), path+"["+strconv.Itoa(i)+"]")
			}
			*h = out
			return
		}
	}
	var labels Labels
	labels.decodeNode(d, n, path)
	*h = Holdings{{Has: labels}}
}

func (h Holdings) encodeNode() node {
	if len(h) == 1 && h[0].Refs == nil && !h[0].Hidden && h[0].Filler == 0 && h[0].From == 0 && h[0].Until == 0 {
		return h[0].Has.encodeNode()
	}
	out := make(items, len(h))
	for i := range h {
		out[i] = structPairs(reflect.ValueOf(h[i]))
	}
	return out
}

func (l Labels) encodeNode() node {
	if len(l) == 1 {
		return text(l[0])
	}
	out := make(items, len(l))
	for i := range l {
		out[i] = text(l[i])
	}
	return out
}

func (r Refs) encodeNode() node {
	out := make(pairs, len(r))
	for i := range r {
		out[i] = pair{r[i].Name, text(r[i].Value)}
	}
	return out
}

func (s *Spans) decodeNode(d *decoder, n ast.Node, path string) {
	seq, ok := n.(*ast.SequenceNode)
	values := []ast.Node{n}
	if ok {
		values = seq.Values
	}
	out := make(Spans, 0, len(values))
	for i, v := range values {
		p := path
		if ok {
			p = path + "[" + strconv.Itoa(i) + "]"
			d.at[p] = nodePosition(v)
		}
		t, _, scalar := scalarText(v)
		if !scalar {
			d.add(p, describe(v)+" where an instant belongs")
			continue
		}
		sp, err := ParseSpan(t)
		if err != nil {
			d.add(p, err.Error())
			continue
		}
		out = append(out, sp)
	}
	if len(out) > maxExpansion {
		d.add(path, fmt.Sprintf("%d instants, at most %d are allowed", len(out), maxExpansion))
	}
	*s = out
}

func (s Spans) encodeNode() node {
	if len(s) == 1 {
		return text(s[0].String())
	}
	out := make(items, len(s))
	for i := range s {
		out[i] = text(s[i].String())
	}
	return out
}
