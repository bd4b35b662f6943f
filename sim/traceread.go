package sim

import (
	"bufio"
	"bytes"
	"errors"
	"io"
	"strconv"

	"graspsync/core"
	"graspsync/core/value"
)

// Errors of reading a trace; TraceError wraps the one that applies.
var (
	ErrTraceVersion = errors.New("trace of another format")
	ErrTraceCut     = errors.New("trace is cut off")
	ErrTraceBad     = errors.New("trace is malformed")
)

// TraceError says which line of a trace cannot be used and why.
type TraceError struct {
	Line int // from 1
	Text string
	Err  error // ErrTraceVersion, ErrTraceCut, ErrTraceBad, or the reader's own
}

// Error is "trace line N: …".
func (e *TraceError) Error() string { return "trace line " + strconv.Itoa(e.Line) + ": " + e.Text }

// Unwrap gives the cause.
func (e *TraceError) Unwrap() error { return e.Err }

// traceLineMax bounds one line, in bytes.
const traceLineMax = 64 << 20

// TraceStep is one step as recorded. It is not reused by the reader.
type TraceStep struct {
	Step    uint64
	At      core.Time
	Input   core.Input
	Effects []core.Effect
	out     []byte // the effects as they stand in the line
}

// TraceEnd is the end record.
type TraceEnd struct{ Steps, Hash, Order uint64 }

// TraceReader reads a trace strictly: only what a TraceWriter would write, byte for byte, is accepted.
type TraceReader struct {
	r      *bufio.Reader
	line   int
	header TraceHeader
	names  *value.Names
	began  bool
	end    *TraceEnd
	steps  uint64
	last   core.Time
	e      enc
	buf    []byte
}

// NewTraceReader reads a trace from r.
func NewTraceReader(r io.Reader) *TraceReader {
	return &TraceReader{r: bufio.NewReaderSize(r, 64<<10), names: new(value.Names)}
}

// Header reads the first line, if that was not done yet.
func (t *TraceReader) Header() (TraceHeader, error) {
	if t.began {
		return t.header, nil
	}
	b, err := t.read()
	if err != nil {
		return t.header, err
	}
	d := &dec{b: b}
	format := int64(0)
	d.object("header", func(key string) bool {
		if format == 0 && key != "format" {
			d.fail("the first line must begin with the format")
			return true
		}
		switch key {
		case "format":
			if format = d.int(1, 1<<31-1); format != TraceFormat && d.err == "" {
				d.fail("format is " + strconv.FormatInt(format, 10) + ", this program reads " + strconv.Itoa(TraceFormat))
			}
		case "scenario":
			t.header.Scenario = d.text()
		case "seed":
			t.header.Seed = d.uint()
		case "go":
			t.header.Build.Go = d.text()
		case "arch":
			t.header.Build.Arch = d.text()
		case "commit":
			t.header.Build.Commit = d.text()
		case "config":
			t.header.Config = *d.config()
		default:
			return false
		}
		return true
	})
	if format > TraceFormat {
		return t.header, &TraceError{t.line, d.err, ErrTraceVersion}
	}
	if err := t.finish(d, b, func() { t.e.header(&t.header) }); err != nil {
		return t.header, err
	}
	t.began = true
	return t.header, nil
}

// Names is the table that the name records build, as far as it has been read.
func (t *TraceReader) Names() *value.Names { return t.names }

// End is the end record; nil until Next has returned io.EOF.
func (t *TraceReader) End() *TraceEnd { return t.end }

// Next gives the next step, reading the header and names before it; io.EOF after the end record of a
// whole trace.
func (t *TraceReader) Next() (*TraceStep, error) {
	if _, err := t.Header(); err != nil {
		return nil, err
	}
	for {
		if t.end != nil {
			return nil, t.afterEnd()
		}
		b, err := t.read()
		if err != nil {
			return nil, err
		}
		s, err := t.record(b)
		if s != nil || err != nil {
			return s, err
		}
	}
}

// record reads a line after the header: nil, nil for a name or end record.
func (t *TraceReader) record(b []byte) (*TraceStep, error) {
	d := &dec{b: b, names: t.names}
	switch {
	case bytes.HasPrefix(b, []byte(`{"step":`)):
		return t.readStep(d, b)
	case bytes.HasPrefix(b, []byte(`{"name":`)):
		return nil, t.readName(d, b)
	case bytes.HasPrefix(b, []byte(`{"end":`)):
		return nil, t.readEnd(d, b)
	}
	return nil, t.bad("a line must begin with step, name or end")
}

