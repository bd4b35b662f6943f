package budget

import (
	"slices"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"graspsync/core/value"
)

// machine drives a Table and its model side by side.
type machine struct {
	t    *Table
	m    *model
	refs []Dom // by handle; NoDom when the test holds no reference
}

const (
	machineDomains = 4
	machineAuthors = 3
)

var machineLimits = []Limits{
	testLimits(),
	small(func(l *Limits) {}),
	small(func(l *Limits) { l.Pressure = 1 }),
	small(func(l *Limits) { l.Concurrency = 0 }),
	small(func(l *Limits) { l.RequestUnit, l.Rate = true, 13 }),
	small(func(l *Limits) { l.Requests, l.Rate = 11, 5 }),
	small(func(l *Limits) { l.Overrides = []Override{{1, 1, 1}, {2, 0, 9}, {3, 4, 9}} }),
	small(func(l *Limits) { l.AuthorPasses, l.Pressure = 2, 9 }),
}

// small is limits that a few steps reach.
func small(change func(*Limits)) Limits {
	l := testLimits()
	l.Concurrency, l.Rate, l.Requests = 2, 3, 30
	l.Pressure, l.AuthorPasses, l.AddressPasses = 4, 1, 2
	change(&l)
	return l
}

func author(i int) PubKey { return PubKey{31: byte(i + 1)} }

// What the table permits, refuses and wakes for is what the model finds by counting: no limit is ever
// exceeded, the first in the ring gets the grant, no wake-up is lost, nothing is left when idle.
// D-01 D-02 D-03 D-04 D-05 D-06 D-07 D-08 H-06 H-07 I-8 I-13
func TestTableAgreesWithModel(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		lim := rapid.SampledFrom(machineLimits).Draw(rt, "limits")
		mc := &machine{t: New(lim), m: &model{lim: lim}, refs: slices.Repeat([]Dom{NoDom}, machineDomains+1)}
		rt.Repeat(map[string]func(*rapid.T){
			"":          mc.agree,
			"wait":      mc.wait,
			"late":      mc.late,
			"start":     mc.start,
			"park":      mc.park,
			"park more": mc.park,
			"eligible":  mc.eligible,
			"ready":     mc.eligible,
			"unpark":    mc.unpark,
			"end":       mc.end,
			"end more":  mc.end,
			"take":      mc.take,
			"spend":     mc.spend,
			"join":      mc.join,
			"fail":      mc.fail,
			"lookup":    mc.lookup,
			"succeed":   mc.succeed,
			"stall":     mc.stall,
			"reference": mc.reference,
			"configure": mc.configure,
		})
		mc.idle(rt)
	})
}

// with lends a slot of a drawn domain to f.
func (mc *machine) with(t *rapid.T, f func(d Dom, md *mDom)) {
	h := Handle(rapid.IntRange(1, machineDomains).Draw(t, "domain"))
	d := mc.t.Open(h)
	f(d, mc.m.dom(h))
	mc.t.Close(d)
}

func (mc *machine) woken() bool { return mc.t.NextWake() > mc.m.now }

// agree hands out what may be handed out and compares what is left.
func (mc *machine) agree(t *rapid.T) {
	for {
		k, ok := mc.t.NextGrant(mc.m.now)
		want := mc.m.next()
		if !ok {
			if mc.woken() {
				require.Nil(t, want, "an eligible ticket with room got no grant")
			}
			break
		}
		got := mc.ticket(k)
		if mc.woken() {
			require.NotNil(t, want, "a grant the model refuses")
			require.Equal(t, want.k, k, "not the first of the ring")
		}
		require.True(t, mc.m.mayRun(got))
		mc.begin(t, got.dom, mc.t.Dom(k), got.limited, got.author, 9, got)
	}
	require.NoError(t, mc.t.Check())
	if mc.woken() {
		require.LessOrEqual(t, mc.t.NextWake(), mc.m.roomLater(), "a wake-up is lost or late")
	}
	for _, tk := range mc.m.ring {
		require.LessOrEqual(t, tk.passedBy, tk.ahead+5, "passed by too often") // I-13
	}
	for _, md := range mc.m.doms {
		h := mc.m.healthAt(md, mc.m.now)
		d, known := mc.t.byHandle[md.h]
		require.Equal(t, h.until > mc.m.now, known && mc.t.Cooling(d, mc.m.now))
		if h.until > mc.m.now {
			require.Equal(t, h.until, mc.t.CoolUntil(d))
		}
	}
}

