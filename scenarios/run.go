package scenarios

import (
	"cmp"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"

	"graspsync/core"
	"graspsync/sim"
)

// Options say how a scenario is run.
type Options struct {
	Seed   uint64         // key of noise and tie policy; 0 takes the scenario's
	Set    []string       // "field=value": configuration fields, horizon or ties
	Trace  io.Writer      // the trace goes here, if anywhere
	Build  sim.Build      // what stands in the trace's header about the program
	Checks sim.CheckLevel // how much is checked on the way

	// TraceOf is where the traces of the further relays of a network go; nil, or a nil writer, is nowhere.
	TraceOf func(relay string) io.Writer

	// Change may change the run of each relay before its world is made: broken machines and drivers for tests of the
	// tools, and a look at the names of a run. Runs that are only compared with (permute, hostile) are changed too.
	Change func(relay string, s *sim.Setup)
}

// Run runs the scenario and judges it: a broken invariant is a violation with its id, an expectation that
// was not met one with id "expect". The error is about the scenario or the options, never about what
// happened. The result's Record is filled.
func (s *Scenario) Run(o Options) (sim.Result, error) {
	s, err := s.with(o.Set)
	if err != nil {
		return sim.Result{}, err
	}
	if s.Network != nil {
		members, err := s.playNetwork(cmp.Or(o.Seed, s.Seed, 1), o)
		if err != nil {
			return sim.Result{}, err
		}
		for _, m := range members {
			m.judge.expectations()
		}
		return merged(members), nil
	}
	j, err := s.play(cmp.Or(o.Seed, s.Seed, 1), o)
	if err != nil {
		return sim.Result{}, err
	}
	j.expectations()
	if err := s.compare(cmp.Or(o.Seed, s.Seed, 1), &o, j.res); err != nil {
		return sim.Result{}, err
	}
	return *j.res, nil
}

// play runs the scenario and gives what its expectations are judged by.
func (s *Scenario) play(seed uint64, o Options) (*judge, error) {
	b, err := s.world(seed)
	if err != nil {
		return nil, err
	}
	w := &watch{Remote: b.parts.Servers}
	setup := b.setup(seed)
	setup.Remote, setup.Checks, setup.Record = w, o.Checks, true
	if o.Trace != nil {
		setup.Trace = sim.NewTraceWriter(o.Trace, o.Build)
	}
	if o.Change != nil {
		o.Change(b.relay, &setup)
	}
	world, err := sim.NewWorld(setup)
	if err != nil {
		return nil, err
	}
	j := &judge{build: b, seen: make(map[sight]string), promised: setup.Reachable}
	last := core.Time(s.Horizon)
	sights := j.sights()
	for _, x := range sights {
		if x.at < last {
			world.RunUntil(x.at)
			j.seen[x] = j.look(x)
		}
	}
	res := world.Run()
	for _, x := range sights {
		if x.at == last {
			j.seen[x] = j.look(x)
		}
	}
	j.rec, j.log, j.res = res.Record, w.log, &res
	if setup.Trace != nil {
		err = setup.Trace.Err()
	}
	return j, err
}

// setup is the run of what was built.
func (b *build) setup(seed uint64) sim.Setup {
	s := b.Scenario
	return sim.Setup{Scenario: s.Name, Seed: seed, Config: b.cfg, Names: b.names, Remote: b.parts.Servers, Local: b.parts.Local,
		Store: b.parts.Store, Start: b.start, Arrivals: b.arrivals, Driver: s.Driver.fake(b.problems),
		LocalFaults: b.localFaults(), Tie: s.tie(seed),
		Horizon: core.Time(s.Horizon), Forbidden: b.forbidden(), Reachable: b.inReach()}
}

