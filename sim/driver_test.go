package sim

import (
	"testing"

	"github.com/stretchr/testify/require"

	"graspsync/core"
	"graspsync/core/value"
)

// acts is a machine that does what a test tells it for each input, and notes what it was told.
type acts struct {
	on   func(now core.Time, in *core.Input) []core.Effect
	seen []seen
}

type seen struct {
	at core.Time
	in core.Input
}

func (m *acts) Step(now core.Time, in core.Input, out []core.Effect) []core.Effect {
	c := in
	c.OIDs = append([]core.OID(nil), in.OIDs...)
	m.seen = append(m.seen, seen{now, c})
	return append(out, m.on(now, &in)...)
}
func (m *acts) Next() (core.Time, bool) { return 0, false }
func (m *acts) Check() error            { return nil }

// of are the inputs of one kind.
func (m *acts) of(kind core.InputKind) (list []seen) {
	for _, s := range m.seen {
		if s.in.Kind == kind {
			list = append(list, s)
		}
	}
	return list
}

const (
	testURL core.Handle = iota + 1
	testHost
	testRepo
	testMain
)

// drive runs a machine that answers inputs with effects; "go" is an arrival at instant 0.
func drive(t *testing.T, change func(*Setup), answer func(core.Time, *Request, *Reply), on func(core.Time, *core.Input) []core.Effect) (*acts, Result) {
	names := new(value.Names)
	for _, s := range []string{"https://h.example/x", "h.example", "repo", "refs/heads/main"} {
		names.Handle(s)
	}
	m := &acts{on: on}
	s := Setup{Seed: 1, Config: core.DefaultConfig(), Names: names, Remote: &toyRemote{answer: answer}, Local: newToyGit(), Store: toyStore{},
		Horizon: 2 * core.Hour, Arrivals: []Arrival{{Input: core.Input{Kind: core.InShutdown}}},
		Checks: ChecksOff, New: func(core.Config) (Machine, error) { return m, nil }}
	if change != nil {
		change(&s)
	}
	w, err := NewWorld(s)
	require.NoError(t, err)
	return m, w.Run()
}

func ofPass(kind core.EffectKind, oids ...core.OID) core.Effect {
	return core.Effect{Kind: kind, Ask: passID(1), URL: testURL, Domain: testHost, Repo: testRepo, OIDs: oids}
}

// first answers the opening input with one list of effects and later ones by kind.
func first(open []core.Effect, then map[core.InputKind][]core.Effect) func(core.Time, *core.Input) []core.Effect {
	return func(_ core.Time, in *core.Input) []core.Effect {
		if in.Kind == core.InShutdown {
			return open
		}
		return then[in.Kind]
	}
}

var compareOnly = first([]core.Effect{ofPass(core.EfCompare, toyOID(1))}, map[core.InputKind][]core.Effect{core.InCompared: {ofPass(core.EfEndPass)}})

// Silence for the stall limit ends a request as stalled after the kill grace. H-06
func TestDriverStalls(t *testing.T) {
	for _, c := range []struct {
		name  string
		reply Reply
		at    core.Time
		class core.Class
	}{
		{"never answers", Reply{After: NoReply}, 310 * core.Second, core.Stalled},
		{"just in time", Reply{After: 300*core.Second - 1}, 300*core.Second - 1, core.OK},
		{"silent too long", Reply{After: 300 * core.Second}, 310 * core.Second, core.Stalled},
		{"silent at its end", Reply{After: 1000 * core.Second, Silent: 300 * core.Second, Bytes: 1}, 1010 * core.Second, core.Stalled},
		{"slow but never silent", Reply{After: 1000 * core.Second, Silent: 299 * core.Second, Bytes: 1}, 1000 * core.Second, core.OK},
	} {
		m, _ := drive(t, nil, func(_ core.Time, _ *Request, a *Reply) { *a = c.reply }, compareOnly)
		got := m.of(core.InCompared)
		require.Len(t, got, 1, c.name)
		require.Equal(t, c.at, got[0].at, c.name)
		require.Equal(t, c.class, got[0].in.Class, c.name)
		require.Len(t, m.of(core.InPassEnded), 1, c.name)
	}
}