func (mc *machine) ticket(k Ticket) *mTicket {
	for _, t := range mc.m.ring {
		if t.k == k {
			return t
		}
	}
	return nil
}

// begin starts a pass in both and checks every limit by counting.
func (mc *machine) begin(t *rapid.T, md *mDom, d Dom, limited bool, by PubKey, need int, granted *mTicket) {
	require.Equal(t, md.h, mc.t.Handle(d))
	p := mc.m.start(md, limited, by, need, granted)
	p.p = mc.t.Start(d, mc.m.now, limited, by, need)
	if mc.m.lim.RequestUnit {
		require.Equal(t, p.quota, Time(p.p.Left()))
	}
	concurrency, rate := mc.m.limits(md)
	require.LessOrEqual(t, mc.m.running(func(p *mPermit) bool { return p.dom == md }), concurrency)
	if mc.m.lim.RequestUnit {
		require.LessOrEqual(t, mc.m.asked(md, mc.m.now), Time(max(4, rate)))
	} else {
		require.LessOrEqual(t, mc.m.starts(md, mc.m.now), rate)
		require.LessOrEqual(t, mc.m.asked(md, mc.m.now), Time(mc.m.lim.Requests))
	}
	require.LessOrEqual(t, len(mc.m.permits), mc.m.lim.Pressure)
	require.GreaterOrEqual(t, mc.m.now, mc.m.healthAt(md, mc.m.now).until)
}

func (mc *machine) wait(t *rapid.T) {
	mc.late(t)
	mc.t.Wake(mc.m.now)
	require.Greater(t, mc.t.NextWake(), mc.m.now, "a wake-up that would come again at once")
	mc.t.Sweep(mc.m.now, rapid.IntRange(0, 2).Draw(t, "look"))
}

// late lets time pass without the wake-up, as inputs of the same instant do (T-02).
func (mc *machine) late(t *rapid.T) {
	by := rapid.SampledFrom([]Time{0, 1, value.Second, 7 * value.Second, 20 * value.Second, 59 * value.Second,
		60 * value.Second, 10 * value.Minute, value.Hour, -1, -1, -1, -2}).Draw(t, "by")
	switch wake := mc.t.NextWake(); {
	case by >= 0:
		mc.m.now += by
	case wake != value.Never && wake > mc.m.now:
		mc.m.now = wake - by - 1 // -1: on the instant; -2: just after
	}
}

func (mc *machine) start(t *rapid.T) {
	limited, by := rapid.Bool().Draw(t, "limited"), author(rapid.IntRange(0, machineAuthors-1).Draw(t, "author"))
	mc.with(t, func(d Dom, md *mDom) {
		free := mc.t.Free(d, mc.m.now, limited, by)
		if mc.woken() {
			require.Equal(t, mc.m.free(md, limited, by), free)
		} else if free {
			require.True(t, mc.m.free(md, limited, by))
		}
		if free {
			mc.begin(t, md, d, limited, by, rapid.IntRange(1, 40).Draw(t, "need"), nil)
		}
	})
}

func (mc *machine) park(t *rapid.T) {
	tk := &mTicket{limited: rapid.Bool().Draw(t, "limited"), author: author(rapid.IntRange(0, machineAuthors-1).Draw(t, "author"))}
	mc.with(t, func(d Dom, md *mDom) {
		tk.dom, tk.ahead = md, mc.m.inRing(md)
		tk.k = mc.t.Park(d, uint64(md.h), tk.limited, tk.author)
		mc.m.ring = append(mc.m.ring, tk)
		require.Equal(t, uint64(md.h), mc.t.Tag(tk.k))
		require.Equal(t, d, mc.t.Dom(tk.k))
	})
}

func (mc *machine) someTicket(t *rapid.T) *mTicket {
	if len(mc.m.ring) == 0 {
		t.Skip("no ticket")
	}
	return mc.m.ring[rapid.IntRange(0, len(mc.m.ring)-1).Draw(t, "ticket")]
}

func (mc *machine) eligible(t *rapid.T) {
	tk := mc.someTicket(t)
	tk.eligible = rapid.IntRange(0, 3).Draw(t, "eligible") > 0
	mc.t.SetEligible(tk.k, tk.eligible, mc.m.now)
}

func (mc *machine) unpark(t *rapid.T) { mc.leave(mc.someTicket(t)) }

func (mc *machine) leave(tk *mTicket) {
	mc.t.Unpark(tk.k, mc.m.now)
	i := slices.Index(mc.m.ring, tk)
	mc.m.ring = slices.Delete(mc.m.ring, i, i+1)
}

