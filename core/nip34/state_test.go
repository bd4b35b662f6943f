package nip34

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/nbd-wtf/go-nostr"
	"github.com/stretchr/testify/require"

	"graspsync/core"
)

func TestStateIsNormalised(t *testing.T) { // ST-03 N-01
	p := newParser(t)
	e, problems, err := p.Parse(event(t, core.KindState, "d|x", "refs/tags/v1|"+oidB, "refs/tags/v1^{}|"+oidA,
		"refs/heads/main|"+oidA+"|abc|def", "refs/heads/latest|ref: refs/heads/stable", "refs/heads/stable|ref:\trefs/heads/main",
		"refs/tags/s|ref:refs/tags/v1", "refs/remotes/origin/x|"+wide, "refs/heads|"+oidA, "refs/nostr/..|x", "HEAD|ref: refs/heads/latest"))
	require.NoError(t, err)
	require.Equal(t, []string{"~refs/heads/latest=" + oidA, "refs/heads/main=" + oidA, "~refs/heads/stable=" + oidA,
		"~refs/tags/s=" + oidB, "refs/tags/v1=" + oidB}, refTexts(p, e.Refs))
	require.Equal(t, "refs/heads/latest", p.Names.Text(e.Head))
	require.False(t, e.Unsatisfied)
	require.Len(t, problems, 3)
}

func TestInvalidStates(t *testing.T) { // ST-03
	p := newParser(t)
	for name, tags := range map[string][]string{
		"same name twice":            {"refs/heads/a|" + oidA, "refs/heads/a|" + oidB},
		"same ref twice":             {"refs/heads/a|" + oidA, "refs/heads/a|" + oidA},
		"directory and file":         {"refs/heads/a/b|" + oidA, "refs/heads/a-c|" + oidA, "refs/heads/a|" + oidB},
		"directory and file, deep":   {"refs/tags/a/b/c/d|" + oidA, "refs/tags/a/b|" + oidB},
		"self":                       {"refs/heads/a|ref: refs/heads/a"},
		"cycle":                      {"refs/heads/a|ref: refs/heads/b", "refs/heads/b|ref: refs/heads/c", "refs/heads/c|ref: refs/heads/b"},
		"missing target":             {"refs/heads/a|ref: refs/heads/b"},
		"target outside":             {"refs/heads/a|ref: refs/remotes/o/b", "refs/remotes/o/b|" + oidA},
		"empty target":               {"refs/heads/a|ref: "},
		"mixed object formats":       {"refs/heads/a|" + oidA, "refs/heads/b|" + wide},
		"empty name":                 {"refs/heads/|" + oidA},
		"two dots":                   {"refs/heads/../x|" + oidA},
		"dot first":                  {"refs/heads/a/.b|" + oidA},
		"dot last":                   {"refs/heads/a.|" + oidA},
		"lock":                       {"refs/heads/a.lock/b|" + oidA},
		"empty component":            {"refs/heads/a//b|" + oidA},
		"slash last":                 {"refs/heads/a/|" + oidA},
		"space":                      {"refs/heads/a b|" + oidA},
		"newline":                    {"refs/heads/a\nb|" + oidA},
		"colon":                      {"refs/heads/a:b|" + oidA},
		"caret":                      {"refs/heads/a^|" + oidA},
		"tilde":                      {"refs/heads/a~1|" + oidA},
		"star":                       {"refs/heads/*|" + oidA},
		"question mark":              {"refs/heads/a?|" + oidA},
		"bracket":                    {"refs/heads/[a|" + oidA},
		"backslash":                  {`refs/heads/a\b|` + oidA},
		"reflog":                     {"refs/heads/a@{1}|" + oidA},
		"delete character":           {"refs/heads/a\x7f|" + oidA},
		"component too long":         {"refs/heads/" + strings.Repeat("x", 251) + "|" + oidA},
		"name too long":              {"refs/heads/" + strings.Repeat("x/", 600) + "x|" + oidA},
		"invalid beside unsatisfied": {"refs/heads/a|nothing", "refs/heads/a|" + oidA},
	} {
		t.Run(name, func(t *testing.T) {
			_, _, err := p.Parse(event(t, core.KindState, append(tags, "d|x")...))
			require.ErrorIs(t, err, ErrInvalid)
			require.True(t, strings.HasPrefix(err.Error(), "tag refs/"), err)
		})
	}
}

