package stockgit

import (
	"strconv"

	"graspsync/core"
	"graspsync/fakes"
)

// maxRedirects is how many redirects of one GET are followed.
const maxRedirects = 20

// exchange makes one request and waits for the whole answer. It is false where the connection failed, the
// time limit hit or nothing ever ends; the outcome then says so.
func (k *call) exchange(kind fakes.HTTPKind, oids []core.OID, a *fakes.HTTPReply) bool {
	k.c.requests++
	k.q.Kind, k.q.OIDs, k.q.N = kind, oids, k.c.requests
	k.c.Servers.HTTP(k.now, &k.q, a)
	if a.Fail == core.OK || a.Fail == core.Reset {
		k.out.HTTP++
	}
	whole := a.First + a.Span + a.Hush
	limit, slow := k.c.tooSlow(a)
	if slow {
		whole = limit
	}
	if whole >= fakes.Forever || k.now+whole > k.end {
		k.now = min(k.now+whole, k.end)
		k.out.Exit, k.out.Class = Hangs, core.Stalled
		return false
	}
	if slow {
		k.now += limit
		return k.fail(core.Stalled, k.cut(kind, a, "Operation too slow")...)
	}
	k.now += whole
	if a.Fail != core.OK {
		return k.fail(a.Fail, connection(a))
	}
	return true
}

// get makes a GET of a repository and follows redirects; the requests after it go where they led.
func (k *call) get(kind fakes.HTTPKind, a *fakes.HTTPReply) bool {
	for hops := 0; ; hops++ {
		if !k.exchange(kind, nil, a) {
			return false
		}
		if a.Status != 301 {
			break
		}
		if hops == maxRedirects {
			return k.fail(core.BadRedirect, "Maximum (20) redirects followed")
		}
		k.q.URL = a.Location
	}
	return true
}

// tooSlow tells when the low-speed limit ends the transfer of an answer. A first byte that is late counts
// as much as bytes that come too slowly.
func (c *Client) tooSlow(a *fakes.HTTPReply) (after core.Time, slow bool) {
	l := c.LowSpeedTime
	if c.LowSpeedLimit <= 0 || l <= 0 {
		return 0, false
	}
	switch {
	case a.First >= l:
		return l, true
	case a.Hush >= l:
		return a.First + a.Span/2 + l, true
	case a.Span >= l && a.Body != fakes.EndlessBody && a.Bytes*int64(core.Second) < c.LowSpeedLimit*int64(a.Span):
		return a.First + l, true
	}
	return 0, false
}

// cut is what git says when an answer stops midway: during a POST the pack reader complains as well.
func (k *call) cut(kind fakes.HTTPKind, a *fakes.HTTPReply, why string) []string {
	switch {
	case !kind.Post():
		return []string{why}
	case kind == fakes.PostWant && a.Hush+a.Span > 0 || a.Body == fakes.CutBody:
		return []string{"RPC failed; curl", why, "bytes of body are still expected", "unexpected disconnect while reading sideband packet"}
	}
	return []string{"RPC failed; curl", why}
}

// connection is what git says about a connection that failed.
func connection(a *fakes.HTTPReply) string {
	switch {
	case a.Closed:
		return "Empty reply from server"
	case a.Fail == core.DNS:
		return "Could not resolve host"
	case a.Fail == core.TLS:
		return "gnutls_handshake() failed"
	case a.Fail == core.Refused, a.Fail == core.Timeout:
		return "Failed to connect"
	}
	return "Connection reset by peer"
}

// status is what git says about the status of a GET, and the class it stands for.
func (k *call) status(status uint16) bool {
	switch {
	case status == 401:
		return k.fail(core.Unauthorized, "could not read Username")
	case status == 404 || status == 410:
		return k.fail(core.NotFound, "not found")
	}
	return k.fail(classOf(status), "The requested URL returned error: "+strconv.Itoa(int(status)))
}

func classOf(status uint16) core.Class {
	switch {
	case status == 429:
		return core.TooManyRequests
	case status >= 500:
		return core.ServerError
	case status >= 400:
		return core.Forbidden
	}
	return core.BadRedirect
}
