package bench

import (
	"errors"
	"fmt"
	"slices"
	"strconv"

	"graspsync/core"
	"graspsync/core/value"
	"graspsync/fakes"
	"graspsync/sim"
)

// Load is the workload all measurements share: served repositories with three clone URLs each on
// max(10, Repos/100) domains. Every repository gets one synced state an hour, at an instant of its own; its
// commit is found by a share of the comparisons, and a share of them falls silent.
type Load struct {
	Repos    int       // 1 to 1,000,000
	Hours    int       // simulated, 1 to 1,000
	Found    int       // per thousand comparisons that show the commit wanted, 0 to 1,000
	Stalls   int       // per thousand comparisons that fall silent, 0 to 1,000
	StallFor core.Time // for how long; from the stall limit on, it counts as a stall (H-06)
	Seed     uint64

	Queue  sim.QueueKind
	Checks sim.CheckLevel
}

// Light is the load at which most of what is wanted is found: three in ten comparisons show it.
func Light(repos, hours int) Load {
	return Load{Repos: repos, Hours: hours, Found: 300, Stalls: 20, StallFor: 300 * core.Second, Seed: 1}
}

// Saturated is the load at which nothing is ever found: every domain is asked as often as it may be.
func Saturated(repos, hours int) Load {
	l := Light(repos, hours)
	l.Found = 0
	return l
}

// ErrLoad is wrapped by every refusal of a Load.
var ErrLoad = errors.New("load refused")

func (l *Load) validate() error {
	for _, f := range [...]struct {
		field      string
		v, lo, max int
	}{{"Repos", l.Repos, 1, 1_000_000}, {"Hours", l.Hours, 1, 1_000}, {"Found", l.Found, 0, 1000}, {"Stalls", l.Stalls, 0, 1000}} {
		if f.v < f.lo || f.v > f.max {
			return fmt.Errorf("%w: %s is %d, must be %d to %d", ErrLoad, f.field, f.v, f.lo, f.max)
		}
	}
	return nil
}

// Domains is how many domains the repositories are spread over.
func (l *Load) Domains() int { return max(10, l.Repos/100) }

// Config is the default configuration with the bounds that are meant for about 1,000 repositories raised in
// proportion, so that a larger load is more of the same and not a bound that is hit.
func (l *Load) Config() core.Config {
	c := core.DefaultConfig()
	c.Wall = 1_700_000_000
	grown := func(v, most int) int { return min(max(v, v*l.Repos/1000), most) }
	c.Pressure = grown(c.Pressure, 4096)
	c.MemoURLs = grown(c.MemoURLs, 1<<20)
	c.Hunts = max(c.Hunts, 2*l.Repos)
	c.HeldEvents = max(c.HeldEvents, 2*l.Repos)
	c.ExpiredIDs = grown(c.ExpiredIDs, 1<<24)
	return c
}

// Setup builds a fresh world of the load.
func (l Load) Setup() (sim.Setup, error) {
	if err := l.validate(); err != nil {
		return sim.Setup{}, err
	}
	names := new(value.Names)
	w := fakes.NewWorldParts(names, l.Seed)
	on := func(per1000 int) fakes.Ratio { return fakes.Ratio{Num: uint32(per1000), Den: 1000} }
	b := fakes.Typical()
	b.Rules = []fakes.Rule{
		{Do: fakes.Stall, On: fakes.On(sim.AskCompare), Share: on(l.Stalls), For: l.StallFor},
		{Do: fakes.Hide, On: fakes.On(sim.AskCompare), Share: on(1000 - l.Found)},
		{Do: fakes.Deny, On: fakes.On(sim.AskProbe)},
	}
	domains := make([]string, l.Domains())
	for d := range domains {
		domains[d] = "d" + strconv.Itoa(d) + ".example"
		w.Host(domains[d], fakes.Always(b)...)
	}
	arrivals := make([]sim.Arrival, 0, l.Repos*(l.Hours+1))
	upstream := names.Handle("wss://relay.example")
	for i := range l.Repos {
		arrivals = l.repository(w, domains, upstream, i, arrivals)
	}
	slices.SortStableFunc(arrivals, func(a, b sim.Arrival) int { return int(min(max(a.At-b.At, -1), 1)) })
	w.Learn(arrivals)
	if err := w.Seal(); err != nil {
		return sim.Setup{}, err
	}
	return sim.Setup{Scenario: "load", Seed: l.Seed, Config: l.Config(), Names: names, Remote: w.Servers, Local: w.Local, Store: w.Store,
		Arrivals: arrivals, Horizon: core.Time(l.Hours) * core.Hour, Queue: l.Queue, Checks: l.Checks}, nil
}

// repository adds repository i: served already at the start, then a new state every hour.
func (l *Load) repository(w *fakes.WorldParts, domains []string, upstream core.Handle, i int, arrivals []sim.Arrival) []sim.Arrival {
	name := "r" + strconv.Itoa(i)
	owner := w.User("owner of " + name)
	urls := make([]string, 3)
	for k := range urls {
		urls[k] = "https://" + domains[(i*7+k*3)%len(domains)] + "/" + name + ".git"
	}
	const epoch = 1_700_000_000
	ann := owner.Announce(epoch-1, name, urls)
	w.Local.Create(ann.Repo.Repo)
	w.Store.Learn(ann)
	w.Store.Store(ann.ID)
	arrivals = append(arrivals, sim.Arrival{Input: core.Input{Kind: core.InServed, Event: ann}})
	offset := core.Time(sim.Mix(l.Seed, sim.FirstForeignPurpose, uint64(i), 0) % uint64(core.Hour))
	labels := make([]string, l.Hours)
	for h := range labels {
		labels[h] = name + "@" + strconv.Itoa(h)
		if h == 0 {
			w.Commit(labels[h])
		} else {
			w.Commit(labels[h], labels[h-1])
		}
		at := core.Time(h)*core.Hour + offset
		st := owner.State(epoch+int64(at/core.Second), name, fakes.RefTo{Name: "refs/heads/main", Label: labels[h]})
		arrivals = append(arrivals, sim.Arrival{At: at,
			Input: core.Input{Kind: core.InEvent, Origin: core.FromSync, From: upstream, Event: st}})
	}
	for _, u := range urls {
		r := w.Repo(u)
		for h, label := range labels {
			r.Ref("refs/heads/h"+strconv.Itoa(h), label)
		}
	}
	return arrivals
}
