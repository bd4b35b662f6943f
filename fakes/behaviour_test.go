package fakes

import (
	"testing"

	"github.com/stretchr/testify/require"

	"graspsync/core"
	"graspsync/core/value"
	"graspsync/sim"
)

const helloURL = "https://git.example.com/hello.git"

// hello is a world with one repository: a branch of four commits and a tag object.
func hello(t *testing.T) (*WorldParts, *Host, *Repo) {
	w := NewWorldParts(&value.Names{}, 7)
	w.Chain("main", 4).Tag("v1", "main")
	h := w.Host("git.example.com")
	repo := h.Repo("hello").Ref("refs/heads/main", "main").Ref("refs/tags/v1", "v1")
	require.Equal(t, helloURL, repo.URL())
	require.NoError(t, w.Err())
	return w, h, repo
}

// packOf is the bytes of a commit's closure of n commits.
func packOf(n int64) int64 { return n * (CommitBytes + TreeBytes) }

// D-07, F-06, H-06, U-02: what each act answers to compare, fetch and probe.
func TestActs(t *testing.T) {
	const c, f, p = sim.AskCompare, sim.AskFetch, sim.AskProbe
	for _, row := range []struct {
		name     string
		rule     Rule
		kind     sim.RequestKind
		class    core.Class
		status   uint16
		requests int32
		after    core.Time
		silent   core.Time
		oids     int
	}{
		{"answer", Rule{Do: Answer}, c, core.OK, 200, 1, 100, 100, 1},
		{"answer", Rule{Do: Answer}, f, core.OK, 200, 3, 300, 300, 1},
		{"answer", Rule{Do: Answer}, p, core.OK, 200, 1, 100, 100, 1},
		{"401", Rule{Do: Status, Status: 401}, c, core.Unauthorized, 401, 1, 100, 100, 0},
		{"403", Rule{Do: Status, Status: 403}, c, core.Forbidden, 403, 1, 100, 100, 0},
		{"404", Rule{Do: Status, Status: 404}, p, core.NotFound, 404, 1, 100, 100, 0},
		{"410", Rule{Do: Status, Status: 410}, c, core.NotFound, 410, 1, 100, 100, 0},
		{"418", Rule{Do: Status, Status: 418}, c, core.Forbidden, 418, 1, 100, 100, 0},
		{"429", Rule{Do: Status, Status: 429}, f, core.TooManyRequests, 429, 1, 100, 100, 0},
		{"slow 503", Rule{Do: Status, Status: 503, After: Latency{Fixed: 9000}}, c, core.ServerError, 503, 1, 9000, 9000, 0},
		{"stall for", Rule{Do: Stall, For: 5000}, c, core.OK, 200, 1, 5100, 5100, 1},
		{"stall", Rule{Do: Stall}, c, core.Stalled, 0, 1, sim.NoReply, Forever, 0},
		{"stall", Rule{Do: Stall}, f, core.Stalled, 0, 1, sim.NoReply, Forever, 0},
		{"stall mid", Rule{Do: StallMid}, f, core.Stalled, 200, 3, 300 + Forever, Forever, 0},
		{"stall mid for", Rule{Do: StallMid, For: 5000}, f, core.OK, 200, 3, 5300, 5000, 1},
		{"reset", Rule{Do: Reset}, c, core.Reset, 0, 1, 100, 100, 0},
		{"dns", Rule{Do: DNS}, c, core.DNS, 0, 0, 100, 100, 0},
		{"tls", Rule{Do: TLS}, c, core.TLS, 0, 0, 100, 100, 0},
		{"refuse", Rule{Do: Refuse}, f, core.Refused, 0, 0, 100, 100, 0},
		{"timeout", Rule{Do: Timeout}, c, core.Timeout, 0, 0, ConnectTimeout + 100, ConnectTimeout + 100, 0},
		{"timeout for", Rule{Do: Timeout, For: 50}, c, core.Timeout, 0, 0, 150, 150, 0},
		{"html", Rule{Do: HTML}, c, core.Invalid, 200, 1, 100, 100, 0},
		{"empty", Rule{Do: Empty}, p, core.Invalid, 200, 1, 100, 100, 0},
		{"err line", Rule{Do: ErrLine}, c, core.Invalid, 200, 1, 100, 100, 0},
		{"cut advertisement", Rule{Do: CutAdvert}, c, core.CutShort, 200, 1, 100, 100, 0},
		{"cut pack", Rule{Do: CutPack}, f, core.CutShort, 200, 3, 300, 300, 0},
		{"cut pack", Rule{Do: CutPack}, c, core.OK, 200, 1, 100, 100, 1},
		{"deny", Rule{Do: Deny}, c, core.OK, 200, 1, 100, 100, 1},
		{"deny", Rule{Do: Deny}, f, core.NotOurRef, 200, 3, 300, 300, 0},
		{"deny", Rule{Do: Deny}, p, core.NotOurRef, 200, 1, 100, 100, 0},
		{"hide", Rule{Do: Hide}, c, core.OK, 200, 1, 100, 100, 0},
		{"hide", Rule{Do: Hide}, f, core.OK, 200, 3, 300, 300, 1},
		{"private", Rule{Do: Private}, c, core.PrivateTarget, 0, 0, 100, 100, 0},
		{"close", Rule{Do: Close}, c, core.Reset, 0, 1, 100, 100, 0},
		{"no type", Rule{Do: NoType}, c, core.Invalid, 200, 1, 100, 100, 0},
		{"challenge at once", Rule{Do: Challenge, Limit: Limit{Requests: 1, Window: core.Hour}}, f, core.Invalid, 200, 2, 100, 100, 0},
		{"challenge later", Rule{Do: Challenge, Limit: Limit{Requests: 3, Window: core.Hour}}, f, core.OK, 200, 3, 300, 300, 1},
		{"post 429", Rule{Do: PostStatus, Status: 429}, c, core.OK, 200, 1, 100, 100, 1},
		{"post 429", Rule{Do: PostStatus, Status: 429}, f, core.TooManyRequests, 429, 2, 100, 100, 0},
		{"post 429", Rule{Do: PostStatus, Status: 429}, p, core.TooManyRequests, 429, 1, 100, 100, 0},
		{"post redirect", Rule{Do: PostRedirect, To: helloURL}, c, core.OK, 200, 1, 100, 100, 1},
		{"post redirect", Rule{Do: PostRedirect, To: helloURL}, f, core.BadRedirect, 301, 2, 100, 100, 0},
		{"endless", Rule{Do: Endless}, c, core.OK, 200, 1, 100, 100, 1},
		{"endless", Rule{Do: Endless}, f, core.Stalled, 0, 1, sim.NoReply, Forever, 0},
		{"dumb", Rule{Do: Dumb}, c, core.OK, 200, 1, 100, 100, 1},
		{"dumb", Rule{Do: Dumb}, f, core.OK, 200, 10, 300 + 9*100, 300, 1}, // four commits of two objects
		{"dumb within its bound", Rule{Do: Dumb, Keep: 10}, f, core.OK, 200, 10, 300 + 9*100, 300, 1},
		{"dumb past its bound", Rule{Do: Dumb, Keep: 9}, f, core.TooLarge, 200, 9, 300 + 8*100, 300, 0},
		{"dumb", Rule{Do: Dumb}, p, core.OK, 200, 1, 100, 100, 1},
		{"drip of single bytes", Rule{Do: Drip, Gap: 10}, f, core.OK, 200, 3, 300 + 10*core.Time(packOf(4)), 300, 1},
		{"other kind", Rule{Do: HTML, On: On(f, p)}, c, core.OK, 200, 1, 100, 100, 1},
		{"never", Rule{Do: HTML, Share: Ratio{0, 1}}, c, core.OK, 200, 1, 100, 100, 1},
		{"up", Rule{Do: HTML, Up: 10, Down: 10}, c, core.OK, 200, 1, 100, 100, 1},
	} {
		w, h, _ := hello(t)
		b := Do(row.rule)
		b.Answer.Fixed, b.Fetch.Fixed = 100, 300
		w.Host("git.example.com", Always(b)...)
		require.NoError(t, w.Err(), row.name)
		a := w.ask(row.kind, helloURL, 0, "main")
		name := row.name + " of kind " + string('0'+rune(row.kind))
		require.Equal(t, row.class, a.Class, name)
		require.Equal(t, row.status, a.Status, name)
		require.Equal(t, row.requests, a.Requests, name)
		require.Equal(t, row.after, a.After, name)
		require.Equal(t, row.silent, a.Silent, name)
		require.Len(t, a.OIDs, row.oids, name)
		require.Equal(t, uint64(row.requests), h.h.tally.Requests, "the host counts what the reply says: %s", name)
	}
}

