package sim

import "graspsync/core"

// Record is the run item by item, for tests that assert on instants. It grows with the run (bounded by
// recordMax per list), so it is kept only at Setup.Record.
type Record struct {
	Events   []EventRecord // in order of first sight
	Attempts []AttemptRecord
	Passes   []PassRecord // in order of start
	Pushes   []PushRecord
	Reports  []ReportRecord // all but RepPass

	event map[core.EventID]int
	pass  map[core.AskID]int
	push  map[uint64]int
}

// recordMax bounds each list of a Record; what comes later is left out.
const recordMax = 1 << 20

// EventRecord is the life of one event at the relay. Instants that did not happen are -1.
type EventRecord struct {
	ID       core.EventID
	Kind     uint32 // 0 if only an effect named it
	Hunt     core.HuntID
	Arrived  core.Time // first delivery
	Held     core.Time // latest residence began
	Deadline core.Time // of it, as last reported
	Stored   core.Time // the store took it
	Notified core.Time
	EndedAt  core.Time       // latest residence ended …
	Ended    core.ReportKind // … how; RepNone while held or never held
	Answers  []AnswerRecord  // in order
	History  []ReportRecord  // residence reports, in order
}

// AnswerRecord is one answer to the sender of an event or push.
type AnswerRecord struct {
	At   core.Time
	OK   bool
	Text string
}

// VerdictRecord is the core's answer about a push; of a refused one with the ref at fault, as it should be and as it
// would be (P-02).
type VerdictRecord struct {
	AnswerRecord
	Want, Got []core.Ref
}

// AttemptRecord is one attempt of a hunt; End is -1 while it runs.
type AttemptRecord struct {
	Hunt       core.HuntID
	Attempt    uint32
	Start, End core.Time
}

// PassRecord is one pass, from the Compare that started it to PassEnded (End is -1 while it runs).
type PassRecord struct {
	Ask         core.AskID
	Hunt        core.HuntID
	Attempt     uint32
	Wave        core.Wave
	Hedge       bool
	URL, Domain core.Handle
	Repo        core.Handle
	Start, End  core.Time
	Class       core.Class // of its last completion, or cancelled
	Requests    int32
	Bytes       int64
	Supplied    int // OIDs named as present by its Fetched
}

// PushRecord is one push. AnsweredAt is -1 until it is.
type PushRecord struct {
	ID         uint64
	Asked      core.Time
	Verdicts   []VerdictRecord
	Class      core.Class // of PushEnded
	AnsweredAt core.Time
	OK         bool
	Text       string
}

// ReportRecord is one report of the core.
type ReportRecord struct {
	At       core.Time
	Report   core.ReportKind
	Hunt     core.HuntID
	Into     core.HuntID
	Attempt  uint32
	Domain   core.Handle
	URL      core.Handle
	Repo     core.Handle
	Ask      core.AskID
	Event    core.EventID
	Class    core.Class
	Deadline core.Time
	Text     string
}

func newRecord() *Record {
	return &Record{event: make(map[core.EventID]int), pass: make(map[core.AskID]int), push: make(map[uint64]int)}
}

// Event is the record of an event, or nil if it was never seen.
func (r *Record) Event(id core.EventID) *EventRecord {
	if i, ok := r.event[id]; ok {
		return &r.Events[i]
	}
	return nil
}

// AttemptStarts are the instants at which a hunt began attempts.
func (r *Record) AttemptStarts(hunt core.HuntID) []core.Time {
	var at []core.Time
	for i := range r.Attempts {
		if r.Attempts[i].Hunt == hunt {
			at = append(at, r.Attempts[i].Start)
		}
	}
	return at
}

// PassesOf are the passes of a hunt, in order of start.
func (r *Record) PassesOf(hunt core.HuntID) []PassRecord {
	return r.passes(func(p *PassRecord) bool { return p.Hunt == hunt })
}

// DomainPasses are the passes to a domain, in order of start.
func (r *Record) DomainPasses(domain core.Handle) []PassRecord {
	return r.passes(func(p *PassRecord) bool { return p.Domain == domain })
}

// URLPasses are the passes to a URL, in order of start.
func (r *Record) URLPasses(url core.Handle) []PassRecord {
	return r.passes(func(p *PassRecord) bool { return p.URL == url })
}

func (r *Record) passes(keep func(*PassRecord) bool) []PassRecord {
	var list []PassRecord
	for i := range r.Passes {
		if keep(&r.Passes[i]) {
			list = append(list, r.Passes[i])
		}
	}
	return list
}

// Push is the record of a push, or nil.
func (r *Record) Push(id uint64) *PushRecord {
	if i, ok := r.push[id]; ok {
		return &r.Pushes[i]
	}
	return nil
}

// ReportsOf are the reports of one kind.
func (r *Record) ReportsOf(kind core.ReportKind) []ReportRecord {
	var list []ReportRecord
	for i := range r.Reports {
		if r.Reports[i].Report == kind {
			list = append(list, r.Reports[i])
		}
	}
	return list
}

func (r *Record) seen(id core.EventID, now core.Time) *EventRecord {
	i, ok := r.event[id]
	if !ok {
		if len(r.Events) >= recordMax {
			return &EventRecord{}
		}
		i = len(r.Events)
		r.event[id] = i
		r.Events = append(r.Events, EventRecord{ID: id, Arrived: now, Held: -1, Deadline: -1, Stored: -1, Notified: -1, EndedAt: -1})
	}
	return &r.Events[i]
}
