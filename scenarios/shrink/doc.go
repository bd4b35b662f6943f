// Package shrink makes a failing scenario as small as it can while it fails in the same way, and says of each fault that
// is left what happens without it.
//
// What may enter: passes over the scenario value (topology, workload, faults, timings and configuration together), the
// gate that accepts a candidate, the report. What may not: goroutines (a batch of candidates is evaluated by the
// caller, see Evaluate), files, a judgement of its own about a run.
//
// The map: shrink.go is the API; gate.go decides what is taken; target.go what the same failure is; size.go what smaller
// is; tree.go takes a scenario to pieces by its fields, whatever they are; repair.go keeps what is left sound; passes*.go,
// times.go and names.go are the passes; need.go and chart.go the report.
package shrink
