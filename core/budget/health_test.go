package budget

import (
	"testing"

	"github.com/stretchr/testify/require"

	"graspsync/core/value"
)

// again fails d in its next n rounds, each as soon as the cool-down ends, and returns the cool-downs.
func (b *bench) again(d Dom, n int, f Failure) (spans []Time) {
	b.t.Helper()
	for range n {
		b.at(max(b.now, b.CoolUntil(d)))
		b.fail(d, f)
		spans = append(spans, b.CoolUntil(d)-b.now)
	}
	return spans
}

// D-07: 20 s doubled with every round, at most 10 min; a success resets.
func TestCoolDownDoubles(t *testing.T) {
	b := newBench(t, testLimits())
	d := b.Open(1)
	require.Equal(t, []Time{20 * sec, 40 * sec, 80 * sec, 160 * sec, 320 * sec, 600 * sec, 600 * sec}, b.again(d, 7, Failure{}))
	require.False(t, b.at(b.CoolUntil(d)-1).free(d))
	p := b.at(b.CoolUntil(d)).pass(d)
	require.Equal(t, Recovered, b.Succeed(d, b.now, b.now))
	b.end(p)
	require.Equal(t, []Time{20 * sec}, b.again(d, 1, Failure{}))
}

// D-06, D-07: no pass starts in a cool-down; its end wakes the ring, and one pass goes first.
func TestCoolDownEndWakes(t *testing.T) {
	b := newBench(t, testLimits())
	d := b.Open(1)
	b.at(5*sec).fail(d, Failure{})
	b.wait(d, 'A')
	b.wait(d, 'B')
	require.True(t, b.Cooling(d, b.now))
	require.Equal(t, 25*sec, b.NextWake())
	tags, _ := b.at(25*sec - 1).grants()
	require.Empty(t, tags)
	tags, ps := b.at(25 * sec).grants()
	require.Equal(t, "A", text(tags))
	require.False(t, b.Cooling(d, b.now))
	require.Equal(t, Recovered, b.Succeed(d, b.now, b.now))
	b.check()
	tags, _ = b.grants()
	require.Equal(t, "B", text(tags), "success ends the probation while its pass goes on")
	b.end(ps...)
}

// D-07: failures of passes that started before the cool-down are the same round.
func TestOneRoundHoweverManyPasses(t *testing.T) {
	b := newBench(t, testLimits())
	d := b.Open(1)
	var all []*Permit
	for range 5 {
		all = append(all, b.pass(d))
	}
	require.Equal(t, Cooled, b.Fail(d, b.now, Failure{}), "all at instant 0")
	require.Equal(t, Unchanged, b.Fail(d, b.now, Failure{}))
	b.at(3 * sec)
	require.Equal(t, Unchanged, b.Fail(d, b.now, Failure{}))
	require.Equal(t, Unchanged, b.Succeed(d, b.now, 0), "an old success proves nothing new")
	require.Equal(t, 20*sec, b.CoolUntil(d))
	b.end(all...)
	require.Equal(t, []Time{40 * sec}, b.again(d, 1, Failure{}))
}

// D-07: after a cool-down one pass at a time of those that start after it; older ones do not count.
func TestProbationIgnoresOlderPasses(t *testing.T) {
	b := newBench(t, testLimits())
	d := b.Open(1)
	old := b.pass(d)
	b.fail(d, Failure{})
	b.wait(d, 'A')
	b.wait(d, 'B')
	tags, probe := b.at(20 * sec).grants()
	require.Equal(t, "A", text(tags), "the old pass still runs")
	b.at(21 * sec).end(old)
	tags, _ = b.grants()
	require.Empty(t, tags)
	b.end(probe...)
	tags, _ = b.grants()
	require.Equal(t, "B", text(tags), "no success, so one after the other")
}

// D-07: Retry-After counts if longer than the cool-down, up to an hour, also from passes of the same round.
func TestRetryAfter(t *testing.T) {
	for _, c := range []struct{ named, cooled Time }{
		{0, 20 * sec}, {-sec, 20 * sec}, {5 * sec, 20 * sec}, {90 * sec, 90 * sec}, {value.Hour, value.Hour}, {value.Day, value.Hour},
	} {
		b := newBench(t, testLimits())
		d := b.Open(1)
		require.Equal(t, Cooled, b.fail(d, Failure{RetryAfter: c.named}))
		require.Equal(t, c.cooled, b.CoolUntil(d))
	}
	b := newBench(t, testLimits())
	d := b.Open(1)
	b.fail(d, Failure{})
	b.wait(d, 1)
	b.at(10 * sec)
	require.Equal(t, Unchanged, b.Fail(d, b.now, Failure{RetryAfter: 10 * sec}))
	require.Equal(t, Cooled, b.Fail(d, b.now, Failure{RetryAfter: 2 * mins}))
	require.Equal(t, 130*sec, b.NextWake())
	b.at(130 * sec)
	require.Equal(t, []Time{40 * sec}, func() []Time {
		_, ps := b.grants()
		b.Fail(d, b.now, Failure{Started: b.now})
		b.end(ps...)
		return []Time{b.CoolUntil(d) - b.now}
	}(), "the longer wait was no round of its own")
}

