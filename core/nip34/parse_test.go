package nip34

import (
	"strings"
	"testing"

	"github.com/nbd-wtf/go-nostr"
	"github.com/stretchr/testify/require"

	"graspsync/core"
)

func TestIdentifier(t *testing.T) { // AN-01
	p := newParser(t)
	for _, d := range []string{"a", "a:b", "my repo 🚀", "%2F..", "..%2F", "...", "-x", "--upload-pack=id", "a.git", "+x:y",
		strings.Repeat("x", 251), strings.Repeat("ü", 41)} {
		e, problems, err := p.Parse(event(t, core.KindAnnouncement, "d|"+d))
		require.NoError(t, err, d)
		require.Empty(t, problems)
		require.Equal(t, d, p.Names.Text(e.Repo.Identifier))
		require.Equal(t, e.Author.String()+"/"+d, p.Names.Text(e.Repo.Repo))
	}
	for _, d := range []string{"", ".", "..", "a/b", "/", `a\b`, "a\x00b", "a\nb", "a\x7fb", "a\u0085b", "\xff",
		strings.Repeat("x", 252), strings.Repeat("ü", 42)} {
		_, _, err := p.Parse(event(t, core.KindState, "d|"+d))
		wantRefusal(t, err, "tag d")
	}
	for _, tags := range [][]string{nil, {"x|y"}, {"d"}, {"d", "d|x"}} {
		_, _, err := p.Parse(event(t, core.KindAnnouncement, tags...))
		wantRefusal(t, err, "tag d")
	}
	e, problems, err := p.Parse(event(t, core.KindAnnouncement, "d|x", "d|y"))
	require.NoError(t, err)
	require.Equal(t, "x", p.Names.Text(e.Repo.Identifier))
	require.Len(t, problems, 1)
}

func TestEncodeIdentifier(t *testing.T) { // AN-01
	require.Equal(t, "my%20repo%20%F0%9F%9A%80", EncodeIdentifier("my repo 🚀"))
	require.Equal(t, "a.b_c~d-9%2F%252F%3A", EncodeIdentifier("a.b_c~d-9/%2F:"))
}

func TestAllTagsAndValuesAreRead(t *testing.T) { // AN-02
	p := newParser(t)
	a, b := NewKey(1, 2).Public(), NewKey(1, 3).Public()
	e, problems, err := p.Parse(event(t, core.KindAnnouncement, "d|x",
		"clone|https://a.example/x|https://b.example/x", "clone|https://c.example/x|git@d.example:x|https://A.example/x/",
		"maintainers|"+b.String()+"|"+a.String(), "maintainers|"+b.String()+"|npub1x|"+strings.ToUpper(a.String()),
		"clone", "relays", "maintainers"))
	require.NoError(t, err)
	var domains []string
	for _, s := range e.Sources {
		domains = append(domains, p.Names.Text(s.Domain))
	}
	require.Equal(t, []string{"a.example", "b.example", "c.example"}, domains)
	require.Equal(t, []core.PubKey{b, a}, e.Maintainers)
	var fields []string
	for _, pr := range problems {
		fields = append(fields, pr.Field+" "+pr.Value[:5])
	}
	require.Equal(t, []string{"tag clone git@d", "tag maintainers npub1", "tag maintainers " + strings.ToUpper(a.String())[:5]}, fields)
}

