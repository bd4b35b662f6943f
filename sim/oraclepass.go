package sim

import "graspsync/core"

// judgePasses knows the passes in flight, from the Compare that left the core to the PassEnded that
// came back, and the waves they belong to (I-2, I-3).
type judgePasses struct {
	bySlot []judgedPass
	live   int
	waves  map[uint64]*wave // hunt and wave → passes in flight; gone when empty
	spare  []*wave
}

// judgedPass is one pass in flight. ask 0: the slot is free.
type judgedPass struct {
	ask         core.AskID
	hunt        core.HuntID
	kind        core.Wave
	url, domain core.Handle
	repo        core.Handle
	start       core.Time
	step        uint64 // of its start: an end in the same instant may come before or after it
	ending      bool   // it was told to end
	compared    bool   // its comparison came
	answered    bool   // anything was answered
	crowded     bool   // … and found its address full
	address     [16]byte
}

// wave lists the passes of one hunt and class that run, guests and those of merged hunts included.
type wave struct {
	passes []core.AskID
	ended  uint64 // step in which one of its passes last ended; 0: none yet
}

func (p *judgePasses) init() { p.waves = make(map[uint64]*wave) }

func waveKey(hunt core.HuntID, kind core.Wave) uint64 { return uint64(hunt)<<1 | uint64(kind) }

func (p *judgePasses) find(ask core.AskID) *judgedPass {
	i := int(ask & askSlotMask)
	if i >= len(p.bySlot) || p.bySlot[i].ask != ask || ask == 0 {
		return nil
	}
	return &p.bySlot[i]
}

// waves_ judges a start against H-01 and H-02: no second pass on the domain or URL of a running one,
// no third at all, and no hedge before its head start unless a pass of the wave ended meanwhile. I-3
func (o *Oracle) waves(e *core.Effect) {
	w := o.passes.waves[waveKey(e.Hunt, e.Wave)]
	running := 0
	if w != nil {
		running = len(w.passes)
	}
	if e.Hedge != (running > 0) && !(e.Hedge && o.leftBehind(e)) {
		o.violate("I-3", "hunt %d starts %s with hedge=%t while %d passes of its %s wave run", e.Hunt, o.name(e.URL), e.Hedge, running, e.Wave)
	}
	if w == nil {
		return
	}
	if running >= 2 {
		o.violate("I-3", "hunt %d starts %s while %d passes of its %s wave run", e.Hunt, o.name(e.URL), running, e.Wave)
	}
	for _, ask := range w.passes {
		p := o.passes.find(ask)
		switch {
		case p.url == e.URL:
			o.violate("I-3", "hunt %d starts %s while pass %s runs on that URL", e.Hunt, o.name(e.URL), ask)
		case p.domain == e.Domain:
			o.violate("I-3", "hunt %d starts %s while pass %s runs on domain %s", e.Hunt, o.name(e.URL), ask, o.name(e.Domain))
		case o.now < p.start+o.cfg.HedgeHeadStart && w.ended <= p.step:
			o.violate("H-02", "hunt %d starts %s only %s after pass %s, whose head start is %s", e.Hunt, o.name(e.URL), o.now-p.start, ask, o.cfg.HedgeHeadStart)
		}
	}
}

// leftBehind tells whether a cancelled pass of a hunt that was evicted still runs for the same repository and wave: a new
// hunt of that group has to respect it (H-01).
func (o *Oracle) leftBehind(e *core.Effect) bool {
	for i := range o.passes.bySlot {
		if p := &o.passes.bySlot[i]; p.ask != 0 && p.ending && p.repo == e.Repo && p.kind == e.Wave && p.hunt != e.Hunt {
			return true
		}
	}
	return false
}

// started notes a pass; it is judged before.
func (o *Oracle) started(e *core.Effect) {
	p := &o.passes
	i := int(e.Ask & askSlotMask)
	for len(p.bySlot) <= i {
		p.bySlot = append(p.bySlot, judgedPass{})
	}
	if p.bySlot[i].ask != 0 {
		o.violate("I-2", "pass %s starts in the slot of pass %s, which has not ended", e.Ask, p.bySlot[i].ask)
		o.passEnded(p.bySlot[i].ask)
	}
	p.bySlot[i] = judgedPass{ask: e.Ask, hunt: e.Hunt, kind: e.Wave, url: e.URL, domain: e.Domain, repo: e.Repo, start: o.now, step: o.step}
	p.live++
	o.domain(e.Domain).flying++
	o.fair.took(o, e)
	key := waveKey(e.Hunt, e.Wave)
	w := p.waves[key]
	if w == nil {
		w = p.newWave()
		p.waves[key] = w
	}
	w.passes = append(w.passes, e.Ask)
}

func (p *judgePasses) newWave() *wave {
	if n := len(p.spare); n > 0 {
		w := p.spare[n-1]
		p.spare = p.spare[:n-1]
		w.passes, w.ended = w.passes[:0], 0
		return w
	}
	return &wave{}
}

// passEnded frees a pass; an unknown id is a late or duplicate report and changes nothing (T-04).
func (o *Oracle) passEnded(ask core.AskID) {
	p := o.passes.find(ask)
	if p == nil {
		return
	}
	o.passes.live--
	o.domain(p.domain).flying--
	o.fair.gave(o, p)
	o.leaveAddress(p)
	key := waveKey(p.hunt, p.kind)
	if w := o.passes.waves[key]; w != nil {
		for i, a := range w.passes {
			if a == ask {
				w.passes = append(w.passes[:i], w.passes[i+1:]...)
				break
			}
		}
		w.ended = o.step
		if len(w.passes) == 0 {
			delete(o.passes.waves, key)
			o.passes.spare = append(o.passes.spare, w)
		}
	}
	p.ask = 0
}

func (o *Oracle) allPassesEnded() {
	for i := range o.passes.bySlot {
		if a := o.passes.bySlot[i].ask; a != 0 {
			o.passEnded(a)
		}
	}
}

// merged moves the passes of a merged hunt into the waves of the survivor, as guests: there they may be
// more than two, and still nothing starts beside two.
func (o *Oracle) merged(e *core.Effect) {
	for kind := core.MainWave; kind <= core.PRWave; kind++ {
		from := waveKey(e.Hunt, kind)
		w := o.passes.waves[from]
		if w == nil {
			continue
		}
		delete(o.passes.waves, from)
		for _, ask := range w.passes {
			o.passes.find(ask).hunt = e.Into
		}
		to := waveKey(e.Into, kind)
		if x := o.passes.waves[to]; x != nil {
			x.passes = append(x.passes, w.passes...)
			x.ended = max(x.ended, w.ended)
			o.passes.spare = append(o.passes.spare, w)
			continue
		}
		o.passes.waves[to] = w
	}
}