// F-01, F-05: a static mirror gives out any file that is there, whatever the protocol would allow, and a hole in
// what a wanted object reaches leaves nothing whole.
func TestStaticMirror(t *testing.T) {
	w, _, repo := hello(t)
	repo.V0(AllowAdvertised)
	w.Host("git.example.com", Always(Do(Rule{Do: Dumb}))...)
	require.Equal(t, core.OK, w.ask(sim.AskProbe, helloURL, 0, "main~1").Class)
	require.Equal(t, core.NotOurRef, w.ask(sim.AskProbe, helloURL, 0, "nowhere").Class)
	a := w.ask(sim.AskFetch, helloURL, 1, "main~1")
	require.Equal(t, core.OK, a.Class)
	require.Equal(t, int32(2+6), a.Requests)
	a = w.ask(sim.AskFetch, helloURL, 2, "main", "nowhere")
	require.Equal(t, core.NotOurRef, a.Class)
	require.Equal(t, int32(2+1+3), a.Requests)
	repo.Lacks("main~3")
	a = w.ask(sim.AskFetch, helloURL, 3, "main")
	require.Equal(t, core.CutShort, a.Class)
	require.Empty(t, a.OIDs)
	require.NoError(t, w.Err())
}

// F-01, F-02: a compare gives the advertised subset of the needed ids, whether there is a branch, and a
// fingerprint that changes with the set of ids and with nothing else.
func TestCompare(t *testing.T) {
	w, _, repo := hello(t)
	a := w.ask(sim.AskCompare, helloURL, 0, "main~1", "main", "v1", "nowhere")
	require.Equal(t, []core.OID{Label("main"), Label("v1")}, a.OIDs)
	require.True(t, a.HasHeads)
	require.NotZero(t, a.Address)
	first := a.Fingerprint
	require.NotZero(t, first)

	repo.Ref("refs/heads/copy", "main")
	require.Equal(t, first, w.ask(sim.AskCompare, helloURL, 1).Fingerprint, "another name for the same id")
	repo.HiddenRef("refs/x/y", "main~2")
	require.Equal(t, first, w.ask(sim.AskCompare, helloURL, 2).Fingerprint, "a hidden ref")
	repo.Ref("refs/heads/old", "main~3")
	require.NotEqual(t, first, w.ask(sim.AskCompare, helloURL, 3).Fingerprint)

	other := w.Repo("https://other.example/r.git").Ref("refs/tags/b", "main").Ref("refs/tags/a", "v1")
	a = w.ask(sim.AskCompare, other.URL(), 0)
	require.Equal(t, first, a.Fingerprint, "the same ids elsewhere")
	require.False(t, a.HasHeads, "tags are no heads")
}