func TestGoodRefNames(t *testing.T) { // ST-03
	for _, n := range []string{"refs/heads/a", "refs/heads/a.b/c", "refs/heads/@", "refs/heads/a@b", "refs/heads/{", "refs/heads/-x",
		"refs/heads/HEAD", "refs/heads/ü/🚀", "refs/heads/a.lockb", "refs/tags/" + strings.Repeat("x", 250), `refs/heads/"$(id)"`} {
		require.Empty(t, CheckRefName(n), n)
	}
}

// A value that says nothing holds the state; whatever leads to it has no object either.
func TestUnsatisfiedState(t *testing.T) { // ST-03
	p := newParser(t)
	e, problems, err := p.Parse(event(t, core.KindState, "d|x", "refs/heads/a|soon", "refs/heads/b|ref: refs/heads/a", "refs/heads/c"))
	require.NoError(t, err)
	require.True(t, e.Unsatisfied)
	require.Equal(t, []string{"refs/heads/a=", "~refs/heads/b=", "refs/heads/c="}, refTexts(p, e.Refs))
	require.Len(t, problems, 2)
}

func TestHead(t *testing.T) { // ST-04
	p := newParser(t)
	for value, want := range map[string]string{
		"ref: refs/heads/main": "refs/heads/main",
		"refs/heads/main":      "refs/heads/main",
		"ref: refs/heads/gone": "",
		"ref: refs/tags/v1":    "",
		"main":                 "",
		oidA:                   "",
		"":                     "",
	} {
		e, problems, err := p.Parse(event(t, core.KindState, "d|x", "HEAD|"+value, "refs/heads/main|"+oidA, "refs/tags/v1|"+oidA))
		require.NoError(t, err)
		require.Equal(t, want, p.Names.Text(e.Head), value)
		require.Equal(t, want == "", len(problems) == 1, value)
	}
	e, problems, err := p.Parse(event(t, core.KindState, "d|x", "HEAD|refs/heads/main", "HEAD|refs/heads/x", "refs/heads/main|"+oidA, "refs/heads/x|"+oidA))
	require.NoError(t, err)
	require.Equal(t, "refs/heads/main", p.Names.Text(e.Head))
	require.Len(t, problems, 1)
	e, _, err = p.Parse(event(t, core.KindState, "d|x"))
	require.NoError(t, err)
	require.Zero(t, e.Head)
	require.Empty(t, e.Refs) // ST-06
}

// The largest states a stranger may send are read in time that grows with their size.
func TestLargeStates(t *testing.T) { // S-04 ST-03
	chain := &nostr.Event{Kind: int(core.KindState), Tags: nostr.Tags{{"d", "x"}, {"refs/heads/0", oidA}}}
	deep := &nostr.Event{Kind: int(core.KindState), Tags: nostr.Tags{{"d", "x"}}}
	for i := 1; i < 15_000; i++ {
		chain.Tags = append(chain.Tags, nostr.Tag{fmt.Sprint("refs/heads/", i), fmt.Sprint("ref: refs/heads/", i-1)})
	}
	for i := range 900 {
		deep.Tags = append(deep.Tags, nostr.Tag{fmt.Sprint("refs/heads/", i) + strings.Repeat("/x", 500), oidA})
	}
	for _, ev := range []*nostr.Event{chain, deep} {
		require.NoError(t, NewKey(1, 1).Sign(ev))
		start := time.Now()
		e, _, err := newParser(t).Parse(ev)
		require.NoError(t, err)
		require.Len(t, e.Refs, len(ev.Tags)-1)
		require.Less(t, time.Since(start), 5*time.Second)
	}
}
