package core

import (
	"testing"

	"github.com/stretchr/testify/require"
)

// elsewhere makes an announcement one that does not list us.
func elsewhere(e *Event) *Event { e.ListsUs = false; return e }

func (d *instant) restartFrom(cfg Config, offset Time) {
	c, err := Restore(cfg, d.c.AppendState(nil))
	require.NoError(d.t, err)
	d.c, d.pending, d.queue = c, nil, nil
	d.step(Input{Kind: InRestarted, Offset: offset})
	d.settle()
}

// AN-06: a newer version of a served announcement that lists us no more is served; its repository takes no pushes,
// is not hunted for, and goes with its states when the retention is over, to the instant.
func TestUnlistedIsKeptThenRemoved(t *testing.T) {
	d := served(t, DefaultConfig(), 1)
	from := d.now
	d.event(later(9, elsewhere(announcement(3, 1, 1))), FromClient)
	ok, text := d.answer(eventID(3))
	require.True(t, ok, text)
	require.Empty(t, text)
	require.Equal(t, []int{3}, nums(d.effectsOf(EfNotify)))
	d.event(state(10, 1, oid(7)), FromSync) // its author still speaks for it (ST-01), nobody hunts
	d.step(Input{Kind: InPushAsked, Push: &Push{ID: 1, Repo: announcement(1, 1).Repo, Updates: []RefUpdate{{Name: main, New: oid(7)}}}})
	require.Equal(t, pushNoRepo, d.effectsOf(EfPushVerdict)[0].Text)
	d.until(from + DefaultConfig().UnlistedRetention - 1)
	require.Empty(t, d.effectsOf(EfCompare))
	require.Empty(t, d.effectsOf(EfDeleteRepo))
	require.Equal(t, 1, d.c.Unlisted())
	d.until(from + DefaultConfig().UnlistedRetention)
	require.Zero(t, d.c.Unlisted())
	require.Equal(t, []Handle{repo + 1}, []Handle{d.effectsOf(EfDeleteRepo)[0].Repo})
	require.Equal(t, []int{2}, nums(d.effectsOf(EfRemoveEvent)))
	require.Zero(t, d.c.Stats().Asks)
	_, kept := d.c.where[eventID(3)]
	require.True(t, kept, "the announcement itself is still served")
}

// AN-06: listed again before the end, all is as it was: pushes, hunts, no removal. Listed again after it, the version
// is held as a first one is, over the served one, and evicting it leaves that served. // AN-04
func TestListedAgain(t *testing.T) {
	d := served(t, DefaultConfig(), 1)
	d.event(later(9, elsewhere(announcement(3, 1, 1))), FromClient)
	d.until(Day)
	d.event(later(10, announcement(4, 1, 1)), FromClient)
	d.event(later(11, state(5, 1, oid(7))), FromSync)
	d.until(Day + Hour)
	require.NotEmpty(t, d.effectsOf(EfCompare))
	d.until(40 * Day)
	require.Empty(t, d.effectsOf(EfDeleteRepo))
	require.Empty(t, d.effectsOf(EfRemoveEvent))

	d = served(t, DefaultConfig(), 1)
	d.event(later(9, elsewhere(announcement(3, 1, 1))), FromClient)
	d.until(31 * Day)
	d.log = nil
	d.event(later(10, announcement(4, 1, 1)), FromClient)
	require.Equal(t, []int{4}, nums(d.reports(RepHeld)))
	require.Len(t, d.effectsOf(EfCreateRepo), 1)
	d.event(later(11, elsewhere(announcement(5, 1, 1))), FromClient) // AN-04: evicts the held one
	require.Equal(t, []int{4}, nums(d.reports(RepEndedReplaced)))
	require.Zero(t, d.c.Stats().Held)
	require.True(t, d.c.servedAt(d.c.where[eventID(5)]))
}

// AN-04, AN-06: the version held over a served one that has no repository falls back to it when it expires.
func TestHeldOverAServedOneExpires(t *testing.T) {
	d := newInstant(t, DefaultConfig())
	d.event(lists(announcement(1, 1), 2), FromSync)
	d.event(elsewhere(announcement(2, 2)), FromSync) // AN-03
	d.event(later(5, announcement(3, 2)), FromSync)
	require.Equal(t, []int{1, 3}, nums(d.reports(RepHeld)))
	d.restartFrom(DefaultConfig(), 0)
	require.True(t, d.c.servedAt(d.c.where[eventID(2)]))
	d.until(25 * Hour)
	require.Contains(t, nums(d.reports(RepEndedExpired)), 3)
	require.Equal(t, location{recAnnouncement, d.c.announcementOf(dName, author(2))}, d.c.where[eventID(2)])
	require.True(t, d.c.servedAt(d.c.where[eventID(2)]))
}

