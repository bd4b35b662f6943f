package scenarios

import (
	"cmp"
	"fmt"
	"io"
	"slices"

	"graspsync/core"
	"graspsync/core/nip34"
	"graspsync/fakes"
	"graspsync/sim"
)

// Network is several relays in one world (I-10). Each is a clone URL host to the others, and follows those that a link
// leads from.
type Network struct {
	Relays []string `yaml:"relays"` // their authorities, in the order in which they act at one instant
	Links  []Link   `yaml:"links"`
	Lies   Labels   `yaml:"lies"` // relays that advertise what they show and give none of it
}

// Link brings what one relay serves to another that follows it.
type Link struct {
	From       string `yaml:"from"`
	To         string `yaml:"to"`
	Latency    Span   `yaml:"latency"`    // of each event, and of each git request the other way
	Jitter     Span   `yaml:"jitter"`     // up to this much more, drawn per event: events overtake each other
	Duplicates int    `yaml:"duplicates"` // further copies of each event, one every second
	Replay     Span   `yaml:"replay"`     // everything is told again this often; 0 never
	Cut        Spans  `yaml:"cut"`        // [from, to]: nothing gets through; it is told when the link is up again
}

// maxRelays bounds a network.
const maxRelays = 16

func (v *validator) network() {
	n := v.Network
	if n == nil {
		return
	}
	if len(n.Relays) < 2 || len(n.Relays) > maxRelays {
		v.add("network.relays", fmt.Sprintf("%d relays, must be 2 to %d", len(n.Relays), maxRelays))
	}
	if v.Service != "" {
		v.add("service", "goes without network, whose relays are the services")
	}
	if len(v.Events) > 0 {
		v.add("events", "goes without network")
	}
	for i, r := range n.Relays {
		path := fmt.Sprintf("network.relays[%d]", i)
		checkAuthority(v.problems, path, r)
		if slices.Contains(n.Relays[:i], r) {
			v.add(path, fmt.Sprintf("%q is listed twice", r))
		}
		if _, twice := v.Hosts[r]; twice {
			v.add(path, fmt.Sprintf("%q is declared under hosts too", r))
		}
	}
	for i := range n.Links {
		l, path := &n.Links[i], fmt.Sprintf("network.links[%d]", i)
		for _, end := range [...]struct{ field, name string }{{".from", l.From}, {".to", l.To}} {
			if !slices.Contains(n.Relays, end.name) {
				v.add(path+end.field, unknown("relay", end.name, n.Relays))
			}
		}
		if l.From == l.To {
			v.add(path+".to", "leads back to where it comes from")
		}
		if l.Duplicates < 0 || l.Duplicates > 1000 {
			v.add(path+".duplicates", fmt.Sprintf("%d, must be 0 to 1000", l.Duplicates))
		}
		if l.Replay > 0 && v.Horizon/l.Replay > maxExpansion {
			v.add(path+".replay", fmt.Sprintf("%v is too short for a horizon of %v", l.Replay, v.Horizon))
		}
		if l.Cut != nil && (len(l.Cut) != 2 || l.Cut[0] >= l.Cut[1]) {
			v.add(path+".cut", "must be [from, to] in order of time")
		}
	}
	for i, name := range n.Lies {
		if !slices.Contains(n.Relays, name) {
			v.add(fmt.Sprintf("network.lies[%d]", i), unknown("relay", name, n.Relays))
		}
	}
}

// relay checks that on names a relay of the network, if there is one.
func (v *validator) relay(path, on string) {
	switch {
	case on == "":
	case v.Network == nil:
		v.add(path, "goes with a network of relays")
	case !slices.Contains(v.Network.Relays, on):
		v.add(path, unknown("relay", on, v.Network.Relays))
	}
}

// at is the relay an entry is about: the first one, unless it says otherwise.
func (n *Network) at(on string) string { return cmp.Or(on, n.Relays[0]) }

// member is one relay of a network while it runs.
type member struct {
	name  string
	judge *judge
	world *sim.World
	face  map[string]*fakes.Face // that it shows to others, by their names
	byID  map[core.EventID]*core.Event
	told  []core.EventID // what its subscribers were told, in order
}

