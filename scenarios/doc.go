// Package scenarios is the written form of a simulated world: what stands where, what happens when, and
// what must come of it. A scenario is YAML (docs/scenarios.md is the reference) or Go (New, for use
// inside go test); both become the same Scenario and run the same way.
//
// What may enter: the file format with its parser, checks and text form; the translation of a scenario
// into a simulator world and fake peers; expectations; the catalogue of named scenarios. What may not:
// behaviour of the core, of the simulator kernel or of a fake peer, clocks, goroutines.
//
// The map: format.go holds the format itself; decode.go, yaml.go and encode.go its text; expand.go the
// repetition helpers; validate.go what a sound scenario is; names.go how names become values; build.go
// and timeline.go turn a scenario into a world; observe.go and expect.go judge it; run.go runs it;
// builder.go is the API for tests; catalogue.go the shipped scenarios.
package scenarios
