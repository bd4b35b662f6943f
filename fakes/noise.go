package fakes

import (
	"errors"
	"fmt"
	"math/bits"

	"graspsync/core"
)

// Chance in the fakes is never drawn from a shared stream: each draw is a mix of (seed, entity, purpose,
// n), so deleting one server, rule or event leaves the draws of all others as they were.

// Purposes of a draw. Appended to only: a value is part of what a seed means.
const (
	forLatency uint64 = 1 + iota
	forShare
	forChurn
	forSilence
	forDuplicate
	forReorder
	forBurst
)

// mix is a bijective scramble of 64 bits (the finaliser of splitmix64).
func mix(x uint64) uint64 {
	x += 0x9e3779b97f4a7c15
	x = (x ^ x>>30) * 0xbf58476d1ce4e5b9
	x = (x ^ x>>27) * 0x94d049bb133111eb
	return x ^ x>>31
}

// keyed is the draw number n of entity for purpose.
func keyed(seed, entity, purpose, n uint64) uint64 {
	return mix(mix(seed^entity) + purpose*0xd6e8feb86659fd93 + n*0xa0761d6478bd642f)
}

// textKey turns a name into an entity key that does not depend on when the name was first used, as a
// handle would.
func textKey(text string) uint64 { return textHash(text, 0xcbf29ce484222325) }

func textHash(text string, basis uint64) uint64 {
	for i := 0; i < len(text); i++ {
		basis = (basis ^ uint64(text[i])) * 0x100000001b3
	}
	return mix(basis ^ uint64(len(text))<<56)
}

// fill writes the label's bytes: eight at a time, each word from a hash of its own over the whole text,
// so two labels collide only when all words do.
func fill(dst []byte, text string) {
	for i := 0; i < len(dst); i += 8 {
		w := textHash(text, mix(uint64(i)+0x6f69642e))
		for j := 0; j < 8 && i+j < len(dst); j++ {
			dst[i+j] = byte(w >> (56 - 8*j))
		}
	}
}

// Ratio is a share of cases, Num of Den. The zero Ratio means "every case"; a ratio is never a float.
type Ratio struct{ Num, Den uint32 }

// hit tells whether draw u falls into the share.
func (r Ratio) hit(u uint64) bool {
	return r.Den == 0 || below(u, uint64(r.Den)) < uint64(r.Num)
}

// validate names what is wrong with a ratio called field.
func (r Ratio) validate(field string) error {
	if r.Den == 0 && r.Num == 0 || r.Den > 0 && r.Num <= r.Den {
		return nil
	}
	return fmt.Errorf("%s is %d/%d: want 0/0 (always) or a share from 0/n to n/n", field, r.Num, r.Den)
}

// below reduces draw u to 0..n-1 without a division; n > 0.
func below(u, n uint64) uint64 {
	hi, _ := bits.Mul64(u, n)
	return hi
}

// Latency is how long something takes: Fixed, plus a draw from Table where there is one.
type Latency struct {
	Fixed core.Time
	Table *Quantiles
}

// draw is the latency for noise u.
func (l *Latency) draw(u uint64) core.Time {
	if l.Table == nil {
		return l.Fixed
	}
	return l.Fixed + l.Table.at(u)
}

func (l *Latency) set() bool { return l.Fixed != 0 || l.Table != nil }

func (l *Latency) validate(field string) error {
	if l.Fixed < 0 || l.Fixed > 366*core.Day {
		return fmt.Errorf("%s is %v: want 0s to a year", field, l.Fixed)
	}
	return nil
}

// Quantiles is a distribution of times as an inverse cumulative table, in integers, linear between its
// points: 64 equal steps, the last of which is cut into 64 again for the tail.
type Quantiles struct {
	body, tail [65]core.Time
}

// Point says that PerMille of 1000 draws are at most At.
type Point struct {
	PerMille uint32
	At       core.Time
}

// ErrQuantiles is wrapped by every refusal of NewQuantiles.
var ErrQuantiles = errors.New("quantile table refused")

// NewQuantiles makes a distribution through points, which must rise in both fields from PerMille 0 to
// PerMille 1000.
func NewQuantiles(points []Point) (*Quantiles, error) {
	last := len(points) - 1
	if last < 1 || points[0].PerMille != 0 || points[last].PerMille != 1000 {
		return nil, fmt.Errorf("%w: want at least two points, the first at per mille 0 and the last at 1000", ErrQuantiles)
	}
	for i, p := range points {
		if p.At < 0 || p.At > 366*core.Day {
			return nil, fmt.Errorf("%w: point %d is at %v: want 0s to a year", ErrQuantiles, i, p.At)
		}
		if i > 0 && (p.PerMille <= points[i-1].PerMille || p.At < points[i-1].At) {
			return nil, fmt.Errorf("%w: point %d (%d per mille, %v) does not rise above the one before", ErrQuantiles, i, p.PerMille, p.At)
		}
	}
	q := &Quantiles{}
	for i := range q.body {
		q.body[i] = interpolate(points, uint64(i)<<6)
		q.tail[i] = interpolate(points, 63<<6+uint64(i))
	}
	return q, nil
}

// interpolate reads the polyline at k of 4096.
func interpolate(points []Point, k uint64) core.Time {
	pos := k * 1000 // in 1/4096 per mille
	for i := 1; i < len(points); i++ {
		lo, hi := uint64(points[i-1].PerMille)<<12, uint64(points[i].PerMille)<<12
		if pos > hi {
			continue
		}
		rise := uint64(points[i].At - points[i-1].At)
		h, l := bits.Mul64(rise, pos-lo)
		part, _ := bits.Div64(h, l, hi-lo)
		return points[i-1].At + core.Time(part)
	}
	return points[len(points)-1].At
}

func (q *Quantiles) at(u uint64) core.Time {
	step, row := u>>58, &q.body
	if step == 63 {
		step, row, u = u>>52&63, &q.tail, u<<6
	}
	lo, hi := row[step], row[step+1]
	return lo + core.Time(below(u<<6, uint64(hi-lo)+1))
}
