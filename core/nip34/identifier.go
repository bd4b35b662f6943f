package nip34

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"graspsync/core"
)

// maxFileName is the longest file name of common file systems, in bytes.
const maxFileName = 255

// CheckIdentifier tells whether d may name a repository: not empty, "." or "..", no slash, backslash,
// NUL or control character, and "<encoded d>.git" at most 255 bytes. Spaces, colons, percent signs and
// emoji are legal (AN-01). The error wraps ErrInvalid.
func CheckIdentifier(d string) error {
	want := ""
	switch {
	case d == "":
		want = "a repository identifier of at least one character"
	case d == "." || d == "..":
		want = "something else than . or .."
	case !utf8.ValidString(d):
		want = "UTF-8 text"
	case strings.ContainsAny(d, "/\\\x00"):
		want = "without slash, backslash and NUL"
	case strings.ContainsFunc(d, unicode.IsControl):
		want = "without control characters"
	case len(EncodeIdentifier(d))+len(".git") > maxFileName:
		want = "at most 255 bytes as a file name, percent-encoded and with .git"
	default:
		return nil
	}
	return refuse("tag d", d, want)
}

// EncodeIdentifier percent-encodes all but the unreserved characters of RFC 3986; it is the form of an
// identifier in URLs and file names (AN-01).
func EncodeIdentifier(d string) string {
	const digits = "0123456789ABCDEF"
	n := 0
	for i := 0; i < len(d); i++ {
		if !unreserved(d[i]) {
			n++
		}
	}
	if n == 0 {
		return d
	}
	b := make([]byte, 0, len(d)+2*n)
	for i := 0; i < len(d); i++ {
		if c := d[i]; unreserved(c) {
			b = append(b, c)
		} else {
			b = append(b, '%', digits[c>>4], digits[c&15])
		}
	}
	return string(b)
}

func unreserved(c byte) bool {
	return c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= '0' && c <= '9' ||
		c == '-' || c == '.' || c == '_' || c == '~'
}

// RepoName is the text whose handle names a repository in effects: "<owner hex>/<identifier>".
func RepoName(owner core.PubKey, identifier string) string {
	return owner.String() + "/" + identifier
}

// CloneURL is where a GRASP service at authority serves the repository.
func CloneURL(authority string, owner core.PubKey, identifier string) string {
	return "https://" + authority + "/" + Npub(owner) + "/" + EncodeIdentifier(identifier) + ".git"
}

// ParsePubKey reads 64 lower-case hex digits; ok is false for any other text.
func ParsePubKey(s string) (k core.PubKey, ok bool) {
	b, ok := hex32(s)
	return core.PubKey(b), ok
}

// ParseEventID reads 64 lower-case hex digits; ok is false for any other text.
func ParseEventID(s string) (e core.EventID, ok bool) {
	b, ok := hex32(s)
	return core.EventID(b), ok
}

func hex32(s string) (b [32]byte, ok bool) {
	if len(s) != 64 || !lowerHex(s) {
		return b, false
	}
	for i := range b {
		b[i] = nibble(s[2*i])<<4 | nibble(s[2*i+1])
	}
	return b, true
}

func nibble(c byte) byte {
	if c <= '9' {
		return c - '0'
	}
	return c - 'a' + 10
}
