package core

import "graspsync/core/value"

// Nostr event kinds the core knows.
const (
	KindDeletion     uint32 = 5
	KindPatch        uint32 = 1617
	KindPR           uint32 = 1618
	KindPRUpdate     uint32 = 1619
	KindIssue        uint32 = 1621
	KindUserGrasps   uint32 = 10317
	KindAnnouncement uint32 = 30617
	KindState        uint32 = 30618
)

// Origin says how an event reached us (S-03).
type Origin uint8

// Origins.
const (
	FromClient Origin = iota // published to us; a git push may follow
	FromSync                 // fetched from another relay
)

// String is "client" or "synced".
func (o Origin) String() string {
	if o == FromSync {
		return "synced"
	}
	return "client"
}

// Source is one clone URL, as the parser hands it over (U-03). Only http and https URLs become a
// Source; the parser reports the others.
type Source struct {
	URL    Handle // the whole URL
	Domain Handle // lower-case host plus non-default port
	Class  SourceClass
}

// SourceClass is what the parser knows of a URL without resolving it.
type SourceClass uint8

// Source classes. Only Public is ever contacted; Private too where Config allows it (U-02).
const (
	Public  SourceClass = iota
	Private             // private, loopback or link-local address literal
	Own                 // our own authority
)

// String is "public", "private" or "own".
func (c SourceClass) String() string { return [...]string{"public", "private", "own"}[min(c, Own)] }

// Coordinate names a repository: the owner of an announcement and its identifier.
type Coordinate = value.Coordinate

// Ref is a branch or tag of a state, or a ref of a repository.
type Ref = value.Ref

// Event is one parsed, verified Nostr event (ids and signature are the driver's to check, once). Its
// lists belong to the caller and are valid until the next Step (T-03). Which fields are set depends on
// Kind; the parser of core/nip34 fills them and refuses what it cannot read.
type Event struct {
	ID        EventID
	Author    PubKey
	Kind      uint32
	CreatedAt int64 // Unix seconds
	Size      int32 // bytes of its JSON (S-04)

	Repo         Coordinate   // 30617, 30618: author and `d`
	ListsUs      bool         // 30617: this service is in clone and in relays (AN-03)
	Maintainers  []PubKey     // 30617, listed order, duplicates removed
	Sources      []Source     // 30617, 1618, 1619: clone URLs in event order, duplicates removed
	Refs         []Ref        // 30618: heads and tags, normalised, sorted by name (ST-03)
	Head         Handle       // 30618: full name of the branch HEAD points to, or 0 (ST-04)
	Unsatisfied  bool         // 30618: a value is no OID and no symbolic ref: held, never hunted (ST-03)
	Commit       OID          // 1618, 1619: `c`
	Repositories []Coordinate // 1618, 1619: `a` tags of kind 30617, others: `a`, `A` and `q` too; duplicates removed (Q-13, RE-01)
	Mentions     []EventID    // `e`, `E` and `q` tags of other kinds than 5, duplicates removed (RE-01)
	Targets      []EventID    // 5: `e`
	Coordinates  []Deleted    // 5: `a`
	Protected    bool         // carries a `-` tag (NIP-70)
	Raw          []byte       // signed JSON, for the journal; may be nil in simulation
}

// Deleted is an `a` tag of a deletion: a coordinate of some kind.
type Deleted struct {
	Kind uint32
	Coordinate
}
