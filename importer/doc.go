// Package importer turns a dump of real NIP-34 events into a scenario, so that what happened on relays
// can be run again in the simulator.
//
// What may enter: reading dumps and relay logs, checking ids and signatures, laying real clone URLs and
// object ids out as simulated hosts and repositories, the shipped real-input scenarios and their
// generators. What may not: the network, clocks, chance, behaviour of core or fakes.
//
//	read.go      a dump, line by line; refusals with line and reason
//	arrivals.go  when each event arrives: by created_at or by a relay's log
//	service.go   which host of the dump is ours
//	world.go     hosts, repositories and who holds what
//	class.go     how a host of some class behaves
//	importer.go  Import and its options
//	summary.go   what was read, refused and foreseen; trial.go what a run made of it
//	shipped.go   the generators of scenarios/catalogue/real-*.yaml; bursttable.go their real rhythm
package importer
