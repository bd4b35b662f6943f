package core

import (
	"slices"

	"graspsync/core/budget"
	"graspsync/core/fetch"
	"graspsync/core/pq"
	"graspsync/core/purgatory"
)

// pass is one remote URL tried by an attempt: from its permit to its real end (D-02).
type pass struct {
	used    bool
	ending  bool // EndPass or CancelPass is out
	charged bool // its failure was judged already
	dry     bool // it brought nothing
	wave    Wave
	class   Class
	gen     uint32
	serial  uint64 // order of starts
	ask     AskID
	group   int32
	hunt    HuntID
	url     int32
	final   Handle // where redirects led
	// question is the number of the latest question after the comparison (T-04).
	question uint16
	target   int32 // announcement whose repository receives the objects
	needed   int32
	permit   budget.Permit
	course   fetch.Pass

	started    Time
	lastOutput Time // completion or Progress (H-06)
	warnAt     Time
	watchAt    Time // watchdog (T-04)
	slowAt     Time // next look at the speed, from StallLimit on (H-06)
	seen       Time // deadlines up to here were served
	bytes      int64
	samples    [8]sample // bytes at the latest Progress inputs, newest last
}

type sample struct {
	at    Time
	bytes int64
}

// A pass older than the stall limit must move this much in this span (H-06).
const (
	slowSpan  = 60 * Second
	slowBytes = 60_000
	slowEvery = 10 * Second
)

// HTTP requests of one listing of refs and, at most, of one fetch (D-03).
const (
	compareRequests = 1
	fetchRequests   = 3
)

// startPass reserves the permit and asks the driver to compare (D-02, F-01). Everything was checked.
func (c *Core) startPass(g int32, src int) {
	i := c.passes.New()
	p, o := c.passes.At(i), c.groups.At(g)
	s := &o.sources[src]
	s.started = true
	u := c.urls.At(s.url)
	u.refs++
	u.lastStart = c.now
	wants := c.wantsOf(g, s.wave, s.url, false)
	limited := s.wave == PRWave || c.unproven(o)
	c.passSeq++
	course := p.course
	course.Reset()
	*p = pass{used: true, dry: true, wave: s.wave, gen: p.gen, serial: c.passSeq, group: g, hunt: o.id, url: s.url,
		target: o.repos[0], needed: int32(len(wants)), course: course, started: c.now, lastOutput: c.now,
		warnAt: c.now + c.cfg.SilentWarning, slowAt: c.now + c.cfg.StallLimit, seen: c.now}
	p.permit = c.budget.Start(s.dom, c.now, limited, c.shareAuthorIf(limited, o, s), c.mayNeed(len(wants)))
	c.budget.Spend(&p.permit, c.now, compareRequests)
	p.ask = c.request(ask{kind: askPass, a: i})
	c.watch(p)
	wv := &o.waves[s.wave]
	hedge := len(wv.running) > 0
	wv.running = append(wv.running, i)
	n := len(c.arena)
	for k := range wants {
		c.arena = append(c.arena, wants[k].OID)
	}
	c.emit(Effect{Kind: EfCompare, Ask: p.ask, Hunt: o.id, Attempt: o.attempt, Wave: s.wave, Hedge: hedge,
		URL: u.url, Domain: u.domain, Repo: c.anns.At(p.target).Repo, OIDs: c.arena[n:len(c.arena):len(c.arena)]})
	c.armPass(i)
}

// watch sets the pass's watchdog after an effect went out or output came in (T-04).
func (c *Core) watch(p *pass) {
	p.watchAt = c.now + c.cfg.StallLimit + c.cfg.KillGrace + 30*Second
}

// armPass arms the pass's next deadline: hedge clock (H-02), silence warning, ages, speed (H-06),
// watchdog (T-04). One entry stands per pass; a deadline that moved later is found out when it fires.
func (c *Core) armPass(i int32) {
	p := c.passes.At(i)
	next := min(p.warnAt, p.watchAt)
	if !p.ending {
		next = min(next, p.slowAt)
	}
	for _, age := range [...]Time{c.cfg.HedgeHeadStart, c.cfg.GuestAge, c.cfg.OldPassAge} {
		if at := p.started + age; at > p.seen {
			next = min(next, at)
		}
	}
	p.gen++
	c.timers[tPass].arm(pq.Entry{At: int64(next), ID: uint32(i), Gen: p.gen})
}

