package core

import (
	"slices"

	"graspsync/core/pq"
	"graspsync/core/purgatory"
)

// What expired while the relay was down has had no chance: it is kept until its first attempt has ended, at most
// one lifetime. Nothing expires at the restart itself.

// graceAll gives one more lifetime to all that is past its deadline, to be ended by the first attempt.
func (c *Core) graceAll() {
	until := c.life() + c.cfg.Lifetime
	for i := range c.states.Items {
		if st := &c.states.Items[i]; (st.Status == purgatory.Held || st.Status == purgatory.Releasing) && st.Deadline < c.life() {
			c.setStateOverdue(int32(i), false)
			st.Deadline, st.Grace = until, true
			c.armState(int32(i))
			c.report(RepExtended, Effect{Event: st.ID, Deadline: until - c.offset})
			c.graceIn(st.Groups)
		}
	}
	for i := range c.prs.Items {
		if pr := &c.prs.Items[i]; (pr.Status == purgatory.Held || pr.Status == purgatory.Releasing) && pr.Deadline < c.life() {
			c.setPROverdue(int32(i), false)
			pr.Deadline, pr.Grace = until, true
			pr.Gen++
			c.timers[tPR].arm(pq.Entry{At: int64(until), ID: uint32(i), Gen: pr.Gen})
			c.report(RepExtended, Effect{Event: pr.ID, Deadline: until - c.offset})
			c.graceIn(pr.Groups)
		}
	}
	for i := range c.anns.Items {
		if ann := &c.anns.Items[i]; ann.Status == purgatory.Held && ann.Deadline < c.life() {
			ann.Deadline, ann.Grace, ann.Overdue = until, true, false
			c.armAnnouncement(int32(i))
			c.report(RepExtended, Effect{Event: ann.ID, Deadline: until - c.offset})
			if ann.Group != purgatory.None {
				c.groups.At(ann.Group).grace = true
			}
		}
	}
}

func (c *Core) graceIn(groups []int32) {
	for _, g := range groups {
		c.groups.At(g).grace = true
	}
}

// endGrace ends what was only kept for the attempt that has ended, as at its deadline: a pass or a release still
// in flight keeps it as E-02 says.
func (c *Core) endGrace(g int32) {
	o := c.groups.At(g)
	if !o.grace {
		return
	}
	o.grace = false
	for _, s := range slices.Clone(o.states) {
		if st := c.states.At(s); st.Grace && (st.Status == purgatory.Held || st.Status == purgatory.Releasing) {
			st.Grace, st.Deadline = false, c.life()
			c.stateDue(s)
		}
	}
	for _, p := range slices.Clone(o.prs) {
		if pr := c.prs.At(p); pr.Grace && (pr.Status == purgatory.Held || pr.Status == purgatory.Releasing) {
			pr.Grace, pr.Deadline = false, c.life()
			c.prDue(p)
		}
	}
	for _, a := range slices.Clone(o.anns) {
		if ann := c.anns.At(a); ann.Grace && ann.Status == purgatory.Held {
			ann.Grace, ann.Deadline = false, c.life()
			ann.Gen++
			c.announcementDue(a)
		}
	}
}
