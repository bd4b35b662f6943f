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
	uses  int32  // how often held events name it
	early int32  // the same of events that are not past their deadline
	asked bool   // a check for it is out or answered
	past  bool   // go past the memo in this attempt (F-03)
}

// late tells whether only events past their deadline want it: no new pass starts for it (E-02).
func (w *want) late() bool { return w.early == 0 }

func (g *group) find(o OID) (int, bool) {
	return slices.BinarySearchFunc(g.wants, o, func(w want, o OID) int { return w.oid.Compare(o) })
}

// refreshWants follows a change of what the group holds: objects that nothing wants any more are forgotten,
// what is pending is counted, and new objects are looked for in the local repositories (N-01, N-02).
func (c *Core) refreshWants(g int32) {
	c.groups.At(g).trimWants()
	c.recount(g)
	c.checkWants(g, false)
}

// checkWants asks every repository of the group which wants it holds: those not asked about yet; at the
// start of an attempt all, and the attempt waits for the answers (N-02).
func (c *Core) checkWants(g int32, start bool) {
	o := c.groups.At(g)
	if len(o.repos) == 0 || len(o.wants) == 0 {
		return
	}
	n := len(c.arena)
	if o.askAll {
		for i := range o.wants {
			if !o.wants[i].asked {
				o.wants[i].asked = true
				c.arena = append(c.arena, o.wants[i].oid)
			}
		}
	} else {
		slices.SortFunc(o.unasked, OID.Compare)
		for _, oid := range o.unasked {
			if k, ok := o.find(oid); ok && !o.wants[k].asked {
				o.wants[k].asked = true
				c.arena = append(c.arena, oid)
			}
		}
	}
	o.askAll, o.unasked = false, o.unasked[:0]
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
	if o.checksOut--; o.checksOut == 0 {
		for _, a := range o.anns {
			c.lookAtPushes(a)
		}
	}
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
			o.here += b2i(o.wants[k].have == 0)
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
		if o.wants[i].needed() && !o.wants[i].late() {
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
	add := func(w *want) {
		if w.needed() && (late || !w.late()) {
			out = append(out, fetch.Want{OID: w.oid, Seq: w.seq, Past: w.past})
		}
	}
	if wv == PRWave {
		at := c.scratch.places[:0]
		for _, x := range o.prsAt(url) {
			if k, ok := o.find(c.prs.At(x.pr).Commit); ok {
				at = append(at, int32(k))
			}
		}
		slices.Sort(at)
		c.scratch.places = slices.Compact(at)
		for _, k := range c.scratch.places {
			add(&o.wants[k])
		}
	} else {
		for i := range o.wants {
			add(&o.wants[i])
		}
	}
	c.scratch.wants = out
	return out
}

// prNeeds tells whether a held PR that names url needs its commit; without late, PRs whose commit only overdue
// events want do not count (E-02).
func (c *Core) prNeeds(o *group, url int32, late bool) bool {
	for _, x := range o.prsAt(url) {
		if k, ok := o.find(c.prs.At(x.pr).Commit); ok && o.wants[k].needed() && (late || !o.wants[k].late()) {
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

// wantsObjects tells whether a state names any object.
func wantsObjects(st *purgatory.State) bool {
	return slices.ContainsFunc(st.Refs, func(r Ref) bool { return !r.Symbolic })
}