func (c *Core) passDue(i int32) {
	p := c.passes.At(i)
	p.seen = c.now
	if p.warnAt <= c.now {
		if at := p.lastOutput + c.cfg.SilentWarning; at > c.now {
			p.warnAt = at
		} else {
			c.report(RepSilentPass, c.passEffect(p))
			p.warnAt = c.now + c.cfg.SilentAgain
		}
	}
	if p.slowAt <= c.now && !p.ending {
		p.slowAt = c.now + slowEvery
		if p.bytes-p.bytesAt(p.measured(c.now)-slowSpan) < slowBytes {
			p.class = Stalled
			c.stalled(p)
			c.cancel(i)
		}
	}
	if p.watchAt <= c.now {
		c.overdue++
		c.report(RepOverdue, c.passEffect(p))
		if !p.ending {
			c.cancel(i)
		}
		c.watch(p)
	}
	c.armPass(i)
	c.touch(p.group)
}

// measured is the end of the span over which a pass's speed is judged: its latest Progress if that is
// recent, since what came after it is not known yet.
func (p *pass) measured(now Time) Time {
	if at := p.samples[len(p.samples)-1].at; now-at <= slowEvery {
		return at
	}
	return now
}

// bytesAt is what the pass had moved at an earlier instant, by the samples.
func (p *pass) bytesAt(at Time) int64 {
	for i := len(p.samples) - 1; i >= 0; i-- {
		if s := p.samples[i]; s.at <= at {
			return s.bytes
		}
	}
	return 0
}

func (c *Core) passEffect(p *pass) Effect {
	u := c.urls.At(p.url)
	return Effect{Ask: p.ask, Hunt: p.hunt, Wave: p.wave, Class: p.class, URL: u.url, Domain: u.domain}
}

// passOf finds the running pass of a completion; a stale id is counted and ignored (T-04).
func (c *Core) passOf(id AskID) (i int32, p *pass) {
	k := c.peek(id, askPass)
	if k == nil {
		return 0, nil
	}
	return k.a, c.passes.At(k.a)
}

// output notes that a pass gave a sign of life.
func (c *Core) output(p *pass) {
	p.lastOutput = c.now
	c.watch(p)
}

// useful tells whether a pass may still supply something wanted (H-04); what only overdue events want
// counts until their time is up (E-02).
func (c *Core) useful(i int32) bool {
	p := c.passes.At(i)
	o := c.groups.At(p.group)
	if !slices.Contains(o.repos, p.target) {
		return false
	}
	if p.wave == PRWave {
		return c.prNeeds(o, p.url, true) || c.seeking(o)
	}
	return slices.ContainsFunc(o.wants, func(w want) bool { return w.needed() }) || c.seeking(o)
}

// onCompared takes the list of refs, or the failure to get one (F-01, D-07).
func (c *Core) onCompared(in *Input) {
	i, p := c.passOf(in.Ask)
	if p == nil {
		return
	}
	if p.ending || p.course.Stage != fetch.Comparing {
		c.ignore(in.Ask)
		return
	}
	c.output(p)
	u := c.urls.At(p.url)
	if in.Class != OK && !(in.Class == TooLarge && in.Truncated) {
		c.failed(p, in.Class, in.RetryAfter)
		c.endPass(i)
		return
	}
	if !c.budget.JoinAddress(&p.permit, in.Address) {
		p.class, p.charged = TooManyRequests, true // ours to wait, not the domain's fault (D-03)
		c.endPass(i)
		return
	}
	if c.budget.Succeed(p.permit.Dom, c.now, p.started) == budget.Recovered {
		c.report(RepDomainOK, Effect{Domain: u.domain})
	}
	c.localFault = false
	if in.HasHeads {
		c.headsSeen(p)
	}
	p.course.OnCompared(c.memo, u.url, in.Fingerprint, in.Truncated || in.Class == TooLarge, in.OIDs)
	wants := c.wantsOf(p.group, p.wave, p.url, true)
	c.next(i, p.course.AfterCompare(c.memo, u.url, c.now, wants, c.probesLeft(p)), in.FinalURL)
}

// headsSeen ends the compare-only hunts of the group: the URL is their first source from now on, and the
// driver looks for states (N-03).
func (c *Core) headsSeen(p *pass) {
	o := c.groups.At(p.group)
	if !c.seeking(o) {
		return
	}
	for _, a := range o.anns {
		ann := c.anns.At(a)
		if ann.Status != purgatory.Held || ann.HeadsSeen {
			continue
		}
		ann.HeadsSeen = true
		if ann.Holder != p.url {
			if ann.Holder != purgatory.None {
				c.closeURL(ann.Holder)
			}
			ann.Holder = p.url
			c.urls.At(p.url).refs++
		}
		c.emit(Effect{Kind: EfSeekStates, Repo: ann.Repo, Hunt: o.id, URL: c.urls.At(p.url).url})
	}
	p.dry = false
	c.recount(p.group)
	c.touch(p.group)
}

