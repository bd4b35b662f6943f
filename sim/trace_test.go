package sim

import (
	"bytes"
	"errors"
	"io"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"graspsync/core"
	"graspsync/core/value"
)

// toyTrace is the trace of a small run.
func toyTrace(t testing.TB, change func(*Setup)) []byte {
	s, _ := toySetup(3, 2, noisy)
	s.Config.Seed, s.Config.Overrides = 1<<63+5, []core.DomainLimit{{Domain: 2, Concurrency: 1, Rate: 3}}
	var b bytes.Buffer
	s.Trace = NewTraceWriter(&b, Build{Go: "go1.26", Arch: "amd64", Commit: "abc"})
	if change != nil {
		change(&s)
	}
	w, err := NewWorld(s)
	require.NoError(t, err)
	w.Run()
	require.NoError(t, s.Trace.Err())
	return b.Bytes()
}

func readAll(r *TraceReader) ([]*TraceStep, error) {
	var list []*TraceStep
	for {
		s, err := r.Next()
		if err == io.EOF {
			return list, nil
		}
		if err != nil {
			return list, err
		}
		list = append(list, s)
	}
}

// A trace reads back: header, names and every step. R-02
func TestTraceReadsBack(t *testing.T) {
	b := toyTrace(t, nil)
	r := NewTraceReader(bytes.NewReader(b))
	h, err := r.Header()
	require.NoError(t, err)
	require.Equal(t, "toy", h.Scenario)
	require.Equal(t, Build{"go1.26", "amd64", "abc"}, h.Build)
	want := core.DefaultConfig()
	want.Seed, want.Overrides = 1<<63+5, []core.DomainLimit{{Domain: 2, Concurrency: 1, Rate: 3}}
	require.Equal(t, want, h.Config)
	steps, err := readAll(r)
	require.NoError(t, err)
	require.Equal(t, uint64(len(steps)), r.End().Steps)
	require.Equal(t, "https://ha.example/"+toyID(0).String(), r.Names().Text(2))
	require.Equal(t, core.InEvent, steps[0].Input.Kind)
	require.Equal(t, toyOID(0), steps[0].Input.Event.Commit)
	require.True(t, bytes.HasPrefix(b, []byte(`{"format":1,"scenario":"toy","seed":1,"go":"go1.26",`)))
}

// Everything after the header is the same bytes whoever built the program. I-9
func TestTraceIsTheSameEverywhere(t *testing.T) {
	other := func(s *Setup) {
		s.Trace = NewTraceWriter(s.Trace.w, Build{Go: "go1.99", Arch: "386"})
		s.Queue = HeapQueue
	}
	cut := func(b []byte) string { return string(b[bytes.IndexByte(b, '\n'):]) }
	require.Equal(t, cut(toyTrace(t, nil)), cut(toyTrace(t, other)))
}

// Inputs and effects with every field set survive the round trip. R-02
func TestTraceKeepsEveryField(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		names := new(value.Names)
		for i := range 9 {
			names.Handle(strings.Repeat("n", i+1))
		}
		in, out := drawInput(t), []core.Effect{drawEffect(t), drawEffect(t)}
		var b bytes.Buffer
		w := NewTraceWriter(&b, Build{})
		w.Begin(TraceHeader{Config: core.DefaultConfig()}, names)
		w.Step(1, 5, &in, out)
		w.End(1, 2, 3)
		steps, err := readAll(NewTraceReader(&b))
		require.NoError(t, err)
		require.Len(t, steps, 1)
		require.Equal(t, in, steps[0].Input)
		require.Equal(t, out, steps[0].Effects)
	})
}

func drawHandle(t *rapid.T) core.Handle {
	return core.Handle(rapid.Uint32Range(0, 9).Draw(t, "handle"))
}
func drawOID(t *rapid.T) core.OID   { return toyOID(rapid.IntRange(0, 1<<30).Draw(t, "oid")) }
func drawTime(t *rapid.T) core.Time { return core.Time(rapid.Int64().Draw(t, "time")) }
func drawText(t *rapid.T) string    { return string(rapid.SliceOf(rapid.Byte()).Draw(t, "text")) }

