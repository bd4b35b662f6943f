package fakes

import (
	"fmt"
	"strings"

	"graspsync/core"
)

// Host builds one server; its repositories share its script, faults, limits and log.
type Host struct {
	w *WorldParts
	h *host
}

// Host is the server of a domain, made if need be, with a script: one behaviour for ever, or the segments
// of a Script. Without any it answers at once, or keeps what it had.
func (w *WorldParts) Host(domain string, script ...Segment) *Host {
	s := w.Servers
	h := s.byDomain[domain]
	if h == nil {
		h = &host{name: domain, script: Always(Behaviour{})}
		fill(h.address[:], "address "+domain)
		copy(h.address[:], []byte{0x20, 0x01, 0x0d, 0xb8}) // the documentation prefix
		s.hosts = append(s.hosts, h)
		s.byDomain[domain] = h
		if domain == "" || strings.ContainsAny(domain, "/@ ") || domain != strings.ToLower(domain) {
			w.note(fmt.Errorf("%w: domain %q: want a lower-case host with port, no path", ErrWorld, domain))
		}
	}
	if len(script) > 0 {
		h.script = w.script(domain, script)
	}
	return &Host{w, h}
}

// script makes a private copy of a script that works, or notes what is wrong and answers at once.
func (w *WorldParts) script(of string, script Script) Script {
	own := make(Script, len(script))
	copy(own, script)
	if err := own.validate(); err != nil {
		w.note(fmt.Errorf("script of %s: %w", of, err))
		return Always(Behaviour{})
	}
	for i := range own {
		own[i].Rules = append([]Rule(nil), own[i].Rules...)
		for j := range own[i].Rules {
			w.prepare(&own[i].Rules[j])
		}
	}
	return own
}

// prepare resolves what a rule names.
func (w *WorldParts) prepare(r *Rule) {
	if r.Do == Redirect || r.Do == PostRedirect {
		r.to = w.Names.Handle(r.To)
	}
	if r.limits() {
		r.limiter = &limiter{Limit: r.Limit}
	}
}

// Address sets the resolved address; hosts may share one (D-03).
func (b *Host) Address(a [16]byte) *Host {
	b.h.address = a
	return b
}

// Repo is the repository at "https://DOMAIN/PATH.git".
func (b *Host) Repo(path string) *Repo { return b.w.Repo("https://" + b.h.name + "/" + path + ".git") }

// Fault lays a rule over the script for a stretch of time.
func (b *Host) Fault(f Fault) *Host {
	b.w.fault(&b.h.faults, b.h.name, NumVerbs, f)
	return b
}

// Turn opens or ends a fault by its verb at an instant: Turn(PartitionVerb, t1) … Turn(RepairVerb, t2).
func (b *Host) Turn(v Verb, at core.Time) *Host {
	b.w.turn(&b.h.faults, b.h.name, v, at)
	return b
}

func (w *WorldParts) fault(f *faults, of string, v Verb, fault Fault) {
	if err := fault.validate(); err != nil {
		w.note(fmt.Errorf("%s: %w", of, err))
		return
	}
	w.prepare(&fault.Rule)
	f.open(v, fault)
}

func (w *WorldParts) turn(f *faults, of string, v Verb, at core.Time) {
	if v >= NumVerbs {
		w.note(fmt.Errorf("%s: %w: verb %d: want one below %d", of, ErrScript, v, NumVerbs))
		return
	}
	if v.Opens() {
		w.fault(f, of, v, Fault{From: at, Until: core.Never, Rule: v.Rule()})
		return
	}
	if err := f.close(v, at); err != nil {
		w.note(fmt.Errorf("%s: %w", of, err))
	}
}

// Repo builds one repository behind one URL.
type Repo struct {
	w *WorldParts
	r *remoteRepo
}

// Repo is the repository at url, made if need be together with its host.
func (w *WorldParts) Repo(url string) *Repo {
	s := w.Servers
	u := w.Names.Handle(url)
	if r := s.at(u); r != nil && u != 0 {
		return &Repo{w, r}
	}
	r := &remoteRepo{name: url, url: u, key: textKey(url), until: core.Never}
	domain, err := Domain(url)
	if !w.note(err) {
		domain = "invalid"
	}
	r.host = w.Host(domain).h
	for int64(u) >= int64(len(s.byURL)) {
		s.byURL = append(s.byURL, nil)
	}
	s.byURL[u] = r
	return &Repo{w, r}
}

// URL is the URL.
func (b *Repo) URL() string { return b.r.name }

