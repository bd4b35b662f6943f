package nip34

import (
	"bytes"
	"fmt"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"graspsync/core"
	"graspsync/core/value"
)

func drawOID(t *rapid.T, size int) core.OID {
	b := bytes.Repeat([]byte{rapid.Byte().Draw(t, "oid")}, size)
	b[0] = 1 // not the null id
	return value.OIDFromBytes(b)
}

func drawSources(t *rapid.T, p *Parser) []core.Source {
	urls := rapid.SliceOfNDistinct(rapid.SampledFrom([]string{"https://git.example/x", "https://a.example/x", "http://b.example:8080/y%20z",
		"https://[2001:db8::1]/x", "http://127.0.0.1/x", "https://a.example"}), 0, 4, rapid.ID[string]).Draw(t, "urls")
	var out []core.Source
	for _, u := range urls {
		s, err := p.Source(u)
		if err != nil {
			t.Fatal(err)
		}
		out = append(out, s)
	}
	return out
}

func drawCoordinate(t *rapid.T, p *Parser) core.Coordinate {
	d := rapid.SampledFrom([]string{"x", "a:b:c", "my repo 🚀", "%2F.."}).Draw(t, "d")
	c, err := p.Coordinate(NewKey(1, rapid.Uint64Range(1, 3).Draw(t, "owner")).Public(), d)
	if err != nil {
		t.Fatal(err)
	}
	return c
}

func drawRefs(t *rapid.T, p *Parser, e *core.Event) {
	size := rapid.SampledFrom([]int{20, 32}).Draw(t, "size")
	names := rapid.SliceOfNDistinct(rapid.StringMatching(`refs/(heads|tags)/[a-z]{1,3}`), 0, 6, rapid.ID[string]).Draw(t, "names")
	slices.Sort(names)
	var real []core.OID
	for _, n := range names {
		r := core.Ref{Name: p.Names.Handle(n)}
		switch how := rapid.IntRange(0, 5).Draw(t, "how"); {
		case how == 5:
			e.Unsatisfied = true
			real = append(real, core.OID{})
		case how >= 3 && len(real) > 0:
			r.Symbolic, r.OID = true, rapid.SampledFrom(real).Draw(t, "target")
		default:
			r.OID = drawOID(t, size)
			real = append(real, r.OID)
		}
		e.Refs = append(e.Refs, r)
		if len(n) > 11 && n[:11] == "refs/heads/" && rapid.Bool().Draw(t, "head") {
			e.Head = r.Name
		}
	}
}

func drawEvent(t *rapid.T, p *Parser, k Key) core.Event {
	e := core.Event{Author: k.Public(), CreatedAt: rapid.Int64Range(0, 1<<40).Draw(t, "created"), Protected: rapid.Bool().Draw(t, "protected"),
		Kind: rapid.SampledFrom([]uint32{core.KindAnnouncement, core.KindState, core.KindPR, core.KindPRUpdate, core.KindDeletion, core.KindIssue}).Draw(t, "kind")}
	switch e.Kind {
	case core.KindAnnouncement:
		e.Repo = drawCoordinate(t, p)
		e.Repo, _ = p.Coordinate(e.Author, p.Names.Text(e.Repo.Identifier))
		e.Sources = drawSources(t, p)
		if rapid.Bool().Draw(t, "lists us") {
			own, err := p.Source(CloneURL(p.Service(), e.Author, p.Names.Text(e.Repo.Identifier)))
			if err != nil {
				t.Fatal(err)
			}
			e.Sources, e.ListsUs = append(e.Sources, own), true
		}
		for n := range rapid.IntRange(0, 3).Draw(t, "maintainers") {
			e.Maintainers = append(e.Maintainers, NewKey(1, uint64(n)).Public())
		}
	case core.KindState:
		e.Repo = drawCoordinate(t, p)
		e.Repo, _ = p.Coordinate(e.Author, p.Names.Text(e.Repo.Identifier))
		drawRefs(t, p, &e)
	case core.KindPR, core.KindPRUpdate:
		e.Commit = drawOID(t, 20)
		e.Sources = drawSources(t, p)
		for range rapid.IntRange(0, 3).Draw(t, "repositories") {
			if c := drawCoordinate(t, p); !slices.Contains(e.Repositories, c) {
				e.Repositories = append(e.Repositories, c)
			}
		}
	case core.KindDeletion:
		for n := range rapid.IntRange(0, 3).Draw(t, "targets") {
			e.Targets = append(e.Targets, core.EventID{byte(n), 1})
		}
		if rapid.Bool().Draw(t, "coordinate") {
			e.Coordinates = append(e.Coordinates, core.Deleted{Kind: core.KindAnnouncement, Coordinate: drawCoordinate(t, p)})
		}
	}
	return e
}

// Core value → signed event → JSON → core value gives the same value.
func TestBuildThenParse(t *testing.T) { // AN-02 AN-03 ST-03 PR-01 Q-13
	p := newParser(t, "git.example")
	k := NewKey(1, 1)
	rapid.Check(t, func(t *rapid.T) {
		want := drawEvent(t, p, k)
		ev, raw, err := p.BuildSigned(&want, k)
		if err != nil {
			t.Fatal(err)
		}
		got, problems, err := p.ParseRaw(raw)
		if err != nil {
			t.Fatalf("%v: %s", err, raw)
		}
		if len(problems) > 0 && !want.Unsatisfied {
			t.Fatalf("%v: %s", problems, raw)
		}
		want.ID, _ = ParseEventID(ev.ID)
		want.Raw, want.Size = raw, int32(len(raw))
		if a, b := fmt.Sprintf("%+v", want), fmt.Sprintf("%+v", got); a != b {
			t.Fatalf("built %s\nread  %s", a, b)
		}
	})
}

// The order in which a state lists its refs makes no difference.
func TestStateOrderIsNormalised(t *testing.T) { // ST-03
	p := newParser(t)
	k := NewKey(1, 1)
	rapid.Check(t, func(t *rapid.T) {
		e := core.Event{Author: k.Public(), Kind: core.KindState}
		e.Repo, _ = p.Coordinate(k.Public(), "x")
		drawRefs(t, p, &e)
		ev, err := p.Build(&e)
		if err != nil {
			t.Fatal(err)
		}
		ev.Tags = rapid.Permutation(ev.Tags).Draw(t, "order")
		if err := k.Sign(ev); err != nil {
			t.Fatal(err)
		}
		got, _, err := p.Parse(ev)
		if err != nil {
			t.Fatal(err)
		}
		if !slices.Equal(got.Refs, e.Refs) || got.Head != e.Head {
			t.Fatalf("want %v, got %v", e.Refs, got.Refs)
		}
	})
}

func TestBuildRefuses(t *testing.T) {
	p := newParser(t)
	_, err := p.Build(&core.Event{Kind: core.KindAnnouncement, ListsUs: true})
	require.ErrorIs(t, err, ErrBuild)
	_, err = p.Build(&core.Event{Kind: core.KindState, Refs: []core.Ref{{Name: p.Names.Handle("refs/heads/a"), Symbolic: true}}})
	require.ErrorIs(t, err, ErrBuild)
}

func TestKeysAreFixed(t *testing.T) { // I-9
	k := NewKey(1, 1)
	require.Equal(t, k, NewKey(1, 1))
	require.NotEqual(t, k.Public(), NewKey(1, 2).Public())
	require.NotEqual(t, k.Public(), NewKey(2, 1).Public())
	a, b := event(t, core.KindIssue, "t|bug"), event(t, core.KindIssue, "t|bug")
	require.Equal(t, a, b, "signing draws no chance")
}
