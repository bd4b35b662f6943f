package budget

import (
	"graspsync/core/pq"
)

// Failure is a pass's failure as far as its domain is concerned.
type Failure struct {
	Started    Time // when the pass got its permit
	RetryAfter Time // 0 if the server named none
	DNS        bool // the name did not resolve
	TLS        bool // the handshake failed
}

// Change says what a failure or success did to a domain, for the report.
type Change uint8

// Changes.
const (
	Unchanged   Change = iota
	Cooled             // a new cool-down began or was lengthened
	Unreachable        // it is on the unreachable list from now on
	Recovered          // failures are forgotten
	LocalFault         // the fault is ours; earlier charges of the span are refunded
)

type dnsFailure struct {
	dom    Dom
	at     Time
	before record // the charge
}

// Fail charges a failed round (D-07): failures of passes that started before the present cool-down began
// do not count again, though a longer Retry-After of theirs is honoured.
func (t *Table) Fail(d Dom, now Time, f Failure) Change {
	dom := &t.doms[d]
	t.forgetOld(dom, now)
	retry := min(f.RetryAfter, t.lim.RetryAfterCap)
	if dom.probation && f.Started <= dom.coolStart {
		if now+retry > dom.coolUntil && retry > 0 {
			dom.coolUntil = now + retry
			t.refresh(d, now)
			return Cooled
		}
		return Unchanged
	}
	if f.DNS && !dom.unreachable && t.dnsFailed(d, now) {
		// Ours: the rest is short and charges nobody.
		dom.localRounds++
		t.cool(d, now, backoff(dom.localRounds, t.lim.CoolBase, t.lim.LocalCap))
		if t.local {
			return Cooled
		}
		t.local = true
		return LocalFault
	}
	dom.failures++
	switch {
	case !f.DNS && !f.TLS:
		dom.lookups = 0 // the name resolved and the server spoke
	case dom.lookups == 0:
		dom.lookups, dom.firstLookup = 1, now
	default:
		dom.lookups++
	}
	listed := dom.unreachable
	if dom.lookups > 0 && (listed || dom.lookups >= 3 && now-dom.firstLookup >= t.lim.UnreachableAge) {
		dom.unreachable, dom.unreachEnd = true, now+t.lim.UnreachableFor
		t.cool(d, now, max(retry, t.lim.UnreachableTry))
	} else {
		t.cool(d, now, max(retry, backoff(dom.failures, t.lim.CoolBase, t.lim.CoolCap)))
	}
	if dom.unreachable && !listed {
		return Unreachable
	}
	return Cooled
}

func backoff(n int32, base, limit Time) Time {
	b := base
	for ; n > 1 && b < limit; n-- {
		b *= 2
	}
	return min(b, limit)
}

func (t *Table) cool(d Dom, now, span Time) {
	dom := &t.doms[d]
	dom.coolStart, dom.coolUntil, dom.probation = now, now+span, true
	dom.round++
	dom.fresh = 0
	t.refresh(d, now)
}

// forgetAt is when the failures of a domain on probation are forgotten: an hour after its cool-down
// ended, but not while it is on the unreachable list (D-07, D-08).
func (t *Table) forgetAt(dom *domain) Time {
	at := dom.coolUntil + t.lim.CoolForget
	if dom.unreachable {
		at = max(at, dom.unreachEnd)
	}
	return at
}

// forgetOld drops what forgetAt says is to be dropped, so that it makes no difference whether the domain
// stayed in memory meanwhile.
func (t *Table) forgetOld(dom *domain, now Time) {
	t.clock = now
	if dom.probation && now >= t.forgetAt(dom) {
		t.pardon(dom)
	}
}

func (t *Table) pardon(dom *domain) {
	dom.record, dom.localRounds = record{}, 0
	dom.probation, dom.coolStart, dom.coolUntil = false, 0, 0
}

// dnsFailed records a failure to resolve and tells whether the fault is local: that many domains in the
// span, no success between (D-07). The charges of the span are refunded when it turns out so. Domains on
// the unreachable list are no evidence: nothing else is expected of them.
func (t *Table) dnsFailed(d Dom, now Time) bool {
	if t.local {
		return true
	}
	fresh := dnsFailure{d, now, t.doms[d].record}
	keep := t.dns[:0]
	for _, f := range t.dns {
		switch {
		case f.at+localSpan < now:
		case f.dom == d:
			fresh.before = f.before
		default:
			keep = append(keep, f)
		}
	}
	t.dns = append(keep, fresh)
	if len(t.dns) < localDomains {
		return false
	}
	t.doms[d].record = fresh.before
	t.eased = t.eased[:0]
	for _, f := range t.dns {
		// Only if that failure's cool-down is the present one is there a charge to take back.
		if o := &t.doms[f.dom]; f.dom != d && o.probation && o.coolStart == f.at {
			o.record = f.before
			o.localRounds++
			if until := o.coolStart + backoff(o.localRounds, t.lim.CoolBase, t.lim.LocalCap); until < o.coolUntil {
				o.coolUntil = until
				t.eased = append(t.eased, f.dom)
			}
			t.refresh(f.dom, now)
		}
	}
	t.dns = t.dns[:0]
	return true
}

