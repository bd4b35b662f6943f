package fakes

import (
	"testing"

	"github.com/stretchr/testify/require"

	"graspsync/core"
	"graspsync/core/value"
	"graspsync/sim"
)

// A relay's face shows what its storage has at that instant, gives all that is wanted or nothing, and passes the faults
// of its host first. F-01 F-05
func TestFaceOfARelay(t *testing.T) {
	const url, domain = "https://one.example/npub/hello.git", "one.example"
	for _, row := range []struct {
		name  string
		rule  *Rule
		face  Face
		kind  sim.RequestKind
		want  []string
		class core.Class
		get   []string
	}{
		{name: "lists its tips", kind: sim.AskCompare, want: []string{"main", "dev"}, get: []string{"main"}},
		{name: "gives what it holds", kind: sim.AskFetch, want: []string{"main", "main~1"}, get: []string{"main", "main~1"}},
		{name: "all or nothing", kind: sim.AskFetch, want: []string{"main", "dev"}, class: core.NotOurRef},
		{name: "probe", kind: sim.AskProbe, want: []string{"main~2"}},
		{name: "probe of nothing", kind: sim.AskProbe, want: []string{"dev"}, class: core.NotOurRef},
		{name: "lies when it lists", face: Face{Lies: true}, kind: sim.AskCompare, want: []string{"main"}, get: []string{"main"}},
		{name: "lies", face: Face{Lies: true}, kind: sim.AskFetch, want: []string{"main"}, class: core.NotOurRef},
		{name: "down", face: Face{Down: func() bool { return true }}, kind: sim.AskCompare, class: core.Refused},
		{name: "partition", rule: &Rule{Do: Timeout}, kind: sim.AskCompare, class: core.Timeout},
		{name: "503", rule: &Rule{Do: Status, Status: 503}, kind: sim.AskFetch, want: []string{"main"}, class: core.ServerError},
		{name: "hides", rule: &Rule{Do: Hide}, kind: sim.AskCompare, want: []string{"main"}},
		{name: "truncates", rule: &Rule{Do: Truncate}, kind: sim.AskCompare, want: []string{"main"}},
		{name: "denies", rule: &Rule{Do: Deny}, kind: sim.AskFetch, want: []string{"main"}, class: core.NotOurRef},
		{name: "cuts", rule: &Rule{Do: CutPack}, kind: sim.AskFetch, want: []string{"main"}, class: core.CutShort},
		{name: "stalls", rule: &Rule{Do: Stall}, kind: sim.AskFetch, want: []string{"main"}, class: core.Stalled},
		{name: "only fetches", rule: &Rule{Do: Status, Status: 429, On: On(sim.AskFetch)}, kind: sim.AskCompare, want: []string{"main"}, get: []string{"main"}},
	} {
		t.Run(row.name, func(t *testing.T) {
			w := NewWorldParts(&value.Names{}, 1)
			w.Chain("main", 3).Commit("dev", "main~1")
			other := NewLocalGit(w.Graph, w.Names)
			repo, h := w.Names.Handle("alice/hello"), w.Names.Handle(url)
			require.Equal(t, core.OK, other.Create(repo))
			other.Receive(repo, w.ids("main"))
			require.Equal(t, core.OK, other.Align(&core.Effect{Kind: core.EfAlignRefs, Repo: repo, Refs: w.refs("refs/heads/main", "main")}))
			host := w.Host(domain)
			if row.rule != nil {
				host.Fault(Fault{Until: core.Minute, Rule: *row.rule})
			}
			require.NoError(t, w.Seal())
			row.face.Local, row.face.Latency, row.face.Repos = other, core.Second, map[core.Handle]core.Handle{h: repo}
			faces := &WithFaces{Servers: w.Servers, Faces: map[core.Handle]*Face{w.Names.Handle(domain): &row.face}}
			ask := func(now core.Time, url core.Handle) (a sim.Reply) {
				faces.Ask(now, &sim.Request{Kind: row.kind, URL: url, Domain: w.Names.Handle(domain), OIDs: w.ids(row.want...), N: 1}, &a)
				return a
			}
			a := ask(0, h)
			require.Equal(t, row.class, a.Class)
			require.ElementsMatch(t, w.ids(row.get...), a.OIDs)
			require.Equal(t, row.rule != nil && row.rule.Do == Truncate, a.Truncated)
			require.Equal(t, row.class == core.Stalled, a.After == sim.NoReply)
			if row.rule != nil && row.kind == sim.AskCompare {
				require.Equal(t, core.OK, ask(core.Minute, h).Class, "the window is over")
			}
			if row.rule == nil && row.face.Down == nil {
				require.Equal(t, core.NotFound, ask(0, w.Names.Handle("https://one.example/elsewhere.git")).Class)
			}
		})
	}
}
