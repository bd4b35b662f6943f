package sim

import (
	"math/bits"
	"slices"

	"graspsync/core"
)

// progressEvery is the least distance of two Progress inputs of a pass (H-06).
const progressEvery = 10 * core.Second

// pass is the driver's side of one pass: a process or connection that asks one question at a time.
type pass struct {
	ask               core.AskID      // 0: the slot is free
	kind              core.EffectKind // the question on its way; EfNone: none
	due               core.Time       // when its answer is complete; noDeadline: never
	question          uint16          // its number (T-04)
	oids              []core.OID      // list of the completion
	url, domain, repo core.Handle
	needed            []core.OID  // everything asked for so far, sorted
	probes            []core.OID  // probes that wait for the one on its way …
	probeN            []uint16    // … their numbers
	probeURL          core.Handle // … and where they go
	reply             Reply
	since             core.Time // when the question was asked
	moveEnd           core.Time // until then its bytes arrive, evenly
	tell              core.Time // next progress report; noDeadline: none
	told              int64     // bytes of the last one
	bytes             int64     // received before the question on its way
	requests          int32
	endAt             core.Time // PassEnded comes; noDeadline: not asked for
	endClass          core.Class
}

// pass finds the slot of a pass, making room for it.
func (d *driver) pass(ask core.AskID) *pass {
	i := int(ask & askSlotMask)
	for len(d.passes) <= i {
		d.passes = append(d.passes, pass{})
	}
	return &d.passes[i]
}

// running finds the pass that a queued happening is about, or nil if it is gone.
func (d *driver) running(id uint64) *pass {
	p := &d.passes[id&askSlotMask]
	if p.ask == 0 || uint64(p.ask)&ordIDMask != id {
		return nil
	}
	return p
}

func (d *driver) startPass(e *core.Effect) {
	s := d.pass(e.Ask)
	if s.ask == e.Ask {
		d.w.violate("T-04", "pass "+e.Ask.String()+" was started twice")
		return
	}
	*s = pass{ask: e.Ask, due: noDeadline, oids: s.oids[:0], url: e.URL, domain: e.Domain, repo: e.Repo, tell: noDeadline, endAt: noDeadline,
		needed: append(s.needed[:0], e.OIDs...), probes: s.probes[:0], probeN: s.probeN[:0], reply: Reply{OIDs: s.reply.OIDs[:0]}}
	slices.SortFunc(s.needed, core.OID.Compare)
	d.request(s, AskCompare, core.EfCompare, e.URL, e.OIDs)
}

// ask takes a Fetch or Probe of a running pass. Probes queue: a pass has one connection.
func (d *driver) ask(e *core.Effect) {
	s := d.pass(e.Ask)
	if s.ask != e.Ask || s.endAt != noDeadline {
		d.w.violate("T-04", e.Kind.String()+" within pass "+e.Ask.String()+", which is not running")
		return
	}
	if e.Kind == core.EfProbe {
		s.probeURL = e.URL
		if s.kind != core.EfNone {
			for _, o := range e.OIDs {
				s.probes, s.probeN = append(s.probes, o), append(s.probeN, e.Question)
			}
			return
		}
		s.question = e.Question
		d.request(s, AskProbe, core.EfProbe, e.URL, e.OIDs[:min(1, len(e.OIDs))])
		return
	}
	if s.kind != core.EfNone {
		d.w.violate("T-04", "fetch within pass "+e.Ask.String()+" while its "+s.kind.String()+" is not answered")
		return
	}
	known := len(s.needed)
	for _, o := range e.OIDs {
		if _, ok := slices.BinarySearchFunc(s.needed[:known], o, core.OID.Compare); !ok {
			s.needed = append(s.needed, o)
		}
	}
	if len(s.needed) != known {
		slices.SortFunc(s.needed, core.OID.Compare)
	}
	s.question = e.Question
	d.request(s, AskFetch, core.EfFetch, e.URL, e.OIDs)
}

