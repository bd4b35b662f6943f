package scenarios

import (
	"cmp"
	"slices"
	"strconv"
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
	urls     map[string][]string    // clone URLs of a repository's name, in order of first use
	made     map[string]bool        // object labels that exist
	start    []core.Input           // what the driver tells first
	arrivals []sim.Arrival
	pushes   uint64
}

// world builds everything; seed is the key of all noise.
func (s *Scenario) world(seed uint64) (*build, error) {
	b := &build{problems: &problems{}, names: new(value.Names), events: make(map[string]*core.Event),
		urls: make(map[string][]string), made: make(map[string]bool)}
	b.script = s.validate(b.problems)
	if err := b.err(); err != nil {
		return nil, err
	}
	var err error
	if b.parser, err = nip34.NewParser(b.names, s.service()); err != nil {
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

// objects puts the history of a repository into the graph: commits with their parents first, then tags.
func (b *build) objects(r *item[Repo]) {
	_, identifier, _ := splitRepo(r.name)
	var commit func(label string)
	commit = func(label string) { // depth is bounded: cycles are refused, and parents are few per step
		full := objectLabel(identifier, label)
		if b.made[full] {
			return
		}
		b.made[full] = true
		if target, isTag := r.val.Tags[label]; isTag {
			commit(target)
			b.parts.Tag(full, objectLabel(identifier, target))
			return
		}
		parents := make([]string, 0, len(r.val.Commits[label]))
		for _, p := range r.val.Commits[label] {
			commit(p)
			parents = append(parents, objectLabel(identifier, p))
		}
		b.parts.Commit(full, parents...)
	}
	for _, label := range sortedKeys(r.val.Chains) {
		full, n := objectLabel(identifier, label), r.val.Chains[label]
		if !b.made[full] {
			b.parts.Chain(full, n)
			b.made[full] = true
			for k := 1; k < n; k++ {
				b.made[full+"~"+strconv.Itoa(k)] = true
			}
		}
	}
	commit(baseLabel)
	for _, label := range b.chainOrder(r.val.Commits) {
		commit(label)
	}
	for _, tag := range sortedKeys(r.val.Tags) {
		commit(tag)
	}
	for _, where := range sortedKeys(r.val.On) {
		for _, h := range r.val.On[where] {
			has, _ := h.Has.expand()
			for _, label := range has {
				commit(label)
			}
			refs, _ := h.Refs.expand()
			for _, ref := range refs {
				commit(ref.Value)
			}
		}
	}
	has, _ := r.val.Has.expand()
	for _, label := range has {
		commit(label)
	}
	for i := range b.actions {
		a := &b.actions[i].val
		if name := a.about(); name != r.name {
			continue
		}
		refs, _ := a.Refs.expand()
		for _, ref := range refs {
			if !strings.HasPrefix(ref.Value, "ref: ") && ref.Value != "none" {
				commit(ref.Value)
			}
		}
		if a.Commit != "" {
			commit(a.Commit)
		}
	}
}

// chainOrder lists commits so that parents come first, without recursion however long the history is.
func (b *build) chainOrder(commits map[string]Labels) []string {
	out := make([]string, 0, len(commits))
	done := make(map[string]bool, len(commits))
	for _, start := range sortedKeys(commits) {
		stack := []string{start}
		for len(stack) > 0 {
			top := stack[len(stack)-1]
			if done[top] {
				stack = stack[:len(stack)-1]
				continue
			}
			ready := true
			for _, p := range commits[top] {
				if !done[p] {
					stack = append(stack, p)
					ready = false
				}
			}
			if ready {
				done[top] = true
				out = append(out, top)
				stack = stack[:len(stack)-1]
			}
		}
	}
	return out
}

// holdings puts objects on the hosts.
func (b *build) holdings(r *item[Repo]) {
	_, identifier, _ := splitRepo(r.name)
	for _, where := range sortedKeys(r.val.On) {
		for _, url := range b.urls[r.name] {
			domain, _ := fakes.Domain(url)
			if domain != where && url != where {
				continue
			}
			repo := b.remote(url)
			for _, h := range r.val.On[where] {
				when := []core.Time{core.Time(h.From), core.Never}
				if h.Until > 0 {
					when[1] = core.Time(h.Until)
				}
				has, _ := h.Has.expand()
				refs, _ := h.Refs.expand()
				for _, label := range has {
					repo.Holds(objectLabel(identifier, label), when...)
				}
				if h.Refs == nil && !h.Hidden {
					for _, label := range has {
						name := "refs/heads/" + label
						if _, isTag := r.val.Tags[label]; isTag {
							name = "refs/tags/" + label
						}
						refs = append(refs, Ref{name, label})
					}
				}
				for _, ref := range refs {
					repo.Ref(fullName(ref.Name), objectLabel(identifier, ref.Value), when...)
					if gone, back := b.vanishes(identifier, r.val.On[where], &h, ref.Value); gone {
						repo.Lacks(objectLabel(identifier, ref.Value), when[1], back)
					}
				}
			}
		}
	}
}

// vanishes tells whether an object of holding h leaves its host when h ends, because no other holding has
// it then, and when it is there again. A server keeps what a ref once pointed to, so this must be said.
func (b *build) vanishes(identifier string, all Holdings, h *Holding, label string) (gone bool, back core.Time) {
	if h.Until == 0 {
		return false, 0
	}
	g := b.parts.Graph
	target := g.ByLabel(objectLabel(identifier, label))
	back = core.Never
	for i := range all {
		o := &all[i]
		if o.Until > 0 && o.Until <= h.Until {
			continue
		}
		labels, _ := o.Has.expand()
		refs, _ := o.Refs.expand()
		for _, ref := range refs {
			labels = append(labels, ref.Value)
		}
		for _, l := range labels {
			n := g.ByLabel(objectLabel(identifier, l))
			if n == fakes.NoNode || !g.Reaches([]fakes.Node{n}, target) {
				continue
			}
			if o.From <= h.Until {
				return false, 0
			}
			back = min(back, core.Time(o.From))
		}
	}
	return true, back
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
	git.Create(repo)
	git.Receive(repo, oids)
	git.Align(&core.Effect{Kind: core.EfAlignRefs, Repo: repo, Refs: st.Refs})
	for _, ev := range []*core.Event{ann, st} {
		b.parts.Store.Learn(ev)
		b.parts.Store.Store(ev.ID)
		b.start = append(b.start, core.Input{Kind: core.InServed, Event: ev})
	}
	b.start = append(b.start, core.Input{Kind: core.InRepoRefs, Repo: repo, Refs: slices.Clone(git.Refs(repo))})
}