// V0 has the server speak protocol 0 with a want rule; without it a repository speaks protocol 2.
func (b *Repo) V0(allow Allow) *Repo {
	b.r.proto, b.r.allow = V0, allow
	return b
}

// span reads optional instants: from, until.
func (b *Repo) span(what string, when []core.Time) (from, until core.Time) {
	until = core.Never
	switch len(when) {
	case 2:
		until = when[1]
		fallthrough
	case 1:
		from = when[0]
	case 0:
	default:
		b.w.note(fmt.Errorf("%w: %s of %s has %d instants: want from, until or fewer", ErrWorld, what, b.r.name, len(when)))
	}
	if from < 0 || until <= from {
		b.w.note(fmt.Errorf("%w: %s of %s lasts from %v until %v: want until after from, both 0s or later", ErrWorld, what,
			b.r.name, from, until))
	}
	return from, until
}

func (b *Repo) node(label string) (Node, bool) {
	n := b.w.Graph.ByLabel(label)
	if n == NoNode {
		b.w.note(fmt.Errorf("%w: %s names object %q, which does not exist: want one made before", ErrObject, b.r.name, label))
	}
	b.r.sealed = false
	return n, n != NoNode
}

// Holds puts an object with its closure on the server, from and until the instants given.
func (b *Repo) Holds(label string, when ...core.Time) *Repo {
	from, until := b.span("holding", when)
	if n, ok := b.node(label); ok {
		b.r.tips = append(b.r.tips, held{n, from, until})
	}
	return b
}

// HoldsAlone puts one object there without what it refers to: a damaged repository.
func (b *Repo) HoldsAlone(label string, when ...core.Time) *Repo {
	from, until := b.span("holding", when)
	if n, ok := b.node(label); ok {
		b.r.lone = append(b.r.lone, held{n, from, until})
	}
	return b
}

// Lacks takes one object out, whatever else says it is there, from and until the instants given: data
// that vanishes.
func (b *Repo) Lacks(label string, when ...core.Time) *Repo {
	from, until := b.span("lack", when)
	if n, ok := b.node(label); ok {
		b.r.lost = append(b.r.lost, held{n, from, until})
	}
	return b
}

// Ref advertises a ref for the instants given; its object is there from then on, also after the ref has
// moved or gone. Of several statements for one name and instant the last counts, so a branch moves by
// Ref(name, old).Ref(name, new, when).
func (b *Repo) Ref(name, label string, when ...core.Time) *Repo {
	return b.ref(name, label, false, when)
}

// HiddenRef is a ref that is there but not advertised.
func (b *Repo) HiddenRef(name, label string, when ...core.Time) *Repo {
	return b.ref(name, label, true, when)
}

func (b *Repo) ref(name, label string, hidden bool, when []core.Time) *Repo {
	from, until := b.span("ref", when)
	if !strings.HasPrefix(name, "refs/") {
		b.w.note(fmt.Errorf("%w: ref %q of %s: want a full name, as refs/heads/main", ErrWorld, name, b.r.name))
	}
	if n, ok := b.node(label); ok {
		b.r.refs = append(b.r.refs, advertised{name, n, hidden, from, until})
		b.r.tips = append(b.r.tips, held{n, from, core.Never})
	}
	return b
}

// Filler adds n advertised refs nobody wants, standing after the branches: a huge advertisement (F-04).
func (b *Repo) Filler(n int) *Repo {
	if n < 0 || n > 10_000_000 {
		b.w.note(fmt.Errorf("%w: filler of %s is %d refs: want 0 to 10000000", ErrWorld, b.r.name, n))
		return b
	}
	b.r.filler, b.r.sealed = n, false
	return b
}

// Exists bounds the repository's life: 404 before and after.
func (b *Repo) Exists(when ...core.Time) *Repo {
	b.r.from, b.r.until = b.span("life", when)
	return b
}

// Script gives this URL a script of its own in place of its host's.
func (b *Repo) Script(script ...Segment) *Repo {
	b.r.script = b.w.script(b.r.name, script)
	return b
}

// Fault lays a rule over this URL for a stretch of time, after the faults of its host.
func (b *Repo) Fault(f Fault) *Repo {
	b.w.fault(b.windows(), b.r.name, NumVerbs, f)
	return b
}

// Turn opens or ends a fault of this URL by its verb.
func (b *Repo) Turn(v Verb, at core.Time) *Repo {
	b.w.turn(b.windows(), b.r.name, v, at)
	return b
}

func (b *Repo) windows() *faults {
	if b.r.faults == nil {
		b.r.faults = &faults{}
	}
	return b.r.faults
}
