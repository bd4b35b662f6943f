package budget

import (
	"testing"

	"github.com/stretchr/testify/require"

	"graspsync/core/value"
)

// D-01: the window is (t-60 s, t]; a stamp aged exactly 60 s no longer counts.
func TestStampLeavesAtExactlySixtySeconds(t *testing.T) {
	b := newBench(t, testLimits())
	d := b.Open(1)
	b.at(7 * sec)
	for range 30 {
		b.quick(d)
	}
	require.False(t, b.free(d))
	require.False(t, b.at(67*sec-1).free(d))
	require.True(t, b.at(67*sec).free(d))
	for range 30 {
		b.quick(d)
	}
	require.False(t, b.free(d))
}

// D-01, D-06: nothing in flight and the window full, the 31st starts at +60 s by a wake-up of its own.
func TestThirtyFirstStartsWhenTheOldestStampLeaves(t *testing.T) {
	b := newBench(t, testLimits())
	d := b.Open(1)
	for i := range uint64(31) {
		b.wait(d, i)
	}
	started := 0
	for {
		tags, passes := b.grants()
		if len(tags) == 0 {
			break
		}
		started += len(tags)
		require.LessOrEqual(t, len(tags), 5)
		b.end(passes...)
	}
	require.Equal(t, 30, started)
	require.Equal(t, 60*sec, b.NextWake())
	tags, _ := b.at(60*sec - 1).grants()
	require.Empty(t, tags)
	tags, _ = b.at(60 * sec).grants()
	require.Equal(t, []uint64{30}, tags)
}

// D-01: at the rate of two a minute nothing starts before +60 s, though nothing runs.
func TestRateBindsWithNothingInFlight(t *testing.T) {
	b := newBench(t, limits(func(l *Limits) { l.Rate = 2 }))
	d, other := b.Open(1), b.Open(2)
	b.quick(d)
	b.at(10 * sec).quick(d)
	require.False(t, b.at(59*sec).free(d))
	require.True(t, b.free(other), "another domain is not affected")
	require.True(t, b.at(60*sec).free(d))
	b.quick(d)
	require.False(t, b.free(d))
	require.True(t, b.at(70*sec).free(d))
}

// D-01, D-02: of 20 that come in one tick five run, and a place is free when a pass has ended.
func TestFiveAtOnce(t *testing.T) {
	b := newBench(t, testLimits())
	d := b.Open(1)
	for i := range uint64(20) {
		b.wait(d, i)
	}
	tags, passes := b.grants()
	require.Equal(t, []uint64{0, 1, 2, 3, 4}, tags)
	require.Equal(t, value.Never, b.NextWake(), "time alone frees nothing")
	more, _ := b.at(9 * sec).grants()
	require.Empty(t, more)
	b.end(passes[3])
	more, _ = b.grants()
	require.Equal(t, []uint64{5}, more)
	require.Equal(t, 5, b.Use(b.now).Running)
}

// D-01: with fewer permitted than stand in the window, the stamp that frees a place is not the oldest.
func TestOvershootWaitsForTheRightStamp(t *testing.T) {
	b := newBench(t, testLimits())
	d := b.Open(1)
	for i := range Time(6) {
		b.at(i * sec).quick(d)
	}
	b.SetLimits(limits(func(l *Limits) { l.Rate = 3 }), b.now)
	b.wait(d, 1)
	require.Equal(t, 63*sec, b.NextWake())
	tags, _ := b.at(63*sec - 1).grants()
	require.Empty(t, tags)
	tags, _ = b.at(63 * sec).grants()
	require.Len(t, tags, 1)
}

// D-01, D-06: when both limits bind, few wake-ups pass until the ticket starts.
func TestNoPollingWhileThrottled(t *testing.T) {
	b := newBench(t, limits(func(l *Limits) { l.Rate, l.Concurrency = 3, 2 }))
	d := b.Open(1)
	b.quick(d)
	b.at(10 * sec)
	first, second := b.pass(d), b.pass(d)
	b.wait(d, 1)
	wakes := 0
	for b.NextWake() < 90*sec {
		wakes++
		b.at(b.NextWake())
	}
	require.LessOrEqual(t, wakes, 1)
	tags, _ := b.at(90 * sec).grants()
	require.Empty(t, tags, "concurrency still binds")
	b.end(first, second)
	tags, _ = b.grants()
	require.Equal(t, []uint64{1}, tags)
}

