package fakes

import (
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"graspsync/core"
	"graspsync/core/value"
)

// shelf is a storage with two empty repositories and a small history.
func shelf(t *testing.T) (w *WorldParts, l *LocalGit, a, b core.Handle) {
	w = NewWorldParts(&value.Names{}, 1)
	w.Chain("main", 3).Tag("v1", "main").Commit("dev", "main~1").Commit("pr", "main")
	require.NoError(t, w.Err())
	a, b = w.Names.Handle("alice/hello"), w.Names.Handle("bob/hello")
	require.Equal(t, core.OK, w.Local.Create(a))
	require.Equal(t, core.OK, w.Local.Create(b))
	return w, w.Local, a, b
}

func (w *WorldParts) refs(pairs ...string) (out []core.Ref) {
	for i := 0; i < len(pairs); i += 2 {
		out = append(out, core.Ref{Name: w.Names.Handle(pairs[i]), OID: w.Graph.ID(pairs[i+1])})
	}
	return out
}

func (w *WorldParts) ids(labels ...string) (out []core.OID) {
	for _, l := range labels {
		out = append(out, w.Graph.ID(l))
	}
	return out
}

// F-05: what arrives brings its ancestors; what was not wanted is not there.
func TestReceive(t *testing.T) {
	w, l, a, b := shelf(t)
	l.Receive(a, w.ids("v1", "nowhere"))
	require.Equal(t, w.ids("main", "main~2", "v1"), l.Check(a, w.ids("main", "dev", "main~2", "nowhere", "v1"), nil))
	require.Empty(t, l.Check(b, w.ids("main"), nil))
	require.Equal(t, 7, l.Objects(a))
	l.Receive(w.Names.Handle("gone"), w.ids("main"))
	require.Empty(t, l.Check(w.Names.Handle("gone"), w.ids("main"), nil))
}

// F-05: an object whose history has a hole is not present, and fetching it again mends it.
func TestLose(t *testing.T) {
	w, l, a, b := shelf(t)
	l.Receive(a, w.ids("main"))
	l.Lose(a, Label("main~2^{tree}"))
	require.Empty(t, l.Check(a, w.ids("main", "main~2"), nil))
	require.Equal(t, w.ids("main^{tree}"), l.Check(a, w.ids("main^{tree}"), nil))
	require.Equal(t, core.NotOurRef, l.Copy(a, b, w.ids("main")))
	l.Receive(a, w.ids("main"))
	require.Equal(t, w.ids("main"), l.Check(a, w.ids("main"), nil))
}

// F-05: presence agrees with a slow model under receiving, copying, losing and deleting.
func TestLocalAgainstModel(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		g := drawGraph(t, 15)
		l := NewLocalGit(g, &value.Names{})
		model := [3]map[Node]bool{}
		whole := func(r int, n Node) bool {
			for _, m := range slowClosure(g, []Node{n}) {
				if !model[r][m] {
					return false
				}
			}
			return true
		}
		for range rapid.IntRange(0, 25).Draw(t, "steps") {
			r := rapid.IntRange(1, 2).Draw(t, "repo")
			nodes := drawNodes(t, g, "nodes")
			var oids []core.OID
			for _, n := range nodes {
				oids = append(oids, g.OID(n))
			}
			switch rapid.IntRange(0, 5).Draw(t, "op") {
			case 0:
				require.Equal(t, core.OK, l.Create(core.Handle(r)))
				if model[r] == nil {
					model[r] = map[Node]bool{}
				}
			case 1:
				_, c := l.Delete(core.Handle(r), true)
				require.Equal(t, core.OK, c)
				model[r] = nil
			case 2:
				c := l.Copy(core.Handle(r), core.Handle(3-r), oids)
				want := core.OK
				for _, n := range nodes {
					if !whole(r, n) {
						want = core.NotOurRef
					}
				}
				if model[r] == nil || model[3-r] == nil {
					want = core.LocalFault
				}
				require.Equal(t, want, c)
				if want == core.OK {
					for _, m := range slowClosure(g, nodes) {
						model[3-r][m] = true
					}
				}
			case 3:
				if len(nodes) > 0 {
					l.Lose(core.Handle(r), oids[0])
					delete(model[r], nodes[0])
				}
			default:
				l.Receive(core.Handle(r), oids)
				if model[r] != nil {
					for _, m := range slowClosure(g, nodes) {
						model[r][m] = true
					}
				}
			}
			for r := 1; r <= 2; r++ {
				require.Equal(t, model[r] != nil, l.Exists(core.Handle(r)))
				for n := range Node(g.Len()) {
					got := l.Check(core.Handle(r), []core.OID{g.OID(n)}, nil)
					require.Equal(t, whole(r, n), len(got) == 1, "repo %d node %d", r, n)
				}
			}
		}
	})
}

