package core

import (
	"testing"

	"github.com/stretchr/testify/require"
)

// erase is a kind 5 of an author for events.
func erase(n, who int, targets ...int) *Event {
	e := &Event{ID: eventID(n), Author: author(who), Kind: KindDeletion, CreatedAt: int64(n)}
	for _, t := range targets {
		e.Targets = append(e.Targets, eventID(t))
	}
	return e
}

// eraseAll is one for a coordinate, up to a created_at.
func eraseAll(n, who int, kind uint32, upTo int64) *Event {
	e := erase(n, who)
	e.CreatedAt, e.Coordinates = upTo, []Deleted{{Kind: kind, Coordinate: announcement(1, who).Repo}}
	return e
}

// DL-01: author only, by id or by coordinate up to the deletion's own created_at. // cases 118, 119
func TestWhatADeletionReaches(t *testing.T) {
	for _, row := range []struct {
		name    string
		e       *Event
		deleted []int
	}{
		{"by id", erase(90, 1, 2), []int{2}},
		{"by id, another's", erase(90, 5, 1, 2), nil},
		{"coordinate of states, as old as one", eraseAll(90, 1, KindState, 2), []int{2}},
		{"coordinate of states, newer than all", eraseAll(90, 1, KindState, 9), []int{2, 3}},
		{"coordinate of states, older than all", eraseAll(90, 1, KindState, 1), nil},
		{"coordinate of states, another's", eraseAll(90, 5, KindState, 99), nil},
		{"for nothing", erase(90, 1, 77), nil},
	} {
		t.Run(row.name, func(t *testing.T) {
			d := newInstant(t, DefaultConfig())
			d.event(announcement(1, 1, 1), FromSync)
			d.event(state(2, 1, oid(7)), FromSync)
			d.event(state(3, 1, oid(8)), FromSync)
			d.event(row.e, FromSync)
			ok, text := d.answer(eventID(90))
			require.True(t, ok, text)
			require.ElementsMatch(t, row.deleted, nums(d.reports(RepEndedDeleted)))
			require.Equal(t, 3-len(row.deleted), d.c.Stats().Held)
		})
	}
	e := eraseAll(90, 5, KindState, 99)
	e.Coordinates[0].Owner = author(1) // names another's coordinate
	d := newInstant(t, DefaultConfig())
	d.event(announcement(1, 1, 1), FromSync)
	d.event(state(2, 1, oid(7)), FromSync)
	d.event(e, FromSync)
	require.Empty(t, d.reports(RepEndedDeleted))
}

// DL-01: deletion first, event later: refused, by the store's fact or, while the deletion is on its way to the store,
// by what was seen of it. A deletion that is not stored forbids nothing after that.
func TestDeletionFirst(t *testing.T) {
	d := newInstant(t, DefaultConfig())
	d.event(announcement(1, 1, 1), FromSync)
	d.step(Input{Kind: InEvent, Event: state(2, 1, oid(7)), Deleted: true})
	_, text := d.answer(eventID(2))
	require.Equal(t, textDeleted, text)

	d.hold = func(e Effect) bool { return e.Kind == EfStoreEvent }
	d.event(erase(90, 1, 3, 9), FromClient)
	d.event(eraseAll(91, 1, KindState, 5), FromClient)
	for _, row := range []struct {
		e    *Event
		text string
	}{
		{state(3, 1, oid(7)), textDeleted},
		{later(5, state(4, 1, oid(7))), textDeleted},
		{later(6, state(5, 1, oid(7))), textHeld},
		{erase(9, 1, 50), ""}, // a deletion is not deleted
	} {
		d.event(row.e, FromClient)
		_, text := d.answer(row.e.ID)
		require.Equal(t, row.text, text)
	}
	d.restartFrom(DefaultConfig(), 0)
	d.hold = func(e Effect) bool { return e.Kind == EfStoreEvent }
	d.event(state(3, 1, oid(7)), FromClient)
	_, text = d.answer(eventID(3))
	require.Equal(t, textDeleted, text, "a restart has not forgotten it")

	d = newInstant(t, DefaultConfig())
	d.event(announcement(1, 1, 1), FromSync)
	d.verdict = []Verdict{StoreFailed}
	d.event(erase(90, 1, 3), FromClient)
	ok, _ := d.answer(eventID(90))
	require.False(t, ok)
	d.event(state(3, 1, oid(7)), FromClient)
	_, text = d.answer(eventID(3))
	require.Equal(t, textHeld, text)
}

