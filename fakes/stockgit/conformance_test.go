package stockgit

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"graspsync/core"
	"graspsync/fakes"
	"graspsync/sim"
)

// carry sets the row's world up and runs git in it.
func (r *run) carry(t *testing.T, o *observation) (*world, Outcome) {
	w := newWorld(t)
	w.client.Patience = 20 * core.Second // the measurement's
	if o.Proto != nil && *o.Proto == 0 {
		w.client.Protocol = fakes.V0
	}
	r.set(w)
	require.NoError(t, w.Err())
	if r.list {
		return w, w.list(r.url, r.prefix)
	}
	return w, w.fetch(r.url, r.wants...)
}

func all(t *testing.T) []observation {
	rows := append(observations(t, "git-client-observations.jsonl"), observations(t, "git-static-observations.jsonl")...)
	require.Len(t, rows, 129+8)
	return rows
}

// F-01, F-04, F-06, H-06: against the fakes the modelled client comes to what stock git came to against
// servers that do the same: exit code, words, ids named, objects got, number of requests, length of a listing.
func TestRowsAsMeasured(t *testing.T) {
	for _, o := range all(t) {
		r, known := plan(&o)
		reason := left[o.Case]
		require.True(t, known != (reason != ""), "row %s: want it in plan or in left, and not in both", o.Case)
		if !known {
			continue
		}
		name := o.Case + " " + o.Server
		if o.Proto != nil {
			name += " protocol " + string('0'+rune(*o.Proto))
		}
		t.Run(name, func(t *testing.T) {
			w, out := r.carry(t, &o)
			requireExit(t, &o, &out)
			for _, phrase := range out.Says {
				require.Contains(t, o.Stderr, phrase)
			}
			require.Equal(t, out.Exit == Fatal, len(out.Says) > 0, "an error says something, and nothing else does")
			require.Equal(t, out.Exit == Done, out.Class == core.OK)
			if !out.Named.IsZero() && !strings.Contains(o.Stderr, " corrupt") {
				require.Contains(t, o.Stderr, out.Named.String())
			}
			if o.HTTP != nil {
				require.Equal(t, *o.HTTP, out.HTTP, "requests")
			}
			if o.Got != nil {
				require.Equal(t, got(t, o.Got, len(r.wants)), holds(w, r.wants, out.Got))
			}
			if o.Bytes != nil {
				require.Equal(t, *o.Bytes, out.Bytes)
			}
			if o.Out != nil && r.list {
				require.Equal(t, *o.Out, out.Out[:min(len(out.Out), 60)])
			}
			if o.Refs != nil {
				require.Equal(t, *o.Refs, strings.Count(out.Out, "\n"))
			}
		})
	}
}

func requireExit(t *testing.T, o *observation, out *Outcome) {
	if string(o.Exit) == `"TIMEOUT>20s"` {
		require.Equal(t, Hangs, out.Exit)
		require.Equal(t, 20*core.Second, out.After, "git was still waiting when the measurement ended")
		return
	}
	var exit int
	require.NoError(t, json.Unmarshal(o.Exit, &exit))
	require.Equal(t, exit, out.Exit)
	require.Less(t, out.After, 20*core.Second)
}

func got(t *testing.T, raw json.RawMessage, n int) (each []bool) {
	if raw[0] == '[' {
		require.NoError(t, json.Unmarshal(raw, &each))
		require.Len(t, each, n)
		return each
	}
	return []bool{string(raw) == "true"}
}

func holds(w *world, labels []string, oids []core.OID) (each []bool) {
	for _, want := range w.ids(labels...) {
		here := false
		for _, o := range oids {
			here = here || o == want
		}
		each = append(each, here)
	}
	return each
}

// Every row that is left out is one that exists.
func TestLeftRowsExist(t *testing.T) {
	names := make(map[string]bool)
	for _, o := range all(t) {
		names[o.Case] = true
	}
	for name, reason := range left {
		require.True(t, names[name], name)
		require.NotEmpty(t, reason)
	}
}

// differ is where our driver, as the fakes' Ask models it, comes to another class or number of requests than
// stock git against the same server, and why it should.
var differ = map[string]string{
	"http/html200/ls-remote":      "a web page is an error, never an empty repository (F-06)",
	"http/html200/fetch":          "it never falls back to the static protocol after a page: 1 request, not 5",
	"http/redirect/fetch":         "transfers go to the checked final URL with redirects off (F-06)",
	"http/redirectloop/fetch":     "the same: 1 request, not 21",
	"http/redirectpost/ls-remote": "a compare is one GET, so a server that fails POSTs alone is listed (F-06)",
	"http/429post/ls-remote":      "the same",
	"tcp/infinite-adv":            "an advertisement is read up to its bound, and nothing concluded from it (F-04)",
}

// F-06, F-04: the two ways to speak to a fake, whole calls and single requests, agree on every row, but for the
// differences that are meant.
func TestDriverAgainstStock(t *testing.T) {
	seen := make(map[string]bool)
	for _, o := range all(t) {
		r, known := plan(&o)
		if !known || strings.HasPrefix(o.Case, "tcp/drip") { // time alone: the stall limit is the driver's own
			continue
		}
		_, out := r.carry(t, &o)
		fresh := newWorld(t) // limits and logs untouched
		r.set(fresh)
		q := sim.Request{Kind: sim.AskFetch, URL: fresh.Names.Handle(r.url), Repo: fresh.Names.Handle("local"), OIDs: fresh.ids(r.wants...), N: 1}
		if r.list {
			q.Kind, q.OIDs = sim.AskCompare, nil
		}
		var a sim.Reply
		fresh.Servers.Ask(0, &q, &a)
		same := a.Class == out.Class && (r.list || a.Requests == out.HTTP) && (r.list || len(a.OIDs) == len(out.Got))
		if differ[o.Case] != "" {
			seen[o.Case] = true
			require.False(t, same, "%s: does not differ any more: take it off the table", o.Case)
			continue
		}
		require.True(t, same, "%s %s: driver %v in %d requests, git %v in %d; want the same or a reason in differ", o.Case, o.Server,
			a.Class, a.Requests, out.Class, out.HTTP)
	}
	require.Len(t, seen, len(differ))
}
