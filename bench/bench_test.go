package bench

import (
	"math"
	"os"
	"runtime"
	"testing"

	"github.com/stretchr/testify/require"

	"graspsync/core"
	"graspsync/sim"
)

// Every benchmark here reports what it measures through ReportMetric: CPU time of the process, the least of
// some rounds in which the things compared take turns, so that load beside it hurts all of them alike.

// least keeps the smallest of some measurements.
type least float64

func newLeast() least { return least(math.Inf(1)) }

// of measures f, which tells how many events it handled; the result is in ns per event.
func (l *least) of(f func() int) {
	runtime.GC()
	before := CPU()
	n := f()
	if n > 0 {
		*l = min(*l, least(float64((CPU()-before).Nanoseconds())/float64(n)))
	}
}

type load struct {
	name string
	make func(repos, hours int) Load
}

func loads() []load { return []load{{"light", Light}, {"saturated", Saturated}} }

const benchRepos = 1000

// world prepares a run; the returned function is the part to measure.
func world(tb testing.TB, l Load, change func(*sim.Setup)) func() int {
	s, err := l.Setup()
	require.NoError(tb, err)
	if change != nil {
		change(&s)
	}
	w, err := sim.NewWorld(s)
	require.NoError(tb, err)
	return func() int {
		r := w.Run()
		require.Empty(tb, r.Violations)
		return int(r.Steps)
	}
}

// BenchmarkSimulator: the full simulator with constant-time checks and hash, against the core alone on the
// same inputs and against the bare queue with one entry pending per repository.
func BenchmarkSimulator(b *testing.B) {
	for _, l := range loads() {
		b.Run(l.name, func(b *testing.B) {
			load := l.make(benchRepos, 3)
			tape, _, err := Record(load)
			require.NoError(b, err)
			full, unchecked, alone, queue := newLeast(), newLeast(), newLeast(), newLeast()
			hold := NewHold(sim.RadixQueue, benchRepos, 1)
			for range b.N {
				for range 5 {
					full.of(world(b, load, nil))
					unchecked.of(world(b, load, func(s *sim.Setup) { s.Checks = sim.ChecksOff }))
					p, err := tape.Player()
					require.NoError(b, err)
					alone.of(func() int { return p.PlayTo(len(tape.In)) })
					queue.of(func() int { hold.Run(1 << 20); return 1 << 20 })
				}
			}
			b.ReportMetric(0, "ns/op")
			b.ReportMetric(float64(full), "full-ns/event")
			b.ReportMetric(float64(unchecked), "unchecked-ns/event")
			b.ReportMetric(float64(alone), "core-ns/event")
			b.ReportMetric(float64(queue), "queue-ns/event")
			b.ReportMetric(float64(full/alone), "×core")
			b.ReportMetric(float64(full/queue), "×queue")
		})
	}
}

// BenchmarkQueueAndDomains: the rules of queue and domains as a state machine, against goroutines and timers
// under testing/synctest; both with checks.
func BenchmarkQueueAndDomains(b *testing.B) {
	for _, l := range loads() {
		b.Run(l.name, func(b *testing.B) {
			load := l.make(benchRepos, 6).QD()
			machine, goroutines := newLeast(), newLeast()
			var m, p QDResult
			for range b.N {
				for range 3 {
					machine.of(func() int { m = RunQD(load, sim.RadixQueue, true); return int(m.Passes) })
					inBubble(func() {
						goroutines.of(func() int { p = runPeer(load, true); return int(m.Passes) })
					})
				}
			}
			require.Empty(b, m.Broken+p.Broken)
			b.ReportMetric(0, "ns/op")
			b.ReportMetric(float64(machine)*float64(m.Passes)/float64(m.Events), "machine-ns/event")
			b.ReportMetric(float64(machine), "machine-ns/pass")
			b.ReportMetric(float64(goroutines), "goroutines-ns/pass")
			b.ReportMetric(float64(goroutines/machine), "×faster")
			b.ReportMetric(float64(p.Passes)/float64(m.Passes), "passes-ratio")
		})
	}
}