// DL-02, AN-06: a held announcement takes its repository along at once, a served one leaves it unlisted for the
// retention; what it alone authorised goes in the first case, its served states at the end in the second.
func TestDeletedAnnouncement(t *testing.T) {
	for _, isServed := range []bool{false, true} {
		for _, byID := range []bool{false, true} {
			d := newInstant(t, DefaultConfig())
			d.event(announcement(1, 1, 1), FromSync)
			if isServed {
				d.local[oid(1)] = true
				d.event(state(2, 1, oid(1)), FromSync)
				d.until(5 * Second)
			}
			d.event(state(3, 1, oid(7)), FromSync)
			e := eraseAll(90, 1, KindAnnouncement, 99)
			if byID {
				e = erase(90, 1, 1)
			}
			from := d.now
			d.event(e, FromClient)
			require.Contains(t, nums(d.reports(RepEndedDeleted)), 3, "nobody authorises it any more")
			require.Zero(t, d.c.Stats().Held)
			require.Zero(t, d.c.Stats().Hunts)
			if !isServed {
				require.Contains(t, nums(d.reports(RepEndedDeleted)), 1)
				require.Len(t, d.effectsOf(EfDeleteRepo), 1)
				require.Empty(t, d.c.identOf)
				continue
			}
			require.Empty(t, d.effectsOf(EfDeleteRepo))
			d.step(Input{Kind: InPushAsked, Push: &Push{ID: 1, Repo: announcement(1, 1).Repo, Updates: []RefUpdate{{Name: main, New: oid(1)}}}})
			require.Equal(t, pushNoRepo, d.effectsOf(EfPushVerdict)[0].Text)
			d.until(from + 30*Day - 1)
			require.Empty(t, d.effectsOf(EfDeleteRepo))
			d.until(from + 30*Day)
			require.Len(t, d.effectsOf(EfDeleteRepo), 1)
			require.Equal(t, []int{2}, nums(d.effectsOf(EfRemoveEvent)))
			require.Empty(t, d.c.identOf)
			require.Zero(t, d.c.Stats().URLs)
		}
	}
}

// DL-02, AN-04: announced anew before the end, the coordinate has the repository that was left behind; it is held like
// a first one and released with the state that is there.
func TestAnnouncedAnewAfterDeletion(t *testing.T) {
	d := served(t, DefaultConfig(), 1)
	d.event(erase(90, 1, 1), FromClient)
	d.until(Day)
	d.log = nil
	d.event(later(99, announcement(5, 1, 1)), FromClient)
	require.Equal(t, []int{5}, nums(d.reports(RepHeld)))
	require.Empty(t, d.effectsOf(EfCreateRepo))
	require.Equal(t, []int{5}, nums(d.reports(RepEndedReleased)), "its repository shows an authorised state (ST-09)")
	d.until(60 * Day)
	require.Empty(t, d.effectsOf(EfDeleteRepo))
}

// DL-02: deleting a served state aligns to the latest that is left, with its objects; without one the refs stay and
// pushes are refused. // ST-07
func TestDeletedServedState(t *testing.T) {
	d := newInstant(t, DefaultConfig())
	d.local[oid(1)], d.local[oid(2)] = true, true
	d.event(lists(announcement(1, 1), 2), FromSync)
	d.event(state(2, 2, oid(1)), FromSync)
	d.event(state(3, 1, oid(2)), FromSync)
	d.until(10 * Second)
	require.Len(t, d.reports(RepEndedReleased), 3)
	d.log = nil
	d.event(erase(90, 1, 3), FromClient)
	require.Empty(t, d.effectsOf(EfRemoveEvent), "the store took it out with the deletion")
	aligned := d.effectsOf(EfAlignRefs)
	require.Len(t, aligned, 1)
	require.Equal(t, []Ref{{Name: main, OID: oid(1)}}, aligned[0].Refs)
	d.event(eraseAll(91, 2, KindState, 99), FromClient)
	require.Len(t, d.effectsOf(EfAlignRefs), 1, "nothing is left to show")
	d.step(Input{Kind: InPushAsked, Push: &Push{ID: 1, Repo: announcement(1, 1).Repo, Updates: []RefUpdate{{Name: main, New: oid(1)}}}})
	require.Equal(t, pushNoState, d.effectsOf(EfPushVerdict)[0].Text)
	d.event(state(2, 2, oid(1)), FromSync) // the same id again: the store's fact would refuse it, the core does not know it
	require.Equal(t, []int{2}, nums(d.reports(RepHeld)))
}