// probesLeft is how many single questions the pass may ask now (F-01, D-03).
func (c *Core) probesLeft(p *pass) int {
	more := c.budget.RequestsLeft(&p.permit, c.now, c.cfg.ResidualProbes+fetchRequests)
	return max(0, min(c.cfg.ResidualProbes, p.permit.Left()+more-fetchRequests)) // what they find is to be fetched
}

// next carries out the course's next step.
func (c *Core) next(i int32, step fetch.Step, final Handle) {
	p := c.passes.At(i)
	u := c.urls.At(p.url)
	if p.course.Chosen > 0 {
		c.budget.TakeRequests(&p.permit, c.now, int(p.course.Chosen)+fetchRequests-p.permit.Left())
		p.course.Chosen = 0
	}
	e := Effect{Ask: p.ask, Hunt: p.hunt, URL: u.url, Domain: u.domain, Repo: c.anns.At(p.target).Repo}
	if final != 0 {
		p.final = final
	}
	if p.final != 0 {
		e.URL = p.final
	}
	switch step {
	case fetch.Fetch:
		e.Kind, e.OIDs = EfFetch, c.keep(p.course.Ask)
		c.budget.Spend(&p.permit, c.now, fetchRequests)
	case fetch.Probe:
		e.Kind, e.OIDs = EfProbe, c.keep(p.course.Ask)
		c.budget.Spend(&p.permit, c.now, 1)
	default:
		c.endPass(i)
		return
	}
	p.question++
	e.Question = p.question
	c.emit(e)
}

// onFetched takes what a fetch brought: release runs at once if anything came.
func (c *Core) onFetched(in *Input) {
	i, p := c.passOf(in.Ask)
	if p == nil {
		return
	}
	if p.ending || p.course.Stage != fetch.Batch && p.course.Stage != fetch.Extra || p.stale(in) {
		c.ignore(in.Ask)
		return
	}
	c.output(p)
	p.bytes = max(p.bytes, in.Bytes)
	u := c.urls.At(p.url)
	got := c.gained(p.group, p.target, in.OIDs)
	for _, oid := range in.OIDs {
		c.memo.Gained(u.url, oid)
	}
	p.course.OnFetched(got, in.Class == NotOurRef, in.RefsMoved)
	if got > 0 {
		p.dry = false
		c.tryRelease(p.group)
	}
	c.touch(p.group)
	if in.Class != OK && in.Class != NotOurRef {
		c.failed(p, in.Class, in.RetryAfter)
		c.endPass(i)
		return
	}
	if p.ending {
		return
	}
	wants := c.wantsOf(p.group, p.wave, p.url, true)
	c.next(i, p.course.AfterFetch(c.memo, u.url, c.now, wants, c.probesLeft(p)), 0)
}

// stale tells whether a completion answers an earlier question of the pass once more (T-04).
func (p *pass) stale(in *Input) bool { return in.Question != 0 && in.Question != p.question }

// onProbed takes the answer to a single question. A refusal of one OID never ends the pass; a fault of the
// transport does (F-01, F-02).
func (c *Core) onProbed(in *Input) {
	i, p := c.passOf(in.Ask)
	if p == nil {
		return
	}
	if p.ending || p.course.Stage != fetch.Probing || p.stale(in) || len(in.OIDs) > 0 && in.OIDs[0] != p.course.Ask[0] {
		c.ignore(in.Ask)
		return
	}
	c.output(p)
	if in.Class != OK && in.Class != NotOurRef && in.Class != Forbidden {
		c.failed(p, in.Class, in.RetryAfter)
		c.endPass(i)
		return
	}
	u := c.urls.At(p.url)
	wants := c.wantsOf(p.group, p.wave, p.url, true)
	c.next(i, p.course.OnProbed(c.memo, u.url, c.now, in.Class == OK, in.Class == NotOurRef, wants), 0)
}

// onProgress is output of a running transfer (H-06).
func (c *Core) onProgress(in *Input) {
	_, p := c.passOf(in.Ask)
	if p == nil {
		return
	}
	c.output(p)
	p.bytes = max(p.bytes, in.Bytes)
	copy(p.samples[:], p.samples[1:])
	p.samples[len(p.samples)-1] = sample{c.now, p.bytes}
}

