package bench

import (
	"fmt"
	"os"
	"os/exec"
	"testing"

	"github.com/stretchr/testify/require"

	"graspsync/sim"
)

// hashes runs a small saturated load, where instants tie all the time, and gives steps and hashes.
func hashes(t *testing.T, kind sim.QueueKind) string {
	l := Saturated(60, 2)
	l.Queue = kind
	s, err := l.Setup()
	require.NoError(t, err)
	w, err := sim.NewWorld(s)
	require.NoError(t, err)
	r := w.Run()
	require.Empty(t, r.Violations)
	return fmt.Sprintf("steps %d hash %016x order %016x", r.Steps, r.Hash, r.OrderHash)
}

// Every process, on one processor or two, with either queue, and on every architecture gives the same hashes;
// bench/repeat.sh does it a hundred times and more. I-9
func TestOneOrderHash(t *testing.T) {
	if os.Getenv("GRASPSYNC_PRINT_HASHES") != "" {
		fmt.Println("hashes:", hashes(t, sim.RadixQueue))
		return
	}
	want := hashes(t, sim.RadixQueue)
	require.Equal(t, want, hashes(t, sim.HeapQueue))
	for _, procs := range []string{"1", "2"} {
		cmd := exec.Command(os.Args[0], "-test.run=^TestOneOrderHash$", "-test.v")
		cmd.Env = append(os.Environ(), "GRASPSYNC_PRINT_HASHES=1", "GOMAXPROCS="+procs)
		out, err := cmd.CombinedOutput()
		require.NoError(t, err, string(out))
		require.Contains(t, string(out), "hashes: "+want)
	}
}

// Loads out of bounds are refused by name, value and range.
func TestLoadBounds(t *testing.T) {
	for _, l := range []Load{{}, {Repos: 1}, {Repos: 1, Hours: 1, Found: 1001}, {Repos: 1, Hours: 1, Stalls: -1}} {
		_, err := l.Setup()
		require.ErrorIs(t, err, ErrLoad)
		require.ErrorContains(t, err, "must be")
	}
}

// The core alone, fed what a world recorded, takes the same steps and gives the same hash; a recorded run is
// the run. R-02
func TestTapeIsTheRun(t *testing.T) {
	l := Light(50, 2)
	tape, res, err := Record(l)
	require.NoError(t, err)
	require.Empty(t, res.Violations)
	require.Greater(t, res.Counts.Released, int64(80))
	p, err := tape.Player()
	require.NoError(t, err)
	h, n := p.PlayHashed(len(tape.In), 0)
	require.Equal(t, [2]uint64{res.Steps, res.Hash}, [2]uint64{uint64(n), uint64(h)})
}
