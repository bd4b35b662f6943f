package lint

import (
	"errors"
	"fmt"
	"go/ast"
	"go/importer"
	"go/parser"
	"go/token"
	"go/types"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// Module is the import path of this module.
const Module = "graspsync"

// Package is one directory of non-test Go files, parsed and as far as possible type-checked.
type Package struct {
	Path  string // import path
	Files []*ast.File
	Fset  *token.FileSet
	Types *types.Package
	Info  *types.Info
	Errs  []error // of the type checker
}

// Loader reads packages of the module below Root. Packages of the standard library are type-checked from
// source; others become empty stand-ins, which is enough because no checked package may import them.
type Loader struct {
	Root string
	Fset *token.FileSet
	std  types.Importer
	done map[string]*Package
}

// NewLoader makes a loader for the module at root.
func NewLoader(root string) *Loader {
	fset := token.NewFileSet()
	return &Loader{Root: root, Fset: fset, std: importer.ForCompiler(fset, "source", nil), done: map[string]*Package{}}
}

// ErrNoGo is returned by Load for a directory without non-test Go files.
var ErrNoGo = errors.New("no Go files")

// Load parses and checks the package with the given import path of this module.
func (l *Loader) Load(path string) (*Package, error) {
	if p, ok := l.done[path]; ok {
		if p == nil {
			return nil, fmt.Errorf("import cycle through %s", path)
		}
		return p, nil
	}
	l.done[path] = nil
	dir := filepath.Join(l.Root, filepath.FromSlash(strings.TrimPrefix(strings.TrimPrefix(path, Module), "/")))
	entries, err := os.ReadDir(dir)
	if err != nil {
		return nil, err
	}
	var files []*ast.File
	for _, e := range entries {
		name := e.Name()
		if e.IsDir() || !strings.HasSuffix(name, ".go") || strings.HasSuffix(name, "_test.go") {
			continue
		}
		src, err := os.ReadFile(filepath.Join(dir, name))
		if err != nil {
			return nil, err
		}
		rel, err := filepath.Rel(l.Root, filepath.Join(dir, name))
		if err != nil {
			return nil, err
		}
		f, err := parser.ParseFile(l.Fset, filepath.ToSlash(rel), src, parser.ParseComments|parser.SkipObjectResolution)
		if err != nil {
			return nil, err
		}
		files = append(files, f)
	}
	if len(files) == 0 {
		delete(l.done, path)
		return nil, fmt.Errorf("%s: %w", path, ErrNoGo)
	}
	p := l.check(path, files)
	l.done[path] = p
	return p, nil
}

// check type-checks files; errors are kept, not returned, so that the rules still see the rest.
func (l *Loader) check(path string, files []*ast.File) *Package {
	p := &Package{Path: path, Files: files, Fset: l.Fset, Info: &types.Info{
		Types: map[ast.Expr]types.TypeAndValue{}, Uses: map[*ast.Ident]types.Object{}, Defs: map[*ast.Ident]types.Object{},
	}}
	conf := types.Config{Importer: importFunc(l.resolve), Error: func(err error) { p.Errs = append(p.Errs, err) }}
	p.Types, _ = conf.Check(path, l.Fset, files, p.Info) // the errors are in p.Errs
	return p
}

type importFunc func(path string) (*types.Package, error)

func (f importFunc) Import(path string) (*types.Package, error) { return f(path) }

func (l *Loader) resolve(path string) (*types.Package, error) {
	switch {
	case path == "unsafe":
		return types.Unsafe, nil
	case path == Module || strings.HasPrefix(path, Module+"/"):
		p, err := l.Load(path)
		if err != nil {
			return nil, err
		}
		return p.Types, nil
	case strings.Contains(strings.SplitN(path, "/", 2)[0], "."):
		p := types.NewPackage(path, filepath.Base(path))
		p.MarkComplete()
		return p, nil
	}
	return l.std.Import(path)
}

// Dirs lists the import paths of all directories of the module that hold Go files, test files included,
// in order. Directories named testdata or starting with a dot or underscore are skipped.
func (l *Loader) Dirs() ([]string, error) {
	var out []string
	err := filepath.WalkDir(l.Root, func(p string, d os.DirEntry, err error) error {
		if err != nil {
			return err
		}
		name := d.Name()
		if d.IsDir() && p != l.Root && (name == "testdata" || name[0] == '.' || name[0] == '_') {
			return filepath.SkipDir
		}
		if d.IsDir() || !strings.HasSuffix(name, ".go") {
			return nil
		}
		rel, err := filepath.Rel(l.Root, filepath.Dir(p))
		if err != nil {
			return err
		}
		path := Module
		if rel != "." {
			path += "/" + filepath.ToSlash(rel)
		}
		if !slices.Contains(out, path) {
			out = append(out, path)
		}
		return nil
	})
	slices.Sort(out)
	return out, err
}

// Root finds the directory of go.mod at or above dir.
func Root(dir string) (string, error) {
	dir, err := filepath.Abs(dir)
	if err != nil {
		return "", err
	}
	for {
		if _, err := os.Stat(filepath.Join(dir, "go.mod")); err == nil {
			return dir, nil
		}
		up := filepath.Dir(dir)
		if up == dir {
			return "", errors.New("no go.mod here or above")
		}
		dir = up
	}
}
