package core

import (
	"errors"
	"strconv"

	"graspsync/core/value"
)

// Config holds every limit of the core. Spans are in nanoseconds; DefaultConfig fills in the values of
// the rule book, and a zero span or count means literally zero (a domain concurrency of 0 pauses).
type Config struct {
	Seed uint64 // for jitter; the core has no other source of chance
	Wall int64  // Unix seconds at Time 0 (T-01)

	LoopInterval Time // grid on which attempts start, > 0
	ClientDelay  Time // first attempt after a client's event
	SyncedDelay  Time // first attempt after a synced event
	BackoffBase  Time // backoff(1), > 0
	BackoffCap   Time // largest backoff, ≥ base

	DomainConcurrency int  // passes in flight per domain; 0 = paused (D-01)
	DomainRate        int  // pass starts per window and domain (D-01)
	DomainWindow      Time // length of the sliding window (D-01)
	DomainRequests    int  // HTTP requests per window and domain (D-03)
	RequestUnit       bool // one rate token = one request, not one pass (D-03)
	AddressPasses     int  // passes at once per resolved address (D-03)
	Overrides         []DomainLimit

	Pressure     int // running passes, whole process (D-04)
	AuthorPasses int // PR-only and unproven passes of one author (H-07)

	HedgeHeadStart Time // before a second source may start (H-02)
	SilentWarning  Time // first warning about a silent pass
	SilentAgain    Time // and between warnings
	StallLimit     Time // no output for this long is a stall (H-06)
	KillGrace      Time // SIGTERM to SIGKILL (H-06)
	GuestAge       Time // a pass this old lets its attempt end
	OldPassAge     Time // a pass this old blocks its domain no longer

	ResidualProbes int  // per pass (F-01)
	MemoTTL        Time // life of a "missing" memo (F-03)
	MemoURLs       int
	MemoOIDs       int  // per URL
	LastChance     Time // before its deadline an event is tried past the memo (F-03)

	CoolBase       Time // first cool-down (D-07)
	CoolCap        Time
	RetryAfterCap  Time // longest Retry-After honoured
	CoolForget     Time // after a cool-down ended its count is forgotten (D-08)
	URLCool        Time // a stalled URL rests (H-06)
	UnreachableAge Time // failed rounds must span this (D-07)
	UnreachableFor Time // life of an unreachable entry
	UnreachableTry Time // between probes of an unreachable domain

	Lifetime     Time // of states, PRs, placeholders, announcements (E-01)
	SoftLifetime Time // of a soft-expired announcement, on top (E-04)
	ExpiredTTL   Time // memory of expired ids (E-03)
	ExpiredIDs   int
	FutureSlack  Time // created_at may be this far ahead (S-04)

	Hunts          int // at once
	HuntsPerAuthor int
	HeldPerAuthor  int   // events
	HeldEvents     int   // in all (S-06)
	HeldBytes      int64 // of their JSON, in all (S-06)
	GroupRepos     int   // repositories of one group that are checked; ≤ 64
	EventBytes     int   // largest event (S-04)
	StateBytes     int   // largest 30618 (S-04)

	RejectedTTL     Time // refused ids are remembered (S-05)
	RejectedIDs     int
	RejectedFullTTL Time // refused events are remembered whole, to be looked at again (S-05)
	RejectedFull    int

	SourceWrites int // events and pushes per minute of one client source (S-06)
	SourceBurst  int // and at once
	SourceHunts  int // hunts of one client source at once (S-06)

	PlaceholdersPerRepo    int   // P-03
	PlaceholderRepoBytes   int64 // P-03
	PlaceholdersPerSource  int   // within PlaceholderWindow (S-06)
	PlaceholderSourceBytes int64 // within PlaceholderWindow (S-06)
	PlaceholderWindow      Time  // S-06
	PlaceholderBytes       int64 // in all (S-06)

	Maintainers       int  // members of one closure (M-02)
	UnlistedRetention Time // a repository whose announcement lists us no longer is kept this long (AN-06)

	AllowPrivate bool // contact private, loopback and link-local targets (U-02)
	ArchiveAll   bool // accept announcements that do not list us (AN-03)
	GeneralRelay bool // accept events that relate to nothing here (RE-01)

	Blocked []PubKey // authors nothing is taken from (S-04)
}

// DomainLimit overrides the limits of one domain.
type DomainLimit struct {
	Domain      Handle
	Concurrency int // 0 = paused
	Rate        int
}

