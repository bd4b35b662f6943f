package fakes

import (
	"fmt"

	"graspsync/core"
)

// Fault is a rule over a stretch of time, on top of a server's script: the faults of a server are asked
// before its script, in the order they were put in.
type Fault struct {
	From  core.Time
	Until core.Time // exclusive; core.Never = not ended yet
	Rule
}

func (f *Fault) validate() error {
	if f.From < 0 || f.Until <= f.From {
		return fmt.Errorf("%w: fault %v lasts from %v until %v: want until after from", ErrScript, f.Do, f.From, f.Until)
	}
	if err := f.Rule.validate(); err != nil {
		return fmt.Errorf("%w: fault %v: %w", ErrScript, f.Do, err)
	}
	return nil
}

// Verb is one half of a pair: the first opens a fault, the second ends it.
type Verb uint8

// Verbs, in pairs.
const (
	StallVerb     Verb = iota // silent for ever before the headers
	ResumeVerb                // ends it
	RefuseVerb                // 503
	AllowVerb                 // ends it
	ThrottleVerb              // 429 to everything
	RelaxVerb                 // ends it
	PartitionVerb             // packets are lost: no connection within ConnectTimeout
	RepairVerb                // ends it
	FlapVerb                  // reset, 30 s of every minute
	SettleVerb                // ends it
	NumVerbs
)

var verbNames = [NumVerbs]string{"stall", "resume", "refuse", "allow", "throttle", "relax", "partition", "repair", "flap", "settle"}

// String is the name used in scenario files.
func (v Verb) String() string {
	if v < NumVerbs {
		return verbNames[v]
	}
	return "verb?"
}

// ParseVerb is the inverse of String.
func ParseVerb(s string) (Verb, bool) {
	for i := range verbNames {
		if verbNames[i] == s {
			return Verb(i), true
		}
	}
	return 0, false
}

// Opens tells whether v opens a fault.
func (v Verb) Opens() bool { return v&1 == 0 }

// Closer is the verb that ends what v opens.
func (v Verb) Closer() Verb { return v | 1 }

// Rule is what an opening verb does where no other rule is given.
func (v Verb) Rule() Rule {
	switch v {
	case RefuseVerb:
		return Rule{Do: Status, Status: 503}
	case ThrottleVerb:
		return Rule{Do: Status, Status: 429}
	case PartitionVerb:
		return Rule{Do: Timeout}
	case FlapVerb:
		return Rule{Do: Reset, Up: 30 * core.Second, Down: 30 * core.Second}
	}
	return Rule{Do: Stall}
}

// faults are the windows of one server, with the verb that opened each; NumVerbs for one put in whole.
type faults struct {
	list  []Fault
	verbs []Verb
}

func (f *faults) open(v Verb, w Fault) {
	f.list = append(f.list, w)
	f.verbs = append(f.verbs, v)
}

// close ends every open fault of the pair at an instant; there must be one.
func (f *faults) close(v Verb, at core.Time) error {
	found := false
	for i := range f.list {
		if f.verbs[i].Closer() == v && f.list[i].Until == core.Never && f.list[i].From < at {
			f.list[i].Until = at
			found = true
		}
	}
	if !found {
		return fmt.Errorf("%w: %v at %v has nothing to end: want a %v before it", ErrScript, v, at, v-1)
	}
	return nil
}