// request puts one question to the remote and works out when and how it ends. Silence for the stall
// limit ends it as stalled after the kill grace, whatever the remote meant to say (H-06).
func (d *driver) request(s *pass, kind RequestKind, ef core.EffectKind, url core.Handle, oids []core.OID) {
	w := d.w
	for int(url) >= len(d.urlN) {
		d.urlN = append(d.urlN, 0)
	}
	d.urlN[url]++
	d.req = Request{Kind: kind, Pass: s.ask, URL: url, Domain: s.domain, Repo: s.repo, OIDs: oids, N: d.urlN[url]}
	r := &s.reply
	*r = Reply{OIDs: r.OIDs[:0]}
	if f := &w.setup.Driver; f.GitMissing.Num != 0 && f.GitMissing.Hit(Mix(w.setup.Seed, PurposeFail, uint64(url), d.urlN[url])) {
		r.Class = core.LocalFault
	} else {
		w.setup.Remote.Ask(w.now, &d.req, r)
	}
	s.kind, s.since = ef, w.now
	if kind == AskProbe { // the one asked, for the completion
		s.oids = append(s.oids[:0], oids...)
	}
	quiet := r.Silent
	if r.Bytes == 0 {
		quiet = max(quiet, r.After)
	}
	switch {
	case r.After == NoReply:
		s.moveEnd = w.now
		d.stall(s)
	case quiet >= w.cfg.StallLimit:
		s.moveEnd = w.now + max(r.After-quiet, 0)
		d.stall(s)
	default:
		s.moveEnd = w.now + r.After
		s.due = s.moveEnd
	}
	w.asked(r)
	w.push(s.due, evAnswer, uint64(s.ask))
	s.told, s.tell = s.bytes, noDeadline
	if s.due-w.now > progressEvery && r.Bytes > 0 {
		s.tell = w.now + progressEvery
		w.push(s.tell, evProgress, uint64(s.ask))
	}
}

func (d *driver) stall(s *pass) {
	s.due = s.moveEnd + d.w.cfg.StallLimit + d.w.cfg.KillGrace
	r := &s.reply
	*r = Reply{Class: core.Stalled, Address: r.Address, Bytes: r.Bytes, Requests: r.Requests, OIDs: r.OIDs[:0]}
}

// moved is what the question on its way has brought so far.
func (s *pass) moved(now core.Time) int64 {
	r := &s.reply
	span := s.moveEnd - s.since
	if now >= s.moveEnd || span <= 0 {
		return r.Bytes
	}
	hi, lo := bits.Mul64(uint64(r.Bytes), uint64(now-s.since))
	q, _ := bits.Div64(hi, lo, uint64(span))
	return int64(q)
}

// progress reports bytes of a long transfer, if there are new ones.
func (d *driver) progress(id uint64) bool {
	s := d.running(id)
	now := d.w.now
	if s == nil || s.kind == core.EfNone || s.tell != now || s.due == now {
		return false
	}
	s.tell = noDeadline
	if now < s.moveEnd {
		s.tell = now + progressEvery
		d.w.push(s.tell, evProgress, id)
	}
	total := s.bytes + s.moved(now)
	if total <= s.told {
		return false
	}
	s.told = total
	d.in = core.Input{Kind: core.InProgress, Ask: s.ask, Bytes: total}
	d.w.stepMachine(&d.in)
	return true
}