func (t *TraceReader) readStep(d *dec, b []byte) (*TraceStep, error) {
	s := new(TraceStep)
	from, to := 0, 0
	d.object("step", func(key string) bool {
		switch key {
		case "step":
			s.Step = d.uint()
		case "t":
			s.At = d.time()
		case "in":
			s.Input = d.input()
		case "out":
			from = d.i
			d.array(func() { s.Effects = append(s.Effects, d.effect()) })
			to = d.i
		default:
			return false
		}
		return true
	})
	err := t.finish(d, b, func() {
		w := &t.e
		w.stepHead(s.Step, s.At)
		w.key("in")
		w.input(&s.Input)
		w.outputs(s.Effects)
		w.close()
	})
	switch {
	case err != nil:
		return nil, err
	case s.Step != t.steps+1:
		return nil, t.bad("step is " + strconv.FormatUint(s.Step, 10) + ", must be " + strconv.FormatUint(t.steps+1, 10))
	case s.At < t.last:
		return nil, t.bad("t is " + strconv.FormatInt(int64(s.At), 10) + ", must be ≥ " + strconv.FormatInt(int64(t.last), 10) + " (T-01)")
	case (s.Input.Kind == core.InEvent || s.Input.Kind == core.InServed) && s.Input.Event == nil,
		s.Input.Kind >= core.InPushAsked && s.Input.Kind <= core.InPushEnded && s.Input.Push == nil,
		s.Input.Kind == core.InConfigChanged && s.Input.Config == nil:
		return nil, t.bad("input of kind " + s.Input.Kind.String() + " lacks what it is about")
	}
	t.steps, t.last = s.Step, s.At
	s.out = append([]byte(nil), b[from:to]...)
	return s, nil
}

func (t *TraceReader) readName(d *dec, b []byte) error {
	var h core.Handle
	var text string
	d.object("name record", func(key string) bool {
		switch key {
		case "name":
			h = core.Handle(d.uint32())
		case "s":
			text = d.text()
		default:
			return false
		}
		return true
	})
	if err := t.finish(d, b, func() { t.e.name(h, text) }); err != nil {
		return err
	}
	if err := t.names.Set(h, text); err != nil {
		return t.bad(err.Error())
	}
	return nil
}

func (t *TraceReader) readEnd(d *dec, b []byte) error {
	var e TraceEnd
	var hash, order [8]byte
	d.object("end record", func(key string) bool {
		switch key {
		case "end":
			e.Steps = d.uint()
		case "hash":
			d.hex(hash[:])
		case "order":
			d.hex(order[:])
		default:
			return false
		}
		return true
	})
	for i := range 8 {
		e.Hash = e.Hash<<8 | uint64(hash[i])
		e.Order = e.Order<<8 | uint64(order[i])
	}
	if err := t.finish(d, b, func() { t.e.end(e.Steps, e.Hash, e.Order) }); err != nil {
		return err
	}
	if e.Steps != t.steps {
		return t.bad("end record counts " + strconv.FormatUint(e.Steps, 10) + " steps, there are " + strconv.FormatUint(t.steps, 10))
	}
	t.end = &e
	return nil
}

func (t *TraceReader) afterEnd() error {
	if _, err := t.r.ReadByte(); err == nil {
		t.line++
		return t.bad("there is more after the end record")
	}
	return io.EOF
}

// finish reports what d stumbled over, or that the line is not exactly what again would write.
func (t *TraceReader) finish(d *dec, b []byte, again func()) error {
	if d.err == "" && d.i != len(b) {
		d.fail("there is more after the object")
	}
	if d.err != "" {
		return t.bad(d.err)
	}
	t.e.b = t.e.b[:0]
	again()
	if bytes.Equal(t.e.b, b) {
		return nil
	}
	i := 0
	for i < len(b) && i < len(t.e.b) && b[i] == t.e.b[i] {
		i++
	}
	return t.bad("line is not in the form this program writes, from byte " + strconv.Itoa(i+1) + " on: order, zero values or spaces differ")
}

func (t *TraceReader) bad(text string) error { return &TraceError{t.line, text, ErrTraceBad} }

// read gives the next line without its end; the slice lives until the next call.
func (t *TraceReader) read() ([]byte, error) {
	t.line++
	t.buf = t.buf[:0]
	for {
		part, err := t.r.ReadSlice('\n')
		t.buf = append(t.buf, part...)
		switch {
		case len(t.buf) > traceLineMax:
			return nil, t.bad("line is longer than " + strconv.Itoa(traceLineMax) + " bytes")
		case err == nil:
			return t.buf[:len(t.buf)-1], nil
		case errors.Is(err, bufio.ErrBufferFull):
		case errors.Is(err, io.EOF) && len(t.buf) > 0:
			return nil, &TraceError{t.line, "the line has no end: the trace was cut in the middle of it", ErrTraceCut}
		case errors.Is(err, io.EOF):
			return nil, &TraceError{t.line, "the end record is missing: the trace was cut after " +
				strconv.FormatUint(t.steps, 10) + " steps", ErrTraceCut}
		default:
			return nil, &TraceError{t.line, err.Error(), err}
		}
	}
}
