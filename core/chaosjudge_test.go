package core

// judge follows one effect.
func (x *chaos) judge(e Effect) {
	switch e.Kind {
	case EfCompare:
		x.judgeStart(e)
	case EfFetch, EfProbe, EfEndPass, EfCancelPass:
		if _, ok := x.runs[e.Ask]; !ok {
			x.fail("%s for pass %s, which does not run", e.Kind, e.Ask)
		}
		for i := range x.out { // the completion before it is void or was given
			if x.out[i].Ask == e.Ask {
				x.out = append(x.out[:i], x.out[i+1:]...)
				break
			}
		}
		x.out = append(x.out, e)
	case EfCheckObjects, EfCopyObjects, EfAlignRefs, EfStoreEvent, EfRemoveEvent, EfCreateRepo, EfDeleteRepo, EfDeleteRepoIfNoRefs:
		for i := range x.out {
			if x.out[i].Ask == e.Ask { // issued again by the watchdog (T-04): the same request
				if x.out[i].Kind != e.Kind {
					x.fail("request %s was %s and is now %s", e.Ask, x.out[i].Kind, e.Kind) // T-04
				}
				x.out[i] = e
				return
			}
		}
		x.out = append(x.out, e)
	case EfPushVerdict:
		x.allowed[e.Push] = e.OK && x.rechecks
	case EfReport:
		x.judgeReport(e)
	}
}

func (x *chaos) judgeStart(e Effect) {
	running, wave := 0, 0
	for _, r := range x.runs {
		if r.Domain == e.Domain {
			running++
		}
		if r.Hunt == e.Hunt && r.Wave == e.Wave { // H-01
			wave++
			if r.Domain == e.Domain || r.URL == e.URL {
				x.fail("H-01: pass %s starts on domain %d where its wave runs %s", e.Ask, e.Domain, r.Ask)
			}
		}
	}
	if wave > 1 {
		x.fail("H-01: pass %s is the third of its wave", e.Ask)
	}
	if running >= x.cfg.DomainConcurrency || len(x.runs) >= x.cfg.Pressure {
		x.fail("D-01, D-04: pass %s starts with %d on its domain and %d in all", e.Ask, running, len(x.runs))
	}
	recent := 0
	for _, at := range x.starts[e.Domain] {
		if at > x.now-x.cfg.DomainWindow {
			recent++
		}
	}
	if recent >= x.cfg.DomainRate {
		x.fail("D-01: pass %s is start %d in the window", e.Ask, recent+1)
	}
	x.starts[e.Domain] = append(x.starts[e.Domain], x.now)
	x.runs[e.Ask] = e
	x.out = append(x.out, e)
}

func (x *chaos) judgeReport(e Effect) {
	switch {
	case e.Report == RepHeld:
		if x.held[e.Event] {
			x.fail("I-16: event %x begins a second residence", e.Event[30:])
		}
		x.held[e.Event] = true
	case e.Report.Ends():
		if !x.held[e.Event] {
			x.fail("I-16: event %x ends a residence it has not", e.Event[30:])
		}
		delete(x.held, e.Event)
	case e.Report == RepHuntMerged:
		for ask, r := range x.runs {
			if r.Hunt == e.Hunt {
				r.Hunt = e.Into
				x.runs[ask] = r
			}
		}
	}
}

// finish carries everything out and lets time pass: all must come to rest. // I-8, I-16, I-17
func (x *chaos) finish() {
	x.calm = true
	cfg := x.cfg
	cfg.DomainConcurrency = 2
	x.cfg = cfg
	x.step(Input{Kind: InConfigChanged, Config: &cfg})
	for _, p := range x.pushes {
		x.step(Input{Kind: InPushEnded, Push: p})
	}
	end := x.now + 2*Day
	for n := 0; ; n++ {
		if n > 40_000 {
			x.fail("no rest after %d steps at %s", n, x.now)
		}
		if len(x.out) > 0 {
			x.complete(0)
			continue
		}
		at, ok := x.c.Next()
		if !ok || at > end {
			break
		}
		x.now = max(x.now, at)
		x.wake()
	}
	x.now = end
	x.wake()
	x.judgeShown()
	s := x.c.Stats()
	if s.Held+s.Hunts+s.Attempts+s.Passes+s.Asks+s.Tickets+s.Releases+s.Pushes+s.Placeholders+s.Pending+int(s.HeldBytes)+s.MemoURLs+s.Early != 0 || len(x.held) != 0 {
		x.fail("I-8: not idle at the end: %+v, held %d", s, len(x.held))
	}
	if len(x.c.anns.Items) == 0 && s.Domains+s.URLs != 0 {
		x.fail("D-08: domains or URLs nobody names are remembered: %+v", s)
	}
	if at, ok := x.c.Next(); ok {
		x.fail("I-8: idle, and still Next is %s", at)
	}
}
