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

// judge follows one effect.
func (x *chaos) judge(e Effect) {
	switch e.Kind {
	case EfCompare:
		x.judgeStart(e)
	case EfFetch, EfProbe, EfEndPass, EfCancelPass:
		if _, ok := x.runs[e.Ask]; !ok {
			x.fail("%s for pass %s, which does not run", e.Kind, e.Ask)
		}
		for i := range x.out { // the completion before it is void or was given
			if x.out[i].Ask == e.Ask {
				x.out = append(x.out[:i], x.out[i+1:]...)
				break
			}
		}
		x.out = append(x.out, e)
	case EfCheckObjects, EfCopyObjects, EfAlignRefs, EfStoreEvent, EfRemoveEvent, EfCreateRepo, EfDeleteRepo, EfDeleteRepoIfNoRefs:
		for i := range x.out {
			if x.out[i].Ask == e.Ask { // issued again by the watchdog (T-04): the same request
				if x.out[i].Kind != e.Kind {
					x.fail("request %s was %s and is now %s", e.Ask, x.out[i].Kind, e.Kind) // T-04
				}
				x.out[i] = e
				return
			}
		}
		x.out = append(x.out, e)
	case EfPushVerdict:
		x.allowed[e.Push] = e.OK && x.rechecks
	case EfReport:
		x.judgeReport(e)
	}
}

func (x *chaos) judgeStart(e Effect) {
	running, wave := 0, 0
	for _, r := range x.runs {
		if r.Domain == e.Domain {
			running++
		}
		if r.Hunt == e.Hunt && r.Wave == e.Wave { // H-01
			wave++
			if r.Domain == e.Domain || r.URL == e.URL {
				x.fail("H-01: pass %s starts on domain %d where its wave runs %s", e.Ask, e.Domain, r.Ask)
			}
		}
	}
	if wave > 1 {
		x.fail("H-01: pass %s is the third of its wave", e.Ask)
	}
	if running >= x.cfg.DomainConcurrency || len(x.runs) >= x.cfg.Pressure {
		x.fail("D-01, D-04: pass %s starts with %d on its domain and %d in all", e.Ask, running, len(x.runs))
	}
	recent := 0
	for _, at := range x.starts[e.Domain] {
		if at > x.now-x.cfg.DomainWindow {
			recent++
		}
	}
	if recent >= x.cfg.DomainRate {
		x.fail("D-01: pass %s is start %d in the window", e.Ask, recent+1)
	}
	x.starts[e.Domain] = append(x.starts[e.Domain], x.now)
	x.runs[e.Ask] = e
	x.out = append(x.out, e)
}

func (x *chaos) judgeReport(e Effect) {
	switch {
	case e.Report == RepHeld:
		if x.held[e.Event] {
			x.fail("I-16: event %x begins a second residence", e.Event[30:])
		}
		x.held[e.Event] = true
	case e.Report.Ends():
		if !x.held[e.Event] {
			x.fail("I-16: event %x ends a residence it has not", e.Event[30:])
		}
		delete(x.held, e.Event)
	case e.Report == RepHuntMerged:
		for ask, r := range x.runs {
			if r.Hunt == e.Hunt {
				r.Hunt = e.Into
				x.runs[ask] = r
			}
		}
	}
}