// forbidden are the URLs and domains that nothing may be asked of: own and refused sources of any event
// (I-18). A private one counts unless the run allows it at some time.
func (b *build) forbidden() []core.Handle {
	private := b.cfg.AllowPrivate
	for i := range b.arrivals {
		if c := b.arrivals[i].Input.Config; c != nil {
			private = private || c.AllowPrivate
		}
	}
	var out []core.Handle
	add := func(ev *core.Event) {
		if ev == nil {
			return
		}
		for _, s := range ev.Sources {
			if s.Class == core.Own || s.Class == core.Private && !private {
				out = append(out, s.URL, s.Domain)
			}
		}
	}
	for i := range b.start {
		add(b.start[i].Event)
	}
	for i := range b.arrivals {
		add(b.arrivals[i].Input.Event)
	}
	slices.Sort(out)
	return slices.Compact(out)
}

// tie is the policy for equal instants: the scenario's, or one drawn by the seed.
func (s *Scenario) tie(seed uint64) sim.TiePolicy {
	switch s.Ties {
	case "kind":
		return sim.TieByKind
	case "reverse":
		return sim.TieReverse
	case "shuffle":
		return sim.TieShuffle
	}
	return sim.TiePolicy((seed - 1) % 3)
}

// with is the scenario with settings applied.
func (s *Scenario) with(settings []string) (*Scenario, error) {
	if len(settings) == 0 {
		return s, nil
	}
	c := *s
	c.Config = maps.Clone(s.Config)
	if c.Config == nil {
		c.Config = make(map[string]string)
	}
	for _, set := range settings {
		field, value, ok := strings.Cut(set, "=")
		switch {
		case !ok:
			return nil, fmt.Errorf("setting %q has no value; write field=value, as domain-rate=60", set)
		case field == "horizon":
			h, err := ParseSpan(value)
			if err != nil {
				return nil, fmt.Errorf("setting %q: %w", set, err)
			}
			c.Horizon = h
		case field == "ties":
			c.Ties = value
		default:
			c.Config[field] = value
		}
	}
	if err := c.Validate(); err != nil {
		return nil, fmt.Errorf("with %s: %w", strings.Join(settings, ", "), err)
	}
	return &c, nil
}

// sight is one look at the world in the middle of a run: at a repository or an event.
type sight struct {
	subject, about string
	at             core.Time
}

// sightOf is the look an expectation needs, if it needs one; without an instant it is at the end.
func (j *judge) sightOf(e *Expectation) (sight, bool) {
	subject, about := e.subject()
	x := sight{subject, about, core.Time(j.Horizon)}
	if len(e.At) > 0 {
		x.at = core.Time(e.At[0])
	}
	switch subject {
	case "absent":
		x.subject = "served" // whether the store has it
		return x, true
	case "refs", "nostr", "head", "served":
		return x, true
	}
	return x, false
}

// sights are all looks at the world, in order of time.
func (j *judge) sights() []sight {
	var out []sight
	for i := range j.expect {
		if x, ok := j.sightOf(&j.expect[i].val); ok {
			out = append(out, x)
		}
	}
	slices.SortFunc(out, func(a, b sight) int {
		return cmp.Or(cmp.Compare(a.at, b.at), strings.Compare(a.subject, b.subject), strings.Compare(a.about, b.about))
	})
	return slices.Compact(out)
}

// look is what can be seen now.
func (j *judge) look(x sight) string {
	switch x.subject {
	case "served":
		if j.parts.Store.Has(j.idOf(x.about)) {
			return "served"
		}
		return "not served"
	case "head":
		owner, identifier, _ := splitRepo(x.about)
		return j.names.Text(j.parts.Local.Head(j.coordinate(owner, identifier).Repo))
	}
	return j.refsNow(x.about, x.subject == "nostr")
}

const nostrSpace = "refs/nostr/"

// refsNow are the heads and tags a repository has, or its refs/nostr/, as "name=object" in order of name.
func (j *judge) refsNow(repo string, nostr bool) string {
	owner, identifier, _ := splitRepo(repo)
	var out []string
	for _, r := range j.parts.Local.Refs(j.coordinate(owner, identifier).Repo) {
		if name := j.names.Text(r.Name); strings.HasPrefix(name, nostrSpace) == nostr {
			out = append(out, name+"="+j.parts.Graph.Name(r.OID))
		}
	}
	slices.Sort(out)
	return strings.Join(out, " ")
}
