package fakes

import (
	"fmt"
	"strconv"

	"graspsync/core"
)

// Building objects by label. Each object is made once; the label is its identity.

// Blob puts in a blob of size bytes.
func (g *Graph) Blob(label string, size int64) (Node, error) {
	return g.Add(g.ID(label), label, BlobObject, size)
}

// Tree puts in a tree of size bytes with entries.
func (g *Graph) Tree(label string, size int64, entries ...string) (Node, error) {
	nodes, err := g.lookUp(label, entries)
	if err != nil {
		return NoNode, err
	}
	return g.Add(g.ID(label), label, TreeObject, size, nodes...)
}

// Commit puts in a commit with parents, which must exist, and a tree of its own called "LABEL^{tree}" of
// TreeBytes, standing for everything new in it.
func (g *Graph) Commit(label string, parents ...string) (Node, error) {
	return g.CommitOf(label, TreeBytes, parents...)
}

// CommitOf is Commit with treeBytes of new content.
func (g *Graph) CommitOf(label string, treeBytes int64, parents ...string) (Node, error) {
	nodes, err := g.lookUp(label, parents)
	if err != nil {
		return NoNode, err
	}
	for i, n := range nodes {
		if g.Kind(n) != CommitObject {
			return NoNode, fmt.Errorf("%w: parent %q of %q is a %v: want a commit", ErrObject, parents[i], label, g.Kind(n))
		}
	}
	name := label + "^{tree}"
	tree, err := g.Add(g.ID(name), name, TreeObject, treeBytes)
	if err != nil {
		return NoNode, err
	}
	return g.Add(g.ID(label), label, CommitObject, CommitBytes, append([]Node{tree}, nodes...)...)
}

// Lone puts in a commit of size bytes that refers to nothing: one node instead of two, for worlds of very
// many repositories whose history does not matter.
func (g *Graph) Lone(label string, size int64) (Node, error) {
	return g.Add(g.ID(label), label, CommitObject, size)
}

// Chain puts in n commits in a row, "LABEL~(n-1)" … "LABEL~1", "LABEL", the oldest with parents, and gives
// the newest. n is 1 to 1,000,000.
func (g *Graph) Chain(label string, n int, parents ...string) (Node, error) {
	if n < 1 || n > 1_000_000 {
		return NoNode, fmt.Errorf("%w: length of chain %q is %d: want 1 to 1000000", ErrObject, label, n)
	}
	for i := n - 1; i > 0; i-- {
		name := label + "~" + strconv.Itoa(i)
		if _, err := g.Commit(name, parents...); err != nil {
			return NoNode, err
		}
		parents = []string{name}
	}
	return g.Commit(label, parents...)
}

// Tag puts in an annotated tag of a target, which must exist.
func (g *Graph) Tag(label, target string) (Node, error) {
	nodes, err := g.lookUp(label, []string{target})
	if err != nil {
		return NoNode, err
	}
	return g.Add(g.ID(label), label, TagObject, TagBytes, nodes...)
}

// ID is the id a label has in this graph, whether or not the object exists.
func (g *Graph) ID(label string) core.OID {
	if g.Long {
		return LongLabel(label)
	}
	return Label(label)
}

// ByLabel is the node of a label, or NoNode.
func (g *Graph) ByLabel(label string) Node { return g.Find(g.ID(label)) }

func (g *Graph) lookUp(of string, labels []string) ([]Node, error) {
	nodes := make([]Node, 0, len(labels)+1)
	for _, l := range labels {
		n := g.ByLabel(l)
		if n == NoNode {
			return nil, fmt.Errorf("%w: %q refers to %q, which does not exist: want an object made before", ErrObject, of, l)
		}
		nodes = append(nodes, n)
	}
	return nodes, nil
}
