package fakes

import (
	"testing"

	"github.com/stretchr/testify/require"

	"graspsync/core"
	"graspsync/core/value"
	"graspsync/sim"
)

// D-07: a URL that its host does not serve is not found there, after the host's own time and by its own rules; only a
// host that nobody made has no name.
func TestURLNobodyServes(t *testing.T) {
	w := NewWorldParts(&value.Names{}, 1)
	w.Host("git.example", Always(Behaviour{Answer: Latency{Fixed: 2 * core.Second}})...).Repo("there")
	w.Host("down.example", Always(Behaviour{Rules: []Rule{{Do: Status, Status: 503}}})...)
	require.NoError(t, w.Seal())
	for _, row := range []struct {
		domain, url string
		class       core.Class
		after       core.Time
	}{
		{"git.example", "https://git.example/elsewhere.git", core.NotFound, 2 * core.Second},
		{"git.example", "https://git.example/elsewhere.git", core.NotFound, 2 * core.Second},
		{"down.example", "https://down.example/x.git", core.ServerError, 0},
		{"nobody.example", "https://nobody.example/x.git", core.DNS, 0},
	} {
		var a sim.Reply
		r := sim.Request{Kind: sim.AskCompare, URL: w.Names.Handle(row.url), Domain: w.Names.Handle(row.domain), N: 1}
		w.Servers.Ask(0, &r, &a)
		require.Equal(t, row.class, a.Class, row.url)
		require.Equal(t, row.after, a.After, row.url)
	}
}

// A self-managed GitLab forbids everything for an hour after thirty refused logins within three minutes, and only then.
func TestBanAfterRefusedLogins(t *testing.T) {
	w, _, _ := hello(t)
	b := GitLabSelf()
	b.Answer, b.Fetch = Latency{}, Latency{}
	b.Rules = append(b.Rules, Rule{Do: Status, Status: 401, On: On(sim.AskProbe)})
	w.Host("git.example.com", Always(b)...)
	class := func(kind sim.RequestKind, at core.Time) core.Class { return w.ask(kind, helloURL, at, "main").Class }
	const sec = core.Second
	for i := range core.Time(29) {
		require.Equal(t, core.Unauthorized, class(sim.AskProbe, i*sec))
	}
	require.Equal(t, core.OK, class(sim.AskCompare, 30*sec))
	require.Equal(t, core.Unauthorized, class(sim.AskProbe, 180*sec), "the first has left the window")
	require.Equal(t, core.OK, class(sim.AskCompare, 180*sec))
	require.Equal(t, core.Unauthorized, class(sim.AskProbe, 180*sec), "the thirtieth within three minutes")
	require.Equal(t, core.Forbidden, class(sim.AskCompare, 180*sec))
	require.Equal(t, core.Forbidden, class(sim.AskProbe, 180*sec+core.Hour-1))
	require.Equal(t, core.OK, class(sim.AskCompare, 180*sec+core.Hour))
}

// A time limit cuts off what takes longer, and keeps nothing of it.
func TestTimeLimitOfAServer(t *testing.T) {
	w, _, _ := hello(t)
	w.Host("git.example.com", Always(Behaviour{Fetch: Latency{Fixed: 50 * core.Second}, Rules: []Rule{
		{Do: TimeLimit, For: 30 * core.Second, On: On(sim.AskFetch)}, {Do: TimeLimit, For: core.Minute}}})...)
	require.Equal(t, core.OK, w.ask(sim.AskCompare, helloURL, 0, "main").Class)
	a := w.ask(sim.AskFetch, helloURL, 0, "main")
	require.Equal(t, core.CutShort, a.Class)
	require.Empty(t, a.OIDs)
	require.Equal(t, 30*core.Second, a.After)
	w, _, _ = hello(t)
	w.Host("git.example.com", Always(Behaviour{Fetch: Latency{Fixed: 50 * core.Second}, Rules: SoftServe().Rules})...)
	a = w.ask(sim.AskFetch, helloURL, 0, "main")
	require.Equal(t, core.OK, a.Class)
	require.Equal(t, 50*core.Second, a.After)
}
