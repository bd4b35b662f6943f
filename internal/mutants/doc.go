// Package mutants plants faults in the project's own source, one at a time, to measure what the tests find.
//
// A fault is a text file that says which lines of which file read otherwise. It is applied as an overlay of the Go tool, so
// product code has no hooks and the tree on disk is never touched. A fault whose lines are not there any more is an error:
// it must be planted anew, or go.
//
// What may enter: the format, its application, builds. What may not: judgement of runs, knowledge of any single fault.
package mutants
