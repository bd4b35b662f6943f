package core

import (
	"cmp"
	"slices"
	"strconv"

	"graspsync/core/budget"
	"graspsync/core/pq"
	"graspsync/core/purgatory"
	"graspsync/core/wire"
)

// Least bytes of the encoded records, for the bounds of their lists. A slot that is not in use keeps its
// generation and little else.
const (
	groupSize   = 1 + 4 + 4
	passSize    = 1 + 4
	askSize     = 1 + 4
	releaseSize = 1
	pushSize    = 1 + 4
	urlSize     = 4 + 4 + 4 + 1 + 4 + 8 + 8
	authorSize  = 32 + 4 + 4
	wantSize    = wire.OIDSize + 8 + 4 + 2
	sourceSize  = 4 + 4 + 1 + 1 + 1
	entrySize   = 8 + 4 + 4
	rejectSize  = 1
	pendingSize = 1
	placeSize   = 1 + 4
	shadowSize  = 32 + 8 + 4 + 4
)

// farthest bounds the instant of a snapshot: 73 years from the run's epoch.
const farthest Time = 1 << 61

// code writes or reads everything that influences what comes later; rebuild makes the rest of it: maps,
// counts of references and the calendar. Lists that live only within a Step are empty and not coded.
func (c *Core) code(w *wire.Coder) {
	w.Section("core")
	wire.Time(w, &c.now)
	wire.Time(w, &c.offset)
	if w.Reading() && (c.now < 0 || c.now > farthest || c.offset < -farthest || c.offset > farthest) {
		w.Fail("its instant is " + c.now.String() + " with the wall clock " + c.offset.String() + " ahead, which no run reaches")
	}
	w.Bool(&c.stopping)
	w.Bool(&c.localFault)
	w.Bool(&c.starting)
	w.Bool(&c.fed)
	for _, n := range [...]*uint64{&c.askSeq, &c.passSeq, &c.ignored, &c.breaches, &c.overdue, &c.closures, &c.lookups} {
		wire.U64(w, n)
	}
	wire.U32(w, &c.huntSeq)
	wire.U32(w, &c.serial)
	wire.I64(w, &c.heldBytes)
	for _, n := range [...]*int{&c.holdings, &c.announced, &c.hunts, &c.attempts} {
		w.Count(n, countLimit)
	}
	c.budget.Code(w, c.now)
	c.memo.Code(w)
	c.expired.Code(w)
	c.gone.Code(w)
	w.Section("rejected events")
	c.rejected.ids.Code(w)
	c.rejected.code(w)
	w.Section("identifiers")
	c.idents.Code(w, purgatory.IdentSize, func(w *wire.Coder, x *purgatory.Ident) { x.Code(w) })
	w.Section("announcements")
	c.anns.Code(w, purgatory.AnnouncementSize, func(w *wire.Coder, x *purgatory.Announcement) { x.Code(w) })
	w.Section("states")
	c.states.Code(w, purgatory.StateSize, func(w *wire.Coder, x *purgatory.State) { x.Code(w) })
	w.Section("PRs")
	c.prs.Code(w, purgatory.PRSize, func(w *wire.Coder, x *purgatory.PR) { x.Code(w) })
	w.Section("groups")
	c.groups.Code(w, groupSize, func(w *wire.Coder, x *group) { x.code(w) })
	w.Section("URLs")
	c.urls.Code(w, urlSize, func(w *wire.Coder, x *urlRecord) { x.code(w) })
	w.Section("authors")
	c.authors.slab.Code(w, authorSize, func(w *wire.Coder, x *authorUse) {
		wire.PubKey(w, &x.key)
		wire.Slot(w, &x.hunts)
		wire.Slot(w, &x.held)
	})
	w.Section("passes")
	c.passes.Code(w, passSize, func(w *wire.Coder, x *pass) { x.code(w) })
	w.Section("requests")
	c.asks.Code(w, askSize, func(w *wire.Coder, x *ask) { x.code(w) })
	w.Section("releases")
	c.releases.Code(w, releaseSize, func(w *wire.Coder, x *release) { x.code(w) })
	w.Section("pushes")
	c.pushes.slab.Code(w, pushSize, func(w *wire.Coder, x *pushRecord) { x.code(w) })
	w.Section("sources")
	c.sources.slab.Code(w, 1, func(w *wire.Coder, x *sourceUse) {
		if w.Bool(&x.used); x.used {
			wire.Handle(w, &x.from)
			wire.Slot(w, &x.hunts)
			wire.Time(w, &x.next)
		}
	})
	wire.Slot(w, &c.sources.cursor)
	w.Section("placeholders")
	c.places.slab.Code(w, placeSize, func(w *wire.Coder, x *placeholder) { x.code(w) })
	wire.List(w, &c.places.stamps, 4+8+8, func(w *wire.Coder, x *placeStamp) {
		wire.Handle(w, &x.from)
		wire.Time(w, &x.at)
		wire.I64(w, &x.bytes)
	})
	wire.List(w, &c.found, 4+32+1, func(w *wire.Coder, x *foundRef) {
		wire.Slot(w, &x.ann)
		wire.EventID(w, &x.id)
		wire.OID(w, &x.commit)
	})
	w.Section("events being stored")
	c.pending.Code(w, pendingSize, func(w *wire.Coder, x *pendingEvent) { x.code(w) })
	w.Section("shadows")
	c.shadows.Code(w, shadowSize, func(w *wire.Coder, x *shadow) { x.code(w) })
	for k := range c.timers {
		w.Section("deadlines of class " + strconv.Itoa(k))
		c.codeTimer(w, timerClass(k))
	}
}

