package sim

import "graspsync/core"

// RequestKind is what a pass asks of a remote URL.
type RequestKind uint8

// Request kinds.
const (
	AskCompare RequestKind = iota // list refs (one HTTP request)
	AskFetch                      // fetch OIDs (two or three HTTP requests)
	AskProbe                      // is OIDs[0] served (one HTTP request)
)

// Request is one question of a pass to a remote URL.
type Request struct {
	Kind   RequestKind
	Pass   core.AskID
	URL    core.Handle
	Domain core.Handle
	Repo   core.Handle // the local repository that will receive what is fetched
	OIDs   []core.OID  // needed, wanted or probed
	N      uint64      // this URL's request counter, from 1: the key of per-event noise
}

// Reply is what the remote answers and when. The driver model turns it into inputs: a Compared, Fetched
// or Probed after After; a stall when After is NoReply or silence lasts past the stall limit (H-06);
// Progress while a transfer drips.
type Reply struct {
	After       core.Time // from the request to the whole answer; NoReply: it never comes
	Silent      core.Time // longest silence within After; ≥ the stall limit ends the request as stalled
	Class       core.Class
	Status      uint16
	RetryAfter  core.Time
	HasHeads    bool
	Truncated   bool
	RefsMoved   bool
	Fingerprint [32]byte
	Address     [16]byte
	FinalURL    core.Handle
	OIDs        []core.OID // AskCompare: advertised subset of the needed; AskFetch: what arrives, of the wanted
	Bytes       int64      // received over After, evenly
	Requests    int32      // HTTP requests the host saw
}

// NoReply as Reply.After: the remote accepts and is silent for ever.
const NoReply = core.Time(-1)

// Remote is all git servers of the world. Ask fills a; a.OIDs may be appended to, from length 0. It must
// be a function of its own state, now and r alone.
type Remote interface {
	Ask(now core.Time, r *Request, a *Reply)
}

// Local is the relay's own git storage. Each method performs the operation and returns how it came out;
// the driver model decides when the completion arrives. All are idempotent.
type Local interface {
	Check(repo core.Handle, oids, have []core.OID) []core.OID // appends those present with closure
	Receive(repo core.Handle, oids []core.OID)                // OIDs and their closures are here now
	Copy(from, to core.Handle, oids []core.OID) core.Class
	Align(e *core.Effect) core.Class // EfAlignRefs
	Create(repo core.Handle) core.Class
	Delete(repo core.Handle, onlyWithoutRefs bool) (hadRefs bool, c core.Class)
	Refs(repo core.Handle) []core.Ref // sorted by name
}

// Store is the relay's event store.
type Store interface {
	Store(id core.EventID) core.Verdict
	Remove(id core.EventID) core.Class
	Has(id core.EventID) bool
}

// Facts is a Store that also tells what it knows of an event on arrival: that it has the id, that a stored deletion
// covers it, that it names or is named by an event that was accepted (R-07, RE-01).
type Facts interface {
	Facts(e *core.Event) (duplicate, deleted, related bool)
}

// Arrival is one thing that happens to the relay at an instant: an event, a push, an operator's or
// clock's doing. Exactly the fields its Input needs are set; lists stay valid for the whole run.
type Arrival struct {
	At    core.Time
	Input core.Input
	Push  *UserPush // instead of Input: a user pushes
	Crash *Crash    // instead of Input: the relay crashes

	void bool // it does not happen, but keeps its place in the order of equal instants
}

// UserPush is a client's git push: asked for at once, its objects arrive Upload later if allowed.
type UserPush struct {
	Push   core.Push
	OIDs   []core.OID // tips whose closures the upload brings
	Upload core.Time
	Cut    int // 1 + how many of its ref updates git makes before it fails; 0: it does not fail (P-04)
}