// F-02: refs that move between compare and fetch are told per pass, and what is no longer advertised is
// refused by protocol 0.
func TestRefsMove(t *testing.T) {
	w, _, repo := hello(t)
	w.Commit("forced", "main~2")
	repo.V0(AllowAdvertised).Ref("refs/heads/main", "forced", 100)
	before := w.ask(sim.AskCompare, helloURL, 99, "main", "forced")
	require.Equal(t, []core.OID{Label("main")}, before.OIDs)
	a := w.ask(sim.AskFetch, helloURL, 99, "main")
	require.False(t, a.RefsMoved)
	require.Equal(t, core.OK, a.Class)
	a = w.ask(sim.AskFetch, helloURL, 100, "main")
	require.True(t, a.RefsMoved)
	require.Equal(t, core.NotOurRef, a.Class)
	after := w.ask(sim.AskCompare, helloURL, 100, "main", "forced")
	require.Equal(t, []core.OID{Label("forced")}, after.OIDs)
	require.NotEqual(t, before.Fingerprint, after.Fingerprint)
	require.False(t, w.ask(sim.AskFetch, helloURL, 101, "forced").RefsMoved)

	w.Host("git.example.com", Always(Do(Rule{Do: Move}))...)
	require.True(t, w.ask(sim.AskFetch, helloURL, 102, "forced").RefsMoved, "by rule")
	w.Host("git.example.com", Always(Do(Rule{Do: Churn}))...)
	x, y := w.ask(sim.AskCompare, helloURL, 103), w.ask(sim.AskCompare, helloURL, 104)
	require.NotEqual(t, x.Fingerprint, y.Fingerprint, "each compare another one")
}

