package bench

import (
	"testing"

	"github.com/stretchr/testify/require"

	"graspsync/sim"
)

// State machine and goroutines start the same passes when nothing has to wait; where the domains are full,
// the order at equal instants is up to the runtime, and only the number is about the same. Q-04 Q-06 Q-08
// Q-09 D-01 D-05 D-06
func TestSamePasses(t *testing.T) {
	light := Light(200, 6).QD()
	var p QDResult
	inBubble(func() { p = runPeer(light, true) })
	m := RunQD(light, sim.RadixQueue, true)
	require.Empty(t, m.Broken)
	require.Empty(t, p.Broken)
	require.Greater(t, m.Passes, uint64(2000))
	require.Equal(t, [3]uint64{m.Passes, m.Found, m.Set}, [3]uint64{p.Passes, p.Found, p.Set})

	full := Saturated(1000, 1).QD()
	inBubble(func() { p = runPeer(full, true) })
	m = RunQD(full, sim.RadixQueue, true)
	require.Empty(t, m.Broken)
	require.Empty(t, p.Broken)
	// Which hunt wakes first at one instant is the scheduler's whim in the peer, so its count of passes varies
	// by a few percent from run to run.
	require.InEpsilon(t, m.Passes, p.Passes, 0.05)
	require.Greater(t, m.Passes, uint64(10*30*60*8/10), "the domains are nearly full")
}

// Both queues, and every run, give one order. I-9
func TestQDOrder(t *testing.T) {
	l := Saturated(300, 2).QD()
	first := RunQD(l, sim.RadixQueue, true)
	require.Equal(t, first, RunQD(l, sim.HeapQueue, true))
	require.Equal(t, first, RunQD(l, sim.RadixQueue, true))
}