func TestListsUs(t *testing.T) { // AN-03
	p := newParser(t, "git.example", "alt.example:8080")
	npub := Npub(NewKey(1, 1).Public())
	for _, c := range []struct {
		clone, relay string
		want         bool
	}{
		{"https://git.example/" + npub + "/my%20repo.git", "wss://git.example", true},
		{"https://git.example/" + npub + "/my%20repo.git/", "wss://git.example/", true},
		{"https://git.example/" + npub + "/my%20repo.git//", "wss://git.example/relay/path", true},
		{"HTTPS://GIT.example:443/" + strings.ToUpper(npub) + "/my repo.git", "WSS://git.Example.:443", true},
		{"https://git.example/" + npub + "/%6dy%20repo%2Egit", "ws://git.example:80", true},
		{"http://alt.example:8080/" + npub + "/my%20repo.git", "wss://git.example", true},
		{"https://git.example/" + npub + "/my%2520repo.git", "wss://git.example", false},
		{"https://git.example/" + npub + "/my%20repo", "wss://git.example", false},
		{"https://git.example/" + npub + "/MY%20repo.git", "wss://git.example", false},
		{"https://git.example/x/" + npub + "/my%20repo.git", "wss://git.example", false},
		{"https://git.example/" + npub + "/my%20repo.git?x=1", "wss://git.example", false},
		{"https://git.example/" + Npub(NewKey(1, 2).Public()) + "/my%20repo.git", "wss://git.example", false},
		{"https://git.example/" + NewKey(1, 1).Public().String() + "/my%20repo.git", "wss://git.example", false},
		{"https://notgit.example/" + npub + "/my%20repo.git", "wss://git.example", false},
		{"https://git.example:8080/" + npub + "/my%20repo.git", "wss://git.example", false},
		{"https://git.example/" + npub + "/my%20repo.git", "wss://git.example:8080", false},
		{"https://git.example/" + npub + "/my%20repo.git", "wss://notgit.example", false},
		{"https://git.example/" + npub + "/my%20repo.git", "https://git.example", false},
		{"https://git.example/" + npub + "/my%20repo.git", "git.example", false},
		{"", "wss://git.example", false},
	} {
		e, _, err := p.Parse(event(t, core.KindAnnouncement, "d|my repo", "clone|https://github.com/x|"+c.clone,
			"relays|wss://nos.lol", "relays|not a url|"+c.relay))
		require.NoError(t, err)
		require.Equal(t, c.want, e.ListsUs, "%s %s", c.clone, c.relay)
	}
	e, _, err := newParser(t).Parse(event(t, core.KindAnnouncement, "d|my repo", "clone|https://git.example/"+npub+"/my%20repo.git", "relays|wss://git.example"))
	require.NoError(t, err)
	require.False(t, e.ListsUs, "no service, nothing lists us")
}

func TestPullRequest(t *testing.T) { // PR-01 Q-13
	p := newParser(t, "git.example")
	owner := NewKey(1, 2).Public().String()
	a := "a|30617:" + owner + ":"
	for _, kind := range []uint32{core.KindPR, core.KindPRUpdate} {
		e, problems, err := p.Parse(event(t, kind, a+"x:y:z|wss://r.example", a+"x:y:z", a+"w", "a|30618:"+owner+":x", "a|30617:"+owner, a, a+"..",
			"a|npub1/x", "a", "a|030617:"+owner+":x", "c|"+wide, "c|"+wide, "clone|https://f.example/x|https://git.example/y"))
		require.NoError(t, err)
		require.Equal(t, wide, e.Commit.String())
		require.Len(t, e.Repositories, 2)
		require.Equal(t, "x:y:z", p.Names.Text(e.Repositories[0].Identifier))
		require.Equal(t, owner+"/w", p.Names.Text(e.Repositories[1].Repo))
		require.Equal(t, core.Own, e.Sources[1].Class)
		require.Len(t, problems, 6)
	}
}

// What is no object id never becomes one.
func TestHostileObjectIDs(t *testing.T) { // F-07 PR-01 ST-03
	p := newParser(t)
	for _, v := range []string{"", "+refs/heads/x:refs/heads/main", "--upload-pack=touch /tmp/x", "HEAD", "main:f", "main",
		strings.ToUpper(strings.Repeat("a", 40)), strings.Repeat("a", 39), strings.Repeat("a", 41), strings.Repeat("a", 63),
		oidA + " ", "0x" + oidA[2:], oidA + "^{}", strings.Repeat("0", 40), strings.Repeat("0", 64), "１" + oidA[3:]} {
		_, _, err := p.Parse(event(t, core.KindPR, "c|"+v))
		wantRefusal(t, err, "tag c")
		e, problems, err := p.Parse(event(t, core.KindState, "d|x", "refs/heads/main|"+v, "refs/heads/ok|"+oidA))
		require.NoError(t, err)
		require.True(t, e.Unsatisfied, v)
		require.True(t, e.Refs[0].OID.IsZero(), v)
		require.Len(t, problems, 1)
	}
	_, _, err := p.Parse(event(t, core.KindPR))
	wantRefusal(t, err, "tag c")
	_, _, err = p.Parse(event(t, core.KindPR, "c|"+oidA, "c|"+oidB))
	wantRefusal(t, err, "tag c")
}

