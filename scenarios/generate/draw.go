package generate

import (
	"graspsync/core"
	"graspsync/scenarios"
	"graspsync/sim"
)

// source draws values. Each part of a world has a stream of its own, so that a new draw in one leaves the others alone.
type source struct{ sim.Stream }

func (d *source) oneIn(n int) bool { return d.Below(uint64(n)) == 0 }

// share is true in num of den cases.
func (d *source) share(num, den int) bool { return int(d.Below(uint64(den))) < num }

// number is from lo to hi, both included.
func (d *source) number(lo, hi int) int {
	if hi <= lo {
		return lo
	}
	return lo + int(d.Below(uint64(hi-lo+1)))
}

// few is from lo to hi, small ones more often.
func (d *source) few(lo, hi int) int { return lo + int(d.Below(d.Below(uint64(max(hi-lo, 0)+1))+1)) }

func pick[T any](d *source, from ...T) T { return from[d.Below(uint64(len(from)))] }

// some takes each of list with the given share, in order.
func some[T any](d *source, list []T, num, den int) (out []T) {
	for _, x := range list {
		if d.share(num, den) {
			out = append(out, x)
		}
	}
	return out
}

// shuffled is list in another order.
func shuffled[T any](d *source, list []T) []T {
	out := append([]T(nil), list...)
	for i := len(out) - 1; i > 0; i-- {
		j := int(d.Below(uint64(i + 1)))
		out[i], out[j] = out[j], out[i]
	}
	return out
}

const (
	ms   = scenarios.Span(core.Millisecond)
	sec  = scenarios.Span(core.Second)
	min1 = scenarios.Span(core.Minute)
	hour = scenarios.Span(core.Hour)
	day  = scenarios.Span(core.Day)
)

// between is a span from lo to hi. A third lies on whole seconds, so that instants meet; some on the edges.
func (d *source) between(lo, hi scenarios.Span) scenarios.Span {
	if hi <= lo {
		return lo
	}
	switch d.Below(12) {
	case 0:
		return lo
	case 1, 2, 3, 4:
		if t := scenarios.Span(d.Stream.Between(core.Time(lo), core.Time(hi))) / sec * sec; t >= lo {
			return t
		}
		return lo
	case 5:
		if t := scenarios.Span(d.Stream.Between(core.Time(lo), core.Time(hi))) / (30 * sec) * (30 * sec); t >= lo {
			return t
		}
		return lo
	}
	t := scenarios.Span(d.Stream.Between(core.Time(lo), core.Time(hi))) / ms * ms
	return max(t, lo)
}

// ladder is a span from a coarse ladder, spread by up to a half.
func (d *source) ladder(steps ...scenarios.Span) scenarios.Span {
	s := pick(d, steps...)
	if d.oneIn(2) {
		return s
	}
	return d.between(s/2/ms*ms, s+s/2/ms*ms)
}

// ratio is a share from a coarse ladder.
func (d *source) ratio() *scenarios.Ratio {
	return &scenarios.Ratio{Num: 1, Den: pick(d, int64(20), 10, 5, 3, 2)}
}
