package budget

import (
	"slices"

	"graspsync/core/value"
)

// model is the table told slowly: lists that are searched, nothing forgotten, nothing armed. Every
// question is answered from the history by counting.
type model struct {
	lim     Limits
	now     Time
	doms    []*mDom
	ring    []*mTicket // all rings in one list; a granted ticket goes to the end
	permits []*mPermit
	lookups []mLookup // charged DNS failures since the last success anywhere
	local   bool
}

type mDom struct {
	h      Handle
	starts []Time
	asked  []mAsked
	health mHealth
	stalls []mStall
}

type (
	mAsked  struct{ at, n Time }
	mStall  struct{ url, at Time }
	mLookup struct {
		dom    *mDom
		at     Time
		before mHealth
	}
)

// mHealth is what failed rounds left behind.
type mHealth struct {
	cooled       bool // there was a failed round, and it is not forgotten
	from, until  Time
	rounds, ours int // charged; not charged because the fault was local
	named        int // latest rounds in a row that failed for DNS or TLS
	namedSince   Time
	listed       bool
	listedTill   Time
}

type mTicket struct {
	k                 Ticket
	dom               *mDom
	limited, eligible bool
	author            PubKey
	ahead, passedBy   int // fairness: tickets ahead when it joined, grants while it could have had one
}

type mPermit struct {
	p       Permit
	dom     *mDom
	limited bool
	author  PubKey
	started Time
	whole   bool // reserved all its requests at the start
	quota   Time
	left    Time // reserved, not made yet
	addr    [16]byte
}

func (m *model) dom(h Handle) *mDom {
	for _, d := range m.doms {
		if d.h == h {
			return d
		}
	}
	m.doms = append(m.doms, &mDom{h: h})
	return m.doms[len(m.doms)-1]
}

func (m *model) limits(d *mDom) (concurrency, rate int) {
	for _, o := range m.lim.Overrides {
		if o.Domain == d.h {
			return o.Concurrency, o.Rate
		}
	}
	return m.lim.Concurrency, m.lim.Rate
}

// starts counts what lies in the half-open window (at-w, at].
func (m *model) starts(d *mDom, at Time) (n int) {
	for _, s := range d.starts {
		if s > at-m.lim.Window && s <= at {
			n++
		}
	}
	return n
}

func (m *model) asked(d *mDom, at Time) (n Time) {
	for _, s := range d.asked {
		if s.at > at-m.lim.Window && s.at <= at {
			n += s.n
		}
	}
	for _, p := range m.permits {
		if p.dom == d {
			n += p.left
		}
	}
	return n
}

func (m *model) running(which func(*mPermit) bool) (n int) {
	for _, p := range m.permits {
		if which(p) {
			n++
		}
	}
	return n
}

// healthAt is d's health at an instant, forgotten things left out (D-08).
func (m *model) healthAt(d *mDom, at Time) mHealth {
	if h := d.health; h.cooled && at < m.forgotten(h) {
		return h
	}
	return mHealth{}
}

func (m *model) forgotten(h mHealth) Time {
	if h.listed {
		return max(h.until+m.lim.CoolForget, h.listedTill)
	}
	return h.until + m.lim.CoolForget
}

func (m *model) room(d *mDom, at Time) bool {
	concurrency, rate := m.limits(d)
	h := m.healthAt(d, at)
	if at < h.until || m.running(func(p *mPermit) bool { return p.dom == d }) >= concurrency {
		return false
	}
	if h.cooled && m.running(func(p *mPermit) bool { return p.dom == d && p.started > h.from }) > 0 {
		return false
	}
	if m.lim.RequestUnit {
		return m.asked(d, at)+min(4, Time(rate)) <= Time(rate)
	}
	return m.starts(d, at) < rate && m.asked(d, at)+4 <= Time(m.lim.Requests)
}

func (m *model) shares(limited bool, author PubKey) bool {
	return !limited || m.running(func(p *mPermit) bool { return p.limited }) < max(1, m.lim.Pressure/2) &&
		m.running(func(p *mPermit) bool { return p.limited && p.author == author }) < m.lim.AuthorPasses
}

func (m *model) mayRun(t *mTicket) bool {
	return t.eligible && m.shares(t.limited, t.author) && len(m.permits) < m.lim.Pressure && m.room(t.dom, m.now)
}

func (m *model) next() *mTicket {
	for _, t := range m.ring {
		if m.mayRun(t) {
			return t
		}
	}
	return nil
}

func (m *model) free(d *mDom, limited bool, author PubKey) bool {
	for _, t := range m.ring {
		if t.dom == d && t.eligible && m.shares(t.limited, t.author) {
			return false
		}
	}
	return len(m.permits) < m.lim.Pressure && m.shares(limited, author) && m.room(d, m.now)
}

// roomLater is the first instant after now at which a domain where a ticket waits gets room by the
// passing of time alone; Never if none does.
func (m *model) roomLater() Time {
	first := value.Never
	for _, t := range m.ring {
		if !t.eligible || !m.shares(t.limited, t.author) || m.room(t.dom, m.now) {
			continue
		}
		at := []Time{t.dom.health.until, m.forgotten(t.dom.health)}
		for _, s := range t.dom.starts {
			at = append(at, s+m.lim.Window)
		}
		for _, s := range t.dom.asked {
			at = append(at, s.at+m.lim.Window)
		}
		for _, at := range at {
			if at > m.now && at < first && m.room(t.dom, at) {
				first = at
			}
		}
	}
	return first
}

