package scenarios

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"graspsync/core"
	"graspsync/fakes"
	"graspsync/sim"
)

// postPrefix before a status has POSTs alone answered with it.
const postPrefix = "post-"

// answers are the words a rule's Answer may be, beside a status from 400 to 599, or "post-" and a status.
func answers() []string {
	var out []string
	for a := fakes.Act(0); a < fakes.NumActs; a++ {
		if a != fakes.Status && a != fakes.PostStatus {
			out = append(out, a.String())
		}
	}
	return out
}

// likeWords are the kinds of hosts that Like may name.
func likeWords() (out []string) {
	for _, k := range fakes.Presets() {
		out = append(out, k.Name)
	}
	return out
}

// behaviour translates b; what is wrong goes to p under path.
func (b *Behaviour) fake(p *problems, path string) fakes.Behaviour {
	var out fakes.Behaviour
	if b.Like != "" {
		presets := fakes.Presets()
		i := slices.IndexFunc(presets, func(k fakes.Preset) bool { return k.Name == b.Like })
		if i < 0 {
			p.add(path+".like", unknown("kind of host", b.Like, likeWords()))
		} else {
			out = presets[i].Behaviour
		}
	}
	if b.Latency > 0 || b.Jitter > 0 {
		out.Answer = latency(p, path+".latency", b.Latency, b.Jitter)
		out.Fetch = out.Answer
	}
	if b.Fetch > 0 {
		out.Fetch = latency(p, path+".fetch", b.Fetch, b.Jitter)
	}
	if b.Speed < 0 {
		p.add(path+".speed", fmt.Sprintf("%d, must be bytes per second from 0", b.Speed))
	}
	if b.Speed > 0 {
		out.Rate = b.Speed
	}
	known := out.Rules
	out.Rules = nil // what the scenario says comes before what the kind of host does
	rules := b.Rules
	if b.Rule.Answer != "" {
		rules = append([]Rule{b.Rule}, rules...)
	} else if !b.Rule.zero() {
		p.add(path, "details of an answer without \"answer\"")
	}
	for i := range rules {
		at := path
		if i > 0 || b.Rule.Answer == "" {
			at = path + ".rules[" + strconv.Itoa(i) + "]"
		}
		out.Rules = append(out.Rules, rules[i].fake(p, at))
	}
	for _, r := range known {
		if r.Do == fakes.Ban {
			out.Rules = append([]fakes.Rule{r}, out.Rules...) // nobody who is banned gets any further
			continue
		}
		out.Rules = append(out.Rules, r)
	}
	return out
}

func (r Rule) zero() bool {
	return r.Answer == "" && r.On == nil && r.Share == nil && r.Up|r.Down|r.After|r.RetryAfter|r.For|r.Gap|r.Window == 0 &&
		r.BytesPerSec == 0 && r.Keep == 0 && r.Target == "" && r.Limit == 0 && !r.CountRefused
}

func latency(p *problems, path string, base, jitter Span) fakes.Latency {
	const most = 366 * Span(core.Day)
	if base > most || jitter > most {
		p.add(path, fmt.Sprintf("%v, must be at most %v", max(base, jitter), most))
		return fakes.Latency{}
	}
	l := fakes.Latency{Fixed: core.Time(base)}
	if jitter > 0 {
		q, err := fakes.NewQuantiles([]fakes.Point{{PerMille: 0, At: 0}, {PerMille: 1000, At: core.Time(jitter)}})
		if err != nil {
			p.add(path, err.Error())
		}
		l.Table = q
	}
	return l
}

