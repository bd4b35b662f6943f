package sim

import "graspsync/core"

const (
	// deadAsks and deadSpan: a host that answers nothing is asked at most so often in so long (I-14).
	deadAsks = 40
	deadSpan = 30 * core.Minute
)

// judgeRemote knows what must never be asked (I-18).
type judgeRemote struct{ forbidden []bool }

func (j *judgeRemote) init(s *Setup) {
	for _, h := range s.Forbidden {
		j.forbid(h)
	}
}

func (j *judgeRemote) forbid(h core.Handle) {
	for int(h) >= len(j.forbidden) {
		j.forbidden = append(j.forbidden, false)
	}
	j.forbidden[h] = true
}

func (j *judgeRemote) isForbidden(h core.Handle) bool {
	return int(h) < len(j.forbidden) && j.forbidden[h]
}

// sources learns from a delivered event which of its URLs are our own or private.
func (o *Oracle) sources(e *core.Event) {
	for i := range e.Sources {
		s := &e.Sources[i]
		if s.Class == core.Own || s.Class == core.Private && !o.cfg.AllowPrivate {
			o.remote.forbid(s.URL)
		}
	}
}

// permitted judges that nothing is asked of our own authority or a refused address. I-18
func (o *Oracle) permitted(e *core.Effect) {
	if o.remote.isForbidden(e.URL) || o.remote.isForbidden(e.Domain) {
		o.violate("I-18", "%s to %s on %s, which must never be contacted", e.Kind, o.name(e.URL), o.name(e.Domain))
	}
}

// Asked judges one question as the remote saw it: requests to a host that answered nothing since, in
// any half hour. The bound belongs to the default limits; a run that cools down less, gives up earlier
// or allows more at once is not judged. I-14
func (o *Oracle) Asked(step uint64, now core.Time, r *Request, a *Reply) {
	d := o.domain(r.Domain)
	if !isDead(a) {
		d.deadN = 0
		return
	}
	c := &o.cfg
	if c.CoolBase < 20*core.Second || c.CoolCap < 10*core.Minute || c.StallLimit < 5*core.Minute || c.URLCool < 10*core.Minute || c.CoolForget < core.Hour {
		return
	}
	if concurrency, _ := o.bounds(r.Domain); concurrency > 5 {
		return
	}
	for range max(a.Requests, 1) {
		if d.deadN == deadAsks {
			if first := d.dead[d.deadNext]; first > now-deadSpan {
				o.step, o.now = step, now
				o.violate("I-14", "request %d to %s since %s, and it never answered", deadAsks+1, o.name(r.Domain), first)
				d.deadN = 0 // one finding per flood
				return
			}
		} else {
			d.deadN++
		}
		d.dead[d.deadNext] = now
		d.deadNext = (d.deadNext + 1) % deadAsks
	}
}

// unask takes back the latest question: it was cancelled before it could be known that nobody answers. Those are bounded by
// the rate alone, see the decision on cancelled passes.
func (d *judgeDomain) unask() {
	if d.deadN > 0 {
		d.deadN--
		d.deadNext = (d.deadNext + deadAsks - 1) % deadAsks
	}
}

// isDead tells whether a reply is that of a host nobody is at.
func isDead(a *Reply) bool {
	switch a.Class {
	case core.DNS, core.TLS, core.Refused, core.Reset, core.Timeout, core.Stalled:
		return a.Bytes == 0
	}
	return a.After == NoReply && a.Bytes == 0
}
