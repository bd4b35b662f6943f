// Package rules is the index of everything this project cites by id: rules and invariants, test cases,
// known faults, and the words they use. From it and from the sources, docs/rules.md, docs/cases.md,
// docs/faults.md and docs/glossary.md are generated; its test fails when one of them is stale, when an id
// marked built is proven by no test, and when a source file cites an id that does not exist.
//
// What may enter: one line per id, in plain words, and its status. What may not: a second copy of the
// reasoning (that stands in the code beside the id), behaviour of the core.
package rules
