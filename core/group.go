package core

import (
	"slices"

	"graspsync/core/purgatory"
)

// group is a maintainer group under one identifier, with the hunt it may have. The hunt's course:
//
//	no hunt ──event──► waiting (next armed) ──start──► checking ──► hunting ──end──► waiting …
//	                        ▲                                          │
//	                        └── nothing pending, waves empty: dropped ◄┘
type group struct {
	used     bool
	marked   bool // in Core.grow
	inBucket bool
	synced   bool // no event of a client has asked for this hunt
	proven   bool // one of its announcements is served: it gives way last (S-06)
	hungry   bool // in Core.hungry
	phase    phase
	ident    int32
	anns     []int32 // announcements of the group, by owner
	states   []int32 // held and releasing states that concern it, in order of admission
	prs      []int32 // PRs, the same
	byCommit []int32 // PRs by commit, then in order of admission
	byURL    []urlPR // clone URLs that PRs name, sorted
	real     int32   // states that can be satisfied

	id       HuntID // 0: no hunt
	next     Time   // start of the next attempt, Never if none is armed
	rerun    Time   // after the running attempt; without a hunt: when the first was wanted; or Never
	count    uint32 // attempts since the last new event
	attempt  uint32 // number of the latest attempt
	activity Time   // last new event
	author   int32  // whose hunt it counts as, slot in authors
	active   int32  // what is pending: kept by recount

	checksOut int32   // CheckObjects out
	checks    int32   // CheckObjects of the attempt's start still out (N-02)
	repos     []int32 // announcements with a repository: bit i of want.have is repos[i]; the target is first
	wants     []want  // by OID
	wantSeq   uint32
	here      int32 // wants that some repository of the group holds
	unasked   []OID // wants that no check was asked for yet; all of them may be if askAll
	askAll    bool
	from      Handle // client source that wants the next hunt (S-06)
	source    int32  // slot of the source the hunt counts for, or None
	grace     bool   // some of its events are kept for one attempt
	unwanted  []OID  // wants that lost their last use
	sources   []source
	waves     [2]wave
	hunting   Time // when the attempt's network phase began (U-01)
	waitGen   uint32
	use       uint32 // of this use of the slot: a completion for an earlier one is void

	prevStart, nextStart int32
}

type phase uint8

const (
	idle     phase = iota
	checking       // attempt: local check is out
	hunting        // attempt: asking remotes
)

// newGroup makes an empty group under an identifier.
func (c *Core) newGroup(ident int32) int32 {
	g := c.groups.New()
	o := c.groups.At(g)
	*o = group{used: true, marked: o.marked, hungry: o.hungry, ident: ident, next: Never, rerun: Never, author: purgatory.None, source: purgatory.None, waitGen: o.waitGen + 1, use: o.use + 1,
		anns: o.anns[:0], states: o.states[:0], prs: o.prs[:0], repos: o.repos[:0], wants: o.wants[:0],
		byCommit: o.byCommit[:0], byURL: o.byURL[:0], unasked: o.unasked[:0], unwanted: o.unwanted[:0],
		sources: o.sources[:0], waves: [2]wave{o.waves[0].reset(), o.waves[1].reset()}}
	id := c.idents.At(ident)
	id.Groups = append(id.Groups, g)
	return g
}

// dropGroupIfEmpty frees a group that nothing refers to any more.
func (c *Core) dropGroupIfEmpty(g int32) {
	o := c.groups.At(g)
	if !o.used || len(o.anns) > 0 || len(o.states) > 0 || len(o.prs) > 0 || o.id != 0 ||
		len(o.waves[0].running)+len(o.waves[1].running) > 0 {
		return
	}
	o.used = false
	o.waitGen++
	id := c.idents.At(o.ident)
	if i := slices.Index(id.Groups, g); i >= 0 {
		id.Groups = slices.Delete(id.Groups, i, i+1)
	}
	c.groups.Free(g)
	c.dropIdentIfEmpty(o.ident)
}

func (c *Core) openIdent(h Handle) int32 {
	if i, ok := c.identOf[h]; ok {
		return i
	}
	i := c.idents.New()
	o := c.idents.At(i)
	*o = purgatory.Ident{Handle: h, Anns: o.Anns[:0], Groups: o.Groups[:0], Served: o.Served[:0]}
	c.identOf[h] = i
	return i
}

func (c *Core) dropIdentIfEmpty(i int32) {
	o := c.idents.At(i)
	if k, filed := c.identOf[o.Handle]; !filed || k != i {
		return // forgotten already
	}
	if len(o.Anns) > 0 || len(o.Groups) > 0 || len(o.Served) > 0 || o.States > 0 || o.Orphans > 0 {
		return
	}
	delete(c.identOf, o.Handle)
	o.Handle = 0
	c.idents.Free(i)
}

// refreshRepos lists the group's repositories, the target first: while an attempt runs its target stays
// (N-02), else the lowest owner's comes first. Bits of want.have follow.
func (c *Core) refreshRepos(g int32) {
	o := c.groups.At(g)
	list := c.scratch.slots[:0]
	if o.phase != idle && len(o.repos) > 0 && c.hasRepo(o.repos[0]) && slices.Contains(o.anns, o.repos[0]) {
		list = append(list, o.repos[0])
	}
	for _, a := range o.anns { // sorted by owner
		if c.hasRepo(a) && len(list) < c.cfg.GroupRepos && !slices.Contains(list, a) {
			list = append(list, a)
		}
	}
	c.scratch.slots = list
	if slices.Equal(list, o.repos) {
		return
	}
	for i := range o.wants {
		var have uint64
		for b, a := range list {
			if k := slices.Index(o.repos, a); k >= 0 && o.wants[i].have>>uint(k)&1 == 1 {
				have |= 1 << uint(b)
			}
		}
		o.wants[i].have = have
		o.wants[i].asked = false // a repository is new: ask there too
	}
	o.askAll = true
	o.countHere()
	o.repos = append(o.repos[:0], list...)
	c.recount(g)
}

func (c *Core) hasRepo(a int32) bool {
	ann := c.anns.At(a)
	return ann.RepoExists && !ann.Unlisted && ann.Status != purgatory.Expiring && ann.Status != purgatory.SoftExpired
}
