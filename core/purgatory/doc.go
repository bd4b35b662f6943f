// Package purgatory holds what waits for its git data, and what must be remembered of what waited:
// announcements, states and pull requests with their indexes, the maintainer closure of each owner, the
// groups that hunt together, and the ids that expired.
//
// What may enter: records, indexes and pure questions about them (who may author a state for whom, which
// announcements form a group, is this state latest). What may not: effects, deadlines as timers,
// permits, passes; package core acts, this package answers.
package purgatory
