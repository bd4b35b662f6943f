package core

// EffectKind tags an Effect.
type EffectKind uint8

// Effects. Those marked (asks) have exactly one completion, with their Ask (T-04); an effect issued
// again with the same Ask is the same request (idempotent).
const (
	EfNone         EffectKind = iota
	EfCheckObjects            // (asks) which of OIDs does Repo hold with their closure → Checked
	EfCompare                 // (asks) list the refs of URL; starts pass Ask → Compared
	EfFetch                   // (asks) fetch OIDs within pass Ask → Fetched
	EfProbe                   // (asks) does URL serve OIDs[0]? within pass Ask → Probed
	EfEndPass                 // (asks) pass Ask has no more to do → PassEnded
	EfCancelPass              // (asks) stop pass Ask now → PassEnded alone; an outstanding completion is void
	EfCopyObjects             // (asks) copy OIDs with closure From → Repo → Copied
	EfAlignRefs               // (asks) set HEAD of Repo to Head if Refs has that branch and its tip is a commit (ST-04),
	//                                  then heads and tags to exactly Refs, deletions first where names clash as directory and
	//                                  file (ST-08); or, with Event set and Space NostrRef, set refs/nostr/<Event> to OIDs[0],
	//                                  or delete it if none → Aligned
	EfStoreEvent         // (asks) store Event for serving; the store has the last word → Stored
	EfRemoveEvent        // (asks) Event is served no more → Removed
	EfCreateRepo         // (asks) → RepoCreated
	EfDeleteRepo         // (asks) → RepoDeleted
	EfDeleteRepoIfNoRefs // (asks) → RepoDeleted
	EfSeekStates         // look for states of Repo elsewhere (N-03); no completion
	EfAnswer             // answer to the sender of Event: OK, Text (S-02)
	EfNotify             // Event is served: tell subscribers (ST-08)
	EfPushVerdict        // may push Push go on: OK, Text (P-02)
	EfAnswerPush         // push Push is through: tell the client (P-05)
	EfReport             // for the operator and the oracle: Report says what
	NumEffectKinds
)

var effectNames = [NumEffectKinds]string{"none", "check-objects", "compare", "fetch", "probe", "end-pass", "cancel-pass",
	"copy-objects", "align-refs", "store-event", "remove-event", "create-repo", "delete-repo", "delete-repo-if-no-refs",
	"seek-states", "answer", "notify", "push-verdict", "answer-push", "report"}

// String is the name used in traces.
func (k EffectKind) String() string {
	if k < NumEffectKinds {
		return effectNames[k]
	}
	return "effect?"
}

// Wave is one of the two waves of a hunt (H-07).
type Wave uint8

// Waves.
const (
	MainWave Wave = iota // clone URLs of announcements and known holders
	PRWave               // clone URLs named only by held PRs
)

// String is "main" or "pr".
func (w Wave) String() string { return [...]string{"main", "pr"}[w&1] }

// ReportKind says what an EfReport reports.
type ReportKind uint8

// Reports. The Ended… kinds close the residence of Event in purgatory, exactly one per residence
// (I-16).
const (
	RepNone             ReportKind = iota
	RepPass                        // Pass: report of a finished pass (F-08)
	RepHeld                        // Event's residence begins; Deadline; Hunt is 0 where nothing is hunted
	RepEndedReleased               // Event is served
	RepEndedRefused                // the store refused it for good
	RepEndedExpired                // its deadline passed (E-01, E-04)
	RepEndedDeleted                // kind 5, or the operator
	RepEndedReplaced               // a newer version took its place (E-06, ST-07)
	RepEndedEvicted                // made room
	RepRevived                     // a soft-expired announcement is active again; new Deadline (E-05)
	RepExtended                    // Event has the new Deadline (E-05)
	RepSoftExpired                 // announcement: repository deleted; new Deadline (E-04)
	RepAttemptStarted              // Hunt began attempt Attempt
	RepAttemptEnded                // Hunt's attempt Attempt ended; Deadline = the next one's, or Never
	RepHuntDropped                 // Hunt wants nothing more
	RepHuntMerged                  // Hunt was merged into Into
	RepSkippedURL                  // URL is never contacted: own, private or refused (U-02)
	RepCooling                     // Domain cools down until Deadline; Class is the cause (D-07)
	RepUnreachable                 // Domain is on the unreachable list (D-07)
	RepDomainOK                    // Domain answered again
	RepLocalFault                  // the fault is ours; charges refunded (D-07)
	RepSilentPass                  // pass Ask has been silent (warning; H-06)
	RepOverdue                     // watchdog: request Ask is overdue (T-04)
	RepPlaceholderHeld             // refs/nostr/Event of Repo waits for its event until Deadline (PR-03)
	RepPlaceholderEnded            // its event came, or it expired, was replaced or went with its repository (PR-03)
	RepIgnored                     // a completion with an old or unknown id (T-04)
	RepContract                    // the driver broke the contract: Text (T-05)
	NumReportKinds
)