// D-07: three rounds over ten minutes with DNS or TLS as cause; then a probe every ten minutes.
func TestUnreachable(t *testing.T) {
	for _, f := range []Failure{{DNS: true}, {TLS: true}} {
		b := newBench(t, testLimits())
		d := b.Open(1)
		for _, at := range []Time{0, 20, 60, 140, 300} {
			require.Equal(t, Cooled, b.at(at*sec).fail(d, f), "at %d s: ten minutes have not passed", at)
		}
		require.Equal(t, Unreachable, b.at(620*sec).fail(d, f))
		require.Equal(t, 1220*sec, b.CoolUntil(d))
		require.Equal(t, Cooled, b.at(1220*sec).fail(d, f), "listed once")
		require.Equal(t, 1820*sec, b.CoolUntil(d))

		// Nobody wants it for hours: it is still on the list, and a single failure rests it as before.
		b.at(8*value.Hour).fail(d, f)
		require.Equal(t, 8*value.Hour+10*mins, b.CoolUntil(d))
		b.at(9 * value.Hour)
		b.Close(d)
		require.Equal(t, 1, b.Use(b.now).Domains)
		require.Equal(t, 1, b.Use(b.at(20*value.Hour-1).now).Domains)
		require.Equal(t, Use{}, b.Use(b.at(20*value.Hour).now))

		// After twelve hours it is a new domain, which can be listed again.
		d = b.Open(1)
		b.fail(d, f)
		require.Equal(t, 20*sec, b.CoolUntil(d)-b.now)
		b.at(b.now+5*mins).fail(d, f)
		require.Equal(t, Unreachable, b.at(b.now+5*mins).fail(d, f))
	}
}

// D-07: fewer rounds, a shorter span, or another cause list nobody.
func TestNotUnreachable(t *testing.T) {
	tls, other := Failure{TLS: true}, Failure{}
	for name, rounds := range map[string][]Failure{
		"two rounds":       {tls, tls},
		"other cause":      {other, other, other, other},
		"cause seen once":  {other, other, other, tls},
		"cause not in row": {tls, tls, other, tls},
	} {
		b := newBench(t, testLimits())
		d := b.Open(1)
		for i, f := range rounds {
			require.Equal(t, Cooled, b.at(Time(i)*11*mins).fail(d, f), name)
		}
	}
	b := newBench(t, testLimits())
	d := b.Open(1)
	b.fail(d, tls)
	p := b.at(11 * mins).pass(d)
	require.Equal(t, Recovered, b.Succeed(d, b.now, b.now))
	b.end(p)
	b.fail(d, tls)
	require.Equal(t, Cooled, b.at(13*mins).fail(d, tls), "the row begins anew after a success")
}

// D-07: three domains that do not resolve within 10 s mean that the fault is ours: told once, charges back.
func TestLocalFault(t *testing.T) {
	b := newBench(t, testLimits())
	dns := Failure{DNS: true}
	var ds []Dom
	for h := range Handle(5) {
		ds = append(ds, b.Open(h+1))
	}
	b.again(ds[0], 2, dns) // real ones, long before
	b.at(mins)
	before := b.doms[ds[0]].record
	require.Equal(t, Cooled, b.fail(ds[0], dns))
	require.Equal(t, 80*sec, b.CoolUntil(ds[0])-b.now)
	require.Equal(t, Cooled, b.at(b.now+5*sec).fail(ds[1], dns))
	require.Equal(t, LocalFault, b.at(b.now+5*sec).fail(ds[2], dns))
	require.Equal(t, before, b.doms[ds[0]].record)
	require.Equal(t, record{}, b.doms[ds[1]].record)
	require.Equal(t, record{}, b.doms[ds[2]].record)
	require.Equal(t, mins+20*sec, b.CoolUntil(ds[0]), "short from its beginning")
	require.Equal(t, []Dom{ds[0]}, b.Eased(), "the one whose rest became shorter; the other had none to lose")

	require.Equal(t, Cooled, b.at(b.now+sec).fail(ds[3], dns), "told once")
	require.Equal(t, record{}, b.doms[ds[3]].record)
	require.Equal(t, []Time{40 * sec, 60 * sec, 60 * sec}, b.again(ds[3], 3, dns), "uncharged but not unbounded")

	// A success anywhere ends it; the next failure is the domain's own.
	p := b.pass(ds[4])
	require.Equal(t, Unchanged, b.Succeed(ds[4], b.now, b.now))
	b.end(p)
	b.again(ds[3], 1, dns)
	require.EqualValues(t, 1, b.doms[ds[3]].failures)
}

