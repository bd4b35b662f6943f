// Package bench measures: one workload at several sizes, and beside it what it is compared with — the core
// alone on recorded inputs, the bare event queue, and the rules of queue and domains once as a state machine
// and once (in the tests) with goroutines and timers. docs/performance.md says what each number means and
// how to get it again.
//
// What may enter: workloads, recorders, minimal peers to compare with, clocks that measure CPU time. What may
// not: rules that the core lacks, fixes of what is measured, anything a product package would import.
//
//	load.go     the workload: repositories, domains, hourly states, stalls
//	tape.go     inputs of a run, kept to feed the core alone
//	hold.go     the bare queue under the workload's delays
//	qd.go       rules Q and D alone, as a state machine on the simulator's queue
//	cpu_*.go    CPU time of the process
//	cmd/simbench runs one of them from the command line (callgrind, profiles, repeatability)
package bench