// F-05: data appears and vanishes at its instants; a pack the server cannot complete leaves nothing.
func TestDataComesAndGoes(t *testing.T) {
	w := NewWorldParts(&value.Names{}, 7)
	w.Chain("main", 3).Commit("side")
	repo := w.Repo(helloURL).Holds("main", 10, 50).Holds("side").Lacks("side", 20, 30).Holds("main~2")
	require.NoError(t, w.Err())
	class := func(now core.Time, label string) core.Class { return w.ask(sim.AskFetch, helloURL, now, label).Class }
	require.Equal(t, core.NotOurRef, class(9, "main"))
	require.Equal(t, core.OK, class(10, "main"))
	require.Equal(t, core.OK, class(49, "main"))
	require.Equal(t, core.NotOurRef, class(50, "main"))
	require.Equal(t, core.OK, class(50, "main~2"), "held on its own account")
	require.Equal(t, core.OK, class(19, "side"))
	require.Equal(t, core.NotOurRef, class(20, "side"))
	require.Equal(t, core.OK, class(30, "side"))

	repo.Lacks("main~1", 40)
	require.Equal(t, core.OK, class(39, "main"))
	require.Equal(t, core.CutShort, class(40, "main"), "the tip is there, its parent is not")
	damaged := w.Repo("https://damaged.example/r.git").HoldsAlone("main")
	require.Equal(t, core.CutShort, w.ask(sim.AskFetch, damaged.URL(), 0, "main").Class)
	require.Equal(t, core.OK, w.ask(sim.AskProbe, damaged.URL(), 0, "main").Class, "a probe cannot see it")
	repo.Exists(0, 60)
	require.Equal(t, core.NotFound, class(60, "side"))
}

// F-05: a transfer takes the bytes the client lacks over the server's rate, and what is here is not sent
// again.
func TestTransferTime(t *testing.T) {
	w, h, _ := hello(t)
	local := w.Names.Handle("local")
	w.Local.Create(local)
	w.Host("git.example.com", Always(Behaviour{Fetch: Latency{Fixed: core.Second}, Rate: 1000})...)
	a := w.ask(sim.AskFetch, helloURL, 0, "main")
	require.Equal(t, packOf(4), a.Bytes)
	require.Equal(t, core.Second+9*core.Second, a.After)
	require.Equal(t, core.Second, a.Silent)
	w.Local.Receive(local, []core.OID{Label("main~1")})
	require.Equal(t, packOf(1), w.ask(sim.AskFetch, helloURL, 0, "main").Bytes)

	h.Fault(Fault{From: 0, Until: 10, Rule: Rule{Do: Drip, Rate: 10, Gap: 4 * core.Second}})
	a = w.ask(sim.AskFetch, helloURL, 1, "main")
	require.Equal(t, core.Second+225*core.Second, a.After)
	require.Equal(t, 4*core.Second, a.Silent)
	require.Equal(t, core.OK, a.Class)

	b := Indexing()
	b.BigPack = 100
	w.Host("git.example.com", Always(b)...)
	a = w.ask(sim.AskFetch, helloURL, 20, "main")
	require.GreaterOrEqual(t, a.Silent, 40*core.Second, "silent while it indexes")
	require.Less(t, a.Silent, 400*core.Second)
	require.Equal(t, core.Second/3, transfer(1, 3))
}

