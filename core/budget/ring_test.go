package budget

import (
	"testing"

	"github.com/stretchr/testify/require"

	"graspsync/core/value"
)

// one is a table whose only domain takes one pass at a time.
func one(t *testing.T, change func(*Limits)) (*bench, Dom) {
	b := newBench(t, limits(func(l *Limits) {
		l.Concurrency = 1
		change(l)
	}))
	return b, b.Open(1)
}

func plain(*Limits) {}

// turns runs n passes one after the other, each ticket eligible again at once, and returns the order.
func (b *bench) turns(n int, again map[uint64]Ticket) (order []uint64) {
	b.t.Helper()
	for range n {
		k, ok := b.NextGrant(b.now)
		require.True(b.t, ok)
		order = append(order, b.Tag(k))
		p := b.begin(b.Dom(k), false, PubKey{})
		if _, stays := again[b.Tag(k)]; stays {
			b.SetEligible(k, true, b.now)
		}
		b.end(p)
	}
	return order
}

// D-05: a grant goes to the first, which then stands last.
func TestRingGoesRound(t *testing.T) {
	b, d := one(t, plain)
	again := map[uint64]Ticket{}
	for _, tag := range []uint64{'A', 'B', 'C'} {
		again[tag] = b.wait(d, tag)
	}
	require.Equal(t, "ABCAB", text(b.turns(5, again)))
}

func text(tags []uint64) (s string) {
	for _, tag := range tags {
		s += string(rune(tag))
	}
	return s
}

// D-05: who leaves the ring does not shift the others' turns.
func TestLeavingKeepsTheOrder(t *testing.T) {
	b, d := one(t, plain)
	again := map[uint64]Ticket{}
	for _, tag := range []uint64{'A', 'B', 'C', 'D'} {
		again[tag] = b.wait(d, tag)
	}
	require.Equal(t, "AB", text(b.turns(2, again)))
	b.Unpark(again['A'], b.now)
	b.check()
	require.Equal(t, "CDBC", text(b.turns(4, again)))
}

// D-05: all in progress, none is picked; the one that becomes free again is.
func TestNoneEligibleNoneGranted(t *testing.T) {
	b := newBench(t, testLimits())
	d := b.Open(1)
	a := b.wait(d, 'A')
	b.wait(d, 'B')
	tags, _ := b.grants()
	require.Equal(t, "AB", text(tags))
	tags, _ = b.grants()
	require.Empty(t, tags)
	b.SetEligible(a, true, b.now)
	tags, _ = b.grants()
	require.Equal(t, "A", text(tags))
}

// D-05: an ineligible ticket is skipped and keeps its place.
func TestIneligibleKeepsItsPlace(t *testing.T) {
	b, d := one(t, plain)
	a := b.wait(d, 'A')
	again := map[uint64]Ticket{'A': a}
	again['B'], again['C'] = b.wait(d, 'B'), b.wait(d, 'C')
	b.SetEligible(a, false, b.now)
	require.Equal(t, "B", text(b.turns(1, again)))
	b.SetEligible(a, true, b.now)
	require.Equal(t, "ACBA", text(b.turns(4, again)))
}

// D-05, D-06: one ticket with two URLs on a full domain gets both turns, the second by the return of its
// own first permit.
func TestOneTicketTwoTurns(t *testing.T) {
	b, d := one(t, plain)
	other := b.pass(d)
	k := b.wait(d, 'A')
	b.end(other)
	tags, first := b.grants()
	require.Equal(t, "A", text(tags))
	b.SetEligible(k, true, b.now)
	tags, _ = b.grants()
	require.Empty(t, tags)
	b.end(first...)
	tags, _ = b.grants()
	require.Equal(t, "A", text(tags))
}

// D-05, I-13: between two turns of one ticket there are no more grants than others wait.
func TestHundredWaitFairly(t *testing.T) {
	b := newBench(t, testLimits())
	d := b.Open(1)
	last := map[uint64]int{}
	tickets := map[uint64]Ticket{}
	for i := range uint64(100) {
		tickets[i] = b.wait(d, i)
	}
	n := 0
	for n < 350 {
		tags, passes := b.grants()
		if len(tags) == 0 {
			b.at(b.NextWake())
			continue
		}
		for _, tag := range tags {
			n++
			if before, ok := last[tag]; ok {
				require.LessOrEqual(t, n-before, 100+5)
			}
			last[tag] = n
			b.SetEligible(tickets[tag], true, b.now)
		}
		b.end(passes...)
	}
	require.Len(t, last, 100)
}

// A-02, D-05: a newcomer does not pass those who wait, though the domain has room.
func TestNewcomersDoNotPassTheRing(t *testing.T) {
	b := newBench(t, testLimits())
	d := b.Open(1)
	k := b.wait(d, 'A')
	require.False(t, b.free(d))
	b.SetEligible(k, false, b.now)
	require.True(t, b.free(d))
}

// D-06: a ticket parked, or become eligible, where there is room is granted without any other event.
func TestEligibleTicketWithRoomIsGranted(t *testing.T) {
	b := newBench(t, testLimits())
	d := b.Open(1)
	k := b.Park(d, 'A', false, PubKey{})
	_, ok := b.NextGrant(b.now)
	require.False(t, ok, "parked is not eligible")
	b.SetEligible(k, true, b.now)
	tags, _ := b.grants()
	require.Equal(t, "A", text(tags))
}

