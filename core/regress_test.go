package core

import (
	"testing"

	"github.com/stretchr/testify/require"
)

// The scenarios of this file are faults that were found, each as small as it could be made.

func lists(e *Event, who ...int) *Event {
	for _, w := range who {
		e.Maintainers = append(e.Maintainers, author(w))
	}
	return e
}

func under(ident Handle, e *Event) *Event {
	e.Repo.Identifier = ident
	e.Repo.Repo += 20 * ident
	return e
}

func later(created int64, e *Event) *Event { e.CreatedAt = created; return e }

func pull(n, who int, commit OID, repos ...Coordinate) *Event {
	return &Event{ID: eventID(n), Author: author(who), Kind: KindPR, Commit: commit, Repositories: repos}
}

// H-05: the release that starts when the first repository is unlocked leaves the others' unlocking alone.
func TestEachOwnerIsUnlocked(t *testing.T) {
	d := newInstant(t, DefaultConfig())
	d.local[oid(1)], d.local[oid(2)] = true, true
	d.event(lists(announcement(1, 1), 4, 5), FromSync)
	d.event(lists(announcement(2, 2), 4), FromSync)
	d.event(lists(announcement(3, 3), 5), FromSync)
	d.hold = func(e Effect) bool { return e.Kind == EfAlignRefs }
	d.event(state(4, 4, oid(1)), FromSync)
	d.until(Second)
	d.event(state(5, 5, oid(2)), FromSync)
	d.until(2 * Second)
	d.let()
	d.until(3 * Second)
	require.Len(t, d.reports(RepEndedReleased), 5)
}

// A-02, D-05: a ticket whose only URL rests after a stall is taken out, not granted for ever.
func TestTicketOfARestingURLIsNotGranted(t *testing.T) {
	cfg := DefaultConfig()
	cfg.DomainConcurrency = 1
	d := newInstant(t, cfg)
	d.silent[url+1], d.silent[url+2] = true, true
	d.event(under(1, announcement(1, 1, 1)), FromSync)
	d.event(under(3, announcement(3, 3, 2)), FromSync)
	d.until(2 * Second)
	d.event(under(2, announcement(2, 2, 1, 2)), FromSync)
	d.until(4 * Second)
	require.Equal(t, 2, d.c.Stats().Tickets)
	first := d.effectsOf(EfCompare)[0]
	d.step(Input{Kind: InCompared, Ask: first.Ask, Class: Stalled})
	d.settle()
	require.Equal(t, 1, d.c.Stats().Tickets)
}

// T-04, ST-08: an alignment whose state is gone is issued again as one to what is served.
func TestOverdueAlignmentOfADeletedStateShowsWhatIsServed(t *testing.T) {
	d := newInstant(t, DefaultConfig())
	d.local[oid(1)], d.local[oid(2)] = true, true
	d.event(announcement(1, 1), FromSync)
	d.event(state(2, 1, oid(1)), FromSync)
	d.until(2 * Second)
	require.Len(t, d.reports(RepEndedReleased), 2)
	d.hold = func(e Effect) bool { return e.Kind == EfAlignRefs }
	d.event(state(3, 1, oid(2)), FromSync)
	d.until(4 * Second)
	d.step(Input{Kind: InRemove, Target: eventID(3)})
	d.log = nil
	d.until(6 * Minute)
	again := d.effectsOf(EfAlignRefs)
	require.Len(t, again, 1)
	require.Equal(t, []Ref{{Name: main, OID: oid(1)}}, again[0].Refs)
	require.Len(t, d.reports(RepOverdue), 1)
	d.pending = d.pending[:1]
	d.let()
	last := d.effectsOf(EfAlignRefs)
	require.Equal(t, []Ref{{Name: main, OID: oid(1)}}, last[len(last)-1].Refs)
}

