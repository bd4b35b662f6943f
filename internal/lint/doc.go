// Package lint enforces what makes the sync core and its simulator deterministic, and the direction of
// imports between the rooms of this module. It is run by its own tests, so `go test` alone is enough.
//
// What may enter: rules that can be decided from source text and types with the standard library alone.
// What may not: style (gofmt, vet and staticcheck do that), rules that need a run of the program (the
// double run and the golden traces do that), third-party code.
//
// The rules catch what a person writes by habit, not what someone hides on purpose: an alias of a table
// taken through a helper function, for instance, is not followed.
package lint