// D-04, D-06: pressure comes back to the domains in the order of their first eligible tickets.
func TestPressureReturnsInOrder(t *testing.T) {
	b := newBench(t, limits(func(l *Limits) { l.Pressure = 1 }))
	running := b.pass(b.Open(9))
	for i, tag := range []uint64{'A', 'B', 'C', 'D'} {
		b.wait(b.Open(Handle(3-i%3)), tag) // D behind A on one domain
	}
	order := ""
	for range 4 {
		require.Equal(t, value.Never, b.NextWake())
		b.end(running)
		tags, passes := b.grants()
		require.Len(t, passes, 1)
		order += text(tags)
		running = passes[0]
	}
	require.Equal(t, "ABCD", order)
}

// H-07: limited passes hold at most half of the pressure, and others are not held up by them.
func TestShareOfLimitedPasses(t *testing.T) {
	b := newBench(t, limits(func(l *Limits) { l.Pressure = 8 }))
	var in []*Permit
	for i := range 4 {
		d := b.Open(Handle(i + 1))
		require.True(t, b.Free(d, b.now, true, author(i)))
		in = append(in, b.begin(d, true, author(i)))
	}
	d := b.Open(9)
	require.False(t, b.Free(d, b.now, true, author(7)))
	b.waitLimited(d, 'L', author(7))
	tags, _ := b.grants()
	require.Empty(t, tags)
	require.True(t, b.free(d), "a ticket without a share is not eligible and holds up nobody")
	b.wait(d, 'M')
	tags, _ = b.grants()
	require.Equal(t, "M", text(tags))
	b.end(in[2])
	require.False(t, b.free(d))
	tags, _ = b.grants()
	require.Equal(t, "L", text(tags), "the share came back")
}

// D-06, H-07: a share comes back to the domains in the order of their first eligible limited tickets.
func TestShareReturnsInOrder(t *testing.T) {
	b := newBench(t, limits(func(l *Limits) { l.Pressure = 2 }))
	p := b.begin(b.Open(9), true, author(0))
	b.waitLimited(b.Open(2), 'A', author(1))
	b.waitLimited(b.Open(1), 'B', author(2))
	b.end(p)
	tags, ps := b.grants()
	require.Equal(t, "A", text(tags))
	b.end(ps...)
	tags, _ = b.grants()
	require.Equal(t, "B", text(tags))
}

// H-07: one author's limited passes are at most four; the place in the ring is kept meanwhile.
func TestAuthorCap(t *testing.T) {
	b := newBench(t, testLimits())
	greedy, modest := author(0), author(1)
	var in []*Permit
	for i := range 4 {
		in = append(in, b.begin(b.Open(Handle(i+1)), true, greedy))
	}
	d := b.Open(9)
	require.False(t, b.Free(d, b.now, true, greedy))
	require.True(t, b.Free(d, b.now, true, modest))
	b.waitLimited(d, 'A', greedy)
	b.waitLimited(b.Open(8), 'B', greedy)
	b.waitLimited(d, 'C', modest)
	tags, _ := b.grants()
	require.Equal(t, "C", text(tags))
	require.True(t, b.Free(d, b.now, true, modest), "held back for its author is not eligible")
	b.end(in[0])
	tags, _ = b.grants()
	require.Equal(t, "A", text(tags))
	b.end(in[1])
	tags, _ = b.grants()
	require.Equal(t, "B", text(tags))
}

// D-06: every limit that a new configuration raises lets tickets start, without any other event.
func TestConfigurationChangeWakes(t *testing.T) {
	for name, low := range map[string]func(*Limits){
		"concurrency": func(l *Limits) { l.Concurrency = 1 },
		"rate":        func(l *Limits) { l.Rate = 1 },
		"override":    func(l *Limits) { l.Overrides = []Override{{1, 1, 1}} },
		"requests":    func(l *Limits) { l.Requests = 7 },
		"pressure":    func(l *Limits) { l.Pressure = 1 },
		"share":       func(l *Limits) { l.Pressure = 3 },
		"author":      func(l *Limits) { l.AuthorPasses = 1 },
		"window":      func(l *Limits) { l.Window, l.Rate = value.Hour, 1 },
	} {
		t.Run(name, func(t *testing.T) {
			b := newBench(t, limits(low))
			d := b.Open(1)
			b.begin(d, true, author(0))
			b.waitLimited(d, 'A', author(0))
			tags, _ := b.at(10 * sec).grants()
			require.Empty(t, tags)
			b.SetLimits(testLimits(), b.now)
			b.check()
			tags, _ = b.grants()
			require.Equal(t, "A", text(tags))
		})
	}
}

// D-06: leaving while held back for an author leaves nothing behind.
func TestUnparkWhileHeldBack(t *testing.T) {
	b := newBench(t, limits(func(l *Limits) { l.AuthorPasses = 1 }))
	p := b.begin(b.Open(1), true, author(0))
	k := b.waitLimited(b.Open(2), 'A', author(0))
	b.waitLimited(b.Open(2), 'B', author(0))
	tags, _ := b.grants()
	require.Empty(t, tags)
	b.Unpark(k, b.now)
	b.check()
	b.end(p)
	tags, passes := b.grants()
	require.Equal(t, "B", text(tags))
	b.end(passes...)
}
