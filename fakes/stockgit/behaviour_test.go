package stockgit

import (
	"strconv"
	"testing"

	"github.com/stretchr/testify/require"

	"graspsync/core"
	"graspsync/fakes"
)

// F-06: as many redirects as curl follows are followed, one more is not, and the POSTs go to the final URL.
func TestRedirectChain(t *testing.T) {
	for _, hops := range []int{1, maxRedirects, maxRedirects + 1} {
		w := newWorld(t)
		for i := range hops {
			to := measuredURL
			if i < hops-1 {
				to = "https://hop" + strconv.Itoa(i+1) + ".example/r.git"
			}
			w.Host("hop"+strconv.Itoa(i)+".example", fakes.Always(fakes.Do(fakes.Rule{Do: fakes.Redirect, To: to}))...).Repo("r")
		}
		require.NoError(t, w.Err())
		out := w.fetch("https://hop0.example/r.git", tip)
		if hops > maxRedirects {
			require.Equal(t, core.BadRedirect, out.Class)
			require.Equal(t, int32(maxRedirects+1), out.HTTP)
			continue
		}
		require.Equal(t, w.ids(tip), out.Got)
		require.Equal(t, int32(hops+3), out.HTTP)
		require.Equal(t, uint64(3), w.Servers.HostTally(w.Names.Handle("measured.example")).Requests, "the first hop sees one request, the last server three")
	}
}

// F-02: a ref that moves between listing and want: protocol 0 refuses an id it has just listed, protocol 2
// gives out what it has.
func TestRefMovesMidway(t *testing.T) {
	for _, p := range []fakes.Protocol{fakes.V0, fakes.V2} {
		w := newWorld(t)
		w.Host("measured.example", fakes.Always(fakes.Behaviour{Answer: fakes.Latency{Fixed: core.Second}})...)
		moving := w.Repo("https://measured.example/moving.git").Ref("refs/heads/main", tip).Ref("refs/heads/main", unreachable, core.Second)
		w.client.Protocol = p
		out := w.fetch(moving.URL(), tip)
		require.NoError(t, w.Err())
		if p == fakes.V2 {
			require.Equal(t, w.ids(tip), out.Got)
			continue
		}
		require.Equal(t, core.NotOurRef, out.Class)
		require.Equal(t, int32(2), out.HTTP, "the client let it pass, the server did not")
		require.Equal(t, w.ids(tip)[0], out.Named)
	}
}

// F-06: a challenge page in the middle of a call is no git answer; once the window is over git works again. To
// stock git a challenged listing is an empty repository.
func TestChallengeAfterRequests(t *testing.T) {
	w := newWorld(t)
	w.rule(fakes.Rule{Do: fakes.Challenge, Limit: fakes.Limit{Requests: 4, Window: core.Minute}})
	require.Equal(t, Done, w.fetch(measuredURL, tip).Exit)
	out := w.fetch(measuredURL, ancestor)
	require.Equal(t, core.Invalid, out.Class)
	require.Equal(t, int32(2), out.HTTP, "the fifth request was challenged")
	out = w.list(measuredURL, "")
	require.Equal(t, Done, out.Exit)
	require.Empty(t, out.Out)
	out = w.client.LsRemote(core.Minute, w.Names.Handle(measuredURL), "")
	require.NotEmpty(t, out.Out)
}

// H-06: without both limits git waits for ever, and a silence just short of the limit is borne.
func TestPatience(t *testing.T) {
	w := newWorld(t)
	w.rule(fakes.Rule{Do: fakes.Stall})
	out := w.list(measuredURL, "")
	require.Equal(t, Hangs, out.Exit)
	require.GreaterOrEqual(t, out.After, fakes.Forever)
	w.client.LowSpeedLimit = 1
	require.Equal(t, Hangs, w.list(measuredURL, "").Exit, "half a limit is none")
	w.client.LowSpeedTime = 5 * core.Second
	out = w.list(measuredURL, "")
	require.Equal(t, Fatal, out.Exit)
	require.Equal(t, 5*core.Second, out.After)
	w.rule(fakes.Rule{Do: fakes.Stall, For: 5 * core.Second})
	require.Equal(t, Fatal, w.list(measuredURL, "").Exit)
	w.rule(fakes.Rule{Do: fakes.Stall, For: 5*core.Second - 1})
	require.Equal(t, Done, w.list(measuredURL, "").Exit)
}

// F-05: a static mirror that lost one object deep in the history gives nothing whole.
func TestStaticMirrorWithAHole(t *testing.T) {
	w := newWorld(t)
	w.rule(fakes.Rule{Do: fakes.Dumb})
	w.repo.Lacks("root~1^{tree}")
	out := w.fetch(measuredURL, tip)
	require.Equal(t, core.NotOurRef, out.Class)
	require.Empty(t, out.Got)
	require.Equal(t, w.ids("root~1^{tree}")[0], out.Named)
	require.Greater(t, out.HTTP, int32(2+3))
	out = w.fetch(measuredURL, unreachable)
	require.Equal(t, w.ids(unreachable), out.Got, "any file that is there, whatever refs say")
}

// F-06: by the same rules, what no row shows: a proxy that fails the last request, or answers it with a page or
// an empty body.
func TestLastRequestFails(t *testing.T) {
	for _, row := range []struct {
		rule  fakes.Rule
		proto fakes.Protocol
		class core.Class
		http  int32
	}{
		{fakes.Rule{Do: fakes.PostStatus, Status: 503}, fakes.V0, core.ServerError, 2},
		{fakes.Rule{Do: fakes.PostRedirect, To: measuredURL}, fakes.V0, core.BadRedirect, 2},
		{fakes.Rule{Do: fakes.Challenge, Limit: fakes.Limit{Requests: 1, Window: core.Hour}}, fakes.V0, core.Invalid, 2},
		{fakes.Rule{Do: fakes.Throttle, Limit: fakes.Limit{Requests: 2, Window: core.Hour}}, fakes.V2, core.TooManyRequests, 3},
	} {
		w := newWorld(t)
		w.rule(row.rule)
		w.client.Protocol = row.proto
		out := w.fetch(measuredURL, tip)
		require.NoError(t, w.Err())
		require.Equal(t, row.class, out.Class, row.rule.Do)
		require.Equal(t, row.http, out.HTTP, row.rule.Do)
		require.Empty(t, out.Got)
	}
}
