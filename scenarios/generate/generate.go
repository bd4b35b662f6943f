package generate

import (
	"fmt"
	"strconv"

	"graspsync/scenarios"
	"graspsync/sim"
)

// World is a drawn scenario and what was drawn about it.
type World struct {
	*scenarios.Scenario
	Seed   uint64
	Banned Features // what this seed is without
	Calm   bool     // no fault of any kind
}

// Generate draws the world of a seed, which must not be 0. Equal seeds and profiles give equal worlds on every machine and
// under every number of cores; a scenario that does not validate is a fault of this package.
func Generate(seed uint64, p Profile) World {
	if p.mixed {
		name, all := p.Name, Profiles()
		of := [...]int{1, 1, 1, 2, 2, 3, 3, 4, 4, 0, 5, 6, 7} // places in Profiles
		p = all[of[sim.Below(sim.Mix(seed, purposeMixed, 0, 0), uint64(len(of)))]]
		p.Name = name
	}
	g := &generator{p: p, seed: seed, Scenario: &scenarios.Scenario{Version: scenarios.Version,
		Name: "swarm-" + p.Name + "-" + strconv.FormatUint(seed, 10), Seed: seed}}
	d := g.source("shape")
	w := World{Scenario: g.Scenario, Seed: seed}
	switch d.Below(10) {
	case 0:
		w.Calm = true
	case 1:
		g.p.Hosts, g.p.Repos, g.p.Events = [2]int{1, 2}, [2]int{1, 3}, [2]int{1, 6}
	case 2:
		if !g.p.tiny {
			g.p.Repos, g.p.Events = [2]int{p.Repos[1], p.Repos[1] * 4}, [2]int{p.Events[1], p.Events[1] * 4}
		}
	}
	w.Banned = g.ban(&d) | p.Without
	if w.Calm {
		w.Banned = trouble &^ p.With
	}
	g.off = w.Banned
	g.Horizon = d.between(p.Horizon[0], p.Horizon[1])
	if g.Ties = pick(&d, "kind", "reverse", "shuffle"); p.Hostile {
		g.Ties = "kind" // the others' order must not depend on how many there are
	}
	g.Description = fmt.Sprintf("Drawn from seed %d, profile %s; no invariant breaks.", seed, p.Name)
	g.config()
	g.hosts()
	g.repos()
	g.network()
	g.arrivals()
	g.pushes()
	g.trouble()
	g.end()
	if p.Canary {
		g.Expect = []scenarios.Expectation{{Counter: "arrived", Count: scenarios.Count{Min: 1 << 39, Max: 1 << 40, Set: true}}}
	}
	return w
}

// purposeMixed draws the profile of a seed.
const purposeMixed = sim.FirstForeignPurpose + 2000

// trouble is what a calm world is without: all that keeps the data of an event from being had in time.
const trouble = All &^ (1<<SlowHosts | 1<<HostKinds | 1<<LateData | 1<<SplitData | 1<<SharedIdentifiers | 1<<Maintainers |
	1<<PullRequests | 1<<RelatedEvents | 1<<Replays | 1<<OddRefs | 1<<OddDates | 1<<SharedAddress)

type generator struct {
	*scenarios.Scenario
	p    Profile
	seed uint64
	off  Features

	hostNames []string
	projects  []*project // identifiers with their history
	copies    []*copyOf  // repositories
	events    []*published
	counter   int
}

// source is a stream of draws of its own.
func (g *generator) source(name string) source {
	return source{sim.NewStream(g.seed, "generate."+name, 0)}
}

// on tells whether a feature is not banned.
func (g *generator) on(f Feature) bool { return !g.off.Has(f) }

// use is a draw of whether a feature that is not banned shows here.
func (g *generator) use(d *source, f Feature, num, den int) bool { return g.on(f) && d.share(num, den) }

// ban draws what the seed is without: each feature with a chance from a coarse ladder.
func (g *generator) ban(d *source) (out Features) {
	quarters := pick(d, 0, 1, 2, 2, 3)
	for f := Feature(0); f < NumFeatures; f++ {
		if d.share(quarters, 4) {
			out |= 1 << f
		}
	}
	return out &^ g.p.With
}

// name is a fresh name of an event or a push.
func (g *generator) name(kind string) string {
	g.counter++
	return kind + strconv.Itoa(g.counter)
}

// end leaves time for what was begun: half of the worlds end at once, the others when short lives are over.
func (g *generator) end() {
	d := g.source("end")
	g.Horizon += pick(&d, 0, 0, min1, 35*min1, 35*min1, 2*hour)
	if g.p.Hostile {
		g.Horizon += 10 * min1
	}
	if g.use(&d, AbsentAtStart, 1, 8) && !g.p.tiny {
		g.Horizon += 25 * hour
	}
}
