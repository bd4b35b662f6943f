package core

import (
	"errors"
	"slices"
	"strconv"

	"graspsync/core/purgatory"
)

// Stats counts what the core holds and what it has seen (I-8).
type Stats struct {
	Held          int // events in purgatory
	Announcements int // of them announcements
	Hunts         int
	Attempts      int // running
	Passes        int // running: permits out
	Asks          int // requests outstanding, passes included
	Tickets       int // parked
	Domains       int
	URLs          int
	MemoURLs      int
	MemoOIDs      int
	ExpiredIDs    int
	Early         int   // refused events that are remembered whole (S-05)
	RejectedIDs   int   // and by id
	Sources       int   // client sources that did something lately, or hunt (S-06)
	HeldBytes     int64 // of the JSON of held events (S-06)
	Pushes        int
	DeletedPRs    int // ids of deleted PRs that are remembered (DL-01)
	Placeholders  int // refs whose event is not known (PR-03)
	Pending       int // events that the store is asked to take as they are
	Releases      int
	Ignored       uint64 // completions with an old or unknown id, in all (T-04)
	Breaches      uint64 // of the driver's contract, in all (T-05)
	Lookups       uint64 // questions to maintainer closures, in all (M-02)
	Closures      uint64 // closures computed for them, in all; the rest came from the cache
	Overdue       uint64 // requests that ran into their watchdog, in all
	HuntsMinted   uint64
	PassesMinted  uint64
}

// Unlisted counts the repositories that are kept unlisted for a while. It looks at every announcement, which no Step does. AN-06
func (c *Core) Unlisted() (n int) {
	for i := range c.anns.Items {
		if a := &c.anns.Items[i]; a.Status != purgatory.Free && (a.Unlisted || a.Orphan) && (a.RepoExists || a.RepoAsked) {
			n++
		}
	}
	return n
}

// Stats counts at the latest Step's instant; what is due to be forgotten is left out. It changes nothing.
func (c *Core) Stats() Stats {
	use := c.budget.Use(c.now)
	urls, oids := c.memo.Live(c.now)
	return Stats{Held: c.holdings, Announcements: c.announced, Hunts: c.hunts, Attempts: c.attempts, Passes: c.passes.Len(),
		Asks: c.asks.Len(), Tickets: use.Parked, Domains: use.Domains, URLs: c.urls.Len(), MemoURLs: urls, MemoOIDs: oids,
		ExpiredIDs: c.expired.Len(), DeletedPRs: c.gone.Len(), Early: c.rejected.live(c.life(), c.cfg.RejectedFullTTL), RejectedIDs: c.rejected.ids.Len(), Sources: c.sources.slab.Len(), HeldBytes: c.heldBytes, Pushes: len(c.pushes.byID), Placeholders: c.places.slab.Len(), Pending: c.pending.Len(), Releases: c.releases.Len(),
		Ignored: c.ignored, Breaches: c.breaches, Overdue: c.overdue,
		HuntsMinted: uint64(c.huntSeq), PassesMinted: c.passSeq, Lookups: c.lookups, Closures: c.closures}
}

// Check sweeps all state for broken invariants, in time proportional to it; nil when there is none. It
// changes nothing. The error names the rule and the thing.
func (c *Core) Check() error {
	for i := range c.groups.Items {
		if g := &c.groups.Items[i]; g.used {
			if err := c.checkGroup(int32(i)); err != nil {
				return err
			}
		}
	}
	return errors.Join(c.checkPasses(), c.checkRecords(), c.checkAsks(), c.checkCounts())
}

func (c *Core) broken(rule, what string) error {
	return errors.New(rule + ": " + what + " at " + c.now.String())
}

func num(n int) string { return strconv.Itoa(n) }

// checkGroup: a group with something pending and a repository has a hunt, and the hunt something that will
// move it (I-1); a wave has at most two passes, never two on a domain, but for merged ones (H-01).
func (c *Core) checkGroup(i int32) error {
	g := c.groups.At(i)
	name := "group " + num(int(i)) + ", hunt " + num(int(g.id))
	active := g.active
	c.recount(i)
	if g.active != active {
		return c.broken("Q-08", name+": pending count is "+num(int(active))+", is in truth "+num(int(g.active)))
	}
	if c.stopping {
		return nil
	}
	if g.active > 0 && g.id == 0 && len(g.repos) > 0 && c.waiting(g) && c.huntFits(i) {
		return c.broken("I-1", name+": events are held and nothing hunts for them")
	}
	if g.id == 0 {
		return nil
	}
	running := len(g.waves[0].running) + len(g.waves[1].running)
	tickets := len(g.waves[0].tickets) + len(g.waves[1].tickets)
	switch g.phase {
	case idle:
		if g.active > 0 && g.next == Never {
			return c.broken("I-1", name+": idle, events pending, and no attempt is armed")
		}
		if tickets > 0 {
			return c.broken("A-02", name+": no attempt runs and it stands in "+num(tickets)+" rings")
		}
		if g.active == 0 && running == 0 {
			return c.broken("Q-08", name+": wants nothing, runs nothing, and is not dropped")
		}
	case checking:
		if g.checks == 0 {
			return c.broken("N-02", name+": waits for no local check")
		}
	case hunting:
		if running == 0 && tickets == 0 && !(len(g.prs) > 0 && g.hunting+c.cfg.HedgeHeadStart > c.now) {
			return c.broken("I-1", name+": its attempt waits for nothing")
		}
	}
	for w := range g.waves {
		for k, p := range g.waves[w].running {
			ps := c.passes.At(p)
			if !ps.used || ps.group != i || ps.wave != Wave(w) {
				return c.broken("H-01", name+": lists a pass that is not its own")
			}
			_ = k
		}
	}
	if what := c.wrongNeeds(i); what != "" {
		return c.broken("N-01", name+": "+what)
	}
	if !slices.IsSortedFunc(g.wants, func(a, b want) int { return a.oid.Compare(b.oid) }) {
		return c.broken("N-01", name+": wants are out of order")
	}
	return nil
}