// DefaultConfig is the table of defaults in the rule book.
func DefaultConfig() Config {
	return Config{
		LoopInterval: Second, ClientDelay: 180 * Second, SyncedDelay: 500 * Millisecond,
		BackoffBase: 20 * Second, BackoffCap: 120 * Second,
		DomainConcurrency: 5, DomainRate: 30, DomainWindow: 60 * Second, DomainRequests: 240, AddressPasses: 10,
		Pressure: 32, AuthorPasses: 4,
		HedgeHeadStart: 30 * Second, SilentWarning: 60 * Second, SilentAgain: 5 * Minute,
		StallLimit: 5 * Minute, KillGrace: 10 * Second, GuestAge: 120 * Second, OldPassAge: 10 * Minute,
		ResidualProbes: 32, MemoTTL: 30 * Minute, MemoURLs: 1024, MemoOIDs: 4096, LastChance: 2 * Minute,
		CoolBase: 20 * Second, CoolCap: 10 * Minute, RetryAfterCap: Hour, CoolForget: Hour, URLCool: 10 * Minute,
		UnreachableAge: 10 * Minute, UnreachableFor: 12 * Hour, UnreachableTry: 10 * Minute,
		Lifetime: 30 * Minute, SoftLifetime: 24 * Hour, ExpiredTTL: 7 * Day, ExpiredIDs: 100_000,
		FutureSlack: 15 * Minute,
		Hunts:       10_000, HuntsPerAuthor: 10_000, HeldPerAuthor: 1_000, HeldEvents: 100_000, GroupRepos: 64,
		HeldBytes: 512 << 20, EventBytes: 256 << 10, StateBytes: 1 << 20,
		RejectedTTL: 7 * Day, RejectedIDs: 100_000, RejectedFullTTL: 2 * Minute, RejectedFull: 4_096,
		SourceWrites: 60, SourceBurst: 200, SourceHunts: 50,
		PlaceholdersPerRepo: 100, PlaceholderRepoBytes: 256 << 20, PlaceholdersPerSource: 5,
		PlaceholderSourceBytes: 64 << 20, PlaceholderWindow: 30 * Minute, PlaceholderBytes: 10 << 30,
		Maintainers: 256, UnlistedRetention: 30 * Day,
	}
}

// ErrConfig is wrapped by every refusal of a Config.
var ErrConfig = errors.New("configuration refused")

type configError string

func (e configError) Error() string { return "configuration refused: " + string(e) }

func (configError) Unwrap() error { return ErrConfig }

func itoa(t Time) string { return strconv.FormatInt(int64(t), 10) }

// maxBytes bounds counts of bytes: no disk holds more.
const maxBytes = 1 << 53

type bound struct {
	field   string
	v       Time
	lo, hi  Time
	isCount bool
}

