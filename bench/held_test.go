package bench

import (
	"bufio"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"graspsync/core"
	"graspsync/sim"
)

// statements is how many statements of package core each operation executed, by "operation-size": counts, the
// same on every machine.
func statements(tb testing.TB) map[string]float64 {
	dir := tb.TempDir()
	binary := filepath.Join(dir, "heldwork")
	run(tb, "go", "build", "-cover", "-covermode=atomic", "-coverpkg=graspsync/core/...,graspsync/bench/cmd/heldwork", "-o", binary, "./cmd/heldwork")
	counts := filepath.Join(dir, "counts")
	require.NoError(tb, os.Mkdir(counts, 0o755))
	run(tb, binary, counts)
	out := map[string]float64{}
	for _, size := range HeldSizes() {
		for _, op := range HeldOps() {
			name := op.Name + "-" + size.Name
			text := filepath.Join(dir, name)
			run(tb, "go", "tool", "covdata", "textfmt", "-i="+filepath.Join(counts, name), "-o="+text)
			out[name] = executed(tb, text) / HeldTimes
		}
	}
	return out
}

func run(tb testing.TB, name string, args ...string) {
	c := exec.Command(name, args...)
	c.Env = append(os.Environ(), "GOCOVERDIR="+tb.TempDir())
	out, err := c.CombinedOutput()
	require.NoError(tb, err, "%s %s: %s", name, strings.Join(args, " "), out)
}

// executed sums a coverage profile: file:from,to statements count.
func executed(tb testing.TB, path string) (sum float64) {
	f, err := os.Open(path)
	require.NoError(tb, err)
	defer f.Close()
	for s := bufio.NewScanner(f); s.Scan(); {
		part := strings.Fields(s.Text())
		if len(part) != 3 || !strings.HasPrefix(part[0], "graspsync/core/") {
			continue
		}
		n, err := strconv.ParseFloat(part[1], 64)
		require.NoError(tb, err)
		times, err := strconv.ParseFloat(part[2], 64)
		require.NoError(tb, err)
		sum += n * times
	}
	require.NotZero(tb, sum, path)
	return sum
}

// Admission, push authorisation, release and eviction cost what they touch: with a hundred times as many repositories,
// hunts and held events they execute as many statements, and a thousand pull requests on one repository do not
// make each of them dearer in proportion. S-01
func TestWorkIsWhatIsTouched(t *testing.T) {
	n := statements(t)
	for _, op := range HeldOps() {
		small := n[op.Name+"-small"]
		large := 1.25
		if op.Before != nil {
			large = 1.8 // who gives way comes from a heap of all: its depth
		}
		for size, most := range map[string]float64{"large": large, "crowded": 10, "scattered": 40} {
			require.Less(t, n[op.Name+"-"+size]/small, most, "%s, %s: %.0f statements, small %.0f", op.Name, size, n[op.Name+"-"+size], small)
		}
	}
}

// BenchmarkHeld: statements, time and allocations per operation in cores of several fillings.
func BenchmarkHeld(b *testing.B) {
	n := statements(b)
	for _, op := range HeldOps() {
		for _, size := range HeldSizes() {
			b.Run(op.Name+"/"+size.Name, func(b *testing.B) {
				p := size.Purgatory
				require.NoError(b, p.Fill())
				if op.Before != nil {
					op.Before(&p)
				}
				b.ReportAllocs()
				b.ResetTimer()
				for i := range b.N {
					if err := op.Do(&p, i%p.Repos); err != nil {
						b.Fatal(err)
					}
				}
				b.StopTimer()
				b.ReportMetric(n[op.Name+"-"+size.Name], "statements/op")
			})
		}
	}
}

// BenchmarkRestart: what it takes to go on with 10,000 held pull requests and 1,000 ready hunts after a crash, from
// a snapshot and a thousand journalled inputs after it, up to and including the step that says so; and what a
// held event costs in memory and in the snapshot.
func BenchmarkRestart(b *testing.B) {
	size := Purgatory{Repos: 1_000, PRs: 10_000}
	base := live()
	small := Purgatory{Repos: 1_000}
	require.NoError(b, small.Fill())
	without := live() - base
	bare := len(small.Core().AppendState(nil))
	small = Purgatory{}
	base = live()
	p := size
	require.NoError(b, p.Fill())
	perHeld := float64(live()-base-without) / 10_000
	snapshot := p.Core().AppendState(nil)
	p.Journal = true
	for i := range 250 {
		require.NoError(b, p.Release(i%p.Repos))
	}
	want := p.Core().AppendState(nil)
	b.ResetTimer()
	for range b.N {
		c, err := core.Restore(p.Config(), snapshot)
		require.NoError(b, err)
		var out []core.Effect
		for i := range p.Written {
			out = c.Step(p.Written[i].At, p.Written[i].In, out[:0])
		}
		b.StopTimer()
		require.Equal(b, want, c.AppendState(nil))
		b.StartTimer()
		out = c.Step(p.Now(), core.Input{Kind: core.InRestarted}, out[:0])
		b.StopTimer()
		require.Equal(b, 11_000, c.Stats().Held)
		require.NotEmpty(b, out)
		b.StartTimer()
	}
	b.ReportMetric(float64(len(p.Written)), "inputs")
	b.ReportMetric(perHeld, "B/held")
	b.ReportMetric(float64(len(snapshot)-bare)/10_000, "snapshot-B/held")
}

// ExampleHeldSizes shows what the fillings are.
func ExampleHeldSizes() {
	for _, s := range HeldSizes() {
		fmt.Println(s.Name, s.Purgatory.Repos, "repositories,", s.Purgatory.PRs, "pull requests")
	}
	// Output:
	// small 10 repositories, 100 pull requests
	// large 1000 repositories, 10000 pull requests
	// crowded 1 repositories, 1000 pull requests
	// scattered 1 repositories, 1000 pull requests
}

// BenchmarkClosures: how many questions to maintainer closures are answered without computing one, in a day of
// hourly states. M-02
func BenchmarkClosures(b *testing.B) {
	s, err := Light(benchRepos, 24).Setup()
	require.NoError(b, err)
	w, err := sim.NewWorld(s)
	require.NoError(b, err)
	w.RunUntil(24 * core.Hour)
	for range b.N {
		n := w.Machine().(*core.Core).Stats()
		require.NotZero(b, n.Lookups)
		b.ReportMetric(100*(1-float64(n.Closures)/float64(n.Lookups)), "%hits")
		b.ReportMetric(float64(n.Lookups), "lookups")
	}
	b.ReportMetric(0, "ns/op")
}