func (g *group) code(w *wire.Coder) {
	w.Bool(&g.used)
	wire.U32(w, &g.waitGen)
	if wire.U32(w, &g.use); !g.used {
		g.next, g.rerun = Never, Never
		return
	}
	w.Bool(&g.synced)
	w.Bool(&g.grace)
	wire.Handle(w, &g.from)
	wire.Slot(w, &g.source)
	wire.Enum(w, &g.phase, hunting+1, "phase of a hunt")
	wire.Slot(w, &g.ident)
	wire.List(w, &g.anns, 4, wire.Slot)
	wire.List(w, &g.states, 4, wire.Slot)
	wire.List(w, &g.prs, 4, wire.Slot)
	wire.U32(w, &g.id)
	for _, t := range [...]*Time{&g.next, &g.rerun, &g.activity, &g.hunting} {
		wire.Time(w, t)
	}
	for _, n := range [...]*uint32{&g.count, &g.attempt, &g.wantSeq} {
		wire.U32(w, n)
	}
	for _, n := range [...]*int32{&g.author, &g.active, &g.checksOut, &g.checks} {
		wire.Slot(w, n)
	}
	wire.List(w, &g.repos, 4, wire.Slot)
	wire.List(w, &g.wants, wantSize, func(w *wire.Coder, x *want) {
		wire.OID(w, &x.oid)
		wire.U64(w, &x.have)
		wire.U32(w, &x.seq)
		for _, flag := range [...]*bool{&x.asked, &x.past} {
			w.Bool(flag)
		}
	})
	wire.List(w, &g.sources, sourceSize, func(w *wire.Coder, x *source) {
		wire.Slot(w, &x.url)
		wire.I32(w, &x.dom)
		wire.Enum(w, &x.wave, PRWave+1, "wave of a source")
		w.Bool(&x.started)
		w.Bool(&x.holder)
	})
	for i := range g.waves {
		wire.List(w, &g.waves[i].running, 4, wire.Slot)
		wire.U64(w, &g.waves[i].dry)
		wire.List(w, &g.waves[i].tickets, 4, wire.I32[budget.Ticket])
	}
}

func (u *urlRecord) code(w *wire.Coder) {
	wire.Handle(w, &u.url)
	wire.Handle(w, &u.domain)
	wire.I32(w, &u.dom)
	wire.Enum(w, &u.class, Own+1, "class of a URL")
	wire.Slot(w, &u.refs)
	wire.Time(w, &u.lastStart)
	wire.Time(w, &u.coolUntil)
}

