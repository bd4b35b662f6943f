package sim

import (
	"testing"

	"github.com/stretchr/testify/require"

	"graspsync/core"
	"graspsync/core/value"
)

// script feeds an oracle a log written by hand: what a broken core would have done.
type script struct {
	t *testing.T
	o *Oracle
	n uint64
}

func newScript(t *testing.T, change func(*Setup)) *script {
	s := &Setup{Config: core.DefaultConfig()}
	if change != nil {
		change(s)
	}
	o := NewOracle(s)
	o.promises.longest = core.Day // scripts tell deadlines as they need them
	return &script{t: t, o: o}
}

func (s *script) at(now core.Time, in core.Input, out ...core.Effect) *script {
	s.n++
	s.o.Observe(Observed{Step: s.n, Now: now, In: &in, Out: out})
	return s
}

// caught demands that exactly this invariant was found, once, at the last step.
func (s *script) caught(id, text string) {
	s.t.Helper()
	v := s.o.Violations()
	require.Len(s.t, v, 1)
	require.Equal(s.t, id, v[0].ID)
	require.Contains(s.t, v[0].Text, text)
	require.Equal(s.t, s.n, v[0].Step)
}

func (s *script) clean() *script {
	s.t.Helper()
	require.Empty(s.t, s.o.Violations())
	return s
}

func (s *script) finish(end core.Time) *script {
	s.o.Finish(s.n, end)
	return s
}

var wake = core.Input{Kind: core.InWake}

// passID is the id of pass n, in a slot of its own.
func passID(n int) core.AskID { return core.AskID(n<<askSlotBits | n) }

// start is pass n of a hunt: to URL n of a domain.
func start(n int, hunt core.HuntID, domain core.Handle) core.Effect {
	return core.Effect{Kind: core.EfCompare, Ask: passID(n), Hunt: hunt, URL: core.Handle(1000 + n), Domain: domain}
}

func hedged(e core.Effect) core.Effect { e.Hedge = true; return e }

func end(n int) core.Input { return core.Input{Kind: core.InPassEnded, Ask: passID(n)} }

func report(kind core.ReportKind, change func(*core.Effect)) core.Effect {
	e := core.Effect{Kind: core.EfReport, Report: kind}
	if change != nil {
		change(&e)
	}
	return e
}

// The sixth pass in flight on a domain. I-2 D-01
func TestOracleConcurrency(t *testing.T) {
	s := newScript(t, nil)
	for i := 1; i <= 5; i++ {
		s.at(0, wake, start(i, core.HuntID(i), 7))
	}
	s.at(0, wake, start(6, 6, 8)).clean() // another domain
	s.at(1, end(1), start(7, 7, 7)).clean()
	s.at(1, end(1), start(8, 8, 7)).caught("I-2", "5 passes run there, at most 5")
}

// Overrides count, and a changed configuration does. I-2 D-01
func TestOracleOverride(t *testing.T) {
	limit := func(s *Setup) { s.Config.Overrides = []core.DomainLimit{{Domain: 7, Concurrency: 1, Rate: 2}} }
	newScript(t, limit).at(0, wake, start(1, 1, 7), start(2, 2, 8)).clean().at(0, wake, start(3, 3, 7)).caught("I-2", "at most 1 may")
	c := core.DefaultConfig()
	c.DomainConcurrency = 0
	newScript(t, nil).at(0, wake, start(1, 1, 7)).clean().
		at(1, core.Input{Kind: core.InConfigChanged, Config: &c}, start(2, 2, 9)).caught("I-2", "at most 0 may")
}

