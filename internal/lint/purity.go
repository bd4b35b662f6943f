package lint

import (
	"go/ast"
	"go/token"
	"go/types"
	"slices"
	"strconv"
	"strings"
)

// Check applies every rule of the package's scope, and the import arrows.
func Check(p *Package, scope Scope) []Finding {
	c := &checker{Package: p, scope: scope}
	for _, f := range p.Files {
		c.imports(f)
		if scope != Free {
			c.tags(f)
			c.walk(f)
		}
	}
	if scope != Free {
		for _, err := range p.Errs {
			pos := token.NoPos
			if te, ok := err.(types.Error); ok {
				pos = te.Pos
			}
			c.add(pos, RuleTypes, err.Error())
		}
		c.globals()
	}
	sortFindings(c.found)
	return c.found
}

type checker struct {
	*Package
	scope Scope
	found []Finding
	stack []ast.Node // from the file down to the node's parent
}

func (c *checker) add(pos token.Pos, r Rule, text string) {
	c.found = append(c.found, Finding{c.Fset.Position(pos), r, text})
}

func (c *checker) imports(f *ast.File) {
	for _, im := range f.Imports {
		path, err := strconv.Unquote(im.Path.Value)
		if err != nil {
			continue
		}
		if r, text := judgeImport(c.scope, c.Path, path); r != "" {
			c.add(im.Pos(), r, text)
		}
		if r, text := judgeArrow(c.Path, path); r != "" {
			c.add(im.Pos(), r, text)
		}
		if im.Name != nil && im.Name.Name == "." && c.scope != Free {
			c.add(im.Pos(), RuleImport, "dot import of "+path+" hides where a name comes from")
		}
	}
}

func (c *checker) tags(f *ast.File) {
	for _, g := range f.Comments {
		for _, cm := range g.List {
			if strings.HasPrefix(cm.Text, "//go:build") || strings.HasPrefix(cm.Text, "// +build") || strings.HasPrefix(cm.Text, "//go:linkname") {
				c.add(cm.Pos(), RuleBuildTag, "the same source must run everywhere: "+cm.Text)
			}
		}
	}
}

func (c *checker) walk(f *ast.File) {
	ast.Inspect(f, func(n ast.Node) bool {
		if n == nil {
			c.stack = c.stack[:len(c.stack)-1]
			return true
		}
		c.node(n)
		c.stack = append(c.stack, n)
		return true
	})
}

func (c *checker) node(n ast.Node) {
	switch n := n.(type) {
	case *ast.GoStmt:
		c.add(n.Pos(), RuleGo, "starts a goroutine; those live in cmd")
	case *ast.SelectStmt:
		c.add(n.Pos(), RuleSelect, "select picks by chance")
	case *ast.ChanType:
		c.add(n.Pos(), RuleChan, "channel type")
	case *ast.SendStmt:
		c.add(n.Pos(), RuleChan, "channel send")
	case *ast.UnaryExpr:
		if n.Op == token.ARROW {
			c.add(n.Pos(), RuleChan, "channel receive")
		}
	case *ast.RangeStmt:
		c.rangeStmt(n)
	case *ast.FuncDecl:
		if n.Recv == nil && n.Name.Name == "init" {
			c.add(n.Pos(), RuleInit, "init function; say what must be ready in a constructor")
		}
	case *ast.SelectorExpr:
		c.selector(n)
	case *ast.CallExpr:
		c.format(n)
	case *ast.BasicLit:
		if n.Kind == token.STRING && strings.Contains(n.Value, "%p") {
			c.add(n.Pos(), RulePointer, "%p prints an address")
		}
	}
	if e, ok := n.(ast.Expr); ok && c.scope == Core && isFloat(c.Info.Types[e].Type) && !c.insideFloat() {
		c.add(n.Pos(), RuleFloat, "floating point may differ between machines; use integers and ratios")
	}
}

// insideFloat tells whether the parent is reported already, so that a + b is one finding, not three.
func (c *checker) insideFloat() bool {
	if len(c.stack) == 0 {
		return false
	}
	e, ok := c.stack[len(c.stack)-1].(ast.Expr)
	return ok && isFloat(c.Info.Types[e].Type)
}

func isFloat(t types.Type) bool {
	if t == nil {
		return false
	}
	b, ok := t.Underlying().(*types.Basic)
	return ok && b.Info()&(types.IsFloat|types.IsComplex) != 0
}

func (c *checker) rangeStmt(n *ast.RangeStmt) {
	t := c.Info.Types[n.X].Type
	if t == nil || t == types.Typ[types.Invalid] {
		c.add(n.Pos(), RuleMapRange, "range over a value whose type cannot be told")
		return
	}
	for _, u := range typeSet(t) {
		switch u.(type) {
		case *types.Map:
			c.add(n.Pos(), RuleMapRange, "range over a map; keep a slice, or slices.Sorted(maps.Keys(m)) at an edge")
		case *types.Chan:
			c.add(n.Pos(), RuleChan, "range over a channel")
		}
	}
}

