package core

import (
	"slices"

	"graspsync/core/fetch"
	"graspsync/core/purgatory"
)

// want is one OID that held events of a group need (N-01).
type want struct {
	oid   OID
	have  uint64 // bit i: repos[i] of the group holds it with its closure
	seq   uint32 // order in which it was first wanted
	asked bool   // a check for it is out or answered
	past  bool   // go past the memo in this attempt (F-03)
	main  bool   // a state wants it, or a PR that may use the main sources
	late  bool   // wanted only by events past their deadline: no new pass for it (E-02)
}

func (g *group) find(o OID) (int, bool) {
	return slices.BinarySearchFunc(g.wants, o, func(w want, o OID) int { return w.oid.Compare(o) })
}

// refreshWants rebuilds the group's wants from its held events, keeping what is known of each OID, and
// checks new ones against the local repositories (N-01, N-02).
func (c *Core) refreshWants(g int32) {
	o := c.groups.At(g)
	for i := range o.wants {
		o.wants[i].main, o.wants[i].late = false, true
	}
	for _, s := range o.states {
		st := c.states.At(s)
		if st.Unsatisfied {
			continue
		}
		for _, r := range st.Refs {
			if !r.Symbolic {
				c.addWant(o, r.OID, st.Overdue)
			}
		}
	}
	for _, p := range o.prs {
		c.addWant(o, c.prs.At(p).Commit, c.prs.At(p).Overdue)
	}
	o.wants = slices.DeleteFunc(o.wants, func(w want) bool { return !w.main })
	c.recount(g)
	c.checkWants(g, false)
}

func (c *Core) addWant(o *group, oid OID, late bool) {
	k, ok := o.find(oid)
	if !ok {
		o.wantSeq++
		o.wants = slices.Insert(o.wants, k, want{oid: oid, seq: o.wantSeq, late: true})
	}
	o.wants[k].main = true
	o.wants[k].late = o.wants[k].late && late
}

// checkWants asks every repository of the group which wants it holds: those not asked about yet; at the
// start of an attempt all, and the attempt waits for the answers (N-02).
func (c *Core) checkWants(g int32, start bool) {
	o := c.groups.At(g)
	if len(o.repos) == 0 || len(o.wants) == 0 {
		return
	}
	n := len(c.arena)
	for i := range o.wants {
		if !o.wants[i].asked {
			o.wants[i].asked = true
			c.arena = append(c.arena, o.wants[i].oid)
		}
	}
	oids := c.arena[n:len(c.arena):len(c.arena)]
	if len(oids) == 0 {
		return
	}
	for _, a := range o.repos {
		k := ask{kind: askCheck, a: g, b: a, serial: o.use}
		if start {
			k.attempt = o.attempt
			o.checks++
		}
		o.checksOut++
		c.emit(Effect{Kind: EfCheckObjects, Ask: c.request(k), Hunt: o.id, Repo: c.anns.At(a).Repo, OIDs: oids})
	}
}

// onChecked notes what a repository holds.
func (c *Core) onChecked(in *Input) {
	k, ok := c.take(in.Ask, askCheck)
	if !ok {
		return
	}
	o := c.groups.At(k.a)
	if !o.used || k.serial != o.use {
		return
	}
	o.checksOut--
	c.gained(k.a, k.b, in.OIDs)
	if k.attempt != 0 && o.phase == checking && k.attempt == o.attempt {
		if o.checks--; o.checks == 0 {
			c.beginHunting(k.a)
			return
		}
	}
	c.tryRelease(k.a)
	c.touch(k.a)
}

// gained marks OIDs as held by the repository of announcement a and tells how many were new there.
func (c *Core) gained(g, a int32, oids []OID) (fresh int32) {
	o := c.groups.At(g)
	r := slices.Index(o.repos, a)
	if r < 0 {
		return 0
	}
	for _, oid := range oids {
		if k, ok := o.find(oid); ok && o.wants[k].have>>uint(r)&1 == 0 {
			o.wants[k].have |= 1 << uint(r)
			fresh++
		}
	}
	return fresh
}

// needed tells whether the target lacks a want (N-01).
func (w *want) needed() bool { return w.have&1 == 0 }

// anythingToAsk tells whether a remote could still help the group's events now.
func (c *Core) anythingToAsk(g int32) bool {
	o := c.groups.At(g)
	if len(o.repos) == 0 {
		return false
	}
	for i := range o.wants {
		if o.wants[i].needed() && !o.wants[i].late {
			return true
		}
	}
	return c.seeks(o, false)
}

// wantsOf lists what a source may supply: everything the target lacks; a PR-only source only its own
// commits (U-01). late includes what only overdue events want (E-02).
func (c *Core) wantsOf(g int32, wv Wave, url int32, late bool) []fetch.Want {
	o := c.groups.At(g)
	out := c.scratch.wants[:0]
	for i := range o.wants {
		w := &o.wants[i]
		if !w.needed() || w.late && !late || wv == PRWave && !c.prWants(o, url, w.oid) {
			continue
		}
		out = append(out, fetch.Want{OID: w.oid, Seq: w.seq, Past: w.past})
	}
	c.scratch.wants = out
	return out
}

// prWants tells whether a held PR that names url wants oid.
func (c *Core) prWants(o *group, url int32, oid OID) bool {
	for _, p := range o.prs {
		if pr := c.prs.At(p); pr.Commit == oid && slices.Contains(pr.URLs, url) {
			return true
		}
	}
	return false
}

// satisfied tells in which repositories of the group every object of a state is present (ST-05): the bit
// set of o.repos.
func (g *group) satisfied(st *purgatory.State) uint64 {
	mask := ^uint64(0) >> (64 - uint(len(g.repos)))
	if len(g.repos) == 0 || st.Unsatisfied {
		return 0
	}
	for i := range st.Refs {
		if st.Refs[i].Symbolic {
			continue
		}
		k, ok := g.find(st.Refs[i].OID)
		if !ok {
			return 0
		}
		mask &= g.wants[k].have
	}
	return mask
}
