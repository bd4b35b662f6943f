// Package budget hands out permits to contact hosts: concurrency and a sliding window per domain, a
// process-wide pressure limit, shares for work that must not crowd out the rest, cool-downs after failed
// rounds, and a fair ring of waiting tickets. Check and reservation are one call (D-02).
//
// What may enter: counting and waiting, keyed by small integers. What may not: what a ticket is for
// (the caller's tag says), how a host answered in detail (the caller names the failure), time sources.
//
//	            Park                     SetEligible
//	caller ───────────► ticket (ring) ───────────────► eligible ──┐
//	   ▲                     ▲   to the back                      │ capacity, no cool-down,
//	   │ Start, if Free      └──────────────┐                     │ pressure, share
//	   └────────────── NextGrant ◄──────────┴──── ready ◄─────────┘
//
// A domain is in one of these states: open; full (concurrency, window or requests); cooling until an
// instant; on probation (after a cool-down one pass at a time until one succeeds); unreachable (cooling
// between rare probes). An idle domain is forgotten (D-08).
package budget
