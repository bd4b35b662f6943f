package core

// InputKind tags an Input.
type InputKind uint8

// Inputs. Facts about the world, and completions of asking effects; a completion carries the Ask of
// its effect and arrives exactly once (T-04).
const (
	InNone          InputKind = iota
	InWake                    // the driver's timer: fires deadlines ≤ now; sent last in an instant (T-02)
	InEvent                   // Event, Origin, From; Duplicate, Deleted and Related are the event store's facts
	InChecked                 // completes CheckObjects: OIDs = those present with connected closure
	InCompared                // completes Compare
	InFetched                 // completes Fetch: OIDs = needed ones now present and connected
	InProbed                  // completes Probe: Class OK (available), NotOurRef (explicitly not), else the fault
	InProgress                // of a pass: Bytes moved so far in all; at most one per 10 s (H-06)
	InPassEnded               // a pass has really ended: process gone, permit may return (D-02)
	InCopied                  // completes CopyObjects; Class
	InAligned                 // completes AlignRefs; Class
	InStored                  // completes StoreEvent; Verdict
	InRemoved                 // completes RemoveEvent; Class
	InRepoCreated             // completes CreateRepo; Class
	InRepoDeleted             // completes DeleteRepo and DeleteRepoIfNoRefs; HadRefs, Class
	InServed                  // at start: Event is in the event store already
	InRepoRefs                // at start: Refs are the heads and tags of Repo; with Target: its refs/nostr/<Target> shows OIDs[0]
	InPushAsked               // Push asks to update refs (P-02)
	InPushRecheck             // the same under the repository lock, Push.Current fresh (P-04)
	InPushEnded               // the push is over: Push.Current are the refs now; Class (P-05)
	InRemove                  // operator: drop held event Target
	InShutdown                // start nothing more; cancel what runs
	InClock                   // Offset: nanoseconds the wall clock now runs ahead of Config.Wall + now (T-01)
	InRestarted               // after Restore: everything in flight is lost; Offset as InClock
	InConfigChanged           // Config replaces the limits
	NumInputKinds
)

var inputNames = [NumInputKinds]string{"none", "wake", "event", "checked", "compared", "fetched", "probed", "progress",
	"pass-ended", "copied", "aligned", "stored", "removed", "repo-created", "repo-deleted", "served", "repo-refs",
	"push-asked", "push-recheck", "push-ended", "remove", "shutdown", "clock", "restarted", "config-changed"}

// String is the name used in traces.
func (k InputKind) String() string {
	if k < NumInputKinds {
		return inputNames[k]
	}
	return "input?"
}

// Verdict is the event store's answer to StoreEvent.
type Verdict uint8

// Verdicts.
const (
	StoredOK        Verdict = iota // stored, or stored already
	StoreFailed                    // could not be stored now; retried
	StoreSuperseded                // a newer replacement is stored: final
	StoreDeleted                   // a deletion covers it: final
)

// String is the name used in traces.
func (v Verdict) String() string {
	return [...]string{"stored", "failed", "superseded", "deleted"}[min(v, StoreDeleted)]
}

// Input is one fact. Kind says which fields count; the others are zero. Lists belong to the caller and
// are valid until the next Step (T-03).
type Input struct {
	Kind  InputKind
	Class Class // outcome, in completions

	Origin    Origin // InEvent
	Duplicate bool   // InEvent: the store has this id
	Deleted   bool   // InEvent: a stored deletion covers it
	Related   bool   // InEvent: it tags, or is tagged by, an event accepted here (RE-01)
	Authed    bool   // InEvent: the author is authenticated on this connection (NIP-42)

	HasHeads  bool // InCompared: at least one branch is advertised
	Truncated bool // InCompared: the advertisement passed its bound (F-04)
	RefsMoved bool // InFetched: refs changed between compare and fetch (F-02)
	HadRefs   bool // InRepoDeleted: refs were found, nothing was deleted
	Verdict   Verdict

	Status     uint16 // InCompared: HTTP status, 0 if none
	Question   uint16 // InFetched, InProbed: that of the effect; 0, not said, counts as the latest (T-04)
	Requests   int32  // InPassEnded: HTTP requests the pass made
	Ask        AskID  // completions: id of the effect
	RetryAfter Time   // InCompared, InFetched, InProbed: the server's Retry-After, 0 if none (D-07)
	Bytes      int64  // InProgress, InFetched, InPassEnded: bytes received so far in this pass
	Offset     Time   // InClock, InRestarted

	From     Handle   // InEvent: upstream relay or client address (S-06)
	Repo     Handle   // InRepoRefs
	FinalURL Handle   // InCompared: where redirects led, 0 if nowhere else
	Address  [16]byte // InCompared: resolved address, IPv4 mapped (D-03); zero = unknown

	Fingerprint [32]byte // InCompared: hash of the sorted advertised OIDs (F-02)
	OIDs        []OID    // InChecked, InCompared (advertised subset of needed), InFetched, InProbed (the one asked)
	Refs        []Ref    // InRepoRefs without Target

	Target EventID // InRemove, InRepoRefs
	Event  *Event  // InEvent, InServed
	Push   *Push   // InPush…
	Config *Config // InConfigChanged
}

// Push is a client's request to move refs of one repository, as parsed from its command list (P-01).
type Push struct {
	ID      uint64 // the driver's, unique per run
	Repo    Coordinate
	From    Handle // client address
	Updates []RefUpdate
	Current []Ref // heads and tags of the repository now, sorted by name
	Moved   bool  // InPushEnded: a head or tag moved (E-05)
	Bytes   int64 // InPushRecheck, InPushEnded: size of what was uploaded (P-03)
}

// RefUpdate is one command of a push. The zero OID means "absent".
type RefUpdate struct {
	Name     Handle
	Old, New OID
	Event    EventID // for refs/nostr/<event-id>: that id
	Space    RefSpace
}

// RefSpace says which part of the ref name space a name lies in (P-02).
type RefSpace uint8

// Ref spaces.
const (
	HeadsAndTags RefSpace = iota // refs/heads/…, refs/tags/…
	NostrRef                     // refs/nostr/<64 hex>
	OtherRef                     // anything else: the whole push is refused
)
