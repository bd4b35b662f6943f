package core

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"
)

// chaos is a driver that misbehaves in every way the contract names, and judges the core from its effects:
// few authors, identifiers, URLs and objects, so that things meet.
type chaos struct {
	t   *rapid.T
	c   *Core
	cfg Config
	now Time

	out    []Effect // asking effects whose completion is outstanding
	fetch  map[AskID]Effect
	done   []Input // completions that were delivered, for duplicates
	events []*Event
	pushes []*Push
	pushID uint64
	// pushes whose recheck was allowed, and what repositories show below refs/nostr/
	allowed  map[uint64]bool
	rechecks bool
	shown    shownRefs

	held    map[EventID]bool
	runs    map[AskID]Effect // passes between Compare and PassEnded
	starts  map[Handle][]Time
	calm    bool // the last phase: nothing new, everything is carried out
	stopped bool
	trace   []string
	after   func(in Input, out []Effect) // sees each step, if set
}

func chaosConfig(t *rapid.T) Config {
	cfg := DefaultConfig()
	cfg.Lifetime, cfg.SoftLifetime, cfg.UnlistedRetention = 10*Minute, 20*Minute, 15*Minute
	cfg.PlaceholdersPerRepo = rapid.IntRange(0, 3).Draw(t, "places per repo")
	cfg.PlaceholdersPerSource = rapid.IntRange(1, 3).Draw(t, "places per source")
	cfg.PlaceholderSourceBytes, cfg.PlaceholderBytes = int64(rapid.IntRange(1, 9).Draw(t, "source bytes")), int64(rapid.IntRange(1, 20).Draw(t, "place bytes"))
	cfg.SourceWrites, cfg.SourceBurst = rapid.SampledFrom([]int{1, 60}).Draw(t, "writes"), rapid.SampledFrom([]int{3, 200}).Draw(t, "burst")
	cfg.SourceHunts = rapid.IntRange(1, 3).Draw(t, "source hunts")
	cfg.RejectedIDs, cfg.RejectedFull = rapid.IntRange(0, 4).Draw(t, "rejected ids"), rapid.IntRange(0, 3).Draw(t, "rejected")
	cfg.HeldBytes = int64(rapid.SampledFrom([]int{3000, 1 << 20}).Draw(t, "held bytes"))
	cfg.Maintainers = rapid.IntRange(1, 4).Draw(t, "maintainers")
	cfg.DomainConcurrency = rapid.IntRange(1, 2).Draw(t, "concurrency")
	cfg.DomainRate = rapid.IntRange(2, 4).Draw(t, "rate")
	cfg.Pressure = rapid.IntRange(2, 4).Draw(t, "pressure")
	cfg.AuthorPasses = rapid.IntRange(1, 2).Draw(t, "author passes")
	cfg.Hunts = rapid.SampledFrom([]int{1, 2, 10_000}).Draw(t, "hunts")
	cfg.HuntsPerAuthor = rapid.SampledFrom([]int{1, 10_000}).Draw(t, "hunts per author")
	cfg.HeldPerAuthor = rapid.SampledFrom([]int{1, 2, 1_000}).Draw(t, "held per author")
	cfg.HeldEvents = rapid.SampledFrom([]int{3, 1_000}).Draw(t, "held")
	cfg.ResidualProbes = rapid.IntRange(0, 2).Draw(t, "probes")
	cfg.MemoURLs, cfg.MemoOIDs = rapid.IntRange(0, 2).Draw(t, "memo urls"), rapid.IntRange(1, 2).Draw(t, "memo oids")
	cfg.ExpiredIDs = rapid.IntRange(0, 4).Draw(t, "expired ids")
	cfg.GroupRepos = rapid.IntRange(1, 3).Draw(t, "group repos")
	return cfg
}

func newChaos(t *rapid.T) *chaos {
	cfg := chaosConfig(t)
	c, err := New(cfg)
	require.NoError(t, err)
	return &chaos{t: t, c: c, cfg: cfg, fetch: map[AskID]Effect{}, held: map[EventID]bool{}, runs: map[AskID]Effect{},
		starts: map[Handle][]Time{}, allowed: map[uint64]bool{}, shown: shownRefs{}}
}

func (x *chaos) fail(format string, args ...any) {
	n := max(0, len(x.trace)-60)
	for _, line := range x.trace[n:] {
		x.t.Log(line)
	}
	for i := range x.c.groups.Items {
		if g := &x.c.groups.Items[i]; g.used {
			x.t.Logf("group %d: hunt %d phase %d active %d anns %v states %v prs %v repos %v", i, g.id, g.phase, g.active, g.anns, g.states, g.prs, g.repos)
		}
	}
	for i := range x.c.anns.Items {
		if a := &x.c.anns.Items[i]; a.Status != 0 {
			x.t.Logf("announcement %d: %x status %d group %d repo %v asked %v heads %v overdue %v locked %v pins %d", i, a.ID[30:], a.Status, a.Group, a.RepoExists, a.RepoAsked, a.HeadsSeen, a.Overdue, a.Locked, a.Pins)
		}
	}
	x.t.Fatalf(format, args...)
}

