package fakes

import (
	"slices"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"graspsync/core"
	"graspsync/core/value"
	"graspsync/sim"
)

// F-05: what a server holds at an instant agrees with the statements read one by one.
func TestHoldingAgainstModel(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		g := drawGraph(t, 12)
		span := func() (core.Time, core.Time) {
			from := core.Time(rapid.IntRange(0, 12).Draw(t, "from"))
			if rapid.Bool().Draw(t, "open") {
				return from, core.Never
			}
			return from, from + core.Time(rapid.IntRange(1, 8).Draw(t, "length"))
		}
		list := func(name string, most int) (out []held) {
			for range rapid.IntRange(0, most).Draw(t, name) {
				n := Node(rapid.IntRange(0, g.Len()-1).Draw(t, "node"))
				from, until := span()
				out = append(out, held{n, from, until})
			}
			return out
		}
		r := &remoteRepo{tips: list("tips", 4), lone: list("lone", 2), lost: list("lost", 2)}
		r.seal(g)
		on := func(h held, at core.Time) bool { return h.from <= at && at < h.until }
		for at := core.Time(0); at <= 22; at++ {
			for n := range Node(g.Len()) {
				want := false
				for _, h := range r.tips {
					want = want || on(h, at) && slices.Contains(slowClosure(g, []Node{h.node}), n)
				}
				for _, h := range r.lone {
					want = want || on(h, at) && h.node == n
				}
				for _, h := range r.lost {
					want = want && !(on(h, at) && h.node == n)
				}
				require.Equal(t, want, r.holding(n, at), "node %d at %d", n, at)
			}
		}
	})
}

// F-02: the advertisement of each instant agrees with the statements read one by one; fingerprints are
// equal exactly where the sets of advertised ids are.
func TestAdvertisementAgainstModel(t *testing.T) {
	names := []string{"refs/heads/a", "refs/heads/b", "refs/tags/a", "refs/changes/1"}
	rapid.Check(t, func(t *rapid.T) {
		g := drawGraph(t, 6)
		r := &remoteRepo{}
		for range rapid.IntRange(0, 8).Draw(t, "refs") {
			from := core.Time(rapid.IntRange(0, 10).Draw(t, "from"))
			until := rapid.SampledFrom([]core.Time{core.Never, from + 3}).Draw(t, "until")
			r.refs = append(r.refs, advertised{rapid.SampledFrom(names).Draw(t, "name"), Node(rapid.IntRange(0, g.Len()-1).Draw(t, "node")),
				rapid.IntRange(0, 4).Draw(t, "hidden") == 0, from, until})
		}
		r.seal(g)
		prints := map[string][32]byte{}
		for at := core.Time(0); at <= 14; at++ {
			var tips []Node
			heads := 0
			for i, name := range names {
				var last *advertised
				for j := range r.refs {
					if f := &r.refs[j]; f.name == name && f.from <= at && at < f.until {
						last = f
					}
				}
				if last != nil && !last.hidden {
					tips = append(tips, last.node)
					if i < 2 {
						heads++
					}
				}
			}
			e := &r.epochs[r.epochIndex(at)]
			require.Equal(t, heads, int(e.heads))
			require.Len(t, e.order, len(tips))
			set := ""
			for n := range Node(g.Len()) {
				require.Equal(t, slices.Contains(tips, n), e.tip(n))
				if e.tip(n) {
					set += string(rune('a' + n))
				}
			}
			for other, print := range prints {
				require.Equal(t, other == set, print == e.print)
			}
			prints[set] = e.print
		}
	})
}

// A repository with many refs answers as one with few does.
func TestManyRefs(t *testing.T) {
	w := NewWorldParts(&value.Names{}, 1)
	repo := w.Repo(helloURL)
	for _, c := range "abcdefghijklmnopqrst" {
		w.Commit(string(c))
		repo.Ref("refs/heads/"+string(c), string(c))
	}
	w.Commit("other")
	require.NoError(t, w.Seal())
	a := w.ask(sim.AskCompare, helloURL, 0, "b", "other", "t")
	require.Equal(t, []core.OID{Label("b"), Label("t")}, a.OIDs)
}

// I-14: a host's log is bounded, and says when a question reaches behind it.
func TestHostLog(t *testing.T) {
	w, _, _ := hello(t)
	w.LogSize(4)
	for i := range core.Time(10) {
		w.ask(sim.AskCompare, helloURL, 10*i, "main")
	}
	domain := w.Names.Handle("git.example.com")
	log := w.Servers.AppendLog(domain, nil)
	require.Len(t, log, 4)
	require.Equal(t, core.Time(60), log[0].At)
	require.Equal(t, uint64(7), log[0].Total)
	require.Equal(t, core.OK, log[3].Class)
	n, whole := w.Servers.RequestsIn(domain, 60, 90)
	require.Equal(t, uint64(3), n)
	require.True(t, whole)
	n, whole = w.Servers.RequestsIn(domain, 59, 80)
	require.Equal(t, uint64(3), n)
	require.False(t, whole, "what came before 60 is forgotten")
	require.Equal(t, uint64(10), w.Servers.HostTally(domain).Calls[sim.AskCompare])
	require.Equal(t, uint64(10), w.Servers.Requests())
	require.Equal(t, []string{"git.example.com"}, w.Servers.Domains())
	n, whole = w.Servers.RequestsIn(w.Names.Handle("nobody.example"), 0, 9)
	require.Zero(t, n)
	require.True(t, whole)
}
