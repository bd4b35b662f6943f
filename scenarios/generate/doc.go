// Package generate draws scenarios: seed and profile in, a whole world out. All chance of a swarm is here and is gone once
// the scenario is made, so the scenario, not the seed, is what is kept, shrunk and reproduced; the generator may change
// freely.
//
// What may enter: draws of structure (topology, who holds what from when, arrivals, behaviour of hosts, faults, configuration).
// What may not: running or judging a world, randomness other than sim.Stream, expectations made to fit what a core
// does (a drawn world is judged by the invariants alone).
//
// The map: feature.go lists what a seed may be without, profile.go the kinds of worlds, draw.go how values are drawn, then a
// file for each part of a world: config.go, hosts.go, answers.go, repos.go, arrivals.go, pushes.go, trouble.go, network.go.
package generate