func TestDeletion(t *testing.T) { // DL-01 S-06
	p := newParser(t)
	k := NewKey(1, 1).Public().String()
	e, problems, err := p.Parse(event(t, core.KindDeletion, "e|"+wide, "e|"+wide, "e|short", "e", "a|30617:"+k+":a:b", "a|10317:"+k+":",
		"a|30618:"+k+":a/b", "k|30617"))
	require.NoError(t, err)
	require.Len(t, e.Targets, 1)
	require.Len(t, e.Coordinates, 2)
	require.Equal(t, core.KindAnnouncement, e.Coordinates[0].Kind)
	require.Equal(t, "a:b", p.Names.Text(e.Coordinates[0].Identifier))
	require.Zero(t, e.Coordinates[1].Identifier)
	require.Len(t, problems, 3)

	ev := &nostr.Event{Kind: int(core.KindDeletion)}
	for i := range maxTargets + 1 {
		ev.Tags = append(ev.Tags, nostr.Tag{"e", core.EventID{byte(i), byte(i >> 8)}.String()})
	}
	require.NoError(t, NewKey(1, 1).Sign(ev))
	_, _, err = p.Parse(ev)
	wantRefusal(t, err, "event")
	ev.Tags = ev.Tags[1:]
	require.NoError(t, NewKey(1, 1).Sign(ev))
	_, _, err = p.Parse(ev)
	require.NoError(t, err)
}

func TestOtherKindsAndOddTags(t *testing.T) { // S-04
	p := newParser(t)
	for _, kind := range []uint32{1, core.KindPatch, core.KindIssue, core.KindUserGrasps, 1630, 65535} {
		e, problems, err := p.Parse(event(t, kind, "", "-", "d", "clone|x", "refs/heads/..|x", "e"))
		require.NoError(t, err)
		require.Empty(t, problems)
		require.True(t, e.Protected)
		require.Equal(t, kind, e.Kind)
		require.Positive(t, e.Size)
	}
	ev := event(t, core.KindIssue)
	ev.CreatedAt = -1
	_, _, err := p.Parse(ev)
	wantRefusal(t, err, "field created_at")
	ev = event(t, core.KindIssue)
	ev.Kind = 70000
	_, _, err = p.Parse(ev)
	wantRefusal(t, err, "field kind")
	_, _, err = p.Parse(&nostr.Event{})
	wantRefusal(t, err, "field id")
	_, _, err = p.Parse(nil)
	wantRefusal(t, err, "event")
}

// A refused event leaves no names behind: strangers cannot fill the table.
func TestRefusedEventsGetNoHandles(t *testing.T) { // T-03
	p := newParser(t)
	_, _, err := p.Parse(event(t, core.KindState, "d|x", "refs/heads/a|"+oidA, "refs/heads/a|"+oidB))
	require.Error(t, err)
	require.Zero(t, p.Names.Len())
}

func TestProblemsAreBounded(t *testing.T) {
	p := newParser(t)
	long := strings.Repeat("ü", 100)
	_, problems, err := p.Parse(event(t, core.KindAnnouncement, "d|x", "clone"+strings.Repeat("|"+long, 200)))
	require.NoError(t, err)
	require.Len(t, problems, maxProblems+1)
	require.LessOrEqual(t, len(problems[0].Value), maxShown+len("…"))
}