// complete delivers the completion of an outstanding request.
func (x *chaos) complete(i int) {
	e := x.out[i]
	x.out = append(x.out[:i], x.out[i+1:]...)
	in := Input{Ask: e.Ask}
	bad := !x.calm && rapid.IntRange(0, 3).Draw(x.t, "fails") == 0
	class := OK
	if bad {
		class = Class(rapid.IntRange(1, int(NumClasses)-1).Draw(x.t, "class"))
	}
	some := func(oids []OID) (out []OID) {
		if x.calm {
			return nil
		}
		for _, o := range oids {
			if rapid.Bool().Draw(x.t, "has") {
				out = append(out, o)
			}
		}
		return out
	}
	switch e.Kind {
	case EfCheckObjects:
		in.Kind, in.OIDs = InChecked, some(e.OIDs)
	case EfCompare:
		in.Kind, in.Class, in.OIDs = InCompared, class, some(e.OIDs)
		in.HasHeads = rapid.Bool().Draw(x.t, "heads")
		in.Truncated = bad && rapid.Bool().Draw(x.t, "truncated")
		in.Fingerprint[0] = rapid.ByteRange(0, 1).Draw(x.t, "fingerprint")
		if !x.calm {
			in.Address[0] = rapid.ByteRange(0, 1).Draw(x.t, "address")
			in.RetryAfter = Time(rapid.IntRange(0, 2).Draw(x.t, "retry after")) * 30 * Second
		}
	case EfFetch:
		in.Kind, in.Class, in.OIDs, in.RefsMoved = InFetched, class, some(e.OIDs), bad
	case EfProbe:
		in.Kind, in.OIDs, in.Class = InProbed, e.OIDs, class
		if !bad && (x.calm || rapid.Bool().Draw(x.t, "lacks")) {
			in.Class = NotOurRef
		}
	case EfEndPass, EfCancelPass:
		in.Kind = InPassEnded
		if bad {
			in.Class = class
		}
		delete(x.runs, e.Ask)
	case EfCopyObjects:
		in.Kind, in.Class = InCopied, class
	case EfAlignRefs:
		in.Kind, in.Class = InAligned, class
	case EfStoreEvent:
		in.Kind = InStored
		if bad {
			in.Verdict = Verdict(rapid.IntRange(1, 3).Draw(x.t, "verdict"))
		}
	case EfRemoveEvent:
		in.Kind, in.Class = InRemoved, class
	case EfCreateRepo:
		in.Kind, in.Class = InRepoCreated, class
	case EfDeleteRepo, EfDeleteRepoIfNoRefs:
		in.Kind, in.Class = InRepoDeleted, class
		in.HadRefs = e.Kind == EfDeleteRepoIfNoRefs && (x.leftover(e.Repo) || !x.calm && rapid.IntRange(0, 3).Draw(x.t, "refs") == 0)
	}
	x.shown.carried(e, &in)
	x.done = append(x.done, in)
	x.step(in)
}

func (x *chaos) coordinate(who, ident int) Coordinate {
	return Coordinate{Owner: author(who), Identifier: Handle(ident), Repo: repo + Handle(10*ident+who)}
}

func (x *chaos) sources(from int) (out []Source) {
	for u := from; u < from+4; u++ {
		if rapid.IntRange(0, 2).Draw(x.t, "names") > 0 {
			out = append(out, Source{URL: url + Handle(u), Domain: domain + Handle(u%3), Class: SourceClass(rapid.SampledFrom([]int{0, 0, 0, 0, 1, 2}).Draw(x.t, "source class"))})
		}
	}
	return out
}