func (r *Rule) fake(p *problems, path string) fakes.Rule {
	out := fakes.Rule{Up: core.Time(r.Up), Down: core.Time(r.Down), After: latency(p, path+".after", r.After, 0),
		RetryAfter: core.Time(r.RetryAfter), For: core.Time(r.For), Rate: r.BytesPerSec, Gap: core.Time(r.Gap), Keep: r.Keep, To: r.Target}
	number, post := strings.CutPrefix(r.Answer, postPrefix)
	if n, err := strconv.Atoi(number); err == nil {
		if n < 400 || n > 599 {
			p.add(path+".answer", fmt.Sprintf("status %d, must be 400 to 599", n))
		}
		out.Do, out.Status = fakes.Status, uint16(n&0x3ff)
		if post {
			out.Do = fakes.PostStatus
		}
	} else if act, ok := fakes.ParseAct(r.Answer); ok && act != fakes.Status && act != fakes.PostStatus {
		out.Do = act
	} else {
		p.add(path+".answer", unknown("answer", r.Answer, answers())+" or a status from 400 to 599")
	}
	for i, word := range r.On {
		kind, ok := askKind(word)
		if !ok {
			p.add(fmt.Sprintf("%s.on[%d]", path, i), unknown("request", word, []string{"compare", "fetch", "probe"}))
			continue
		}
		out.On |= fakes.On(kind)
	}
	if r.Share != nil {
		out.Share = fakes.Ratio{Num: uint32(r.Share.Num), Den: uint32(r.Share.Den)}
	}
	if (r.Up > 0) != (r.Down > 0) {
		p.add(path, fmt.Sprintf("up %v and down %v, must both be given or neither", r.Up, r.Down))
	}
	switch {
	case out.Do == fakes.Drip && r.BytesPerSec <= 0:
		p.add(path+".bytes-per-sec", fmt.Sprintf("%d, a drip needs at least 1", r.BytesPerSec))
	case r.BytesPerSec < 0 || r.Keep < 0:
		p.add(path, fmt.Sprintf("bytes-per-sec %d and keep %d, must not be negative", r.BytesPerSec, r.Keep))
	case (out.Do == fakes.Redirect || out.Do == fakes.PostRedirect) && r.Target == "":
		p.add(path+".target", "missing, a redirect needs a URL")
	case (out.Do == fakes.TimeLimit || out.Do == fakes.Ban) && r.For == 0:
		p.add(path+".for", fmt.Sprintf("missing, %s needs to know how long", r.Answer))
	case out.Do == fakes.Throttle || out.Do == fakes.Challenge || out.Do == fakes.Ban:
		out.Limit = fakes.Limit{Requests: r.Limit, Window: core.Time(r.Window), CountRefused: r.CountRefused}
		if out.Limit.Window == 0 {
			out.Limit.Window = core.Minute
		}
		if r.Limit < 1 || r.Limit > 1<<16 {
			p.add(path+".limit", fmt.Sprintf("%d, must be 1 to 65536 requests per window", r.Limit))
		}
	case r.Limit != 0 || r.Window != 0 || r.CountRefused:
		p.add(path, "limit, window and count-refused go with \"answer: throttle\", \"answer: challenge\" and \"answer: ban\"")
	}
	return out
}

func askKind(word string) (sim.RequestKind, bool) {
	for i, w := range [...]string{"compare", "fetch", "probe"} {
		if w == word {
			return sim.RequestKind(i), true
		}
	}
	return 0, false
}

// script translates a host's phases.
func (h *Host) fake(p *problems, path string) fakes.Script {
	out := make(fakes.Script, len(h.Script))
	for i := range h.Script {
		ph, at := &h.Script[i], path
		switch {
		case ph.Until > 0:
			at = join(path, untilPrefix+ph.Until.String())
		case len(h.Script) > 1:
			at = path + ".then"
		}
		out[i] = fakes.Segment{Until: core.Time(ph.Until), Behaviour: ph.Behaviour.fake(p, at)}
		if ph.Until == 0 {
			out[i].Until = core.Never
		}
	}
	if len(out) == 0 {
		return fakes.Always(fakes.Behaviour{})
	}
	if out[len(out)-1].Until != core.Never {
		out = append(out, fakes.Segment{Until: core.Never, Behaviour: out[len(out)-1].Behaviour})
	}
	return out
}