// D-01: a domain of its own limits.
func TestOverride(t *testing.T) {
	b := newBench(t, limits(func(l *Limits) { l.Overrides = []Override{{Domain: 2, Concurrency: 1, Rate: 2}} }))
	d := b.Open(2)
	p := b.pass(d)
	require.False(t, b.free(d))
	b.end(p)
	b.quick(d)
	require.False(t, b.free(d))
	p = b.pass(b.Open(1))
	require.True(t, b.free(p.Dom))
}

// D-03: 240 requests a window, 4 reserved at the start, extra ones take what is left.
func TestRequestsOfAWindow(t *testing.T) {
	b := newBench(t, testLimits())
	d := b.Open(1)
	p := b.pass(d)
	require.Equal(t, 32, b.TakeRequests(p, b.now, 32))
	b.Spend(p, b.now, 36)
	b.at(5 * sec)
	require.Equal(t, 199, b.TakeRequests(p, b.now, 199))
	b.Spend(p, b.now, 199)
	q := b.at(6 * sec).pass(d) // 235 + 4
	require.Equal(t, 1, b.TakeRequests(q, b.now, 32))
	require.Equal(t, 0, b.TakeRequests(q, b.now, 32))
	b.Spend(q, b.now, 5)
	b.end(p, q)
	require.False(t, b.free(d))

	// 36 of them leave at 60 s (D-06).
	b.wait(d, 1)
	require.Equal(t, 60*sec, b.NextWake())
	tags, passes := b.at(60 * sec).grants()
	require.Len(t, tags, 1)
	require.Equal(t, 32, b.TakeRequests(passes[0], b.now, 100))
}

// D-03: a pass starts only with four requests left.
func TestFourRequestsAreNeededToStart(t *testing.T) {
	for left, may := range map[int]bool{3: false, 4: true} {
		b := newBench(t, testLimits())
		d := b.Open(1)
		p := b.pass(d)
		require.Equal(t, 236-left, b.TakeRequests(p, b.now, 236-left))
		require.Equal(t, may, b.free(d), "%d left", left)
	}
}

// D-03: what a pass has reserved counts until it is made, and is given back when the pass ends without it; a
// request counts in the window from the instant it is made.
func TestReservedRequestsAreGivenBack(t *testing.T) {
	b := newBench(t, testLimits())
	d := b.Open(1)
	p := b.pass(d)
	require.Equal(t, 236, b.TakeRequests(p, b.now, 999))
	b.Spend(p, b.now, 1)
	b.wait(d, 1)
	require.Equal(t, value.Never, b.NextWake(), "only the pass can make room")
	b.at(50 * sec)
	b.Spend(p, b.now, 2)
	b.end(p)
	tags, passes := b.grants()
	require.Len(t, tags, 1)
	require.Equal(t, 233, b.RequestsLeft(passes[0], b.now, 999))
	require.Equal(t, 234, b.RequestsLeft(passes[0], b.at(60*sec).now, 999), "the first request has left")
	require.Equal(t, 236, b.RequestsLeft(passes[0], b.at(110*sec).now, 999))
}

// D-03: requests taken by a running pass withdraw the room that waiting tickets had.
func TestProbesTakeRoomFromTheRing(t *testing.T) {
	b := newBench(t, limits(func(l *Limits) { l.Pressure = 2 }))
	d := b.Open(1)
	p, elsewhere := b.pass(d), b.pass(b.Open(2))
	b.wait(d, 1)
	require.Equal(t, 234, b.TakeRequests(p, b.now, 234))
	b.Spend(p, b.now, 238)
	b.end(elsewhere) // the pressure was all that stood in the way before
	tags, _ := b.grants()
	require.Empty(t, tags, "two requests are left")
	require.Equal(t, 60*sec, b.NextWake())
	tags, _ = b.at(60 * sec).grants()
	require.Len(t, tags, 1)
}

