package fakes

import (
	"errors"
	"fmt"
	"slices"

	"graspsync/core"
	"graspsync/core/value"
)

// Node is the index of an object in a Graph, from 0. NoNode is none.
type Node int32

// NoNode is the Node of an object that does not exist.
const NoNode Node = -1

// MaxNodes bounds a Graph.
const MaxNodes = 1 << 26

// ObjectKind is what git calls the type of an object.
type ObjectKind uint8

// Object kinds.
const (
	CommitObject ObjectKind = iota
	TreeObject
	BlobObject
	TagObject
)

// String is git's name of the type.
func (k ObjectKind) String() string { return [...]string{"commit", "tree", "blob", "tag"}[k&3] }

// Sizes an object gets where the builder states none, in bytes packed. A commit's tree stands for all
// the trees and blobs new in that commit.
const (
	CommitBytes = 250
	TreeBytes   = 2000
	TagBytes    = 150
)

// ErrObject is wrapped by every refusal of a Graph.
var ErrObject = errors.New("object refused")

// Label is the object id of a text, SHA-1 length: a label stands for content, so equal labels are equal
// objects in every repository of the world, as equal content is in git. A label that is an object id in
// hex (F-07) names itself, which is how ids of real events come in.
func Label(text string) core.OID {
	if oid, err := value.ParseOID(text); err == nil {
		return oid
	}
	var b [20]byte
	fill(b[:], text)
	return value.OIDFromBytes(b[:])
}

// LongLabel is Label in SHA-256 length.
func LongLabel(text string) core.OID {
	if oid, err := value.ParseOID(text); err == nil {
		return oid
	}
	var b [32]byte
	fill(b[:], text)
	return value.OIDFromBytes(b[:])
}

type objectInfo struct {
	first, n uint32 // its edges, a span of Graph.edges
	size     int32  // bytes in a pack
	kind     ObjectKind
}

// Graph is every git object of the world with its edges: commit → tree and parents, tree → entries, tag
// → target. An object's edges point only to older objects, so it has no cycle. Objects are never
// removed; which repository holds which is the business of Remote and LocalGit. Not safe for concurrent
// use: queries share a scratch.
type Graph struct {
	Long bool // labels become SHA-256 ids; set before the first object

	oids   []core.OID
	labels []string // "" = shown in hex
	info   []objectInfo
	edges  []Node
	index  []Node // open addressing over the id's first word; a power of two, NoNode = free
	mark   []uint32
	round  uint32 // mark[n] == round: visited in this walk
	stack  []Node
}

// Len is the number of objects; Nodes are 0..Len-1.
func (g *Graph) Len() int { return len(g.oids) }

// Find is the node of an id, or NoNode.
func (g *Graph) Find(oid core.OID) Node {
	if len(g.index) == 0 {
		return NoNode
	}
	mask := uint64(len(g.index) - 1)
	for i := mix(oid.Word()) & mask; ; i = (i + 1) & mask {
		n := g.index[i]
		if n == NoNode || g.oids[n] == oid {
			return n
		}
	}
}

// OID is the id of node n.
func (g *Graph) OID(n Node) core.OID { return g.oids[n] }

// Kind is the type of node n.
func (g *Graph) Kind(n Node) ObjectKind { return g.info[n].kind }

// Size is the bytes node n takes in a pack.
func (g *Graph) Size(n Node) int64 { return int64(g.info[n].size) }

// Edges are the objects n refers to; the caller must not write to them.
func (g *Graph) Edges(n Node) []Node {
	i := &g.info[n]
	return g.edges[i.first : i.first+i.n : i.first+i.n]
}

// Name is the label an id was made from, or its hex: for display.
func (g *Graph) Name(oid core.OID) string {
	if n := g.Find(oid); n != NoNode && g.labels[n] != "" {
		return g.labels[n]
	}
	return oid.String()
}

