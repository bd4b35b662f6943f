package sim

import (
	"encoding/binary"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"graspsync/core"
	"graspsync/core/value"
)

// toy is a stand-in for the core in tests of the kernel: it holds each synced event, asks its one source
// every 20 s until the commit is here, stores the event, and gives up at the deadline. It keeps no rule
// about domains.
type toy struct {
	cfg   core.Config
	now   core.Time
	jobs  []*toyJob
	seq   uint64
	early int // wakes with nothing due
	seen  []core.Input
	check error

	effect func(*core.Effect) // for planting faults
}

type toyJob struct {
	event    core.EventID
	src      core.Source
	repo     core.Handle
	commit   core.OID
	hunt     core.HuntID
	ask      core.AskID // pass, or store
	fetching bool
	got      bool
	next     core.Time
	deadline core.Time
	attempt  uint32
	over     bool
}

func (t *toy) Check() error { return t.check }

func (t *toy) Next() (core.Time, bool) {
	at := core.Never
	for _, j := range t.jobs {
		if !j.over && j.ask == 0 {
			at = min(at, j.next, j.deadline)
		}
	}
	return at, at != core.Never
}

func (t *toy) id(j *toyJob) core.AskID {
	t.seq++
	return core.AskID(t.seq<<askSlotBits | uint64(j.hunt))
}

func (t *toy) Step(now core.Time, in core.Input, out []core.Effect) []core.Effect {
	t.now = now
	t.seen = append(t.seen, in)
	from := len(out)
	switch in.Kind {
	case core.InEvent:
		out = t.event(&in, out)
	case core.InWake:
		n := len(out)
		for _, j := range t.jobs {
			out = t.fire(j, out)
		}
		if len(out) == n {
			t.early++
		}
	default:
		for _, j := range t.jobs {
			if !j.over && j.ask == in.Ask && in.Ask != 0 {
				out = t.answer(j, &in, out)
				break
			}
		}
	}
	if t.effect != nil {
		for i := from; i < len(out); i++ {
			t.effect(&out[i])
		}
	}
	return out
}

func (t *toy) event(in *core.Input, out []core.Effect) []core.Effect {
	e := in.Event
	out = append(out, core.Effect{Kind: core.EfAnswer, Event: e.ID, OK: true})
	if in.Duplicate || slices.ContainsFunc(t.jobs, func(j *toyJob) bool { return j.event == e.ID }) {
		return out
	}
	j := &toyJob{event: e.ID, src: e.Sources[0], repo: e.Repo.Repo, commit: e.Commit, hunt: core.HuntID(len(t.jobs) + 1),
		next: t.now + core.Second, deadline: t.now + t.cfg.Lifetime}
	t.jobs = append(t.jobs, j)
	return append(out, core.Effect{Kind: core.EfReport, Report: core.RepHeld, Event: e.ID, Hunt: j.hunt, Deadline: j.deadline})
}

func (t *toy) fire(j *toyJob, out []core.Effect) []core.Effect {
	switch {
	case j.over || j.ask != 0:
	case j.deadline <= t.now:
		j.over = true
		out = append(out, core.Effect{Kind: core.EfReport, Report: core.RepEndedExpired, Event: j.event, Hunt: j.hunt})
	case j.next <= t.now:
		j.ask, j.attempt, j.fetching = t.id(j), j.attempt+1, false
		out = append(out, core.Effect{Kind: core.EfReport, Report: core.RepAttemptStarted, Hunt: j.hunt, Attempt: j.attempt},
			core.Effect{Kind: core.EfCompare, Ask: j.ask, Hunt: j.hunt, Attempt: j.attempt, URL: j.src.URL, Domain: j.src.Domain,
				Repo: j.repo, OIDs: []core.OID{j.commit}})
	}
	return out
}

func (t *toy) answer(j *toyJob, in *core.Input, out []core.Effect) []core.Effect {
	switch in.Kind {
	case core.InCompared:
		if in.Class == core.OK && len(in.OIDs) > 0 {
			j.fetching = true
			return append(out, core.Effect{Kind: core.EfFetch, Ask: j.ask, URL: j.src.URL, Domain: j.src.Domain, OIDs: in.OIDs})
		}
		return append(out, core.Effect{Kind: core.EfEndPass, Ask: j.ask})
	case core.InFetched:
		j.got = len(in.OIDs) > 0
		return append(out, core.Effect{Kind: core.EfEndPass, Ask: j.ask})
	case core.InPassEnded:
		j.ask, j.next = 0, t.now+20*core.Second
		out = append(out, core.Effect{Kind: core.EfReport, Report: core.RepAttemptEnded, Hunt: j.hunt, Attempt: j.attempt, Deadline: j.next},
			core.Effect{Kind: core.EfReport, Report: core.RepPass, Ask: in.Ask, Pass: &core.PassReport{Requests: in.Requests, Bytes: in.Bytes}})
		if j.got {
			j.ask = t.id(j)
			out = append(out, core.Effect{Kind: core.EfStoreEvent, Ask: j.ask, Event: j.event})
		}
	case core.InStored:
		j.ask = 0
		if in.Verdict == core.StoredOK {
			j.over = true
			out = append(out, core.Effect{Kind: core.EfReport, Report: core.RepEndedReleased, Event: j.event, Hunt: j.hunt},
				core.Effect{Kind: core.EfNotify, Event: j.event})
		}
	}
	return out
}

