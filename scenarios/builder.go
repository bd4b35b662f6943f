package scenarios

import (
	"cmp"
	"fmt"
	"strings"
	"time"

	"graspsync/sim"
)

// TB is the part of testing.TB that a scenario written in Go needs; it keeps package testing out of the
// programs that use scenarios.
type TB interface {
	Helper()
	Name() string
	Errorf(format string, args ...any)
	Fatalf(format string, args ...any)
}

// Test is a scenario under construction inside a test. Build it, Run it once, then state expectations.
// A mistake in it fails the test at once with the field that is wrong; a broken invariant or expectation
// fails the test and lets it go on.
type Test struct {
	tb    TB
	s     *Scenario
	judge *judge
	named int
}

// New begins a scenario named after the test.
func New(tb TB) *Test {
	name := strings.Map(func(r rune) rune {
		switch {
		case r >= 'a' && r <= 'z', r >= '0' && r <= '9':
			return r
		case r >= 'A' && r <= 'Z':
			return r - 'A' + 'a'
		}
		return '-'
	}, tb.Name())
	return &Test{tb: tb, s: &Scenario{Version: Version, Name: name[:min(len(name), 80)], Description: "Written in Go: " + name,
		Hosts: make(map[string]Host), Repos: make(map[string]Repo), Config: make(map[string]string)}}
}

// Scenario is what has been built so far; change what the methods do not reach.
func (t *Test) Scenario() *Scenario { return t.s }

// Set sets a configuration field by its name, as ("domain-rate", "6").
func (t *Test) Set(field, value string) *Test {
	t.s.Config[field] = value
	return t
}

// Seed sets the key of noise and of the order of equal instants; 1 unless set.
func (t *Test) Seed(seed uint64) *Test {
	t.s.Seed = seed
	return t
}

// Driver makes the driver misbehave.
func (t *Test) Driver(d Driver) *Test {
	t.s.Driver = &d
	return t
}

// TestHost is a host under construction; each method changes its last phase.
type TestHost struct {
	t    *Test
	name string
}

// Host is a git server. Until told otherwise it answers at once.
func (t *Test) Host(name string) *TestHost {
	if _, ok := t.s.Hosts[name]; !ok {
		t.s.Hosts[name] = Host{Script: []Phase{{}}}
	}
	return &TestHost{t, name}
}

func (h *TestHost) phase(change func(*Phase)) *TestHost {
	host := h.t.s.Hosts[h.name]
	change(&host.Script[len(host.Script)-1])
	h.t.s.Hosts[h.name] = host
	return h
}

// Latency is how long every answer takes.
func (h *TestHost) Latency(d time.Duration) *TestHost {
	return h.phase(func(p *Phase) { p.Latency = Span(d) })
}

// Answer is what it answers, as "503" or "stall", to the requests named (all, if none is).
func (h *TestHost) Answer(answer string, on ...string) *TestHost {
	return h.phase(func(p *Phase) { p.Rule.Answer, p.On = answer, on })
}

// RetryAfter goes with an answer of 429 or 503.
func (h *TestHost) RetryAfter(d time.Duration) *TestHost {
	return h.phase(func(p *Phase) { p.RetryAfter = Span(d) })
}

// Until ends the phase described so far; what follows is how the host behaves from then on.
func (h *TestHost) Until(d time.Duration) *TestHost {
	h.phase(func(p *Phase) { p.Until = Span(d) })
	host := h.t.s.Hosts[h.name]
	host.Script = append(host.Script, Phase{})
	h.t.s.Hosts[h.name] = host
	return h
}

// TestRepo is a repository under construction.
type TestRepo struct {
	t      *Test
	name   string
	events []string
}

// Repo is the repository "owner/identifier", announced and served at the start, with its clone URLs on
// the hosts given. Hosts that do not exist yet are made.
func (t *Test) Repo(name string, hosts ...string) *TestRepo {
	for _, h := range hosts {
		if !strings.Contains(h, "://") {
			t.Host(h)
		}
	}
	t.s.Repos[name] = Repo{Clone: hosts, On: make(map[string]Holdings)}
	return &TestRepo{t: t, name: name}
}

// Has puts commits on a host, each advertised as a branch of its own name.
func (r *TestRepo) Has(host string, commits ...string) *TestRepo {
	return r.HasFrom(host, 0, commits...)
}

// HasFrom is Has from an instant on.
func (r *TestRepo) HasFrom(host string, from time.Duration, commits ...string) *TestRepo {
	repo := r.t.s.Repos[r.name]
	repo.On[host] = append(repo.On[host], Holding{Has: commits, From: Span(from)})
	return r
}

// Absent has nothing of the repository here at the start; Announce brings it.
func (r *TestRepo) Absent() *TestRepo {
	repo := r.t.s.Repos[r.name]
	repo.Start = "absent"
	r.t.s.Repos[r.name] = repo
	return r
}

