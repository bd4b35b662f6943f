package scenarios

import (
	"cmp"
	"slices"
	"strings"

	"graspsync/core"
	"graspsync/core/nip34"
	"graspsync/core/value"
	"graspsync/fakes"
	"graspsync/sim"
)

// defaultWall is the Unix time of instant 0 unless the scenario says otherwise.
const defaultWall = 1_750_000_000

// baseLabel is the commit that a repository which is served at the start has on its branch main.
const baseLabel = "base"

// build turns the written-out scenario into a world.
type build struct {
	*problems
	*script
	cfg      core.Config
	names    *value.Names
	parser   *nip34.Parser
	parts    *fakes.WorldParts
	events   map[string]*core.Event // by name
	atDoor   map[string]string      // events that could not be read, by name: why
	urls     map[string][]string    // clone URLs of a repository's name, in order of first use
	made     map[string]bool        // object labels that exist
	start    []core.Input           // what the driver tells first
	arrivals []sim.Arrival
	pushes   uint64
	pushID   map[string]uint64 // by name
	relay    string            // our own authority
	here     bool              // the present action happens at it
}

// world builds everything; seed is the key of all noise.
func (s *Scenario) world(seed uint64) (*build, error) { return s.worldOf(seed, s.service()) }

// worldOf is world as one relay of a network sees it.
func (s *Scenario) worldOf(seed uint64, relay string) (*build, error) {
	b := &build{relay: relay, problems: &problems{}, names: new(value.Names), events: make(map[string]*core.Event), atDoor: make(map[string]string), pushID: make(map[string]uint64),
		urls: make(map[string][]string), made: make(map[string]bool)}
	b.script = s.validate(b.problems)
	if err := b.err(); err != nil {
		return nil, err
	}
	var err error
	if b.parser, err = nip34.NewParser(b.names, relay); err != nil {
		return nil, err
	}
	b.cfg = s.config(b.problems, "config", s.Config, core.DefaultConfig())
	b.cfg.Seed, b.cfg.Wall = seed, cmp.Or(s.Wall, defaultWall)
	for _, name := range sortedKeys(s.Domains) {
		d := s.Domains[name]
		b.cfg.Overrides = append(b.cfg.Overrides, core.DomainLimit{Domain: b.names.Handle(name), Concurrency: d.Concurrency, Rate: d.Rate})
	}
	b.parts = fakes.NewWorldParts(b.names, seed)
	b.hosts()
	b.collectURLs()
	for i := range b.repos {
		b.objects(&b.repos[i])
		b.holdings(&b.repos[i])
		b.served(&b.repos[i])
	}
	b.timeline()
	b.parts.Learn(b.arrivals)
	if err := b.err(); err != nil {
		return nil, err
	}
	return b, b.parts.Seal()
}

func (b *build) hosts() {
	for i := range b.script.hosts {
		h := &b.script.hosts[i]
		fake := b.parts.Host(h.name, h.val.fake(b.problems, h.path)...)
		if h.val.Address != "" {
			hash := mix("address", h.val.Address)
			var a [16]byte
			copy(a[:], hash[:])
			copy(a[:], []byte{0x20, 0x01, 0x0d, 0xb8})
			fake.Address(a)
		}
	}
	for i := range b.Faults {
		f := &b.Faults[i]
		until := core.Never
		if f.To > 0 {
			until = core.Time(f.To)
		}
		rule := f.fake(b.problems, "faults")
		for _, host := range f.hosts() {
			b.parts.Host(host).Fault(fakes.Fault{From: core.Time(f.From), Until: until, Rule: rule})
		}
	}
}

