package generate

import (
	"strconv"

	"graspsync/scenarios"
)

// project is an identifier with its history: a label means one object under it, whoever owns the repository.
type project struct {
	identifier string
	commits    map[string]scenarios.Labels // parents
	tags       map[string]string
	labels     []string // commits, oldest first
	tagged     []string
}

// copyOf is a repository: one owner's copy of a project.
type copyOf struct {
	*project
	owner  string
	name   string
	hosts  []string // that its clone URLs are at
	absent bool
	states []scenarios.Refs // published so far
}

func userPool() []string { return []string{"alice", "bob", "carol", "dave", "erin"} }

// repos draws projects, who owns copies of them, and who has which objects from when.
func (g *generator) repos() {
	d := g.source("repos")
	n := d.number(g.p.Repos[0], g.p.Repos[1])
	g.Repos = make(map[string]scenarios.Repo, n)
	for len(g.copies) < n {
		var p *project
		if len(g.projects) > 0 && g.use(&d, SharedIdentifiers, 1, 3) {
			p = pick(&d, g.projects...)
		} else {
			p = g.project(&d)
		}
		owner := userPool()[d.few(0, len(userPool())-1)]
		c := &copyOf{project: p, owner: owner, name: owner + "/" + p.identifier}
		if _, twice := g.Repos[c.name]; twice {
			continue
		}
		g.Repos[c.name] = g.repo(&d, c)
		g.copies = append(g.copies, c)
	}
	for _, c := range g.copies { // forks know one history
		r := g.Repos[c.name]
		r.Commits, r.Tags = c.commits, c.tags
		if len(r.On) == 0 {
			r.On = nil
		}
		g.Repos[c.name] = r
	}
}

func (g *generator) project(d *source) *project {
	p := &project{identifier: pick(d, "hello", "lib", "site", "app", "tool", "a:b", "Docs", "x.y") + "-" + strconv.Itoa(len(g.projects)+1),
		commits: make(map[string]scenarios.Labels)}
	if d.oneIn(3) {
		p.identifier = "hello" + strconv.Itoa(len(g.projects)+1)
	}
	last := "base"
	for i := range d.number(1, 6) {
		label := "c" + strconv.Itoa(i+1)
		switch {
		case d.oneIn(8): // a root of its own
		case d.oneIn(8) && len(p.labels) > 1:
			p.commits[label] = scenarios.Labels{last, pick(d, p.labels[:len(p.labels)-1]...)}
		case d.oneIn(5) && len(p.labels) > 0:
			p.commits[label] = scenarios.Labels{pick(d, p.labels...)}
		default:
			p.commits[label] = scenarios.Labels{last}
		}
		p.labels, last = append(p.labels, label), label
	}
	if g.use(d, OddRefs, 1, 4) {
		p.tags = make(map[string]string)
		for i := range d.few(1, 2) {
			tag := "t" + strconv.Itoa(i+1)
			p.tags[tag], p.tagged = pick(d, p.labels...), append(p.tagged, tag)
		}
	}
	g.projects = append(g.projects, p)
	return p
}

func (g *generator) repo(d *source, c *copyOf) (r scenarios.Repo) {
	if g.use(d, AbsentAtStart, 1, 3) {
		c.absent, r.Start = true, "absent"
	}
	// Most copies of the real world lie on the same two hosts.
	for i, h := range g.hostNames {
		if d.share(pick(d, 3, 2), 4) && i < 2 || d.oneIn(4) {
			c.hosts = append(c.hosts, h)
		}
	}
	if len(c.hosts) == 0 {
		c.hosts = []string{pick(d, g.hostNames...)}
	}
	c.hosts = shuffled(d, c.hosts)
	r.Clone = append(scenarios.Labels{}, c.hosts...)
	if g.on(OddURLs) {
		r.Clone = g.oddURLs(d, r.Clone)
	}
	if g.on(Maintainers) {
		for _, u := range some(d, userPool(), 1, 5) {
			if u != c.owner {
				r.Maintainers = append(r.Maintainers, u)
			}
		}
	}
	r.On = make(map[string]scenarios.Holdings)
	for _, h := range g.hostNames {
		if held := g.holdings(d, c, h); held != nil {
			r.On[h] = held
		}
	}
	if d.oneIn(6) && !c.absent {
		r.Has = some(d, c.labels, 1, 2)
	}
	return r
}

// oddURLs adds spellings that must be skipped, or lead to the same place.
func (g *generator) oddURLs(d *source, list scenarios.Labels) scenarios.Labels {
	for range d.few(0, 2) {
		u := pick(d, "https://relay.example/own.git", "https://RELAY.example:443/own.git", "ssh://git@"+g.hostNames[0]+"/x.git", "git://git.example/x.git",
			"file:///etc/passwd", "https://"+pick(d, g.hostNames...)+"/second/path.git", "http://"+pick(d, g.hostNames...)+"/plain.git")
		at := d.number(0, len(list))
		list = append(list[:at:at], append(scenarios.Labels{u}, list[at:]...)...)
	}
	return list
}

// holdings draws what one host has of a copy: all, nothing, a part, for a while.
func (g *generator) holdings(d *source, c *copyOf, host string) (out scenarios.Holdings) {
	listed := false
	for _, h := range c.hosts {
		listed = listed || h == host
	}
	if !listed && !d.oneIn(6) || d.oneIn(7) {
		return nil
	}
	all := append(append(scenarios.Labels{}, c.labels...), c.tagged...)
	part := all
	if g.use(d, SplitData, 1, 3) {
		part = some(d, all, 1, 2)
	}
	if len(part) == 0 {
		return nil
	}
	h := scenarios.Holding{Has: part}
	if g.use(d, LateData, 1, 3) {
		h.From = d.between(0, g.Horizon*3/4)
	}
	if g.use(d, VanishingData, 1, 8) {
		h.Until = h.From + max(d.ladder(30*sec, 5*min1, 40*min1), ms)
	}
	h.Hidden = g.use(d, HiddenData, 1, 8)
	out = scenarios.Holdings{h}
	if h.Until > 0 && d.oneIn(2) {
		out = append(out, scenarios.Holding{Has: all, From: h.Until + d.ladder(0, min1, 30*min1)})
	}
	if g.use(d, HiddenData, 1, 10) {
		out = append(out, scenarios.Holding{Has: scenarios.Labels{"base"}, Filler: pick(d, 3, 200)})
	}
	return out
}