func (p *pass) code(w *wire.Coder) {
	w.Bool(&p.used)
	if wire.U32(w, &p.gen); !p.used {
		return
	}
	w.Bool(&p.ending)
	w.Bool(&p.charged)
	w.Bool(&p.dry)
	wire.Enum(w, &p.wave, PRWave+1, "wave of a pass")
	wire.Enum(w, &p.class, NumClasses, "class of a pass")
	wire.U64(w, &p.serial)
	wire.U64(w, &p.ask)
	wire.Slot(w, &p.group)
	wire.U32(w, &p.hunt)
	wire.Slot(w, &p.url)
	wire.Handle(w, &p.final)
	n := uint32(p.question)
	wire.U32(w, &n)
	p.question = uint16(n & 0xffff)
	wire.Slot(w, &p.target)
	wire.Slot(w, &p.needed)
	p.permit.Code(w)
	p.course.Code(w)
	for _, t := range [...]*Time{&p.started, &p.lastOutput, &p.warnAt, &p.watchAt, &p.slowAt, &p.seen} {
		wire.Time(w, t)
	}
	wire.I64(w, &p.bytes)
	for i := range p.samples {
		wire.Time(w, &p.samples[i].at)
		wire.I64(w, &p.samples[i].bytes)
	}
}

func (k *ask) code(w *wire.Coder) {
	wire.Enum(w, &k.kind, askShow+1, "kind of a request")
	if wire.U32(w, &k.gen); k.kind == askNone {
		return
	}
	wire.U64(w, &k.id)
	wire.U32(w, &k.attempt)
	wire.U32(w, &k.serial)
	wire.Handle(w, &k.repo)
	wire.Slot(w, &k.a)
	wire.Slot(w, &k.b)
	wire.EventID(w, &k.event)
	w.Bool(&k.retry)
}

func (r *release) code(w *wire.Coder) {
	if w.Bool(&r.used); !r.used {
		return
	}
	w.Bool(&r.stored)
	wire.Enum(w, &r.kind, recPR+1, "kind of a released event")
	wire.Enum(w, &r.stage, promoting+1, "stage of a release")
	w.Bool(&r.failed)
	w.Bool(&r.dead)
	w.Bool(&r.deleted)
	wire.Slot(w, &r.waiting)
	wire.Slot(w, &r.slot)
	wire.Slot(w, &r.from)
	wire.EventID(w, &r.event)
	wire.List(w, &r.owners, 4, wire.Slot)
}

func (p *pushRecord) code(w *wire.Coder) {
	w.Bool(&p.used)
	if wire.U32(w, &p.gen); !p.used {
		return
	}
	for _, flag := range [...]*bool{&p.pinned, &p.lapsed, &p.refused, &p.ended, &p.ok, &p.heads, &p.astray} {
		w.Bool(flag)
	}
	wire.U64(w, &p.id)
	wire.Slot(w, &p.ann)
	wire.U32(w, &p.serial)
	wire.Time(w, &p.until)
	wire.Handle(w, &p.from)
	wire.Slot(w, &p.fresh)
	wire.I64(w, &p.bytes)
	wire.List(w, &p.nostr, 32+1, func(w *wire.Coder, x *placePush) {
		wire.EventID(w, &x.id)
		wire.OID(w, &x.commit)
	})
}

func (p *placeholder) code(w *wire.Coder) {
	w.Bool(&p.used)
	if wire.U32(w, &p.gen); !p.used {
		return
	}
	wire.Slot(w, &p.ann)
	wire.EventID(w, &p.id)
	wire.OID(w, &p.commit)
	wire.Handle(w, &p.from)
	wire.I64(w, &p.bytes)
	wire.Time(w, &p.deadline)
}

func (p *pendingEvent) code(w *wire.Coder) {
	if w.Bool(&p.used); !p.used {
		return
	}
	w.Bool(&p.spoiled)
	wire.Slot(w, &p.answers)
	wire.Enum(w, &p.origin, FromSync+1, "origin of an event")
	p.event.code(w)
}

func (s *shadow) code(w *wire.Coder) {
	wire.EventID(w, &s.id)
	wire.I64(w, &s.createdAt)
	wire.List(w, &s.urls, 4, wire.Slot)
	wire.List(w, &s.listed, wire.IDSize, wire.PubKey)
}