func (x *chaos) newEvent() *Event {
	who, ident := rapid.IntRange(1, 3).Draw(x.t, "who"), rapid.IntRange(1, 2).Draw(x.t, "ident")
	e := &Event{ID: eventID(len(x.events) + 1), Author: author(who), Repo: x.coordinate(who, ident),
		Size: int32(rapid.SampledFrom([]int{0, 500, 1_200}).Draw(x.t, "size")), CreatedAt: int64(rapid.IntRange(0, 20).Draw(x.t, "created"))}
	e.ID[0] = byte(rapid.IntRange(1, 3).Draw(x.t, "id")) // ids are not in order of arrival
	e.Protected = rapid.IntRange(0, 19).Draw(x.t, "protected") == 0
	if rapid.IntRange(0, 29).Draw(x.t, "huge") == 0 {
		e.Size = 300 << 10
	}
	switch rapid.IntRange(0, 10).Draw(x.t, "kind") {
	case 0, 1, 2:
		e.Kind, e.ListsUs = KindAnnouncement, rapid.IntRange(0, 5).Draw(x.t, "lists us") > 0
		e.Sources = x.sources(0)
		for m := 1; m <= 3; m++ {
			if rapid.IntRange(0, 2).Draw(x.t, "lists") == 0 {
				e.Maintainers = append(e.Maintainers, author(m))
			}
		}
	case 3, 4, 5, 6:
		e.Kind = KindState
		e.Unsatisfied = rapid.IntRange(0, 9).Draw(x.t, "unsatisfied") == 0
		for i := range rapid.IntRange(0, 2).Draw(x.t, "refs") {
			e.Refs = append(e.Refs, Ref{Name: main + Handle(i), OID: oid(rapid.IntRange(1, 4).Draw(x.t, "oid")), Symbolic: rapid.IntRange(0, 5).Draw(x.t, "symbolic") == 0})
		}
	case 7, 8:
		if rapid.IntRange(0, 2).Draw(x.t, "refers") == 0 {
			e.Mentions = []EventID{eventID(rapid.IntRange(1, 20).Draw(x.t, "to"))}
		}
		e.Kind, e.Commit = KindPR, oid(rapid.IntRange(1, 4).Draw(x.t, "commit"))
		e.Sources = x.sources(2)
		e.Repositories = append(e.Repositories, x.coordinate(rapid.IntRange(1, 3).Draw(x.t, "a"), ident))
		if rapid.Bool().Draw(x.t, "two") {
			e.Repositories = append(e.Repositories, x.coordinate(rapid.IntRange(1, 3).Draw(x.t, "a"), 3-ident))
		}
	case 10:
		e.Kind = KindIssue
		if rapid.Bool().Draw(x.t, "about") {
			e.Repositories = []Coordinate{x.coordinate(rapid.IntRange(1, 3).Draw(x.t, "a"), ident)}
		} else if len(x.events) > 0 {
			e.Mentions = []EventID{x.events[rapid.IntRange(0, len(x.events)-1).Draw(x.t, "mentions")].ID}
		}
	case 9:
		e.Kind = KindDeletion
		if len(x.events) > 0 && rapid.Bool().Draw(x.t, "by id") {
			e.Author, e.Targets = x.target()
		} else {
			e.Coordinates = []Deleted{{Kind: rapid.SampledFrom([]uint32{KindAnnouncement, KindState}).Draw(x.t, "of"), Coordinate: e.Repo}}
		}
	}
	return e
}

// deliver brings an event from some client or relay, with some facts of the store. Half of what comes again is rather what
// was refused or has expired. // S-05, E-03
func (x *chaos) deliver(e *Event) {
	if rapid.IntRange(0, 2).Draw(x.t, "remembered") == 0 {
		for i := range x.events {
			if k := x.c.Knows(x.events[i].ID); k == KnownExpired || k == KnownRejected {
				e = x.events[i]
				if rapid.Bool().Draw(x.t, "this") {
					break
				}
			}
		}
	}
	in := Input{Kind: InEvent, Event: e, Origin: Origin(rapid.IntRange(0, 1).Draw(x.t, "origin")), From: Handle(rapid.IntRange(0, 2).Draw(x.t, "from"))}
	in.Authed, in.Related = rapid.Bool().Draw(x.t, "authed"), rapid.IntRange(0, 9).Draw(x.t, "related") == 0
	knew, over := x.c.Knows(e.ID), int(e.Size) > x.c.sizeLimit(e.Kind)
	x.step(in)
	switch now := x.c.Knows(e.ID); {
	case in.Origin == FromSync && (knew == KnownExpired || knew == KnownRejected) && now == KnownHeld && !x.c.stopping:
		x.fail("S-05, E-03: event %x was known as %d and is held, though it was only synced again", e.ID[30:], knew)
	case over && now == KnownHeld && knew != KnownHeld, x.c.blocked[e.Author] && now == KnownHeld && knew != KnownHeld:
		x.fail("S-04: event %x is held: too large %v", e.ID[30:], over)
	}
}