// DL-02, I-11: held states of a deleted announcement's maintainers stay where another one, served or held, lets them
// speak. // case 91
func TestHeldStatesStayWithOtherAuthority(t *testing.T) {
	d := newInstant(t, DefaultConfig())
	d.event(lists(announcement(1, 1, 1), 3), FromSync)
	d.event(lists(announcement(2, 2, 2), 3), FromSync)
	d.event(state(4, 3, oid(7)), FromSync)
	d.event(state(5, 1, oid(8)), FromSync)
	d.event(erase(90, 1, 1), FromSync)
	require.ElementsMatch(t, []int{1, 5}, nums(d.reports(RepEndedDeleted)))
	d.remote[url+2] = map[OID]bool{oid(7): true}
	d.until(5 * Second)
	require.Contains(t, nums(d.reports(RepEndedReleased)), 4)
}

// DL-02, PR-02: a served pull request's refs go with it.
func TestDeletedServedPullRequest(t *testing.T) {
	d := served(t, DefaultConfig(), 1)
	d.local[oid(7)] = true
	d.event(pull(3, 9, oid(7), announcement(1, 1).Repo), FromSync)
	d.until(d.now + 5*Second)
	require.Equal(t, []int{3}, nums(d.reports(RepEndedReleased)))
	d.log = nil
	d.event(erase(90, 9, 3), FromClient)
	dropped := d.effectsOf(EfAlignRefs)
	require.Len(t, dropped, 1)
	require.Equal(t, NostrRef, dropped[0].Space)
	require.Equal(t, eventID(3), dropped[0].Event)
	require.Empty(t, dropped[0].OIDs)
}

// DL-02: the operator's word does what the author's does, and takes what is served out of the store; what the core does
// not know is the store's alone. A removal that fails is tried again, unless the event was published again.
func TestOperatorRemoves(t *testing.T) {
	d := served(t, DefaultConfig(), 1)
	d.step(Input{Kind: InRemove, Target: eventID(2)})
	require.Equal(t, []int{2}, nums(d.effectsOf(EfRemoveEvent)))
	d.step(Input{Kind: InRemove, Target: eventID(77)})
	require.Equal(t, []int{2, 77}, nums(d.effectsOf(EfRemoveEvent)))
	d.hold = func(e Effect) bool { return e.Kind == EfRemoveEvent }
	d.settle()
	d.step(Input{Kind: InRemove, Target: eventID(1)})
	require.Len(t, d.pending, 1)
	d.step(Input{Kind: InRemoved, Ask: d.pending[0].Ask, Class: LocalFault})
	d.pending = nil
	d.until(d.now + 30*Second)
	require.Equal(t, []int{2, 77, 1, 1}, nums(d.effectsOf(EfRemoveEvent)))
	d.step(Input{Kind: InRemoved, Ask: d.pending[0].Ask, Class: LocalFault})
	d.event(announcement(1, 1, 1), FromClient)
	d.until(d.now + 30*Second)
	require.Len(t, d.effectsOf(EfRemoveEvent), 4, "it is here again")
}

