package sim

import (
	"errors"
	"strconv"

	"graspsync/core"
	"graspsync/core/value"
)

// Machine is what the world drives: a core.Core, or in tests a scripted stand-in. The contract of each
// method is core.Core's.
type Machine interface {
	Step(now core.Time, in core.Input, out []core.Effect) []core.Effect
	Next() (core.Time, bool)
	Check() error
}

// Setup is everything a run depends on: equal Setups over fresh, equal peers give equal runs (I-9).
type Setup struct {
	Scenario string // name, for the result and the trace
	Seed     uint64 // noise keys and tie policy
	Config   core.Config
	Names    *value.Names // the table all handles belong to

	Remote   Remote
	Local    Local
	Store    Store
	Start    []core.Input // facts the driver tells at instant 0 before anything else, in this order: served events, refs
	Arrivals []Arrival    // sorted by At; not changed by the run
	Crashes  []StepCrash  // crashes at effect boundaries, sorted by Step and none of them among the steps of Start

	// Told, if set, hears of each event that subscribers are told of: for other worlds that follow this one.
	Told func(now core.Time, event core.EventID)
	// Up, if set, hears that the relay is up again after a crash, before its Restarted is stepped.
	Up func(now core.Time)

	Driver      DriverFaults // zero: an ideal driver without delays
	LocalFaults []LocalFault // stretches in which the relay's own work goes wrong
	Tie         TiePolicy
	Horizon     core.Time // nothing happens after it; > 0
	Queue       QueueKind
	Checks      CheckLevel
	Record      bool         // keep the Record of Result: events, hunts, passes
	Trace       *TraceWriter // nil: no trace

	Forbidden []core.Handle // domains and URLs nothing may be asked of (I-18), beside own and private sources
	Reachable []Reachable   // events with data in reach, for liveness (I-4)

	// New makes the machine; nil means core.New. For tests of the kernel itself.
	New func(core.Config) (Machine, error)
	// Restore makes it anew from its snapshot after a crash; nil means core.Restore.
	Restore func(core.Config, []byte) (Machine, error)
}

// Reachable says that the data of Event can be had from instant From on, in the sense of I-4.
type Reachable struct {
	Event   core.EventID
	From    core.Time
	Waiting int       // tickets that may wait ahead on its domains
	Bound   core.Time // released at most this long after From; 0 = LivenessBound of the configuration
}

// CheckLevel says how much is checked while a run goes on.
type CheckLevel uint8

// Check levels.
const (
	ChecksFast     CheckLevel = iota // O(1) invariants each step, core.Check now and then and at the end
	ChecksThorough                   // core.Check after every step too
	ChecksOff                        // hash and counters only
)

// TiePolicy orders what happens at one instant. Wake always comes last (T-02).
type TiePolicy uint8

// Tie policies.
const (
	TieByKind  TiePolicy = iota // by kind of happening, then by its id
	TieReverse                  // the exact reverse
	TieShuffle                  // by a key mixed from seed, instant, kind and id
)

// String is "kind", "reverse" or "shuffle".
func (p TiePolicy) String() string {
	return [...]string{"kind", "reverse", "shuffle"}[min(p, TieShuffle)]
}

// ErrSetup is wrapped by every refusal of a Setup.
var ErrSetup = errors.New("setup refused")

type setupError string

func (e setupError) Error() string { return "setup refused: " + string(e) }

func (setupError) Unwrap() error { return ErrSetup }

// maxArrivals bounds Setup.Arrivals; their index must fit a tie key.
const maxArrivals = 1 << 28

func (s *Setup) validate() error {
	switch {
	case s.Names == nil:
		return setupError("Names is nil, must be the table the handles come from")
	case s.Remote == nil || s.Local == nil || s.Store == nil:
		return setupError("Remote, Local and Store must all be given")
	case s.Horizon <= 0 || s.Horizon == core.Never:
		return setupError("Horizon is " + s.Horizon.String() + ", must be > 0 and finite")
	case s.Tie > TieShuffle:
		return setupError("Tie is " + strconv.Itoa(int(s.Tie)) + ", must be 0 to 2")
	case s.Checks > ChecksOff:
		return setupError("Checks is " + strconv.Itoa(int(s.Checks)) + ", must be 0 to 2")
	case len(s.Arrivals) > maxArrivals:
		return setupError(strconv.Itoa(len(s.Arrivals)) + " arrivals, must be at most " + strconv.Itoa(maxArrivals))
	}
	for i := range s.Start {
		in := &s.Start[i]
		if in.Kind != core.InRepoRefs && (in.Kind != core.InServed || in.Event == nil) {
			return setupError("Start[" + strconv.Itoa(i) + "] is of kind " + in.Kind.String() + ", must be served with its Event, or repo-refs")
		}
	}
	last := core.Time(0)
	pushes := make(map[uint64]bool)
	for i := range s.Arrivals {
		a := &s.Arrivals[i]
		if a.At < last {
			return setupError("Arrivals[" + strconv.Itoa(i) + "].At is " + a.At.String() + ", must be ≥ 0 and in order (before it: " +
				last.String() + ")")
		}
		last = a.At
		if a.Push != nil {
			if pushes[a.Push.Push.ID] {
				return setupError("Arrivals[" + strconv.Itoa(i) + "].Push.Push.ID is " + strconv.FormatUint(a.Push.Push.ID, 10) + " again, must be unique")
			}
			pushes[a.Push.Push.ID] = true
		}
		if err := a.validate(); err != "" {
			return setupError("Arrivals[" + strconv.Itoa(i) + "]: " + err)
		}
	}
	if err := s.validateCrashes(); err != "" {
		return setupError(err)
	}
	if err := s.validateLocalFaults(); err != "" {
		return setupError(err)
	}
	return s.Driver.validate()
}

func (a *Arrival) validate() string {
	if a.Push != nil {
		if a.Push.Upload < 0 {
			return "Push.Upload is " + a.Push.Upload.String() + ", must be ≥ 0"
		}
		return ""
	}
	if a.Crash != nil {
		if a.Crash.Down < 0 {
			return "Crash.Down is " + a.Crash.Down.String() + ", must be ≥ 0"
		}
		return ""
	}
	k := a.Input.Kind
	switch k {
	case core.InEvent, core.InServed:
		if a.Input.Event == nil {
			return "Input.Event is nil, must be set for kind " + k.String()
		}
	case core.InConfigChanged:
		if a.Input.Config == nil {
			return "Input.Config is nil, must be set for kind " + k.String()
		}
		if err := a.Input.Config.Validate(); err != nil {
			return err.Error()
		}
	case core.InRepoRefs, core.InRemove, core.InShutdown, core.InClock:
	default:
		return "Input.Kind is " + k.String() + ", must be a fact of the world: event, served, repo-refs, remove, shutdown, clock or config-changed"
	}
	return ""
}
