package scenarios

import (
	"bytes"
	"errors"
	"fmt"
	"strings"

	"github.com/goccy/go-yaml"
	"github.com/goccy/go-yaml/ast"
	"github.com/goccy/go-yaml/parser"
)

// Bounds of a scenario file.
const (
	maxFileBytes = 16 << 20
	maxDepth     = 40 // nesting; the format itself needs 8
)

// parseYAML reads one YAML document and refuses what the format does not use: several documents,
// anchors, aliases, tags and merge keys. The depth is checked before the parser sees the text, because
// the parser recurses.
func parseYAML(file string, text []byte) (ast.Node, error) {
	if len(text) > maxFileBytes {
		return nil, Errors{{File: file, Problem: fmt.Sprintf("the file has %d bytes, at most %d are read", len(text), maxFileBytes)}}
	}
	if line := tooDeep(text); line > 0 {
		return nil, Errors{{File: file, Line: line, Column: 1, Problem: fmt.Sprintf("nested deeper than %d", maxDepth)}}
	}
	if line := manyDocuments(text); line > 0 {
		return nil, Errors{{File: file, Line: line, Column: 1, Problem: "a second document; a file holds one scenario"}}
	}
	f, err := safeParse(text)
	if err != nil {
		e := &Error{File: file, Line: 1, Column: 1}
		var ye yaml.Error
		if !errors.As(err, &ye) { // whose Error would print the source around it, in quadratic time
			e.Problem = "not YAML: " + err.Error()
			return nil, Errors{e}
		}
		e.Problem = "not YAML: " + ye.GetMessage()
		if ye.GetToken() != nil && ye.GetToken().Position != nil {
			e.Line, e.Column = ye.GetToken().Position.Line, ye.GetToken().Position.Column
		}
		return nil, Errors{e}
	}
	var body ast.Node
	for _, doc := range f.Docs {
		if doc.Body == nil {
			continue
		}
		if _, comment := doc.Body.(*ast.CommentGroupNode); comment {
			continue
		}
		if body != nil {
			pos := nodePosition(doc.Body)
			return nil, Errors{{File: file, Line: pos.line, Column: pos.column, Problem: "a second document; a file holds one scenario"}}
		}
		body = doc.Body
	}
	if body == nil {
		return nil, Errors{{File: file, Line: 1, Column: 1, Problem: "empty; a scenario begins with \"version: 1\""}}
	}
	return body, nil
}

// manyDocuments gives the line of the third document marker, or 0: the parser takes quadratic time over
// many documents, and two markers are left to it.
func manyDocuments(text []byte) int {
	no, found := 0, 0
	for line := range bytes.Lines(text) {
		no++
		if bytes.HasPrefix(line, []byte("---")) {
			if found++; found > 2 {
				return no
			}
		}
	}
	return 0
}

// safeParse turns a panic of the YAML library on hostile text into an error.
func safeParse(text []byte) (f *ast.File, err error) {
	defer func() {
		if r := recover(); r != nil {
			f, err = nil, fmt.Errorf("unreadable (%v)", r)
		}
	}()
	return parser.ParseBytes(text, 0)
}

// tooDeep gives the first line (from 1) where brackets or dashes nest past maxDepth, or 0. It ignores
// quoting, so it may refuse a text with very many unclosed brackets inside strings.
func tooDeep(text []byte) int {
	depth, no := 0, 0
	for line := range bytes.Lines(text) {
		no++
		dashes := 0
		lead := true
		for i := 0; i < len(line); i++ {
			switch c := line[i]; c {
			case '[', '{':
				depth++
			case ']', '}':
				depth = max(0, depth-1)
			case '-', '?', ':':
				if lead && i+1 < len(line) && (line[i+1] == ' ' || line[i+1] == '\t') {
					dashes++
				}
			case ' ', '\t':
			default:
				lead = false
			}
			if depth > maxDepth || dashes > maxDepth {
				return no
			}
		}
		if lead && len(line) > 1 && line[0] == ' ' && len(line)-len(bytes.TrimLeft(line, " ")) > 4096 {
			return no
		}
	}
	return 0
}

func nodePosition(n ast.Node) position {
	if m, ok := n.(*ast.MappingNode); ok && len(m.Values) > 0 && !m.IsFlowStyle {
		n = m.Values[0].Key
	}
	if n != nil && n.GetToken() != nil && n.GetToken().Position != nil {
		return position{n.GetToken().Position.Line, n.GetToken().Position.Column}
	}
	return position{}
}

// scalarText is the text of a scalar as written, without quotes. ok is false for lists and mappings.
func scalarText(n ast.Node) (text string, quoted, ok bool) {
	switch n := n.(type) {
	case *ast.StringNode:
		return n.Value, strings.HasPrefix(n.GetToken().Origin, "\"") || n.GetToken().Type.String() == "DoubleQuote" ||
			n.GetToken().Type.String() == "SingleQuote", true
	case *ast.LiteralNode:
		return n.Value.Value, true, true
	case *ast.IntegerNode, *ast.BoolNode, *ast.FloatNode:
		return n.GetToken().Value, false, true
	}
	return "", false, false
}

// describe names a node for an error text.
func describe(n ast.Node) string {
	switch n := n.(type) {
	case *ast.MappingNode, *ast.MappingValueNode:
		return "a mapping"
	case *ast.SequenceNode:
		return "a list"
	case *ast.NullNode:
		return "nothing"
	case *ast.AnchorNode, *ast.AliasNode:
		return "an anchor or alias"
	case *ast.TagNode:
		return "a tag"
	default:
		if t, _, ok := scalarText(n); ok {
			if len(t) > 40 {
				t = t[:40] + "…"
			}
			return fmt.Sprintf("%q", t)
		}
	}
	return "something else"
}
