package generate

import "graspsync/scenarios"

// answer draws one way of not answering well, of those that are not banned.
func (g *generator) answer(d *source) (r scenarios.Rule, ok bool) {
	type way struct {
		f     Feature
		words []string
	}
	ways := []way{
		{FailingHosts, []string{"404", "401", "403", "500", "502", "503", "504", "429", "reset", "dns", "tls", "refuse", "timeout", "close", "post-503", "410"}},
		{LyingHosts, []string{"html", "empty", "err-line", "truncate", "cut-advert", "cut-pack", "deny", "hide", "move", "churn", "redirect", "private", "no-type", "dumb", "post-redirect", "endless"}},
		{SilentHosts, []string{"stall", "stall-mid", "drip", "time-limit"}},
		{LimitingHosts, []string{"throttle", "challenge", "429", "post-429", "ban"}},
	}
	allowed := ways[:0]
	for _, w := range ways {
		if g.on(w.f) {
			allowed = append(allowed, w)
		}
	}
	if len(allowed) == 0 {
		return r, false
	}
	w := pick(d, allowed...)
	r.Answer = pick(d, w.words...)
	if d.oneIn(3) {
		r.On = pick(d, scenarios.Labels{"compare"}, scenarios.Labels{"fetch"}, scenarios.Labels{"fetch", "probe"}, scenarios.Labels{"probe"})
	}
	switch d.Below(5) {
	case 0:
		r.Share = &scenarios.Ratio{Num: 1, Den: pick(d, int64(2), 3, 5)}
	case 1:
		r.Up, r.Down = max(d.ladder(20*sec, min1, 5*min1), ms), max(d.ladder(10*sec, min1, 5*min1), ms)
	}
	if d.oneIn(6) {
		r.After = d.ladder(sec, 20*sec, 40*sec)
	}
	switch r.Answer {
	case "429", "503", "post-429":
		if d.oneIn(2) {
			r.RetryAfter = d.ladder(5*sec, 30*sec, 2*min1, 10*min1, 2*hour)
		}
	case "stall", "stall-mid":
		if d.oneIn(2) {
			r.For = d.ladder(20*sec, 70*sec, 4*min1, 20*min1)
		}
	case "drip":
		r.BytesPerSec, r.Gap = pick(d, int64(1), 20, 500, 2_000), d.ladder(sec, 30*sec, 70*sec)
	case "truncate":
		r.Keep = d.number(0, 2)
	case "dumb":
		r.Keep = pick(d, 0, 3, 50)
	case "timeout":
		r.For = d.ladder(5*sec, 30*sec, 2*min1)
	case "time-limit":
		r.For = max(d.ladder(2*sec, 20*sec, 2*min1), sec)
	case "redirect", "post-redirect":
		r.Target = "https://" + pick(d, g.hostNames...) + "/moved.git"
	case "throttle", "challenge":
		r.Limit, r.Window = pick(d, 1, 3, 10, 40), max(d.ladder(10*sec, min1, 10*min1), sec)
		r.CountRefused = d.oneIn(3)
		if r.Answer == "throttle" && d.oneIn(2) {
			r.RetryAfter = d.ladder(10*sec, min1)
		}
	case "ban":
		r.Limit, r.Window, r.For = pick(d, 1, 3, 30), min1, d.ladder(5*min1, hour)
	}
	return r, true
}
