package nip34

import (
	"net/url"
	"strconv"
	"strings"

	"graspsync/core"
)

// maxURL bounds a URL's text; git servers refuse longer request lines.
const maxURL = 2048

// Location is a URL as the core needs it (U-03). Two URLs lead to the same server if and only if their
// Domain is equal, as far as that can be told without resolving names.
type Location struct {
	URL    string // normalised: lower-case scheme and host, no user info, default port, fragment or slash at the end
	Domain string // lower-case host plus non-default port; IPv6 in brackets
	Host   string // Domain without port
	Port   int    // effective port, 1 to 65535
	Path   string // still percent-encoded, no slash at the end
	Query  bool   // there is a query
	Class  core.SourceClass
	User   bool // user info was there and is left out
}

// ParseURL reads a clone URL: http or https only (U-02). Class is Public or Private; only a Parser
// knows what is Own. The error wraps ErrInvalid and its field is "url".
func ParseURL(raw string) (Location, error) { return parseURL(raw, "http", "https") }

func parseURL(raw, plain, secure string) (Location, error) {
	no := func(want string) (Location, error) { return Location{}, refuse("url", raw, want) }
	raw = strings.TrimSpace(raw)
	if len(raw) > maxURL {
		return no("at most 2048 bytes")
	}
	u, err := url.Parse(raw)
	if err != nil || u.Opaque != "" || u.Scheme != plain && u.Scheme != secure {
		return no("an " + plain + " or " + secure + " URL")
	}
	name, addr, want := hostName(u.Hostname())
	if want != "" {
		return no(want)
	}
	usual := 80
	if u.Scheme == secure {
		usual = 443
	}
	port := usual
	if p := u.Port(); p != "" {
		if port, err = strconv.Atoi(p); err != nil || port < 1 || port > 65535 {
			return no("a port of 1 to 65535")
		}
	}
	if !plainQuery(u.RawQuery) {
		return no("percent-encoded in its query")
	}
	l := Location{Host: name, Port: port, Path: strings.TrimRight(u.EscapedPath(), "/"),
		User: u.User != nil, Query: u.RawQuery != ""}
	l.Domain = name
	if port != usual {
		l.Domain += ":" + strconv.Itoa(port)
	}
	l.URL = u.Scheme + "://" + l.Domain + l.Path
	if l.Query {
		l.URL += "?" + u.RawQuery
	}
	if localName(name) || addr.IsValid() && PrivateAddr(addr) {
		l.Class = core.Private
	}
	return l, nil
}

func plainQuery(q string) bool {
	for i := 0; i < len(q); i++ {
		if c := q[i]; c <= ' ' || c >= 0x7f || strings.IndexByte("\"<>\\^`{|}", c) >= 0 {
			return false
		}
	}
	return true
}

// authority is a host and the ports on it that are ours.
type authority struct {
	host string
	port int // 0: both usual ports, 80 and 443
}

// parseAuthority reads "host", "host:port", or a URL of which only the authority counts.
func parseAuthority(s string) (authority, error) {
	raw := s
	if i := strings.Index(s, "://"); i >= 0 {
		raw = s[i+3:]
		if i := strings.IndexAny(raw, "/?#"); i >= 0 {
			raw = raw[:i]
		}
	}
	l, err := ParseURL("https://" + raw)
	if err != nil || l.Path != "" || l.User || l.Query {
		return authority{}, refuse("service", s, "host or host:port, IPv6 in brackets")
	}
	a := authority{l.Host, l.Port}
	if a.port == 443 || a.port == 80 {
		a.port = 0
	}
	return a, nil
}

func (a authority) String() string {
	if a.port == 0 {
		return a.host
	}
	return a.host + ":" + strconv.Itoa(a.port)
}

func (a authority) is(l Location) bool {
	return a.host == l.Host && (a.port == l.Port || a.port == 0 && (l.Port == 80 || l.Port == 443))
}

// ParseRelayURL is ParseURL for ws and wss; for an announcement only the authority of a relay counts.
func ParseRelayURL(raw string) (Location, error) { return parseURL(raw, "ws", "wss") }
