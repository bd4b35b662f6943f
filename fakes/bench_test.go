package fakes

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"

	"graspsync/core"
	"graspsync/core/value"
	"graspsync/sim"
)

// market is a world of 1,000 repositories, three URLs each, on ten domains; half of the URLs hold the
// repository's object.
func market(tb testing.TB, b Behaviour) (*WorldParts, []sim.Request) {
	w := NewWorldParts(&value.Names{}, 1)
	for d := range 10 {
		w.Host(fmt.Sprintf("d%d.example", d), Always(b)...)
	}
	var asks []sim.Request
	for i := range 1000 {
		label := fmt.Sprintf("r%d", i)
		w.Commit(label+"@old").Commit(label, label+"@old")
		for u := range 3 {
			url := fmt.Sprintf("https://d%d.example/%d.git", (i+3*u)%10, i)
			repo := w.Repo(url).Ref("refs/heads/main", label+"@old")
			if (i+u)%2 == 0 {
				repo.Ref("refs/heads/main", label)
			}
			asks = append(asks, sim.Request{URL: w.Names.Handle(url), OIDs: []core.OID{Label(label)}})
		}
	}
	require.NoError(tb, w.Seal())
	return w, asks
}

// run asks n requests of one kind, a millisecond apart.
func (w *WorldParts) run(asks []sim.Request, kind sim.RequestKind, from, n int, a *sim.Reply) {
	for i := from; i < from+n; i++ {
		r := &asks[i*7%len(asks)]
		r.Kind = kind
		r.Pass = core.AskID(i)
		r.N++
		w.Servers.Ask(core.Time(i)*core.Millisecond, r, a)
	}
}

func benchmarkAsk(b *testing.B, kind sim.RequestKind, how Behaviour) {
	w, asks := market(b, how)
	var a sim.Reply
	w.run(asks, kind, 0, 6000, &a)
	b.ReportAllocs()
	b.ResetTimer()
	w.run(asks, kind, 6000, b.N, &a)
}

func BenchmarkCompare(b *testing.B)        { benchmarkAsk(b, sim.AskCompare, Behaviour{}) }
func BenchmarkCompareTypical(b *testing.B) { benchmarkAsk(b, sim.AskCompare, Typical()) }
func BenchmarkCompareFlaky(b *testing.B)   { benchmarkAsk(b, sim.AskCompare, Flaky()) }
func BenchmarkProbe(b *testing.B)          { benchmarkAsk(b, sim.AskProbe, Typical()) }
func BenchmarkFetch(b *testing.B)          { benchmarkAsk(b, sim.AskFetch, Typical()) }

// The market of the benchmark answers every kind of request without allocating, and half of its URLs have
// what is asked for.
func TestAskAllocations(t *testing.T) {
	w, asks := market(t, Flaky())
	var a sim.Reply
	at, found := 0, 0
	for _, kind := range []sim.RequestKind{sim.AskCompare, sim.AskProbe, sim.AskFetch} {
		w.run(asks, kind, at, 6000, &a)
		at += 6000
		require.Zero(t, testing.AllocsPerRun(10, func() {
			w.run(asks, kind, at, 300, &a)
			at += 300
		}), "kind %d", kind)
	}
	for i := range asks {
		asks[i].Kind = sim.AskProbe
		w.Servers.Ask(core.Time(at)*core.Millisecond, &asks[i], &a)
		found += len(a.OIDs)
	}
	require.InDelta(t, 1500, found, 100)
}