// Maintainers are the users its announcement lists.
func (r *TestRepo) Maintainers(users ...string) *TestRepo {
	repo := r.t.s.Repos[r.name]
	repo.Maintainers = users
	r.t.s.Repos[r.name] = repo
	return r
}

// Push is a push by the owner at an instant: each branch moves to the commit of its own name.
func (r *TestRepo) Push(at time.Duration, branches ...string) *TestRepo {
	a := Action{At: Span(at), Push: r.name}
	for _, b := range branches {
		a.Refs = append(a.Refs, Ref{b, lastWord(b)})
	}
	r.t.s.Timeline = append(r.t.s.Timeline, a)
	return r
}

// Attack is what a user does to it from an instant on, in the ways named (all there are, if none is).
func (r *TestRepo) Attack(by string, at time.Duration, ways ...string) *TestRepo {
	r.t.named++
	a := Action{At: Span(at), Attack: r.name, By: by, As: fmt.Sprintf("attack %d", r.t.named)}
	if len(ways) > 0 {
		a.Ways = ways
	}
	r.t.s.Timeline = append(r.t.s.Timeline, a)
	return r
}

// TestEvent is an event that SyncedAt or ClientAt brings into the world.
type TestEvent struct {
	r *TestRepo
	a Action
}

func (r *TestRepo) event(verb string, a Action) *TestEvent {
	r.t.named++
	a.As = fmt.Sprintf("%s %d", verb, r.t.named)
	return &TestEvent{r, a}
}

// State is a state by the owner: each branch points to the commit of its own name.
func (r *TestRepo) State(branches ...string) *TestEvent {
	a := Action{State: r.name, Refs: Refs{}}
	for _, b := range branches {
		a.Refs = append(a.Refs, Ref{b, lastWord(b)})
	}
	return r.event("state", a)
}

// PR is a pull request for a commit, with clone URLs of its own if any are given.
func (r *TestRepo) PR(commit string, hosts ...string) *TestEvent {
	for _, h := range hosts {
		r.t.Host(h)
	}
	return r.event("pr", Action{PR: r.name, Commit: commit, Clone: hosts})
}

// Announce is the owner's announcement.
func (r *TestRepo) Announce() *TestEvent { return r.event("announcement", Action{Announce: r.name}) }

// By sets the author.
func (e *TestEvent) By(user string) *TestEvent {
	e.a.By = user
	return e
}

// SyncedAt delivers the event from another relay.
func (e *TestEvent) SyncedAt(at time.Duration) *TestEvent { return e.at(at, "synced") }

// ClientAt delivers it from a client.
func (e *TestEvent) ClientAt(at time.Duration) *TestEvent { return e.at(at, "client") }

func (e *TestEvent) at(at time.Duration, origin string) *TestEvent {
	t := e.r.t
	for i := range t.s.Timeline {
		if t.s.Timeline[i].As == e.a.As {
			t.s.Timeline = append(t.s.Timeline, Action{At: Span(at), Again: e.a.As, Origin: origin})
			return e
		}
	}
	e.a.At, e.a.Origin = Span(at), origin
	t.s.Timeline = append(t.s.Timeline, e.a)
	e.r.events = append(e.r.events, e.a.As)
	return e
}

// Run runs the scenario up to the horizon and fails the test on every broken invariant.
func (t *Test) Run(horizon time.Duration) sim.Result {
	t.tb.Helper()
	t.s.Horizon = Span(horizon)
	seed := cmp.Or(t.s.Seed, 1)
	j, err := t.s.play(seed, Options{})
	if err != nil {
		t.tb.Fatalf("scenario: %v", err)
		return sim.Result{}
	}
	t.judge = j
	for _, v := range j.res.Violations {
		t.tb.Errorf("%s at %v, step %d: %s", v.ID, v.At, v.Step, v.Text)
	}
	return *j.res
}

// Expect judges one expectation after the run.
func (t *Test) Expect(e Expectation) {
	t.tb.Helper()
	if t.judge == nil {
		t.tb.Fatalf("expectations come after Run")
		return
	}
	j := *t.judge
	res := *j.res
	res.Violations = nil
	j.res = &res
	v := &validator{problems: &problems{}, script: j.script, urls: make(map[string]bool), events: make(map[string]bool)}
	for name := range j.events {
		v.events[name] = true
	}
	for _, urls := range j.urls {
		for _, u := range urls {
			v.urls[u] = true
		}
	}
	it := item[Expectation]{path: "expectation", val: e}
	v.expectation(&it)
	if err := v.err(); err != nil {
		t.tb.Fatalf("%v", err)
		return
	}
	if x, ok := j.sightOf(&e); ok {
		j.seen = map[sight]string{x: j.look(x)}
	}
	j.expectOne(&it)
	for _, bad := range res.Violations {
		t.tb.Errorf("%s", bad.Text)
	}
}