// Add puts in an object with a given id. The edges must exist. The same id again is fine with the same
// kind, size and edges, and ErrObject otherwise. A name of "" is shown as hex.
func (g *Graph) Add(oid core.OID, name string, kind ObjectKind, size int64, edges ...Node) (Node, error) {
	if oid.IsZero() {
		return NoNode, fmt.Errorf("%w: %q has the zero id: want 20 or 32 bytes", ErrObject, name)
	}
	if size < 0 || size > 1<<31-1 {
		return NoNode, fmt.Errorf("%w: size of %q is %d: want 0 to 2147483647 bytes", ErrObject, name, size)
	}
	for _, e := range edges {
		if e < 0 || int(e) >= len(g.oids) {
			return NoNode, fmt.Errorf("%w: %q refers to node %d: want one of 0 to %d", ErrObject, name, e, len(g.oids)-1)
		}
	}
	if n := g.Find(oid); n != NoNode {
		if g.info[n].kind == kind && g.Size(n) == size && slices.Equal(g.Edges(n), edges) {
			return n, nil
		}
		return NoNode, fmt.Errorf("%w: %q exists as another %v: equal labels must be equal objects", ErrObject, g.Name(oid), g.Kind(n))
	}
	if len(g.oids) >= MaxNodes {
		return NoNode, fmt.Errorf("%w: %q is one more than the %d objects a world may have", ErrObject, name, MaxNodes)
	}
	n := Node(len(g.oids))
	g.oids = append(g.oids, oid)
	g.labels = append(g.labels, name)
	g.info = append(g.info, objectInfo{first: uint32(len(g.edges)), n: uint32(len(edges)), size: int32(size), kind: kind})
	g.edges = append(g.edges, edges...)
	g.mark = append(g.mark, 0)
	g.insert(n)
	return n, nil
}

func (g *Graph) insert(n Node) {
	if 2*len(g.oids) > len(g.index) {
		size := max(16, 2*len(g.index))
		g.index = make([]Node, size)
		for i := range g.index {
			g.index[i] = NoNode
		}
		for m := range n {
			g.place(m)
		}
	}
	g.place(n)
}

func (g *Graph) place(n Node) {
	mask := uint64(len(g.index) - 1)
	i := mix(g.oids[n].Word()) & mask
	for g.index[i] != NoNode {
		i = (i + 1) & mask
	}
	g.index[i] = n
}

// start begins a walk.
func (g *Graph) start() {
	g.round++
	if g.round == 0 { // wrapped: old marks would look fresh
		clear(g.mark)
		g.round = 1
	}
	g.stack = g.stack[:0]
}

// visit puts n on the walk's stack unless this walk saw it.
func (g *Graph) visit(n Node) {
	if g.mark[n] != g.round {
		g.mark[n] = g.round
		g.stack = append(g.stack, n)
	}
}

// next takes a node off the stack; ok is false at the end of the walk. The caller visits its edges or
// prunes there.
func (g *Graph) next() (n Node, ok bool) {
	if len(g.stack) == 0 {
		return NoNode, false
	}
	n = g.stack[len(g.stack)-1]
	g.stack = g.stack[:len(g.stack)-1]
	return n, true
}

// visitEdges puts what n refers to on the stack.
func (g *Graph) visitEdges(n Node) {
	for _, e := range g.Edges(n) {
		g.visit(e)
	}
}

// Closure appends the roots and everything they refer to, directly or not, each once. Order is
// deterministic but says nothing.
func (g *Graph) Closure(dst []Node, roots ...Node) []Node {
	g.start()
	for _, r := range roots {
		g.visit(r)
	}
	for n, ok := g.next(); ok; n, ok = g.next() {
		dst = append(dst, n)
		g.visitEdges(n)
	}
	return dst
}

// Reaches tells whether target is in the closure of roots.
func (g *Graph) Reaches(roots []Node, target Node) bool {
	g.start()
	for _, r := range roots {
		g.visit(r)
	}
	for n, ok := g.next(); ok; n, ok = g.next() {
		if n == target {
			return true
		}
		if n > target { // edges point to lower nodes only, so nothing below target leads to it
			g.visitEdges(n)
		}
	}
	return false
}
