package lint

import (
	"slices"
	"strings"
)

// Scope says how strict the rules are for a package.
type Scope uint8

// Scopes.
const (
	Free Scope = iota // only the import arrows hold
	Sim               // sim and fakes
	Core              // core and its sub-packages, except core/nip34
)

// ScopeOf gives the scope of an import path of this module.
func ScopeOf(path string) Scope {
	rest := strings.TrimPrefix(path, Module+"/")
	switch top, _, _ := strings.Cut(rest, "/"); {
	case rest == "core/nip34" || strings.HasPrefix(rest, "core/nip34/"):
		return Free // parsing with a library of events; outside the purity rules by design
	case top == "core":
		return Core
	case top == "sim" || top == "fakes":
		return Sim
	}
	return Free
}

// coreImports is the whole of the standard library that the core may use.
var coreImports = []string{"cmp", "errors", "math/bits", "slices", "strconv", "time"}

// coreExtra are imports one package may have besides.
var coreExtra = map[string][]string{
	Module + "/core/value": {"encoding/hex"}, // text form of ids; pure, fixed width
}

// banned are packages (with everything below) that bring a clock, a process, hidden order or a machine
// into a deterministic package.
var banned = []string{"C", "context", "crypto/rand", "database", "debug", "embed", "expvar", "hash/maphash", "io/fs", "io/ioutil",
	"log", "net", "os", "path/filepath", "plugin", "reflect", "runtime", "sync", "syscall", "testing", "unique", "unsafe", "weak"}

func under(path, root string) bool { return path == root || strings.HasPrefix(path, root+"/") }

// judgeImport tells what is wrong with a package of the given scope importing path; "" is nothing.
func judgeImport(scope Scope, pkg, path string) (Rule, string) {
	if scope == Free {
		return "", ""
	}
	own := under(path, Module)
	for _, b := range banned {
		if under(path, b) {
			return RuleImport, "imports " + path + "; pass what is needed in as a value"
		}
	}
	if first, _, _ := strings.Cut(path, "/"); strings.Contains(first, ".") {
		return RuleImport, "imports " + path + "; only the standard library and this module"
	}
	if scope == Core && !own && !slices.Contains(coreImports, path) && !slices.Contains(coreExtra[pkg], path) {
		return RuleAllowList, "imports " + path + "; the core may use " + strings.Join(coreImports, ", ")
	}
	return "", ""
}

// arrow is a room of the layout and what it may import of this module.
type arrow struct {
	room string
	may  []string // roots below the module; "" alone forbids everything
	not  []string // exceptions to may
}

// arrows is the layout: the first room that fits counts. Every room may import itself.
var arrows = []arrow{
	{room: "core/nip34", may: []string{"core"}},
	{room: "core", may: []string{"core"}, not: []string{"core/nip34"}},
	{room: "sim", may: []string{"core", "sim"}, not: []string{"core/nip34"}},
	{room: "fakes", may: []string{"core", "sim", "fakes"}, not: []string{"core/nip34"}},
	{room: "scenarios", may: []string{"core", "sim", "fakes", "scenarios"}},
	{room: "importer", may: []string{"core", "sim", "fakes", "scenarios", "importer"}},
	{room: "bench", may: []string{"core", "sim", "fakes", "bench"}},
	{room: "gitservers", may: []string{"gitservers"}},
	{room: "cmd/relay", may: []string{"core", "cmd/relay"}},
	{room: "cmd/simrun", may: []string{"core", "sim", "fakes", "scenarios", "importer", "internal/mutants", "cmd/simrun"}},
	{room: "bench", may: []string{"core", "sim", "fakes", "scenarios", "importer", "bench"}},
	{room: "internal/lint", may: []string{"internal/lint", "internal/rules"}},
	{room: "internal/mutants", may: []string{"internal/mutants", "internal/rules"}},
	{room: "internal/rules", may: []string{"internal/rules"}},
}

// judgeArrow tells what is wrong with the package pkg of this module importing path.
func judgeArrow(pkg, path string) (Rule, string) {
	rest := strings.TrimPrefix(strings.TrimPrefix(pkg, Module), "/")
	i := slices.IndexFunc(arrows, func(a arrow) bool { return under(rest, a.room) })
	if i < 0 {
		return RuleRoom, "no room of the layout is called " + rest + "; add it to the arrows with what it may import"
	}
	if !under(path, Module) {
		return "", ""
	}
	a, to := arrows[i], strings.TrimPrefix(strings.TrimPrefix(path, Module), "/")
	fits := func(roots []string) bool {
		return slices.ContainsFunc(roots, func(r string) bool { return under(to, r) })
	}
	if !fits(a.may) || fits(a.not) {
		return RuleArrow, a.room + " imports " + to + "; it may import " + strings.Join(a.may, ", ")
	}
	return "", ""
}