// waiting tells whether something of the group is held and not being released.
func (c *Core) waiting(g *group) bool {
	held := func(s purgatory.Status) bool { return s == purgatory.Held }
	return c.seeking(g) ||
		slices.ContainsFunc(g.states, func(s int32) bool { return held(c.states.At(s).Status) && !c.states.At(s).Unsatisfied }) ||
		slices.ContainsFunc(g.prs, func(p int32) bool { return held(c.prs.At(p).Status) })
}

// checkPasses: each permit out has its pass, each pass its place in a wave (D-02).
func (c *Core) checkPasses() error {
	n, limited := 0, 0
	for i := range c.passes.Items {
		p := &c.passes.Items[i]
		if !p.used {
			continue
		}
		n++
		if p.permit.Limited {
			limited++
		}
		g := c.groups.At(p.group)
		if !g.used || !slices.Contains(g.waves[p.wave].running, int32(i)) {
			return c.broken("D-02", "pass "+p.ask.String()+" runs in no wave")
		}
		if k := &c.asks.Items[p.ask.slot()]; k.id != p.ask || k.kind != askPass {
			return c.broken("T-04", "pass "+p.ask.String()+" has no request")
		}
	}
	if running, shares := c.budget.Permits(); running != n || shares != limited {
		return c.broken("D-02", "permits out "+num(running)+", passes "+num(n)+"; limited "+num(shares)+", "+num(limited))
	}
	return nil
}

// checkRecords: the index, the held count and the records agree (S-01); a release locks what it touches.
func (c *Core) checkRecords() error {
	held := 0
	for i := range c.states.Items {
		s := &c.states.Items[i]
		if s.Status != purgatory.Held && s.Status != purgatory.Releasing {
			continue
		}
		held++
		if l, ok := c.where[s.ID]; !ok || l != (location{recState, int32(i)}) {
			return c.broken("S-01", "held state "+s.ID.String()+" is not in the index")
		}
		if c.life() > s.Deadline+c.cfg.StallLimit+c.cfg.KillGrace && !c.storing(s.Release) {
			return c.broken("I-17", "state "+s.ID.String()+" is held past its deadline "+s.Deadline.String())
		}
	}
	for i := range c.prs.Items {
		p := &c.prs.Items[i]
		if p.Status != purgatory.Held && p.Status != purgatory.Releasing {
			continue
		}
		held++
		if l, ok := c.where[p.ID]; !ok || l != (location{recPR, int32(i)}) {
			return c.broken("S-01", "held PR "+p.ID.String()+" is not in the index")
		}
	}
	announced := 0
	for i := range c.anns.Items {
		a := &c.anns.Items[i]
		if a.Status == purgatory.Free {
			continue
		}
		if a.Status != purgatory.Served {
			announced++
		}
		if l, ok := c.annOf[a.Repo]; !ok || l != int32(i) {
			return c.broken("S-01", "the repository of announcement "+a.ID.String()+" is not in the index")
		}
		if a.Orphan {
			if a.Status != purgatory.Served || a.Group != purgatory.None {
				return c.broken("DL-02", "an orphaned repository belongs to a group")
			}
			continue
		}
		if g := c.groups.At(a.Group); !g.used || !slices.Contains(g.anns, int32(i)) {
			return c.broken("Q-01", "announcement "+a.ID.String()+" is in no group")
		}
	}
	if held+announced != c.holdings || announced != c.announced {
		return c.broken("I-8", "held count "+num(c.holdings)+", records "+num(held+announced))
	}
	return nil
}

// checkAsks: every release that waits has as many requests out as it waits for (T-04).
func (c *Core) checkAsks() error {
	for i := range c.releases.Items {
		r := &c.releases.Items[i]
		if !r.used {
			continue
		}
		out := int32(0)
		for k := range c.asks.Items {
			a := &c.asks.Items[k]
			switch a.kind {
			case askCopy, askAlign, askNostr, askState, askPromote:
				if a.a == int32(i) {
					out++
				}
			}
		}
		if out != r.waiting || out == 0 {
			return c.broken("T-04", "release of "+r.event.String()+" waits for "+num(int(r.waiting))+" requests, "+num(int(out))+" are out")
		}
	}
	return nil
}
