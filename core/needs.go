package core

import (
	"cmp"
	"slices"

	"graspsync/core/purgatory"
)

// What a group holds, and what follows from it, kept up to date event by event: an event that joins or leaves
// costs what it names, however much the group holds besides (S-01, N-01).

// urlPR says that a held PR of the group names a clone URL.
type urlPR struct{ url, pr int32 }

func (a urlPR) compare(b urlPR) int {
	return cmp.Or(cmp.Compare(a.url, b.url), cmp.Compare(a.pr, b.pr))
}

// joinState adds a held state to a group.
func (c *Core) joinState(g, s int32) {
	o, st := c.groups.At(g), c.states.At(s)
	o.states = append(o.states, s)
	c.countState(o, st, 1)
}

// leaveState is the inverse of joinState; a state that is not there changes nothing.
func (c *Core) leaveState(g, s int32) {
	o := c.groups.At(g)
	if i := slices.Index(o.states, s); i >= 0 {
		o.states = slices.Delete(o.states, i, i+1)
		c.countState(o, c.states.At(s), -1)
	}
}

func (c *Core) countState(o *group, st *purgatory.State, by int32) {
	if st.Unsatisfied {
		return
	}
	o.real += by
	for _, r := range st.Refs {
		if !r.Symbolic {
			o.count1(r.OID, by, st.Overdue)
		}
	}
}

// joinPR adds a held PR to a group.
func (c *Core) joinPR(g, p int32) {
	o, pr := c.groups.At(g), c.prs.At(p)
	o.prs = append(o.prs, p)
	at, _ := c.prAt(o, pr.Commit, pr.Serial)
	o.byCommit = slices.Insert(o.byCommit, at, p)
	for _, u := range pr.URLs {
		at, _ := slices.BinarySearchFunc(o.byURL, urlPR{u, p}, urlPR.compare)
		o.byURL = slices.Insert(o.byURL, at, urlPR{u, p})
	}
	o.count1(pr.Commit, 1, pr.Overdue)
	c.rank(location{recPR, p})
}

// leavePR is the inverse of joinPR; a PR that is not there changes nothing.
func (c *Core) leavePR(g, p int32) {
	o, pr := c.groups.At(g), c.prs.At(p)
	at, ok := c.prAt(o, pr.Commit, pr.Serial)
	if !ok {
		return
	}
	o.byCommit = slices.Delete(o.byCommit, at, at+1)
	if i := slices.Index(o.prs, p); i >= 0 {
		o.prs = slices.Delete(o.prs, i, i+1)
	}
	for _, u := range pr.URLs {
		if at, ok := slices.BinarySearchFunc(o.byURL, urlPR{u, p}, urlPR.compare); ok {
			o.byURL = slices.Delete(o.byURL, at, at+1)
		}
	}
	o.count1(pr.Commit, -1, pr.Overdue)
}

// prAt is where a PR stands among the group's by commit, in order of admission.
func (c *Core) prAt(o *group, commit OID, serial uint32) (int, bool) {
	return slices.BinarySearchFunc(o.byCommit, commit, func(p int32, oid OID) int {
		pr := c.prs.At(p)
		return cmp.Or(pr.Commit.Compare(oid), cmp.Compare(pr.Serial, serial))
	})
}

// prsOf are the group's PRs of a commit, in order of admission.
func (c *Core) prsOf(o *group, commit OID) []int32 {
	from, _ := c.prAt(o, commit, 0)
	to := from
	for to < len(o.byCommit) && c.prs.At(o.byCommit[to]).Commit == commit {
		to++
	}
	return o.byCommit[from:to]
}

// prsAt are the group's PRs that name a URL.
func (g *group) prsAt(url int32) []urlPR {
	from, _ := slices.BinarySearchFunc(g.byURL, urlPR{url, -1}, urlPR.compare)
	to := from
	for to < len(g.byURL) && g.byURL[to].url == url {
		to++
	}
	return g.byURL[from:to]
}

// count1 counts the uses of an object: by is 1 for an event that joins, -1 for one that leaves. An object that
// nothing wants any more stays, with what is known of it, until refreshWants.
func (g *group) count1(oid OID, by int32, late bool) {
	k, ok := g.find(oid)
	if !ok {
		g.wantSeq++
		g.wants = slices.Insert(g.wants, k, want{oid: oid, seq: g.wantSeq})
		if g.unasked = append(g.unasked, oid); len(g.unasked) > 2*len(g.wants)+16 {
			g.askAll, g.unasked = true, g.unasked[:0]
		}
	}
	w := &g.wants[k]
	if w.uses += by; w.uses == 0 {
		g.unwanted = append(g.unwanted, oid)
	}
	if !late {
		w.early += by
	}
}