// toyRemote answers by URL handle; toyGit and toyStore are the relay's own side.
type toyRemote struct {
	asked  []Request
	answer func(now core.Time, r *Request, a *Reply)
}

func (r *toyRemote) Ask(now core.Time, q *Request, a *Reply) {
	c := *q
	c.OIDs = slices.Clone(q.OIDs)
	r.asked = append(r.asked, c)
	a.Requests = 1
	r.answer(now, q, a)
}

// serve is the answer of a host that has everything.
func serve(_ core.Time, q *Request, a *Reply) {
	a.After, a.Status, a.HasHeads, a.Bytes = 100*core.Millisecond, 200, true, 1000
	a.OIDs = append(a.OIDs, q.OIDs...)
}

type toyGit struct {
	have  map[core.Handle]map[core.OID]bool
	refs  map[core.Handle][]core.Ref
	calls int
}

func newToyGit() *toyGit {
	return &toyGit{have: map[core.Handle]map[core.OID]bool{}, refs: map[core.Handle][]core.Ref{}}
}

func (g *toyGit) Check(repo core.Handle, oids, have []core.OID) []core.OID {
	g.calls++
	for _, o := range oids {
		if g.have[repo][o] {
			have = append(have, o)
		}
	}
	return have
}

func (g *toyGit) Receive(repo core.Handle, oids []core.OID) {
	if g.have[repo] == nil {
		g.have[repo] = map[core.OID]bool{}
	}
	for _, o := range oids {
		g.have[repo][o] = true
	}
}

func (g *toyGit) Copy(from, to core.Handle, oids []core.OID) core.Class {
	g.calls++
	g.Receive(to, oids)
	return core.OK
}

func (g *toyGit) Align(e *core.Effect) core.Class {
	g.calls++
	g.refs[e.Repo] = slices.Clone(e.Refs)
	return core.OK
}

func (g *toyGit) Create(core.Handle) core.Class { g.calls++; return core.OK }

func (g *toyGit) Delete(repo core.Handle, onlyWithoutRefs bool) (bool, core.Class) {
	g.calls++
	return onlyWithoutRefs && len(g.refs[repo]) > 0, core.OK
}

func (g *toyGit) Refs(repo core.Handle) []core.Ref { return g.refs[repo] }

type toyStore map[core.EventID]bool

func (s toyStore) Store(id core.EventID) core.Verdict { s[id] = true; return core.StoredOK }
func (s toyStore) Remove(id core.EventID) core.Class  { delete(s, id); return core.OK }
func (s toyStore) Has(id core.EventID) bool           { return s[id] }

func toyOID(n int) core.OID {
	var b [20]byte
	binary.BigEndian.PutUint64(b[:], uint64(n)+1)
	return value.OIDFromBytes(b[:])
}

func toyID(n int) (id core.EventID) {
	binary.BigEndian.PutUint64(id[:], uint64(n)+1)
	return id
}

// toySetup is n events at one-second distance, each with a URL of its own on one of the domains.
func toySetup(n, domains int, answer func(core.Time, *Request, *Reply)) (Setup, *toy) {
	names := new(value.Names)
	m := &toy{}
	s := Setup{Scenario: "toy", Seed: 1, Config: core.DefaultConfig(), Names: names, Remote: &toyRemote{answer: answer}, Local: newToyGit(),
		Store: toyStore{}, Horizon: core.Hour, Record: true,
		New: func(c core.Config) (Machine, error) { m.cfg = c; return m, nil }}
	for i := range n {
		host := "h" + string(rune('a'+i%domains)) + ".example"
		e := &core.Event{ID: toyID(i), Kind: core.KindPR, Commit: toyOID(i)}
		e.Repo.Repo = names.Handle("repo" + string(rune('0'+i%10)) + host)
		e.Sources = []core.Source{{URL: names.Handle("https://" + host + "/" + e.ID.String()), Domain: names.Handle(host)}}
		s.Arrivals = append(s.Arrivals, Arrival{At: core.Time(i) * core.Second, Input: core.Input{Kind: core.InEvent, Origin: core.FromSync, Event: e}})
	}
	return s, m
}

func runToy(t *testing.T, s Setup) (Result, *World) {
	w, err := NewWorld(s)
	require.NoError(t, err)
	return w.Run(), w
}