// code writes or reads an event without its signed JSON, which is the journal's.
func (e *Event) code(w *wire.Coder) {
	wire.EventID(w, &e.ID)
	wire.PubKey(w, &e.Author)
	wire.U32(w, &e.Kind)
	wire.I64(w, &e.CreatedAt)
	wire.I32(w, &e.Size)
	wire.Coordinate(w, &e.Repo)
	w.Bool(&e.ListsUs)
	wire.List(w, &e.Maintainers, wire.IDSize, wire.PubKey)
	wire.List(w, &e.Sources, 4+4+1, func(w *wire.Coder, s *Source) {
		wire.Handle(w, &s.URL)
		wire.Handle(w, &s.Domain)
		wire.Enum(w, &s.Class, Own+1, "class of a URL")
	})
	wire.List(w, &e.Refs, wire.RefSize, wire.Ref)
	wire.Handle(w, &e.Head)
	w.Bool(&e.Unsatisfied)
	wire.OID(w, &e.Commit)
	wire.List(w, &e.Repositories, 40, wire.Coordinate)
	wire.List(w, &e.Mentions, wire.IDSize, wire.EventID)
	wire.List(w, &e.Targets, wire.IDSize, wire.EventID)
	wire.List(w, &e.Coordinates, 4+40, func(w *wire.Coder, d *Deleted) {
		wire.U32(w, &d.Kind)
		wire.Coordinate(w, &d.Coordinate)
	})
	w.Bool(&e.Protected)
}

// code writes or reads the remembered events. Their order gives that under each identifier too.
func (x *rejected) code(w *wire.Coder) {
	used := make([]bool, len(x.list))
	for _, i := range x.order {
		used[i] = true
	}
	i := 0
	wire.List(w, &x.list, rejectSize, func(w *wire.Coder, e *rejectedEvent) {
		here := !w.Reading() && used[i]
		i++
		if w.Bool(&here); here {
			e.code(w)
		}
		if w.Reading() {
			used = append(used, here)
		}
	})
	wire.List(w, &x.free, 4, wire.Slot)
	wire.List(w, &x.order, 4, wire.Slot)
	if !w.Reading() || w.Err() != nil {
		return
	}
	seen := make([]bool, len(x.list))
	for n, list := range [...][]int32{x.order, x.free} {
		for _, i := range list {
			if i < 0 || int(i) >= len(x.list) || seen[i] || used[i] != (n == 0) {
				w.Fail("slot " + strconv.Itoa(int(i)) + " is listed where it does not belong")
				return
			}
			seen[i] = true
		}
	}
	if slices.Contains(seen, false) {
		w.Fail("a slot is neither used nor free")
		return
	}
	for _, i := range x.order {
		if _, twice := x.at[x.list[i].event.ID]; twice {
			w.Fail("event " + x.list[i].event.ID.String() + " is remembered twice")
			return
		}
		x.file(i)
	}
}

// code writes or reads what is kept of a rejected event.
func (e *rejectedEvent) code(w *wire.Coder) {
	e.event.code(w)
	wire.Handle(w, &e.from)
	wire.Enum(w, &e.why, numRefusals, "reason of a refusal")
	wire.Time(w, &e.at)
}

// codeTimer writes all deadlines of a class, dead ones too: the lane's last entry, dead or not, decides
// whether the next deadline joins it. The lane comes in its order, the far ones sorted.
func (c *Core) codeTimer(w *wire.Coder, k timerClass) {
	t := &c.timers[k]
	var lane, far []pq.Entry
	if !w.Reading() {
		for i := range t.lane.Len() {
			lane = append(lane, t.lane.At(i))
		}
		far = slices.Clone(t.far)
		slices.SortFunc(far, func(a, b pq.Entry) int {
			return cmp.Or(cmp.Compare(a.At, b.At), cmp.Compare(a.ID, b.ID), cmp.Compare(a.Gen, b.Gen))
		})
	}
	at := Time(t.at) // when dead heads were last dropped shows in it
	wire.Time(w, &at)
	t.at = int64(at)
	code := func(w *wire.Coder, e *pq.Entry) {
		at := Time(e.At)
		wire.Time(w, &at)
		e.At = int64(at)
		wire.U32(w, &e.ID)
		wire.U32(w, &e.Gen)
	}
	wire.List(w, &lane, entrySize, code)
	wire.List(w, &far, entrySize, code)
	if !w.Reading() {
		return
	}
	t.far = far
	if len(lane) > 0 && lane[0].At < t.at || len(far) > 0 && far[0].At < t.at {
		w.Fail("a deadline lies before the first of its class")
		return
	}
	for _, e := range lane {
		if !t.lane.InOrder(e) {
			w.Fail("deadlines are out of order")
			return
		}
		t.lane.Push(e)
	}
	for i := 1; i < len(far); i++ {
		if !before(far[i-1], far[i]) {
			w.Fail("far deadlines are out of order")
			return
		}
	}
}
