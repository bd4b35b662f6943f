package fakes

import (
	"fmt"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"graspsync/core"
)

// F-07: labels become ids of 40 or 64 hex digits, the same on every machine, and come back for display.
func TestLabels(t *testing.T) {
	require.Equal(t, "f8f346f7140780c72d5276735603c21b4d682422", Label("alice/hello@main~3").String())
	require.Equal(t, 40, len(Label("x").String()))
	require.Equal(t, 64, len(LongLabel("x").String()))
	hex := "0123456789abcdef0123456789abcdef01234567"
	require.Equal(t, hex, Label(hex).String(), "an id in hex names itself")

	g := &Graph{}
	n, err := g.Commit("a")
	require.NoError(t, err)
	require.Equal(t, "a", g.Name(g.OID(n)))
	require.Equal(t, Label("b").String(), g.Name(Label("b")), "unknown objects are shown in hex")
	require.Equal(t, NoNode, g.ByLabel("b"))
	long := &Graph{Long: true}
	n, err = long.Commit("a")
	require.NoError(t, err)
	require.Equal(t, 32, long.OID(n).Len())
	require.Equal(t, n, long.ByLabel("a"))
}

// F-07: many labels, no two ids alike.
func TestLabelsDiffer(t *testing.T) {
	seen := map[string]string{}
	for i := range 100_000 {
		l := fmt.Sprintf("u%d/r%d@main~%d", i%7, i/7, i%3)
		id := Label(l).String()[:16]
		require.Empty(t, seen[id], "%s and %s share 64 bits", l, seen[id])
		seen[id] = l
	}
}

// F-05: what a commit, a tree and an annotated tag refer to.
func TestObjects(t *testing.T) {
	g := &Graph{}
	must := func(n Node, err error) Node {
		t.Helper()
		require.NoError(t, err)
		return n
	}
	blob := must(g.Blob("readme", 12))
	tree := must(g.Tree("dir", 40, "readme"))
	root := must(g.CommitOf("root", 99))
	tip := must(g.Chain("main", 3, "root"))
	tag := must(g.Tag("v1", "main"))
	require.Equal(t, []Node{blob}, g.Edges(tree))
	require.Equal(t, TagObject, g.Kind(tag))
	require.Equal(t, int64(99), g.Size(g.ByLabel("root^{tree}")))
	require.Equal(t, "commit", g.Kind(tip).String())
	closure := g.Closure(nil, tag)
	require.Len(t, closure, 1+2*4)
	require.True(t, g.Reaches([]Node{tag}, root))
	require.True(t, g.Reaches([]Node{tag}, g.ByLabel("main~2^{tree}")))
	require.False(t, g.Reaches([]Node{tip}, tag))
	require.False(t, g.Reaches([]Node{tip}, blob))

	again := must(g.Commit("main~2", "root"))
	require.Equal(t, g.ByLabel("main~2"), again, "the same object again is the same node")
	for name, err := range map[string]error{
		"exists as another":     second(g.Commit("main~2", "main")),
		"want an object made":   second(g.Commit("new", "nobody")),
		"is a tree":             second(g.Commit("new", "dir")),
		"want 0 to 2147483647":  second(g.Blob("huge", 1<<31)),
		"want 1 to 1000000":     second(g.Chain("c", 0)),
		"want one of 0 to":      second(g.Add(Label("z"), "z", BlobObject, 1, 10_000)),
		"want 20 or 32 bytes":   second(g.Add(core.OID{}, "z", BlobObject, 1)),
		"refers to \"nothing\"": second(g.Tag("v2", "nothing")),
	} {
		require.ErrorIs(t, err, ErrObject)
		require.ErrorContains(t, err, name)
	}
}

func second(_ Node, err error) error { return err }

// slowClosure is the obvious fixed point.
func slowClosure(g *Graph, roots []Node) []Node {
	in := map[Node]bool{}
	for _, r := range roots {
		in[r] = true
	}
	for grew := true; grew; {
		grew = false
		for n := range Node(g.Len()) {
			if !in[n] {
				continue
			}
			for _, e := range g.Edges(n) {
				grew = grew || !in[e]
				in[e] = true
			}
		}
	}
	var out []Node
	for n := range Node(g.Len()) {
		if in[n] {
			out = append(out, n)
		}
	}
	return out
}

// drawGraph makes a random history: trees, merges, tags of tags.
func drawGraph(t *rapid.T, most int) *Graph {
	g := &Graph{}
	n := rapid.IntRange(1, most).Draw(t, "objects")
	for i := range n {
		var edges []Node
		if i > 0 {
			edges = rapid.SliceOfNDistinct(rapid.Map(rapid.IntRange(0, i-1), func(i int) Node { return Node(i) }), 0, min(i, 3), rapid.ID[Node]).Draw(t, "edges")
		}
		label := fmt.Sprintf("o%d", i)
		_, err := g.Add(Label(label), label, ObjectKind(i%4), int64(i+1), edges...)
		require.NoError(t, err)
	}
	return g
}

func drawNodes(t *rapid.T, g *Graph, name string) []Node {
	return rapid.SliceOfN(rapid.Map(rapid.IntRange(0, g.Len()-1), func(i int) Node { return Node(i) }), 0, 4).Draw(t, name)
}

// F-05: closure and reachability agree with a slow model on every random history.
func TestClosureAgainstModel(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		g := drawGraph(t, 40)
		for range 3 {
			roots := drawNodes(t, g, "roots")
			want := slowClosure(g, roots)
			got := g.Closure(nil, roots...)
			slices.Sort(got)
			require.Equal(t, want, got)
			for n := range Node(g.Len()) {
				require.Equal(t, slices.Contains(want, n), g.Reaches(roots, n), "node %d from %v", n, roots)
			}
		}
	})
}

// A set of nodes behaves as a map does.
func TestNodeSetAgainstMap(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var s nodeSet
		model := map[Node]bool{}
		for range rapid.IntRange(0, 60).Draw(t, "steps") {
			n := Node(rapid.IntRange(0, 30).Draw(t, "node"))
			switch rapid.IntRange(0, 9).Draw(t, "op") {
			case 0:
				s.remove(n)
				delete(model, n)
			case 1:
				s.clear()
				model = map[Node]bool{}
			default:
				require.Equal(t, !model[n], s.add(n))
				model[n] = true
			}
			require.Equal(t, len(model), s.n)
			for m := range Node(31) {
				require.Equal(t, model[m], s.has(m))
			}
		}
	})
}

// Hot queries allocate nothing once their scratch has grown.
func TestGraphAllocations(t *testing.T) {
	g := &Graph{}
	tip, err := g.Chain("m", 500)
	require.NoError(t, err)
	roots := []Node{tip}
	buf := g.Closure(nil, tip)
	first := g.ByLabel("m~499")
	require.Zero(t, testing.AllocsPerRun(20, func() {
		buf = g.Closure(buf[:0], roots...)
		if !g.Reaches(roots, first) {
			t.Fatal("the chain is broken")
		}
	}))
}