// target is what a deletion or the operator speaks of: rather something that is served or being stored than what was
// forgotten long ago. // DL-01, DL-02
func (x *chaos) target() (PubKey, []EventID) {
	k := x.events[rapid.IntRange(0, len(x.events)-1).Draw(x.t, "target")]
	if rapid.Bool().Draw(x.t, "known") {
		for i := range x.events {
			e := x.events[len(x.events)-1-i]
			if loc, ok := x.c.where[e.ID]; ok && (x.c.servedAt(loc) || loc.kind == recPending || loc.kind == recShadow) {
				k = e
				if rapid.Bool().Draw(x.t, "this") {
					break
				}
			}
		}
	}
	return k.Author, []EventID{k.ID}
}

func (x *chaos) push() {
	if len(x.pushes) > 0 && rapid.Bool().Draw(x.t, "ends") {
		i := rapid.IntRange(0, len(x.pushes)-1).Draw(x.t, "push")
		p := x.pushes[i]
		if x.rechecks = rapid.IntRange(0, 3).Draw(x.t, "recheck") > 0; x.rechecks {
			p.Bytes = int64(rapid.SampledFrom([]int{0, 1, 3}).Draw(x.t, "push bytes"))
			x.step(Input{Kind: InPushRecheck, Push: p})
			if x.rechecks = false; rapid.Bool().Draw(x.t, "goes on later") {
				return
			}
		}
		x.pushes = append(x.pushes[:i], x.pushes[i+1:]...)
		p.Moved = rapid.Bool().Draw(x.t, "moved")
		class := OK
		if rapid.IntRange(0, 3).Draw(x.t, "push fails") == 0 {
			class = LocalFault
		}
		if class == OK && !x.allowed[p.ID] && rapid.Bool().Draw(x.t, "a lie") {
			class = Forbidden
		}
		x.receive(p, class == OK)
		if rapid.Bool().Draw(x.t, "all refs moved") {
			for _, u := range p.Updates {
				if u.Space == HeadsAndTags {
					p.Current = append(p.Current, Ref{Name: u.Name, OID: u.New})
				}
			}
		}
		x.step(Input{Kind: InPushEnded, Push: p, Class: class})
		return
	}
	x.pushID++
	p := &Push{ID: x.pushID, Repo: x.coordinate(rapid.IntRange(1, 3).Draw(x.t, "who"), rapid.IntRange(1, 2).Draw(x.t, "ident"))}
	for i := range rapid.IntRange(0, 2).Draw(x.t, "updates") {
		p.Updates = append(p.Updates, RefUpdate{Name: main + Handle(i), New: oid(rapid.IntRange(1, 4).Draw(x.t, "oid")),
			Space: RefSpace(rapid.SampledFrom([]int{0, 0, 0, 1, 2}).Draw(x.t, "space"))})
	}
	if len(x.events) > 0 && rapid.Bool().Draw(x.t, "as a state wants") {
		if e := x.events[rapid.IntRange(0, len(x.events)-1).Draw(x.t, "state")]; e.Kind == KindState {
			p.Repo, p.Updates = e.Repo, nil
			for _, r := range e.Refs {
				p.Updates = append(p.Updates, RefUpdate{Name: r.Name, New: r.OID})
			}
		}
	}
	if rapid.IntRange(0, 2).Draw(x.t, "of a PR") == 0 {
		p.Updates, p.From = nil, Handle(rapid.IntRange(0, 2).Draw(x.t, "pusher"))
		for range rapid.IntRange(1, 2).Draw(x.t, "places") {
			u := RefUpdate{Space: NostrRef, Event: eventID(rapid.IntRange(1, 60).Draw(x.t, "id to come")), New: oid(rapid.IntRange(1, 4).Draw(x.t, "oid"))}
			u.Event[0] = byte(rapid.IntRange(1, 3).Draw(x.t, "id"))
			if len(x.events) > 0 && rapid.Bool().Draw(x.t, "known") {
				e := x.events[rapid.IntRange(0, len(x.events)-1).Draw(x.t, "PR")]
				u.Event, u.New = e.ID, e.Commit
				if len(e.Repositories) > 0 {
					p.Repo = e.Repositories[0]
				}
			}
			p.Updates = append(p.Updates, u)
		}
	}
	x.pushes = append(x.pushes, p)
	x.step(Input{Kind: InPushAsked, Push: p})
}

