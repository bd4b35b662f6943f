package sim

import "graspsync/core"

// Violation is a broken invariant or an expectation that was not met.
type Violation struct {
	ID   string    // "I-2", or "expect" for a scenario's own expectation
	At   core.Time // virtual time of the step that showed it
	Step uint64    // its number, from 1
	Text string    // what was seen, with names and numbers
}

// Result is the outcome of one run.
type Result struct {
	Scenario   string
	Seed       uint64
	Steps      uint64    // events: one per Step
	Virtual    core.Time // simulated time covered
	Hash       uint64    // rolling hash of everything that crossed the core's boundary (I-9)
	OrderHash  uint64    // of pass starts alone
	Violations []Violation
	Counts     Counts
	Record     *Record       // what happened, item by item; nil unless Setup.Record
	Relays     []RelayResult // of several relays in one world, in their order; what stands above is of all together
}

// RelayResult is what one of several relays did.
type RelayResult struct {
	Name       string
	Steps      uint64
	Hash       uint64
	Violations int // how many of the Violations are its own
	Counts     Counts
	Record     *Record // as in Result
}

// Counts are what the world saw, for summaries and expectations.
type Counts struct {
	Arrived, Admitted, Refused, Duplicate         int64 // events
	Released, Expired, Deleted, Replaced, Evicted int64 // residences ended
	StillHeld                                     int64
	Hunts, Attempts, Passes, Hedges               int64
	Compares, Fetches, Probes, Requests           int64 // requests: HTTP, as the hosts saw them
	Stalls, Cancelled                             int64
	Pushes, PushesAllowed                         int64
}

// Add adds the counts of another world.
func (c *Counts) Add(o *Counts) {
	for _, p := range [...][2]*int64{{&c.Arrived, &o.Arrived}, {&c.Admitted, &o.Admitted}, {&c.Refused, &o.Refused},
		{&c.Duplicate, &o.Duplicate}, {&c.Released, &o.Released}, {&c.Expired, &o.Expired}, {&c.Deleted, &o.Deleted},
		{&c.Replaced, &o.Replaced}, {&c.Evicted, &o.Evicted}, {&c.StillHeld, &o.StillHeld}, {&c.Hunts, &o.Hunts},
		{&c.Attempts, &o.Attempts}, {&c.Passes, &o.Passes}, {&c.Hedges, &o.Hedges}, {&c.Compares, &o.Compares},
		{&c.Fetches, &o.Fetches}, {&c.Probes, &o.Probes}, {&c.Requests, &o.Requests}, {&c.Stalls, &o.Stalls},
		{&c.Cancelled, &o.Cancelled}, {&c.Pushes, &o.Pushes}, {&c.PushesAllowed, &o.PushesAllowed}} {
		*p[0] += *p[1]
	}
}
