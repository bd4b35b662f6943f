package sim

import (
	"io"
	"strconv"

	"graspsync/core"
	"graspsync/core/value"
)

// A trace is JSON lines:
//
//	{"format":1,"scenario":"…","seed":1,"go":"…","arch":"…","commit":"…","config":{…}}
//	{"name":1,"s":"https://a.example/x.git"}
//	{"step":1,"t":0,"in":{"kind":"event",…},"out":[{"kind":"answer",…},…]}
//	{"end":1,"hash":"…","order":"…"}
//
// A name record gives a handle its text before the handle is used; names count from 1. Times are
// nanoseconds. Fields come in a fixed order and zero values are left out, so that everything after the
// header is the same bytes on every machine (I-9). A trace without its end record is not whole.

// TraceFormat is the version this package writes and reads.
const TraceFormat = 1

// Build says what wrote a trace; it stands in the header alone.
type Build struct{ Go, Arch, Commit string }

// TraceHeader is the first line of a trace.
type TraceHeader struct {
	Scenario string
	Seed     uint64
	Build    Build
	Config   core.Config
}

// TraceWriter writes one trace. Its memory is reused, so a step costs no allocation. It buffers; End
// writes out the rest.
type TraceWriter struct {
	w     io.Writer
	build Build
	e     enc
	names *value.Names
	named int // names written
	err   error
}

// traceFlush is the buffer size beyond which lines are handed to the writer.
const traceFlush = 64 << 10

// NewTraceWriter prepares a trace into w, which the caller opens and closes.
func NewTraceWriter(w io.Writer, build Build) *TraceWriter { return &TraceWriter{w: w, build: build} }

// Err is the first error of the writer; nothing is written after it.
func (t *TraceWriter) Err() error { return t.err }

func (t *TraceWriter) begin(s *Setup) {
	t.Begin(TraceHeader{Scenario: s.Scenario, Seed: s.Seed, Build: t.build, Config: s.Config}, s.Names)
}

// Begin writes the header. names is the table the handles of the steps belong to.
func (t *TraceWriter) Begin(h TraceHeader, names *value.Names) {
	t.names, t.named = names, 0
	w := &t.e
	w.header(&h)
	t.line()
}

func (w *enc) header(h *TraceHeader) {
	w.open()
	w.mustInt("format", TraceFormat)
	w.text("scenario", h.Scenario)
	w.uint("seed", h.Seed)
	w.text("go", h.Build.Go)
	w.text("arch", h.Build.Arch)
	w.text("commit", h.Build.Commit)
	w.config("config", &h.Config)
	w.close()
}

func (w *enc) name(h core.Handle, text string) {
	w.open()
	w.mustInt("name", int64(h))
	w.key("s")
	w.quoted(text)
	w.close()
}

func (w *enc) stepHead(step uint64, now core.Time) {
	w.open()
	w.key("step")
	w.b = appendUint(w.b, step)
	w.mustInt("t", int64(now))
}

func (w *enc) outputs(out []core.Effect) {
	w.key("out")
	w.bare(out)
	w.first = false
}

// Step writes one step, and before it the names that are new.
func (t *TraceWriter) Step(step uint64, now core.Time, in *core.Input, out []core.Effect) {
	if t.err != nil {
		return
	}
	w := &t.e
	if t.names != nil {
		for t.named < t.names.Len() {
			t.named++
			w.name(core.Handle(t.named), t.names.Text(core.Handle(t.named)))
			t.line()
		}
	}
	w.stepHead(step, now)
	w.key("in")
	w.input(in)
	w.outputs(out)
	w.close()
	t.line()
}

// End writes the end record and all that is buffered.
func (t *TraceWriter) End(steps uint64, hash, order uint64) {
	t.e.end(steps, hash, order)
	t.line()
	t.flush()
}

func (w *enc) end(steps uint64, hash, order uint64) {
	w.open()
	w.key("end")
	w.b = appendUint(w.b, steps)
	w.hash("hash", hash)
	w.hash("order", order)
	w.close()
}

func (t *TraceWriter) line() {
	t.e.b = append(t.e.b, '\n')
	if len(t.e.b) >= traceFlush {
		t.flush()
	}
}

func (t *TraceWriter) flush() {
	if t.err == nil {
		_, t.err = t.w.Write(t.e.b)
	}
	t.e.b = t.e.b[:0]
}

func appendUint(b []byte, v uint64) []byte { return strconv.AppendUint(b, v, 10) }
