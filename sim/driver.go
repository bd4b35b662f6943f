package sim

import "graspsync/core"

// driver is the model of the relay's driver: it carries out effects against the peers and brings their
// outcomes back as inputs, later, with the delays and faults of DriverFaults. Local work is performed
// when it is asked for and reported when its delay is over; what a remote sends arrives at its end.
//
// A request lives in the slot named by the low bits of its AskID, as the core keeps it; passes and local
// requests have tables of their own. Nothing is ever removed from the event queue: an entry counts only
// if the slot still holds its id and its due time.
type driver struct {
	w      *World
	locals []local
	passes []pass
	urlN   []uint64 // requests so far, by URL handle: the key of per-event noise
	worked [core.NumEffectKinds]int
	struck []int // by Setup.LocalFaults: how often each hit
	req    Request
	in     core.Input

	echoes   []echo
	echoFree []uint32

	pushes []pushState
	pushAt map[uint64]int // push id → index of its latest state
}

// askSlotBits is how AskID is laid out: slot below, counter above.
const (
	askSlotBits = 20
	askSlotMask = 1<<askSlotBits - 1
)

// local is one outstanding piece of local work. ask 0: the slot is free.
type local struct {
	ask     core.AskID
	kind    core.EffectKind
	class   core.Class
	verdict core.Verdict
	hadRefs bool
	locked  []core.Handle // refs that an alignment finds locked
	due     core.Time     // when its completion comes; noDeadline: never
	oids    []core.OID    // what the completion will carry
}

func (d *driver) init(w *World) {
	d.w = w
	d.pushAt = make(map[uint64]int)
	d.struck = make([]int, len(w.setup.LocalFaults))
}

// local finds the slot of an id, making room for it.
func (d *driver) local(ask core.AskID) *local {
	i := int(ask & askSlotMask)
	for len(d.locals) <= i {
		d.locals = append(d.locals, local{})
	}
	return &d.locals[i]
}

// perform carries out one effect.
func (d *driver) perform(e *core.Effect) {
	f := &d.w.setup.Driver
	git := d.w.setup.Local
	switch e.Kind {
	case core.EfCheckObjects:
		if s := d.work(e, &f.Check, CheckWork, uint64(e.Repo)); s.class == core.OK {
			s.oids = git.Check(e.Repo, e.OIDs, s.oids[:0])
		}
	case core.EfCopyObjects:
		if s := d.work(e, &f.Copy, CopyWork, uint64(e.Repo)); s.class == core.OK {
			s.class = git.Copy(e.From, e.Repo, e.OIDs)
		}
	case core.EfAlignRefs:
		if s := d.work(e, &f.Align, AlignWork, uint64(e.Repo)); s.class == core.OK {
			s.class = d.align(e, s.locked)
		}
	case core.EfStoreEvent:
		s := d.work(e, &f.Store, StoreWork, word(e.Event[:8]))
		if s.class == core.OK {
			s.verdict = d.w.setup.Store.Store(e.Event)
		}
	case core.EfRemoveEvent:
		if s := d.work(e, &f.Remove, RemoveWork, word(e.Event[:8])); s.class == core.OK {
			s.class = d.w.setup.Store.Remove(e.Event)
		}
	case core.EfCreateRepo:
		if s := d.work(e, &f.Create, CreateWork, uint64(e.Repo)); s.class == core.OK {
			s.class = git.Create(e.Repo)
		}
	case core.EfDeleteRepo, core.EfDeleteRepoIfNoRefs:
		if s := d.work(e, &f.Delete, DeleteWork, uint64(e.Repo)); s.class == core.OK {
			s.hadRefs, s.class = git.Delete(e.Repo, e.Kind == core.EfDeleteRepoIfNoRefs)
		}
	case core.EfCompare:
		d.startPass(e)
	case core.EfFetch, core.EfProbe:
		d.ask(e)
	case core.EfEndPass:
		d.endPass(e.Ask)
	case core.EfCancelPass:
		d.cancelPass(e.Ask)
	case core.EfNotify:
		if told := d.w.setup.Told; told != nil {
			told(d.w.now, e.Event)
		}
	case core.EfPushVerdict:
		d.pushVerdict(e)
	case core.EfAnswerPush:
		d.pushAnswered(e)
	}
}