// PR-02, ST-08: the ref of a PR that is removed while its ref is being set is removed with it.
func TestRefOfARemovedPRIsRemoved(t *testing.T) {
	d := newInstant(t, DefaultConfig())
	d.local[oid(1)], d.local[oid(2)] = true, true
	a := announcement(1, 1)
	d.event(a, FromSync)
	d.event(state(2, 1, oid(1)), FromSync)
	d.until(2 * Second)
	d.hold = func(e Effect) bool { return e.Kind == EfAlignRefs }
	d.event(pull(3, 9, oid(2), a.Repo), FromSync)
	d.until(4 * Second)
	d.step(Input{Kind: InRemove, Target: eventID(3)})
	d.log = nil
	d.let()
	undo := d.effectsOf(EfAlignRefs)
	require.Len(t, undo, 1)
	require.Equal(t, NostrRef, undo[0].Space)
	require.Equal(t, eventID(3), undo[0].Event)
	require.Empty(t, undo[0].OIDs)
	require.Empty(t, undo[0].Refs)
}

// E-04, E-05: a newer version that comes while the repository is being deleted is active once it is gone.
func TestReplacementWhileExpiringIsActive(t *testing.T) {
	d := newInstant(t, DefaultConfig())
	d.event(announcement(1, 1), FromSync)
	d.hold = func(e Effect) bool { return e.Kind == EfDeleteRepoIfNoRefs }
	d.until(30 * Minute)
	require.Len(t, d.pending, 1)
	d.event(later(5, announcement(2, 1)), FromSync)
	d.log = nil
	d.let()
	require.Len(t, d.effectsOf(EfCreateRepo), 1)
	require.Empty(t, d.reports(RepSoftExpired))
	d.until(59 * Minute)
	require.Empty(t, d.reports(RepSoftExpired))
	d.until(Hour)
	require.Len(t, d.reports(RepSoftExpired), 1)
}

// E-02, Q-11: an event whose store is out at its deadline ends by the verdict, whatever it is.
func TestVerdictAfterTheDeadlineEndsTheResidence(t *testing.T) {
	for v, want := range map[Verdict]ReportKind{StoredOK: RepEndedReleased, StoreFailed: RepEndedExpired,
		StoreSuperseded: RepEndedRefused, StoreDeleted: RepEndedRefused} {
		t.Run(v.String(), func(t *testing.T) {
			d := newInstant(t, DefaultConfig())
			d.local[oid(1)] = true
			d.event(announcement(1, 1), FromSync)
			d.hold = func(e Effect) bool { return e.Kind == EfStoreEvent }
			d.event(state(2, 1, oid(1)), FromSync)
			d.until(31 * Minute)
			require.Empty(t, d.reports(RepEndedExpired))
			d.verdict = []Verdict{v}
			d.let()
			require.Contains(t, ids(d.reports(want)), eventID(2))
			d.until(3 * Day)
			require.Zero(t, d.c.Stats().Held)
			if v != StoredOK { // the refs go back to what is served: nothing
				aligned := d.effectsOf(EfAlignRefs)
				require.Empty(t, aligned[len(aligned)-1].Refs)
			}
		})
	}
}

// ST-08, ST-09, Q-11: a state that is stored is served though the announcement's store fails; that is tried again.
func TestFailedPromotionIsTriedAgain(t *testing.T) {
	d := newInstant(t, DefaultConfig())
	d.local[oid(1)] = true
	d.verdict = []Verdict{StoredOK, StoreFailed, StoreFailed}
	d.event(announcement(1, 1), FromSync)
	d.event(state(2, 1, oid(1)), FromSync)
	d.until(2 * Second)
	require.Len(t, d.reports(RepEndedReleased), 1)
	d.until(42 * Second)
	require.Len(t, d.reports(RepEndedReleased), 2)
	require.Len(t, d.effectsOf(EfStoreEvent), 4)
}

// ST-09: a newer version that comes while the older one is being promoted is promoted too.
func TestReplacementDuringPromotionIsPromoted(t *testing.T) {
	d := newInstant(t, DefaultConfig())
	d.local[oid(1)] = true
	d.event(announcement(1, 1), FromSync)
	d.hold = func(e Effect) bool { return e.Kind == EfStoreEvent && e.Event == eventID(1) }
	d.event(state(2, 1, oid(1)), FromSync)
	require.Len(t, d.pending, 1)
	d.event(later(5, announcement(3, 1)), FromSync)
	d.let()
	require.Zero(t, d.c.Stats().Held)
	require.Len(t, d.reports(RepEndedReplaced), 1)
	require.Len(t, d.reports(RepEndedReleased), 2)
}