// ST-08: alignment sets exactly the heads and tags, leaves other refs, moves HEAD only when told, and
// changes nothing when an object is not here.
func TestAlign(t *testing.T) {
	w, l, a, _ := shelf(t)
	l.Receive(a, w.ids("v1", "pr"))
	master, main := w.Names.Handle(DefaultHead), w.Names.Handle("refs/heads/main")
	require.Equal(t, master, l.Head(a), "AN-04")
	pr := core.Effect{Kind: core.EfAlignRefs, Repo: a, Space: core.NostrRef, Event: core.EventID{1}, OIDs: w.ids("pr")}
	require.Equal(t, core.OK, l.Align(&pr))
	nostr := "refs/nostr/" + pr.Event.String()

	want := w.refs("refs/heads/main", "main", "refs/tags/v1", "v1")
	require.Equal(t, core.OK, l.Align(&core.Effect{Repo: a, Refs: want, Head: main}))
	require.Equal(t, w.refs("refs/heads/main", "main", nostr, "pr", "refs/tags/v1", "v1"), l.Refs(a))
	require.Equal(t, main, l.Head(a))
	require.Equal(t, core.NotOurRef, l.Align(&core.Effect{Repo: a, Refs: w.refs("refs/heads/dev", "dev")}))
	require.Len(t, l.Refs(a), 3)
	require.Equal(t, core.OK, l.Align(&core.Effect{Repo: a, Old: want, Refs: w.refs("refs/heads/old", "main~1")}))
	require.Equal(t, w.refs("refs/heads/old", "main~1", nostr, "pr"), l.Refs(a))
	require.Equal(t, main, l.Head(a))
	require.Zero(t, l.Counts().StaleOld)
	require.Equal(t, core.OK, l.Align(&core.Effect{Repo: a, Old: want}))
	require.Equal(t, uint64(1), l.Counts().StaleOld)
	require.Equal(t, w.refs(nostr, "pr"), l.Refs(a), "the empty state clears heads and tags (ST-06)")
	pr.OIDs = w.ids("dev")
	require.Equal(t, core.NotOurRef, l.Align(&pr))
	pr.OIDs = nil
	require.Equal(t, core.OK, l.Align(&pr))
	require.Empty(t, l.Refs(a))
	require.Equal(t, core.LocalFault, l.Align(&core.Effect{Repo: w.Names.Handle("gone")}))
}

// P-04, E-05: a push is applied whole or not at all and tells whether a head or tag moved.
func TestPush(t *testing.T) {
	w, l, a, _ := shelf(t)
	main, tag := w.Names.Handle("refs/heads/main"), w.Names.Handle("refs/tags/v1")
	create := []core.RefUpdate{{Name: main, New: Label("main")}, {Name: tag, New: Label("v1")}}
	_, c := l.Push(a, create)
	require.Equal(t, core.NotOurRef, c)
	require.Empty(t, l.Refs(a))
	l.Receive(a, w.ids("v1"))
	moved, c := l.Push(a, create)
	require.Equal(t, core.OK, c)
	require.True(t, moved)
	moved, c = l.Push(a, create)
	require.Equal(t, core.OK, c)
	require.False(t, moved, "a no-op push")
	_, c = l.Push(a, []core.RefUpdate{{Name: main, Old: Label("dev")}})
	require.Equal(t, core.LocalFault, c, "Old is not what is there")
	moved, _ = l.Push(a, []core.RefUpdate{{Name: main, Old: Label("main")}})
	require.True(t, moved)
	require.Equal(t, w.refs("refs/tags/v1", "v1"), l.Refs(a))
}