// Thirty starts in a half-open window: the 31st is early one nanosecond before the first is 60 s old,
// and right at 60 s. I-2 D-01
func TestOracleWindow(t *testing.T) {
	thirty := func() *script {
		s := newScript(t, nil)
		for i := 1; i <= 30; i++ {
			s.at(core.Time(i)*core.Second, wake, start(i, core.HuntID(i), 7)).at(core.Time(i)*core.Second, end(i))
		}
		return s.clean()
	}
	thirty().at(61*core.Second, wake, start(31, 31, 7)).clean()
	thirty().at(61*core.Second-1, wake, start(31, 31, 7)).caught("I-2", "is number 31 since 1s, at most 30")
	// The ring goes on: after the 31st, the second start is the oldest.
	s := thirty().at(61*core.Second, wake, start(31, 31, 7)).at(61*core.Second, end(31))
	s.at(62*core.Second-1, wake, start(32, 32, 7)).caught("I-2", "is number 31 since 2s")
}

// A lowered rate keeps the stamps that are there. I-2
func TestOracleRateLowered(t *testing.T) {
	s := newScript(t, nil)
	for i := 1; i <= 10; i++ {
		s.at(core.Time(i)*core.Second, wake, start(i, core.HuntID(i), 7)).at(core.Time(i)*core.Second, end(i))
	}
	c := core.DefaultConfig()
	c.DomainRate = 4
	s.at(20*core.Second, core.Input{Kind: core.InConfigChanged, Config: &c}).clean()
	s.at(66*core.Second, wake, start(11, 11, 7)).caught("I-2", "is number 5 since 7s, at most 4")
}

// The 33rd pass in the whole process. D-04 I-2
func TestOraclePressure(t *testing.T) {
	s := newScript(t, nil)
	for i := 1; i <= 32; i++ {
		s.at(0, wake, start(i, core.HuntID(i), core.Handle(i)))
	}
	s.clean().at(0, wake, start(33, 33, 33)).caught("I-2", "32 passes run in all")
}

// A start in a cool-down that the core announced. I-2 D-07
func TestOracleToldCooling(t *testing.T) {
	cool := report(core.RepCooling, func(e *core.Effect) { e.Domain, e.Deadline = 7, 20*core.Second })
	newScript(t, nil).at(0, wake, cool).at(20*core.Second, wake, start(1, 1, 7)).clean()
	newScript(t, nil).at(0, wake, cool).at(20*core.Second-1, wake, start(1, 1, 7)).caught("I-2", "in its cool-down, which lasts until 20s")
	newScript(t, nil).at(0, wake, cool).at(1, wake, report(core.RepDomainOK, func(e *core.Effect) { e.Domain = 7 })).
		at(2, wake, start(1, 1, 7)).clean()
}

// A start too soon after a failure that must cool the domain, though the core never said it would. I-2 D-07
func TestOracleUntoldCooling(t *testing.T) {
	failed := func(class core.Class, retry core.Time) *script {
		return newScript(t, nil).at(0, wake, start(1, 1, 7)).
			at(core.Second, core.Input{Kind: core.InCompared, Ask: passID(1), Class: class, RetryAfter: retry}).at(core.Second, end(1))
	}
	failed(core.ServerError, 0).at(21*core.Second, wake, start(2, 2, 7)).clean()
	failed(core.ServerError, 0).at(20*core.Second, wake, start(2, 2, 7)).caught("I-2", "must rest until 21s")
	failed(core.TooManyRequests, 90*core.Second).at(90*core.Second, wake, start(2, 2, 7)).caught("I-2", "must rest until 91s")
	failed(core.TooManyRequests, 9*core.Hour).at(core.Hour+core.Second, wake, start(2, 2, 7)).clean() // honoured up to an hour
	failed(core.NotFound, 0).at(core.Second, wake, start(2, 2, 7)).clean()                            // says nothing about the domain
}