// failed judges a failure once per pass: what it means for URL and domain (D-07, H-06).
func (c *Core) failed(p *pass, class Class, retryAfter Time) {
	p.class = class
	if p.charged {
		return
	}
	p.charged = true
	var change budget.Change
	switch {
	case class == Stalled:
		c.stalled(p)
		return
	case class == LocalFault:
		if !c.localFault { // once, until something works again (D-07)
			c.localFault = true
			c.report(RepLocalFault, Effect{Class: class})
		}
		return
	case class.charged():
		change = c.budget.Fail(p.permit.Dom, c.now, budget.Failure{Started: p.started, RetryAfter: retryAfter,
			DNS: class == DNS, TLS: class == TLS})
	}
	c.reportHealth(p, change)
}

// stalled rests the URL, and the domain after a second URL of it (H-06).
func (c *Core) stalled(p *pass) {
	p.charged = true
	u := c.urls.At(p.url)
	u.coolUntil = c.now + c.cfg.URLCool
	c.reportHealth(p, c.budget.Stall(p.permit.Dom, u.url, c.now, p.started))
}

func (c *Core) reportHealth(p *pass, change budget.Change) {
	e := c.passEffect(p)
	e.Deadline = c.budget.CoolUntil(p.permit.Dom)
	switch change {
	case budget.LocalFault:
		c.report(RepLocalFault, e)
		for _, d := range c.budget.Eased() {
			c.report(RepCooling, Effect{Class: DNS, Domain: c.budget.Handle(d), Deadline: c.budget.CoolUntil(d)})
		}
		c.report(RepCooling, e)
	case budget.Unreachable:
		c.report(RepUnreachable, e)
		c.report(RepCooling, e)
	case budget.Cooled:
		c.report(RepCooling, e)
	}
}

// endPass tells the driver that the pass has no more questions.
func (c *Core) endPass(i int32) {
	p := c.passes.At(i)
	if !p.ending {
		p.ending = true
		c.emit(Effect{Kind: EfEndPass, Ask: p.ask, Hunt: p.hunt, URL: c.urls.At(p.url).url, Domain: c.urls.At(p.url).domain})
	}
}

// cancel stops a pass: its permit returns when it has really ended (D-02, H-04).
func (c *Core) cancel(i int32) {
	p := c.passes.At(i)
	if p.ending {
		return
	}
	p.ending = true
	if p.class == OK {
		p.class = Cancelled
	}
	c.watch(p)
	c.emit(Effect{Kind: EfCancelPass, Ask: p.ask, Hunt: p.hunt, Class: p.class, URL: c.urls.At(p.url).url,
		Domain: c.urls.At(p.url).domain})
}

// onPassEnded returns the permit: the pass is really over (D-02, F-08).
func (c *Core) onPassEnded(in *Input) {
	k, ok := c.take(in.Ask, askPass)
	if !ok {
		return
	}
	i := k.a
	p := c.passes.At(i)
	if in.Class != OK && in.Class != Cancelled && p.class == OK {
		c.failed(p, in.Class, in.RetryAfter)
	}
	if in.Bytes > p.bytes {
		p.bytes = in.Bytes
	}
	c.reports = append(c.reports, PassReport{Needed: p.needed, Advertised: p.course.Advertised,
		Attempted: p.course.Attempted, Missing: p.course.Missing, Skipped: p.course.Skipped, Deferred: p.course.Deferred,
		Fetched: p.course.Fetched, Requests: in.Requests, Bytes: p.bytes, Duration: c.now - p.started, Started: p.started})
	e := c.passEffect(p)
	e.Ask, e.Pass = in.Ask, &c.reports[len(c.reports)-1]
	c.report(RepPass, e)
	c.closePass(i)
}

// closePass takes a pass out of its wave and gives its permit back.
func (c *Core) closePass(i int32) {
	p := c.passes.At(i)
	g := p.group
	o := c.groups.At(g)
	wv := &o.waves[p.wave]
	if k := slices.Index(wv.running, i); k >= 0 {
		wv.running = slices.Delete(wv.running, k, k+1)
	}
	if p.dry && p.hunt == o.id { // that one of a hunt that was evicted was cancelled says nothing of its source
		c.passSeq++
		wv.dry = c.passSeq
	}
	p.used = false
	p.gen++
	c.budget.End(&p.permit, c.now)
	c.closeURL(p.url)
	c.passes.Free(i)
	c.endOverdue(g)
	c.touch(g)
}

// mayNeed is how many HTTP requests a pass for so many OIDs may make: the comparison, a fetch of three for
// what is advertised, one question for each residual, and a fetch of what those find (D-03).
func (c *Core) mayNeed(wants int) int {
	n := 4 + min(wants, c.cfg.ResidualProbes)
	if wants > 1 {
		n += 3
	}
	return n
}
