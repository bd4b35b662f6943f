package fakes

import (
	"graspsync/core"
)

// A static mirror is a directory of files behind a web server. It lists refs in one file and gives out
// loose objects one by one: any file that is there, whatever refs say, and never a batch.

// staticFirst is what a fetch from a static mirror asks before the first object: the list of refs and HEAD.
const staticFirst = 2

// staticMiss is what the client asks after an object that is not there: two lists of other places to look,
// and the list of packs.
const staticMiss = 3

// fetchFiles asks for every object the client lacks, one request each. Past the bound the client gives
// up, and what came so far is no closure.
func (s *GitServers) fetchFiles(c *call) {
	a, most := c.a, int32(DumbBound)
	if c.rule.Keep > 0 {
		most = int32(min(c.rule.Keep, 1<<20))
	}
	each := c.b.Answer.draw(s.draw(c, forLatency, uint64(c.hops)<<8|1))
	for _, oid := range c.r.OIDs {
		if n := s.graph.Find(oid); n == NoNode || !c.repo.holding(n, c.now) {
			a.Requests += staticFirst + 1 + staticMiss
			a.Class = core.NotOurRef
			a.After += each * core.Time(staticFirst+staticMiss)
			return
		}
	}
	bytes, objects, whole := s.pack(c)
	a.Bytes = bytes
	need := staticFirst + objects
	switch {
	case need > most:
		a.Bytes, need, a.Class = bytes/int64(need)*int64(most), most, core.TooLarge
	case !whole:
		need, a.Class = need+1+staticMiss, core.CutShort
	default:
		a.OIDs = append(a.OIDs, c.r.OIDs...)
	}
	a.Requests += need
	a.After += each * core.Time(need-1)
}

// proto is the protocol the call speaks: the older one of client and server.
func (c *call) proto() Protocol {
	if c.http != nil && c.http.Protocol == V0 {
		return V0
	}
	return c.repo.proto
}