// F-04: past the bound the client sees only the refs that come before it, and knows.
func TestTruncated(t *testing.T) {
	w, _, repo := hello(t)
	whole := w.ask(sim.AskCompare, helloURL, 0, "main", "v1")
	repo.Filler(400_000)
	a := w.ask(sim.AskCompare, helloURL, 0, "main", "v1")
	require.True(t, a.Truncated)
	require.True(t, a.HasHeads)
	require.Equal(t, core.OK, a.Class)
	require.Equal(t, int64(AdvertBound), a.Bytes)
	require.Equal(t, []core.OID{Label("main")}, a.OIDs, "branches come before the filler, tags after it")
	require.Equal(t, []core.OID{Label("v1")}, w.ask(sim.AskFetch, helloURL, 0, "v1").OIDs)

	repo.Filler(0)
	w.Host("git.example.com", Always(Do(Rule{Do: Truncate, Keep: 0}))...)
	a = w.ask(sim.AskCompare, helloURL, 0, "main")
	require.True(t, a.Truncated)
	require.False(t, a.HasHeads)
	require.Empty(t, a.OIDs)
	require.NotEqual(t, whole.Fingerprint, a.Fingerprint)
}

// F-06, U-02: a compare follows redirects and tells where they led; loops, private targets and unknown
// names end it; a transfer is not redirected.
func TestRedirects(t *testing.T) {
	w, h, _ := hello(t)
	moved := w.Repo("https://new.example/hello.git").Ref("refs/heads/main", "main")
	jump := func(to string) { w.Host("git.example.com", Always(Do(Rule{Do: Redirect, To: to}))...) }
	jump(moved.URL())
	a := w.ask(sim.AskCompare, helloURL, 0, "main")
	require.Equal(t, core.OK, a.Class)
	require.Equal(t, w.Names.Handle(moved.URL()), a.FinalURL)
	require.Equal(t, int32(2), a.Requests)
	require.Len(t, a.OIDs, 1)
	require.Equal(t, uint64(1), h.h.tally.Requests, "each host sees its own request")
	require.Equal(t, uint64(1), w.Servers.URLTally(a.FinalURL).Requests)
	require.Equal(t, core.BadRedirect, w.ask(sim.AskFetch, helloURL, 0, "main").Class)
	require.Equal(t, core.BadRedirect, w.ask(sim.AskProbe, helloURL, 0, "main").Class)

	w.Host("new.example", Always(Do(Rule{Do: Redirect, To: helloURL}))...)
	a = w.ask(sim.AskCompare, helloURL, 0, "main")
	require.Equal(t, core.BadRedirect, a.Class)
	require.Equal(t, int32(21), a.Requests)
	require.Zero(t, a.FinalURL)
	w.Host("new.example", Always(Do(Rule{Do: Private}))...)
	a = w.ask(sim.AskCompare, helloURL, 0, "main")
	require.Equal(t, core.PrivateTarget, a.Class)
	require.Equal(t, int32(1), a.Requests)
	w.Host("new.example", Always(Do(Rule{Do: Stall}))...)
	require.Equal(t, int32(2), w.ask(sim.AskCompare, helloURL, 0, "main").Requests)
	jump("https://nowhere.example/x.git")
	require.Equal(t, core.DNS, w.ask(sim.AskCompare, helloURL, 0, "main").Class)
	require.Equal(t, core.DNS, w.ask(sim.AskCompare, "https://nowhere.example/x.git", 0).Class)
	require.Equal(t, uint64(1), w.Servers.Unknown())
}

