package sim

import "graspsync/core"

// judgeFair judges D-05 from outside, where tickets cannot be seen: between the moment an attempt begins
// to wait and its first pass, its domain may give no more grants than tickets can have been ahead, plus
// five (I-13). An attempt is judged only where the log shows where it waits and that nothing but the
// ring held it back: its hunt has only ever used one domain, no pass of it runs or stalled, and no share
// or author limit (H-07) was reached while it waited. Others may wait for reasons of their own.
type judgeFair struct {
	index   map[core.HuntID]int
	hunts   []fairHunt
	free    []int
	running int // attempts
	checks  []checkAsk

	owners map[string]*fairOwner // passes in flight by owner of the repository
	byRepo []*fairOwner          // the same, by repository
	prLive int
	full   int // times a process-wide share was reached
}

type fairHunt struct {
	id         core.HuntID
	home       core.Handle // the one domain it used
	several    bool        // more than one, or a PR wave, or a stall: not judged
	attempting bool
	waiting    bool
	grants     int // of home when the wait began
	ahead      int // tickets that may have been ahead then
	owner      *fairOwner
	ownerFull  int // the marks of H-07 when the wait began
	full       int
}

type fairOwner struct {
	live int
	full int
}

type checkAsk struct {
	ask  core.AskID
	hunt core.HuntID
}

// fairSlack is what D-05 adds to the tickets ahead.
const fairSlack = 5

func (f *judgeFair) init() {
	f.index = make(map[core.HuntID]int)
	f.owners = make(map[string]*fairOwner)
}

func (f *judgeFair) hunt(id core.HuntID) *fairHunt {
	if i, ok := f.index[id]; ok {
		return &f.hunts[i]
	}
	var i int
	if n := len(f.free); n > 0 {
		i, f.free = f.free[n-1], f.free[:n-1]
	} else {
		i = len(f.hunts)
		f.hunts = append(f.hunts, fairHunt{})
	}
	f.index[id] = i
	f.hunts[i] = fairHunt{id: id}
	return &f.hunts[i]
}

// owner is the state of a repository's owner: the first part of its name, looked up once per handle.
func (o *Oracle) owner(repo core.Handle) *fairOwner {
	f := &o.fair
	for int(repo) >= len(f.byRepo) {
		f.byRepo = append(f.byRepo, nil)
	}
	if w := f.byRepo[repo]; w != nil {
		return w
	}
	text := ""
	if o.names != nil {
		if text = o.names.Text(repo); len(text) > 64 {
			text = text[:64]
		}
	}
	w := f.owners[text]
	if w == nil {
		w = &fairOwner{}
		f.owners[text] = w
	}
	f.byRepo[repo] = w
	return w
}

func (o *Oracle) attemptStarted(e *core.Effect) {
	f := &o.fair
	h := f.hunt(e.Hunt)
	if !h.attempting {
		h.attempting = true
		f.running++
	}
	h.waiting = h.home != 0 && !h.several && o.passes.waves[waveKey(e.Hunt, core.MainWave)] == nil
	o.park(h)
}

// park begins the wait: at the attempt's start, and anew when a local check has answered, because only
// then is it known what to ask for.
func (o *Oracle) park(h *fairHunt) {
	if !h.waiting {
		return
	}
	h.grants = o.domain(h.home).grants
	h.ahead = 2 * o.fair.running // a ticket per wave
	h.ownerFull, h.full = h.owner.full, o.fair.full
}

func (o *Oracle) checking(e *core.Effect) {
	f := &o.fair
	slot := int(e.Ask & askSlotMask)
	for len(f.checks) <= slot {
		f.checks = append(f.checks, checkAsk{})
	}
	f.checks[slot] = checkAsk{e.Ask, e.Hunt}
}

func (o *Oracle) checked(ask core.AskID) {
	f := &o.fair
	slot := int(ask & askSlotMask)
	if slot >= len(f.checks) || f.checks[slot].ask != ask {
		return
	}
	if i, ok := f.index[f.checks[slot].hunt]; ok {
		o.park(&f.hunts[i])
	}
	f.checks[slot].ask = 0
}

func (o *Oracle) attemptEnded(e *core.Effect) {
	f := &o.fair
	i, ok := f.index[e.Hunt]
	if !ok {
		return
	}
	h := &f.hunts[i]
	if h.attempting {
		h.attempting = false
		f.running--
	}
	h.waiting = false
	if e.Report == core.RepHuntDropped {
		delete(f.index, e.Hunt)
		h.home, h.several = 0, false
		f.free = append(f.free, i)
	}
}

// stalled takes a hunt out of judgement: its URL rests while its domain does not (H-06).
func (f *judgeFair) stalled(hunt core.HuntID) {
	if i, ok := f.index[hunt]; ok {
		f.hunts[i].several, f.hunts[i].waiting = true, false
	}
}

// fairness judges a grant to a hunt that waited. I-13
func (o *Oracle) fairness(e *core.Effect) {
	h := o.fair.hunt(e.Hunt)
	if h.home == e.Domain && e.Wave == core.MainWave {
		o.overtaken(h)
	}
	h.waiting = false
	h.owner = o.owner(e.Repo)
	if h.home == 0 {
		h.home = e.Domain
	}
	if h.home != e.Domain || e.Wave != core.MainWave {
		h.several = true
	}
}

func (o *Oracle) overtaken(h *fairHunt) {
	if !h.waiting || h.full != o.fair.full || h.ownerFull != h.owner.full {
		return
	}
	if n := o.domain(h.home).grants - h.grants; n > h.ahead+fairSlack {
		o.violate("I-13", "hunt %d waited for %s while %d others were granted; at most %d tickets were ahead", h.id, o.name(h.home), n, h.ahead)
	}
}

// starved judges those that still wait at the end.
func (o *Oracle) starved() {
	for i := range o.fair.hunts {
		o.overtaken(&o.fair.hunts[i])
	}
}

// took and gave follow the shares of H-07 as far as they can be seen.
func (f *judgeFair) took(o *Oracle, e *core.Effect) {
	w := o.owner(e.Repo)
	w.live++
	if w.live >= o.cfg.AuthorPasses {
		w.full++
	}
	if e.Wave == core.PRWave {
		f.prLive++
	}
	if o.passes.live >= o.cfg.Pressure/2 || f.prLive >= o.cfg.AuthorPasses {
		f.full++
	}
}

func (f *judgeFair) gave(o *Oracle, p *judgedPass) {
	o.owner(p.repo).live--
	if p.kind == core.PRWave {
		f.prLive--
	}
}
