package generate

import (
	"slices"
	"strconv"

	"graspsync/scenarios"
)

// pushes draws what clients push: what a state says, shortly after it or before; a part of it; something else; and
// the data of pull requests whose event is not here yet.
func (g *generator) pushes() {
	d := g.source("pushes")
	if g.on(Pushes) {
		for _, e := range slices.Clone(g.events) {
			if e.kind == "state" && d.share(pick(&d, 1, 1, 2), 3) {
				g.pushOf(&d, e)
			}
		}
	}
	if !g.on(Placeholders) {
		return
	}
	for _, e := range slices.Clone(g.events) {
		if (e.kind == "pr" || e.kind == "pr-update") && d.oneIn(3) {
			at := e.at - d.between(0, 3*min1)
			if d.oneIn(2) {
				at = e.at + d.between(0, 3*min1)
			}
			g.nostrPush(&d, e.repo, at, e.name, e.commit)
		}
	}
	n := d.few(0, 2)
	if g.p.With.Has(Placeholders) {
		n = d.few(0, 8)
	}
	for range n {
		c := pick(&d, g.copies...)
		name := g.name("q")
		if d.oneIn(3) {
			name = "never" + strconv.Itoa(d.number(1, 3))
		}
		at := d.between(0, g.Horizon)
		commit := pick(&d, c.labels...)
		g.nostrPush(&d, c, at, name, commit)
		if d.oneIn(2) && name[0] == 'q' { // and its event comes after all
			a := scenarios.Action{At: min(at+d.ladder(0, ms, sec, 3*min1, 29*min1, 31*min1), g.Horizon), PR: c.name, By: pick(&d, userPool()...), Commit: commit}
			if d.oneIn(4) {
				a.Commit = pick(&d, c.labels...)
			}
			g.publish(&d, a, "pr", name, c)
		}
	}
}

func (g *generator) pushOf(d *source, e *published) {
	at := e.at + d.ladder(0, 2*ms, sec, 20*sec, 3*min1, 29*min1, 30*min1)
	if d.oneIn(6) {
		at = e.at - d.ladder(ms, sec, min1)
	}
	a := scenarios.Action{At: g.clamp(at), Push: e.repo.name, Refs: slices.Clone(e.refs), As: g.name("push")}
	a.Refs = slices.DeleteFunc(a.Refs, func(r scenarios.Ref) bool { return len(r.Value) > 4 && r.Value[:4] == "ref:" })
	a.By = pick(d, "", "", e.author)
	a.Upload = d.ladder(0, 0, sec, 20*sec, 5*min1)
	a.Bytes = pick(d, int64(0), 1_000, 20_000)
	if d.oneIn(3) {
		a.Address = pick(d, "198.51.100.1", "198.51.100.2")
	}
	if g.on(PushTrouble) {
		switch d.Below(8) {
		case 0:
			a.Refs = a.Refs[:d.number(0, len(a.Refs))]
		case 1:
			a.Refs = g.refs(d, e.repo)
			a.Refs = slices.DeleteFunc(a.Refs, func(r scenarios.Ref) bool { return len(r.Value) > 4 && r.Value[:4] == "ref:" })
		case 2:
			a.Refs = append(a.Refs, scenarios.Ref{Name: "old" + strconv.Itoa(d.number(1, 3)), Value: "none"})
		case 3:
			a.Old = scenarios.Refs{{Name: "main", Value: pick(d, append([]string{"base"}, e.repo.labels...)...)}}
		case 4:
			n := d.number(0, len(a.Refs))
			a.CutAfter = &n
		}
	}
	if a.Refs == nil {
		a.Refs = scenarios.Refs{}
	}
	if a.CutAfter != nil {
		*a.CutAfter = min(*a.CutAfter, len(a.Refs))
	}
	g.add(a)
	if g.use(d, PushTrouble, 1, 5) { // somebody else does the same at that time
		b := a
		b.As, b.At, b.CutAfter = g.name("push"), g.clamp(a.At+pick(d, 0, ms, a.Upload)), nil
		g.add(b)
	}
}

func (g *generator) nostrPush(d *source, c *copyOf, at scenarios.Span, event, commit string) {
	a := scenarios.Action{At: g.clamp(at), Push: c.name, As: g.name("push"), Refs: scenarios.Refs{{Name: "refs/nostr/" + event, Value: commit}},
		By: pick(d, userPool()...), Upload: d.ladder(0, 0, sec, 20*sec), Bytes: pick(d, int64(0), 2_000, 6_000), Address: pick(d, "", "198.51.100.1", "198.51.100.2")}
	if g.use(d, PushTrouble, 1, 6) {
		a.Refs[0].Value = pick(d, c.labels...)
	}
	if g.use(d, PushTrouble, 1, 8) {
		n := d.number(0, 1)
		a.CutAfter = &n
	}
	g.add(a)
}

// clamp keeps an instant within the run.
func (g *generator) clamp(at scenarios.Span) scenarios.Span { return min(max(at, 0), g.Horizon) }
