package fakes

import (
	"slices"

	"graspsync/core"
	"graspsync/sim"
)

// Beside Ask, which answers whole calls, a server can be spoken to request by request, as stock git does:
// that is how the fakes are held against what real servers did to a real client (package stockgit). Both
// ways run down the same chain of rules.

// HTTPKind is one kind of HTTP request that a git client makes.
type HTTPKind uint8

// HTTP requests. The first three are the smart protocol, the rest the static one.
const (
	GetRefs       HTTPKind = iota // GET info/refs?service=git-upload-pack
	PostList                      // POST git-upload-pack: list refs (protocol 2)
	PostWant                      // POST git-upload-pack: OIDs are wanted
	GetHead                       // GET HEAD
	GetObject                     // GET the loose file of OIDs[0]
	GetPacks                      // GET objects/info/packs
	GetAlternates                 // GET objects/info/http-alternates, or objects/info/alternates
)

// Post tells whether the request is a POST.
func (k HTTPKind) Post() bool { return k == PostList || k == PostWant }

// HTTPRequest is one request of a client's call.
type HTTPRequest struct {
	Kind     HTTPKind
	Call     sim.RequestKind // what the call is: AskCompare for a listing, AskFetch for a transfer
	Protocol Protocol        // that the client offers
	Pass     core.AskID
	URL      core.Handle
	Repo     core.Handle // the local repository that will receive what is fetched
	OIDs     []core.OID
	N        uint64 // the client's request counter, from 1: the key of per-event noise
}

// Body is what stands in an answer of status 200.
type Body uint8

// Bodies.
const (
	NoBody        Body = iota // the status says it all
	SmartBody                 // an advertisement, listing or pack, as asked for
	ErrorBody                 // a git ERR line
	PageBody                  // a web page
	EmptyBody                 // nothing, under the content type asked for
	UntypedBody               // bytes without content type
	FileBody                  // a file of a static mirror
	NotOurRefBody             // "not our ref" Named
	CutBody                   // SmartBody that ends too early
	EndlessBody               // refs without end
)

// HTTPRef is one advertised ref; Peeled is what a tag object points to in the end.
type HTTPRef struct {
	Name   string
	OID    core.OID
	Peeled core.OID
}

// HTTPReply is the answer to one request. The time of the whole is First + Span + Hush.
type HTTPReply struct {
	Fail     core.Class // not OK: no answer, by DNS, TLS, Refused, Timeout or Reset; no request counts but Reset's
	Closed   bool       // Reset came as an orderly end of the connection
	Status   uint16
	Body     Body
	Protocol Protocol // of a SmartBody that answers GetRefs
	Allow    Allow    // and what its protocol 0 says may be wanted
	Refs     []HTTPRef
	Filler   int         // further refs, which nobody wants
	OIDs     []core.OID  // PostWant: what the pack brings of the wanted; GetObject: what the object refers to
	Named    core.OID    // NotOurRefBody
	Location core.Handle // 301: where to; may name nothing
	Bytes    int64
	First    core.Time // until the first byte
	Span     core.Time // of all bytes, evenly
	Gap      core.Time // between two bytes or bursts within Span
	Hush     core.Time // silence in the middle of the bytes, Forever included
}

// HTTP answers one request at an instant. What it answers depends on the same things as Ask's answer.
func (s *GitServers) HTTP(now core.Time, q *HTTPRequest, a *HTTPReply) {
	*a = HTTPReply{}
	repo := s.at(q.URL)
	if repo == nil {
		if domain, err := Domain(s.names.Text(q.URL)); err == nil {
			repo = s.stray(q.URL, domain)
		}
	}
	if repo == nil {
		s.unknown++
		a.Fail = core.DNS
		return
	}
	if !repo.sealed {
		repo.seal(s.graph)
	}
	r := sim.Request{Kind: q.Call, Pass: q.Pass, URL: q.URL, Repo: q.Repo, OIDs: q.OIDs, N: q.N}
	var sent sim.Reply // for the log
	c := call{now: now, r: &r, a: &sent, repo: repo, noise: repo.key, http: q}
	script := repo.script
	if script == nil {
		script = repo.host.script
	}
	c.b, c.began = script.at(now)
	s.verdict(&c)
	a.First = c.latency(s)
	if c.rule == nil || !s.refuseHTTP(&c, a) {
		s.serveHTTP(&c, a)
	}
	sent.Requests, sent.Status, sent.Class, sent.Bytes = 1, a.Status, a.Fail, a.Bytes
	if a.Fail != core.OK && a.Fail != core.Reset {
		sent.Requests = 0
	} else if a.Status >= 400 {
		sent.Class = classOf(a.Status)
	}
	h := repo.host
	h.log.add(s.logSize, Record{At: now, Pass: q.Pass, URL: repo.url, Requests: sent.Requests, Status: a.Status, Kind: q.Call, Class: sent.Class})
	h.tally.add(q.Call, sent.Requests, &sent)
	repo.tally.add(q.Call, sent.Requests, &sent)
}

// latency is the time to the first byte of one request.
func (c *call) latency(s *GitServers) core.Time {
	l := &c.b.Answer
	switch {
	case c.rule != nil && c.rule.After.set():
		l = &c.rule.After
	case c.http.Kind == PostWant:
		l = &c.b.Fetch
	}
	return l.draw(s.draw(c, forLatency, uint64(c.http.Kind)))
}

