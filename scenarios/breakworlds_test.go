package scenarios

// Worlds in which the faults of breakers are planted. A sound core and driver break nothing in them.

const secondHost = `version: 1
name: second-host
description: A state is found on the second of two hosts.
horizon: 5m
hosts: {empty.example: {}, git.example: {latency: 100ms}}
repos:
  alice/hello: {clone: [empty.example, git.example], on: {git.example: [main, dev]}}
timeline:
  - {at: 1s, state: alice/hello, refs: [main, dev], as: s1}
  - {at: 1m, again: s1}
`

const stuck = `version: 1
name: stuck
description: Nobody has what a state waits for, and it waits.
horizon: 5m
hosts: {git.example: {}}
repos:
  alice/hello: {clone: git.example, on: {git.example: other}}
timeline:
  - {at: 1s, state: alice/hello, refs: main, as: s1}
`

const never = `version: 1
name: never
description: Nobody has what a state and a new announcement wait for.
horizon: 3h
hosts: {git.example: {}, dead.example: {answer: refuse}}
repos:
  alice/hello: {clone: git.example, on: {git.example: other}}
  bob/new: {start: absent, clone: dead.example}
timeline:
  - {at: 1s, state: alice/hello, refs: main, as: s1}
  - {at: 1s, announce: bob/new}
  - {at: 2s, again: s1}
`

const crowd = `version: 1
name: crowd
description: Twelve repositories wait for one host that has nothing.
horizon: 2m
domains: {git.example: {concurrency: 5, rate: 1000}}
hosts: {git.example: {latency: 50ms}}
repos:
  "o{i}/r{i}": {repeat: 12, clone: git.example, on: {git.example: other}}
timeline:
  - {repeat: 12, at: 0s, step: 3s, state: "o{i}/r{i}", refs: main, as: "s{i}"}
`

const strangers = `version: 1
name: strangers
description: Mallory deletes what is not theirs, and it does not matter.
horizon: 5m
hosts: {git.example: {}}
hostile: mallory
repos:
  alice/hello: {clone: git.example, on: {git.example: other}}
timeline:
  - {at: 1s, state: alice/hello, refs: main, as: s1}
  - {at: 10s, delete: s1, by: mallory}
`

const orders = `version: 1
name: orders
description: Two states come before and after each other.
horizon: 5m
permute: 2
hosts: {git.example: {}}
repos:
  alice/hello: {clone: git.example, on: {git.example: [c1, c2]}}
timeline:
  - {at: 1s, state: alice/hello, refs: {main: c1}, as: s1, created: 1s}
  - {at: 30s, state: alice/hello, refs: {main: c2}, as: s2, created: 2s}
`