func some[T any](t *rapid.T, draw func(*rapid.T) T) (list []T) {
	for range rapid.IntRange(0, 3).Draw(t, "n") {
		list = append(list, draw(t))
	}
	return list
}

func drawRef(t *rapid.T) core.Ref {
	return core.Ref{Name: drawHandle(t), OID: drawOID(t), Symbolic: rapid.Bool().Draw(t, "symbolic")}
}

func drawCoordinate(t *rapid.T) core.Coordinate {
	return core.Coordinate{Owner: core.PubKey(toyID(rapid.IntRange(0, 9).Draw(t, "owner"))), Identifier: drawHandle(t), Repo: drawHandle(t)}
}

func drawInput(t *rapid.T) core.Input {
	flag := func() bool { return rapid.Bool().Draw(t, "flag") }
	in := core.Input{Kind: core.InputKind(rapid.IntRange(0, int(core.NumInputKinds)-1).Draw(t, "kind")),
		Class: core.Class(rapid.IntRange(0, int(core.NumClasses)-1).Draw(t, "class")), Ask: core.AskID(rapid.Uint64().Draw(t, "ask")),
		Origin: core.Origin(rapid.IntRange(0, 1).Draw(t, "origin")), Verdict: core.Verdict(rapid.IntRange(0, 3).Draw(t, "verdict")),
		Duplicate: flag(), Deleted: flag(), Authed: flag(), HasHeads: flag(), Truncated: flag(), RefsMoved: flag(), HadRefs: flag(),
		Status: rapid.Uint16().Draw(t, "status"), Requests: rapid.Int32().Draw(t, "requests"), RetryAfter: drawTime(t),
		Bytes: rapid.Int64().Draw(t, "bytes"), Offset: drawTime(t), From: drawHandle(t), Repo: drawHandle(t), FinalURL: drawHandle(t),
		OIDs: some(t, drawOID), Refs: some(t, drawRef)}
	in.Address[3], in.Fingerprint[31], in.Target[0] = rapid.Byte().Draw(t, "a"), rapid.Byte().Draw(t, "f"), rapid.Byte().Draw(t, "t")
	c := core.DefaultConfig()
	c.AllowPrivate, c.Seed = flag(), rapid.Uint64().Draw(t, "seed")
	in.Event = &core.Event{ID: toyID(1), Author: core.PubKey(toyID(2)), Kind: rapid.Uint32().Draw(t, "event kind"),
		CreatedAt: rapid.Int64().Draw(t, "created"), Size: 7, Repo: drawCoordinate(t), ListsUs: flag(),
		Maintainers: some(t, func(t *rapid.T) core.PubKey { return core.PubKey(toyID(rapid.IntRange(0, 9).Draw(t, "m"))) }),
		Sources: some(t, func(t *rapid.T) core.Source {
			return core.Source{URL: drawHandle(t), Domain: drawHandle(t), Class: core.SourceClass(rapid.IntRange(0, 2).Draw(t, "sc"))}
		}),
		Refs: some(t, drawRef), Head: drawHandle(t), Unsatisfied: flag(), Commit: drawOID(t), Repositories: some(t, drawCoordinate),
		Targets:     some(t, func(t *rapid.T) core.EventID { return toyID(rapid.IntRange(0, 9).Draw(t, "target")) }),
		Coordinates: some(t, func(t *rapid.T) core.Deleted { return core.Deleted{Kind: 30617, Coordinate: drawCoordinate(t)} }),
		Protected:   flag()}
	if raw := drawText(t); raw != "" {
		in.Event.Raw = []byte(raw)
	}
	in.Push = &core.Push{ID: rapid.Uint64().Draw(t, "push"), Repo: drawCoordinate(t), From: drawHandle(t), Current: some(t, drawRef), Moved: flag(),
		Updates: some(t, func(t *rapid.T) core.RefUpdate {
			return core.RefUpdate{Name: drawHandle(t), Old: drawOID(t), Event: toyID(3), Space: core.NostrRef}
		})}
	in.Config = &c
	return in
}

