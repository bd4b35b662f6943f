package core

import (
	"graspsync/core/budget"
	"graspsync/core/fetch"
	"graspsync/core/purgatory"
)

// Core is the sync core: a single-threaded value that turns inputs into effects. It owns its deadlines
// (Next) and never reads a clock. Make one with New or Restore; do not copy it.
type Core struct {
	cfg      Config
	now      Time
	offset   Time // wall clock ahead of Config.Wall + now (T-01)
	stopping bool

	budget    *budget.Table
	memo      *fetch.Memo
	expired   *purgatory.Expired
	gone      *purgatory.Expired // ids of deleted PRs: their commits are not let in again (DL-01, P-03)
	rejected  rejected
	sources   sourceTable
	blocked   map[PubKey]bool   // look-up only
	mentioned map[EventID]int32 // by held pull requests (RE-01)

	identOf map[Handle]int32
	idents  purgatory.Slab[purgatory.Ident]
	anns    purgatory.Slab[purgatory.Announcement]
	states  purgatory.Slab[purgatory.State]
	prs     purgatory.Slab[purgatory.PR]
	where   map[EventID]location // held and being released, and served announcements
	groups  purgatory.Slab[group]
	urlOf   map[Handle]int32
	urls    purgatory.Slab[urlRecord]
	authors authorTable

	residents residents // held events that may be evicted
	huntOrder huntOrder // hunts that may be
	hungry    []int32   // groups that found no room for a hunt

	passes   purgatory.Slab[pass]
	asks     purgatory.Slab[ask]
	releases purgatory.Slab[release]
	pushes   pushTable
	places   placeTable

	timers [numTimerClasses]timer
	starts calendar

	prsAt     map[Handle][]int32 // PRs by the repositories they name
	annOf     map[Handle]int32   // announcements by repository, orphaned ones too
	pending   purgatory.Slab[pendingEvent]
	deletions []int32 // of them kind 5
	shadows   purgatory.Slab[shadow]
	deleting  map[Handle]int32 // repositories whose deletion is out
	starting  bool             // facts of the start come in: nothing is judged by them yet
	found     []foundRef       // of them the refs below refs/nostr/

	askSeq     uint64
	passSeq    uint64
	huntSeq    HuntID
	serial     uint32
	holdings   int   // held events
	heldBytes  int64 // of their JSON (S-06)
	hunts      int   // live hunts
	attempts   int   // running attempts
	ignored    uint64
	breaches   uint64
	overdue    uint64
	announced  int    // held announcements
	strayed    int    // repositories that are not known to show what is served there
	closures   uint64 // closures computed (M-02)
	lookups    uint64 // and asked for
	localFault bool   // reported, and nothing has worked since (D-07)

	out     []Effect
	arena   []OID // lists in effects, valid until the next Step
	reports []PassReport
	grow    []int32 // groups to look at before the Step ends
	showing []int32 // identifiers whose repositories may show what they should not, to look at then too
	scratch scratch

	fed           bool    // no group goes without a hunt for want of room
	admitting     []int32 // groups of the event that is being admitted: they make no room for it
	sourceScratch []source
	urlMarks      marks
	domMarks      marks
	readyScratch  []int32
}

// scratch is memory reused within a Step.
type scratch struct {
	wants   []fetch.Want
	places  []int32
	anns    []*purgatory.Announcement
	slots   []int32
	victims []int32
	showing []int32
	shown   []int32
	skipped []int32
}

// location says where a known event is kept.
type location struct {
	kind recordKind
	slot int32
}

type recordKind uint8

const (
	recAnnouncement recordKind = iota
	recState
	recPR
	recPending // being stored as it is
	recShadow  // served version under a held announcement
)