// D-03: a server's own rate limit counts HTTP requests in a half-open window, over all repositories of the
// host, and can stop a fetch between two of its requests.
func TestServerRateLimit(t *testing.T) {
	w, h, _ := hello(t)
	other := h.Repo("other").Ref("refs/heads/main", "main")
	limit := Rule{Do: Throttle, Limit: Limit{Requests: 4, Window: 60 * core.Second}, RetryAfter: 7 * core.Second}
	w.Host("git.example.com", Always(Do(limit))...)
	require.NoError(t, w.Err())
	require.Equal(t, core.OK, w.ask(sim.AskCompare, helloURL, 1, "main").Class)
	require.Equal(t, core.OK, w.ask(sim.AskProbe, other.URL(), 2, "main").Class)
	a := w.ask(sim.AskFetch, helloURL, 3, "main")
	require.Equal(t, core.TooManyRequests, a.Class)
	require.Equal(t, uint16(429), a.Status)
	require.Equal(t, 7*core.Second, a.RetryAfter)
	require.Equal(t, int32(3), a.Requests, "two passed, the third was refused")
	require.Empty(t, a.OIDs)
	require.Equal(t, core.TooManyRequests, w.ask(sim.AskCompare, helloURL, 60*core.Second, "main").Class)
	require.Equal(t, core.OK, w.ask(sim.AskCompare, helloURL, 60*core.Second+1, "main").Class, "aged exactly 60 s: out of the window")

	domain := w.Names.Handle("git.example.com")
	n, whole := w.Servers.RequestsIn(domain, 0, 3)
	require.Equal(t, uint64(5), n)
	require.True(t, whole)
	n, _ = w.Servers.RequestsIn(domain, 1, 3)
	require.Equal(t, uint64(4), n, "(from, to]")
	calls, _ := w.Servers.CallsIn(domain, -1, core.Never)
	require.Equal(t, uint64(5), calls)
	require.Equal(t, uint64(4), w.Servers.URLTally(w.Names.Handle(helloURL)).Calls[sim.AskCompare]+w.Servers.URLTally(w.Names.Handle(helloURL)).Calls[sim.AskFetch])
}

// D-03: a limit per repository leaves the neighbours alone; refused requests that count keep it up.
func TestServerRateLimitPerURL(t *testing.T) {
	w, h, _ := hello(t)
	other := h.Repo("other").Ref("refs/heads/main", "main")
	w.Host("git.example.com", Always(GitHub())...)
	class := func(url string, at core.Time) core.Class { return w.ask(sim.AskCompare, url, at, "main").Class }
	for i := range core.Time(15) {
		require.Equal(t, core.OK, class(helloURL, i))
	}
	require.Equal(t, core.OK, class(other.URL(), 15))
	require.Equal(t, core.TooManyRequests, class(helloURL, 16))
	for at := core.Time(17); at < core.Second+32; at += core.Second / 30 {
		require.Equal(t, core.TooManyRequests, class(helloURL, at), "hammering keeps the window full")
	}
	require.Equal(t, core.OK, class(helloURL, 3*core.Second))
}

// The presets of known hosts are valid, and bursts are bounded and repeat.
func TestHostPresets(t *testing.T) {
	w := NewWorldParts(&value.Names{}, 1)
	for i, p := range Presets() {
		w.Host(p.Name+".example", Always(p.Behaviour)...)
		require.True(t, i == 0 || Presets()[i-1].Name < p.Name, "in order of name")
	}
	s := BurstRefusals(5, "github.com", 24*core.Hour)
	w.Host("github.com", s...)
	require.NoError(t, w.Err())
	require.Equal(t, s, BurstRefusals(5, "github.com", 24*core.Hour))
	require.NotEqual(t, s, BurstRefusals(6, "github.com", 24*core.Hour))
	require.Greater(t, len(s), 6)
	for i := 1; i < len(s)-1; i += 2 {
		long := s[i].Until - s[i-1].Until
		require.GreaterOrEqual(t, long, 5*core.Minute)
		require.LessOrEqual(t, long, 15*core.Minute)
	}
}