// playNetwork runs all relays in one time.
func (s *Scenario) playNetwork(seed uint64, o Options) ([]*member, error) {
	n := s.Network
	members := make([]*member, len(n.Relays))
	for i, name := range n.Relays {
		b, err := s.worldOf(seed, name)
		if err != nil {
			return nil, err
		}
		m := &member{name: name, judge: &judge{build: b, seen: make(map[sight]string)}, face: make(map[string]*fakes.Face),
			byID: make(map[core.EventID]*core.Event)}
		for _, key := range sortedKeys(b.events) {
			m.byID[b.events[key].ID] = b.events[key]
			b.parts.Store.Learn(b.events[key])
		}
		members[i] = m
	}
	worlds := make([]*sim.World, len(members))
	for i, m := range members {
		w := &watch{Remote: m.remote(members)}
		setup := m.judge.setup(seed)
		setup.Remote, setup.Checks, setup.Record, setup.Reachable = w, o.Checks, true, nil
		setup.Told = func(now core.Time, id core.EventID) { m.tell(members, now, id) }
		setup.Up = func(now core.Time) { m.reconnect(members, now) }
		if t := o.traceOf(m.name, i == 0); t != nil {
			setup.Trace = sim.NewTraceWriter(t, o.Build)
		}
		if o.Change != nil {
			o.Change(m.name, &setup)
		}
		world, err := sim.NewWorld(setup)
		if err != nil {
			return nil, err
		}
		m.world, worlds[i], m.judge.watch = world, world, w
	}
	all, err := sim.NewConstellation(worlds...)
	if err != nil {
		return nil, err
	}
	last := core.Time(s.Horizon)
	sights := members[0].judge.sights()
	look := func(at func(core.Time) bool, before bool) {
		for _, x := range sights {
			if !at(x.at) {
				continue
			}
			if before {
				all.RunUntil(x.at)
			}
			for _, m := range members {
				m.judge.seen[x] = m.judge.look(x)
			}
		}
	}
	look(func(t core.Time) bool { return t < last }, true)
	results := all.Run()
	look(func(t core.Time) bool { return t == last }, false)
	for i, res := range results {
		j := members[i].judge
		j.rec, j.log, j.res = res.Record, j.watch.log, &res
	}
	return members, nil
}

// traceOf is where a relay's trace goes, if anywhere.
func (o *Options) traceOf(relay string, first bool) io.Writer {
	if first {
		return o.Trace
	}
	if o.TraceOf != nil {
		return o.TraceOf(relay)
	}
	return nil
}

// remote is what a relay's passes see: the hosts of the scenario, and the other relays.
func (m *member) remote(members []*member) sim.Remote {
	with := &fakes.WithFaces{Servers: m.judge.parts.Servers, Faces: make(map[core.Handle]*fakes.Face)}
	for _, other := range members {
		if other == m {
			continue
		}
		f := &fakes.Face{Local: other.judge.parts.Local, Repos: make(map[core.Handle]core.Handle), Lies: slices.Contains(m.judge.Network.Lies, other.name)}
		f.Down = func() bool { return other.world.Down() }
		for i := range m.judge.Network.Links {
			if l := &m.judge.Network.Links[i]; l.From == other.name && l.To == m.name {
				f.Latency = core.Time(l.Latency)
			}
		}
		for i := range m.judge.repos {
			owner, identifier, _ := splitRepo(m.judge.repos[i].name)
			url := nip34.CloneURL(other.name, m.judge.pubKey(owner), identifier)
			if h, named := m.judge.names.Lookup(url); named {
				f.Repos[h] = other.judge.coordinate(owner, identifier).Repo
			}
		}
		if h, named := m.judge.names.Lookup(other.name); named {
			with.Faces[h] = f
		}
	}
	return with
}

// merged is the verdict on all relays together; violations name the relay.
func merged(members []*member) sim.Result {
	out := *members[0].judge.res
	out.Violations = nil
	for i, m := range members {
		r := m.judge.res
		out.Relays = append(out.Relays, sim.RelayResult{Name: m.name, Steps: r.Steps, Hash: r.Hash, Violations: len(r.Violations), Counts: r.Counts, Record: r.Record})
		for _, v := range r.Violations {
			v.Text = m.name + ": " + v.Text
			out.Violations = append(out.Violations, v)
		}
		if i == 0 {
			continue
		}
		out.Steps += r.Steps
		out.Hash = sim.Mix(out.Hash, 0, r.Hash, 0)
		out.OrderHash = sim.Mix(out.OrderHash, 0, r.OrderHash, 0)
		out.Counts.Add(&r.Counts)
	}
	return out
}