// start reserves; grant is nil for a newcomer.
func (m *model) start(d *mDom, limited bool, author PubKey, need int, granted *mTicket) *mPermit {
	for _, t := range m.ring {
		if t != granted && t.dom == d && t.eligible && m.shares(t.limited, t.author) {
			t.passedBy++
		}
	}
	if granted != nil {
		i := slices.Index(m.ring, granted)
		m.ring = append(slices.Delete(m.ring, i, i+1), granted)
		granted.eligible = false
		granted.ahead, granted.passedBy = m.inRing(d)-1, 0
	}
	_, rate := m.limits(d)
	p := &mPermit{dom: d, limited: limited, author: author, started: m.now, quota: 4}
	if m.lim.RequestUnit {
		p.whole = true
		p.quota = max(min(Time(rate)-m.asked(d, m.now), Time(need)), min(4, Time(rate)))
	}
	d.starts = append(d.starts, m.now)
	p.left = p.quota
	m.permits = append(m.permits, p)
	return p
}

func (m *model) inRing(d *mDom) (n int) {
	for _, t := range m.ring {
		if t.dom == d {
			n++
		}
	}
	return n
}

func (m *model) take(p *mPermit, want int) int {
	if p.whole {
		return 0
	}
	limit := Time(m.lim.Requests)
	if m.lim.RequestUnit {
		_, rate := m.limits(p.dom)
		limit = Time(rate)
	}
	got := max(0, min(Time(want), limit-m.asked(p.dom, m.now)))
	p.left += got
	return int(got)
}

// spend: requests leave now, out of what the pass has reserved.
func (m *model) spend(p *mPermit, n int) {
	p.dom.asked = append(p.dom.asked, mAsked{m.now, Time(n)})
	p.left = max(0, p.left-Time(n))
}

func (m *model) fail(d *mDom, f Failure) Change {
	h := m.healthAt(d, m.now)
	retry := min(f.RetryAfter, m.lim.RetryAfterCap)
	if h.cooled && f.Started <= h.from {
		if m.now+retry > h.until && retry > 0 {
			h.until = m.now + retry
			d.health = h
			return Cooled
		}
		return Unchanged
	}
	change, before := Cooled, h
	h.cooled, h.from = true, m.now
	if f.DNS && !h.listed {
		if !m.local && m.resolverIsDown(d, &h) {
			m.local, change = true, LocalFault
		}
		if m.local {
			h.ours++
			h.until = m.now + doubled(m.lim.CoolBase, m.lim.LocalCap, h.ours)
			d.health = h
			return change
		}
		m.lookups = append(m.lookups, mLookup{d, m.now, before})
	}
	h.rounds++
	switch {
	case !f.DNS && !f.TLS:
		h.named = 0
	case h.named == 0:
		h.named, h.namedSince = 1, m.now
	default:
		h.named++
	}
	h.until = m.now + max(retry, doubled(m.lim.CoolBase, m.lim.CoolCap, h.rounds))
	if (f.DNS || f.TLS) && (h.listed || h.named >= 3 && m.now-h.namedSince >= m.lim.UnreachableAge) {
		if !h.listed {
			change = Unreachable
		}
		h.listed, h.listedTill = true, m.now+m.lim.UnreachableFor
		h.until = m.now + max(retry, m.lim.UnreachableTry)
	}
	d.health = h
	return change
}

// resolverIsDown: with d at least three domains failed in the last ten seconds, and nothing succeeded
// between. Their charges go back.
func (m *model) resolverIsDown(d *mDom, h *mHealth) bool {
	recent := slices.DeleteFunc(slices.Clone(m.lookups), func(l mLookup) bool { return m.now-l.at > 10*value.Second })
	others := []*mDom{}
	for _, l := range recent {
		if l.dom != d && !slices.Contains(others, l.dom) {
			others = append(others, l.dom)
		}
	}
	if len(others) < 2 {
		return false
	}
	slices.Reverse(recent) // newest first: what stood before the oldest is what remains
	for _, l := range recent {
		o := &l.dom.health
		if l.dom == d {
			o = h
		} else if !o.cooled || o.from < l.at {
			continue
		}
		*o = mHealth{cooled: true, from: o.from, until: o.until, ours: o.ours, rounds: l.before.rounds,
			named: l.before.named, namedSince: l.before.namedSince}
	}
	for _, dom := range others {
		o := &dom.health
		o.ours++
		o.until = min(o.until, o.from+doubled(m.lim.CoolBase, m.lim.LocalCap, o.ours))
	}
	m.lookups = nil
	return true
}

func doubled(base, limit Time, n int) Time {
	for range n - 1 {
		base = min(2*base, limit)
	}
	return min(base, limit)
}

func (m *model) succeed(d *mDom, started Time) Change {
	m.lookups, m.local = nil, false
	if h := m.healthAt(d, m.now); !h.cooled || started <= h.from {
		return Unchanged
	}
	d.health = mHealth{}
	return Recovered
}

func (m *model) stall(d *mDom, url, started Time) Change {
	for _, s := range d.stalls {
		if s.url != url && m.now-s.at <= m.lim.URLCool {
			d.stalls = nil
			return m.fail(d, Failure{Started: started})
		}
	}
	d.stalls = append(d.stalls, mStall{url, m.now})
	return Unchanged
}
