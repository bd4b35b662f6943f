package generate

import "graspsync/scenarios"

func hostPool() []string {
	return []string{"git.example", "notrelay.example", "mirror.example", "code.example", "forge.example", "slow.example", "home.example:8443",
		"grasp.example", "hub.example", "attic.example", "depot.example", "nest.example", "vault.example", "yard.example", "barn.example", "shed.example"}
}

// hosts draws the git servers: class and behaviour, perhaps changing with time.
func (g *generator) hosts() {
	d := g.source("hosts")
	n := min(d.number(g.p.Hosts[0], g.p.Hosts[1]), len(hostPool()))
	g.hostNames = hostPool()[:n]
	g.Hosts = make(map[string]scenarios.Host, n)
	for _, name := range g.hostNames {
		h := scenarios.Host{}
		if g.use(&d, SharedAddress, 1, 6) {
			h.Address = pick(&d, "192.0.2.1", "192.0.2.2")
		}
		if g.use(&d, WantRules, 1, 5) {
			h.Wants = pick(&d, "advertised", "tip", "reachable", "v0-any")
		}
		phases := 0
		if g.on(ChangingHosts) {
			phases = d.few(0, 3)
		}
		until := scenarios.Span(0)
		for range phases {
			until += max(d.ladder(20*sec, min1, 5*min1, 20*min1, 70*min1), ms)
			h.Script = append(h.Script, scenarios.Phase{Until: until, Behaviour: g.behaviour(&d, 2)})
		}
		h.Script = append(h.Script, scenarios.Phase{Behaviour: g.behaviour(&d, 5)})
		g.Hosts[name] = h
	}
	if g.on(DomainLimits) {
		for _, name := range some(&d, g.hostNames, 1, 4) {
			if g.Domains == nil {
				g.Domains = make(map[string]scenarios.Domain)
			}
			g.Domains[name] = scenarios.Domain{Concurrency: pick(&d, 1, 1, 2, 3, 8), Rate: pick(&d, 1, 2, 3, 10, 30)}
			if d.oneIn(12) {
				g.Domains[name] = scenarios.Domain{Concurrency: 0, Rate: 30}
			}
		}
	}
}

// behaviour draws how a host answers for a while; one in sound of them is unsound.
func (g *generator) behaviour(d *source, sound int) (b scenarios.Behaviour) {
	switch {
	case g.use(d, HostKinds, 1, 6):
		b.Like = pick(d, "typical", "typical", "flaky", "indexing", "github", "gitlab", "gitlab-self", "codeberg", "sourcehut", "soft-serve", "ngit-relay")
	case g.use(d, SlowHosts, 1, 4):
		b.Latency = d.ladder(3*sec, 20*sec, 29*sec, 35*sec, 2*min1, 6*min1, 12*min1)
		b.Jitter = pick(d, 0, 0, b.Latency/2/ms*ms)
	default:
		b.Latency = d.ladder(0, 50*ms, 200*ms, 200*ms, 500*ms, sec)
		b.Jitter = pick(d, 0, 0, 100*ms, sec)
		if g.use(d, SlowHosts, 1, 8) {
			b.Fetch = d.ladder(10*sec, 40*sec, 4*min1)
		}
	}
	if g.use(d, SlowHosts, 1, 10) {
		b.Speed = pick(d, int64(500), 1_500, 100_000)
	}
	if !d.oneIn(sound) {
		return b
	}
	if r, ok := g.answer(d); ok {
		b.Rule = r
	}
	if d.oneIn(6) {
		if r, ok := g.answer(d); ok {
			b.Rules = append(b.Rules, r)
		}
	}
	return b
}