// BenchmarkDay: CPU seconds of 24 simulated hours with checks on.
func BenchmarkDay(b *testing.B) {
	for _, l := range loads() {
		b.Run(l.name, func(b *testing.B) {
			best, events := math.Inf(1), 0
			for range b.N {
				for range 3 {
					run := world(b, l.make(benchRepos, 24), nil)
					runtime.GC()
					before := CPU()
					events = run()
					best = min(best, (CPU() - before).Seconds())
				}
			}
			b.ReportMetric(0, "ns/op")
			b.ReportMetric(best, "CPU-s/day")
			b.ReportMetric(float64(events), "events/day")
		})
	}
}

// BenchmarkMemory: allocations per event once tables have grown, and live bytes per repository, of the core
// alone and of the whole world.
func BenchmarkMemory(b *testing.B) {
	for _, l := range loads() {
		b.Run(l.name, func(b *testing.B) {
			load := l.make(benchRepos, 6)
			tape, _, err := Record(load)
			require.NoError(b, err)
			for range b.N {
				base := live()
				p, err := tape.Player()
				require.NoError(b, err)
				half := len(tape.In) / 2
				p.PlayTo(half)
				b.ReportMetric(float64(live()-base)/benchRepos, "core-B/key")
				b.ReportMetric(mallocs(func() int { return p.PlayTo(len(tape.In)) }), "core-allocs/event")
				runtime.KeepAlive(p)

				s, err := load.Setup()
				require.NoError(b, err)
				base = live()
				w, err := sim.NewWorld(s)
				require.NoError(b, err)
				w.RunUntil(3 * core.Hour)
				b.ReportMetric(float64(live()-base)/benchRepos, "world-B/key")
				from := w.Steps()
				b.ReportMetric(mallocs(func() int { w.RunUntil(6 * core.Hour); return int(w.Steps() - from) }), "world-allocs/event")
				runtime.KeepAlive(s)
			}
			b.ReportMetric(0, "ns/op")
		})
	}
}

// live is the heap in use after collection.
func live() int64 {
	runtime.GC()
	runtime.GC()
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return int64(m.HeapAlloc)
}

// mallocs is allocations per event of f.
func mallocs(f func() int) float64 {
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	n := f()
	runtime.ReadMemStats(&after)
	return float64(after.Mallocs-before.Mallocs) / float64(max(n, 1))
}

// BenchmarkTrace: what the rolling hash and a trace cost over a run without them. A run cannot do without the
// hash, so its share is measured by folding the recorded steps of the core alone.
func BenchmarkTrace(b *testing.B) {
	for _, l := range loads() {
		b.Run(l.name, func(b *testing.B) {
			load := l.make(benchRepos, 2)
			tape, _, err := Record(load)
			require.NoError(b, err)
			f, err := os.CreateTemp(b.TempDir(), "trace")
			require.NoError(b, err)
			defer f.Close()
			plain, traced, bare, hashed := newLeast(), newLeast(), newLeast(), newLeast()
			var bytes int64
			var events int
			for range b.N {
				for range 7 {
					plain.of(world(b, load, nil))
					require.NoError(b, f.Truncate(0))
					_, err = f.Seek(0, 0)
					require.NoError(b, err)
					run := world(b, load, func(s *sim.Setup) { s.Trace = sim.NewTraceWriter(f, sim.Build{}) })
					traced.of(func() int { events = run(); return events })
					st, err := f.Stat()
					require.NoError(b, err)
					bytes = st.Size()
					p, err := tape.Player()
					require.NoError(b, err)
					bare.of(func() int { return p.PlayTo(len(tape.In)) })
					p, err = tape.Player()
					require.NoError(b, err)
					hashed.of(func() int { _, n := p.PlayHashed(len(tape.In), 0); return n })
				}
			}
			b.ReportMetric(0, "ns/op")
			b.ReportMetric(float64(hashed-bare), "hash-ns/event")
			b.ReportMetric(100*float64((hashed-bare)/(plain-(hashed-bare))), "hash-%")
			b.ReportMetric(float64(traced-plain), "trace-ns/event")
			b.ReportMetric(100*float64(traced/plain-1), "trace-%")
			b.ReportMetric(float64(bytes)/float64(events), "trace-B/event")
		})
	}
}
