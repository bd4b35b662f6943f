package purgatory

import "graspsync/core/value"

// The values of package value, under their short names.
type (
	Coordinate = value.Coordinate
	Ref        = value.Ref
	Time       = value.Time
	Handle     = value.Handle
	OID        = value.OID
	EventID    = value.EventID
	PubKey     = value.PubKey
)

// None is no slot.
const None int32 = -1

// Status is where a record stands.
type Status uint8

// Statuses.
const (
	Free        Status = iota
	Held               // waiting for its data
	Releasing          // effects of its release are out
	Served             // in the event store
	Expiring           // announcement: its empty repository is being deleted (E-04)
	SoftExpired        // announcement: repository gone, kept for a revival (E-04)
)

// Announcement is a 30617, held or served.
type Announcement struct {
	Status     Status
	RepoExists bool // its bare repository is there
	RepoAsked  bool // CreateRepo is out
	Locked     bool // a release or alignment of its repository is outstanding (H-05)
	HeadsSeen  bool // its compare-only hunt has found heads (N-03)
	Overdue    bool // kept past its deadline once (E-02)
	Unlisted   bool // served without listing us: no pushes, no hunts (AN-03, AN-06)
	Orphan     bool // it is gone; the record keeps its repository until its retention is over (DL-02)
	Grace      bool // it expired while the relay was down; kept for one attempt
	Strayed    bool // heads or tags were pushed, or half set, and are not known to be Applied's: aligned before they are relied on (P-04)
	Crooked    bool // and nobody explains them any more: aligned as soon as its lock goes
	ShowLater  bool // copying what it should show failed; tried again when a timer fires (ST-07)
	Pins       int32
	Doomed     uint8  // what ends it as soon as its lock goes; 0 nothing
	Gen        uint32 // arming of its deadline
	ID         EventID
	Owner      PubKey
	Ident      int32
	Repo       Handle
	CreatedAt  int64
	Deadline   Time // life time: wall-clock instant on the run's scale
	Holder     int32
	URLs       []int32  // source slots, event order
	Listed     []PubKey // maintainers as listed
	Closure    []PubKey // M-01, sorted, owner included; nil = owner alone
	AuthorSlot int32    // while held
	Synced     bool     // no client has sent it
	From       Handle   // relay it was synced from
	Resident   int32    // 1 + its place among what may be evicted, 0 if none
	Applied    int32    // the served state its refs show, or None
	Showing    int32    // the served state whose objects are being copied here (ST-07), or None
	Group      int32
	Serial     uint32  // order of admission
	Size       int32   // bytes of its JSON
	Fresh      bool    // this version brought a clone URL that the one before did not have (E-03)
	Places     []int32 // placeholders of its repository (PR-03)
	PlaceBytes int64
	Reserved   int32   // placeholders of pushes under way
	Pushes     []int32 // pushes under way
	Shadow     int32   // 1 + slot of the served version under a held one, 0 if none (AN-04)
}

// State is a 30618, held, being released, or served and latest for somebody.
type State struct {
	Status      Status
	Synced      bool
	Unsatisfied bool // cannot be satisfied (ST-03)
	Chance      bool // its last chance past the memo is used (F-03)
	Failed      bool // its release failed; tried again with the next attempt
	Overdue     bool // kept past its deadline by what was in flight then (E-02)
	Grace       bool // it expired while the relay was down; kept for one attempt
	Gen         uint32
	ID          EventID
	Author      PubKey
	Ident       int32
	CreatedAt   int64
	Deadline    Time
	Head        Handle
	Refs        []Ref
	Groups      []int32 // groups that hunt for it
	Applied     int32   // announcements whose refs show it, or are about to
	Size        int32
	Home        Handle // repository it was released from, 0 if not known
	Release     int32  // 1 + slot of its release, 0 if none
	Serial      uint32
	AuthorSlot  int32
	From        Handle // relay it was synced from
	Resident    int32  // 1 + its place among what may be evicted, 0 if none
}

// PR is a 1618 or 1619.
type PR struct {
	Status     Status
	Synced     bool
	Chance     bool
	Failed     bool
	Overdue    bool
	Grace      bool
	Shown      bool // its ref may be in the repositories it names: it goes if the event does (PR-03)
	Gen        uint32
	ID         EventID
	Author     PubKey
	CreatedAt  int64
	Deadline   Time
	Home       Handle // repository that is known to have it, once its release began or its ref was found; 0: none
	Commit     OID
	Size       int32
	Mentions   []EventID // events it refers to, while it is held (RE-01)
	Release    int32
	Repos      []Coordinate
	Filed      []int32 // of each of Repos: where it stands in the list of that repository's PRs
	URLs       []int32
	Groups     []int32
	Serial     uint32
	AuthorSlot int32
	From       Handle
	Resident   int32
}

// Ident is everything under one `d`.
type Ident struct {
	Handle Handle
	Anns   []int32 // by owner
	Groups []int32
	Served []int32 // served states that are latest for their author, by author
	States int32   // held states
	Stale  bool    // its announcements or what they list have changed since their closures were computed (M-02)

	Orphans int32 // repositories without an announcement
}

// Newer tells whether (created, id) replaces (oldCreated, oldID) under NIP-01: later, or as late with
// the lower id (E-06).
func Newer(created int64, id EventID, oldCreated int64, oldID EventID) bool {
	return created > oldCreated || created == oldCreated && id.Compare(oldID) < 0
}
