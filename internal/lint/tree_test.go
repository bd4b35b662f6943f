package lint

import (
	"errors"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"
)

// loadTree finds the module once for all tests: checking the standard library from source is the cost.
var loadTree = sync.OnceValues(func() (*Loader, error) {
	root, err := Root(".")
	if err != nil {
		return nil, err
	}
	return NewLoader(root), nil
})

func tree(t *testing.T) (*Loader, []string) {
	t.Helper()
	l, err := loadTree()
	require.NoError(t, err)
	paths, err := l.Dirs()
	require.NoError(t, err)
	return l, paths
}

// TestTree applies the rules to this module. I-9 rests on it: what cannot differ between two runs need
// not be compared.
func TestTree(t *testing.T) {
	l, paths := tree(t)
	seen := map[Scope]int{}
	for _, path := range paths {
		p, err := l.Load(path)
		if errors.Is(err, ErrNoGo) {
			continue // test files alone
		}
		require.NoError(t, err)
		scope := ScopeOf(path)
		seen[scope]++
		for _, f := range Check(p, scope) {
			t.Error(f)
		}
	}
	require.NotZero(t, seen[Core], "no package of the core was found: the test looks at the wrong place")
	require.NotZero(t, seen[Sim], "no package of the simulator was found: the test looks at the wrong place")
	require.NotZero(t, seen[Free])
}

func TestScopeOf(t *testing.T) {
	for path, want := range map[string]Scope{
		"graspsync/core": Core, "graspsync/core/budget": Core, "graspsync/core/nip34": Free, "graspsync/sim": Sim,
		"graspsync/sim/report": Sim, "graspsync/fakes": Sim, "graspsync/scenarios": Free, "graspsync/cmd/simrun": Free,
	} {
		require.Equal(t, want, ScopeOf(path), path)
	}
}

func TestRootNeedsGoMod(t *testing.T) {
	_, err := Root("/")
	require.ErrorContains(t, err, "go.mod")
}

// TestEveryRoomSaysWhatMayEnter: a package's comment says what it is for and what may and may not enter,
// so that a reader knows which room a line belongs to. A command in a room is spoken for by the room.
func TestEveryRoomSaysWhatMayEnter(t *testing.T) {
	l, paths := tree(t)
	for _, path := range paths {
		p, err := l.Load(path)
		if errors.Is(err, ErrNoGo) {
			continue
		}
		require.NoError(t, err)
		if p.Files[0].Name.Name == "main" && !strings.HasPrefix(path, Module+"/cmd/") {
			continue
		}
		doc := ""
		for _, f := range p.Files {
			doc += " " + f.Doc.Text()
		}
		doc = strings.Join(strings.Fields(doc), " ")
		if !strings.Contains(doc, "What may enter") || !strings.Contains(doc, "What may not") {
			t.Errorf("%s: the package comment does not say what may enter and what may not", path)
		}
	}
}
