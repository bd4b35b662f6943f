// Package sim is the simulator kernel: it drives one core.Core through virtual time, carries out its
// effects against simulated peers, and judges the run from outside.
//
// What may enter: the event queue, named random streams, the world and its driver model, the oracle,
// marks, trace, hash and replay. What may not: clocks, goroutines, I/O, map order (the determinism test
// enforces it), knowledge of scenario files (package scenarios) or of how a peer behaves (package
// fakes implements the interfaces of peer.go).
//
// A run is a Setup: configuration, peers, arrivals, driver faults, tie policy and seed. NewWorld makes a
// World of it, Run drives it to its horizon, StepOnce and RunUntil stop on the way. Result tells what was
// found; with Setup.Record its Record tells what happened, item by item.
//
//	queue.go, queueheap.go    what happens next: a radix heap, and the plain heap it is tested against
//	rand.go                   chance: named streams, and draws keyed to entities
//	setup.go, faults.go       what a run depends on
//	world.go, finish.go       the loop of instants; counting, and the verdict
//	crash.go                  the journal, the end of a process and its restart
//	driver*.go                the model of a relay's driver: effects out, completions back, faults between
//	oracle*.go                the invariants, judged from the log of the boundary alone
//	record*.go, timeline.go   what happened, for tests and failure texts
//	hash.go, twice.go         one number for a whole log, and where two logs part (I-9)
//	trace*.go, replay.go      the log as JSON lines, read back and replayed strictly
//
// An instant is handled in this order: everything that arrives or completes at it, ordered by the tie
// policy, what they cause at the same instant included; then Wake, if a deadline is due; then again
// whatever that caused; and only when nothing is left does the clock jump (T-02).
//
// To look into a failure: run the scenario again with a trace, or stop at Violation.At with RunUntil.
package sim
