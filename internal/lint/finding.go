package lint

import (
	"fmt"
	"go/token"
	"slices"
	"strings"
)

// Rule names one thing that is forbidden. Every rule has a snippet in snippets_test.go that it must
// catch; a rule without one fails the tests, so no rule can go blind unnoticed.
type Rule string

// Rules about determinism. Where a rule holds is said by its comment; without one it holds in core, sim
// and fakes alike.
const (
	RuleTypes      Rule = "types"       // the package does not type-check, so nothing can be said about it
	RuleImport     Rule = "import"      // clock, process, reflection, locks, network, third-party code
	RuleAllowList  Rule = "allow-list"  // core: an import outside the short list
	RuleClock      Rule = "clock"       // time.Now and everything else that reads or waits for the clock
	RuleTimeValue  Rule = "time-value"  // core: of package time only Duration and its units
	RuleMapRange   Rule = "map-range"   // range over a map
	RuleMapIter    Rule = "map-iter"    // maps.Keys and its like, unless sorted at once
	RuleGo         Rule = "go"          // go statement
	RuleSelect     Rule = "select"      // select statement
	RuleChan       Rule = "chan"        // channel types, sends, receives, ranges
	RuleGlobal     Rule = "global"      // package variable that is neither an error nor a constant table
	RuleTableWrite Rule = "table-write" // a package variable is assigned to, or its address is taken
	RuleInit       Rule = "init"        // init function
	RuleRand       Rule = "rand"        // the shared generators of math/rand
	RuleFloat      Rule = "float"       // core: floating-point or complex values
	RuleSort       Rule = "sort"        // sort.Slice and its like: unstable, or silently partial
	RulePointer    Rule = "pointer"     // %p, or a pointer, function or channel handed to fmt
	RuleBinary     Rule = "binary"      // encoding/binary's reflecting Read and Write
	RuleBuildTag   Rule = "build-tag"   // build constraints and linkname: other code on another machine
	RuleArrow      Rule = "arrow"       // an import against the direction of the layout
	RuleRoom       Rule = "room"        // a directory that the layout does not know
)

// Rules lists all of them.
func Rules() []Rule {
	return []Rule{RuleTypes, RuleImport, RuleAllowList, RuleClock, RuleTimeValue, RuleMapRange, RuleMapIter, RuleGo,
		RuleSelect, RuleChan, RuleGlobal, RuleTableWrite, RuleInit, RuleRand, RuleFloat, RuleSort, RulePointer,
		RuleBinary, RuleBuildTag, RuleArrow, RuleRoom}
}

// Finding is one breach: where, of which rule, and what to write instead.
type Finding struct {
	Pos  token.Position
	Rule Rule
	Text string
}

// String is "file:line: rule: text".
func (f Finding) String() string {
	return fmt.Sprintf("%s:%d: %s: %s", f.Pos.Filename, f.Pos.Line, f.Rule, f.Text)
}

func sortFindings(fs []Finding) {
	slices.SortFunc(fs, func(a, b Finding) int {
		if c := strings.Compare(a.Pos.Filename, b.Pos.Filename); c != 0 {
			return c
		}
		if c := a.Pos.Offset - b.Pos.Offset; c != 0 {
			return c
		}
		return strings.Compare(string(a.Rule)+a.Text, string(b.Rule)+b.Text)
	})
}
