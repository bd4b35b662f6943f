package lint

import (
	"go/ast"
	"go/parser"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// snippet is a piece of source with the rules it must break, in order of position; none means it is fine.
type snippet struct {
	name  string
	path  string // import path of the package it stands in; decides the scope
	src   string // after the package clause
	rules []Rule
}

const (
	inCore  = Module + "/core/x"
	inSim   = Module + "/sim/x"
	inFakes = Module + "/fakes"
)

var snippets = []snippet{
	{"does not compile", inSim, `func f() int { return "no" }`, []Rule{RuleTypes}},
	{"sync", inSim, `import "sync"; type t struct{ sync.Mutex }`, []Rule{RuleImport}},
	{"atomic lies below sync", inFakes, `import "sync/atomic"; type t struct{ n atomic.Int64 }`, []Rule{RuleImport}},
	{"context", inFakes, `import "context"; type t struct{ c context.Context }`, []Rule{RuleImport}},
	{"os", inSim, `import "os"; func f() string { return os.Getenv("X") }`, []Rule{RuleImport}},
	{"unsafe", inCore, `import "unsafe"; func f(p *int) unsafe.Pointer { return unsafe.Pointer(p) }`, []Rule{RuleImport}},
	{"maphash", inSim, `import "hash/maphash"; func f(h *maphash.Hash) {}`, []Rule{RuleImport}},
	{"third party", inSim, `import _ "example.com/lib"`, []Rule{RuleImport}},
	{"dot import", inSim, `import . "strings"; func f() bool { return Contains("a", "b") }`, []Rule{RuleImport}},
	{"fmt in the core", inCore, `import "fmt"; func f() string { return fmt.Sprint(1) }`, []Rule{RuleAllowList}},
	{"fmt in the simulator is fine", inSim, `import "fmt"; func f() string { return fmt.Sprint(1) }`, nil},
	{"strconv in the core is fine", inCore, `import "strconv"; func f() string { return strconv.Itoa(1) }`, nil},
	{"clock", inSim, `import "time"; func f() int64 { return time.Now().Unix() }`, []Rule{RuleClock}},
	{"clock as a value", inFakes, `import "time"; func f(now func() time.Time) {}; func g() { f(time.Now) }`, []Rule{RuleClock}},
	{"clock under another name", inSim, `import t "time"; func f() { t.Sleep(1) }`, []Rule{RuleClock}},
	{"timer type", inSim, `import "time"; type t struct{ x *time.Timer }`, []Rule{RuleClock}},
	{"calendar time in the core", inCore, `import "time"; type t struct{ at time.Time }`, []Rule{RuleTimeValue}},
	{"durations in the core are fine", inCore, `import "time"; const d time.Duration = 3 * time.Second`, nil},
	{"map range", inSim, `func f(m map[int]int) (n int) { for range m { n++ }; return n }`, []Rule{RuleMapRange}},
	{"map range of a named map", inCore, `type set map[int]bool; func f(m set) { for k := range m { _ = k } }`, []Rule{RuleMapRange}},
	{"map range through a type parameter", inSim, `func f[M ~map[K]V, K comparable, V any](m M) { for range m {} }`, []Rule{RuleMapRange}},
	{"map look-up, insert and delete are fine", inCore, `func f(m map[int]int) int { m[1] = 2; delete(m, 3); return m[1] + len(m) }`, nil},
	{"slice range is fine", inSim, `func f(s []int) (n int) { for _, x := range s { n += x }; return n }`, nil},
	{"maps.Values", inSim, `import ("maps"; "slices"); func f(m map[int]int) []int { return slices.Collect(maps.Values(m)) }`, []Rule{RuleMapIter}},
	{"maps.Keys unsorted", inSim, `import "maps"; func f(m map[int]int) { for k := range maps.Keys(m) { _ = k } }`, []Rule{RuleMapIter}},
	{"maps.Keys sorted at once is fine", inSim, `import ("maps"; "slices"); func f(m map[int]int) []int { return slices.Sorted(maps.Keys(m)) }`, nil},
	{"goroutine", inFakes, `func f() { go f() }`, []Rule{RuleGo}},
	{"coroutine", inSim, `import "iter"; func f(s iter.Seq[int]) { _, stop := iter.Pull(s); stop() }`, []Rule{RuleGo}},
	{"select", inSim, `func f() { select {} }`, []Rule{RuleSelect}},
	{"channel type, send, receive, range", inSim,
		`func f(c chan int) { c <- 1; <-c; for range c {} }`, []Rule{RuleChan, RuleChan, RuleChan, RuleChan}},
	{"global counter", inSim, `var n int`, []Rule{RuleGlobal}},
	{"global map", inSim, `var m = map[string]int{"a": 1}`, []Rule{RuleGlobal}},
	{"global table of computed values", inSim, `func g() int { return 1 }; var t = []int{g()}`, []Rule{RuleGlobal}},
	{"global without a value", inSim, `var t []int`, []Rule{RuleGlobal}},
	{"errors and constant tables are fine", inCore, `import "errors"
		var ErrX = errors.New("x")
		var names = [...]string{"a", "b"}
		type row struct { s string; n int; f func() }
		func g() {}
		var rows = []row{{"a", 1, g}, {s: "b"}}
		var _ error = ErrX`, nil},
	{"table written to", inCore, `var t = [...]int{1, 2}; func f() { t[0] = 3 }`, []Rule{RuleTableWrite}},
	{"table counted up", inSim, `var t = [...]int{1, 2}; func f() { t[1]++ }`, []Rule{RuleTableWrite}},
	{"table appended to", inSim, `var t = []int{1}; func f() { t = append(t, 2) }`, []Rule{RuleTableWrite}},
	{"table's address", inSim, `var t = [...]int{1}; func f() *int { return &t[0] }`, []Rule{RuleTableWrite}},
	{"error replaced", inSim, `import "errors"; var ErrX = errors.New("x"); func f() { ErrX = nil }`, []Rule{RuleTableWrite}},
	{"variable of another package written to", inSim, `import "strconv"; func f() { strconv.ErrRange = nil }`, []Rule{RuleTableWrite}},
	{"a local of the same name is fine", inSim, `var t = [...]int{1}; func f() int { t := []int{2}; t[0] = 3; return t[0] }`, nil},
	{"init", inSim, `func init() {}`, []Rule{RuleInit}},
	{"a method called init is fine", inSim, `type t struct{}; func (t) init() {}`, nil},
	{"global rand", inFakes, `import "math/rand/v2"; func f() int { return rand.IntN(3) }`, []Rule{RuleRand}},
	{"old global rand", inSim, `import "math/rand"; func f() int { return rand.Int() }`, []Rule{RuleRand}},
	{"own generator is fine", inSim, `import "math/rand/v2"; func f(s uint64) uint64 { return rand.New(rand.NewPCG(s, 1)).Uint64() }`, nil},
	{"float type in the core", inCore, `type t struct{ p float64 }`, []Rule{RuleFloat}},
	{"float by conversion in the core", inCore, `func f(n int) int { return int(float64(n) / 2) }`, []Rule{RuleFloat}},
	{"float constant in the core", inCore, `const half = 0.5`, []Rule{RuleFloat}},
	{"an integer written with an exponent is fine", inCore, `type T int64; const second T = 1e9`, nil},
	{"floats in a report are fine", inSim, `func share(a, b int64) float64 { return float64(a) / float64(b) }`, nil},
	{"sort.Slice", inSim, `import "sort"; func f(s []int) { sort.Slice(s, func(i, j int) bool { return s[i] < s[j] }) }`, []Rule{RuleSort}},
	{"slices.SortFunc is fine", inCore, `import ("cmp"; "slices"); func f(s []int) { slices.SortFunc(s, cmp.Compare[int]) }`, nil},
	{"%p", inSim, `import "fmt"; func f(x *int) string { return fmt.Sprintf("at %p", x) }`, []Rule{RulePointer, RulePointer}},
	{"pointer printed", inSim, `import "fmt"; type t struct{ n int }; func f(x *t) string { return fmt.Sprint(x) }`, []Rule{RulePointer}},
	{"function printed", inSim, `import "fmt"; func f() string { return fmt.Sprint(f) }`, []Rule{RulePointer}},
	{"a pointer that prints itself is fine", inSim, `import "fmt"
		type t struct{}; func (*t) String() string { return "t" }; func f(x *t) string { return fmt.Sprint(x) }`, nil},
	{"binary.Write", inSim, `import ("bytes"; "encoding/binary"); func f(b *bytes.Buffer) { binary.Write(b, binary.LittleEndian, int64(1)) }`, []Rule{RuleBinary}},
	{"fixed-width append is fine", inSim, `import "encoding/binary"; func f(b []byte) []byte { return binary.LittleEndian.AppendUint64(b, 1) }`, nil},
	{"linkname", inSim, "//go:linkname f runtime.f\nfunc f()", []Rule{RuleBuildTag}},
	{"core imports sim", inCore, `import _ "graspsync/sim"`, []Rule{RuleArrow}},
	{"core imports its parser", inCore, `import _ "graspsync/core/nip34"`, []Rule{RuleArrow}},
	{"the parser imports the core: fine", Module + "/core/nip34", `import _ "graspsync/core"`, nil},
	{"sim imports fakes", inSim, `import _ "graspsync/fakes"`, []Rule{RuleArrow}},
	{"fakes import scenarios", inFakes, `import _ "graspsync/scenarios"`, []Rule{RuleArrow}},
	{"real servers import the core", Module + "/gitservers", `import _ "graspsync/core"`, []Rule{RuleArrow}},
	{"a tool imports another", Module + "/cmd/simrun", `import _ "graspsync/cmd/relay"`, []Rule{RuleArrow}},
	{"new top directory", Module + "/attic", `import _ "fmt"`, []Rule{RuleRoom}},
}

func TestSnippets(t *testing.T) {
	l := NewLoader(t.TempDir())
	for _, s := range snippets {
		t.Run(s.name, func(t *testing.T) {
			f, err := parser.ParseFile(l.Fset, s.name, "package x; "+s.src, parser.ParseComments|parser.SkipObjectResolution)
			require.NoError(t, err)
			found := Check(l.check(s.path, []*ast.File{f}), ScopeOf(s.path))
			var rules []Rule
			for _, f := range found {
				// Packages of this module do not exist below an empty root; that is not what is tested.
				if f.Rule == RuleTypes && strings.Contains(f.Text, "could not import") {
					continue
				}
				rules = append(rules, f.Rule)
			}
			require.Equal(t, s.rules, rules, "findings: %v", found)
		})
	}
}

// TestEveryRuleBites keeps a rule from going blind: each must be broken by a snippet.
func TestEveryRuleBites(t *testing.T) {
	for _, r := range Rules() {
		require.True(t, slices.ContainsFunc(snippets, func(s snippet) bool { return slices.Contains(s.rules, r) }),
			"no snippet breaks rule %q", r)
	}
}
