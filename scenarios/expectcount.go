package scenarios

import (
	"cmp"
	"fmt"
	"slices"

	"graspsync/core"
)

// What expectations count in the record of a run: attempts, passes, requests, reports.

// hunts are the hunts that concern a repository, by events it had a part in and passes into it.
func (j *judge) hunts(repo string) map[core.HuntID]bool {
	owner, identifier, _ := splitRepo(repo)
	coord := j.coordinate(owner, identifier)
	hunts := make(map[core.HuntID]bool)
	for _, p := range j.rec.Passes {
		if p.Repo == coord.Repo {
			hunts[p.Hunt] = true
		}
	}
	for _, name := range sortedKeys(j.events) {
		ev := j.events[name]
		about := ev.Repo == coord || slices.Contains(ev.Repositories, coord)
		if r := j.rec.Event(ev.ID); about && r != nil && r.Hunt != 0 {
			hunts[r.Hunt] = true
		}
	}
	return hunts
}

func (j *judge) attempts(repo string) []core.Time {
	hunts := j.hunts(repo)
	var at []core.Time
	for _, a := range j.rec.Attempts {
		if hunts[a.Hunt] {
			at = append(at, a.Start)
		}
	}
	return at
}

// about tells whether a pass or request is to the host or URL that word names.
func (j *judge) about(word string, url, domain core.Handle) bool {
	return word == j.names.Text(domain) || word == j.names.Text(url) || word == "all"
}

func (j *judge) ofRepo(word string, repo core.Handle) bool {
	if word == "" {
		return true
	}
	owner, identifier, _ := splitRepo(word)
	return j.coordinate(owner, identifier).Repo == repo
}

func (j *judge) passes(x *Expectation) []core.Time {
	var at []core.Time
	for i := range j.rec.Passes {
		p := &j.rec.Passes[i]
		if j.about(x.Passes, p.URL, p.Domain) && (!x.Hedge || p.Hedge) && (x.Wave == "" || x.Wave == p.Wave.String()) && j.ofRepo(x.Repo, p.Repo) {
			at = append(at, p.Start)
		}
	}
	return at
}

func (j *judge) requests(e *item[Expectation]) {
	x, n := &e.val, int64(0)
	kind, one := askKind(x.Ask)
	for i := range j.log {
		r := &j.log[i]
		if j.about(x.Requests, r.url, r.domain) && (!one || r.kind == kind) && r.at >= core.Time(x.From) &&
			(x.To == 0 || r.at < core.Time(x.To)) && j.ofRepo(x.Repo, r.repo) {
			n += int64(r.requests)
		}
	}
	j.count(e, n, "requests,")
}

// atOnce is the greatest number of passes running at one time; one that ends makes room at that instant,
// and one that takes no time takes no room.
func (j *judge) atOnce(x *Expectation) int64 {
	type edge struct {
		at core.Time
		n  int64
	}
	var edges []edge
	for i := range j.rec.Passes {
		p := &j.rec.Passes[i]
		if !j.about(x.AtOnce, p.URL, p.Domain) {
			continue
		}
		if p.End == p.Start {
			continue
		}
		edges = append(edges, edge{p.Start, 1})
		if p.End >= 0 {
			edges = append(edges, edge{p.End, -1})
		}
	}
	slices.SortStableFunc(edges, func(a, b edge) int { return cmp.Or(cmp.Compare(a.at, b.at), cmp.Compare(a.n, b.n)) })
	most, now := int64(0), int64(0)
	for _, d := range edges {
		now += d.n
		if d.at >= core.Time(x.From) && (x.To == 0 || d.at < core.Time(x.To)) {
			most = max(most, now)
		}
	}
	return most
}

// fair checks the difference between the most and the fewest passes that any hunt had at a host.
func (j *judge) fair(e *item[Expectation]) {
	x := &e.val
	turns := make(map[core.HuntID]int64)
	for i := range j.rec.Passes {
		p := &j.rec.Passes[i]
		if j.about(x.Fair, p.URL, p.Domain) && p.Start >= core.Time(x.From) && (x.To == 0 || p.Start < core.Time(x.To)) {
			turns[p.Hunt]++
		}
	}
	least, most := int64(maxCount), int64(0)
	for _, n := range turns {
		least, most = min(least, n), max(most, n)
	}
	if most == 0 {
		j.fail(e, "no pass at all")
		return
	}
	j.count(e, most-least, fmt.Sprintf("passes between the most (%d) and the fewest (%d) of one hunt,", most, least))
}

func (j *judge) reports(x *Expectation) []core.Time {
	kind, _ := reportKind(x.Report)
	class, _ := core.ParseClass(x.Class)
	var at []core.Time
	for i := range j.rec.Reports {
		r := &j.rec.Reports[i]
		if r.Report == kind && (x.Host == "" || x.Host == j.names.Text(r.Domain)) && (x.Class == "" || class == r.Class) {
			at = append(at, r.At)
		}
	}
	return at
}