// N-02: the target is the lowest owner's repository, fixed for the attempt, chosen anew for the next.
func TestTargetIsChosenAnewForEachAttempt(t *testing.T) {
	d := newInstant(t, DefaultConfig())
	d.silent[url+1] = true
	d.event(lists(announcement(1, 5, 1), 1), FromSync)
	d.event(state(2, 5, oid(1)), FromSync)
	d.until(2 * Second)
	d.event(lists(announcement(3, 1, 2), 5), FromSync)
	d.until(3 * Minute)
	var repos []Handle
	for _, e := range d.effectsOf(EfCompare) {
		repos = append(repos, e.Repo)
	}
	require.Equal(t, repo+5, repos[0])
	require.Equal(t, repo+5, repos[1], "the running attempt keeps its target")
	require.Equal(t, repo+1, repos[len(repos)-1])
}

// the events of the hunt that is merged into another go on being hunted.
func TestEventsOfAMergedHuntAreKept(t *testing.T) {
	d := newInstant(t, DefaultConfig())
	d.event(announcement(1, 2, 2), FromSync)
	d.event(state(2, 2, oid(2)), FromSync)
	d.event(announcement(3, 1, 1), FromSync)
	d.event(state(4, 1, oid(1)), FromSync)
	d.until(2 * Second)
	d.event(lists(later(9, announcement(5, 1, 1)), 2), FromSync)
	d.event(lists(later(9, announcement(6, 2, 2)), 1), FromSync)
	merged := d.reports(RepHuntMerged)
	require.Len(t, merged, 1)
	require.Equal(t, HuntID(1), merged[0].Into) // the lower id survives
	d.remote[url+1] = map[OID]bool{oid(1): true}
	d.until(3 * Minute)
	require.Contains(t, ids(d.reports(RepEndedReleased)), eventID(4))
}

func ids(list []Effect) (out []EventID) {
	for _, e := range list {
		out = append(out, e.Event)
	}
	return out
}

// E-02: an announcement kept by a pass at its deadline goes when the pass ends, and starts none meanwhile.
func TestOverdueAnnouncementEndsWithItsPass(t *testing.T) {
	d := newInstant(t, DefaultConfig())
	d.class[url+1] = NotFound
	d.event(announcement(1, 1, 1, 2), FromSync)
	d.until(28 * Minute)
	d.silent[url+1], d.silent[url+2] = true, true
	d.until(30*Minute + 5*Second)
	require.Empty(t, d.reports(RepSoftExpired))
	last := d.effectsOf(EfCompare)
	d.log = nil
	d.until(31 * Minute)
	require.Empty(t, d.effectsOf(EfCompare))
	for _, e := range last[len(last)-2:] {
		d.step(Input{Kind: InCompared, Ask: e.Ask})
	}
	d.settle()
	require.Len(t, d.reports(RepSoftExpired), 1)
}

// DL-02, P-04: a deletion waits for the push that pins the repository. // mutant 59
func TestDeletionWaitsForAPush(t *testing.T) {
	d := newInstant(t, DefaultConfig())
	a := announcement(1, 1)
	d.event(a, FromSync)
	d.event(state(2, 1, oid(1)), FromClient)
	p := &Push{ID: 7, Repo: a.Repo, Updates: []RefUpdate{{Name: main, New: oid(1)}}}
	d.step(Input{Kind: InPushAsked, Push: p})
	require.True(t, d.effectsOf(EfPushVerdict)[0].OK)
	d.event(&Event{ID: eventID(3), Author: author(1), Kind: KindDeletion, Targets: []EventID{eventID(1)}}, FromClient)
	require.Empty(t, d.effectsOf(EfDeleteRepo))
	d.step(Input{Kind: InPushEnded, Push: p})
	d.settle()
	require.Len(t, d.effectsOf(EfDeleteRepo), 1)
	require.Len(t, d.effectsOf(EfAnswerPush), 1)
	require.Len(t, d.reports(RepEndedDeleted), 2) // the state that nobody authorises any more goes with it
}

// E-04, I-7: a repository that is made after its announcement went is not left behind.
func TestRepositoryMadeLateIsDeleted(t *testing.T) {
	d := newInstant(t, DefaultConfig())
	d.hold = func(e Effect) bool { return e.Kind == EfCreateRepo }
	d.event(announcement(1, 1), FromSync)
	d.until(30 * Minute)
	require.Len(t, d.reports(RepSoftExpired), 1)
	d.let()
	require.Len(t, d.effectsOf(EfDeleteRepoIfNoRefs), 1)
}

