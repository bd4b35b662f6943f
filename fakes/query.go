package fakes

import "graspsync/core"

// What the hosts saw, for the oracle and for reports: judged from outside, never from the core's state.

// RequestsIn counts the HTTP requests a domain saw in (from, to]: the window of D-01 is (t-60s, t]. A call
// that never connected (DNS, TLS, refused, time-out, private) is none. whole is false when the host's log
// no longer reaches back to from; see WorldParts.LogSize.
func (s *GitServers) RequestsIn(domain core.Handle, from, to core.Time) (requests uint64, whole bool) {
	if h := s.host(domain); h != nil {
		_, requests, whole = h.log.between(from, to)
		return requests, whole
	}
	return 0, true
}

// CallsIn counts calls in (from, to], those that never connected included (I-14).
func (s *GitServers) CallsIn(domain core.Handle, from, to core.Time) (calls uint64, whole bool) {
	if h := s.host(domain); h != nil {
		calls, _, whole = h.log.between(from, to)
		return calls, whole
	}
	return 0, true
}

// HostTally counts what a domain saw since the start.
func (s *GitServers) HostTally(domain core.Handle) Tally {
	if h := s.host(domain); h != nil {
		return h.tally
	}
	return Tally{}
}

// URLTally counts what one URL saw since the start.
func (s *GitServers) URLTally(url core.Handle) Tally {
	if r := s.at(url); r != nil {
		return r.tally
	}
	return Tally{}
}

// AppendLog appends the calls a domain remembers, oldest first.
func (s *GitServers) AppendLog(domain core.Handle, dst []Record) []Record {
	h := s.host(domain)
	if h == nil {
		return dst
	}
	dst = append(dst, h.log.ring[h.log.start:]...)
	return append(dst, h.log.ring[:h.log.start]...)
}

// Domains are the domains of the world in the order they were made.
func (s *GitServers) Domains() []string {
	out := make([]string, len(s.hosts))
	for i, h := range s.hosts {
		out[i] = h.name
	}
	return out
}

// Unknown counts requests to URLs nobody serves.
func (s *GitServers) Unknown() uint64 { return s.unknown }

// Requests is the number of HTTP requests all hosts saw.
func (s *GitServers) Requests() (n uint64) {
	for _, h := range s.hosts {
		n += h.tally.Requests
	}
	return n
}

func (s *GitServers) host(domain core.Handle) *host { return s.byDomain[s.names.Text(domain)] }
