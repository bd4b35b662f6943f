package lint

import (
	"go/ast"
	"go/token"
	"go/types"
)

// globals judges the package's variables: errors and constant tables may be, and nothing may write to
// them. A constant table is an array or slice literal whose leaves are constants, functions, or other
// such literals.
func (c *checker) globals() {
	for _, f := range c.Files {
		for _, d := range f.Decls {
			g, ok := d.(*ast.GenDecl)
			if !ok || g.Tok != token.VAR {
				continue
			}
			for _, s := range g.Specs {
				c.varSpec(s.(*ast.ValueSpec))
			}
		}
		ast.Inspect(f, func(n ast.Node) bool {
			c.write(n)
			return true
		})
	}
}

func (c *checker) varSpec(s *ast.ValueSpec) {
	for i, name := range s.Names {
		if name.Name == "_" {
			continue // an assertion that a type fits an interface
		}
		o := c.Info.Defs[name]
		if o == nil {
			continue
		}
		if isError(o.Type()) && i < len(s.Values) {
			continue
		}
		if i < len(s.Values) && isTable(o.Type()) && c.constant(s.Values[i]) {
			continue
		}
		c.add(name.Pos(), RuleGlobal, "package variable "+name.Name+"; only errors and constant tables (array or slice literals) may be")
	}
}

func isError(t types.Type) bool {
	errType := types.Universe.Lookup("error").Type().Underlying().(*types.Interface)
	return types.Implements(t, errType)
}

func isTable(t types.Type) bool {
	switch t.Underlying().(type) {
	case *types.Array, *types.Slice:
		return true
	}
	return false
}

// constant tells whether e is built of constants alone.
func (c *checker) constant(e ast.Expr) bool {
	if tv := c.Info.Types[e]; tv.Value != nil || tv.IsNil() {
		return true
	}
	switch e := e.(type) {
	case *ast.CompositeLit:
		switch c.Info.Types[e].Type.Underlying().(type) {
		case *types.Array, *types.Slice, *types.Struct:
		default:
			return false
		}
		for _, el := range e.Elts {
			if kv, ok := el.(*ast.KeyValueExpr); ok {
				el = kv.Value
			}
			if !c.constant(el) {
				return false
			}
		}
		return true
	case *ast.Ident:
		_, isFunc := c.Info.Uses[e].(*types.Func)
		return isFunc
	case *ast.SelectorExpr:
		_, isFunc := c.Info.Uses[e.Sel].(*types.Func)
		return isFunc
	case *ast.FuncLit:
		return true
	case *ast.CallExpr: // a conversion such as []byte("…")
		return c.Info.Types[e.Fun].IsType() && len(e.Args) == 1 && c.constant(e.Args[0])
	}
	return false
}

// write reports assignments to package variables, of this package or another, in whole or in part.
func (c *checker) write(n ast.Node) {
	switch n := n.(type) {
	case *ast.AssignStmt:
		if n.Tok == token.DEFINE {
			return
		}
		for _, l := range n.Lhs {
			c.target(l, "is assigned to")
		}
	case *ast.IncDecStmt:
		c.target(n.X, "is assigned to")
	case *ast.UnaryExpr:
		if n.Op == token.AND {
			c.target(n.X, "has its address taken")
		}
	case *ast.RangeStmt:
		if n.Tok == token.ASSIGN {
			c.target(n.Key, "is assigned to")
			c.target(n.Value, "is assigned to")
		}
	}
}

func (c *checker) target(e ast.Expr, what string) {
	pos := token.NoPos
	for e != nil {
		if pos == token.NoPos {
			pos = e.Pos()
		}
		switch x := e.(type) {
		case *ast.ParenExpr:
			e = x.X
		case *ast.IndexExpr:
			e = x.X
		case *ast.SliceExpr:
			e = x.X
		case *ast.StarExpr:
			return // through a pointer: whoever made the pointer was reported
		case *ast.SelectorExpr:
			if path, _ := c.pkgOf(x); path != "" {
				c.global(pos, x.Sel, what)
				return
			}
			e = x.X
		case *ast.Ident:
			c.global(pos, x, what)
			return
		default:
			return
		}
	}
}

func (c *checker) global(pos token.Pos, id *ast.Ident, what string) {
	v, ok := c.Info.Uses[id].(*types.Var)
	if ok && v.Pkg() != nil && v.Parent() == v.Pkg().Scope() {
		c.add(pos, RuleTableWrite, "package variable "+id.Name+" "+what)
	}
}