// D-07: what is not three domains, within 10 s, by DNS, with no success between, is no local fault.
func TestNoLocalFault(t *testing.T) {
	dns := Failure{DNS: true}
	for _, c := range []struct {
		name string
		f    [3]Failure
		gap  Time
		doms [3]Handle
		ok   bool
	}{
		{"too slow", [3]Failure{dns, dns, dns}, 5*sec + 1, [3]Handle{1, 2, 3}, false},
		{"two domains", [3]Failure{dns, dns, dns}, 2 * sec, [3]Handle{1, 2, 1}, false},
		{"other cause", [3]Failure{dns, {TLS: true}, dns}, sec, [3]Handle{1, 2, 3}, false},
		{"success between", [3]Failure{dns, dns, dns}, sec, [3]Handle{1, 2, 3}, true},
	} {
		b := newBench(t, limits(func(l *Limits) { l.CoolBase = sec }))
		for i, h := range c.doms {
			if c.ok && i == 2 {
				d := b.Open(9)
				p := b.pass(d)
				b.Succeed(d, b.now, b.now)
				b.end(p)
			}
			d := b.Open(h)
			require.Equal(t, Cooled, b.at(Time(i)*c.gap).fail(d, c.f[i]), c.name)
			require.NotZero(t, b.doms[d].failures, c.name)
		}
	}
}

// D-07: a domain known to be unreachable is no evidence against our resolver.
func TestUnreachableIsNoEvidence(t *testing.T) {
	b := newBench(t, testLimits())
	dns := Failure{DNS: true}
	gone := b.Open(1)
	for _, at := range []Time{0, 5 * mins, 10 * mins} {
		b.at(at).fail(gone, dns)
	}
	b.at(20*mins).fail(b.Open(2), dns)
	b.fail(gone, dns)
	require.Equal(t, Cooled, b.fail(b.Open(3), dns))
	require.Equal(t, LocalFault, b.fail(b.Open(4), dns))
	require.Equal(t, 30*mins, b.CoolUntil(gone))
}

// D-08: a failure count is forgotten an hour after its cool-down ended, whether or not the domain is
// remembered for other reasons, and by a pass that fails then.
func TestCountIsForgotten(t *testing.T) {
	for _, c := range []struct {
		at, cooled Time
	}{{20*sec + value.Hour - 1, 40 * sec}, {20*sec + value.Hour, 20 * sec}} {
		for _, hold := range []bool{true, false} {
			b := newBench(t, testLimits())
			d := b.Open(1)
			b.fail(d, Failure{})
			if !hold {
				b.Close(d)
			}
			b.at(c.at).Sweep(b.now, 9)
			d = b.Open(1)
			b.fail(d, Failure{})
			require.Equal(t, c.cooled, b.CoolUntil(d)-b.now, "kept in memory: %v", hold)
		}
	}
}

// D-08, I-8: an idle domain costs nothing once its stamps, cool-down and count are gone.
func TestIdleDomainIsForgotten(t *testing.T) {
	b := newBench(t, testLimits())
	d := b.Open(1)
	b.quick(d)
	require.Equal(t, Use{Domains: 1}, b.Use(b.at(value.Hour).now), "somebody refers to it")
	b.quick(d)
	b.Close(d)
	require.Equal(t, Use{Domains: 1}, b.Use(b.at(value.Hour+mins-1).now))
	require.Equal(t, Use{}, b.Use(b.at(value.Hour+mins).now))
	b.check()
	b.Sweep(b.now, 9)
	require.Zero(t, b.idle.Len())

	d = b.Open(2)
	b.fail(d, Failure{})
	b.Close(d)
	forgotten := b.now + 20*sec + value.Hour
	require.Equal(t, Use{Domains: 1}, b.Use(b.at(forgotten-1).now))
	require.Equal(t, Use{}, b.Use(b.at(forgotten).now))
	require.Len(t, b.doms, 1, "its slot is used again")
}

// D-08: many short-lived domains need no more slots or queue entries than live at once.
func TestMemoryFollowsUse(t *testing.T) {
	b := newBench(t, testLimits())
	for h := range Handle(3000) {
		d := b.Open(h + 1)
		for range 3 {
			b.quick(d)
		}
		b.Close(d)
		b.at(b.now+sec).Sweep(b.now, 2)
	}
	require.Less(t, len(b.doms), 200)
	require.Less(t, b.idle.Len(), 200)
	require.Equal(t, Use{}, b.Use(b.at(b.now+mins).now))
}

// H-06: stalls on two distinct URLs of a domain within ten minutes are a failed round; one URL is not.
func TestStallsOnTwoURLs(t *testing.T) {
	stall := func(b *bench, d Dom, at Time, url Handle) Change {
		b.at(at)
		return b.Stall(d, url, b.now, at-6*mins)
	}
	b := newBench(t, testLimits())
	d := b.Open(1)
	b.at(value.Hour)
	h := b.now
	require.Equal(t, Unchanged, stall(b, d, h, 1))
	require.Equal(t, Unchanged, stall(b, d, h+5*mins, 1), "the same again")
	require.Equal(t, Unchanged, stall(b, d, h+15*mins+1, 2), "too late")
	require.Equal(t, Cooled, stall(b, d, h+25*mins+1, 1))
	require.Equal(t, 20*sec, b.CoolUntil(d)-b.now)
	require.Equal(t, Unchanged, stall(b, d, h+26*mins, 2))
	require.Equal(t, Unchanged, stall(b, d, h+27*mins, 1), "older than the cool-down: the same round")
	require.False(t, b.Cooling(b.Open(2), b.now))
}
