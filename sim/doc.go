// Package sim is the simulator kernel: it drives one core.Core through virtual time, carries out its
// effects against simulated peers, and judges the run from outside.
//
// What may enter: the event queue, named random streams, the world and its driver model, the oracle,
// marks, trace, hash and replay. What may not: clocks, goroutines, I/O, map order (the determinism test
// enforces it), knowledge of scenario files (package scenarios) or of how a peer behaves (package
// fakes implements the interfaces of peer.go).
package sim
