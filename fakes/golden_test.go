package fakes

import (
	"bufio"
	"bytes"
	"encoding/json"
	"os"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"graspsync/core"
	"graspsync/core/value"
	"graspsync/sim"
)

// observation is one measured run of stock git against a stock or faulty server.
type observation struct {
	Case   string
	Exit   json.RawMessage
	Stderr string
	Server string
	Proto  int
	Got    json.RawMessage
	HTTP   int32
	Bytes  int64
}

func observations(t *testing.T) (all []observation) {
	raw, err := os.ReadFile("../testdata/git-client-observations.jsonl")
	require.NoError(t, err)
	lines := bufio.NewScanner(bytes.NewReader(raw))
	for lines.Scan() {
		var o observation
		require.NoError(t, json.Unmarshal(lines.Bytes(), &o))
		all = append(all, o)
	}
	require.NoError(t, lines.Err())
	require.Len(t, all, 129)
	return all
}

const measuredURL = "https://measured.example/r.git"

// measured is the repository the observations were made on: a branch with history, a commit no ref
// reaches, a ref that may be hidden, a tree and a tag object.
func measured(t *testing.T) (*WorldParts, *Repo) {
	w := NewWorldParts(&value.Names{}, 1)
	w.Chain("tip", 4).Commit("unreachable").Commit("hidden", "tip~2").Tag("tagobj", "tip")
	repo := w.Repo(measuredURL).Ref("refs/heads/main", "tip").Ref("refs/tags/v1", "tagobj").Holds("unreachable")
	require.NoError(t, w.Err())
	return w, repo
}

func (w *WorldParts) ask(kind sim.RequestKind, url string, now core.Time, labels ...string) sim.Reply {
	r := sim.Request{Kind: kind, Pass: 1, URL: w.Names.Handle(url), Repo: w.Names.Handle("local"), N: uint64(now) + 1}
	for _, l := range labels {
		r.OIDs = append(r.OIDs, w.Graph.ID(l))
	}
	var a sim.Reply
	w.Servers.Ask(now, &r, &a)
	return a
}

// F-01, F-02: which ids a server gives out, by protocol and configuration, and how many requests that takes, equal what
// git does, row by row.
func TestWantsAsMeasured(t *testing.T) {
	object := map[string]string{"tip": "tip", "reachable-nontip": "tip~2", "unreachable-present": "unreachable", "hidden-ref-tip": "hidden", "missing": "nowhere"}
	rows := 0
	for _, o := range observations(t) {
		what, ok := strings.CutPrefix(o.Case, "want/")
		if !ok {
			continue
		}
		rows++
		w, repo := measured(t)
		server, hide := strings.CutSuffix(o.Server, "+hide")
		if hide {
			repo.HiddenRef("refs/hidden/x", "hidden")
		} else {
			repo.Ref("refs/hidden/x", "hidden")
		}
		if o.Proto == 0 {
			repo.V0(map[string]Allow{"default": AllowAdvertised, "allowTip": AllowTip, "allowReachable": AllowReachable, "allowAny": AllowAny}[server])
		}
		a := w.ask(sim.AskFetch, measuredURL, 0, object[what])
		name := o.Case + " " + o.Server
		require.Equal(t, string(o.Got) == "true", a.Class == core.OK, name)
		require.Equal(t, string(o.Got) == "true", len(a.OIDs) == 1, name)
		if a.Class != core.OK {
			require.Equal(t, core.NotOurRef, a.Class, name)
		}
		require.Equal(t, o.HTTP, a.Requests, name)

		probe := w.ask(sim.AskProbe, measuredURL, 1, object[what])
		require.Equal(t, a.Class, probe.Class, "a probe says what a fetch would get: %s", name)
	}
	require.Equal(t, 50, rows)
}

// F-01: a batch with one missing id keeps nothing; trees and tag objects can be wanted.
func TestBatchesAsMeasured(t *testing.T) {
	rows := 0
	for _, o := range observations(t) {
		what, ok := strings.CutPrefix(o.Case, "batch/batch ")
		if !ok {
			continue
		}
		rows++
		w, repo := measured(t)
		if o.Proto == 0 {
			repo.V0(AllowAny)
		}
		var labels []string
		for _, l := range strings.Split(what, ",") {
			switch l {
			case "good":
				l = []string{"tip", "tip~1"}[min(len(labels), 1)]
			case "tree":
				l = "tip^{tree}"
			}
			labels = append(labels, l)
		}
		a := w.ask(sim.AskFetch, measuredURL, 0, labels...)
		var got []bool
		require.NoError(t, json.Unmarshal(o.Got, &got))
		for i := range got {
			require.Equal(t, got[i], a.Class == core.OK, o.Case)
		}
		require.Equal(t, o.HTTP, a.Requests, o.Case)
	}
	require.Equal(t, 12, rows)
}

