package nip34

import (
	"net/netip"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"graspsync/core"
)

func TestParseURL(t *testing.T) { // U-02 U-03
	for _, c := range []struct{ raw, url, domain string }{
		{"https://github.com/a/b.git", "https://github.com/a/b.git", "github.com"},
		{"HTTPS://GitHub.COM./a/B.git/", "https://github.com/a/B.git", "github.com"},
		{"https://h.example:443/x", "https://h.example/x", "h.example"},
		{"http://h.example:80/x", "http://h.example/x", "h.example"},
		{"http://h.example:0080/x", "http://h.example/x", "h.example"},
		{"https://h.example:80/x", "https://h.example:80/x", "h.example:80"},
		{"https://h.example:8443", "https://h.example:8443", "h.example:8443"},
		{"https://h.example:/x", "https://h.example/x", "h.example"},
		{"https://u:p@h.example/x@y", "https://h.example/x@y", "h.example"},
		{"https://evil.example@h.example/x", "https://h.example/x", "h.example"},
		{"https://h.example/a@other.example/x", "https://h.example/a@other.example/x", "h.example"},
		{"https://[2001:DB8::1]:8443/x", "https://[2001:db8::1]:8443/x", "[2001:db8::1]:8443"},
		{"https://[2001:db8:0:0::1]/x", "https://[2001:db8::1]/x", "[2001:db8::1]"},
		{"https://[::ffff:192.0.2.7]/x", "https://192.0.2.7/x", "192.0.2.7"},
		{"https://3221225991/x", "https://192.0.2.7/x", "192.0.2.7"},
		{"https://0300.0.02.0x7/x", "https://192.0.2.7/x", "192.0.2.7"},
		{" https://h.example/my repo#top ", "https://h.example/my%20repo", "h.example"},
		{"https://h.example/x?token=a%20b", "https://h.example/x?token=a%20b", "h.example"},
	} {
		l, err := ParseURL(c.raw)
		require.NoError(t, err, c.raw)
		require.Equal(t, c.url, l.URL, c.raw)
		require.Equal(t, c.domain, l.Domain, c.raw)
		require.Equal(t, core.Public, l.Class, c.raw)
		require.Equal(t, strings.Contains(c.raw, "://u:p@") || strings.Contains(c.raw, "://evil"), l.User, c.raw)
	}
}

func TestParseURLRefuses(t *testing.T) { // U-02
	for _, raw := range []string{
		"", "h.example/x", "//h.example/x", "git@github.com:a/b.git", "ssh://git@h.example/x", "git://h.example/x",
		"file:///etc/passwd", "ext::sh -c id", "nostr://npub1/x", "javascript:alert(1)", "https:h.example/x", "https:///x",
		"--upload-pack=touch /tmp/x", "-oProxyCommand=x", "https://-x.example/", "https://h..example/", "https://./x",
		"https://h.example:0/x", "https://h.example:65536/x", "https://h.example:http/x", "https://h.example:-1/x",
		"https://h\\@o.example/x", "https://ex%61mple.com/", "https://bücher.example/", "https://１２７.0.0.1/",
		"https://h.example/\n/x", "https://h.example\t/x", "https://[fe80::1%25eth0]/x", "https://[::1/x",
		"https://1.2.3.4.5/", "https://256.1.1.1/", "https://0x/", "https://08.0.0.1/", "https://x.1/", "https://4294967296/",
		"https://h.example/x?a b", "https://h.example/" + strings.Repeat("x", maxURL), "https://" + strings.Repeat("x.", 130) + "de/",
	} {
		_, err := ParseURL(raw)
		require.ErrorIs(t, err, ErrInvalid, "%q", raw)
	}
}

func TestPrivateTargets(t *testing.T) { // U-02 I-18
	for _, host := range []string{
		"localhost", "LOCALHOST.", "a.localhost", "127.0.0.1", "127.1", "2130706433", "0x7f000001", "0177.0.0.1", "0",
		"10.1.2.3", "172.16.0.1", "172.31.255.255", "192.168.1.1", "169.254.169.254", "100.64.0.1", "0.0.0.0",
		"224.0.0.1", "255.255.255.255", "198.18.0.1", "[::1]", "[::]", "[fe80::1]", "[fc00::1]", "[fd12::1]", "[ff02::1]",
		"[::ffff:127.0.0.1]", "[::ffff:a9fe:a9fe]", "[::127.0.0.1]", "[64:ff9b::10.0.0.1]", "[2002:7f00:1::]", "[fec0::1]",
	} {
		l, err := ParseURL("http://" + host + ":8080/x")
		require.NoError(t, err, host)
		require.Equal(t, core.Private, l.Class, host)
	}
	for _, host := range []string{"172.32.0.1", "8.8.8.8", "localhost.example", "notlocalhost", "[2606:4700::1]",
		"[64:ff9b::8.8.8.8]", "10.example", "127.0.0.1.example"} {
		l, err := ParseURL("http://" + host + "/x")
		require.NoError(t, err, host)
		require.Equal(t, core.Public, l.Class, host)
	}
	require.True(t, PrivateAddr(netip.Addr{}), "an address nobody knows is not contacted")
}

