package sim

import "graspsync/core"

// judgeDomain is what the judge knows of one domain (I-2, I-14).
type judgeDomain struct {
	flying int
	starts []core.Time // the last rate starts, as a ring
	oldest int         // index of the oldest in a full ring

	told   core.Time // the core said it cools down until then
	cause  core.Time // when the judge saw the failure that must cool it; noDeadline: none
	floor  core.Time // no start before then, by the judge's own count
	grants int       // starts ever, for fairness

	requests judgeRequests

	dead     [deadAsks]core.Time // requests since it last answered, as a ring
	deadN    int
	deadNext int
}

func (o *Oracle) domain(h core.Handle) *judgeDomain {
	for int(h) >= len(o.domains) {
		o.domains = append(o.domains, judgeDomain{cause: noDeadline})
	}
	return &o.domains[h]
}

// bounds gives the limits of a domain, overrides respected (D-01).
func (o *Oracle) bounds(h core.Handle) (concurrency, rate int) {
	for i := range o.cfg.Overrides {
		if v := &o.cfg.Overrides[i]; v.Domain == h {
			return v.Concurrency, v.Rate
		}
	}
	return o.cfg.DomainConcurrency, o.cfg.DomainRate
}

// limits judges a start against its domain's concurrency, its sliding window, process pressure and
// cool-down. A window is half-open: a start aged exactly its length no longer counts (D-01). I-2
func (o *Oracle) limits(e *core.Effect) {
	d := o.domain(e.Domain)
	concurrency, rate := o.bounds(e.Domain)
	if d.flying >= concurrency {
		o.violate("I-2", "start on %s while %d passes run there, at most %d may", o.name(e.Domain), d.flying, concurrency)
	}
	if o.passes.live >= o.cfg.Pressure {
		o.violate("I-2", "start on %s while %d passes run in all, at most %d may (D-04)", o.name(e.Domain), o.passes.live, o.cfg.Pressure)
	}
	d.resize(rate)
	if len(d.starts) < rate {
		d.starts = append(d.starts, o.now)
	} else {
		if first := d.starts[d.oldest]; first > o.now-o.cfg.DomainWindow {
			o.violate("I-2", "start on %s is number %d since %s, at most %d may lie in %s", o.name(e.Domain), rate+1, first, rate, o.cfg.DomainWindow)
		}
		d.starts[d.oldest] = o.now
		if d.oldest++; d.oldest == rate {
			d.oldest = 0
		}
	}
	d.grants++
	if o.now < d.told {
		o.violate("I-2", "start on %s in its cool-down, which lasts until %s", o.name(e.Domain), d.told)
	} else if o.now < d.floor {
		o.violate("I-2", "start on %s at least %s too early: it failed at %s and must rest until %s (D-07)", o.name(e.Domain), d.floor-o.now, d.cause, d.floor)
	}
}

// resize keeps the latest starts when the rate changed.
func (d *judgeDomain) resize(rate int) {
	if len(d.starts) <= rate && (len(d.starts) == rate || d.oldest == 0) {
		return
	}
	list := append(append([]core.Time(nil), d.starts[d.oldest:]...), d.starts[:d.oldest]...)
	if len(list) > rate {
		list = list[len(list)-rate:]
	}
	d.starts, d.oldest = list, 0
}

// charges tells whether a class must cool its whole domain (D-07).
func charges(c core.Class) bool {
	switch c {
	case core.DNS, core.TLS, core.Refused, core.Reset, core.Timeout, core.TooManyRequests, core.ServerError:
		return true
	}
	return false
}

// completed notes the failures and successes that remotes reported. A charged failure of a pass that
// began after the last cause must keep the domain quiet for the base cool-down, or as long as the server
// asked for if that is longer.
func (o *Oracle) completed(in *core.Input) {
	p := o.passes.find(in.Ask)
	if p == nil || p.ending { // what a cancelled pass answers is not heard (T-04)
		return
	}
	p.answered = true
	if in.Class == core.Stalled {
		o.fair.stalled(p.hunt)
	}
	d := o.domain(p.domain)
	switch {
	case charges(in.Class):
		if d.cause != noDeadline && p.start <= d.cause {
			return // a failure of the same round (D-07)
		}
		d.cause = o.now
		d.floor = max(d.floor, o.now+max(o.cfg.CoolBase, min(in.RetryAfter, o.cfg.RetryAfterCap)))
	case in.Kind == core.InCompared && in.Class == core.OK && p.start > d.cause:
		d.cause = noDeadline
	}
}

// cooling notes what the core says of a cool-down. A local fault may shorten those it was wrong about (D-07).
func (o *Oracle) cooling(e *core.Effect) {
	d := o.domain(e.Domain)
	d.cause = max(d.cause, o.now) // also for what the judge does not count as a failure: two stalls (H-06)
	if o.eased == o.step && o.step != 0 {
		d.told = e.Deadline
		return
	}
	d.told = max(d.told, e.Deadline)
}

// healthy forgets what the judge held against a domain, or against all where the fault was ours: the
// charges were refunded.
func (o *Oracle) healthy(h core.Handle) {
	if h != 0 {
		d := o.domain(h)
		d.told, d.floor, d.cause = 0, 0, noDeadline
		return
	}
	for i := range o.domains {
		d := &o.domains[i]
		d.told, d.floor = 0, 0 // what began before the failure is of its round all the same
	}
}