// A failure of a pass that began before the cool-down is of the same round and adds nothing. D-07 I-2
func TestOracleSameRound(t *testing.T) {
	bad := func(n int) core.Input { return core.Input{Kind: core.InCompared, Ask: passID(n), Class: core.Reset} }
	s := newScript(t, nil).at(0, wake, start(1, 1, 7), start(2, 2, 7)).at(core.Second, bad(1)).at(15*core.Second, bad(2))
	s.at(15*core.Second, end(1)).at(15*core.Second, end(2)).at(21*core.Second, wake, start(3, 3, 7)).clean()
	// A refund takes the charge back.
	newScript(t, nil).at(0, wake, start(1, 1, 7)).at(1, bad(1)).at(1, end(1)).at(2, wake, report(core.RepLocalFault, nil)).
		at(3, wake, start(2, 2, 7)).clean()
}

// Third pass of a wave; second on the same domain; second on the same URL. I-3 H-01
func TestOracleWaves(t *testing.T) {
	two := func() *script {
		return newScript(t, nil).at(0, wake, start(1, 1, 7)).at(30*core.Second, wake, hedged(start(2, 1, 8))).clean()
	}
	two().at(60*core.Second, wake, hedged(start(3, 1, 9))).caught("I-3", "while 2 passes of its main wave run")
	two().at(60*core.Second, end(1), hedged(start(3, 1, 9))).clean()
	two().at(60*core.Second, end(1), hedged(start(3, 1, 8))).caught("I-3", "runs on domain #8")
	same := hedged(start(3, 1, 9))
	same.URL = 1001
	newScript(t, nil).at(0, wake, start(1, 1, 7)).at(core.Minute, wake, same).caught("I-3", "runs on that URL")
	pr := start(3, 1, 7)
	pr.Wave = core.PRWave
	two().at(60*core.Second, wake, pr).clean() // a wave of its own
}

// A pass beside another says that it is a hedge, and no other does. I-3 H-02
func TestOracleHedgeFlag(t *testing.T) {
	newScript(t, nil).at(0, wake, hedged(start(1, 1, 7))).caught("I-3", "hedge=true while 0 passes")
	newScript(t, nil).at(0, wake, start(1, 1, 7)).at(core.Minute, wake, start(2, 1, 8)).caught("I-3", "hedge=false while 1 passes")
}

// A hedge before the head start; none is needed after a pass of the wave has ended. H-02 H-03
func TestOracleHeadStart(t *testing.T) {
	newScript(t, nil).at(0, wake, start(1, 1, 7)).at(30*core.Second-1, wake, hedged(start(2, 1, 8))).caught("H-02", "whose head start is 30s")
	s := newScript(t, nil).at(0, wake, start(1, 1, 7)).at(30*core.Second, wake, hedged(start(2, 1, 8)))
	s.at(31*core.Second, end(1)).at(31*core.Second, wake, hedged(start(3, 1, 9))).clean()
}

// A merged wave may hold more than two, but nothing starts beside two. I-3 Q-02
func TestOracleMergedWave(t *testing.T) {
	s := newScript(t, nil).at(0, wake, start(1, 1, 7), start(2, 2, 8)).at(core.Minute, wake, hedged(start(3, 1, 9)))
	s.at(2*core.Minute, wake, report(core.RepHuntMerged, func(e *core.Effect) { e.Hunt, e.Into = 2, 1 })).clean()
	s.at(2*core.Minute, end(1)).at(2*core.Minute, wake, hedged(start(4, 1, 10))).caught("I-3", "while 2 passes")
}

// A lost process ends its passes. R-03 I-2
func TestOracleRestart(t *testing.T) {
	c := func(s *Setup) { s.Config.DomainConcurrency = 1 }
	newScript(t, c).at(0, wake, start(1, 1, 7)).at(1, core.Input{Kind: core.InRestarted}, start(2, 1, 7)).clean()
}