// A pass counts requests and bytes; what is fetched is there when the completion says so. D-02 F-08
func TestDriverPass(t *testing.T) {
	git := newToyGit()
	m, res := drive(t, func(s *Setup) { s.Local = git; s.Driver.End = core.Second }, func(_ core.Time, q *Request, a *Reply) {
		a.After, a.Bytes, a.Requests = 2*core.Second, 500, 2
		a.OIDs = append(a.OIDs, q.OIDs...)
		require.Equal(t, testURL, q.URL)
		require.Equal(t, testHost, q.Domain)
		require.Equal(t, testRepo, q.Repo)
	}, first([]core.Effect{ofPass(core.EfCompare, toyOID(2), toyOID(1))}, map[core.InputKind][]core.Effect{
		core.InCompared: {ofPass(core.EfFetch, toyOID(2))},
		core.InFetched:  {ofPass(core.EfProbe, toyOID(1)), ofPass(core.EfProbe, toyOID(3))},
	}))
	require.Equal(t, []core.OID{toyOID(2)}, m.of(core.InFetched)[0].in.OIDs)
	require.Equal(t, int64(1000), m.of(core.InFetched)[0].in.Bytes)
	probed := m.of(core.InProbed)
	require.Len(t, probed, 2, "probes queue on the pass's one connection")
	require.Equal(t, []core.OID{toyOID(1)}, probed[0].in.OIDs)
	require.Equal(t, []core.OID{toyOID(3)}, probed[1].in.OIDs)
	require.Equal(t, []core.Time{6 * core.Second, 8 * core.Second}, []core.Time{probed[0].at, probed[1].at})
	require.Equal(t, int64(8), res.Counts.Requests)
	require.Empty(t, res.Violations)
	require.Empty(t, m.of(core.InPassEnded), "nobody ended it")
}

// A long transfer reports its bytes every ten seconds, evenly, and not while nothing moves. H-06
func TestDriverProgress(t *testing.T) {
	m, _ := drive(t, nil, func(_ core.Time, q *Request, a *Reply) {
		if q.Kind == AskFetch {
			a.After, a.Bytes = 40*core.Second, 4000
		}
	}, first([]core.Effect{ofPass(core.EfCompare, toyOID(1))}, map[core.InputKind][]core.Effect{
		core.InCompared: {ofPass(core.EfFetch, toyOID(1))}, core.InFetched: {ofPass(core.EfEndPass)}}))
	var at []core.Time
	var bytes []int64
	for _, p := range m.of(core.InProgress) {
		at, bytes = append(at, p.at), append(bytes, p.in.Bytes)
	}
	require.Equal(t, []core.Time{10 * core.Second, 20 * core.Second, 30 * core.Second}, at)
	require.Equal(t, []int64{1000, 2000, 3000}, bytes)
	require.Equal(t, int64(4000), m.of(core.InPassEnded)[0].in.Bytes)
}

// A cancelled pass ends with a report alone, within the kill grace, and counts what had come. T-04 D-02
func TestDriverCancel(t *testing.T) {
	cancelAt := func(change func(*Setup)) *acts {
		m, res := drive(t, func(s *Setup) {
			s.Arrivals = append(s.Arrivals, Arrival{At: 15 * core.Second, Input: core.Input{Kind: core.InRemove}})
			change(s)
		}, func(_ core.Time, q *Request, a *Reply) { a.After, a.Bytes, a.Requests = 30*core.Second, 3000, 1 },
			first([]core.Effect{ofPass(core.EfCompare, toyOID(1))}, map[core.InputKind][]core.Effect{core.InRemove: {ofPass(core.EfCancelPass), ofPass(core.EfCancelPass)}}))
		require.Equal(t, int64(1), res.Counts.Cancelled)
		require.Empty(t, res.Violations)
		return m
	}
	m := cancelAt(func(s *Setup) { s.Driver.Cancel = core.Hour })
	require.Empty(t, m.of(core.InCompared))
	ended := m.of(core.InPassEnded)
	require.Len(t, ended, 1)
	require.Equal(t, 25*core.Second, ended[0].at, "at most the kill grace")
	require.Equal(t, core.Cancelled, ended[0].in.Class)
	require.Equal(t, [2]int64{1500, 1}, [2]int64{ended[0].in.Bytes, int64(ended[0].in.Requests)})
	// The answer may be delivered all the same, late.
	m = cancelAt(func(s *Setup) { s.Driver.AfterEnd = Ratio{1, 1} })
	require.Len(t, m.of(core.InCompared), 1)
	require.Equal(t, 30*core.Second, m.of(core.InCompared)[0].at)
	require.Equal(t, 15*core.Second, m.of(core.InPassEnded)[0].at)
}