// AN-03: served by the maintainer exception an announcement stays served when the one that listed its owner goes or
// lists it no more: what is stored is not taken back because somebody else changed a list (I-11).
func TestExceptionOutlivesItsListing(t *testing.T) {
	for _, how := range []string{"deleted", "changed"} {
		d := newInstant(t, DefaultConfig())
		d.event(lists(announcement(1, 1), 2), FromSync)
		d.event(elsewhere(announcement(2, 2)), FromSync)
		require.Len(t, d.effectsOf(EfStoreEvent), 1)
		if how == "deleted" {
			d.event(&Event{ID: eventID(9), Author: author(1), Kind: KindDeletion, Targets: []EventID{eventID(1)}}, FromSync)
		} else {
			d.event(later(5, announcement(3, 1)), FromSync)
		}
		require.True(t, d.c.servedAt(d.c.where[eventID(2)]), how)
		d.event(state(4, 2, oid(7)), FromSync) // it speaks for itself, without a repository nobody hunts for it
		require.Zero(t, d.c.groups.At(d.c.anns.At(d.c.announcementOf(dName, author(2))).Group).id)
		d.until(Hour)
		require.Contains(t, nums(d.reports(RepEndedExpired)), 4, how)
	}
}

// AN-06: states that another announcement authorises are not removed with an unlisted repository.
func TestRemovalSparesWhatOthersAuthorise(t *testing.T) {
	d := newInstant(t, DefaultConfig())
	d.local[oid(1)], d.local[oid(2)] = true, true
	d.event(lists(announcement(1, 1), 3), FromSync)
	d.event(lists(announcement(2, 2), 3), FromSync)
	d.event(state(4, 1, oid(1)), FromSync)
	d.event(state(5, 3, oid(2)), FromSync) // of both
	d.until(10 * Second)
	require.Len(t, d.reports(RepEndedReleased), 4)
	d.event(later(9, elsewhere(announcement(6, 1))), FromClient)
	d.until(31 * Day)
	require.Equal(t, []int{4}, nums(d.effectsOf(EfRemoveEvent)))
	require.Len(t, d.effectsOf(EfDeleteRepo), 1)
}

// AN-06: what is under way at an unlisted repository when its time is over is awaited; a push cannot be, it was
// allowed before. // P-04
func TestRemovalWaitsForAPush(t *testing.T) {
	cfg := DefaultConfig()
	cfg.UnlistedRetention = 10 * Minute
	d := served(t, cfg)
	d.event(state(3, 1, oid(7)), FromClient)
	p := &Push{ID: 1, Repo: announcement(1, 1).Repo, Current: []Ref{{Name: main, OID: oid(1)}}, Updates: []RefUpdate{{Name: main, Old: oid(1), New: oid(7)}}}
	d.step(Input{Kind: InPushAsked, Push: p})
	require.True(t, d.effectsOf(EfPushVerdict)[0].OK)
	from := d.now
	d.event(later(9, elsewhere(announcement(4, 1))), FromClient)
	d.until(from + 10*Minute)
	require.Empty(t, d.effectsOf(EfDeleteRepo))
	d.step(Input{Kind: InPushEnded, Push: p})
	d.until(from + 20*Minute)
	require.Len(t, d.effectsOf(EfDeleteRepo), 1)
}

// AN-06, R-03: an unlisted repository's end survives a restart; at start, where the time is not known, it is a whole
// retention from then on. // R-07
func TestRetentionSurvivesARestart(t *testing.T) {
	d := served(t, DefaultConfig())
	from := d.now
	d.event(later(9, elsewhere(announcement(3, 1))), FromClient)
	d.until(20 * Day)
	d.restartFrom(DefaultConfig(), 0)
	d.until(from + 30*Day)
	require.Len(t, d.effectsOf(EfDeleteRepo), 1)

	d = newInstant(t, DefaultConfig())
	d.step(Input{Kind: InServed, Event: elsewhere(announcement(1, 1))})
	d.step(Input{Kind: InRepoRefs, Repo: repo + 1})
	d.until(30*Day - 1)
	require.Empty(t, d.effectsOf(EfDeleteRepo))
	d.until(30 * Day)
	require.Len(t, d.effectsOf(EfDeleteRepo), 1)
}

