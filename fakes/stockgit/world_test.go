package stockgit

import (
	"bufio"
	"bytes"
	"encoding/json"
	"os"
	"testing"

	"github.com/stretchr/testify/require"

	"graspsync/core"
	"graspsync/core/value"
	"graspsync/fakes"
)

// observation is one measured run of stock git; a field that was not measured is nil.
type observation struct {
	Case   string
	Exit   json.RawMessage // a number, or "TIMEOUT>20s"
	Stderr string
	Server string
	Proto  *int
	Got    json.RawMessage // a bool, or one per id
	HTTP   *int32
	Bytes  *int64
	Out    *string // the first 60 bytes of a listing
	Refs   *int
}

func observations(t *testing.T, file string) (all []observation) {
	raw, err := os.ReadFile("../../testdata/" + file)
	require.NoError(t, err)
	for lines := bufio.NewScanner(bytes.NewReader(raw)); lines.Scan(); {
		var o observation
		require.NoError(t, json.Unmarshal(lines.Bytes(), &o))
		all = append(all, o)
	}
	return all
}

// The objects of the measured repository by the ids they had, so that ids in error texts compare.
const (
	tip         = "fc5a86b4dfece19c1ae872a3302cf63b70875c55"
	ancestor    = "81b5d661707064b4ac707f75e04b01455cf7d4e2"
	unreachable = "977dd6a1cc71e63ea920e80f7e863c8d64e42f2d"
	hidden      = "6b0f96f66f2f86841f787b673fa65c17b194549c"
	missing     = "dededededededededededededededededededede"
	missing2    = "adadadadadadadadadadadadadadadadadadadad"
)

const measuredURL = "https://measured.example/r.git"

// world is one client and the measured repository: two branches, a tag object, a ref that may be hidden, a
// commit that no ref reaches.
type world struct {
	*fakes.WorldParts
	repo   *fakes.Repo
	client Client
}

func newWorld(t *testing.T) *world {
	w := fakes.NewWorldParts(&value.Names{}, 1)
	w.Chain("root", 2).Commit(ancestor, "root").Commit(tip, ancestor).Commit(unreachable).Commit(hidden, ancestor).Tag("tagobj", tip)
	repo := w.Repo(measuredURL).Ref("refs/heads/main", tip).Ref("refs/heads/side", tip).Ref("refs/tags/v1", "tagobj").Holds(unreachable)
	require.NoError(t, w.Err())
	return &world{w, repo, Client{Servers: w.Servers}}
}

// rule gives the server one behaviour for ever.
func (w *world) rule(r fakes.Rule) { w.Host("measured.example", fakes.Always(fakes.Do(r))...) }

func (w *world) ids(labels ...string) (oids []core.OID) {
	for _, l := range labels {
		oids = append(oids, w.Graph.ID(l))
	}
	return oids
}

func (w *world) list(url, prefix string) Outcome {
	return w.client.LsRemote(0, w.Names.Handle(url), prefix)
}

func (w *world) fetch(url string, labels ...string) Outcome {
	return w.client.Fetch(0, w.Names.Handle(url), w.Names.Handle("local"), w.ids(labels...)...)
}
