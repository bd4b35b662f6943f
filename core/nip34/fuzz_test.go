package nip34

import (
	"strings"
	"testing"

	"github.com/nbd-wtf/go-nostr"

	"graspsync/core"
)

// Whatever the bytes, the parser answers; what it accepts is well formed.
func FuzzParse(f *testing.F) {
	for _, name := range []string{"events.jsonl", "events-adjacent.jsonl", "events-invalid.jsonl"} {
		for _, line := range lines(f, name) {
			f.Add(line)
		}
	}
	f.Fuzz(func(t *testing.T, b []byte) {
		p := newParser(t, "relay.ngit.dev")
		ev, err := ParseJSON(b)
		if err != nil {
			return
		}
		_ = Verify(ev)
		e, _, err := p.Parse(ev) // unverified on purpose: the parser must not rely on it
		if err != nil {
			return
		}
		wellFormed(t, p, &e)
	})
}

func wellFormed(t *testing.T, p *Parser, e *core.Event) {
	t.Helper()
	for _, s := range e.Sources {
		u := p.Names.Text(s.URL)
		if !strings.HasPrefix(u, "http://") && !strings.HasPrefix(u, "https://") || strings.ContainsAny(u, " \t\r\n\x00") || p.Names.Text(s.Domain) == "" {
			t.Fatalf("source %q", u)
		}
	}
	last := ""
	for _, r := range e.Refs {
		n := p.Names.Text(r.Name)
		if n <= last || CheckRefName(n) != "" || !headOrTag(n) || r.OID.IsZero() && !e.Unsatisfied {
			t.Fatalf("ref %q after %q: %s", n, last, r.OID)
		}
		last = n
	}
	if addressable := e.Kind == core.KindAnnouncement || e.Kind == core.KindState; addressable != (e.Repo.Repo != 0) {
		t.Fatalf("kind %d, repository %d", e.Kind, e.Repo.Repo)
	}
	if pr := e.Kind == core.KindPR || e.Kind == core.KindPRUpdate; pr == e.Commit.IsZero() {
		t.Fatalf("kind %d, commit %s", e.Kind, e.Commit)
	}
}

// A good URL is its own normal form.
func FuzzURL(f *testing.F) {
	for _, u := range []string{"https://github.com/a/b.git", "HTTP://u:p@H.example.:80/x?y#z", "https://[::ffff:1.2.3.4]:8443/", "http://0x7f.1/",
		"git@github.com:a/b", "https://h.example/%2e%2e/a@b", "--upload-pack=x", "https://xn--bcher-kva.example"} {
		f.Add(u)
	}
	f.Fuzz(func(t *testing.T, raw string) {
		l, err := ParseURL(raw)
		if err != nil {
			return
		}
		again, err := ParseURL(l.URL)
		l.User = false
		if err != nil || again != l {
			t.Fatalf("%q gives %+v, which gives %+v, %v", raw, l, again, err)
		}
		if !strings.HasPrefix(l.Domain, l.Host) || strings.ContainsAny(l.Domain, "@/ ?#") || l.Domain != strings.ToLower(l.Domain) {
			t.Fatalf("%q gives domain %q", raw, l.Domain)
		}
	})
}

// Any three refs and HEAD: the state is refused or well formed, and its normal form reads as itself.
func FuzzState(f *testing.F) {
	f.Add("refs/heads/main", oidA, "refs/heads/x", "ref: refs/heads/main", "refs/tags/v1^{}", oidB, "ref: refs/heads/main")
	f.Add("refs/heads/a", "ref: refs/heads/b", "refs/heads/b", "ref: refs/heads/a", "refs/heads/c", wide, "refs/heads/c")
	f.Add("refs/heads/a", oidA, "refs/heads/a/b", oidA, "refs/heads/../x", "+a:b", "")
	f.Add("refs/heads/a", "--upload-pack=x", "refs/tags/a", "HEAD", "refs/heads/b", strings.ToUpper(wide), "main")
	k := NewKey(1, 1)
	f.Fuzz(func(t *testing.T, n1, v1, n2, v2, n3, v3, head string) {
		p := newParser(t)
		ev := &nostr.Event{ID: wide, PubKey: k.Public().String(), Kind: int(core.KindState),
			Tags: nostr.Tags{{"d", "x"}, {n1, v1}, {n2, v2}, {n3, v3}, {"HEAD", head}}}
		e, _, err := p.Parse(ev)
		if err != nil {
			return
		}
		wellFormed(t, p, &e)
		back, err := p.Build(&e)
		if err != nil {
			t.Fatal(err)
		}
		back.ID = wide
		again, _, err := p.Parse(back)
		if err != nil {
			t.Fatal(err)
		}
		if len(again.Refs) != len(e.Refs) || again.Head != e.Head || again.Unsatisfied != e.Unsatisfied {
			t.Fatalf("%+v reads as %+v", e, again)
		}
		for i := range e.Refs {
			if again.Refs[i] != e.Refs[i] {
				t.Fatalf("%+v reads as %+v", e.Refs[i], again.Refs[i])
			}
		}
	})
}