// Hosts and URLs nobody may ask, named by the setup or by an event. I-18 U-02
func TestOracleForbidden(t *testing.T) {
	newScript(t, func(s *Setup) { s.Forbidden = []core.Handle{7} }).at(0, wake, start(1, 1, 8)).clean().
		at(0, wake, start(2, 2, 7)).caught("I-18", "must never be contacted")
	fetch := core.Effect{Kind: core.EfFetch, Ask: passID(1), URL: 55, Domain: 8}
	newScript(t, func(s *Setup) { s.Forbidden = []core.Handle{55} }).at(0, wake, start(1, 1, 8)).at(1, wake, fetch).caught("I-18", "fetch to #55")
	own := core.Event{ID: toyID(1), Sources: []core.Source{{URL: 1001, Domain: 7, Class: core.Own}}}
	newScript(t, nil).at(0, core.Input{Kind: core.InEvent, Event: &own}).at(1, wake, start(1, 1, 7)).caught("I-18", "compare")
	private := core.Event{ID: toyID(1), Sources: []core.Source{{URL: 1001, Domain: 7, Class: core.Private}}}
	newScript(t, func(s *Setup) { s.Config.AllowPrivate = true }).at(0, core.Input{Kind: core.InEvent, Event: &private}).
		at(1, wake, start(1, 1, 7)).clean()
	newScript(t, nil).at(0, core.Input{Kind: core.InEvent, Event: &private}).at(1, wake, start(1, 1, 7)).caught("I-18", "compare")
}

// The 41st request within half an hour to a host that never answered. I-14
func TestOracleDeadHost(t *testing.T) {
	ask := func(o *Oracle, at core.Time, a Reply) { o.Asked(1, at, &Request{Domain: 7}, &a) }
	forty := func() *Oracle {
		o := newScript(t, nil).o
		for i := range core.Time(40) {
			ask(o, i*core.Second, Reply{Class: core.Refused, Requests: 1})
		}
		require.Empty(t, o.Violations())
		return o
	}
	o := forty()
	ask(o, 30*core.Minute, Reply{Class: core.Refused, Requests: 1})
	require.Empty(t, o.Violations())
	o = forty()
	ask(o, 30*core.Minute-1, Reply{After: NoReply})
	require.Len(t, o.Violations(), 1)
	require.Equal(t, "I-14", o.Violations()[0].ID)
	o = forty()
	ask(o, core.Minute, Reply{Status: 200}) // it lives
	ask(o, core.Minute, Reply{Class: core.Refused, Requests: 1})
	require.Empty(t, o.Violations())
}

// Findings are bounded, and the rest is counted.
func TestOracleBoundsItsFindings(t *testing.T) {
	s := newScript(t, func(s *Setup) { s.Forbidden, s.Names = []core.Handle{1}, new(value.Names) })
	s.o.names.Handle("bad.example")
	for range maxViolations + 5 {
		s.at(0, wake, core.Effect{Kind: core.EfFetch, Domain: 1})
	}
	v := s.o.Violations()
	require.Len(t, v, maxViolations+1)
	require.Contains(t, v[0].Text, "on bad.example")
	require.Equal(t, "5 more findings left out", v[maxViolations].Text)
}

// In any window a domain is to answer no more requests than its limit: compare 1, fetch 3, probe 1. D-03
func TestOracleRequests(t *testing.T) {
	ask := func(kind core.EffectKind, n int) core.Effect {
		e := start(n, core.HuntID(n), 7)
		e.Kind = kind
		return e
	}
	full := func(change func(*Setup)) *script { // 240: one comparison, one fetch, and probes
		s := newScript(t, change).at(0, wake, start(1, 1, 7)).at(0, wake, ask(core.EfFetch, 1))
		for range 236 {
			s.at(core.Second, wake, ask(core.EfProbe, 1))
		}
		return s.clean()
	}
	full(nil).at(core.Minute-1, wake, ask(core.EfProbe, 1)).caught("D-03", "makes 241 requests to #7 in 60s, at most 240 may be")
	full(nil).at(core.Minute, wake, ask(core.EfProbe, 1), ask(core.EfFetch, 1)).clean() // the first four are 60 s old
	full(nil).at(core.Minute, wake, ask(core.EfFetch, 1), ask(core.EfFetch, 1)).caught("D-03", "fetch makes 242")
	full(nil).at(core.Minute-1, wake, start(2, 2, 8)).clean() // another domain

	unit := func(s *Setup) { s.Config.RequestUnit = true }
	s := newScript(t, unit).at(0, wake, start(1, 1, 7))
	for range 29 {
		s.at(0, wake, ask(core.EfProbe, 1))
	}
	s.clean().at(1, wake, ask(core.EfProbe, 1)).caught("D-03", "makes 31 requests to #7 in 60s, at most 30 may be")
}

