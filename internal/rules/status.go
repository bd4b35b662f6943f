package rules

import "slices"

// Status says how far a rule is.
type Status uint8

// Statuses. Built and Part demand at least one test or scenario that cites the id.
const (
	Later Status = iota // not built, or built and not proven yet
	Part                // the share of core and simulator is built; Note says what is missing
	Built
)

// String is the word in docs/rules.md.
func (s Status) String() string { return [...]string{"later", "part", "built"}[min(s, Built)] }

// Rule is one rule or invariant.
type Rule struct {
	ID     string
	Status Status
	Text   string // one line
	Note   string // what is missing, for Part
}

// Section is a family of ids under one heading.
type Section struct {
	Title string
	Rules []Rule
}

// Sections lists all rules, in the order of docs/rules.md.
func Sections() []Section {
	return slices.Concat(coreSections, purgatorySections, laterSections)
}
