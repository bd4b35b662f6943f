package generate

import "graspsync/scenarios"

// network makes the world one of several relays that follow each other and are clone URL hosts to each other.
func (g *generator) network() {
	if g.p.Relays == 0 {
		return
	}
	d := g.source("network")
	names := []string{"one.grasp.example", "two.grasp.example", "three.grasp.example"}[:d.number(2, g.p.Relays)]
	n := &scenarios.Network{Relays: names}
	for _, from := range names {
		for _, to := range names {
			if from == to || !d.share(3, 4) {
				continue
			}
			l := scenarios.Link{From: from, To: to, Latency: d.ladder(0, 200*ms, 5*sec), Jitter: pick(&d, 0, sec, min1), Duplicates: d.few(0, 2)}
			if g.use(&d, Replays, 1, 4) {
				l.Replay = max(d.ladder(min1, 15*min1), 10*sec)
			}
			if g.use(&d, FaultWindows, 1, 4) {
				at := d.between(0, g.Horizon/2)
				l.Cut = scenarios.Spans{at, at + max(d.ladder(10*sec, 5*min1, 20*min1), ms)}
			}
			n.Links = append(n.Links, l)
		}
	}
	if g.use(&d, LyingHosts, 1, 10) {
		n.Lies = scenarios.Labels{pick(&d, names...)}
	}
	g.Network = n
	for _, c := range g.copies {
		r := g.Repos[c.name]
		for _, name := range names {
			if d.oneIn(2) {
				r.Clone = append(r.Clone, name)
				c.hosts = append(c.hosts, name)
			}
			if held := some(&d, c.labels, 1, 2); !c.absent && d.oneIn(4) && len(held) > 0 {
				if r.On == nil {
					r.On = make(map[string]scenarios.Holdings)
				}
				r.On[name] = scenarios.Holdings{{Has: held}}
			}
		}
		g.Repos[c.name] = r
	}
}
