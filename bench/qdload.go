package bench

import (
	"graspsync/core"
	"graspsync/sim"
)

// QDLoad is the workload for the rules of queue and domains alone: keys that want something once an hour for
// half an hour, and three places each to ask for it. Whoever runs it draws latency and outcome of the n-th
// pass of a key from the same key, so two implementations meet the same world.
type QDLoad struct {
	Keys, Hours int
	Found       int // per thousand passes that find what is wanted
	Stalls      int // per thousand passes that take StallFor
	StallFor    core.Time
	Seed        uint64
}

// QD is the load for the rules of queue and domains that corresponds to l.
func (l Load) QD() QDLoad {
	return QDLoad{Keys: l.Repos, Hours: l.Hours, Found: l.Found, Stalls: l.Stalls, StallFor: l.StallFor, Seed: l.Seed}
}

// The numbers of the rules (Q-03, Q-06, Q-09, D-01, E-01).
const (
	qdPlaces      = 3
	qdGrid        = core.Second
	qdDelay       = core.Second / 2
	qdBackoff     = 20 * core.Second
	qdBackoffCap  = 120 * core.Second
	qdLife        = 1800 * core.Second
	qdConcurrency = 5
	qdRate        = 30
	qdWindow      = 60 * core.Second
	qdEvery       = core.Hour
	qdLatency     = 400 * core.Millisecond // median
)

const qdPurpose = sim.FirstForeignPurpose + 1

func (l *QDLoad) domains() int { return max(10, l.Keys/100) }

// domain is where place p of a key is asked.
func (l *QDLoad) domain(key, p int) int { return (key*7 + p*3) % l.domains() }

// arrival is when the first event of a key comes; the others follow every hour.
func (l *QDLoad) arrival(key int) core.Time {
	return core.Time(sim.Mix(l.Seed, qdPurpose, uint64(key), 0) % uint64(qdEvery))
}

// pass is how the n-th pass of a key goes, n ≥ 1.
func (l *QDLoad) pass(key int, n uint64) (takes core.Time, found bool) {
	x := sim.Mix(l.Seed, qdPurpose+1, uint64(key), n)
	if sim.Below(x*0x9e3779b97f4a7c15, 1000) < uint64(l.Stalls) {
		return l.StallFor, false
	}
	return sim.Wild.Draw(x, qdLatency), sim.Below(x*0xd1342543de82ef95, 1000) < uint64(l.Found)
}

// qdUp rounds up to the grid.
func qdUp(t core.Time) core.Time { return (t + qdGrid - 1) / qdGrid * qdGrid }

// qdAfter is backoff(n), n ≥ 1.
func qdAfter(n uint32) core.Time {
	b := core.Time(qdBackoff)
	for ; n > 1 && b < qdBackoffCap; n-- {
		b *= 2
	}
	return min(b, qdBackoffCap)
}

// QDResult is what a run of the rules did.
type QDResult struct {
	Events uint64 // things that happened: arrivals, starts, ends, expiries, wake-ups; the machine only
	Passes uint64
	Found  uint64
	Order  uint64 // hash of pass starts in their order
	Set    uint64 // sum of a hash of each pass start: the same for the same starts in any order
	Broken string // the first check that failed, if any
}

// started folds in a pass start.
func (r *QDResult) started(now core.Time, key, place int, n uint64) {
	x := sim.Mix(uint64(now), qdPurpose+2, uint64(key)<<2|uint64(place), n)
	r.Passes++
	r.Set += x
	r.Order = r.Order*0x9e3779b97f4a7c15 + x
}
