package generate

import (
	"math/bits"
	"strings"
)

// Feature is one thing a drawn world may have. A seed bans some of them; the empty ban is everything on, so that
// the simplest set is not the poorest world.
type Feature uint8

// The features, by part of the world.
const (
	SlowHosts         Feature = iota // answers take seconds to minutes
	HostKinds                        // hosts that behave as a well-known one
	FailingHosts                     // statuses, resets, no name, no connection
	LyingHosts                       // answers that are well-formed and wrong
	SilentHosts                      // stalls and drips
	LimitingHosts                    // 429s, challenges, bans
	ChangingHosts                    // behaviour changes with time
	SharedAddress                    // several hosts, one address
	WantRules                        // hosts that serve only some of their objects
	LateData                         // objects arrive at a host later
	VanishingData                    // and leave again
	SplitData                        // each host has a part
	HiddenData                       // there, but not advertised
	OddURLs                          // own, private, doubled and foreign spellings of clone URLs
	SharedIdentifiers                // owners who chose the same name
	Maintainers                      // announcements that list others
	AbsentAtStart                    // repositories that begin with a held announcement
	Reannounce                       // announcements replaced on the way
	Unlisted                         // and such as list us no longer
	PullRequests                     // 1618 and 1619, with sources of their own
	RelatedEvents                    // issues and notes
	Pushes                           // clients push
	Placeholders                     // refs/nostr/ before its event
	PushTrouble                      // partial, racing, stale and cut pushes
	Deletions                        // kind 5, and removals by the operator
	Replays                          // events that come again, by several relays
	OddDates                         // equal, old and future created_at
	OddRefs                          // no refs, symbolic ones, tags, clashing names
	BigEvents                        // sizes that count against bounds
	RawEvents                        // events given by tags, as they come from the wire
	FaultWindows                     // stall/resume, throttle/relax, partition/repair, flap/settle
	Swizzle                          // hosts stopped one by one and restored in another order
	WakeTrouble                      // late and early wakes
	CompletionTrouble                // duplicate, stray and late completions
	WorkTrouble                      // local work that is slow, fails or gets lost
	StorageTrouble                   // full disk, locks, a store that refuses
	Crashes                          // the relay dies and comes up again
	Clocks                           // the wall clock steps
	Reconfigure                      // limits change on the way
	ConfigExtremes                   // one slot, no jitter, huge hedge delay, short lives
	SmallBounds                      // tables of a few entries
	DomainLimits                     // overrides for single domains
	NumFeatures
)

var featureNames = [NumFeatures]string{"slow-hosts", "host-kinds", "failing-hosts", "lying-hosts", "silent-hosts", "limiting-hosts",
	"changing-hosts", "shared-address", "want-rules", "late-data", "vanishing-data", "split-data", "hidden-data", "odd-urls",
	"shared-identifiers", "maintainers", "absent-at-start", "reannounce", "unlisted", "pull-requests", "related-events", "pushes",
	"placeholders", "push-trouble", "deletions", "replays", "odd-dates", "odd-refs", "big-events", "raw-events", "fault-windows", "swizzle",
	"wake-trouble", "completion-trouble", "work-trouble", "storage-trouble", "crashes", "clocks", "reconfigure", "config-extremes",
	"small-bounds", "domain-limits"}

// String is the feature's name in kebab-case.
func (f Feature) String() string {
	if f < NumFeatures {
		return featureNames[f]
	}
	return "feature?"
}

// Features is a set of features.
type Features uint64

// All is every feature there is.
const All Features = 1<<NumFeatures - 1

func set(list ...Feature) (out Features) {
	for _, f := range list {
		out |= 1 << f
	}
	return out
}

// Has tells whether f is in the set.
func (s Features) Has(f Feature) bool { return s>>f&1 == 1 }

// String lists the names, "none" for the empty set.
func (s Features) String() string {
	if s == 0 {
		return "none"
	}
	names := make([]string, 0, bits.OnesCount64(uint64(s)))
	for f := Feature(0); f < NumFeatures; f++ {
		if s.Has(f) {
			names = append(names, f.String())
		}
	}
	return strings.Join(names, ", ")
}