// Validate names the first field that cannot work, its value and what would be right; the error wraps
// ErrConfig.
func (c *Config) Validate() error {
	const year = 366 * value.Day
	bounds := [...]bound{
		{"LoopInterval", c.LoopInterval, Millisecond, Hour, false},
		{"ClientDelay", c.ClientDelay, 0, year, false}, {"SyncedDelay", c.SyncedDelay, 0, year, false},
		{"BackoffBase", c.BackoffBase, Millisecond, year, false}, {"BackoffCap", c.BackoffCap, c.BackoffBase, year, false},
		{"DomainConcurrency", Time(c.DomainConcurrency), 0, 4096, true}, {"DomainRate", Time(c.DomainRate), 1, 1 << 20, true},
		{"DomainWindow", c.DomainWindow, Millisecond, Day, false},
		{"DomainRequests", Time(c.DomainRequests), 4, 1 << 20, true}, {"AddressPasses", Time(c.AddressPasses), 1, 4096, true},
		{"Pressure", Time(c.Pressure), 1, 4096, true}, {"AuthorPasses", Time(c.AuthorPasses), 1, 4096, true},
		{"HedgeHeadStart", c.HedgeHeadStart, 0, year, false},
		{"SilentWarning", c.SilentWarning, Millisecond, year, false}, {"SilentAgain", c.SilentAgain, Millisecond, year, false},
		{"StallLimit", c.StallLimit, Second, year, false}, {"KillGrace", c.KillGrace, 0, Hour, false},
		{"GuestAge", c.GuestAge, 0, year, false}, {"OldPassAge", c.OldPassAge, c.GuestAge, year, false},
		{"ResidualProbes", Time(c.ResidualProbes), 0, 4096, true}, {"MemoTTL", c.MemoTTL, 0, year, false},
		{"MemoURLs", Time(c.MemoURLs), 0, 1 << 20, true}, {"MemoOIDs", Time(c.MemoOIDs), 0, 1 << 20, true},
		{"LastChance", c.LastChance, 0, year, false},
		{"CoolBase", c.CoolBase, Millisecond, year, false}, {"CoolCap", c.CoolCap, c.CoolBase, year, false},
		{"RetryAfterCap", c.RetryAfterCap, 0, year, false}, {"CoolForget", c.CoolForget, 0, year, false},
		{"URLCool", c.URLCool, 0, year, false}, {"UnreachableAge", c.UnreachableAge, 0, year, false},
		{"UnreachableFor", c.UnreachableFor, 0, year, false}, {"UnreachableTry", c.UnreachableTry, Millisecond, year, false},
		{"Lifetime", c.Lifetime, Second, year, false}, {"SoftLifetime", c.SoftLifetime, 0, year, false},
		{"ExpiredTTL", c.ExpiredTTL, 0, year, false}, {"ExpiredIDs", Time(c.ExpiredIDs), 0, 1 << 24, true},
		{"FutureSlack", c.FutureSlack, 0, year, false},
		{"Hunts", Time(c.Hunts), 1, 1 << 24, true}, {"HuntsPerAuthor", Time(c.HuntsPerAuthor), 1, 1 << 24, true},
		{"HeldPerAuthor", Time(c.HeldPerAuthor), 1, 1 << 24, true}, {"HeldEvents", Time(c.HeldEvents), 1, 1 << 24, true},
		{"GroupRepos", Time(c.GroupRepos), 1, 64, true},
		{"HeldBytes", Time(c.HeldBytes), 1, maxBytes, true},
		{"RejectedTTL", c.RejectedTTL, 0, year, false}, {"RejectedIDs", Time(c.RejectedIDs), 0, 1 << 24, true},
		{"RejectedFullTTL", c.RejectedFullTTL, 0, year, false}, {"RejectedFull", Time(c.RejectedFull), 0, 1 << 20, true},
		{"SourceWrites", Time(c.SourceWrites), 1, 1 << 20, true}, {"SourceBurst", Time(c.SourceBurst), 1, 1 << 20, true},
		{"SourceHunts", Time(c.SourceHunts), 1, 1 << 24, true},
		{"PlaceholdersPerRepo", Time(c.PlaceholdersPerRepo), 0, 1 << 20, true},
		{"PlaceholderRepoBytes", Time(c.PlaceholderRepoBytes), 0, maxBytes, true},
		{"PlaceholdersPerSource", Time(c.PlaceholdersPerSource), 0, 1 << 20, true},
		{"PlaceholderSourceBytes", Time(c.PlaceholderSourceBytes), 0, maxBytes, true},
		{"PlaceholderWindow", c.PlaceholderWindow, Millisecond, year, false},
		{"PlaceholderBytes", Time(c.PlaceholderBytes), 0, maxBytes, true},
		{"Maintainers", Time(c.Maintainers), 1, 1 << 12, true}, {"UnlistedRetention", c.UnlistedRetention, 0, year, false},
		{"EventBytes", Time(c.EventBytes), 1, 1 << 30, true}, {"StateBytes", Time(c.StateBytes), 1, 1 << 30, true},
	}
	for i := range bounds {
		b := &bounds[i]
		if b.v >= b.lo && b.v <= b.hi {
			continue
		}
		if b.isCount {
			return configError(b.field + " is " + itoa(b.v) + ", must be " + itoa(b.lo) + " to " + itoa(b.hi))
		}
		return configError(b.field + " is " + b.v.String() + ", must be " + b.lo.String() + " to " + b.hi.String())
	}
	for i, o := range c.Overrides {
		if o.Domain == 0 || o.Concurrency < 0 || o.Concurrency > 4096 || o.Rate < 1 || o.Rate > 1<<20 {
			return configError("Overrides[" + strconv.Itoa(i) + "] is {domain " + strconv.Itoa(int(o.Domain)) +
				", concurrency " + strconv.Itoa(o.Concurrency) + ", rate " + strconv.Itoa(o.Rate) +
				"}, must have a domain, concurrency 0 to 4096 and rate 1 to 1048576")
		}
	}
	return nil
}