// typeSet is the underlying type, or for a type parameter those of its union's terms.
func typeSet(t types.Type) []types.Type {
	tp, ok := t.(*types.TypeParam)
	if !ok {
		return []types.Type{t.Underlying()}
	}
	var out []types.Type
	iface, ok := tp.Constraint().Underlying().(*types.Interface)
	if !ok {
		return nil
	}
	for i := range iface.NumEmbeddeds() {
		switch e := iface.EmbeddedType(i).(type) {
		case *types.Union:
			for j := range e.Len() {
				out = append(out, e.Term(j).Type().Underlying())
			}
		default:
			out = append(out, e.Underlying())
		}
	}
	return out
}

// Names of packages that are allowed in part.
var (
	clockNames = []string{"Now", "Since", "Until", "After", "AfterFunc", "NewTimer", "NewTicker", "Tick", "Sleep", "Timer",
		"Ticker", "Local", "LoadLocation"}
	durationNames = []string{"Duration", "Nanosecond", "Microsecond", "Millisecond", "Second", "Minute", "Hour"}
	mapIterNames  = []string{"Keys", "Values", "All", "DeleteFunc"}
	sortNames     = []string{"Slice", "SliceStable", "Sort", "Stable"}
	binaryNames   = []string{"Read", "Write", "Append", "Encode", "Decode"}
	randOwnNames  = []string{"New", "NewPCG", "NewChaCha8", "NewSource", "NewZipf"}
)

// pkgOf gives the import path and name of a selector of a package, as time and Now.
func (c *checker) pkgOf(e ast.Expr) (path, name string) {
	s, ok := e.(*ast.SelectorExpr)
	if !ok {
		return "", ""
	}
	id, ok := s.X.(*ast.Ident)
	if !ok {
		return "", ""
	}
	pn, ok := c.Info.Uses[id].(*types.PkgName)
	if !ok {
		return "", ""
	}
	return pn.Imported().Path(), s.Sel.Name
}

func (c *checker) selector(n *ast.SelectorExpr) {
	path, name := c.pkgOf(n)
	switch path {
	case "time":
		if slices.Contains(clockNames, name) {
			c.add(n.Pos(), RuleClock, "time."+name+"; time is an argument")
		} else if c.scope == Core && !slices.Contains(durationNames, name) {
			c.add(n.Pos(), RuleTimeValue, "time."+name+"; the core knows core.Time and time.Duration only")
		}
	case "maps":
		if slices.Contains(mapIterNames, name) && !(name == "Keys" && c.sortedAtOnce()) {
			c.add(n.Pos(), RuleMapIter, "maps."+name+" runs in map order; slices.Sorted(maps.Keys(m)) is allowed")
		}
	case "sort":
		if slices.Contains(sortNames, name) {
			c.add(n.Pos(), RuleSort, "sort."+name+"; use slices.SortFunc with a comparison that is total")
		}
	case "iter":
		if name == "Pull" || name == "Pull2" {
			c.add(n.Pos(), RuleGo, "iter."+name+" runs a coroutine")
		}
	case "math/rand", "math/rand/v2":
		if _, isFunc := c.Info.Uses[n.Sel].(*types.Func); isFunc && !slices.Contains(randOwnNames, name) {
			c.add(n.Pos(), RuleRand, path+"."+name+" draws from the process; use a named stream")
		}
	case "encoding/binary":
		if slices.Contains(binaryNames, name) {
			c.add(n.Pos(), RuleBinary, "binary."+name+" follows the type's layout; write fixed-width fields one by one")
		}
	}
}

// sortedAtOnce tells whether the node stands in slices.Sorted(maps.Keys(m)).
func (c *checker) sortedAtOnce() bool {
	k := len(c.stack) - 2
	if k < 0 {
		return false
	}
	outer, ok := c.stack[k].(*ast.CallExpr)
	if !ok {
		return false
	}
	path, name := c.pkgOf(outer.Fun)
	return path == "slices" && name == "Sorted"
}

// format looks at what is handed to fmt: a pointer prints as an address, unless it prints itself.
func (c *checker) format(n *ast.CallExpr) {
	path, name := c.pkgOf(n.Fun)
	if path != "fmt" || strings.Contains(name, "can") { // Scan and its like need pointers
		return
	}
	for _, a := range n.Args {
		t := c.Info.Types[a].Type
		if t == nil || hasMethod(t, "Error") || hasMethod(t, "String") || hasMethod(t, "Write") {
			continue
		}
		switch t.Underlying().(type) {
		case *types.Signature, *types.Chan, *types.Pointer:
			c.add(a.Pos(), RulePointer, "a "+t.String()+" may print as an address; print what it stands for")
		}
	}
}

func hasMethod(t types.Type, name string) bool {
	o, _, _ := types.LookupFieldOrMethod(t, true, nil, name)
	_, ok := o.(*types.Func)
	return ok
}