// collectURLs finds every clone URL that concerns a repository: of its announcements and of the pull
// requests that name it.
func (b *build) collectURLs() {
	add := func(repo, owner, identifier string, clone Labels) {
		clone, _ = cloneList(clone)
		for _, text := range clone {
			if loc, err := b.cloneURL(text, owner, identifier); err == nil && !slices.Contains(b.urls[repo], loc.URL) {
				b.urls[repo] = append(b.urls[repo], loc.URL)
			}
		}
	}
	for i := range b.repos {
		r := &b.repos[i]
		owner, identifier, _ := splitRepo(r.name)
		add(r.name, owner, identifier, r.val.Clone)
		for _, where := range sortedKeys(r.val.On) {
			if strings.Contains(where, "://") {
				add(r.name, owner, identifier, Labels{where})
			}
		}
	}
	for i := range b.actions {
		a := &b.actions[i].val
		name := cmp.Or(a.Announce, a.PR, a.PRUpdate)
		if name == "" || a.Clone == nil {
			continue
		}
		owner, identifier, _ := splitRepo(name)
		add(name, cmp.Or(a.By, owner), identifier, a.Clone)
	}
	for i := range b.repos {
		r := &b.repos[i]
		for _, url := range b.urls[r.name] {
			b.remote(url)
		}
	}
}

// remote is the fake repository behind url, speaking as its host does.
func (b *build) remote(url string) *fakes.Repo {
	repo := b.parts.Repo(url)
	if domain, err := fakes.Domain(url); err == nil {
		for i := range b.script.hosts {
			if h := &b.script.hosts[i]; h.name == domain {
				if proto, allow, _ := wantRule(h.val.Wants); proto == fakes.V0 {
					repo.V0(allow)
				}
			}
		}
	}
	return repo
}

// served fills a repository that is served before the run: announcement and first state in the store, the
// state's branch in the repository.
func (b *build) served(r *item[Repo]) {
	if r.val.Start == "absent" {
		return
	}
	owner, identifier, _ := splitRepo(r.name)
	const dayBefore = 86_400
	ann := &core.Event{ID: eventID("announce " + r.name), Size: eventBytes, CreatedAt: b.cfg.Wall - dayBefore}
	b.announcement(ann, owner, identifier, r.val.Clone, r.val.Maintainers)
	b.events["announce "+r.name] = ann
	st := &core.Event{ID: eventID("base " + r.name), Size: eventBytes, CreatedAt: b.cfg.Wall - dayBefore, Kind: core.KindState,
		Author: ann.Author, Repo: ann.Repo}
	st.Refs, _ = b.stateRefs(identifier, Refs{{"main", baseLabel}})
	b.events["base "+r.name] = st
	git := b.parts.Local
	repo := ann.Repo.Repo
	oids := []core.OID{st.Refs[0].OID}
	has, _ := r.val.Has.expand()
	for _, label := range has {
		oids = append(oids, oid(identifier, label))
	}
	for i := range r.val.On[b.relay] {
		here, _ := r.val.On[b.relay][i].Has.expand()
		for _, label := range here {
			oids = append(oids, oid(identifier, label))
		}
	}
	git.Create(repo)
	git.Receive(repo, oids)
	git.Align(&core.Effect{Kind: core.EfAlignRefs, Repo: repo, Refs: st.Refs})
	branches := slices.Clone(git.Refs(repo))
	nostr, _ := r.val.Nostr.expand()
	var found []core.Input
	for _, x := range nostr {
		in := core.Input{Kind: core.InRepoRefs, Repo: repo, Target: b.idOf(x.Name), OIDs: []core.OID{oid(identifier, x.Value)}}
		git.Receive(repo, in.OIDs)
		git.Align(&core.Effect{Kind: core.EfAlignRefs, Repo: repo, Space: core.NostrRef, Event: in.Target, OIDs: in.OIDs})
		found = append(found, in)
	}
	for _, ev := range []*core.Event{ann, st} {
		b.parts.Store.Learn(ev)
		b.parts.Store.Store(ev.ID)
		b.start = append(b.start, core.Input{Kind: core.InServed, Event: ev})
	}
	b.start = append(b.start, core.Input{Kind: core.InRepoRefs, Repo: repo, Refs: branches})
	b.start = append(b.start, found...)
}