// answered delivers what the remote said.
func (d *driver) answered(id uint64) bool {
	s := d.running(id)
	if s == nil || s.kind == core.EfNone || s.due != d.w.now {
		return false
	}
	d.complete(s, &d.in)
	if d.in.Kind == core.InFetched && (s.reply.Class == core.OK || len(s.reply.OIDs) > 0) {
		git := d.w.setup.Local
		if len(d.struck) != 0 && d.strikes(ReceiveWork, s.repo, core.EventID{}).Fails {
			s.reply.Class, d.in.Class = core.LocalFault, core.LocalFault // nothing of the pack is kept
		} else {
			git.Receive(s.repo, s.reply.OIDs)
		}
		s.oids = git.Check(s.repo, s.needed, s.oids[:0])
		d.in.OIDs = s.oids
	}
	if s.reply.Class == core.Stalled {
		d.w.res.Counts.Stalls++
	}
	s.bytes += s.reply.Bytes
	s.requests += s.reply.Requests
	d.in.Bytes = 0
	if d.in.Kind == core.InFetched {
		d.in.Bytes = s.bytes
	}
	ask := s.ask
	s.kind, s.due, s.tell = core.EfNone, noDeadline, noDeadline
	d.maybeEcho(&d.in)
	d.w.stepMachine(&d.in)
	// The slots may have moved while effects were carried out.
	s = d.pass(ask)
	if s.ask == ask && s.kind == core.EfNone && s.endAt == noDeadline && len(s.probes) > 0 {
		s.question = s.probeN[0]
		d.request(s, AskProbe, core.EfProbe, s.probeURL, s.probes[:1])
		s.probes, s.probeN = slices.Delete(s.probes, 0, 1), slices.Delete(s.probeN, 0, 1)
	}
	return true
}

// complete fills in the completion of the question on its way.
func (d *driver) complete(s *pass, in *core.Input) {
	r := &s.reply
	*in = core.Input{Ask: s.ask, Class: r.Class, RetryAfter: r.RetryAfter}
	switch s.kind {
	case core.EfCompare:
		in.Kind, in.OIDs, in.Status, in.HasHeads, in.Truncated = core.InCompared, r.OIDs, r.Status, r.HasHeads, r.Truncated
		in.Fingerprint, in.Address, in.FinalURL = r.Fingerprint, r.Address, r.FinalURL
	case core.EfFetch:
		in.Kind, in.RefsMoved, in.Question = core.InFetched, r.RefsMoved, s.question
	case core.EfProbe:
		in.Kind, in.OIDs, in.Question = core.InProbed, s.oids, s.question
	}
}

func (d *driver) endPass(ask core.AskID) {
	s := d.pass(ask)
	if s.ask != ask {
		d.w.violate("T-04", "end of pass "+ask.String()+", which is not running")
		return
	}
	if s.endAt != noDeadline {
		return
	}
	if s.kind != core.EfNone {
		d.w.violate("T-04", "end of pass "+ask.String()+" while its "+s.kind.String()+" is not answered")
	}
	d.finishAt(s, d.w.now+d.w.setup.Driver.End, core.OK)
}

// cancelPass stops a pass: the question on its way is void, and the process may take up to the kill
// grace to go. A pass that is over or ending already needs nothing.
func (d *driver) cancelPass(ask core.AskID) {
	s := d.pass(ask)
	if s.ask != ask || s.endAt != noDeadline {
		return
	}
	w := d.w
	if s.kind != core.EfNone {
		s.bytes += s.moved(w.now)
		s.requests += s.reply.Requests
		f := &w.setup.Driver
		if s.due != noDeadline && f.AfterEnd.Num != 0 && f.AfterEnd.Hit(Mix(w.setup.Seed, PurposeRepeat, uint64(ask), ^uint64(0))) {
			d.complete(s, &d.in)
			d.keep(&d.in, ask, s.due)
		}
	}
	w.res.Counts.Cancelled++
	d.finishAt(s, w.now+min(w.setup.Driver.Cancel, w.cfg.KillGrace), core.Cancelled)
}

func (d *driver) finishAt(s *pass, at core.Time, class core.Class) {
	s.kind, s.due, s.tell = core.EfNone, noDeadline, noDeadline
	s.probes, s.probeN = s.probes[:0], s.probeN[:0]
	s.endAt, s.endClass = at, class
	d.w.push(at, evEnded, uint64(s.ask))
}

func (d *driver) ended(id uint64) bool {
	s := d.running(id)
	if s == nil || s.endAt != d.w.now {
		return false
	}
	d.in = core.Input{Kind: core.InPassEnded, Ask: s.ask, Class: s.endClass, Requests: s.requests, Bytes: s.bytes}
	s.ask, s.endAt = 0, noDeadline
	d.maybeEcho(&d.in)
	d.w.stepMachine(&d.in)
	return true
}