// Ten passes run against one address; an eleventh that learns it goes there too must ask nothing. D-03
func TestOracleAddress(t *testing.T) {
	compared := func(n int, last byte) core.Input {
		return core.Input{Kind: core.InCompared, Ask: passID(n), Address: [16]byte{15: last}}
	}
	fetch := func(n int) core.Effect {
		e := start(n, core.HuntID(n), core.Handle(n))
		e.Kind = core.EfFetch
		return e
	}
	ten := func() *script {
		s := newScript(t, nil)
		for i := 1; i <= 12; i++ {
			s.at(0, wake, start(i, core.HuntID(i), core.Handle(i)))
		}
		for i := 1; i <= 10; i++ {
			s.at(1, compared(i, 9), fetch(i)).at(1, compared(i, 9)) // a duplicate counts once
		}
		return s.clean()
	}
	ten().at(2, compared(11, 9), fetch(11)).caught("D-03", "whose address had 10 passes already")
	ten().at(2, compared(11, 8), fetch(11)).clean() // another address
	ten().at(2, compared(11, 0), fetch(11)).clean() // unknown
	ten().at(2, compared(11, 9), core.Effect{Kind: core.EfEndPass, Ask: passID(11)}).clean()
	ten().at(2, end(3)).at(2, compared(11, 9), fetch(11)).clean()
	ten().at(2, end(3)).at(2, compared(11, 9), fetch(11)).at(2, compared(12, 9), fetch(12)).caught("D-03", "address had 10")
	cancel := core.Effect{Kind: core.EfCancelPass, Ask: passID(11)}
	ten().at(2, end(3)).at(2, wake, cancel).at(2, compared(11, 9)).at(2, compared(12, 9), fetch(12)).clean()
}

// Passes to sources that only pull requests name take half of the slots, no more. H-07
func TestOraclePRShare(t *testing.T) {
	pr := func(n int) core.Effect {
		e := start(n, core.HuntID(n), core.Handle(n))
		e.Wave = core.PRWave
		return e
	}
	half := func() *script {
		s := newScript(t, nil)
		for i := 1; i <= 16; i++ {
			s.at(0, wake, pr(i))
		}
		return s.clean()
	}
	half().at(0, wake, start(17, 17, 17)).clean()
	half().at(0, end(4), pr(17)).clean()
	half().at(0, wake, pr(17)).caught("H-07", "while 16 such passes run, at most 16 may")
	newScript(t, func(s *Setup) { s.Config.Pressure = 1 }).at(0, wake, pr(1)).clean()
}

// A pass that ends in the instant in which the hedge began, but after it, frees the next source. H-02 H-03
func TestOracleEndInTheInstantOfAHedge(t *testing.T) {
	begun := func() *script {
		return newScript(t, nil).at(0, wake, start(1, 1, 7)).at(30*core.Second, wake, hedged(start(2, 1, 8)))
	}
	begun().at(30*core.Second, end(1), hedged(start(3, 1, 9))).clean()
	newScript(t, nil).at(0, wake, start(1, 1, 7)).at(30*core.Second, end(1), start(2, 1, 8)).
		at(30*core.Second, wake, hedged(start(3, 1, 9))).caught("H-02", "only 0s after pass")
}