// begin tells the core what is stored already. // R-07
func (x *chaos) begin() {
	for range rapid.IntRange(0, 4).Draw(x.t, "served") {
		e := x.newEvent()
		x.events = append(x.events, e)
		x.step(Input{Kind: InServed, Event: e})
		if rapid.Bool().Draw(x.t, "its refs") {
			x.step(Input{Kind: InRepoRefs, Repo: e.Repo.Repo, Refs: e.Refs})
			for a, ok := x.c.annOf[e.Repo.Repo]; ok && x.c.hasRepo(a) && rapid.Bool().Draw(x.t, "a ref of a PR"); {
				id, o := eventID(rapid.IntRange(1, 20).Draw(x.t, "found")), oid(rapid.IntRange(1, 4).Draw(x.t, "oid"))
				id[0] = byte(rapid.IntRange(1, 3).Draw(x.t, "id"))
				x.shown.set(e.Repo.Repo, id, o)
				x.step(Input{Kind: InRepoRefs, Repo: e.Repo.Repo, Target: id, OIDs: []OID{o}})
			}
		}
	}
}

func (x *chaos) stale() {
	if len(x.done) > 0 && rapid.Bool().Draw(x.t, "duplicate") {
		x.step(x.done[rapid.IntRange(0, len(x.done)-1).Draw(x.t, "which")])
		return
	}
	kind := InputKind(rapid.IntRange(0, int(NumInputKinds)).Draw(x.t, "kind"))
	if kind == InRestarted {
		x.restart()
		return
	}
	x.step(Input{Kind: kind, Offset: x.c.offset,
		Ask: newAskID(uint64(rapid.IntRange(0, 3).Draw(x.t, "counter")), uint32(rapid.IntRange(0, 3).Draw(x.t, "slot")))})
	x.stopped = x.c.stopping
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

// restart is what a driver sees after a crash: everything in flight is lost, and what is issued again is
// a new request to it. // R-03
func (x *chaos) restart() {
	for _, p := range x.pushes {
		x.receive(p, false)
	}
	x.out, x.runs = nil, map[AskID]Effect{}
	x.stopped = false
	x.step(Input{Kind: InRestarted, Offset: x.c.offset})
	x.wake()
}

// finish carries everything out and lets time pass: all must come to rest. // I-8, I-16, I-17
func (x *chaos) finish() {
	x.calm = true
	cfg := x.cfg
	cfg.DomainConcurrency = 2
	x.cfg = cfg
	x.step(Input{Kind: InConfigChanged, Config: &cfg})
	for _, p := range x.pushes {
		x.step(Input{Kind: InPushEnded, Push: p})
	}
	end := x.now + 2*Day
	for n := 0; ; n++ {
		if n > 40_000 {
			x.fail("no rest after %d steps at %s", n, x.now)
		}
		if len(x.out) > 0 {
			x.complete(0)
			continue
		}
		at, ok := x.c.Next()
		if !ok || at > end {
			break
		}
		x.now = max(x.now, at)
		x.wake()
	}
	x.now = end
	x.wake()
	x.judgeShown()
	s := x.c.Stats()
	if s.Held+s.Hunts+s.Attempts+s.Passes+s.Asks+s.Tickets+s.Releases+s.Pushes+s.Placeholders+s.Pending+int(s.HeldBytes)+s.MemoURLs+s.Early != 0 || len(x.held) != 0 {
		x.fail("I-8: not idle at the end: %+v, held %d", s, len(x.held))
	}
	if len(x.c.anns.Items) == 0 && s.Domains+s.URLs != 0 {
		x.fail("D-08: domains or URLs nobody names are remembered: %+v", s)
	}
	if at, ok := x.c.Next(); ok {
		x.fail("I-8: idle, and still Next is %s", at)
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
