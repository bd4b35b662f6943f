package sim

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"

	"graspsync/core"
)

// The real core under a driver that misbehaves in every way it may, in each tie policy: no finding, and
// the same log from both queues. T-02 T-04 I-9
func TestRealCoreBearsItsDriver(t *testing.T) {
	for seed := uint64(1); seed <= 12; seed++ {
		run := func(q QueueKind) Result {
			s := realSetup(15, 3)
			s.Seed, s.Tie, s.Queue, s.Checks = seed, TiePolicy(seed%3), q, ChecksThorough
			w := Work{Delay: core.Time(seed%4) * 50 * core.Millisecond, Spread: core.Time(seed%3) * core.Second, Fail: Ratio{uint32(seed % 5), 20}}
			f := &s.Driver
			f.Check, f.Copy, f.Align, f.Store, f.Create, f.Delete = w, w, w, w, w, w
			f.End, f.Cancel = core.Time(seed%2)*core.Second, core.Time(seed%5)*core.Second
			f.LateWake, f.LateBy = Ratio{uint32(seed % 2), 3}, 3*core.Second
			f.EarlyWake, f.Duplicate, f.Again = Ratio{1, 5}, Ratio{uint32(seed % 3), 4}, 20*core.Second
			f.AfterEnd, f.Stray, f.GitMissing = Ratio{1, 2}, Ratio{1, 10}, Ratio{uint32(seed % 4 / 3), 30}
			if seed%4 == 1 {
				f.Store.LoseFirst, f.Check.LoseFirst = 2, 2
			}
			w2, err := NewWorld(s)
			require.NoError(t, err)
			return w2.Run()
		}
		a, b := run(RadixQueue), run(HeapQueue)
		require.Empty(t, a.Violations, "seed %d", seed)
		require.Equal(t, fmt.Sprint(a), fmt.Sprint(b), "seed %d", seed)
		require.Positive(t, a.Counts.Released, "seed %d", seed)
	}
}