// trimWants forgets the objects that nothing wants any more.
func (g *group) trimWants() {
	switch len(g.unwanted) {
	case 0:
		return
	case 1:
		if k, ok := g.find(g.unwanted[0]); ok && g.wants[k].uses == 0 {
			g.here -= b2i(g.wants[k].have != 0)
			g.wants = slices.Delete(g.wants, k, k+1)
		}
	default:
		g.wants = slices.DeleteFunc(g.wants, func(w want) bool { return w.uses == 0 })
		g.countHere()
	}
	g.unwanted = g.unwanted[:0]
}

// countHere counts anew the wants that some repository of the group holds.
func (g *group) countHere() {
	g.here = 0
	for i := range g.wants {
		g.here += b2i(g.wants[i].have != 0)
	}
}

func b2i(b bool) int32 {
	if b {
		return 1
	}
	return 0
}

// clearStates takes all states out of a group, to be dealt out anew.
func (c *Core) clearStates(g int32) {
	o := c.groups.At(g)
	for _, s := range o.states {
		c.countState(o, c.states.At(s), -1)
	}
	o.states = o.states[:0]
}

// clearPRs does the same for PRs.
func (c *Core) clearPRs(g int32) {
	o := c.groups.At(g)
	for _, p := range o.prs {
		pr := c.prs.At(p)
		o.count1(pr.Commit, -1, pr.Overdue)
	}
	o.prs, o.byCommit, o.byURL = o.prs[:0], o.byCommit[:0], o.byURL[:0]
}

// recountNeeds makes all that follows from what a group holds, after its lists were read from a snapshot.
func (c *Core) recountNeeds(g int32) {
	o := c.groups.At(g)
	for i := range o.wants {
		o.wants[i].uses, o.wants[i].early = 0, 0
	}
	o.askAll = true
	states, prs := o.states, slices.Clone(o.prs)
	for _, s := range states {
		c.countState(o, c.states.At(s), 1)
	}
	o.prs = o.prs[:0]
	for _, p := range prs {
		c.joinPR(g, p)
	}
	o.countHere()
}

// setStateOverdue notes that a state lives past its deadline, or no longer does (E-02).
func (c *Core) setStateOverdue(s int32, late bool) {
	st := c.states.At(s)
	if st.Overdue == late {
		return
	}
	st.Overdue = late
	if st.Unsatisfied {
		return
	}
	for _, g := range st.Groups {
		o := c.groups.At(g)
		for _, r := range st.Refs {
			if k, ok := o.find(r.OID); ok && !r.Symbolic {
				o.wants[k].early += sign(!late)
			}
		}
	}
}

// setPROverdue is setStateOverdue for PRs.
func (c *Core) setPROverdue(p int32, late bool) {
	pr := c.prs.At(p)
	if pr.Overdue == late {
		return
	}
	pr.Overdue = late
	for _, g := range pr.Groups {
		o := c.groups.At(g)
		if k, ok := o.find(pr.Commit); ok {
			o.wants[k].early += sign(!late)
		}
	}
}

func sign(plus bool) int32 {
	if plus {
		return 1
	}
	return -1
}

// wrongNeeds compares what is kept up to date with what the group's lists say; "" when they agree.
func (c *Core) wrongNeeds(g int32) string {
	o := c.groups.At(g)
	fresh := group{wants: make([]want, 0, len(o.wants))}
	for _, s := range o.states {
		c.countState(&fresh, c.states.At(s), 1)
	}
	urls := 0
	for _, p := range o.prs {
		pr := c.prs.At(p)
		fresh.count1(pr.Commit, 1, pr.Overdue)
		urls += len(pr.URLs)
		if at, ok := c.prAt(o, pr.Commit, pr.Serial); !ok || o.byCommit[at] != p {
			return "a PR is not found by its commit"
		}
		for _, u := range pr.URLs {
			if _, ok := slices.BinarySearchFunc(o.byURL, urlPR{u, p}, urlPR.compare); !ok {
				return "a PR is not found by its URL"
			}
		}
	}
	here, unasked := int32(0), 0
	for i := range o.wants {
		w := &o.wants[i]
		here += b2i(w.have != 0)
		if !w.asked {
			unasked++
		}
		if i >= len(fresh.wants) || fresh.wants[i].oid != w.oid || fresh.wants[i].uses != w.uses || fresh.wants[i].early != w.early {
			return "its wants are not those of its events"
		}
	}
	switch {
	case len(fresh.wants) != len(o.wants):
		return "it lacks wants"
	case fresh.real != o.real || here != o.here || len(o.byCommit) != len(o.prs) || len(o.byURL) != urls || len(o.unwanted) > 0:
		return "its counts are wrong"
	case unasked > 0 && !o.askAll && len(o.unasked) == 0:
		return "nobody will look for a new want in the local repositories"
	}
	return ""
}