func drawEffect(t *rapid.T) core.Effect {
	e := core.Effect{Kind: core.EffectKind(rapid.IntRange(0, int(core.NumEffectKinds)-1).Draw(t, "kind")),
		Report: core.ReportKind(rapid.IntRange(0, int(core.NumReportKinds)-1).Draw(t, "report")), OK: rapid.Bool().Draw(t, "ok"),
		Class: core.Stalled, Wave: core.Wave(rapid.IntRange(0, 1).Draw(t, "wave")), Hedge: rapid.Bool().Draw(t, "hedge"),
		Space: core.NostrRef, Attempt: rapid.Uint32().Draw(t, "attempt"), Hunt: 3, Into: 4, URL: drawHandle(t), Domain: drawHandle(t),
		Repo: drawHandle(t), From: drawHandle(t), Head: drawHandle(t), Ask: core.AskID(rapid.Uint64().Draw(t, "ask")),
		Push: rapid.Uint64().Draw(t, "push"), Deadline: drawTime(t), Event: toyID(8), OIDs: some(t, drawOID), Refs: some(t, drawRef),
		Old: some(t, drawRef), Text: drawText(t)}
	if rapid.Bool().Draw(t, "pass") {
		e.Pass = &core.PassReport{Needed: 1, Advertised: 2, Attempted: 3, Missing: 4, Skipped: 5, Deferred: 6, Fetched: 7, Requests: 8,
			Bytes: 9, Duration: drawTime(t), Started: drawTime(t)}
	}
	return e
}

// Traces that cannot be used say where and why. R-06
func TestTraceErrors(t *testing.T) {
	whole := string(toyTrace(t, nil))
	lines := strings.SplitAfter(whole, "\n")
	lines = lines[:len(lines)-1]
	swap := func(old, new string) string { return strings.Replace(whole, old, new, 1) }
	for _, c := range []struct {
		name, text, want string
		is               error
	}{
		{"empty", "", "line 1: the end record is missing", ErrTraceCut},
		{"cut in a line", whole[:len(whole)-9], "the line has no end: the trace was cut in the middle of it", ErrTraceCut},
		{"cut after a line", strings.Join(lines[:len(lines)-1], ""), "the end record is missing: the trace was cut after", ErrTraceCut},
		{"other version", swap(`"format":1`, `"format":2`), "line 1: format is 2, this program reads 1", ErrTraceVersion},
		{"no version", swap(`"format":1,`, ``), "must begin with the format", ErrTraceBad},
		{"not JSON", "hello\n", "line 1: found 'h', needed '{'", ErrTraceBad},
		{"more", whole + "{}\n", "there is more after the end record", ErrTraceBad},
		{"unknown line", swap(`{"step":1,`, `{"stop":1,`), "must begin with step, name or end", ErrTraceBad},
		{"unknown field", swap(`"sources":`, `"saucers":`), `unknown field "saucers" in event`, ErrTraceBad},
		{"unknown config", swap(`"Pressure"`, `"Pleasure"`), `line 1: unknown field "Pleasure" in config`, ErrTraceBad},
		{"unknown kind", swap(`{"kind":"wake"}`, `{"kind":"woke"}`), `unknown input kind "woke"`, ErrTraceBad},
		{"bad hex", swap(`"id":"00`, `"id":"0x`), "must be lower-case hex", ErrTraceBad},
		{"short hex", swap(`"id":"0000`, `"id":"`), "hex text of 60 digits must have 64", ErrTraceBad},
		{"bad oid", swap(`"commit":"0000`, `"commit":"+r00`), "an object id is 40 or 64 lower-case hex digits", ErrTraceBad},
		{"huge number", swap(`"t":0`, `"t":99999999999999999999`), "must be -9223372036854775808 to", ErrTraceBad},
		{"handle too early", swap(`"url":2,`, `"url":2000,`), "handle 2000 has no name record before it", ErrTraceBad},
		{"names out of order", swap(`{"name":1,`, `{"name":3,`), "must give handles in order from 1", ErrTraceBad},
		{"spaces", swap(`{"step":1,`, `{"step":1, `), "needed '\"'", ErrTraceBad},
		{"other order", swap(`"step":1,"t":0`, `"t":0,"step":1`), "must begin with step, name or end", ErrTraceBad},
		{"zero written", swap(`{"kind":"wake"}`, `{"kind":"wake","bytes":0}`), "not in the form this program writes", ErrTraceBad},
		{"step skipped", swap(`{"step":2,`, `{"step":3,`), "step is 3, must be 2", ErrTraceBad},
		{"time goes back", swap(`{"step":1,"t":0`, `{"step":1,"t":5000000000`), "must be ≥ 5000000000 (T-01)", ErrTraceBad},
		{"fewer steps", strings.Join(append(append([]string{}, lines[:len(lines)-2]...), lines[len(lines)-1]), ""), "end record counts", ErrTraceBad},
		{"event without one", swap(`{"kind":"wake"}`, `{"kind":"event"}`), "input of kind event lacks what it is about", ErrTraceBad},
		{"bad ask", swap(`"ask":"`, `"ask":"x`), "must be counter.slot", ErrTraceBad},
	} {
		_, err := readAll(NewTraceReader(strings.NewReader(c.text)))
		require.ErrorIs(t, err, c.is, c.name)
		require.ErrorContains(t, err, c.want, c.name)
		var te *TraceError
		require.ErrorAs(t, err, &te, c.name)
		require.Positive(t, te.Line)
	}
}