// DL-02, E-02: a deletion or the operator's word while an event is being stored: its residence ends as deleted when the
// store has spoken, whatever it says; what was stored after all is taken out again.
func TestDeletedWhileStored(t *testing.T) {
	for _, operator := range []bool{false, true} {
		for _, v := range []Verdict{StoredOK, StoreDeleted, StoreFailed} {
			d := served(t, DefaultConfig(), 1)
			d.local[oid(7)] = true
			d.hold = func(e Effect) bool { return e.Kind == EfStoreEvent && e.Event == eventID(3) }
			d.event(state(3, 1, oid(7)), FromSync)
			d.until(d.now + 5*Second)
			require.Len(t, d.pending, 1)
			if operator {
				d.step(Input{Kind: InRemove, Target: eventID(3)})
			} else {
				d.event(erase(90, 1, 3), FromClient)
			}
			require.Empty(t, d.reports(RepEndedDeleted), "only Stored ends it now")
			d.verdict = []Verdict{v}
			d.let()
			d.until(d.now + 2*Hour)
			require.Equal(t, []int{3}, nums(d.reports(RepEndedDeleted)))
			require.Empty(t, d.reports(RepEndedReleased))
			require.Equal(t, v == StoredOK, len(d.effectsOf(EfRemoveEvent)) == 1)
			aligned := d.effectsOf(EfAlignRefs)
			require.Equal(t, []Ref{{Name: main, OID: oid(1)}}, aligned[len(aligned)-1].Refs, "back to what is served")
			require.Zero(t, d.c.Stats().Asks)
		}
	}
}

// DL-01, DL-02: the same for what is stored as it is: a replacement of a served announcement, deleted by coordinate or
// removed on its way to the store, never takes effect.
func TestDeletedWhileReplacing(t *testing.T) {
	for _, how := range []string{"coordinate", "id", "operator"} {
		d := served(t, DefaultConfig(), 1)
		d.hold = func(e Effect) bool { return e.Kind == EfStoreEvent && e.Event == eventID(3) }
		d.event(later(9, lists(announcement(3, 1, 1), 5)), FromClient)
		switch how {
		case "coordinate":
			d.event(eraseAll(90, 1, KindAnnouncement, 9), FromClient)
		case "id":
			d.event(erase(90, 1, 3), FromClient)
		default:
			d.step(Input{Kind: InRemove, Target: eventID(3)})
		}
		d.let()
		require.Equal(t, []int{3}, nums(d.effectsOf(EfRemoveEvent)), how)
		require.NotContains(t, nums(d.effectsOf(EfNotify)), 3)
		a := d.c.annOf[repo+1]
		require.Equal(t, how == "coordinate", d.c.anns.At(a).Orphan, how)
		d.event(state(4, 5, oid(7)), FromSync)
		_, text := d.answer(eventID(4))
		require.Equal(t, textNoAuthor, text)
	}
}

// DL-02: an announcement that is deleted while it is being promoted is served for no longer than the store needs, then
// its repository is unlisted.
func TestDeletedWhilePromoted(t *testing.T) {
	d := newInstant(t, DefaultConfig())
	d.local[oid(1)] = true
	d.hold = func(e Effect) bool { return e.Kind == EfStoreEvent && e.Event == eventID(1) }
	d.event(announcement(1, 1), FromSync)
	d.event(state(2, 1, oid(1)), FromSync)
	d.until(5 * Second)
	require.Len(t, d.pending, 1)
	d.event(erase(90, 1, 1), FromClient)
	d.let()
	require.Equal(t, []int{1, 2}, nums(d.reports(RepEndedReleased)))
	require.Equal(t, []int{1}, nums(d.effectsOf(EfRemoveEvent)))
	require.NotContains(t, nums(d.effectsOf(EfNotify)), 1)
	require.True(t, d.c.anns.At(d.c.annOf[repo+1]).Orphan)
	require.Empty(t, d.effectsOf(EfDeleteRepo))
}

// DL-02, PR-02: the refs of a deleted pull request go from a repository that was left behind too, so that whoever
// announces it anew has none of them.
func TestDeletedPullRequestInALeftRepository(t *testing.T) {
	d := served(t, DefaultConfig(), 1)
	d.local[oid(7)] = true
	d.event(pull(3, 9, oid(7), announcement(1, 1).Repo), FromSync)
	d.until(d.now + 5*Second)
	d.event(erase(90, 1, 1), FromClient)
	d.log = nil
	d.event(erase(91, 9, 3), FromClient)
	dropped := d.effectsOf(EfAlignRefs)
	require.Len(t, dropped, 1)
	require.Equal(t, eventID(3), dropped[0].Event)
	require.Empty(t, dropped[0].OIDs)
}