func (mc *machine) somePermit(t *rapid.T) *mPermit {
	if len(mc.m.permits) == 0 {
		t.Skip("no pass")
	}
	return mc.m.permits[rapid.IntRange(0, len(mc.m.permits)-1).Draw(t, "pass")]
}

func (mc *machine) end(t *rapid.T) { mc.finish(mc.somePermit(t)) }

func (mc *machine) finish(p *mPermit) {
	mc.t.End(&p.p, mc.m.now)
	i := slices.Index(mc.m.permits, p)
	mc.m.permits = slices.Delete(mc.m.permits, i, i+1)
}

func (mc *machine) take(t *rapid.T) {
	p, want := mc.somePermit(t), rapid.IntRange(0, 20).Draw(t, "want")
	require.Equal(t, mc.m.take(p, want), mc.t.TakeRequests(&p.p, mc.m.now, want))
}

func (mc *machine) spend(t *rapid.T) {
	p := mc.somePermit(t)
	require.Equal(t, p.left, Time(p.p.Left()))
	if p.left == 0 {
		return
	}
	n := rapid.IntRange(1, int(p.left)).Draw(t, "requests")
	mc.m.spend(p, n)
	mc.t.Spend(&p.p, mc.m.now, n)
}

func (mc *machine) join(t *rapid.T) {
	p := mc.somePermit(t)
	addr := [16]byte{15: byte(rapid.IntRange(0, 2).Draw(t, "address"))}
	none := [16]byte{}
	others := mc.m.running(func(o *mPermit) bool { return o.addr == addr })
	want := addr == none || p.addr != none || others < mc.m.lim.AddressPasses
	require.Equal(t, want, mc.t.JoinAddress(&p.p, addr))
	if want && p.addr == none {
		p.addr = addr
	}
}

func (mc *machine) fail(t *rapid.T) {
	p := mc.somePermit(t)
	f := Failure{Started: p.started, TLS: rapid.Bool().Draw(t, "tls")}
	f.RetryAfter = rapid.SampledFrom([]Time{0, 0, value.Second, value.Minute, 2 * value.Hour}).Draw(t, "retry")
	require.Equal(t, mc.m.fail(p.dom, f), mc.t.Fail(p.p.Dom, mc.m.now, f))
	if rapid.Bool().Draw(t, "end") {
		mc.finish(p)
	}
}

func (mc *machine) lookup(t *rapid.T) {
	p := mc.somePermit(t)
	f := Failure{Started: p.started, DNS: true}
	require.Equal(t, mc.m.fail(p.dom, f), mc.t.Fail(p.p.Dom, mc.m.now, f))
	mc.finish(p)
}

func (mc *machine) succeed(t *rapid.T) {
	p := mc.somePermit(t)
	require.Equal(t, mc.m.succeed(p.dom, p.started), mc.t.Succeed(p.p.Dom, mc.m.now, p.started))
}

func (mc *machine) stall(t *rapid.T) {
	p, url := mc.somePermit(t), rapid.IntRange(1, 3).Draw(t, "url")
	require.Equal(t, mc.m.stall(p.dom, Time(url), p.started), mc.t.Stall(p.p.Dom, Handle(url), mc.m.now, p.started))
	mc.finish(p)
}

func (mc *machine) reference(t *rapid.T) {
	h := rapid.IntRange(1, machineDomains).Draw(t, "domain")
	if mc.refs[h] == NoDom {
		mc.refs[h] = mc.t.Open(Handle(h))
		return
	}
	mc.t.Close(mc.refs[h])
	mc.refs[h] = NoDom
}

func (mc *machine) configure(t *rapid.T) {
	lim := rapid.SampledFrom(machineLimits).Draw(t, "limits")
	mc.m.lim = lim
	mc.t.SetLimits(lim, mc.m.now)
}

// idle ends everything and lets every memory run out (D-08, I-8).
func (mc *machine) idle(t *rapid.T) {
	for len(mc.m.ring) > 0 {
		mc.leave(mc.m.ring[0])
	}
	for len(mc.m.permits) > 0 {
		mc.finish(mc.m.permits[0])
	}
	for h, d := range mc.refs {
		if d != NoDom {
			mc.t.Close(d)
			mc.refs[h] = NoDom
		}
	}
	require.NoError(t, mc.t.Check())
	require.Equal(t, value.Never, mc.t.NextWake())
	_, ok := mc.t.NextGrant(mc.m.now)
	require.False(t, ok)
	mc.m.now += value.Day
	require.Equal(t, Use{}, mc.t.Use(mc.m.now))
	require.NoError(t, mc.t.Check())
}
