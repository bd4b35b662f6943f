package scenarios

import (
	"slices"
	"strconv"

	"graspsync/core"
	"graspsync/fakes"
	"graspsync/sim"
)

// inReach lists the events whose data is certainly in reach, for the judge of liveness (I-4): those of
// which the scenario itself shows it, and those of which an expectation says it. What is not certain is
// left out, so that a right core is never accused.
func (b *build) inReach() []sim.Reachable {
	r := reach{build: b, tickets: make(map[string]int), stated: make(map[core.EventID]core.Time)}
	for i := range b.expect {
		if e := &b.expect[i].val; e.Reachable != "" {
			r.stated[b.idOf(e.Reachable)] = core.Time(e.From)
		}
	}
	r.survey()
	certain := r.certain()
	var out []sim.Reachable
	for _, name := range sortedKeys(b.events) {
		ev := b.events[name]
		repo := r.target(ev)
		if from, said := r.stated[ev.ID]; said {
			waiting, cfg := r.waiting(repo)
			out = append(out, sim.Reachable{Event: ev.ID, From: from, Waiting: waiting, Bound: sim.LivenessBound(&cfg, waiting)})
			delete(r.stated, ev.ID)
			continue
		}
		if !certain || repo == nil || !r.calm(repo) {
			continue
		}
		if w, ok := r.event(ev, repo); ok {
			out = append(out, w)
		}
	}
	return out
}

// reach is what the search for reachable data knows of the scenario.
type reach struct {
	*build
	tickets  map[string]int // that may wait at a domain at one time
	restless []string       // identifiers whose announcements or refs change on the way
	stated   map[core.EventID]core.Time
}

// survey counts who may wait where, and notes what changes on the way.
func (r *reach) survey() {
	prs := make(map[string]bool)
	for i := range r.actions {
		a := &r.actions[i].val
		switch a.verb() {
		case "announce", "push":
			_, identifier, _ := splitRepo(a.about())
			r.restless = append(r.restless, identifier)
		case "delete", "remove":
			if ev := r.events[a.Delete+a.Remove]; ev != nil && ev.Kind == core.KindAnnouncement {
				r.restless = append(r.restless, r.names.Text(ev.Repo.Identifier))
			}
		case "pr", "pr-update":
			for _, also := range a.Also { // its sources concern hunts that are not followed here
				_, identifier, _ := splitRepo(also)
				r.restless = append(r.restless, identifier)
			}
			prs[a.about()] = prs[a.about()] || a.Clone != nil
		}
	}
	for i := range r.repos {
		name := r.repos[i].name
		each := 1 // a ticket per wave and domain
		if prs[name] {
			each = 2
		}
		for _, d := range r.domainsOf(name) {
			r.tickets[d] += each
		}
	}
}

// domainsOf are the domains of a repository's clone URLs, each once.
func (r *reach) domainsOf(repo string) (out []string) {
	for _, url := range r.urls[repo] {
		if d, err := fakes.Domain(url); err == nil && !slices.Contains(out, d) {
			out = append(out, d)
		}
	}
	return out
}

// certain tells whether anything at all can be said of this world: nothing is lost, late or failing on our
// side, no limit changes, and the process has room for everyone.
func (r *reach) certain() bool {
	if len(r.raw) > 0 || len(r.Local) > 0 || r.Scenario.Driver != nil && !idealDriver(r.Scenario.Driver) || r.cfg.DomainConcurrency < 1 {
		return false
	}
	for i := range r.actions {
		switch r.actions[i].val.verb() {
		case "set", "shutdown", "crash", "clock", "event", "raw":
			return false
		}
	}
	room := 0
	for _, d := range sortedKeys(r.tickets) {
		room += min(r.tickets[d], r.limits(d).DomainConcurrency)
	}
	return room <= r.cfg.Pressure
}

// idealDriver tells whether the driver does its work at once and well; what it repeats does no harm.
func idealDriver(d *Driver) bool {
	f := d.fake(&problems{})
	f.EarlyWake, f.Duplicate, f.Again, f.AfterEnd, f.Stray, f.Recheck = sim.Ratio{}, sim.Ratio{}, 0, sim.Ratio{}, sim.Ratio{}, false
	return f == sim.DriverFaults{}
}

// limits is the configuration as it holds for one domain.
func (r *reach) limits(domain string) core.Config {
	c := r.cfg
	if d, ok := r.Domains[domain]; ok {
		c.DomainConcurrency, c.DomainRate = d.Concurrency, d.Rate
	}
	return c
}

// target is the repository whose hunt gets the event's data, if it is served from the start.
func (r *reach) target(ev *core.Event) *item[Repo] {
	coord := ev.Repo
	switch ev.Kind {
	case core.KindState:
	case core.KindPR, core.KindPRUpdate:
		if len(ev.Repositories) != 1 {
			return nil
		}
		coord = ev.Repositories[0]
	default:
		return nil
	}
	for i := range r.repos {
		name := r.repos[i].name
		if ann := r.events["announce "+name]; ann != nil && ann.Repo == coord && r.repos[i].val.Start != "absent" {
			return &r.repos[i]
		}
	}
	return nil
}