// D-03: with the rate counted in requests a pass reserves all it may make, at least 4, and gets no more.
func TestRequestUnit(t *testing.T) {
	b := newBench(t, limits(func(l *Limits) { l.RequestUnit, l.Concurrency = true, 9 }))
	d := b.Open(1)
	start := func(need int) *Permit {
		require.True(t, b.free(d))
		p := b.Start(d, b.now, false, PubKey{}, need)
		b.check()
		return &p
	}
	p := start(20)
	require.Equal(t, 20, p.Left())
	require.Equal(t, 0, b.TakeRequests(p, b.now, 10), "it has all it gets")
	b.Spend(p, b.now, 20)
	q := b.at(sec)
	p = start(1)
	require.Equal(t, 4, p.Left(), "at least four")
	b.Spend(p, b.now, 4)
	p = start(36)
	require.Equal(t, 6, p.Left(), "what is left")
	b.Spend(p, b.now, 6)
	require.False(t, q.free(d))
	b.wait(d, 1)
	require.Equal(t, 60*sec, b.NextWake())
	tags, _ := b.at(60 * sec).grants()
	require.Len(t, tags, 1)
}

// D-01, D-03: the unit may change while passes run, and neither limit forgets the other's.
func TestChangeOfUnit(t *testing.T) {
	b := newBench(t, testLimits())
	d := b.Open(1)
	p := b.pass(d) // has reserved 4 of 36 it may need
	b.SetLimits(limits(func(l *Limits) { l.RequestUnit = true }), b.now)
	require.Equal(t, 26, b.TakeRequests(p, b.now, 32), "what the rate leaves")
	b.Spend(p, b.now, 30)
	b.end(p)
	require.False(t, b.free(d))
	b.SetLimits(limits(func(l *Limits) { l.Rate = 1 }), b.now)
	require.False(t, b.free(d))
}

// D-03: ten passes at once at one resolved address, whatever the names.
func TestAddressCap(t *testing.T) {
	b := newBench(t, testLimits())
	victim := [16]byte{15: 1}
	var in []*Permit
	for h := range Handle(11) {
		p := b.pass(b.Open(h + 1))
		require.Equal(t, h < 10, b.JoinAddress(p, victim))
		require.True(t, b.JoinAddress(p, victim) == (h < 10), "asked twice counts once")
		in = append(in, p)
	}
	require.True(t, b.JoinAddress(in[10], [16]byte{}), "unknown is not counted")
	require.True(t, b.JoinAddress(in[10], [16]byte{15: 2}))
	b.end(in[0])
	require.True(t, b.JoinAddress(b.pass(b.Open(20)), victim))
	require.Equal(t, 2, b.Use(b.now).Addresses)
}

// D-04: 32 passes in the whole process; those that wait for a domain hold none of them.
func TestPressure(t *testing.T) {
	b := newBench(t, testLimits())
	paused := Handle(99)
	b.SetLimits(limits(func(l *Limits) { l.Overrides = []Override{{paused, 0, 30}} }), b.now)
	for i := range uint64(40) {
		b.wait(b.Open(paused), i)
	}
	var all []*Permit
	for h := range Handle(32) {
		all = append(all, b.pass(b.Open(h+1)))
	}
	require.False(t, b.free(b.Open(50)))
	b.end(all[7])
	require.True(t, b.free(b.Open(50)))
}

// D-01: concurrency 0 is a pause: nothing starts, nothing wakes, and the ring is there afterwards.
func TestPausedDomainDoesNotWake(t *testing.T) {
	b := newBench(t, limits(func(l *Limits) { l.Concurrency = 0 }))
	d := b.Open(1)
	require.False(t, b.free(d))
	b.wait(d, 1)
	b.wait(d, 2)
	require.Equal(t, value.Never, b.NextWake())
	tags, _ := b.at(value.Hour).grants()
	require.Empty(t, tags)
	b.SetLimits(testLimits(), b.now)
	tags, _ = b.grants()
	require.Equal(t, []uint64{1, 2}, tags)
}