// Succeed notes a valid answer of a pass that started at started: it resets the failures, unless the
// pass is older than the present cool-down. Any success ends a local fault (D-07); the short cool-downs
// of its victims run out by themselves, so that a few hosts that are really gone, failing together,
// are not tried anew with every success elsewhere.
func (t *Table) Succeed(d Dom, now, started Time) Change {
	t.dns = t.dns[:0]
	t.local = false
	dom := &t.doms[d]
	t.forgetOld(dom, now)
	if !dom.probation || started <= dom.coolStart {
		return Unchanged
	}
	t.pardon(dom)
	t.refresh(d, now)
	return Recovered
}

// Stall notes a stalled pass on one URL of d; the second URL within the span makes a failed round
// (H-06).
func (t *Table) Stall(d Dom, url Handle, now, started Time) Change {
	dom := &t.doms[d]
	if dom.stalledURL != 0 && dom.stalledURL != url && now-dom.stalledAt <= t.lim.URLCool {
		dom.stalledURL = 0
		return t.Fail(d, now, Failure{Started: started})
	}
	dom.stalledURL, dom.stalledAt = url, now
	return Unchanged
}

// Eased are the other domains whose cool-downs became shorter when Fail last gave LocalFault; valid until it does again.
func (t *Table) Eased() []Dom { return t.eased }

// CoolUntil is the end of d's cool-down, or 0.
func (t *Table) CoolUntil(d Dom) Time { return t.doms[d].coolUntil }

// idleDomain: nothing keeps d in memory at now (D-08).
func (t *Table) idleDomain(dom *domain, now Time) bool {
	t.prune(dom, now)
	t.forgetOld(dom, now)
	return dom.refs == 0 && dom.inFlight == 0 && dom.tickets == 0 && dom.stamps.n == 0 && dom.requests.sum == 0 && dom.reserved == 0 &&
		!dom.probation &&
		(dom.stalledURL == 0 || now-dom.stalledAt > t.lim.URLCool)
}

// maybeIdle queues d for a later look if it holds nothing but memories.
func (t *Table) maybeIdle(d Dom) {
	dom := &t.doms[d]
	if !dom.queued && dom.refs == 0 && dom.inFlight == 0 && dom.tickets == 0 {
		dom.queued = true
		t.idle.Push(pq.Entry{ID: uint32(d)})
	}
}

// Sweep forgets idle domains, looking at a few per call; the core calls it in passing (D-08).
func (t *Table) Sweep(now Time, look int) {
	for range min(look, t.idle.Len()) {
		e, _ := t.idle.Head()
		t.idle.Drop()
		dom := &t.doms[e.ID]
		if dom.refs > 0 || dom.inFlight > 0 || dom.tickets > 0 {
			dom.queued = false // comes back through maybeIdle
			continue
		}
		if !t.idleDomain(dom, now) {
			t.idle.Push(e)
			continue
		}
		if dom.stamps.ring != nil {
			t.spare = append(t.spare, dom.stamps.ring)
		}
		delete(t.byHandle, dom.handle)
		e0, e1 := dom.eligible[0], dom.eligible[1]
		*dom = domain{eligible: [2]pq.Heap{e0, e1}}
		t.free = append(t.free, Dom(e.ID))
	}
}

// Use is a count of what the table holds; all zero when idle, after a Sweep past the windows (I-8).
type Use struct {
	Domains, Running, Limited, Parked, Authors, Addresses int
}

// Use counts what the table holds at now, domains that a Sweep would forget left out. It changes nothing, so
// that looking at a running system does not alter what it does next.
func (t *Table) Use(now Time) Use {
	kept := 0
	clock := t.clock
	for i := range t.doms {
		if dom := t.doms[i]; dom.used && !t.idleDomain(&dom, now) { // judged on a copy
			kept++
		}
	}
	t.clock = clock
	return Use{kept, t.running, t.limited, t.parked, len(t.authors), len(t.addresses)}
}