// Each local request is performed once, completed after its delay, and fails or is lost as told. T-04
func TestDriverLocalWork(t *testing.T) {
	id := toyID(1)
	ask := func(n int, kind core.EffectKind) core.Effect {
		return core.Effect{Kind: kind, Ask: passID(n), Repo: testRepo, From: testRepo, Event: id, OIDs: []core.OID{toyOID(1)}}
	}
	all := []core.Effect{ask(1, core.EfCheckObjects), ask(2, core.EfCopyObjects), ask(3, core.EfAlignRefs), ask(4, core.EfStoreEvent),
		ask(5, core.EfRemoveEvent), ask(6, core.EfCreateRepo), ask(7, core.EfDeleteRepo), ask(8, core.EfDeleteRepoIfNoRefs)}
	kinds := []core.InputKind{core.InChecked, core.InCopied, core.InAligned, core.InStored, core.InRemoved, core.InRepoCreated, core.InRepoDeleted}
	work := func(s *Setup, w Work) {
		s.Driver.Check, s.Driver.Copy, s.Driver.Align, s.Driver.Store, s.Driver.Remove, s.Driver.Create, s.Driver.Delete = w, w, w, w, w, w, w
	}
	m, _ := drive(t, func(s *Setup) { work(s, Work{Delay: core.Second}) }, serve, first(all, nil))
	require.Len(t, m.seen, 9)
	for _, k := range kinds {
		for _, s := range m.of(k) {
			require.Equal(t, core.Second, s.at, k)
			require.Equal(t, core.OK, s.in.Class, k)
		}
	}
	require.Equal(t, core.StoredOK, m.of(core.InStored)[0].in.Verdict)
	git := newToyGit()
	m, _ = drive(t, func(s *Setup) { s.Local = git; work(s, Work{FailFirst: 9}) }, serve, first(all, nil))
	require.Len(t, m.seen, 9)
	require.Zero(t, git.calls, "what fails is not done")
	require.Equal(t, core.StoreFailed, m.of(core.InStored)[0].in.Verdict)
	require.Equal(t, core.LocalFault, m.of(core.InAligned)[0].in.Class)
	m, _ = drive(t, func(s *Setup) { work(s, Work{LoseFirst: 9}) }, serve, first(all, nil))
	require.Len(t, m.seen, 1)
	m, _ = drive(t, func(s *Setup) { work(s, Work{Spread: core.Minute}) }, serve, first(all, nil))
	require.Len(t, m.seen, 9)
	require.NotEqual(t, m.of(core.InCopied)[0].at, m.of(core.InAligned)[0].at)
}

// Duplicate and mistaken completions come besides the true one. T-04
func TestDriverEchoes(t *testing.T) {
	check := core.Effect{Kind: core.EfCheckObjects, Ask: passID(1), Repo: testRepo, OIDs: []core.OID{toyOID(1)}}
	git := newToyGit()
	git.Receive(testRepo, []core.OID{toyOID(1)})
	m, _ := drive(t, func(s *Setup) {
		s.Local = git
		s.Driver.Duplicate, s.Driver.Again, s.Driver.Stray = Ratio{1, 1}, core.Minute, Ratio{1, 1}
	}, serve, first([]core.Effect{check}, nil))
	got := m.of(core.InChecked)
	require.Len(t, got, 3)
	for _, s := range got {
		require.Equal(t, []core.OID{toyOID(1)}, s.in.OIDs)
	}
	require.Equal(t, passID(1), got[0].in.Ask)
	require.Equal(t, 1, countAsk(got[1:], passID(1)), "one duplicate, one stray")
}

func countAsk(list []seen, ask core.AskID) (n int) {
	for _, s := range list {
		if s.in.Ask == ask {
			n++
		}
	}
	return n
}

// What the core asks of a pass that is not running is its mistake, and named. T-04
func TestDriverRefusesNonsense(t *testing.T) {
	for _, e := range []core.Effect{ofPass(core.EfFetch), ofPass(core.EfProbe), ofPass(core.EfEndPass), {Kind: core.EfPushVerdict}, {Kind: core.EfAnswerPush}} {
		_, res := drive(t, nil, serve, first([]core.Effect{e}, nil))
		require.Len(t, res.Violations, 1, e.Kind)
		require.Equal(t, "T-04", res.Violations[0].ID)
	}
	_, res := drive(t, nil, serve, first([]core.Effect{ofPass(core.EfCompare), ofPass(core.EfCompare)}, nil))
	require.Contains(t, res.Violations[0].Text, "was started twice")
	_, res = drive(t, nil, serve, first([]core.Effect{ofPass(core.EfCompare), ofPass(core.EfEndPass)}, nil))
	require.Contains(t, res.Violations[0].Text, "while its compare is not answered")
}

