package sim

import (
	"slices"

	"graspsync/core"
)

// judgeCrash follows a crash: whoever was held then is hunted again soon after the restart, or ends. I-15
type judgeCrash struct {
	down bool
	up   core.Time // instant of the latest restart
	into map[core.HuntID]core.HuntID
	owed []owedHunt
	due  core.Time // when they must have begun; noDeadline: nothing is owed
}

// owedHunt is an event that was held at the restart, and its hunt.
type owedHunt struct {
	event core.EventID
	hunt  core.HuntID
	done  bool
}

func (c *judgeCrash) init() {
	c.into = make(map[core.HuntID]core.HuntID)
	c.due = noDeadline
}

// gone notes that a hunt goes on as another, or (0) not at all.
func (c *judgeCrash) gone(hunt, into core.HuntID) {
	c.into[hunt] = into
	for i := range c.owed {
		if x := &c.owed[i]; x.hunt == hunt {
			x.hunt = into
		}
	}
}

// lives is the hunt that a hunt goes on as, or 0.
func (c *judgeCrash) lives(hunt core.HuntID) core.HuntID {
	for hunt != 0 {
		into, ok := c.into[hunt]
		if !ok {
			break
		}
		hunt = into
	}
	return hunt
}

func (c *judgeCrash) hunted(hunt core.HuntID) {
	for i := range c.owed {
		if c.owed[i].hunt == hunt {
			c.owed[i].done = true
		}
	}
}

// Crashed tells the oracle that the relay's process died; its children died with it, so that no host sees
// their passes any longer.
func (o *Oracle) Crashed() {
	o.crash.down = true
	o.crash.owed, o.crash.due = o.crash.owed[:0], noDeadline
	o.allPassesEnded()
	o.repos.pushesLost()
}

// restarted lists what is to be hunted again: states and PRs that are held with a hunt of their own. A
// deadline that passed meanwhile is R-03's matter.
func (o *Oracle) restarted() {
	c := &o.crash
	c.down, c.up, c.owed = false, o.now, c.owed[:0]
	for i := range o.held.recs {
		r := &o.held.recs[i]
		hunt := c.lives(r.hunt)
		if o.held.index[r.id] != int32(i) || !r.held || !r.arrived || r.storing > 0 || r.hopeless || hunt == 0 || r.kind == core.KindAnnouncement {
			continue
		}
		c.owed = append(c.owed, owedHunt{event: r.id, hunt: hunt})
	}
	grid := o.cfg.LoopInterval
	c.due = (o.now+o.cfg.SyncedDelay+grid-1)/grid*grid + o.checks.local
}

// unhunted judges what is owed, strictly after its instant: a start comes last within it (T-02). I-15
func (o *Oracle) unhunted() {
	c := &o.crash
	if c.due == noDeadline || o.now <= c.due {
		return
	}
	for _, x := range c.owed {
		if r := o.held.find(x.event); !x.done && (x.hunt != 0 || o.huntable(r)) && r != nil && r.held && r.storing == 0 {
			o.violate("I-15", "event %s was held at the restart at %s and is still held, but no attempt for it began by %s", x.event, c.up, c.due)
		}
	}
	c.owed, c.due = c.owed[:0], noDeadline
}

// huntable tells whether a held state or pull request has a repository that is hunted for: one that an announcement that
// lists us stands for (AN-06). What is not known to have none has one.
func (o *Oracle) huntable(r *heldRecord) bool {
	j := &o.repos
	if r == nil || r.event == nil || j.off() {
		return true
	}
	listed := func(x *judgedRepo) bool {
		served := version(x.served)
		return x.held != nil && !x.soft || served != nil && (served.ListsUs || o.cfg.ArchiveAll)
	}
	for _, c := range r.event.Repositories {
		if x := j.find(c.Repo); x != nil && listed(x) {
			return true
		}
	}
	n := j.name(r.event.Repo.Identifier)
	return r.event.Kind == core.KindState && slices.ContainsFunc(n.repos, func(x *judgedRepo) bool {
		return listed(x) && slices.Contains(o.closure(n, x), r.event.Author)
	})
}
