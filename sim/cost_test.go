package sim

import (
	"io"
	"slices"
	"strconv"
	"testing"

	"github.com/stretchr/testify/require"

	"graspsync/core"
	"graspsync/core/value"
)

// realSetup is n hosted repositories whose data is on three hosts each, driven through the real core: one
// announcement at the start and a new state every hour, found at a third of the questions.
func realSetup(n int, hours int) Setup {
	names := new(value.Names)
	c := core.DefaultConfig()
	s := Setup{Scenario: "cost", Seed: 3, Config: c, Names: names, Remote: &hosts{}, Local: &disk{}, Store: make(shelf),
		Horizon: core.Time(hours) * core.Hour, New: func(c core.Config) (Machine, error) { return core.New(c) }}
	d := max(10, n/100)
	hosts := make([]core.Handle, d)
	for i := range hosts {
		hosts[i] = names.Handle("h" + strconv.Itoa(i) + ".example")
	}
	main := names.Handle("refs/heads/main")
	for i := range n {
		var owner core.PubKey
		owner[0], owner[1], owner[2] = byte(i>>16), byte(i>>8), byte(i)
		id := names.Handle("r" + strconv.Itoa(i))
		repo := core.Coordinate{Owner: owner, Identifier: id, Repo: names.Handle(owner.String() + "/r" + strconv.Itoa(i))}
		ann := &core.Event{ID: costID(i, 0), Author: owner, Kind: core.KindAnnouncement, CreatedAt: 1, Size: 500, Repo: repo, ListsUs: true}
		for k := range 3 {
			h := (i*7 + k*3) % d
			ann.Sources = append(ann.Sources, core.Source{URL: names.Handle("https://h" + strconv.Itoa(h) + ".example/" + strconv.Itoa(i)), Domain: hosts[h]})
		}
		at := core.Time(i) * core.Hour / core.Time(n)
		s.Arrivals = append(s.Arrivals, Arrival{At: at, Input: core.Input{Kind: core.InEvent, Origin: core.FromSync, Event: ann}})
		for k := range hours {
			st := &core.Event{ID: costID(i, k+1), Author: owner, Kind: core.KindState, CreatedAt: int64(k) + 2, Size: 500, Repo: repo,
				Refs: []core.Ref{{Name: main, OID: toyOID(i<<8 | k)}}, Head: main}
			s.Arrivals = append(s.Arrivals, Arrival{At: at + core.Time(k)*core.Hour + core.Second, Input: core.Input{Kind: core.InEvent, Origin: core.FromSync, Event: st}})
		}
	}
	slices.SortStableFunc(s.Arrivals, func(a, b Arrival) int { return int(a.At/core.Millisecond - b.At/core.Millisecond) })
	return s
}

func costID(repo, n int) (id core.EventID) {
	x := Mix(11, 64, uint64(repo), uint64(n))
	for i := range 8 {
		id[i] = byte(x >> (8 * i))
	}
	id[8], id[9], id[10], id[11], id[12] = byte(repo>>16), byte(repo>>8), byte(repo), byte(n>>8), byte(n)
	return id
}

// hosts finds the wanted at a third of the questions; disk and shelf keep as little as they can.
type hosts struct{}

func (*hosts) Ask(_ core.Time, q *Request, a *Reply) {
	x := Mix(5, 64, uint64(q.URL), q.N)
	a.After, a.Status, a.HasHeads, a.Requests = Steady.Draw(x, 200*core.Millisecond), 200, true, 1
	a.Fingerprint[0] = byte(x)
	if q.Kind == AskFetch || x%3 == 0 {
		a.OIDs, a.Bytes = append(a.OIDs, q.OIDs...), 1000
	} else if q.Kind == AskProbe {
		a.Class = core.NotOurRef
	}
}

type disk struct{ have map[core.OID]bool }

func (d *disk) Check(_ core.Handle, oids, have []core.OID) []core.OID {
	for _, o := range oids {
		if d.have[o] {
			have = append(have, o)
		}
	}
	return have
}
func (d *disk) Receive(_ core.Handle, oids []core.OID) {
	if d.have == nil {
		d.have = make(map[core.OID]bool)
	}
	for _, o := range oids {
		d.have[o] = true
	}
}
func (d *disk) Copy(_, _ core.Handle, _ []core.OID) core.Class        { return core.OK }
func (d *disk) Align(*core.Effect) core.Class                         { return core.OK }
func (d *disk) Create(core.Handle) core.Class                         { return core.OK }
func (d *disk) Delete(core.Handle, bool) (hadRefs bool, c core.Class) { return true, core.OK }
func (d *disk) Refs(core.Handle) []core.Ref                           { return nil }

