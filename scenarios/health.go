package scenarios

import (
	"slices"

	"graspsync/core"
)

// health is what the scenario says of a host.
type health struct {
	from   core.Time // it answers plainly and promptly from here to the end; Never: it does not
	steady bool      // and did so from the start
	prompt bool      // whatever it answers, it answers promptly, always
}

func (r *reach) health(domain string) health {
	i := slices.IndexFunc(r.script.hosts, func(h item[Host]) bool { return h.name == domain })
	if i < 0 {
		return health{from: core.Never}
	}
	host := &r.script.hosts[i].val
	out := health{prompt: true}
	asked := Span(0) // how long it ever asked to be left alone (D-07)
	for k := range host.Script {
		p := &host.Script[k]
		if !r.plain(&p.Behaviour) {
			out.from = core.Never
			if p.Until > 0 && k < len(host.Script)-1 {
				out.from = core.Time(p.Until)
			}
		}
		out.prompt = out.prompt && r.prompt(&p.Behaviour)
		for _, rule := range append(p.Rules, p.Rule) {
			asked = max(asked, rule.RetryAfter)
		}
	}
	for k := range r.Faults {
		f := &r.Faults[k]
		if !slices.Contains(f.hosts(), domain) {
			continue
		}
		until := core.Never
		if f.To > 0 {
			until = core.Time(f.To)
		}
		out.from = max(out.from, until)
		out.prompt = out.prompt && f.Stall == nil && f.Partition == nil && !slow(&f.Rule)
		asked = max(asked, f.RetryAfter)
	}
	out.steady = out.from == 0
	if out.from != 0 && out.from != core.Never {
		out.from += min(core.Time(asked), r.cfg.RetryAfterCap)
	}
	if host.Address != "" { // what others do there counts against it (D-03)
		out.from, out.steady = core.Never, false
	}
	return out
}

// plain tells whether a host just answers, and a whole pass with all its probes takes no longer than the
// hedge head start.
func (r *reach) plain(b *Behaviour) bool { return b.Rule.zero() && len(b.Rules) == 0 && r.prompt(b) }

func (r *reach) prompt(b *Behaviour) bool {
	const others = 7
	each := core.Time(max(b.Latency, b.Fetch) + b.Jitter)
	quick := b.Like == "" && b.Speed == 0 && each < r.cfg.StallLimit && each <= r.cfg.HedgeHeadStart/core.Time(others+r.cfg.ResidualProbes)
	return quick && !slow(&b.Rule) && !slices.ContainsFunc(b.Rules, func(x Rule) bool { return slow(&x) })
}

// slow tells whether a rule's answer may take its time: all that is not known to come at once.
func slow(r *Rule) bool {
	switch r.Answer {
	case "", "answer", "reset", "dns", "tls", "refuse", "html", "empty", "err-line", "truncate", "cut-advert", "cut-pack", "deny",
		"hide", "move", "churn", "private", "throttle", "close", "no-type", "challenge", "post-status":
		return r.After > 0
	}
	return len(r.Answer) != len("429") || r.Answer[0] < '4' || r.Answer[0] > '5' || r.After > 0
}
