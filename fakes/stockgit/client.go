package stockgit

import (
	"graspsync/core"
	"graspsync/fakes"
	"graspsync/sim"
)

// Client is one git on one machine.
type Client struct {
	Servers  *fakes.GitServers
	Protocol fakes.Protocol // protocol.version; the zero value is 2
	Pass     core.AskID     // under which the servers remember what they listed

	// http.lowSpeedLimit, in bytes per second, and http.lowSpeedTime. As in git, without both set there is
	// no limit on time at all.
	LowSpeedLimit int64
	LowSpeedTime  core.Time

	Patience core.Time // the caller kills git after so long; 0 = never

	requests uint64
}

// Exit codes. Hangs is the exit of a call that never ends, or that its caller lost patience with.
const (
	Done  = 0
	Fatal = 128
	Hangs = -1
)

// Outcome is what a call came to.
type Outcome struct {
	Exit  int
	Class core.Class // that a caller can read from exit code and error text
	Says  []string   // phrases of the error text, in order, addresses and figures left out
	Named core.OID   // the id the error text names, if any
	Got   []core.OID // of the wanted: here now with their closures
	HTTP  int32      // requests the servers saw, or connections they cut
	Out   string     // of a listing: its lines, without those of filler refs
	Bytes int64      // of a listing: length of the whole output
	After core.Time
}

// call is a call on its way.
type call struct {
	c   *Client
	q   fakes.HTTPRequest
	out Outcome
	now core.Time
	end core.Time       // of patience
	adv fakes.HTTPReply // the answer to the first request
}

func (c *Client) start(now core.Time, kind sim.RequestKind, url core.Handle) *call {
	end := core.Never
	if c.Patience > 0 {
		end = now + c.Patience
	}
	return &call{c: c, now: now, end: end, q: fakes.HTTPRequest{Call: kind, Protocol: c.Protocol, Pass: c.Pass, URL: url}}
}

// LsRemote lists the refs at url. A prefix keeps those whose names begin with it, as the pattern
// "refs/heads/*" does; with "" HEAD is listed too.
func (c *Client) LsRemote(now core.Time, url core.Handle, prefix string) Outcome {
	k := c.start(now, sim.AskCompare, url)
	k.list(prefix)
	return k.result(now)
}

// Fetch fetches objects by id into repo, which holds none of them: git makes no request at all for an id
// that is here with its closure.
func (c *Client) Fetch(now core.Time, url, repo core.Handle, oids ...core.OID) Outcome {
	k := c.start(now, sim.AskFetch, url)
	k.q.Repo = repo
	k.fetch(oids)
	return k.result(now)
}

func (k *call) result(now core.Time) Outcome {
	k.out.After = k.now - now
	return k.out
}

// fail ends the call with an error of these phrases.
func (k *call) fail(class core.Class, says ...string) bool {
	k.out.Exit, k.out.Class, k.out.Says = Fatal, class, append(k.out.Says, says...)
	return false
}

func (k *call) list(prefix string) {
	if !k.discover() {
		return
	}
	refs := &k.adv
	switch {
	case !smart(refs):
		k.exchange(fakes.GetHead, nil, &fakes.HTTPReply{})
	case refs.Protocol == fakes.V2:
		refs = &fakes.HTTPReply{}
		if !k.listByPost(refs) {
			return
		}
	}
	k.print(refs, prefix)
}

func (k *call) fetch(oids []core.OID) {
	if !k.discover() {
		return
	}
	if !smart(&k.adv) {
		k.walk(oids)
		return
	}
	if k.adv.Protocol == fakes.V2 {
		if !k.listByPost(&fakes.HTTPReply{}) {
			return
		}
	} else if k.adv.Allow == fakes.AllowAdvertised && !k.allAdvertised(oids) {
		k.fail(core.NotOurRef, "Server does not allow request for unadvertised object")
		return
	}
	k.want(oids)
}
