package generate

import (
	"strconv"
	"strings"

	"graspsync/scenarios"
)

// published is an event of the timeline.
type published struct {
	name   string
	kind   string // announce, state, pr, pr-update, issue, note, delete
	repo   *copyOf
	author string
	at     scenarios.Span
	commit string
	refs   scenarios.Refs
}

// arrivals draws what is published when: announcements followed by states at the distances that real ones have, bursts,
// restarts that bring all at once, and whatever else refers to them.
func (g *generator) arrivals() {
	d := g.source("arrivals")
	if g.use(&d, Replays, 1, 2) {
		g.Relays = map[string]scenarios.Relay{}
		for _, name := range []string{"up.one.example", "up.two.example"}[:d.number(1, 2)] {
			r := scenarios.Relay{Latency: d.ladder(0, 200*ms, 3*sec), Duplicates: d.few(0, 3)}
			if d.oneIn(3) {
				r.Replay = max(d.ladder(30*sec, 5*min1, 20*min1), 10*sec)
			}
			g.Relays[name] = r
		}
	}
	for _, c := range g.copies {
		if c.absent {
			g.announce(&d, c, d.between(0, pick(&d, 0, sec, g.Horizon/2)), "announce "+c.name)
		}
	}
	n := d.number(g.p.Events[0], g.p.Events[1])
	at, burst := d.between(0, g.Horizon/4), 0
	hot := pick(&d, g.copies...) // one repository gets most of it
	for range n {
		c := hot
		if d.oneIn(2) {
			c = pick(&d, g.copies...)
		}
		if burst > 0 {
			burst--
			at += pick(&d, 0, 0, ms, 100*ms, sec)
		} else {
			at += d.between(0, g.Horizon/scenarios.Span(n)*2)
			if d.oneIn(6) {
				burst = d.number(2, 12)
			}
		}
		if at > g.Horizon {
			at = d.between(0, g.Horizon)
		}
		g.arrival(&d, c, at)
	}
}

// arrival is one thing that happens to c at an instant.
func (g *generator) arrival(d *source, c *copyOf, at scenarios.Span) {
	for {
		switch k := d.Below(24); {
		case k < 10:
			g.state(d, c, at)
		case k < 14:
			if !g.on(PullRequests) {
				continue
			}
			g.pullRequest(d, c, at)
		case k < 16:
			if !g.on(Reannounce) {
				continue
			}
			g.announce(d, c, at, g.name("a"))
		case k < 18:
			if !g.on(Replays) || len(g.events) == 0 {
				continue
			}
			a := scenarios.Action{At: at, Again: pick(d, g.events...).name}
			if d.oneIn(4) {
				a.Every = max(d.ladder(5*sec, 30*sec, 10*min1), sec)
				a.Until = min(at+20*a.Every, g.Horizon)
			}
			if d.oneIn(5) {
				a.Origin = "client"
			}
			g.add(a)
		case k < 20:
			if !g.on(Deletions) {
				continue
			}
			g.deletion(d, c, at)
		case k < 22:
			if !g.on(RelatedEvents) {
				continue
			}
			g.related(d, c, at)
		default:
			if !g.on(RawEvents) {
				continue
			}
			g.raw(d, c, at)
		}
		return
	}
}

func (g *generator) add(a scenarios.Action) { g.Timeline = append(g.Timeline, a) }

// publish fills in where an event comes from, and keeps it.
func (g *generator) publish(d *source, a scenarios.Action, kind, name string, c *copyOf) {
	a.As = name
	if name == kind+" "+c.name {
		a.As = ""
	}
	author := a.By
	if author == "" {
		author = c.owner
	}
	if g.use(d, Pushes, 1, 6) {
		a.Origin, a.Address = "client", pick(d, "", "198.51.100.1", "198.51.100.2")
	} else if len(g.Relays) > 0 && d.oneIn(2) {
		for _, r := range []string{"up.one.example", "up.two.example"} {
			if _, ok := g.Relays[r]; ok && d.share(2, 3) {
				a.Via = append(a.Via, r)
			}
		}
	}
	if g.use(d, OddDates, 1, 4) {
		created := a.At
		switch d.Below(4) {
		case 0:
			created = 0
		case 1:
			created = a.At / (10 * min1) * (10 * min1) // many equal ones
		case 2:
			created += d.ladder(min1, 14*min1+30*sec, 20*min1)
		default:
			created = d.between(0, a.At)
		}
		a.Created = &created
	}
	if g.use(d, BigEvents, 1, 5) {
		a.Size = pick(d, int64(1), 1_900, 2_001, 6_000, 300_000)
	}
	if g.use(d, RelatedEvents, 1, 30) {
		a.Protected, a.Authed = true, d.oneIn(2) && a.Origin == "client"
	}
	g.events = append(g.events, &published{name: name, kind: kind, repo: c, author: author, at: a.At, commit: a.Commit, refs: a.Refs})
	g.add(a)
}

func (g *generator) announce(d *source, c *copyOf, at scenarios.Span, name string) {
	a := scenarios.Action{At: at, Announce: c.name}
	if name != "announce "+c.name {
		if d.oneIn(2) {
			a.Clone = append(scenarios.Labels{}, shuffled(d, g.hostNames)[:d.number(1, len(g.hostNames))]...)
		}
		if g.use(d, Maintainers, 1, 2) {
			a.Maintainers = some(d, userPool(), 1, 3)
			if len(a.Maintainers) == 0 {
				a.Maintainers = scenarios.Labels{c.owner}
			}
		}
		a.Unlisted = g.use(d, Unlisted, 1, 4)
	}
	g.publish(d, a, "announce", name, c)
	if d.oneIn(2) && name == "announce "+c.name { // the state follows as it does in the wild
		gap := pick(d, sec, 13*sec, 15*sec, 20*sec, 20*sec, 32*sec, 54*sec, 455*sec, 80*min1)
		g.state(d, c, min(at+gap, g.Horizon))
	}
}