// refuseHTTP carries out a verdict that is the whole answer, or tells that there is none.
func (s *GitServers) refuseHTTP(c *call, a *HTTPReply) bool {
	r := c.rule
	switch r.Do {
	case Status, PostStatus:
		if a.Status = r.Status; classOf(r.Status) == core.Unauthorized {
			c.refusedLogin()
		}
	case Ban:
		a.Status = 403
	case Throttle:
		a.Status = 429
	case DNS:
		a.Fail = core.DNS
	case TLS:
		a.Fail = core.TLS
	case Refuse:
		a.Fail = core.Refused
	case Timeout:
		a.Fail, a.First = core.Timeout, a.First+orElse(r.For, ConnectTimeout)
	case Reset:
		a.Fail = core.Reset
	case Close:
		a.Fail, a.Closed = core.Reset, true
	case HTML, Challenge:
		a.Status, a.Body = 200, PageBody
	case Empty:
		a.Status, a.Body = 200, EmptyBody
	case NoType:
		a.Status, a.Body = 200, UntypedBody
	case ErrLine:
		a.Status, a.Body = 200, ErrorBody
	case Redirect, PostRedirect:
		a.Status, a.Location = 301, r.to
	default:
		return false // Private too: a stock client goes anywhere
	}
	return true
}

// serveHTTP answers from the repository, in the form the verdict asks for.
func (s *GitServers) serveHTTP(c *call, a *HTTPReply) {
	repo, kind := c.repo, c.http.Kind
	if c.now < repo.from || c.now >= repo.until {
		a.Status = 404
		return
	}
	e := &repo.epochs[repo.epochIndex(c.now)]
	a.Status, a.Body = 200, SmartBody
	switch {
	case c.does(Dumb):
		s.file(c, a)
	case kind > PostWant:
		a.Status, a.Body = 404, NoBody // no files here
	case kind == PostWant:
		s.want(c, e, a)
	default:
		a.Protocol, a.Allow, a.Bytes = c.proto(), repo.allow, advertHeader
		if kind == PostList || a.Protocol == V0 {
			s.list(c, e, a)
		}
		switch {
		case c.does(CutAdvert):
			a.Body, a.Bytes = CutBody, a.Bytes/2
		case c.does(Endless):
			a.Body, a.Bytes = EndlessBody, 0
		}
	}
	c.shapeHTTP(a)
}

// list fills in the refs.
func (s *GitServers) list(c *call, e *epoch, a *HTTPReply) {
	if c.does(Hide) {
		return
	}
	g := s.graph
	a.Filler, a.Bytes = c.repo.filler, e.bytes
	for _, f := range c.repo.refsAt(c.now) {
		if f.hidden {
			continue
		}
		ref := HTTPRef{Name: f.name, OID: g.OID(f.node)}
		n := f.node
		for g.Kind(n) == TagObject {
			n = g.Edges(n)[0]
			ref.Peeled = g.OID(n)
		}
		a.Refs = append(a.Refs, ref)
	}
}

// want gives all wanted ids or names one that it does not give out: the lowest, as measured.
func (s *GitServers) want(c *call, e *epoch, a *HTTPReply) {
	refused := false
	for _, oid := range c.r.OIDs {
		if !c.does(Deny) && s.wantable(c, e, s.graph.Find(oid)) {
			continue
		}
		if !refused || oid.Compare(a.Named) < 0 {
			a.Named = oid
		}
		refused = true
	}
	if refused {
		a.Body, a.Bytes = NotOurRefBody, 0
		return
	}
	bytes, _, whole := s.pack(c)
	a.Bytes = bytes
	if !whole || c.does(CutPack) {
		a.Body, a.Bytes = CutBody, bytes/2
		return
	}
	if c.b.BigPack > 0 && bytes >= c.b.BigPack {
		a.First += c.b.BigPackSilence.draw(s.draw(c, forSilence, 0))
	}
	a.OIDs = slices.Clone(c.r.OIDs)
}

// file is the answer of a static mirror.
func (s *GitServers) file(c *call, a *HTTPReply) {
	a.Body = FileBody
	switch c.http.Kind {
	case GetRefs:
		s.list(c, &c.repo.epochs[c.repo.epochIndex(c.now)], a)
	case GetHead, GetPacks:
	case GetObject:
		n := s.graph.Find(c.r.OIDs[0])
		if n == NoNode || !c.repo.holding(n, c.now) {
			a.Status, a.Body = 404, NoBody
			return
		}
		a.Bytes = s.graph.Size(n)
		for _, m := range s.graph.Edges(n) {
			a.OIDs = append(a.OIDs, s.graph.OID(m))
		}
	case GetAlternates:
		a.Status, a.Body = 404, NoBody
	default:
		a.Status, a.Body = 405, NoBody // a web server of files takes no POST
	}
}

// shapeHTTP adds transfer time and the silences of the verdict.
func (c *call) shapeHTTP(a *HTTPReply) {
	rate := c.b.Rate
	if c.does(Drip) {
		rate, a.Gap = c.rule.Rate, orElse(c.rule.Gap, dripGap)
	}
	a.Span = c.drops(a.Bytes, rate, a.Gap)
	switch {
	case a.Body == EndlessBody:
		a.Span = Forever
	case c.does(Stall):
		a.First += orElse(c.rule.For, Forever)
	case c.does(StallMid) && (c.http.Kind == PostWant || c.r.Kind == sim.AskCompare && len(a.Refs) > 0):
		a.Hush = orElse(c.rule.For, Forever)
	case c.does(TimeLimit) && a.First+a.Span > c.rule.For:
		a.Body, a.OIDs = CutBody, nil
		a.First = min(a.First, c.rule.For)
		a.Span = c.rule.For - a.First
	}
}
