package bench

import (
	"encoding/binary"
	"fmt"

	"graspsync/core"
	"graspsync/core/value"
)

// Purgatory is a core full of waiting events, at an instant at which every hunt is ready: its attempt has
// begun and either its comparison is out or it stands in a ring. Its operations leave it as they found it, so
// that they can be repeated and compared with the same ones on a smaller core.
type Purgatory struct {
	Repos int  // repositories, each with one held state and one ready hunt, 1 to 100,000
	PRs   int  // held pull requests, dealt out evenly
	Own   bool // each with a clone URL of its own, on a domain of its own

	c    *core.Core
	now  core.Time
	out  []core.Effect
	todo []core.Input
	have map[core.OID]bool
	next uint64 // names made so far
	push uint64
	wall int64

	Journal bool // keep what is fed in Written
	Written []Written

	served int // told to subscribers since it was last set to 0
}

const (
	heldDomains = 50
	heldMain    = core.Handle(1)
	heldFrom    = core.Handle(2)
	heldDomain  = core.Handle(10)      // + domain
	heldIdent   = core.Handle(1_000)   // + repository
	heldRepo    = core.Handle(200_000) // + repository
	heldURL     = core.Handle(400_000) // + repository
)

// Fill builds the core: PRs and states arrive synced, the first attempts start, nothing is found.
func (p *Purgatory) Fill() error {
	if p.Repos < 1 || p.Repos > 100_000 || p.PRs < 0 || p.PRs > 1_000_000 {
		return fmt.Errorf("%w: %d repositories and %d pull requests, must be 1 to 100000 and 0 to 1000000", ErrLoad, p.Repos, p.PRs)
	}
	cfg := p.Config()
	c, err := core.New(cfg)
	if err != nil {
		return err
	}
	p.c, p.have, p.wall = c, make(map[core.OID]bool), cfg.Wall
	for r := range p.Repos {
		p.step(core.Input{Kind: core.InServed, Event: p.announcement(r)})
	}
	for r := range p.Repos {
		p.step(core.Input{Kind: core.InRepoRefs, Repo: heldRepo + core.Handle(r)})
	}
	for r := range p.Repos {
		p.event(p.state(r))
	}
	for i := range p.PRs {
		p.event(p.PR(i % p.Repos))
	}
	p.now = core.Second
	for at, ok := c.Next(); ok && at <= p.now; at, ok = c.Next() {
		p.step(core.Input{Kind: core.InWake})
	}
	p.now += core.Millisecond
	if s := c.Stats(); s.Held != p.Repos+p.PRs || s.Attempts != p.Repos {
		return fmt.Errorf("%w: %d events are held and %d attempts run, must be %d and %d", ErrLoad, s.Held, s.Attempts, p.Repos+p.PRs, p.Repos)
	}
	return nil
}

// Written is one input in the order in which the core took it.
type Written struct {
	At core.Time
	In core.Input
}

// Config has the defaults, with bounds that no filling reaches.
func (p *Purgatory) Config() core.Config {
	cfg := core.DefaultConfig()
	cfg.Wall, cfg.HeldEvents, cfg.Hunts = 1_700_000_000, 2_000_000, 200_000
	cfg.HeldPerAuthor = 1_000_000
	return cfg
}

// Now is the instant at which the operations take place.
func (p *Purgatory) Now() core.Time { return p.now }

// Core is what was filled.
func (p *Purgatory) Core() *core.Core { return p.c }

// Admit lets a pull request for repository r in, and takes it out again.
func (p *Purgatory) Admit(r int) {
	e := p.PR(r)
	p.event(e)
	p.step(core.Input{Kind: core.InRemove, Target: e.ID})
}

// Authorise asks whether the push of repository r's held state may go on, before and under its lock, and ends
// it without a change.
func (p *Purgatory) Authorise(r int) {
	p.push++
	q := core.Push{ID: p.push, Repo: p.coordinate(r)}
	q.Updates = []core.RefUpdate{{Name: heldMain, New: p.oid(kindState, uint64(r))}}
	p.step(core.Input{Kind: core.InPushAsked, Push: &q})
	p.step(core.Input{Kind: core.InPushRecheck, Push: &q})
	p.step(core.Input{Kind: core.InPushEnded, Push: &q, Class: core.LocalFault})
}

// Release lets a pull request for repository r in whose commit is here already, and sees it served.
func (p *Purgatory) Release(r int) error {
	e := p.PR(r)
	p.have[e.Commit] = true
	p.served = 0
	p.event(e)
	delete(p.have, e.Commit)
	if p.served != 1 {
		return fmt.Errorf("%d events were served by one release", p.served)
	}
	return nil
}

// Displace lets a pull request in at the bound of held events: another gives way.
func (p *Purgatory) Displace(r int) error {
	held := p.c.Stats().Held
	p.event(p.PR(r))
	if now := p.c.Stats().Held; now != held {
		return fmt.Errorf("%d events are held after one came, %d before", now, held)
	}
	return nil
}

// DisplaceHunt lets the announcement of another repository in at the bound of hunts: a hunt gives way.
func (p *Purgatory) DisplaceHunt(int) error {
	hunts, minted := p.c.Stats().Hunts, p.c.Stats().HuntsMinted
	p.next++
	e := p.announcement(p.Repos + int(p.next))
	p.event(e)
	if s := p.c.Stats(); s.Hunts != hunts || s.HuntsMinted != minted+1 {
		return fmt.Errorf("%d hunts after one was made, %d before", s.Hunts, hunts)
	}
	return nil
}

// bound changes the configuration of a full core.
func (p *Purgatory) bound(change func(*core.Config)) {
	cfg := p.Config()
	change(&cfg)
	p.step(core.Input{Kind: core.InConfigChanged, Config: &cfg})
}

