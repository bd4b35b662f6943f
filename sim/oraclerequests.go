package sim

import "graspsync/core"

// HTTP requests that an effect stands for when nothing stops it: what D-03 counts.
const (
	compareRequests = 1
	fetchRequests   = 3
	probeRequests   = 1
)

// judgeRequests is the sliding window of requests of one domain, oldest first (D-03).
type judgeRequests struct {
	at   []core.Time
	n    []int
	head int
	sum  int
}

func (j *judgeRequests) add(now core.Time, n int) {
	j.at, j.n, j.sum = append(j.at, now), append(j.n, n), j.sum+n
}

// prune drops what is aged exactly the window or more.
func (j *judgeRequests) prune(edge core.Time) {
	for j.head < len(j.at) && j.at[j.head] <= edge {
		j.sum -= j.n[j.head]
		j.head++
	}
	if j.head > 64 && 2*j.head > len(j.at) {
		j.at = append(j.at[:0], j.at[j.head:]...)
		j.n = append(j.n[:0], j.n[j.head:]...)
		j.head = 0
	}
}

// requests judges that the requests a domain is to answer stay within its limit in any window: the
// budget of requests, or the rate itself where one request is one token. D-03
func (o *Oracle) requests(e *core.Effect) {
	n := probeRequests
	switch e.Kind {
	case core.EfCompare:
		n = compareRequests
	case core.EfFetch:
		n = fetchRequests
	}
	limit := o.cfg.DomainRequests
	if o.cfg.RequestUnit {
		_, limit = o.bounds(e.Domain)
		limit = max(limit, compareRequests+fetchRequests) // the least a pass may reserve
	}
	j := &o.domain(e.Domain).requests
	j.prune(o.now - o.cfg.DomainWindow)
	j.add(o.now, n)
	if j.sum > limit && j.sum-n <= limit { // one finding per crossing
		o.violate("D-03", "%s makes %d requests to %s in %s, at most %d may be", e.Kind, j.sum, o.name(e.Domain), o.cfg.DomainWindow, limit)
	}
}

// judgeAddresses counts the passes that are known to run against each resolved address (D-03).
type judgeAddresses map[[16]byte]int

// resolved notes which address a pass turned out to go to. One that finds its address full must end; what
// it asks after that is judged by crowded.
func (o *Oracle) resolved(in *core.Input) {
	p := o.passes.find(in.Ask)
	if p == nil || p.ending || p.compared || in.Class != core.OK && in.Class != core.TooLarge {
		return
	}
	p.compared = true
	if in.Address == [16]byte{} {
		return // unknown: not counted
	}
	if o.addresses[in.Address] >= o.cfg.AddressPasses {
		p.crowded = true
		return
	}
	p.address = in.Address
	o.addresses[in.Address]++
}

// crowded judges that a pass to a full address asks nothing more: many names may not make one victim. D-03
func (o *Oracle) crowded(e *core.Effect) {
	if p := o.passes.find(e.Ask); p != nil && p.crowded {
		p.crowded = false // one finding per pass
		o.violate("D-03", "%s within pass %s to %s, whose address had %d passes already", e.Kind, e.Ask, o.name(e.Domain), o.cfg.AddressPasses)
	}
}

func (o *Oracle) leaveAddress(p *judgedPass) {
	if p.address == [16]byte{} {
		return
	}
	if o.addresses[p.address]--; o.addresses[p.address] == 0 {
		delete(o.addresses, p.address)
	}
}

// shares judges that passes to sources which only pull requests name hold at most half of the pressure
// slots. Which groups are unproven, and whose share a pass takes, cannot be seen from outside. H-07
func (o *Oracle) shares(e *core.Effect) {
	if half := max(1, o.cfg.Pressure/2); e.Wave == core.PRWave && o.fair.prLive >= half {
		o.violate("H-07", "start on %s for pull requests alone while %d such passes run, at most %d may", o.name(e.Domain), o.fair.prLive, half)
	}
}