// E-04: a repository with refs is not deleted by expiry; I-7 counts the ones deleted all the same.
func TestDelete(t *testing.T) {
	w, l, a, b := shelf(t)
	l.Receive(a, w.ids("main"))
	require.Equal(t, core.OK, l.Align(&core.Effect{Repo: a, Refs: w.refs("refs/heads/main", "main")}))
	had, c := l.Delete(a, true)
	require.True(t, had)
	require.Equal(t, core.OK, c)
	require.True(t, l.Exists(a))
	l.FailNext(DeleteOp, 1, 2)
	_, c = l.Delete(b, true)
	require.Equal(t, core.OK, c)
	for range 2 {
		_, c = l.Delete(a, false)
		require.Equal(t, core.LocalFault, c)
		require.True(t, l.Exists(a))
	}
	had, c = l.Delete(a, false)
	require.False(t, had)
	require.Equal(t, core.OK, c)
	require.False(t, l.Exists(a))
	require.Equal(t, uint64(1), l.Counts().DeletedWithRefs)
	require.Equal(t, uint64(2), l.Counts().Failed[DeleteOp])
	_, c = l.Delete(a, false)
	require.Equal(t, core.OK, c, "idempotent")
	require.Equal(t, core.OK, l.Create(a))
	require.Empty(t, l.Check(a, w.ids("main"), nil))
	require.Empty(t, l.Refs(a))
}

// D-07: a full disk is our fault, keeps nothing, and ends.
func TestDiskFull(t *testing.T) {
	w, l, a, b := shelf(t)
	l.Receive(a, w.ids("main"))
	l.DiskFull(true)
	l.Receive(a, w.ids("dev"))
	require.Empty(t, l.Check(a, w.ids("dev"), nil))
	require.Equal(t, core.LocalFault, l.Copy(a, b, w.ids("main")))
	require.Equal(t, core.LocalFault, l.Align(&core.Effect{Repo: a, Refs: w.refs("refs/heads/main", "main")}))
	require.Equal(t, core.LocalFault, l.Create(w.Names.Handle("new")))
	_, c := l.Delete(b, true)
	require.Equal(t, core.OK, c, "deleting works on a full disk")
	l.DiskFull(false)
	l.Receive(a, w.ids("dev"))
	require.Len(t, l.Check(a, w.ids("dev"), nil), 1)
}

// ST-08: names that clash as directory and file are refused in one transaction, as git does, and take two to set.
func TestDirectoryAndFile(t *testing.T) {
	w, l, a, _ := shelf(t)
	l.Receive(a, w.ids("v1", "dev"))
	flat, deep := w.refs("refs/heads/a", "main", "refs/tags/v1", "v1"), w.refs("refs/heads/a/b", "dev", "refs/heads/a/c", "main")
	require.True(t, l.Transact(a, nil, flat))
	require.False(t, l.Transact(a, []core.Handle{flat[0].Name}, deep), "deleted along with it, and still in the way")
	require.Equal(t, flat, l.Refs(a))
	require.False(t, l.Transact(a, nil, append(w.refs("refs/heads/x", "main"), w.refs("refs/heads/x/y", "main")...)))
	require.Equal(t, core.OK, l.Align(&core.Effect{Repo: a, Refs: deep}))
	require.Equal(t, deep, l.Refs(a))
	require.Equal(t, core.OK, l.Align(&core.Effect{Repo: a, Refs: flat}))
	require.Equal(t, flat, l.Refs(a))
	require.EqualValues(t, 2, l.Counts().TwoSteps)
	require.Equal(t, core.OK, l.Align(&core.Effect{Repo: a, Refs: flat[:1]}))
	require.EqualValues(t, 2, l.Counts().TwoSteps)
}

