package nip34

import "strings"

// Bounds of a ref name. git has none of its own, the file system has: a component gets ".lock"
// appended while the ref is written.
const (
	maxRefName      = 1024
	maxRefComponent = maxFileName - len(".lock")
)

// CheckRefName applies git's rules for ref names and the limits of a file system; "" means the name is
// good, anything else says what would be right (ST-03).
func CheckRefName(name string) string {
	switch {
	case !strings.HasPrefix(name, "refs/"):
		return "a full name below refs/"
	case len(name) > maxRefName:
		return "at most 1024 bytes"
	case strings.HasSuffix(name, "."):
		return "without a dot at its end"
	case strings.Contains(name, ".."):
		return "without two dots in a row"
	case strings.Contains(name, "@{"):
		return "without @{"
	}
	for i := 0; i < len(name); i++ {
		if c := name[i]; c <= ' ' || c == 0x7f || strings.IndexByte("~^:?*[\\", c) >= 0 {
			return "without spaces, control characters and any of ~ ^ : ? * [ \\"
		}
	}
	for rest, more := name, true; more; {
		var part string
		part, rest, more = strings.Cut(rest, "/")
		switch {
		case part == "":
			return "without empty components"
		case part[0] == '.':
			return "without components that begin with a dot"
		case strings.HasSuffix(part, ".lock"):
			return "without components that end in .lock"
		case len(part) > maxRefComponent:
			return "of components of at most 250 bytes"
		}
	}
	return ""
}

// headOrTag tells whether the name lies in the part of the name space that states speak about.
func headOrTag(name string) bool {
	return strings.HasPrefix(name, "refs/heads/") || strings.HasPrefix(name, "refs/tags/")
}

// symbolicTarget is the one predicate for symbolic values (N-01): "ref:" and, after any blanks, the
// name of another ref.
func symbolicTarget(v string) (target string, ok bool) {
	rest, ok := strings.CutPrefix(v, "ref:")
	return strings.TrimLeft(rest, " \t"), ok
}
