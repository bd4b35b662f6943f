package budget

import (
	"testing"

	"github.com/stretchr/testify/require"
)

// freePass is a pass on a free domain: asked, started, ended.
func freePass() (cycle func() bool) {
	t := New(testLimits())
	d := t.Open(1)
	now := Time(0)
	return func() bool {
		now += 3 * sec
		ok := t.Free(d, now, false, PubKey{})
		p := t.Start(d, now, false, PubKey{}, 36)
		t.End(&p, now)
		return ok
	}
}

// saturatedRing is a domain where 100 tickets wait: the first gets the permit that returns, and is
// eligible again.
func saturatedRing() (cycle func() bool) {
	t := New(limits(func(l *Limits) { l.Rate, l.Requests = 1<<20, 1<<20 }))
	d := t.Open(1)
	for i := range uint64(100) {
		t.SetEligible(t.Park(d, i, false, PubKey{}), true, 0)
	}
	now := Time(0)
	return func() bool {
		now += sec
		t.Wake(now)
		k, ok := t.NextGrant(now)
		p := t.Start(d, now, false, PubKey{}, 36)
		t.SetEligible(k, true, now)
		t.End(&p, now)
		return ok
	}
}

// throttledWake has the window in the way: every cycle parks, waits for a stamp to leave, and is woken.
func throttledWake() (cycle func() bool) {
	t := New(testLimits())
	d := t.Open(1)
	now := Time(0)
	return func() bool {
		k := t.Park(d, 1, true, author(1))
		t.SetEligible(k, true, now)
		got, ok := t.NextGrant(now)
		for !ok {
			now = t.NextWake()
			t.Wake(now)
			got, ok = t.NextGrant(now)
		}
		p := t.Start(t.Dom(got), now, true, author(1), 36)
		t.End(&p, now)
		t.Unpark(k, now)
		return got == k
	}
}

func run(b *testing.B, cycle func() bool) {
	b.ReportAllocs()
	for b.Loop() {
		if !cycle() {
			b.Fatal("no permit")
		}
	}
}

func BenchmarkFreePass(b *testing.B)      { run(b, freePass()) }
func BenchmarkSaturatedRing(b *testing.B) { run(b, saturatedRing()) }
func BenchmarkThrottledWake(b *testing.B) { run(b, throttledWake()) }

// Once warm the cycles allocate nothing.
func TestSteadyStateAllocatesNothing(t *testing.T) {
	for _, cycle := range []func() bool{freePass(), saturatedRing(), throttledWake()} {
		for range 1000 {
			require.True(t, cycle())
		}
		require.Zero(t, testing.AllocsPerRun(1000, func() { cycle() }))
	}
}
