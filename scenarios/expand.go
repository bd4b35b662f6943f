package scenarios

import (
	"cmp"
	"fmt"
	"reflect"
	"slices"
	"strconv"
	"strings"
)

// item is one written-out part of a scenario: its name, where it was written, and its value.
type item[T any] struct {
	name string
	path string
	n    int // number of the repetition, from 0
	val  T
}

// script is a scenario with every repetition and placeholder resolved, in a fixed order: hosts and
// repositories by name, actions and expectations as written.
type script struct {
	*Scenario
	hosts   []item[Host]
	repos   []item[Repo]
	actions []item[Action]
	expect  []item[Expectation]
}

// expand writes the repetitions out; errors go to p.
func (s *Scenario) expand(p *problems) *script {
	x := &script{Scenario: s}
	x.hosts = expandMap(p, "hosts", s.Hosts, func(h *Host) *int { return &h.Repeat })
	x.repos = expandMap(p, "repos", s.Repos, func(r *Repo) *int { return &r.Repeat })
	total := 0
	for i, a := range s.Timeline {
		path := "timeline[" + strconv.Itoa(i) + "]"
		if a.Attack != "" {
			x.attack(p, path, &a)
			continue
		}
		times, ok := repeats(p, path, a.Repeat, &total)
		for k := 0; ok && k < times; k++ {
			c := a
			if a.Repeat > 0 {
				c = substitute(p, path, a, k)
				c.At += Span(k) * a.Step
			}
			x.actions = append(x.actions, item[Action]{c.As, path, k, c})
		}
	}
	total = 0
	for i, e := range s.Expect {
		path := "expect[" + strconv.Itoa(i) + "]"
		times, ok := repeats(p, path, e.Repeat, &total)
		for k := 0; ok && k < times; k++ {
			c := e
			if e.Repeat > 0 {
				c = substitute(p, path, e, k)
			}
			x.expect = append(x.expect, item[Expectation]{"", path, k, c})
		}
	}
	return x
}

// attack writes an attack out, unless it is an action of another kind too.
func (x *script) attack(p *problems, path string, a *Action) {
	if f := extraField(reflect.ValueOf(*a), actionFields("attack")); f != "" {
		p.add(join(path, f), fmt.Sprintf("does not go with attack; what does: %s", strings.Join(actionFields("attack"), ", ")))
		return
	}
	for _, c := range x.attackActions(p, path, a) {
		x.actions = append(x.actions, item[Action]{c.As, path, 0, c})
	}
}

func repeats(p *problems, path string, n int, total *int) (times int, ok bool) {
	if n < 0 || n > maxExpansion {
		p.add(path+".repeat", fmt.Sprintf("%d, must be 1 to %d", n, maxExpansion))
		return 0, false
	}
	n = max(n, 1)
	*total += n
	if *total > maxExpansion {
		p.add(path, fmt.Sprintf("with its repetitions the list has more than %d entries", maxExpansion))
		return 0, false
	}
	return n, true
}

func expandMap[T any](p *problems, path string, m map[string]T, repeat func(*T) *int) []item[T] {
	var out []item[T]
	total := 0
	keys := make([]string, 0, len(m))
	for k := range m {
		keys = append(keys, k)
	}
	slices.Sort(keys)
	for _, key := range keys {
		v := m[key]
		at := join(path, key)
		n := *repeat(&v)
		times, ok := repeats(p, at, n, &total)
		for k := 0; ok && k < times; k++ {
			c, name := v, key
			if n > 0 {
				c = substitute(p, at, v, k)
				var err error
				if name, err = place(key, k); err != nil {
					p.add(at, err.Error())
				}
				*repeat(&c) = 0
			}
			out = append(out, item[T]{name, at, k, c})
		}
	}
	slices.SortStableFunc(out, func(a, b item[T]) int { return cmp.Compare(a.name, b.name) })
	for i := 1; i < len(out); i++ {
		if out[i].name == out[i-1].name {
			p.add(out[i].path, fmt.Sprintf("%q comes out twice; a repeated name needs {i}", out[i].name))
			break
		}
	}
	return out
}

// substitute is a copy of v with the placeholders of every text replaced for repetition k.
func substitute[T any](p *problems, path string, v T, k int) T {
	out, err := placed(reflect.ValueOf(v), k)
	if err != nil {
		p.add(path, err.Error())
		return v
	}
	return out.Interface().(T)
}

func placed(v reflect.Value, k int) (reflect.Value, error) {
	out := reflect.New(v.Type()).Elem()
	out.Set(v)
	switch v.Kind() {
	case reflect.String:
		t, err := place(v.String(), k)
		out.SetString(t)
		return out, err
	case reflect.Struct:
		for i := range v.NumField() {
			f, err := placed(v.Field(i), k)
			if err != nil {
				return v, err
			}
			out.Field(i).Set(f)
		}
	case reflect.Slice:
		if v.IsNil() {
			return v, nil
		}
		out.Set(reflect.MakeSlice(v.Type(), v.Len(), v.Len()))
		for i := range v.Len() {
			e, err := placed(v.Index(i), k)
			if err != nil {
				return v, err
			}
			out.Index(i).Set(e)
		}
	case reflect.Map:
		if v.IsNil() {
			return v, nil
		}
		out.Set(reflect.MakeMapWithSize(v.Type(), v.Len()))
		for it := v.MapRange(); it.Next(); {
			key, err := placed(it.Key(), k)
			if err != nil {
				return v, err
			}
			e, err := placed(it.Value(), k)
			if err != nil {
				return v, err
			}
			out.SetMapIndex(key, e)
		}
	}
	return out, nil
}

// place replaces {i}, {i%N}, {i/N} and {i+N} in text by the repetition's number, counted from 0.
func place(text string, k int) (string, error) {
	if !strings.Contains(text, "{i") {
		return text, nil
	}
	var b strings.Builder
	for {
		i := strings.Index(text, "{i")
		if i < 0 {
			b.WriteString(text)
			return b.String(), nil
		}
		j := strings.IndexByte(text[i:], '}')
		if j < 0 {
			return "", fmt.Errorf("%q has an open brace; placeholders are {i}, {i%%3}, {i/3} and {i+1}", text)
		}
		b.WriteString(text[:i])
		n, spec := k, text[i+2:i+j]
		if spec != "" {
			arg, err := strconv.Atoi(spec[1:])
			if err != nil || arg < 1 || arg > maxExpansion {
				return "", fmt.Errorf("%q is no placeholder; write {i}, {i%%3}, {i/3} or {i+1}", text[i:i+j+1])
			}
			switch spec[0] {
			case '%':
				n = k % arg
			case '/':
				n = k / arg
			case '+':
				n = k + arg
			default:
				return "", fmt.Errorf("%q is no placeholder; write {i}, {i%%3}, {i/3} or {i+1}", text[i:i+j+1])
			}
		}
		b.WriteString(strconv.Itoa(n))
		text = text[i+j+1:]
	}
}
