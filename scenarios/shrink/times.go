package shrink

import (
	"reflect"
	"slices"
	"strings"

	"graspsync/core"
	"graspsync/scenarios"
)

// ladder are round spans.
func ladder() []scenarios.Span {
	var out []scenarios.Span
	for _, x := range [...]struct {
		unit core.Time
		n    []core.Time
	}{{core.Millisecond, []core.Time{1, 10, 100}}, {core.Second, []core.Time{1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 20, 30, 40, 50}},
		{core.Minute, []core.Time{1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 20, 30, 40, 50}},
		{core.Hour, []core.Time{1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 20, 30, 40, 50, 100, 200, 300}}} {
		for _, n := range x.n {
			out = append(out, scenarios.Span(n*x.unit))
		}
	}
	return out
}

// rounded are spans from lo up to below hi, the roundest last: lo itself, lo up to its next unit, and round ones.
func rounded(lo, hi scenarios.Span) []scenarios.Span {
	out := []scenarios.Span{lo}
	for _, unit := range [...]core.Time{core.Millisecond, core.Second, core.Minute, core.Hour} {
		u := scenarios.Span(unit)
		out = append(out, (lo+u-1)/u*u)
	}
	for _, r := range ladder() {
		if r >= lo {
			out = append(out, r)
		}
	}
	slices.Sort(out)
	out = slices.Compact(out)
	return slices.DeleteFunc(out, func(x scenarios.Span) bool { return x >= hi })
}

// isInstant tells instants from lengths of time, by the field they are in.
func isInstant(path string) bool {
	field := path[strings.LastIndexByte(path, '.')+1:]
	if i := strings.IndexByte(field, '['); i >= 0 {
		field = field[:i]
	}
	return slices.Contains([]string{"At", "Until", "From", "To", "Created", "Between", "Cut", "Horizon"}, field)
}

// instants are all instants of a scenario but those of an expectation that is not met.
func (g *gate) instants(s *scenarios.Scenario) []spot {
	return spots(s, func(p spot) bool {
		return p.val.Type() == reflect.TypeFor[scenarios.Span]() && isInstant(p.path) && (p.path == "Horizon" || !g.frozen(p.path))
	})
}

// shifts pulls what happens together: everything from some instant on comes earlier, so that the gap before it is
// nothing, or round.
func shifts(g *gate, label string) {
	if g.target.id == expectID && lastExpected(&g.cur.Expect[0]) > 0 {
		return // its own instants would have to move too
	}
	g.edits(label, func(s *scenarios.Scenario) (all []edit) {
		var at []scenarios.Span
		for _, p := range g.instants(s) {
			at = append(at, scenarios.Span(p.val.Int()))
		}
		at = append(at, 0)
		slices.Sort(at)
		at = slices.Compact(at)
		for i := 1; i < len(at); i++ {
			if g.target.id == expectID && at[i] == s.Horizon {
				continue
			}
			for _, gap := range append([]scenarios.Span{0}, rounded(scenarios.Span(core.Second), at[i]-at[i-1])...) {
				by := at[i] - at[i-1] - gap
				all = append(all, func(s *scenarios.Scenario) bool { return g.shift(s, at[i], by) })
			}
		}
		return all
	})
}

// shift makes all from an instant on come earlier.
func (g *gate) shift(s *scenarios.Scenario, from, by scenarios.Span) bool {
	for _, p := range g.instants(s) {
		if t := scenarios.Span(p.val.Int()); t >= from && (p.path != "Horizon" || g.target.id != expectID) {
			p.val.SetInt(int64(t - by))
			p.put()
		}
	}
	return true
}

// numbers makes spans and numbers round and small, one at a time.
func numbers(g *gate, label string) {
	want := func(p spot) bool {
		_, ratio := p.val.Interface().(scenarios.Ratio)
		_, count := p.val.Interface().(scenarios.Count)
		return !count && (p.val.CanInt() && p.val.Int() > 1 || ratio) && (p.path == "Horizon" && g.target.id != expectID || !g.frozen(p.path)) &&
			!strings.HasSuffix(p.path, ".Min") && !strings.HasSuffix(p.path, ".Max") && !strings.HasSuffix(p.path, ".Num") && !strings.HasSuffix(p.path, ".Den")
	}
	for i := 0; !g.spent; i++ {
		list := spots(g.cur, want)
		if i >= len(list) {
			return
		}
		options := simpler(list[i].val)
		g.first(label, len(options), func(k int) *scenarios.Scenario {
			c := clone(g.cur)
			if path := list[i].path; path == "Horizon" {
				cutHorizon(c, scenarios.Span(options[k].Int()))
				return c
			}
			p := spots(c, want)[i]
			p.val.Set(options[k])
			p.put()
			return c
		})
	}
}

// simpler are values to try in place of v, the best first.
func simpler(v reflect.Value) (out []reflect.Value) {
	add := func(x any) { out = append(out, reflect.ValueOf(x).Convert(v.Type())) }
	switch t := v.Interface().(type) {
	case scenarios.Ratio:
		add(scenarios.Ratio{Num: 1, Den: 1})
		add(scenarios.Ratio{Num: 1, Den: 2})
	case scenarios.Span:
		for _, r := range ladder() {
			if r < t {
				add(r)
			}
		}
		for _, unit := range [...]core.Time{core.Hour, core.Minute, core.Second, core.Millisecond} {
			u := scenarios.Span(unit)
			if down := t / u * u; down > 0 {
				add(down)
			}
			add((t + u - 1) / u * u)
		}
	default:
		for n := int64(1); n > 0 && n < v.Int(); n *= 2 {
			add(n)
		}
		add(v.Int() - 1)
	}
	return out
}

// repetitions makes less of what a scenario repeats.
func repetitions(g *gate, label string) {
	repeat := func(p spot) bool { return strings.HasSuffix(p.path, ".Repeat") && p.val.CanInt() && p.val.Int() > 1 }
	for i := 0; !g.spent; i++ {
		list := spots(g.cur, repeat)
		if i >= len(list) {
			return
		}
		options := simpler(list[i].val)
		g.first(label, len(options), func(k int) *scenarios.Scenario {
			c := clone(g.cur)
			p := spots(c, repeat)[i]
			p.val.Set(options[k])
			p.put()
			return c
		})
	}
}
