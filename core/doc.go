// Package core is the sync core: it admits Nostr repository events, holds those whose git data is missing,
// hunts that data on remote git servers within each server's limits, and releases or expires what waits.
// It is one single-threaded value: inputs go in through Step, effects come out, Next tells when it wants to
// be woken. It has no clock, goroutine, I/O or source of chance.
//
// # The map
//
//	core.go          Core, Step, the switch over inputs, settle
//	input.go effect.go event.go class.go config.go id.go   the boundary
//	admit.go         gates and dispatch of events (S-02, S-04)
//	announcement.go state.go pr.go                         purgatory's residents: admitted, kept, expired (AN, ST, PR, E)
//	repository.go expiry.go unlisted.go                    an announcement's repository, its ends, what it leaves behind
//	rejected.go quota.go related.go                        what was refused, bounds of a source, what belongs here (S, RE)
//	placeholder.go nostrref.go                             refs pushed before their events, and what such refs show (PR-03)
//	pending.go deletion.go                                 what the store decides first: replacements, deletions (R-07, DL)
//	group.go regroup.go                                    maintainer groups, merging and splitting (Q-01, Q-02, M)
//	hunt.go          the queue of hunts: debounce, start, backoff, end (Q, A-04)
//	needs.go want.go what is needed, and what is here already (N)
//	source.go wave.go pass.go                              where to ask, when, and the course of a pass (U, A, H, F)
//	ready.go release.go align.go promote.go show.go        the way out of purgatory, and what repositories show (ST)
//	prindex.go       pull requests by the repositories they name (S-01, PR-02)
//	push.go pushend.go pushrefs.go                           pushes (P)
//	evict.go residents.go                                  bounds and who gives way (Q-14, S-06)
//	ask.go deadline.go                                     requests, watchdogs, deadlines (T)
//	restart.go       what is known at start, and after a crash
//	inspect.go inspectcounts.go                            Check and Stats (I-1, I-8)
//
// Rooms below: value (the values of the boundary), budget (permits per domain), fetch (one pass's questions),
// purgatory (records and pure questions about them), pq (waiting structures), nip34 (the parser; it imports
// core, never the reverse).
//
// What may enter: decisions, and the state they rest on. What may not: text of names, time sources, I/O,
// goroutines, map order, floats, chance other than hashes of Config.Seed.
//
// # Attempts, waves, tickets, permits
//
// A hunt belongs to a maintainer group and runs one attempt at a time. An attempt has a local part and
// a network part; in the network part each of its two waves (main, PR-only) runs at most two passes.
//
//	                    event                        grid instant
//	no hunt ───────────────────────► waiting ──────────────────────────────────► checking
//	   ▲                               ▲  ▲                                         │ all Checked (N-02);
//	   │ nothing pending,              │  │ end of attempt:                  │ release what is whole
//	   │ waves empty            │  │ rerun if set,                    ▼
//	   └───────────────────────────────┘  │ else backoff                  hunting ◄──────────────┐
//	                                      └────────────────────────────────────────┤                    │
//	                                                                               │ a wave may start   │
//	                                            room, nobody eligible waits │ (H-01 … H-03)      │
//	                                          ┌────────────────────────────────────┤                    │
//	                                          ▼                                    ▼ no room anywhere   │
//	                                       permit ◄──── grant (D-05, D-06) ──── tickets, one per        │
//	                                          │                                 (wave, domain)          │
//	                                          ▼                                                         │
//	 pass:  Comparing ─► Batch ─► Probing ─► Extra ─► Ending ──PassEnded──► permit back ───────────────►┘
//	             └── fault, wants gone (H-04), too slow (H-06), watchdog (T-04) ──► CancelPass ─► Ending
//
// A pass that outlives its attempt is a guest: its permit and its place in the wave stay taken, what it brings
// counts.
//
// # Deadlines
//
// All deadlines are the core's own; Next is the earliest. Classes fire in this order, and starts last (T-02):
//
//	states, PRs, announcements   expiry: 30 min from admission, 24 h more once soft-expired (E-01, E-04); life time
//	requests                     watchdog, 340 s after the effect; retries of failed local work (T-04)
//	passes                       head start 30 s (H-02), silence 60 s then every 5 min, guest age 120 s and old age
//	                             10 min, speed every 10 s from 5 min on (H-06), watchdog 340 s (T-04)
//	waits                        the PR wave's turn, 30 s into the hunt (U-01)
//	domains                      oldest stamp or request leaving its window, end of a cool-down (D-06)
//	starts                       attempts, on the loop grid, in the order of their hunts' ids
//
// Deadlines with one constant delay fall due in the order in which they are armed and wait in lanes (core/pq);
// starts wait in buckets of the grid; the rest in heaps. Nothing is scanned or polled.
//
// # How an event leaves
//
//	held ──every object with its closure in one repository of a group (ST-05)──► releasing:
//	       copy to every owner concerned ─► align refs and HEAD ─► store ─► promote announcements ─► notify
//	     a step failed: held again, tried again with the next attempt
//	     the store refuses for good: refused, refs set back (ST-08)
//	held ──deadline──► expired, unless a pass or its release is in flight: then when that ends (E-02)
//	held ──kind 5, operator──► deleted      ──newer version──► replaced      ──bound──► evicted
//
// Each residence ends exactly once, told by one report (I-16).
package core