// work takes a local request into its slot: draws its delay, whether it fails, and whether its
// completion is lost. A request issued again with the same id is simply done again (T-04).
func (d *driver) work(e *core.Effect, k *Work, kind LocalWork, entity uint64) *local {
	w := d.w
	s := d.local(e.Ask)
	s.ask, s.kind, s.class, s.hadRefs, s.verdict, s.locked = e.Ask, e.Kind, core.OK, false, core.StoreFailed, nil
	s.oids = s.oids[:0]
	d.worked[e.Kind]++
	n := d.worked[e.Kind]
	entity = entity<<8 | uint64(e.Kind)
	written := kind == StoreWork && w.setup.Store.Has(e.Event) // what it has it need not write
	if !written && (n <= k.FailFirst || k.Fail.Num != 0 && k.Fail.Hit(Mix(w.setup.Seed, PurposeFail, entity, uint64(w.now)))) {
		s.class = core.LocalFault
	}
	s.due = w.now + k.Delay
	if k.Spread != 0 {
		s.due += Between(Mix(w.setup.Seed, PurposeDelay, entity, uint64(w.now)), 0, k.Spread)
	}
	if len(d.struck) != 0 {
		hit := d.strikes(kind, e.Repo, e.Event)
		s.due += hit.Delay
		s.locked = hit.Lock
		if hit.Fails && s.class == core.OK && !written {
			s.class, s.verdict = core.LocalFault, max(hit.Verdict, core.StoreFailed)
		}
	}
	if n <= k.LoseFirst || k.Lose.Num != 0 && k.Lose.Hit(Mix(w.setup.Seed, PurposeLose, entity, uint64(w.now))) {
		s.due = noDeadline
		return s
	}
	if s.class == core.OK && w.undone(s.due, entity) {
		s.class = core.Lost // the crash comes first: never done, never reported
	}
	w.push(s.due, evDone, uint64(s.ask))
	return s
}

// done delivers the completion of local work.
func (d *driver) done(id uint64) bool {
	s := &d.locals[id&askSlotMask]
	if s.ask == 0 || uint64(s.ask)&ordIDMask != id || s.due != d.w.now {
		return false
	}
	d.in = core.Input{Ask: s.ask, Class: s.class}
	in := &d.in
	switch s.kind {
	case core.EfCheckObjects:
		in.Kind, in.OIDs = core.InChecked, s.oids
	case core.EfCopyObjects:
		in.Kind = core.InCopied
	case core.EfAlignRefs:
		in.Kind = core.InAligned
	case core.EfStoreEvent:
		in.Kind, in.Verdict = core.InStored, s.verdict
	case core.EfRemoveEvent:
		in.Kind = core.InRemoved
	case core.EfCreateRepo:
		in.Kind = core.InRepoCreated
	case core.EfDeleteRepo, core.EfDeleteRepoIfNoRefs:
		in.Kind, in.HadRefs = core.InRepoDeleted, s.hadRefs
	}
	s.ask, s.due = 0, noDeadline
	d.maybeEcho(in)
	d.w.stepMachine(in)
	return true
}

// arrive delivers what happens to the relay from outside.
func (d *driver) arrive(a *Arrival) bool {
	if a.Push != nil {
		d.pushAsked(a.Push)
		return true
	}
	d.in = a.Input
	if d.in.Kind == core.InEvent { // the store's facts of this moment
		duplicate, deleted, related := d.w.setup.Store.Has(d.in.Event.ID), false, false
		if s, ok := d.w.setup.Store.(Facts); ok {
			duplicate, deleted, related = s.Facts(d.in.Event)
		}
		d.in.Duplicate, d.in.Deleted, d.in.Related = d.in.Duplicate || duplicate, d.in.Deleted || deleted, d.in.Related || related
	}
	d.w.stepMachine(&d.in)
	return true
}

// echo is a completion kept for a second, late or mistaken delivery.
type echo struct {
	void bool // a crash came before it
	in   core.Input
	oids []core.OID
}

// maybeEcho draws whether a completion about to be delivered comes again, or comes with a wrong id.
func (d *driver) maybeEcho(in *core.Input) {
	f := &d.w.setup.Driver
	if f.Duplicate.Num|f.Stray.Num == 0 {
		return
	}
	x := Mix(d.w.setup.Seed, PurposeRepeat, uint64(in.Ask), uint64(in.Kind))
	if f.Duplicate.Hit(x) {
		d.keep(in, in.Ask, d.w.now+Between(avalanche(x), 0, f.Again))
	}
	if f.Stray.Hit(avalanche(x + 1)) {
		d.keep(in, in.Ask^1<<63, d.w.now)
	}
}

// keep copies a completion and queues it for instant at under the id ask.
func (d *driver) keep(in *core.Input, ask core.AskID, at core.Time) {
	var i uint32
	if n := len(d.echoFree); n > 0 {
		i = d.echoFree[n-1]
		d.echoFree = d.echoFree[:n-1]
	} else {
		i = uint32(len(d.echoes))
		d.echoes = append(d.echoes, echo{})
	}
	e := &d.echoes[i]
	e.oids = append(e.oids[:0], in.OIDs...)
	e.in, e.void = *in, false
	e.in.Ask, e.in.OIDs = ask, e.oids
	d.w.push(at, evEcho, uint64(i))
}

func (d *driver) echo(id uint64) bool {
	void := d.echoes[id].void
	if !void {
		d.in = d.echoes[id].in
		d.w.stepMachine(&d.in)
	}
	d.echoFree = append(d.echoFree, uint32(id))
	return !void
}