// step applies an input and does at once what local work it asks for.
func (p *Purgatory) step(in core.Input) {
	p.todo = append(p.todo[:0], in)
	for i := 0; i < len(p.todo); i++ {
		if p.Journal {
			p.Written = append(p.Written, Written{p.now, p.todo[i]})
		}
		p.out = p.c.Step(p.now, p.todo[i], p.out[:0])
		for k := range p.out {
			if done, ok := p.done(&p.out[k]); ok {
				p.todo = append(p.todo, done)
			}
		}
	}
}

func (p *Purgatory) done(e *core.Effect) (core.Input, bool) {
	in := core.Input{Ask: e.Ask}
	switch e.Kind {
	case core.EfCheckObjects:
		in.Kind = core.InChecked
		for _, o := range e.OIDs {
			if p.have[o] {
				in.OIDs = append(in.OIDs, o)
			}
		}
	case core.EfCreateRepo:
		in.Kind = core.InRepoCreated
	case core.EfCopyObjects:
		in.Kind = core.InCopied
	case core.EfAlignRefs:
		in.Kind = core.InAligned
	case core.EfStoreEvent:
		in.Kind = core.InStored
	case core.EfRemoveEvent:
		in.Kind = core.InRemoved
	case core.EfEndPass, core.EfCancelPass:
		in.Kind = core.InPassEnded
	case core.EfNotify:
		p.served++
		return in, false
	default:
		return in, false
	}
	return in, true
}

func (p *Purgatory) event(e *core.Event) {
	p.step(core.Input{Kind: core.InEvent, Event: e, Origin: core.FromSync, From: heldFrom})
}

// Kinds of names, the first byte of each.
const (
	kindOwner byte = iota + 1
	kindAuthor
	kindAnnouncement
	kindState
	kindPR
)

func (p *Purgatory) name(kind byte, n uint64) (id [32]byte) {
	id[0] = kind
	binary.BigEndian.PutUint64(id[24:], n)
	return id
}

func (p *Purgatory) oid(kind byte, n uint64) core.OID {
	var b [20]byte
	b[0] = kind
	binary.BigEndian.PutUint64(b[12:], n*0x9e3779b97f4a7c15) // spread over the sorted list of a group
	return value.OIDFromBytes(b[:])
}

func (p *Purgatory) coordinate(r int) core.Coordinate {
	return core.Coordinate{Owner: p.name(kindOwner, uint64(r)), Identifier: heldIdent + core.Handle(r), Repo: heldRepo + core.Handle(r)}
}

func (p *Purgatory) announcement(r int) *core.Event {
	return &core.Event{ID: p.name(kindAnnouncement, uint64(r)), Author: p.name(kindOwner, uint64(r)), Kind: core.KindAnnouncement,
		CreatedAt: p.wall - 1, Size: 500, Repo: p.coordinate(r), ListsUs: true,
		Sources: []core.Source{{URL: heldURL + core.Handle(r), Domain: heldDomain + core.Handle(r%heldDomains)}}}
}

func (p *Purgatory) state(r int) *core.Event {
	return &core.Event{ID: p.name(kindState, uint64(r)), Author: p.name(kindOwner, uint64(r)), Kind: core.KindState, CreatedAt: p.wall, Size: 500,
		Repo: p.coordinate(r), Refs: []core.Ref{{Name: heldMain, OID: p.oid(kindState, uint64(r))}}}
}

// PR is a new pull request to repository r.
func (p *Purgatory) PR(r int) *core.Event {
	p.next++
	var own []core.Source
	if p.Own {
		own = []core.Source{{URL: heldURL*2 + core.Handle(p.next), Domain: heldURL*3 + core.Handle(p.next)}}
	}
	return &core.Event{Sources: own, ID: p.name(kindPR, p.next), Author: p.name(kindAuthor, p.next%1000), Kind: core.KindPR, CreatedAt: p.wall, Size: 800,
		Commit: p.oid(kindPR, p.next), Repositories: []core.Coordinate{p.coordinate(r)}}
}

// HeldTimes is how often each operation is done for one count.
const HeldTimes = 1000

// HeldOp is one operation on a full core.
type HeldOp struct {
	Name   string
	Do     func(p *Purgatory, r int) error
	Before func(p *Purgatory) // done once, uncounted; nil for nothing
}

// HeldOps are the operations that must cost what they touch and nothing more.
func HeldOps() []HeldOp {
	return []HeldOp{
		{Name: "admit", Do: func(p *Purgatory, r int) error { p.Admit(r); return nil }},
		{Name: "authorise", Do: func(p *Purgatory, r int) error { p.Authorise(r); return nil }},
		{Name: "release", Do: (*Purgatory).Release},
		{Name: "evict", Do: (*Purgatory).Displace, Before: func(p *Purgatory) { p.bound(func(cfg *core.Config) { cfg.HeldEvents = p.c.Stats().Held }) }},
		{Name: "evict-hunt", Do: (*Purgatory).DisplaceHunt, Before: func(p *Purgatory) { p.bound(func(cfg *core.Config) { cfg.Hunts = p.c.Stats().Hunts }) }},
	}
}

// HeldSize is one filling of the core.
type HeldSize struct {
	Name      string
	Purgatory Purgatory
}

// HeldSizes are a small core, a hundred times more of the same, and as many pull requests on one repository as
// the small one has on all, times ten.
func HeldSizes() []HeldSize {
	return []HeldSize{
		{"small", Purgatory{Repos: 10, PRs: 100}},
		{"large", Purgatory{Repos: 1_000, PRs: 10_000}},
		{"crowded", Purgatory{Repos: 1, PRs: 1_000}},
		{"scattered", Purgatory{Repos: 1, PRs: 1_000, Own: true}},
	}
}