var reportNames = [NumReportKinds]string{"none", "pass", "held", "released", "refused", "expired", "deleted", "replaced",
	"evicted", "revived", "extended", "soft-expired", "attempt-started", "attempt-ended", "hunt-dropped", "hunt-merged",
	"skipped-url", "cooling", "unreachable", "domain-ok", "local-fault", "silent-pass", "overdue", "placeholder-held",
	"placeholder-ended", "ignored", "contract"}

// String is the name used in traces.
func (k ReportKind) String() string {
	if k < NumReportKinds {
		return reportNames[k]
	}
	return "report?"
}

// Ends tells whether the report closes a residence in purgatory (I-16).
func (k ReportKind) Ends() bool { return k >= RepEndedReleased && k <= RepEndedEvicted }

// Effect is one thing the core wants done. Kind says which fields count; the others are zero. Lists
// belong to the core and are valid until the next Step (T-03).
type Effect struct {
	Kind     EffectKind
	Report   ReportKind // EfReport
	OK       bool       // EfAnswer, EfPushVerdict, EfAnswerPush
	Class    Class      // RepPass, RepCooling
	Wave     Wave       // EfCompare
	Hedge    bool       // EfCompare: another pass of the wave runs
	Space    RefSpace   // EfAlignRefs
	Question uint16     // EfFetch, EfProbe: number of the question within its pass, from 1; its completion says it again (T-04)
	Attempt  uint32     // EfCompare, RepAttempt…: number of the attempt within its hunt
	Hunt     HuntID     // EfCheckObjects, EfCompare, reports
	Into     HuntID     // RepHuntMerged
	URL      Handle     // EfCompare, EfFetch (the final URL), EfProbe
	Domain   Handle     // EfCompare, EfFetch, EfProbe, reports
	Repo     Handle     // the repository meant
	From     Handle     // EfCopyObjects: source repository
	Head     Handle     // EfAlignRefs: branch for HEAD, 0 = leave it
	Ask      AskID      // asking effects; RepPass, RepSilentPass, RepOverdue, RepIgnored
	Push     uint64     // EfPushVerdict, EfAnswerPush
	Deadline Time       // see ReportKind
	Event    EventID    // EfStoreEvent, EfRemoveEvent, EfAnswer, EfNotify, EfAlignRefs, reports
	OIDs     []OID      // EfCheckObjects, EfCompare (needed), EfFetch, EfProbe, EfCopyObjects, EfAlignRefs
	Refs     []Ref      // EfAlignRefs: the heads and tags wanted, sorted by name
	Old      []Ref      // EfAlignRefs: what the core believes is there
	Text     string     // EfAnswer, EfPushVerdict, RepContract
	Pass     *PassReport
}

// PassReport is what one pass did (F-08). Counts are OIDs unless said otherwise.
type PassReport struct {
	Needed     int32 // asked for when the pass began
	Advertised int32 // of those, tips the server advertised
	Attempted  int32 // residuals asked one by one
	Missing    int32 // residuals the server said it has not
	Skipped    int32 // residuals not asked, by the memo (F-02)
	Deferred   int32 // residuals left for the next pass (F-01)
	Fetched    int32 // received, not asked for
	Requests   int32 // HTTP requests, as the driver counted them
	Bytes      int64 // received
	Duration   Time  // permit to real end
	Started    Time  // when the permit was given
}