func (x *chaos) step(in Input) {
	x.trace = append(x.trace, fmt.Sprintf("%s > %s ask %s class %s oids %d verdict %s", x.now, in.Kind, in.Ask, in.Class, len(in.OIDs), in.Verdict))
	out := x.c.Step(x.now, in, nil)
	if x.after != nil {
		x.after(in, out)
	}
	for _, e := range out {
		e.OIDs = append([]OID(nil), e.OIDs...)
		x.trace = append(x.trace, fmt.Sprintf("      %s %s ask %s hunt %d repo %d url %d event %x ok %v %q", e.Kind, e.Report, e.Ask, e.Hunt, e.Repo, e.URL, e.Event[30:], e.OK, e.Text))
		x.judge(e)
	}
	if err := x.c.Check(); err != nil {
		x.fail("%v", err)
	}
	if err := audit(x.c); err != nil {
		x.fail("audit: %v", err)
	}
}

// wake sends Wake until nothing more is wanted at this instant.
func (x *chaos) wake() {
	for n := 0; ; n++ {
		if n > 100 {
			at, _ := x.c.Next()
			x.fail("T-02: after %d Wakes at %s Next is still %s", n, x.now, at)
		}
		x.step(Input{Kind: InWake})
		if at, ok := x.c.Next(); !ok || at > x.now {
			return
		}
	}
}

func (x *chaos) act() {
	switch a := rapid.IntRange(0, 39).Draw(x.t, "act"); {
	case a < 8:
		e := x.newEvent()
		x.events = append(x.events, e)
		x.deliver(e)
	case a < 10:
		if len(x.events) > 0 {
			x.deliver(x.events[rapid.IntRange(0, len(x.events)-1).Draw(x.t, "again")])
		}
	case a < 24:
		if n := len(x.out); n > 0 {
			x.complete(rapid.IntRange(0, n-1).Draw(x.t, "complete"))
		}
	case a < 30:
		if at, ok := x.c.Next(); ok {
			x.now = max(x.now, at)
			x.wake()
		}
	case a < 32:
		x.now += Time(rapid.SampledFrom([]int{1, 500, 7_000, 61_000, 400_000}).Draw(x.t, "ms")) * Millisecond
		if rapid.Bool().Draw(x.t, "wake") {
			x.wake()
		}
	case a < 34:
		x.push()
	case a < 35:
		x.stale()
	case a < 36:
		if len(x.out) > 0 {
			e := x.out[rapid.IntRange(0, len(x.out)-1).Draw(x.t, "progress")]
			x.step(Input{Kind: InProgress, Ask: e.Ask, Bytes: int64(rapid.IntRange(0, 1<<20).Draw(x.t, "bytes"))})
		}
	case a < 37:
		x.step(Input{Kind: InClock, Offset: Time(rapid.IntRange(-700, 700).Draw(x.t, "offset")) * Second})
		x.wake()
	case a < 38:
		if len(x.events) > 0 {
			_, target := x.target()
			x.step(Input{Kind: InRemove, Target: target[0]})
		}
	case a < 39:
		x.cfg.DomainConcurrency = rapid.IntRange(0, 2).Draw(x.t, "concurrency")
		x.cfg.Pressure = rapid.IntRange(1, 4).Draw(x.t, "pressure")
		if x.cfg.Blocked = nil; rapid.Bool().Draw(x.t, "block") {
			x.cfg.Blocked = []PubKey{author(rapid.IntRange(1, 3).Draw(x.t, "blocked"))}
		}
		x.cfg.GeneralRelay = rapid.IntRange(0, 3).Draw(x.t, "general") == 0
		cfg := x.cfg
		x.step(Input{Kind: InConfigChanged, Config: &cfg})
	default:
		if rapid.IntRange(0, 3).Draw(x.t, "restart") == 0 {
			x.restart()
		}
	}
}

// T-01 … T-05, Q-08, D-01, D-02, D-04, H-01, I-1, I-8, I-16, I-17: whatever the driver does, the core keeps
// its books, never panics, never waits for what is past, and comes to rest.
func TestCoreUnderAMisbehavingDriver(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		x := newChaos(t)
		x.begin()
		for range rapid.IntRange(1, 400).Draw(t, "steps") {
			x.act()
		}
		if !x.stopped {
			x.finish()
		}
	})
}
