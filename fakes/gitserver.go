package fakes

import (
	"graspsync/core"
	"graspsync/core/value"
	"graspsync/sim"
)

// maxRedirects is where the client gives up.
const maxRedirects = 20

// defaultLog is how many calls a host remembers: more than the 240 requests per window of D-03.
const defaultLog = 256

// host is one domain: the repositories on it share its script, faults, limits and log.
type host struct {
	name    string
	address [16]byte
	script  Script
	faults  faults
	log     hostLog
	tally   Tally
	ban     ban
}

// GitServers is all git servers of the world; it implements sim.Remote. What it answers is a function of
// the built world, the requests so far (rate limits count them) and keyed noise.
type GitServers struct {
	graph    *Graph
	names    *value.Names
	seed     uint64
	haves    *LocalGit // what the client has already is not sent again; nil = it has nothing
	hosts    []*host
	byDomain map[string]*host // look-up only
	byURL    []*remoteRepo    // by URL handle
	logSize  int
	unknown  uint64
}

var _ sim.Remote = (*GitServers)(nil)

// call is one request on its way down the chain.
type call struct {
	now    core.Time
	r      *sim.Request
	a      *sim.Reply
	repo   *remoteRepo
	b      *Behaviour
	began  core.Time    // of the segment
	hops   int32        // redirects followed
	before int32        // requests of the hops before
	rule   *Rule        // the verdict; nil = usual answer
	http   *HTTPRequest // one request of a call that is carried out request by request; nil = the whole call
	noise  uint64       // entity key of the draws
}

// Ask answers one request of a pass. A URL that a host does not serve is not found there, in the host's own way; one of no
// host has a name that does not resolve. A fetch lists
// in a.OIDs the wanted ids that arrive; their ancestors arrive with them and are found by Local.Check
// after Local.Receive. No allocation once logs and limits are full.
func (s *GitServers) Ask(now core.Time, r *sim.Request, a *sim.Reply) {
	*a = sim.Reply{OIDs: a.OIDs[:0]}
	repo := s.at(r.URL)
	if repo == nil {
		repo = s.stray(r.URL, s.names.Text(r.Domain))
	}
	if repo == nil {
		s.unknown++
		a.Class = core.DNS
		return
	}
	c := call{now: now, r: r, a: a, repo: repo, noise: repo.key}
	for s.hop(&c) {
	}
}

// stray is a repository that does not exist on a host that does; nil if the host does not either.
func (s *GitServers) stray(url core.Handle, domain string) *remoteRepo {
	h := s.byDomain[domain]
	if h == nil || url == 0 {
		return nil
	}
	name := s.names.Text(url)
	for int64(url) >= int64(len(s.byURL)) {
		s.byURL = append(s.byURL, nil)
	}
	s.byURL[url] = &remoteRepo{name: name, url: url, key: textKey(name), host: h, from: core.Never, until: core.Never}
	return s.byURL[url]
}

func (s *GitServers) at(url core.Handle) *remoteRepo {
	if int64(url) >= int64(len(s.byURL)) {
		return nil
	}
	return s.byURL[url]
}

// hop asks one server; true means the client follows a redirect from it to c.repo.
func (s *GitServers) hop(c *call) (again bool) {
	repo, h, a := c.repo, c.repo.host, c.a
	if !repo.sealed {
		repo.seal(s.graph)
	}
	c.before = a.Requests
	a.Address = h.address
	script := repo.script
	if script == nil {
		script = h.script
	}
	c.b, c.began = script.at(c.now)
	s.verdict(c)
	if c.rule != nil && !c.rule.shapes() {
		again = s.refuse(c)
	} else {
		s.serve(c)
	}
	sent := a.Requests - c.before
	h.log.add(s.logSize, Record{At: c.now, Pass: c.r.Pass, URL: repo.url, Requests: sent, Status: a.Status,
		Kind: c.r.Kind, Class: a.Class})
	h.tally.add(c.r.Kind, sent, a)
	repo.tally.add(c.r.Kind, sent, a)
	return again
}

// at is the behaviour of instant t and when its segment began.
func (s Script) at(t core.Time) (*Behaviour, core.Time) {
	began := core.Time(0)
	for i := range s {
		if t < s[i].Until || i == len(s)-1 {
			return &s[i].Behaviour, began
		}
		began = s[i].Until
	}
	panic("fakes: a server without a script") // the builder gives each host one
}

// verdict runs the chain: the host's faults, the URL's faults, then the rules of the script.
func (s *GitServers) verdict(c *call) {
	c.rule = nil
	if s.byFault(c, &c.repo.host.faults) || c.repo.faults != nil && s.byFault(c, c.repo.faults) {
		return
	}
	for i := range c.b.Rules {
		if s.applies(c, &c.b.Rules[i], c.began) {
			c.rule = &c.b.Rules[i]
			return
		}
	}
}

func (s *GitServers) byFault(c *call, f *faults) bool {
	for i := range f.list {
		w := &f.list[i]
		if w.From <= c.now && c.now < w.Until && s.applies(c, &w.Rule, w.From) {
			c.rule = &w.Rule
			return true
		}
	}
	return false
}

// applies judges one rule whose clock started at began.
func (s *GitServers) applies(c *call, r *Rule, began core.Time) bool {
	if !r.On.has(c.r.Kind) {
		return false
	}
	if r.onPost() && !c.posts() {
		return false
	}
	if r.Up > 0 && (c.now-began)%(r.Up+r.Down) < r.Up {
		return false
	}
	if r.Share.Den > 0 && !r.Share.hit(s.draw(c, forShare, uint64(r.Do)<<16|uint64(r.Status))) {
		return false
	}
	if r.Do == Ban {
		return c.now < c.repo.host.ban.until
	}
	if !r.limits() {
		return true
	}
	want := c.repo.requests(c.r.Kind)
	if c.http != nil {
		want = 1
	}
	passed := c.repo.limiter(r).take(c.now, want)
	if passed == want {
		return false
	}
	c.a.Requests += passed + 1
	return true
}

// posts tells whether a POST is part of the call: a compare is a single GET.
func (c *call) posts() bool {
	if c.http != nil {
		return c.http.Kind.Post()
	}
	return c.r.Kind != sim.AskCompare
}

// requests is how many HTTP requests a call of the kind takes when nothing stops it.
func (r *remoteRepo) requests(kind sim.RequestKind) int32 {
	switch {
	case kind != sim.AskFetch:
		return 1
	case r.proto == V0:
		return 2
	}
	return 3
}

// draw is this request's noise for a purpose; salt tells draws of one purpose apart. It depends on the
// URL and on its request counter, on nothing else.
func (s *GitServers) draw(c *call, purpose, salt uint64) uint64 {
	return keyed(s.seed, c.noise^mix(salt), purpose, c.r.N<<2|uint64(c.r.Kind))
}
