package fakes

import (
	"graspsync/core"
	"graspsync/sim"
)

// dripGap is the silence between two drops where a Drip rule names none.
const dripGap = core.Second

// shapes tells whether a rule leaves the answer to the repository and only changes its form.
func (r *Rule) shapes() bool {
	switch r.Do {
	case Answer, Stall, StallMid, Drip, Truncate, Hide, Move, Churn, Endless, Dumb, TimeLimit:
		return true
	case CutPack, Deny:
		return true // of fetches and probes; a compare is answered as usual
	}
	return false
}

// refuse carries out a verdict that is the whole answer; true means the client follows a redirect.
func (s *GitServers) refuse(c *call) (again bool) {
	r, a := c.rule, c.a
	a.After = c.reach(s)
	if !r.limits() {
		a.Requests++
	}
	if r.onPost() && c.r.Kind == sim.AskFetch {
		a.Requests++ // the GET before it was answered
	}
	switch r.Do {
	case Status, PostStatus:
		a.Class, a.Status, a.RetryAfter = classOf(r.Status), r.Status, r.RetryAfter
		if a.Class == core.Unauthorized {
			c.refusedLogin()
		}
	case Ban:
		a.Class, a.Status = core.Forbidden, 403
	case Throttle:
		a.Class, a.Status, a.RetryAfter = core.TooManyRequests, 429, r.RetryAfter
	case Reset, Close:
		a.Class = core.Reset
	case DNS:
		a.Class, a.Requests, a.Address = core.DNS, a.Requests-1, [16]byte{}
	case TLS:
		a.Class, a.Requests = core.TLS, a.Requests-1
	case Refuse:
		a.Class, a.Requests = core.Refused, a.Requests-1
	case Timeout:
		a.Class, a.Requests = core.Timeout, a.Requests-1
		a.After += orElse(r.For, ConnectTimeout)
	case HTML, Empty, ErrLine, NoType, Challenge:
		a.Class, a.Status = core.Invalid, 200
	case CutAdvert:
		a.Class, a.Status = core.CutShort, 200
	case Private:
		a.Class, a.Requests = core.PrivateTarget, a.Requests-1
		a.Address = [16]byte{10: 0xff, 11: 0xff, 12: 10, 15: 1}
	case PostRedirect:
		a.Class, a.Status = core.BadRedirect, 301
	case Redirect:
		return s.redirect(c)
	}
	a.Silent = a.After
	return false
}

// redirect follows the rule's target. Only a compare is followed (F-06): a transfer with redirects off,
// and any POST, end there.
func (s *GitServers) redirect(c *call) bool {
	a := c.a
	a.Status = 301
	target := s.at(c.rule.to)
	if c.r.Kind == sim.AskCompare && target != nil && c.hops < maxRedirects {
		c.hops++
		c.repo = target
		a.FinalURL = target.url
		return true
	}
	a.Class, a.Silent, a.FinalURL = core.BadRedirect, a.After, 0
	if target == nil && c.r.Kind == sim.AskCompare {
		a.Class, a.Status = core.DNS, 0
	}
	return false
}

// reach is the time the answer takes by the verdict's own latency or the server's usual one; hops add up.
func (c *call) reach(s *GitServers) core.Time {
	l := &c.b.Answer
	switch {
	case c.rule != nil && c.rule.After.set():
		l = &c.rule.After
	case c.r.Kind == sim.AskFetch && (c.rule == nil || c.rule.shapes()):
		l = &c.b.Fetch
	}
	if l.Table == nil {
		return c.a.After + l.Fixed
	}
	return c.a.After + l.draw(s.draw(c, forLatency, uint64(c.hops)))
}

// serve answers from the repository, in the form the verdict asks for.
func (s *GitServers) serve(c *call) {
	repo, a := c.repo, c.a
	a.After = c.reach(s)
	a.Silent = a.After
	if c.now < repo.from || c.now >= repo.until {
		a.Requests++
		a.Class, a.Status = core.NotFound, 404
		return
	}
	a.Class, a.Status = core.OK, 200
	i := repo.epochIndex(c.now)
	switch c.r.Kind {
	case sim.AskCompare:
		a.Requests++
		repo.compared(c.r.Pass, i)
		s.compare(c, &repo.epochs[i])
	case sim.AskFetch:
		a.RefsMoved = repo.moved(c.r.Pass, i) || c.does(Move)
		s.fetch(c, &repo.epochs[i])
	default:
		a.Requests++
		if len(c.r.OIDs) > 0 && !c.does(Deny) && s.wantable(c, &repo.epochs[i], s.graph.Find(c.r.OIDs[0])) {
			a.OIDs = append(a.OIDs, c.r.OIDs[0])
		} else {
			a.Class = core.NotOurRef
		}
	}
	c.shape()
}

func (c *call) does(act Act) bool { return c.rule != nil && c.rule.Do == act }

// compare gives the advertised subset of the needed ids (F-01).
func (s *GitServers) compare(c *call, e *epoch) {
	a := c.a
	seen := int(e.visible)
	a.Bytes = min(e.bytes, AdvertBound)
	a.Fingerprint = e.print
	switch {
	case c.does(Hide):
		seen, a.Bytes = 0, advertHeader
		a.Fingerprint = [32]byte{}
	case c.does(Truncate):
		seen = min(seen, c.rule.Keep)
		a.Truncated, a.Bytes = true, AdvertBound
	case c.does(Endless):
		a.Truncated, a.Bytes = true, AdvertBound
	case c.does(Churn):
		u := s.draw(c, forChurn, 0)
		for i := range 8 {
			a.Fingerprint[i] ^= byte(u >> (8 * i))
		}
	}
	if e.bytes > AdvertBound {
		a.Truncated = true
	}
	if a.Truncated {
		a.Fingerprint[31] ^= 1
	}
	a.HasHeads = e.heads > 0 && seen > 0
	for _, oid := range c.r.OIDs {
		n := s.graph.Find(oid)
		if n == NoNode {
			continue
		}
		if seen == len(e.order) && e.tip(n) || seen < len(e.order) && contains(e.order[:seen], n) {
			a.OIDs = append(a.OIDs, oid)
		}
	}
}