// A share of refusals follows the keyed noise of the URL: the same again in a fresh world, whatever other
// URLs do, and near the share in all.
func TestRatioRefusal(t *testing.T) {
	run := func(others bool) (refused []uint64) {
		w, h, _ := hello(t)
		w.Host("git.example.com", Always(Do(Rule{Do: Status, Status: 429, Share: Ratio{1, 2}}))...)
		h.Repo("other").Ref("refs/heads/main", "main")
		for n := uint64(1); n <= 1000; n++ {
			var a sim.Reply
			if others {
				w.Servers.Ask(0, &sim.Request{URL: w.Names.Handle("https://git.example.com/other.git"), N: n}, &a)
			}
			w.Servers.Ask(0, &sim.Request{URL: w.Names.Handle(helloURL), N: n}, &a)
			if a.Class == core.TooManyRequests {
				refused = append(refused, n)
			}
		}
		return refused
	}
	alone := run(false)
	require.InDelta(t, 500, len(alone), 60)
	require.Equal(t, alone, run(true))
}

// Segments change at their instants, and the first rule that applies wins.
func TestScript(t *testing.T) {
	w, h, repo := hello(t)
	w.Host("git.example.com", Script{
		{Until: 10, Behaviour: Do(Rule{Do: Status, Status: 500})},
		{Until: 20, Behaviour: Do(Rule{Do: Answer, On: On(sim.AskCompare)}, Rule{Do: DNS})},
		{Until: core.Never, Behaviour: Do(Rule{Do: HTML, Up: 5, Down: 2})},
	}...)
	require.NoError(t, w.Err())
	class := func(now core.Time, kind sim.RequestKind) core.Class { return w.ask(kind, helloURL, now, "main").Class }
	require.Equal(t, core.ServerError, class(9, sim.AskCompare))
	require.Equal(t, core.OK, class(10, sim.AskCompare))
	require.Equal(t, core.DNS, class(10, sim.AskProbe))
	require.Equal(t, core.OK, class(24, sim.AskCompare), "flaps from the start of the segment: 5 up")
	require.Equal(t, core.Invalid, class(25, sim.AskCompare), "2 down")
	require.Equal(t, core.OK, class(27, sim.AskCompare))
	repo.Script(Always(Do(Rule{Do: TLS}))...)
	require.Equal(t, core.TLS, class(28, sim.AskCompare), "a URL's own script")
	h.Turn(PartitionVerb, 30)
	require.Equal(t, core.Timeout, class(30, sim.AskCompare), "the host's faults come first")
}

// The paired verbs open and end faults over the script.
func TestVerbs(t *testing.T) {
	for v, want := range map[Verb]core.Class{StallVerb: core.Stalled, RefuseVerb: core.ServerError, ThrottleVerb: core.TooManyRequests, PartitionVerb: core.Timeout} {
		w, h, repo := hello(t)
		h.Turn(v, 10).Turn(v.Closer(), 20)
		repo.Turn(v, 30).Turn(v.Closer(), 40)
		require.NoError(t, w.Err())
		for now, class := range map[core.Time]core.Class{9: core.OK, 10: want, 19: want, 20: core.OK, 30: want, 39: want, 40: core.OK} {
			require.Equal(t, class, w.ask(sim.AskCompare, helloURL, now, "main").Class, "%v at %d", v, now)
		}
		require.True(t, v.Opens())
		back, ok := ParseVerb(v.Closer().String())
		require.True(t, ok)
		require.Equal(t, v.Closer(), back)
	}
	w, h, _ := hello(t)
	h.Turn(FlapVerb, core.Minute).Turn(SettleVerb, core.Hour)
	class := func(s core.Time) core.Class { return w.ask(sim.AskCompare, helloURL, s*core.Second, "main").Class }
	require.Equal(t, []core.Class{core.OK, core.Reset, core.OK, core.Reset, core.OK}, []core.Class{class(60), class(90), class(120), class(150), class(3600)})
	h.Turn(RepairVerb, core.Hour)
	require.ErrorContains(t, w.Err(), "repair at 3600s has nothing to end: want a partition before it")
}

// Names of acts and operations parse back.
func TestNamesParseBack(t *testing.T) {
	for a := range NumActs {
		back, ok := ParseAct(a.String())
		require.True(t, ok)
		require.Equal(t, a, back)
	}
	for o := range NumLocalOps {
		back, ok := ParseLocalOp(o.String())
		require.True(t, ok)
		require.Equal(t, o, back)
	}
	_, ok := ParseAct("nap")
	require.False(t, ok)
}