// New makes an empty core; a Config that cannot work is refused with an error that wraps ErrConfig.
func New(cfg Config) (*Core, error) {
	if err := cfg.Validate(); err != nil {
		return nil, err
	}
	c := &Core{
		cfg: cfg, identOf: make(map[Handle]int32), where: make(map[EventID]location), urlOf: make(map[Handle]int32),
		memo:      fetch.NewMemo(cfg.MemoURLs, cfg.MemoOIDs, cfg.MemoTTL),
		expired:   purgatory.NewExpired(cfg.ExpiredIDs, cfg.ExpiredTTL),
		gone:      purgatory.NewExpired(cfg.ExpiredIDs, cfg.ExpiredTTL),
		budget:    budget.New(cfg.limits()),
		authors:   newAuthorTable(),
		residents: newResidents(),
		pushes:    pushTable{byID: make(map[uint64]int32)},
		deleting:  make(map[Handle]int32),
		places:    newPlaceTable(),
		annOf:     make(map[Handle]int32),
		prsAt:     make(map[Handle][]int32),
		rejected:  newRejected(&cfg),
		sources:   newSourceTable(),
		mentioned: make(map[EventID]int32),
	}
	c.setBlocked()
	c.starts.interval = cfg.LoopInterval
	c.starts.bucket = make([]int32, calendarSize)
	for i := range c.starts.bucket {
		c.starts.bucket[i] = purgatory.None
	}
	return c, nil
}

func (c *Config) limits() budget.Limits {
	l := budget.Limits{
		Concurrency: c.DomainConcurrency, Rate: c.DomainRate, Requests: c.DomainRequests, Window: c.DomainWindow,
		RequestUnit: c.RequestUnit, AddressPasses: c.AddressPasses, Pressure: c.Pressure, AuthorPasses: c.AuthorPasses,
		CoolBase: c.CoolBase, CoolCap: c.CoolCap, RetryAfterCap: c.RetryAfterCap, CoolForget: c.CoolForget,
		LocalCap: c.BackoffCap, URLCool: c.URLCool,
		UnreachableAge: c.UnreachableAge, UnreachableFor: c.UnreachableFor, UnreachableTry: c.UnreachableTry,
	}
	for _, o := range c.Overrides {
		l.Overrides = append(l.Overrides, budget.Override{Domain: o.Domain, Concurrency: o.Concurrency, Rate: o.Rate})
	}
	return l
}

// Step applies one input at now and appends to out what is to be done about it. Deadlines before now
// fire first; those at now fire only on Wake, which the driver sends last in an instant (T-02). A now in
// the past counts as the latest one seen and is reported (T-01, T-05). Lists in the effects are valid
// until the next Step.
func (c *Core) Step(now Time, in Input, out []Effect) []Effect {
	c.out, c.arena, c.reports = out, c.arena[:0], c.reports[:0]
	if now > maxTime {
		c.contract("time is beyond reach: Step at " + now.String() + ", must be at most " + maxTime.String())
		now = c.now
	}
	if now < c.now {
		c.contract("time went back: Step at " + now.String() + " after " + c.now.String())
		now = c.now
	}
	c.now = now
	if in.Kind != InRestarted { // what was in flight is lost before anything follows from it
		c.fire(in.Kind == InWake)
	}
	if c.starting && in.Kind != InServed && in.Kind != InRepoRefs {
		c.started()
	}
	c.apply(&in)
	c.settle()
	out, c.out = c.out, nil
	return out
}

// apply is the one switch over inputs; what each does is in the file of its subject.
func (c *Core) apply(in *Input) {
	switch in.Kind {
	case InWake:
	case InEvent:
		c.onEvent(in)
	case InChecked:
		c.onChecked(in)
	case InCompared:
		c.onCompared(in)
	case InFetched:
		c.onFetched(in)
	case InProbed:
		c.onProbed(in)
	case InProgress:
		c.onProgress(in)
	case InPassEnded:
		c.onPassEnded(in)
	case InCopied, InAligned:
		c.onReleaseStep(in)
	case InStored:
		c.onStored(in)
	case InRemoved:
		if k, ok := c.take(in.Ask, askRemove); ok && in.Class != OK {
			c.retryLater(k)
		}
	case InRepoCreated:
		c.onRepoCreated(in)
	case InRepoDeleted:
		c.onRepoDeleted(in)
	case InServed:
		c.onServed(in)
	case InRepoRefs:
		c.onRepoRefs(in)
	case InPushAsked:
		c.onPushAsked(in)
	case InPushRecheck:
		c.onPushRecheck(in)
	case InPushEnded:
		c.onPushEnded(in)
	case InRemove:
		c.onRemove(in)
	case InShutdown:
		c.onShutdown()
	case InClock:
		c.offset = in.Offset
		c.fire(false) // lifetimes that the step has put behind us (T-01, I-17)
	case InRestarted:
		c.onRestarted(in)
		c.fire(false)
	case InConfigChanged:
		c.onConfigChanged(in)
	default:
		c.contract("unknown input kind")
	}
}