// fetch sends all wanted ids or nothing: one that is refused fails the batch, and so does a pack that
// breaks off (F-05).
func (s *GitServers) fetch(c *call, e *epoch) {
	repo, a := c.repo, c.a
	if c.does(Dumb) {
		s.fetchFiles(c)
		return
	}
	for _, oid := range c.r.OIDs {
		n := s.graph.Find(oid)
		if !c.does(Deny) && s.wantable(c, e, n) {
			continue
		}
		a.Requests += repo.requests(sim.AskFetch)
		if repo.proto == V0 && repo.allow == AllowAdvertised && !e.tip(n) {
			a.Requests-- // the client refuses on its own, before it asks
		}
		a.Class = core.NotOurRef
		return
	}
	a.Requests += repo.requests(sim.AskFetch)
	bytes, _, whole := s.pack(c)
	a.Bytes = bytes
	if !whole || c.does(CutPack) {
		a.Bytes /= 2
		a.Class = core.CutShort
		return
	}
	if c.b.BigPack > 0 && bytes >= c.b.BigPack {
		more := c.b.BigPackSilence.draw(s.draw(c, forSilence, 0))
		a.After += more
		a.Silent += more
	}
	a.OIDs = append(a.OIDs, c.r.OIDs...)
}

// wantable tells whether the server gives out node.
func (s *GitServers) wantable(c *call, e *epoch, n Node) bool {
	repo := c.repo
	if n == NoNode || !repo.holding(n, c.now) {
		return false
	}
	if c.does(Dumb) || c.proto() == V2 || repo.allow == AllowAny || e.tip(n) {
		return true
	}
	return repo.allow != AllowAdvertised && (s.graph.Reaches(e.tips, n) || s.graph.Reaches(e.private, n))
}

// pack sums up what the client lacks of the wanted closures; whole is false where the server itself lacks
// part of it, and its pack breaks off there.
func (s *GitServers) pack(c *call) (bytes int64, objects int32, whole bool) {
	g := s.graph
	mine := s.haves.at(c.r.Repo)
	g.start()
	for _, oid := range c.r.OIDs {
		g.visit(g.Find(oid))
	}
	for n, ok := g.next(); ok; n, ok = g.next() {
		if mine != nil && !mine.broken && mine.objects.has(n) {
			continue // and so with all below it
		}
		if !c.repo.holding(n, c.now) {
			return bytes, objects, false
		}
		bytes += g.Size(n)
		objects++
		g.visitEdges(n)
	}
	return bytes, objects, true
}

// shape adds transfer time and the silences of the verdict.
func (c *call) shape() {
	a, rate, gap := c.a, c.b.Rate, core.Time(0)
	if c.does(Drip) {
		rate, gap = c.rule.Rate, orElse(c.rule.Gap, dripGap)
	}
	first := a.After
	a.After += c.drops(a.Bytes, rate, gap)
	a.Silent = max(a.Silent, min(gap, a.After))
	switch {
	case c.does(Stall), c.does(Endless) && c.r.Kind == sim.AskFetch:
		if c.rule.For == 0 {
			*a = sim.Reply{After: sim.NoReply, Silent: Forever, Class: core.Stalled, Address: a.Address, OIDs: a.OIDs[:0],
				Requests: c.before + 1, FinalURL: a.FinalURL}
			return
		}
		a.After += c.rule.For
		a.Silent += c.rule.For
	case c.does(StallMid):
		if c.rule.For == 0 {
			a.Bytes /= 2
			a.After = first + (a.After-first)/2 + Forever
			a.Silent, a.OIDs, a.Class = Forever, a.OIDs[:0], core.Stalled
			return
		}
		a.After += c.rule.For
		a.Silent = max(a.Silent, c.rule.For)
	case c.does(TimeLimit) && a.After > c.rule.For:
		a.Bytes /= 2 // some of it
		a.After, a.Silent = c.rule.For, min(a.Silent, c.rule.For)
		a.Class, a.OIDs = core.CutShort, a.OIDs[:0]
	}
}

// drops is the time bytes take at rate, or one by one with a gap between them under a drip without rate.
func (c *call) drops(bytes, rate int64, gap core.Time) core.Time {
	switch {
	case rate > 0:
		return transfer(bytes, rate)
	case c.does(Drip):
		return min(core.Time(min(bytes, int64(Forever/gap)))*gap, Forever)
	}
	return 0
}

// transfer is the time of bytes at rate, without overflow for anything a world can hold.
func transfer(bytes, rate int64) core.Time {
	return core.Time(bytes/rate)*core.Second + core.Time(bytes%rate)*core.Second/core.Time(rate)
}

func orElse(t, otherwise core.Time) core.Time {
	if t == 0 {
		return otherwise
	}
	return t
}

func contains(nodes []Node, n Node) bool {
	for _, m := range nodes {
		if m == n {
			return true
		}
	}
	return false
}