type shelf map[core.EventID]bool

func (s shelf) Store(id core.EventID) core.Verdict { s[id] = true; return core.StoredOK }
func (s shelf) Remove(core.EventID) core.Class     { return core.OK }
func (s shelf) Has(id core.EventID) bool           { return s[id] }

// The real core runs a day of this world without a finding, and its trace replays. I-9 R-02
func TestRealCoreIsClean(t *testing.T) {
	res, err := RunTwice(func() (Setup, error) {
		s := realSetup(20, 6)
		s.Checks = ChecksThorough
		return s, nil
	})
	require.NoError(t, err)
	require.Empty(t, res.Violations)
	require.Greater(t, res.Counts.Released, int64(100))
	var b sliceWriter
	s := realSetup(20, 6)
	s.Trace, s.Record = NewTraceWriter(&b, Build{}), true
	traced, err := NewWorld(s)
	require.NoError(t, err)
	require.Equal(t, res.Hash, traced.Run().Hash)
	again, err := Replay(&b)
	require.NoError(t, err)
	require.Equal(t, [3]uint64{res.Steps, res.Hash, res.OrderHash}, [3]uint64{again.Steps, again.Hash, again.Order})
}

type sliceWriter []byte

func (b *sliceWriter) Write(p []byte) (int, error) { *b = append(*b, p...); return len(p), nil }
func (b *sliceWriter) Read(p []byte) (int, error) {
	if len(*b) == 0 {
		return 0, io.EOF
	}
	n := copy(p, *b)
	*b = (*b)[n:]
	return n, nil
}

// log keeps the steps of a run, to feed the core alone.
type log struct {
	Machine
	at []core.Time
	in []core.Input
}

func (l *log) Step(now core.Time, in core.Input, out []core.Effect) []core.Effect {
	c := in
	c.OIDs = slices.Clone(in.OIDs)
	l.at, l.in = append(l.at, now), append(l.in, c)
	return l.Machine.Step(now, in, out)
}

// BenchmarkDay is a simulated day of 1,000 repositories, per step: the core alone on recorded inputs, and
// the whole simulator at each level of checking. The ratio to the first row is what the kernel costs.
func BenchmarkDay(b *testing.B) {
	const n, hours = 1000, 24
	b.Run("core-alone", func(b *testing.B) {
		var l *log
		s := realSetup(n, hours)
		s.New = func(c core.Config) (Machine, error) {
			m, err := core.New(c)
			l = &log{Machine: m}
			return l, err
		}
		s.Checks = ChecksOff
		w, err := NewWorld(s)
		require.NoError(b, err)
		w.Run()
		b.ReportAllocs()
		b.ResetTimer()
		var out []core.Effect
		steps := 0
		for range b.N {
			m, _ := core.New(s.Config)
			for i := range l.at {
				out = m.Step(l.at[i], l.in[i], out[:0])
				at, _ := m.Next()
				sink += uint64(at)
			}
			steps += len(l.at)
		}
		perStep(b, steps)
	})
	for _, c := range []struct {
		name   string
		change func(*Setup)
	}{
		{"no-checks", func(s *Setup) { s.Checks = ChecksOff }},
		{"checks", func(*Setup) {}},
		{"heap-queue", func(s *Setup) { s.Queue = HeapQueue }},
		{"record", func(s *Setup) { s.Record = true }},
		{"trace", func(s *Setup) { s.Trace = NewTraceWriter(io.Discard, Build{}) }},
	} {
		b.Run(c.name, func(b *testing.B) {
			b.ReportAllocs()
			steps := 0
			for range b.N {
				b.StopTimer()
				s := realSetup(n, hours)
				c.change(&s)
				w, err := NewWorld(s)
				require.NoError(b, err)
				b.StartTimer()
				res := w.Run()
				require.Empty(b, res.Violations)
				steps += int(res.Steps)
			}
			perStep(b, steps)
		})
	}
}

func perStep(b *testing.B, steps int) {
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(steps), "ns/step")
	b.ReportMetric(float64(steps)/float64(b.N), "steps")
}