// settle runs what the input made possible: grants of waiting tickets first, since newcomers never pass
// the ring, then the groups that changed; until nothing more happens.
func (c *Core) settle() {
	for i := 0; ; {
		c.grant()
		if i == len(c.grow) {
			if c.starting || !c.showMarked() {
				break
			}
			continue
		}
		g := c.grow[i]
		i++
		grp := c.groups.At(g)
		grp.marked = false
		if grp.used {
			c.pump(g)
		}
	}
	c.grow = c.grow[:0]
	c.settlePushes()
	c.budget.Sweep(c.now, 1)
}

// touch marks a group to be looked at before the Step ends.
func (c *Core) touch(g int32) {
	if grp := c.groups.At(g); !grp.marked {
		grp.marked = true
		c.grow = append(c.grow, g)
	}
}

// life is the present instant on the scale of lifetimes, which wall-clock steps move (T-01).
func (c *Core) life() Time { return c.now + c.offset }

// wall is the present Unix time in seconds.
func (c *Core) wall() int64 { return c.cfg.Wall + int64((c.now+c.offset)/Second) }

// gridUp rounds t up to the loop grid.
func (c *Core) gridUp(t Time) Time {
	i := c.cfg.LoopInterval
	if r := t % i; r != 0 {
		t += i - r
	}
	return t
}

func (c *Core) emit(e Effect) { c.out = append(c.out, e) }

func (c *Core) report(k ReportKind, e Effect) {
	e.Kind, e.Report = EfReport, k
	c.out = append(c.out, e)
}

// contract notes that the driver broke the contract; the input is dropped (T-05).
func (c *Core) contract(text string) {
	c.breaches++
	c.report(RepContract, Effect{Text: text})
}

// keep copies OIDs into the arena of this Step's effects.
func (c *Core) keep(oids []OID) []OID {
	n := len(c.arena)
	c.arena = append(c.arena, oids...)
	return c.arena[n:len(c.arena):len(c.arena)]
}

func (c *Core) onShutdown() {
	c.stopping = true
	for i := range c.passes.Items {
		if p := &c.passes.Items[i]; p.used {
			c.cancel(int32(i))
		}
	}
}

func (c *Core) onConfigChanged(in *Input) {
	if in.Config == nil {
		c.contract("config-changed without a configuration")
		return
	}
	if err := in.Config.Validate(); err != nil {
		c.contract(err.Error())
		return
	}
	interval, members := c.cfg.LoopInterval, c.cfg.Maintainers
	c.cfg = *in.Config
	c.cfg.LoopInterval = interval // the grid is fixed for a run
	c.budget.SetLimits(c.cfg.limits(), c.now)
	c.memo.SetBounds(c.cfg.MemoURLs, c.cfg.MemoOIDs, c.cfg.MemoTTL)
	c.rejected.setBounds(c)
	c.setBlocked()
	c.expired.SetBounds(c.cfg.ExpiredIDs, c.cfg.ExpiredTTL, c.life())
	c.gone.SetBounds(c.cfg.ExpiredIDs, c.cfg.ExpiredTTL, c.life())
	for i := range c.idents.Items {
		if k, filed := c.identOf[c.idents.Items[i].Handle]; filed && k == int32(i) && members != c.cfg.Maintainers {
			c.idents.Items[i].Stale = true // its closures may have had, or have now, too many members (M-02)
			c.regroup(int32(i))
		}
	}
	for i := range c.groups.Items {
		if c.groups.Items[i].used {
			c.touch(int32(i))
		}
	}
}

func (c *Core) setBlocked() {
	c.blocked = make(map[PubKey]bool, len(c.cfg.Blocked))
	for _, key := range c.cfg.Blocked {
		c.blocked[key] = true
	}
}
