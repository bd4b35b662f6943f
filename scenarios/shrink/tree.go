package shrink

import (
	"fmt"
	"reflect"
	"slices"
	"strings"

	"graspsync/scenarios"
)

// A scenario is taken to pieces by reflection, so that a field which is new in the format is shrunk without a word here.

// clone is a deep copy.
func clone(s *scenarios.Scenario) *scenarios.Scenario {
	c := *s
	deepen(reflect.ValueOf(&c).Elem())
	return &c
}

// deepen replaces all that v shares with the value it was copied from.
func deepen(v reflect.Value) {
	switch v.Kind() {
	case reflect.Pointer:
		if !v.IsNil() {
			c := reflect.New(v.Type().Elem())
			c.Elem().Set(v.Elem())
			deepen(c.Elem())
			v.Set(c)
		}
	case reflect.Struct:
		for i := range v.NumField() {
			if f := v.Field(i); f.CanSet() && shares(f.Kind()) {
				deepen(f)
			}
		}
	case reflect.Slice:
		if v.IsNil() {
			return
		}
		c := reflect.MakeSlice(v.Type(), v.Len(), v.Len())
		reflect.Copy(c, v)
		v.Set(c)
		for i := range c.Len() {
			if !shares(c.Index(i).Kind()) {
				return
			}
			deepen(c.Index(i))
		}
	case reflect.Map:
		if v.IsNil() {
			return
		}
		c := reflect.MakeMapWithSize(v.Type(), v.Len())
		for it := v.MapRange(); it.Next(); {
			e := reflect.New(v.Type().Elem()).Elem()
			e.Set(it.Value())
			deepen(e)
			c.SetMapIndex(it.Key(), e)
		}
		v.Set(c)
	}
}

func shares(k reflect.Kind) bool {
	return k == reflect.Pointer || k == reflect.Struct || k == reflect.Slice || k == reflect.Map
}

// spot is one place in a scenario. val may be changed; put writes the change back where val lies in a map.
type spot struct {
	path string // as "hosts.git.example.Script[0].Latency": names of Go fields, keys of maps, indices
	val  reflect.Value
	put  func()
}

// walk visits every part of the scenario in a fixed order, what contains others first. A visit that changes a value of
// a map must call put. The walk does not enter a part of which visit gives false.
func walk(s *scenarios.Scenario, visit func(spot) bool) {
	walkInto(spot{"", reflect.ValueOf(s).Elem(), func() {}}, visit)
}

func walkInto(p spot, visit func(spot) bool) {
	if !visit(p) {
		return
	}
	switch p.val.Kind() {
	case reflect.Pointer:
		if !p.val.IsNil() {
			walkInto(spot{p.path, p.val.Elem(), p.put}, visit)
		}
	case reflect.Struct:
		for i := range p.val.NumField() {
			f := p.val.Field(i)
			if !f.CanSet() || f.IsZero() {
				continue
			}
			path := strings.TrimPrefix(p.path+"."+p.val.Type().Field(i).Name, ".")
			walkInto(spot{path, f, p.put}, visit)
		}
	case reflect.Slice:
		for i := range p.val.Len() {
			walkInto(spot{fmt.Sprintf("%s[%d]", p.path, i), p.val.Index(i), p.put}, visit)
		}
	case reflect.Map:
		for _, k := range keysOf(p.val) {
			key := reflect.ValueOf(k)
			e := reflect.New(p.val.Type().Elem()).Elem()
			e.Set(p.val.MapIndex(key))
			walkInto(spot{p.path + "." + k, e, func() { p.val.SetMapIndex(key, e); p.put() }}, visit)
		}
	}
}

func keysOf(m reflect.Value) []string {
	keys := make([]string, 0, m.Len())
	for _, k := range m.MapKeys() {
		keys = append(keys, k.String())
	}
	slices.Sort(keys)
	return keys
}

// spots are the parts of a scenario that want chooses, in order.
func spots(s *scenarios.Scenario, want func(spot) bool) (out []spot) {
	walk(s, func(p spot) bool {
		if want(p) {
			out = append(out, p)
		}
		return true
	})
	return out
}

// isLeaf tells a part that is written as one word or number.
func isLeaf(v reflect.Value) bool {
	switch v.Interface().(type) {
	case scenarios.Count, scenarios.Ratio, scenarios.Ref:
		return true
	}
	switch v.Kind() {
	case reflect.Struct, reflect.Slice, reflect.Map, reflect.Pointer:
		return false
	}
	return true
}

// inSlice tells whether path names an element of a list.
func inSlice(path string) bool { return strings.HasSuffix(path, "]") }

// cut takes the elements lo to hi out of a list or table; what becomes empty is left out altogether.
func cut(p spot, lo, hi int) {
	if p.val.Kind() == reflect.Map {
		for _, k := range keysOf(p.val)[lo:hi] {
			p.val.SetMapIndex(reflect.ValueOf(k), reflect.Value{})
		}
	} else {
		p.val.Set(reflect.AppendSlice(p.val.Slice3(0, lo, lo), p.val.Slice(hi, p.val.Len())))
	}
	if p.val.Len() == 0 && p.val.Type() != reflect.TypeFor[scenarios.Refs]() { // {} are no refs, which says something
		p.val.SetZero()
	}
	p.put()
}

// clearIfEmpty makes an empty list or table no list or table at all, which is how it is read back.
func clearIfEmpty(p any) {
	if v := reflect.ValueOf(p).Elem(); v.Len() == 0 {
		v.SetZero()
	}
}