// A line beyond the bound is refused without being kept whole.
func TestTraceLineBound(t *testing.T) {
	_, err := readAll(NewTraceReader(io.LimitReader(endlessA{}, traceLineMax+1<<20)))
	require.ErrorContains(t, err, "line is longer than 67108864 bytes")
}

type endlessA struct{}

func (endlessA) Read(b []byte) (int, error) {
	for i := range b {
		b[i] = 'a'
	}
	return len(b), nil
}

// A writer that fails is reported, and a reader's error comes through.
func TestTraceIOErrors(t *testing.T) {
	s, _ := toySetup(1, 1, serve)
	s.Trace = NewTraceWriter(failing{}, Build{})
	runToy(t, s)
	require.ErrorIs(t, s.Trace.Err(), errBroken)
	_, err := NewTraceReader(failing{}).Header()
	require.ErrorIs(t, err, errBroken)
}

var errBroken = errors.New("broken")

type failing struct{}

func (failing) Write([]byte) (int, error) { return 0, errBroken }
func (failing) Read([]byte) (int, error)  { return 0, errBroken }

// The table of configuration fields is that of the struct, and its two halves agree.
func TestConfigTable(t *testing.T) {
	typ := configType()
	require.Len(t, configFields(new(core.Config)), len(typ))
	for i := range typ {
		var c core.Config
		fields := configFields(&c)
		require.Equal(t, typ[i], fields[i].name)
		fields[i].set(1)
		require.Equal(t, int64(1), fields[i].get(), fields[i].name)
		for j := range fields {
			require.Equal(t, j == i, fields[j].get() == 1)
		}
	}
}

// FuzzTrace: no input panics the reader, and what it accepts is exactly what the writer writes.
func FuzzTrace(f *testing.F) {
	f.Add(toyTrace(f, nil))
	f.Add([]byte("{\"format\":1,\"config\":{}}\n{\"end\":0,\"hash\":\"0000000000000000\",\"order\":\"0000000000000000\"}\n"))
	f.Fuzz(func(t *testing.T, b []byte) {
		r := NewTraceReader(bytes.NewReader(b))
		var again enc
		named := 0
		flush := func() {
			for ; named < r.Names().Len(); named++ {
				again.name(core.Handle(named+1), r.Names().Text(core.Handle(named+1)))
				again.b = append(again.b, '\n')
			}
		}
		h, err := r.Header()
		if err != nil {
			return
		}
		again.header(&h)
		again.b = append(again.b, '\n')
		for {
			s, err := r.Next()
			flush()
			if err == io.EOF {
				break
			}
			if err != nil {
				return
			}
			again.stepHead(s.Step, s.At)
			again.key("in")
			again.input(&s.Input)
			again.outputs(s.Effects)
			again.close()
			again.b = append(again.b, '\n')
		}
		e := r.End()
		again.end(e.Steps, e.Hash, e.Order)
		again.b = append(again.b, '\n')
		require.Equal(t, string(b), string(again.b))
	})
}
