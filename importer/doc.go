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
//	importer.go  Import, its options and summary
//	shipped.go   the generators of scenarios/catalogue/real-*.yaml
package importer
