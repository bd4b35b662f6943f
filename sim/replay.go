package sim

import (
	"bytes"
	"errors"
	"io"
	"strconv"

	"graspsync/core"
)

// ErrReplay is wrapped by a Difference.
var ErrReplay = errors.New("replay differs from the trace")

// Difference is the first step at which a machine, fed the inputs of a trace, did something else.
type Difference struct {
	Step     uint64
	At       core.Time
	Input    string // the step's input, as in the trace
	Expected string // the effects of the trace; where they are long, from the first differing one on
	Got      string
}

// Error is one text over three lines: where, expected, got.
func (d *Difference) Error() string {
	return "replay differs at step " + strconv.FormatUint(d.Step, 10) + " (" + d.At.String() + "), input " + d.Input +
		"\n  expected " + d.Expected + "\n  got      " + d.Got
}

// Unwrap is ErrReplay.
func (d *Difference) Unwrap() error { return ErrReplay }

// Replayed is the outcome of a strict replay.
type Replayed struct {
	Header TraceHeader
	Steps  uint64
	At     core.Time // instant of the last step
	Hash   uint64
	Order  uint64
}

// Replay feeds the inputs of a trace to a fresh core and demands equal effects at every step. The error
// is a *Difference, a *TraceError, or the core's refusal of the configuration; what was replayed before
// it is returned too.
func Replay(r io.Reader) (Replayed, error) { return ReplayOn(r, nil) }

// ReplayOn is Replay on a machine of the caller's making; nil means core.New.
func ReplayOn(r io.Reader, build func(core.Config) (Machine, error)) (Replayed, error) {
	t := NewTraceReader(r)
	var res Replayed
	h, err := t.Header()
	if err != nil {
		return res, err
	}
	res.Header = h
	m, err := newMachine(&Setup{Config: h.Config, New: build})
	if err != nil {
		return res, err
	}
	var out []core.Effect
	var hash, order Hash
	var e enc
	for {
		s, err := t.Next()
		if err == io.EOF {
			break
		}
		if err != nil {
			return res, err
		}
		out = m.Step(s.At, s.Input, out[:0])
		e.b, e.first = e.b[:0], true
		e.bare(out)
		if !bytes.Equal(e.b, s.out) {
			return res, difference(s, out)
		}
		hash = hash.input(s.At, &s.Input)
		for i := range out {
			hash = hash.effect(&out[i])
			if out[i].Kind == core.EfCompare {
				order = order.start(s.At, &out[i])
			}
		}
		res.Steps, res.At, res.Hash, res.Order = s.Step, s.At, uint64(hash), uint64(order)
	}
	if end := t.End(); end.Hash != res.Hash || end.Order != res.Order {
		return res, &TraceError{t.line, "the hash of the end record is not that of the steps", ErrTraceBad}
	}
	return res, nil
}

// bare writes effects as the array that stands in a step.
func (w *enc) bare(out []core.Effect) {
	w.b = append(w.b, '[')
	for i := range out {
		if i > 0 {
			w.b = append(w.b, ',')
		}
		w.effect(&out[i])
	}
	w.b = append(w.b, ']')
}

func difference(s *TraceStep, out []core.Effect) *Difference {
	i := 0
	for i < len(out) && i < len(s.Effects) && EffectText(&out[i]) == EffectText(&s.Effects[i]) {
		i++
	}
	d := &Difference{Step: s.Step, At: s.At, Input: InputText(&s.Input), Expected: "nothing more", Got: "nothing more"}
	nth := "effect " + strconv.Itoa(i+1) + ": "
	if i < len(s.Effects) {
		d.Expected = nth + EffectText(&s.Effects[i])
	}
	if i < len(out) {
		d.Got = nth + EffectText(&out[i])
	}
	return d
}

// InputText is the JSON of an input, as it stands in a trace.
func InputText(in *core.Input) string {
	var e enc
	e.input(in)
	return string(e.b)
}

// EffectText is the JSON of an effect, as it stands in a trace.
func EffectText(e *core.Effect) string {
	var w enc
	w.effect(e)
	return string(w.b)
}