// a PR held for one repository concerns another it names from that one's first announcement on.
func TestPRIsFiledUnderARepositoryAnnouncedLater(t *testing.T) {
	d := newInstant(t, DefaultConfig())
	a, b := announcement(1, 1, 1), under(2, announcement(2, 2, 2))
	d.event(a, FromSync)
	d.event(pull(3, 9, oid(7), a.Repo, b.Repo), FromSync)
	d.event(b, FromSync)
	d.remote[url+2] = map[OID]bool{oid(7): true}
	d.until(5 * Second)
	require.Len(t, d.effectsOf(EfFetch), 1)
	require.Equal(t, url+2, d.effectsOf(EfFetch)[0].URL)
}

// an event never ends in the admission of itself: its own groups make no room for it.
func TestAdmissionDoesNotEvictItself(t *testing.T) {
	cfg := DefaultConfig()
	cfg.Hunts = 1
	d := newInstant(t, cfg)
	a, b := announcement(1, 1), under(2, announcement(2, 2))
	d.event(a, FromSync)
	d.event(b, FromSync)
	d.event(pull(3, 9, oid(7), a.Repo, b.Repo), FromSync)
	require.Contains(t, ids(d.reports(RepHeld)), eventID(3))
	require.NotContains(t, ids(d.reports(RepEndedEvicted)), eventID(3))
}

// P-05: a push whose group has several repositories is answered when the last of them has been checked.
func TestPushIsAnsweredAfterAllChecks(t *testing.T) {
	d := newInstant(t, DefaultConfig())
	a := lists(announcement(1, 1), 2)
	d.event(a, FromClient)
	d.event(lists(announcement(2, 2), 1), FromClient)
	d.event(state(3, 1, oid(1)), FromClient)
	p := &Push{ID: 7, Repo: a.Repo, Updates: []RefUpdate{{Name: main, New: oid(1)}}, Moved: true}
	d.step(Input{Kind: InPushAsked, Push: p})
	d.settle()
	d.step(Input{Kind: InPushEnded, Push: p})
	d.settle()
	require.Len(t, d.effectsOf(EfAnswerPush), 1)
}

// ST-07: a state stored after its successor is nobody's latest.
func TestStateStoredAfterItsSuccessorIsNotLatest(t *testing.T) {
	d := newInstant(t, DefaultConfig())
	d.local[oid(1)], d.local[oid(2)], d.local[oid(3)] = true, true, true
	d.event(announcement(1, 1), FromSync)
	d.hold = func(e Effect) bool { return e.Kind == EfCheckObjects }
	d.event(state(2, 1, oid(1)), FromSync)
	d.event(state(4, 1, oid(2)), FromSync)
	checks := d.pending
	d.pending = nil
	d.hold = func(e Effect) bool { return e.Kind == EfStoreEvent && e.Event == eventID(2) }
	for i := range checks { // the newer one's first
		d.carryOut(checks[len(checks)-1-i])
	}
	d.step(Input{Kind: InChecked, Ask: checks[1].Ask, OIDs: []OID{oid(2)}})
	d.settle()
	require.Contains(t, ids(d.reports(RepEndedReleased)), eventID(4))
	d.let()
	d.event(state(3, 1, oid(3)), FromSync)
	ok, text := d.answer(eventID(3))
	require.False(t, ok)
	require.Equal(t, textOlder, text)
}

// ST-08: a state whose releases failed after its refs were in place leaves none behind when it expires.
func TestExpiryAfterFailedReleasesSetsRefsBack(t *testing.T) {
	d := newInstant(t, DefaultConfig())
	d.local[oid(1)] = true
	for range 30 {
		d.verdict = append(d.verdict, StoreFailed)
	}
	d.event(announcement(1, 1), FromSync)
	d.event(state(2, 1, oid(1)), FromSync)
	d.until(30 * Minute)
	require.Equal(t, []EventID{eventID(2)}, ids(d.reports(RepEndedExpired)))
	aligned := d.effectsOf(EfAlignRefs)
	require.Equal(t, []Ref{{Name: main, OID: oid(1)}}, aligned[len(aligned)-2].Refs)
	require.Empty(t, aligned[len(aligned)-1].Refs)
}