// AN-04, R-07: a newer version of a served announcement takes effect when the store has it. A final refusal leaves
// the served one as it was, a failure too; the answer says why.
func TestStoreHasTheLastWordOnAReplacement(t *testing.T) {
	for v, text := range map[Verdict]string{StoredOK: "", StoreFailed: textStore, StoreSuperseded: textOlder, StoreDeleted: textDeleted} {
		d := served(t, DefaultConfig(), 1)
		d.hold = func(e Effect) bool { return e.Kind == EfStoreEvent }
		d.event(later(9, lists(announcement(3, 1, 2), 5)), FromClient)
		require.Len(t, d.pending, 1)
		_, answered := d.answer(eventID(3))
		require.Empty(t, answered, "not before the store has spoken")
		require.Empty(t, d.effectsOf(EfAnswer))
		d.event(state(4, 5, oid(7)), FromSync)
		_, answered = d.answer(eventID(4))
		require.Equal(t, textNoAuthor, answered, "nor does it authorise anybody")
		d.verdict = []Verdict{v}
		d.let()
		ok, got := d.answer(eventID(3))
		require.Equal(t, v == StoredOK, ok)
		require.Equal(t, text, got)
		stays := eventID(1)
		if v == StoredOK {
			stays = eventID(3)
		}
		require.True(t, d.c.servedAt(d.c.where[stays]))
		require.Equal(t, stays, d.c.anns.At(d.c.announcementOf(dName, author(1))).ID)
		require.Equal(t, v == StoredOK, d.c.Stats().Held == 1, "the early state is looked at again (AN-05)")
		require.Zero(t, d.c.Stats().Pending)
	}
}

// AN-04: two versions on their way to the store at once: the newer one stays, whichever answer comes first.
func TestTwoReplacementsAtOnce(t *testing.T) {
	for _, reversed := range []bool{false, true} {
		d := served(t, DefaultConfig(), 1)
		d.hold = func(e Effect) bool { return e.Kind == EfStoreEvent }
		d.event(later(9, announcement(3, 1, 1)), FromClient)
		d.event(later(10, announcement(4, 1, 1)), FromClient)
		require.Len(t, d.pending, 2)
		if reversed {
			d.pending[0], d.pending[1] = d.pending[1], d.pending[0]
		}
		d.let()
		require.Equal(t, eventID(4), d.c.anns.At(d.c.announcementOf(dName, author(1))).ID)
		_, old := d.c.where[eventID(3)]
		require.False(t, old)
	}
}

// at start a served announcement whose repository is missing gets it again and is skipped by nothing; one whose
// repository is there does not. // case 83
func TestMissingRepositoryAtStart(t *testing.T) {
	d := newInstant(t, DefaultConfig())
	d.step(Input{Kind: InServed, Event: announcement(1, 1)})
	d.step(Input{Kind: InServed, Event: announcement(2, 2)})
	d.step(Input{Kind: InServed, Event: elsewhere(announcement(3, 3))})
	d.step(Input{Kind: InRepoRefs, Repo: repo + 2})
	d.step(Input{Kind: InWake}) // the facts are all in
	d.until(Second)
	made := d.effectsOf(EfCreateRepo)
	require.Len(t, made, 1)
	require.Equal(t, repo+1, made[0].Repo)
	require.NoError(t, d.c.Check())
	d.step(Input{Kind: InPushAsked, Push: &Push{ID: 1, Repo: announcement(1, 1).Repo, Updates: []RefUpdate{{Name: main, New: oid(7)}}}})
	require.Equal(t, pushNoState, d.effectsOf(EfPushVerdict)[0].Text, "it is there to be pushed to")
}

// served pull requests are known from the start: a copy is a duplicate, a deletion takes their refs out.
func TestServedPullRequestsAtStart(t *testing.T) {
	for _, kind := range []uint32{KindPR, KindPRUpdate} {
		d := newInstant(t, DefaultConfig())
		a := announcement(1, 1)
		pr := pull(2, 9, oid(7), a.Repo)
		pr.Kind = kind
		d.step(Input{Kind: InServed, Event: a})
		d.step(Input{Kind: InServed, Event: pr})
		d.step(Input{Kind: InRepoRefs, Repo: repo + 1})
		d.event(pr, FromSync)
		_, text := d.answer(eventID(2))
		require.Equal(t, textDuplicate, text)
		d.event(&Event{ID: eventID(9), Author: author(9), Kind: KindDeletion, Targets: []EventID{eventID(2)}}, FromSync)
		dropped := d.effectsOf(EfAlignRefs)
		require.Len(t, dropped, 1)
		require.Equal(t, NostrRef, dropped[0].Space)
		require.Empty(t, dropped[0].OIDs)
		_, known := d.c.where[eventID(2)]
		require.False(t, known)
	}
}