// F-06: faulty HTTP servers, by the class the driver's own request gives them and git's number of requests
// where the two make the same ones.
func TestFaultsAsMeasured(t *testing.T) {
	cases := map[string]struct {
		rule    Rule
		compare core.Class
		fetch   core.Class
	}{
		"html200":      {Rule{Do: HTML}, core.Invalid, core.Invalid},
		"401":          {Rule{Do: Status, Status: 401}, core.Unauthorized, core.Unauthorized},
		"403":          {Rule{Do: Status, Status: 403}, core.Forbidden, core.Forbidden},
		"404":          {Rule{Do: Status, Status: 404}, core.NotFound, core.NotFound},
		"429":          {Rule{Do: Status, Status: 429}, core.TooManyRequests, core.TooManyRequests},
		"500":          {Rule{Do: Status, Status: 500}, core.ServerError, core.ServerError},
		"503":          {Rule{Do: Status, Status: 503}, core.ServerError, core.ServerError},
		"504html":      {Rule{Do: Status, Status: 504}, core.ServerError, core.ServerError},
		"empty200":     {Rule{Do: Empty}, core.Invalid, core.Invalid},
		"redirectloop": {Rule{Do: Redirect, To: measuredURL}, core.BadRedirect, core.BadRedirect},
		"close":        {Rule{Do: Reset}, core.Reset, core.Reset},
		"erradv":       {Rule{Do: ErrLine}, core.Invalid, core.Invalid},
		"dropadv":      {Rule{Do: CutAdvert}, core.CutShort, core.CutShort},
		"truncpack":    {Rule{Do: CutPack}, core.OK, core.CutShort},
	}
	differ := map[string]string{
		"html200/fetch":       "git falls back to the dumb protocol; we never start it after an HTML compare",
		"html200/ls-remote":   "the same",
		"redirectloop/fetch":  "a transfer has redirects off: one request",
		"truncpack/ls-remote": "protocol 2 lists refs in a second request; our compare is one",
	}
	rows := 0
	for _, o := range observations(t) {
		what, ok := strings.CutPrefix(o.Case, "http/")
		name, verb, _ := strings.Cut(what, "/")
		c, known := cases[name]
		if !ok || !known {
			continue
		}
		rows++
		w, _ := measured(t)
		w.Host("measured.example", Always(Do(c.rule))...)
		require.NoError(t, w.Err())
		kind, class := sim.AskCompare, c.compare
		if verb == "fetch" {
			kind, class = sim.AskFetch, c.fetch
		}
		a := w.ask(kind, measuredURL, 0, "tip")
		require.Equal(t, class, a.Class, o.Case)
		if differ[what] == "" {
			require.Equal(t, o.HTTP, a.Requests, o.Case)
			require.Equal(t, string(o.Exit) == "0", a.Class == core.OK, o.Case)
		}
		if class != core.OK {
			require.Empty(t, a.OIDs, o.Case)
		}
	}
	require.Equal(t, 2*len(cases), rows)
}

// F-06: an empty repository is an answer, a missing one is not.
func TestListingAsMeasured(t *testing.T) {
	w := NewWorldParts(&value.Names{}, 1)
	w.Repo("https://measured.example/empty.git")
	w.Repo("https://measured.example/gone.git").Exists(core.Hour)
	rows := 0
	for _, o := range observations(t) {
		what, ok := strings.CutPrefix(o.Case, "ls-remote/")
		if !ok {
			continue
		}
		rows++
		url := map[string]string{"empty repo": "https://measured.example/empty.git", "nonexistent": "https://measured.example/gone.git"}[what]
		a := w.ask(sim.AskCompare, url, 0)
		require.Equal(t, string(o.Exit) == "0", a.Class == core.OK, o.Case)
		require.False(t, a.HasHeads)
		require.Equal(t, int32(1), a.Requests)
	}
	require.Equal(t, 4, rows)
}

// F-04: 200,000 refs take as many bytes as measured, within a percent.
func TestHugeListingAsMeasured(t *testing.T) {
	for _, o := range observations(t) {
		if o.Case != "huge/200000 refs ls-remote" {
			continue
		}
		w, repo := measured(t)
		repo.Filler(200_000)
		a := w.ask(sim.AskCompare, measuredURL, 0, "tip", "tagobj")
		require.InEpsilon(t, o.Bytes, a.Bytes, 0.01)
		require.False(t, a.Truncated)
		require.Len(t, a.OIDs, 2)
	}
}