// ST-04: HEAD follows a state to a branch of it whose tip is a commit that is here, and stays otherwise.
func TestHead(t *testing.T) {
	w, l, a, _ := shelf(t)
	l.Receive(a, w.ids("main", "v1"))
	at := func(head string, refs []core.Ref) (string, core.Class) {
		c := l.Align(&core.Effect{Repo: a, Refs: refs, Head: w.Names.Handle(head)})
		return w.Names.Text(l.Head(a)), c
	}
	for _, row := range []struct {
		head, want string
		refs       []core.Ref
		class      core.Class
	}{
		{"refs/heads/x", "refs/heads/x", w.refs("refs/heads/x", "main"), core.OK},
		{"refs/heads/y", "refs/heads/x", w.refs("refs/heads/x", "main"), core.OK},                           // not in the state
		{"refs/heads/y", "refs/heads/x", w.refs("refs/heads/y", "dev"), core.NotOurRef},                     // its tip is not here
		{"refs/heads/y", "refs/heads/x", w.refs("refs/heads/y", "v1"), core.LocalFault},                     // a tag object
		{"refs/heads/y", "refs/heads/y", w.refs("refs/heads/x", "main", "refs/heads/y", "main~1"), core.OK}, // here
		{"refs/tags/v1", "refs/heads/y", w.refs("refs/heads/y", "main~1", "refs/tags/v1", "v1"), core.OK},   // no branch
	} {
		head, class := at(row.head, row.refs)
		require.Equal(t, row.want, head)
		require.Equal(t, row.class, class)
	}
}

// ST-08: another process holds a ref or HEAD; git changes none of a transaction's refs, and what came before it stays.
func TestLockedRefs(t *testing.T) {
	w, l, a, b := shelf(t)
	l.Receive(a, w.ids("v1", "dev"))
	align := func(head string, pairs ...string) core.Class {
		return l.Align(&core.Effect{Kind: core.EfAlignRefs, Repo: a, Refs: w.refs(pairs...), Head: w.Names.Handle(head)})
	}
	lock := func(repo core.Handle, names ...string) {
		var hs []core.Handle
		for _, n := range names {
			hs = append(hs, w.Names.Handle(n))
		}
		l.LockRefs(repo, hs)
	}
	const main, dev, x = "refs/heads/main", "refs/heads/dev", "refs/heads/main/x"
	require.Equal(t, core.OK, align(main, dev, "dev", main, "main"))

	lock(a, dev)
	require.Equal(t, core.LocalFault, align(main, dev, "main", main, "dev"), "one locked ref refuses both")
	require.Equal(t, w.refs(dev, "dev", main, "main"), l.Refs(a))
	require.Equal(t, core.LocalFault, align(main, main, "main"), "nor does it go")
	require.Equal(t, core.OK, align(main, dev, "dev", main, "dev"), "a locked ref that stays hinders nobody")
	require.Equal(t, core.OK, align(main, dev, "dev", main, "main"))

	lock(b, dev)
	require.Equal(t, core.OK, align(main, dev, "main", main, "main"), "the lock is in another repository")

	lock(a, "HEAD")
	require.Equal(t, core.LocalFault, align(dev, dev, "dev", main, "dev"))
	require.Equal(t, w.Names.Handle(main), l.Head(a))
	require.Equal(t, w.refs(dev, "main", main, "main"), l.Refs(a))

	lock(a, x)
	require.Equal(t, core.LocalFault, align(dev, dev, "dev", x, "main"), "the directory went, what replaces it did not come")
	require.Equal(t, w.Names.Handle(dev), l.Head(a))
	require.Equal(t, w.refs(dev, "main"), l.Refs(a))
	lock(0)
	require.Equal(t, core.OK, align(dev, dev, "dev", x, "main"))
	require.Equal(t, w.refs(dev, "dev", x, "main"), l.Refs(a))

	pr := core.EventID{9}
	lock(a, "refs/nostr/"+pr.String())
	e := core.Effect{Kind: core.EfAlignRefs, Repo: a, Space: core.NostrRef, Event: pr, OIDs: w.ids("dev")}
	require.Equal(t, core.LocalFault, l.Align(&e))
	lock(0)
	require.Equal(t, core.OK, l.Align(&e))
}