// waiting is how many tickets may stand before one of the repository's, on whichever of the domains of its
// name has most, and the configuration with the tightest limits among them.
func (r *reach) waiting(repo *item[Repo]) (n int, tight core.Config) {
	tight = r.cfg
	if repo == nil {
		return 0, tight
	}
	for _, d := range r.family(repo) {
		n = max(n, r.tickets[d]-1)
		c := r.limits(d)
		tight.DomainConcurrency, tight.DomainRate = min(tight.DomainConcurrency, c.DomainConcurrency), min(tight.DomainRate, c.DomainRate)
	}
	return n, tight
}

// family are the domains of all repositories with the identifier: its group is somewhere among them.
func (r *reach) family(repo *item[Repo]) (out []string) {
	_, identifier, _ := splitRepo(repo.name)
	for i := range r.repos {
		if _, other, _ := splitRepo(r.repos[i].name); other != identifier {
			continue
		}
		for _, d := range r.domainsOf(r.repos[i].name) {
			if !slices.Contains(out, d) {
				out = append(out, d)
			}
		}
	}
	return out
}

// calm tells whether the repository's other sources cannot hold its hunt up for longer than the bound
// allows: no domain is paused, at most two are ever slow, and nobody queues for those.
func (r *reach) calm(repo *item[Repo]) bool {
	_, identifier, _ := splitRepo(repo.name)
	if slices.Contains(r.restless, identifier) {
		return false
	}
	slow := 0
	for _, d := range r.family(repo) {
		limit := r.limits(d).DomainConcurrency
		if limit < 1 {
			return false
		}
		if !r.health(d).prompt {
			slow++
			if r.tickets[d] > limit {
				return false
			}
		}
	}
	return slow <= 2
}

// event looks for one URL of the announcement that has all the event needs, and since when.
func (r *reach) event(ev *core.Event, repo *item[Repo]) (sim.Reachable, bool) {
	needed := []core.OID{ev.Commit}
	if ev.Kind == core.KindState {
		needed = needed[:0]
		for _, ref := range ev.Refs {
			if !ref.Symbolic {
				needed = append(needed, ref.OID)
			}
		}
	}
	if ev.Unsatisfied || len(needed) == 0 {
		return sim.Reachable{}, false
	}
	waiting, cfg := r.waiting(repo)
	best := sim.Reachable{Event: ev.ID, Waiting: waiting, From: core.Never}
	for _, src := range r.events["announce "+repo.name].Sources {
		h := r.health(r.names.Text(src.Domain))
		if src.Class != core.Public || h.from == core.Never {
			continue
		}
		from := r.since(repo, r.names.Text(src.URL), needed)
		if from == core.Never {
			continue
		}
		if from = max(from, h.from); from < best.From {
			best.From, best.Bound = from, sim.LivenessBound(&cfg, waiting)
			if h.steady {
				best.Bound = sim.SteadyBound(&cfg, waiting)
			}
		}
	}
	return best, best.From < core.Time(r.Horizon)
}

// since is the instant from which url advertises all the objects until the end; Never if it does not.
func (r *reach) since(repo *item[Repo], url string, needed []core.OID) core.Time {
	_, identifier, _ := splitRepo(repo.name)
	domain, _ := fakes.Domain(url)
	type advert struct {
		name        string
		oid         core.OID
		from, until core.Time
	}
	var all []advert
	for _, where := range sortedKeys(repo.val.On) {
		if where != domain && where != url {
			continue
		}
		for i := range repo.val.On[where] {
			h := &repo.val.On[where][i]
			until := core.Never
			if h.Until > 0 {
				until = core.Time(h.Until)
			}
			for _, ref := range adverts(repo, h) {
				all = append(all, advert{fullName(ref.Name), oid(identifier, ref.Value), core.Time(h.From), until})
			}
		}
	}
	since := core.Time(0)
	for _, o := range needed {
		first := core.Never
		for i, a := range all {
			moved := slices.ContainsFunc(all[:i], func(x advert) bool { return x.name == a.name && x.oid != a.oid && x.until > a.from }) ||
				slices.ContainsFunc(all[i+1:], func(x advert) bool { return x.name == a.name && x.oid != a.oid && x.until > a.from })
			if a.oid == o && a.until > core.Time(r.Horizon) && !moved {
				first = min(first, a.from)
			}
		}
		since = max(since, first)
	}
	return since
}

// reachable judges that what an expectation says of an event's data could be judged at all; whether the
// event was released in time is I-4's matter.
func (j *judge) reachable(e *item[Expectation], name string) {
	i := slices.IndexFunc(j.promised, func(r sim.Reachable) bool { return r.Event == j.idOf(name) })
	r := j.record(name)
	switch {
	case r == nil || i < 0:
		j.fail(e, "the event never reached the relay")
		return
	case r.Held < 0 && r.Stored < 0:
		j.fail(e, "it was neither held nor served%s", answered(r))
		return
	case r.Held < 0:
		return // satisfied at once
	}
	if due := max(j.promised[i].From, r.Held) + j.promised[i].Bound; due > core.Time(j.Horizon) || due > r.Deadline {
		j.fail(e, "nothing to judge: with "+strconv.Itoa(j.promised[i].Waiting)+" tickets ahead it is due by %v, but its deadline is %v and the run ends at %v",
			due, r.Deadline, j.Horizon)
	}
}