// Our own authority is compared by host and port, never by substring.
func TestOwnAuthority(t *testing.T) { // U-02 I-18
	p := newParser(t, "Git.Example.", "alt.example:8080", "wss://[2001:db8::1]:443/relay")
	for raw, want := range map[string]core.SourceClass{
		"https://git.example/x":              core.Own,
		"http://GIT.example.:80/x":           core.Own,
		"https://u@git.example:443/x":        core.Own,
		"http://git.example:443/x":           core.Own,
		"https://git.example:8080/x":         core.Public,
		"https://notgit.example/x":           core.Public,
		"https://git.example.org/x":          core.Public,
		"https://a.git.example/x":            core.Public,
		"https://other.example/git.example/": core.Public,
		"https://other.example/?git.example": core.Public,
		"https://git.example@other.example/": core.Public,
		"https://alt.example:8080/x":         core.Own,
		"https://alt.example/x":              core.Public,
		"https://[2001:db8:0::1]/x":          core.Own,
	} {
		s, err := p.Source(raw)
		require.NoError(t, err, raw)
		require.Equal(t, want, s.Class, raw)
	}
	for _, bad := range []string{"", "a b", "h.example/x", "u@h.example", "h.example:0", "::1"} {
		_, err := NewParser(p.Names, bad)
		wantRefusal(t, err, "service")
	}
}

// Same server ⇔ same domain key, however the URL is spelt.
func TestSameServerSameDomain(t *testing.T) { // U-03
	type server struct {
		host string
		port string
	}
	host := rapid.SampledFrom([]string{"h.example", "g.example", "a.h.example", "192.0.2.1", "[2001:db8::2]", "xn--bcher-kva.example"})
	port := rapid.SampledFrom([]string{"", "8080", "444"})
	spell := func(t *rapid.T, s server) string {
		h, secure := s.host, rapid.Bool().Draw(t, "secure")
		if rapid.Bool().Draw(t, "upper") {
			h = strings.ToUpper(h)
		}
		if !strings.HasPrefix(h, "[") && rapid.Bool().Draw(t, "dot") {
			h += "."
		}
		if s.host == "192.0.2.1" && rapid.Bool().Draw(t, "number") {
			h = rapid.SampledFrom([]string{"3221225985", "0xc0000201", "192.0.513", "[::ffff:192.0.2.1]"}).Draw(t, "form")
		}
		if s.host == "[2001:db8::2]" && rapid.Bool().Draw(t, "long") {
			h = "[2001:0db8:0:0:0:0:0:2]"
		}
		scheme, usual := "http://", ":80"
		if secure {
			scheme, usual = "HttpS://", ":443"
		}
		switch {
		case s.port != "":
			h += ":" + s.port
		case rapid.Bool().Draw(t, "port given"):
			h += usual
		}
		user := rapid.SampledFrom([]string{"", "u@", "u:p@", "h.example@"}).Draw(t, "user")
		path := rapid.SampledFrom([]string{"", "/", "/a/b.git", "/a@g.example/b", "/x:8080"}).Draw(t, "path")
		return scheme + user + h + path
	}
	rapid.Check(t, func(t *rapid.T) {
		a := server{host.Draw(t, "host"), port.Draw(t, "port")}
		b := server{host.Draw(t, "other host"), port.Draw(t, "other port")}
		u, v := spell(t, a), spell(t, b)
		x, err := ParseURL(u)
		if err != nil {
			t.Fatal(err)
		}
		y, err := ParseURL(v)
		if err != nil {
			t.Fatal(err)
		}
		if (a == b) != (x.Domain == y.Domain) {
			t.Fatalf("%s has domain %s, %s has %s", u, x.Domain, v, y.Domain)
		}
	})
}