// A push: verdict, upload, refs, end, answer; refused, and refused under the lock. P-02 P-04 P-05
func TestDriverPush(t *testing.T) {
	user := &UserPush{Push: core.Push{ID: 9, Repo: core.Coordinate{Repo: testRepo},
		Updates: []core.RefUpdate{{Name: testMain, New: toyOID(1)}}}, OIDs: []core.OID{toyOID(1)}, Upload: 5 * core.Second}
	verdict := func(ok bool) []core.Effect { return []core.Effect{{Kind: core.EfPushVerdict, Push: 9, OK: ok}} }
	run := func(recheck bool, then map[core.InputKind][]core.Effect) (*acts, Result, *toyGit) {
		git := newToyGit()
		m, res := drive(t, func(s *Setup) {
			s.Arrivals, s.Local, s.Driver.Recheck = []Arrival{{Push: user}}, git, recheck
		}, serve, first(nil, then))
		require.Empty(t, res.Violations)
		return m, res, git
	}
	done := []core.Effect{{Kind: core.EfAnswerPush, Push: 9, OK: true}}
	m, res, git := run(false, map[core.InputKind][]core.Effect{core.InPushAsked: verdict(true), core.InPushEnded: done})
	ended := m.of(core.InPushEnded)
	require.Len(t, ended, 1)
	require.Equal(t, 5*core.Second, ended[0].at)
	require.True(t, ended[0].in.Push.Moved)
	require.Equal(t, []core.Ref{{Name: testMain, OID: toyOID(1)}}, git.refs[testRepo])
	require.Len(t, git.Check(testRepo, user.OIDs, nil), 1)
	require.Equal(t, [2]int64{1, 1}, [2]int64{res.Counts.Pushes, res.Counts.PushesAllowed})

	m, res, git = run(false, map[core.InputKind][]core.Effect{core.InPushAsked: verdict(false)})
	require.Empty(t, m.of(core.InPushEnded))
	require.Empty(t, git.refs)
	require.Zero(t, res.Counts.PushesAllowed)

	m, _, git = run(true, map[core.InputKind][]core.Effect{core.InPushAsked: verdict(true), core.InPushRecheck: verdict(false), core.InPushEnded: done})
	require.Equal(t, core.Forbidden, m.of(core.InPushEnded)[0].in.Class)
	require.Empty(t, git.refs)

	m, _, git = run(true, map[core.InputKind][]core.Effect{core.InPushAsked: verdict(true), core.InPushRecheck: verdict(true), core.InPushEnded: done})
	require.Equal(t, core.OK, m.of(core.InPushEnded)[0].in.Class)
	require.Len(t, git.refs[testRepo], 1)
}

// Wake faults: a late one by at most LateBy, an early one that finds nothing due. T-02
func TestDriverWakes(t *testing.T) {
	s, m := toySetup(5, 1, serve)
	s.Driver.EarlyWake = Ratio{1, 1}
	res, _ := runToy(t, s)
	require.Empty(t, res.Violations)
	require.Equal(t, int64(5), res.Counts.Released)
	require.Positive(t, m.early)

	s, _ = toySetup(5, 1, serve)
	s.Driver.LateWake, s.Driver.LateBy = Ratio{1, 1}, 10*core.Second
	res, w := runToy(t, s)
	require.Equal(t, int64(5), res.Counts.Released)
	late := false
	for _, a := range w.Record().Attempts {
		late = late || a.Start%core.Second != 0
	}
	require.True(t, late)
}

// git that cannot start: a local fault, and no remote is asked. D-07
func TestDriverWithoutGit(t *testing.T) {
	remote := &toyRemote{answer: serve}
	m, _ := drive(t, func(s *Setup) { s.Remote, s.Driver.GitMissing = remote, Ratio{1, 1} }, nil, compareOnly)
	require.Equal(t, core.LocalFault, m.of(core.InCompared)[0].in.Class)
	require.Empty(t, remote.asked)
}