// refs draws what a state or a push says.
func (g *generator) refs(d *source, c *copyOf) scenarios.Refs {
	if g.use(d, OddRefs, 1, 12) {
		return scenarios.Refs{}
	}
	latest := len(c.states) * 2
	out := scenarios.Refs{{Name: "main", Value: c.labels[min(d.few(latest/2, latest), len(c.labels)-1)]}}
	for range d.few(0, 3) {
		name := pick(d, "dev", "topic", "next")
		if g.on(OddRefs) {
			name = pick(d, "dev", "topic", "topic/one", "tags/v1", "tags/v2", "next", "x"+strconv.Itoa(d.number(0, 40)))
		}
		value := pick(d, c.labels...)
		if len(name) > 5 && name[:5] == "tags/" && len(c.tagged) > 0 {
			value = pick(d, c.tagged...)
		}
		if g.use(d, OddRefs, 1, 8) {
			value = "ref: refs/heads/main"
		}
		clash := false
		for _, r := range out {
			clash = clash || r.Name == name || strings.HasPrefix(r.Name, name+"/") || strings.HasPrefix(name, r.Name+"/")
		}
		if !clash {
			out = append(out, scenarios.Ref{Name: name, Value: value})
		}
	}
	return out
}

func (g *generator) state(d *source, c *copyOf, at scenarios.Span) *published {
	a := scenarios.Action{At: at, State: c.name, Refs: g.refs(d, c)}
	if len(c.states) > 0 && d.oneIn(6) {
		a.Refs = pick(d, c.states...) // back to what was
	}
	c.states = append(c.states, a.Refs)
	if d.oneIn(4) && len(a.Refs) > 0 {
		a.Head = pick(d, "main", "dev", "gone")
	}
	if g.use(d, Maintainers, 1, 4) {
		a.By = pick(d, userPool()...)
	}
	g.publish(d, a, "state", g.name("s"), c)
	return g.events[len(g.events)-1]
}

func (g *generator) pullRequest(d *source, c *copyOf, at scenarios.Span) *published {
	a := scenarios.Action{At: at, By: pick(d, userPool()...), Commit: pick(d, c.labels...)}
	if d.oneIn(3) {
		a.Clone = scenarios.Labels{pick(d, g.hostNames...)}
	}
	kind := "pr"
	if a.PR = c.name; d.oneIn(3) {
		kind, a.PR, a.PRUpdate = "pr-update", "", c.name
	}
	if d.oneIn(5) && len(g.copies) > 1 {
		if other := pick(d, g.copies...); other != c {
			a.Also = scenarios.Labels{other.name}
		}
	}
	g.publish(d, a, kind, g.name("p"), c)
	return g.events[len(g.events)-1]
}

func (g *generator) deletion(d *source, c *copyOf, at scenarios.Span) {
	target := "announce " + c.name
	if len(g.events) > 0 && d.share(4, 5) {
		target = pick(d, g.events...).name
	} else if c.absent && !g.known(target) {
		return
	}
	if d.oneIn(5) {
		g.add(scenarios.Action{At: at, Remove: target})
		return
	}
	a := scenarios.Action{At: at, Delete: target, As: g.name("d"), Coordinate: d.oneIn(4)}
	if d.oneIn(5) {
		a.By = pick(d, userPool()...)
	}
	g.add(a)
}

func (g *generator) known(name string) bool {
	for _, e := range g.events {
		if e.name == name {
			return true
		}
	}
	return false
}

// related is an issue or a note about something that came, or comes, or never does.
func (g *generator) related(d *source, c *copyOf, at scenarios.Span) {
	var about scenarios.Labels
	if len(g.events) > 0 && d.share(2, 3) {
		about = scenarios.Labels{pick(d, g.events...).name}
	}
	if d.oneIn(2) {
		g.publish(d, scenarios.Action{At: at, Issue: c.name, By: pick(d, userPool()...), Mentions: about}, "issue", g.name("i"), c)
		return
	}
	a := scenarios.Action{At: at, Note: g.name("n"), By: pick(d, userPool()...), Mentions: about}
	if d.oneIn(4) {
		a.Origin = "client"
	}
	g.add(a)
	g.events = append(g.events, &published{name: a.Note, kind: "note", repo: c, author: a.By, at: at})
}

// raw is an event as it stands on the wire, right or wrong.
func (g *generator) raw(d *source, c *copyOf, at scenarios.Span) {
	label := pick(d, c.labels...)
	a := scenarios.Action{At: at, Raw: 30618, By: c.owner, As: g.name("r"), Tags: []scenarios.Labels{{"d", c.identifier}}}
	if d.oneIn(4) {
		a.By = pick(d, userPool()...)
	}
	value := pick(d, "<object "+c.identifier+":"+label+">", "<object "+c.identifier+":"+label+">", "zz", "", "ref: refs/heads/main", "-x", "+refs/heads/a:refs/heads/b")
	if c.identifier == "a:b" {
		value = "ref: refs/heads/main"
	}
	a.Tags = append(a.Tags, scenarios.Labels{pick(d, "refs/heads/main", "refs/heads/dev", "refs/tags/v1", "refs/heads/a..b", "refs/nostr/x"), value})
	if d.oneIn(3) {
		a.Tags = append(a.Tags, scenarios.Labels{"HEAD", pick(d, "ref: refs/heads/main", "ref: refs/heads/gone", "main")})
	}
	if d.oneIn(5) {
		a.Tags = append(a.Tags, a.Tags[len(a.Tags)-1])
	}
	g.add(a)
}
