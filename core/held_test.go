package core

import (
	"testing"

	"github.com/stretchr/testify/require"
)

// S-02, S-04, ST-01, PR-01, AN-03: what is refused at the door, and in what words. // cases 103, 106, 108, 111
func TestRefusals(t *testing.T) {
	for _, row := range []struct {
		name   string
		event  func(*Event) *Event
		in     Input
		ok     bool
		answer string
	}{
		{"state of an unknown repository", func(e *Event) *Event { return under(9, state(3, 1, oid(7))) }, Input{}, false, textNoAuthor},
		{"state of a stranger", func(e *Event) *Event { return state(3, 8, oid(7)) }, Input{}, false, textNoAuthor},
		{"state of a maintainer", func(e *Event) *Event { return state(3, 2, oid(7)) }, Input{}, true, textHeld},
		{"older than the served", func(e *Event) *Event { return later(1, state(3, 1, oid(7))) }, Input{}, false, textOlder},
		{"too far ahead", func(e *Event) *Event { return later(12+900, state(3, 1, oid(7))) }, Input{}, false, textFuture},
		{"just within", func(e *Event) *Event { return later(10+900, state(3, 1, oid(7))) }, Input{}, true, textHeld},
		{"too big", func(e *Event) *Event { s := state(3, 1, oid(7)); s.Size = 1<<20 + 1; return s }, Input{}, false, "invalid: event of 1048577 bytes is too large; at most 1048576 are taken of its kind"},
		{"a big state", func(e *Event) *Event { s := state(3, 1, oid(7)); s.Size = 1 << 20; return s }, Input{}, true, textHeld},
		{"stored already", func(e *Event) *Event { return state(3, 1, oid(7)) }, Input{Duplicate: true}, true, textDuplicate},
		{"deleted", func(e *Event) *Event { return state(3, 1, oid(7)) }, Input{Deleted: true}, false, textDeleted},
		{"protected, not authenticated", func(e *Event) *Event { s := state(3, 1, oid(7)); s.Protected = true; return s }, Input{}, false, textProtected},
		{"protected, authenticated", func(e *Event) *Event { s := state(3, 1, oid(7)); s.Protected = true; return s }, Input{Authed: true}, true, textHeld},
		{"protected, synced", func(e *Event) *Event { s := state(3, 1, oid(7)); s.Protected = true; return s }, Input{Authed: true, Origin: FromSync}, false, textProtected},
		{"PR without commit", func(e *Event) *Event { return pull(3, 9, OID{}, e.Repo) }, Input{}, false, textNoCommit},
		{"PR for nobody here", func(e *Event) *Event { return pull(3, 9, oid(7), announcement(8, 8).Repo) }, Input{}, false, textNoRepo},
		{"announcement elsewhere", func(e *Event) *Event { a := announcement(3, 7); a.ListsUs = false; return a }, Input{}, false, textNotListed},
		{"issue about nothing here", func(e *Event) *Event { return &Event{ID: eventID(3), Kind: KindIssue} }, Input{}, false, textKind},
		{"empty state with an older one to clear", func(e *Event) *Event { return state(3, 1) }, Input{}, true, textHeld},
	} {
		t.Run(row.name, func(t *testing.T) {
			d := newInstant(t, DefaultConfig())
			d.local[oid(1)] = true
			a := lists(announcement(1, 1, 1), 2)
			d.event(a, FromSync)
			d.event(state(2, 1, oid(1)), FromSync)
			d.until(10 * Second)
			row.in.Kind, row.in.Event = InEvent, row.event(a)
			d.step(row.in)
			d.settle()
			ok, text := d.answer(row.in.Event.ID)
			require.Equal(t, row.answer, text)
			require.Equal(t, row.ok, ok)
			if !ok {
				require.NotContains(t, ids(d.reports(RepHeld)), eventID(3))
			}
		})
	}
}

// ST-06: an empty state is refused where nothing older exists, and clears the refs where it does. // case 97
func TestEmptyState(t *testing.T) {
	d := newInstant(t, DefaultConfig())
	d.event(announcement(1, 1), FromSync)
	d.event(state(2, 1), FromClient)
	_, text := d.answer(eventID(2))
	require.Equal(t, textEmpty, text)
	d.local[oid(1)] = true
	d.event(state(3, 1, oid(1)), FromSync)
	d.event(state(4, 1), FromSync)
	aligned := d.effectsOf(EfAlignRefs)
	require.Len(t, aligned, 2)
	require.Empty(t, aligned[1].Refs)
	require.Equal(t, []Ref{{Name: main, OID: oid(1)}}, aligned[1].Old)
	require.Len(t, d.reports(RepEndedReleased), 3)
}

// S-05, AN-05: a synced state that came before its announcement is taken in when that comes; not after 2 min,
// and not a client's. // case 130
func TestEarlyStates(t *testing.T) {
	for _, row := range []struct {
		origin Origin
		wait   Time
		held   bool
	}{{FromSync, 0, true}, {FromSync, 2*Minute - 1, true}, {FromSync, 2 * Minute, false}, {FromClient, 0, false}} {
		d := newInstant(t, DefaultConfig())
		d.event(state(2, 5, oid(7)), row.origin)
		d.now = row.wait
		d.event(lists(announcement(1, 1, 1), 5), FromSync)
		want := []EventID{eventID(1)}
		if row.held {
			want = append(want, eventID(2))
		}
		require.Equal(t, want, ids(d.reports(RepHeld)))
		require.Zero(t, d.c.Stats().Early)
	}
}

// AN-04, E-06: the first announcement makes a repository and is held; a newer version replaces it with a fresh
// life, an older never; one that lists us no more evicts it. // case 90; mutants 24, 29
func TestVersionsOfAHeldAnnouncement(t *testing.T) {
	for _, row := range []struct {
		name     string
		at       int64
		id       int
		unlisted bool
		report   ReportKind
		text     string
	}{
		{"newer", 6, 9, false, RepEndedReplaced, textHeld},
		{"older", 4, 9, false, RepNone, textOlder},
		{"as old, lower id", 5, 1, false, RepEndedReplaced, textHeld},
		{"as old, higher id", 5, 9, false, RepNone, textOlder},
		{"newer, not listing us", 6, 9, true, RepEndedReplaced, textNotListed},
		{"older, not listing us", 4, 9, true, RepNone, textOlder},
	} {
		t.Run(row.name, func(t *testing.T) {
			d := newInstant(t, DefaultConfig())
			d.event(later(5, announcement(2, 1, 1)), FromSync)
			require.Len(t, d.effectsOf(EfCreateRepo), 1)
			d.until(10 * Minute)
			e := later(row.at, announcement(row.id, 1, 1))
			e.ListsUs = !row.unlisted
			d.event(e, FromSync)
			_, text := d.answer(e.ID)
			require.Equal(t, row.text, text)
			if row.report != RepNone {
				require.Equal(t, []EventID{eventID(2)}, ids(d.reports(row.report)))
			}
			require.Len(t, d.effectsOf(EfCreateRepo), 1)
			held := 1
			if row.unlisted && row.report != RepNone {
				held = 0
			}
			require.Equal(t, held, d.c.Stats().Held)
			d.until(30 * Minute)
			soft := 1
			if row.report != RepNone {
				soft = 0
			}
			require.Len(t, d.reports(RepSoftExpired), soft)
		})
	}
}

// AN-03: listed by an announcement here, an announcement that does not list us is served at once, without a repository.
func TestMaintainerException(t *testing.T) {
	d := newInstant(t, DefaultConfig())
	d.event(lists(announcement(1, 1), 2), FromSync)
	e := announcement(2, 2)
	e.ListsUs = false
	d.event(e, FromSync)
	require.Len(t, d.effectsOf(EfCreateRepo), 1)
	require.Len(t, d.effectsOf(EfStoreEvent), 1)
	require.Equal(t, []EventID{eventID(1)}, ids(d.reports(RepHeld)))
}

// I-11, DL-02: deleting one's own announcement takes nobody else's events along. // case 91; mutant 32
func TestDeletionReachesOnlyOnesOwn(t *testing.T) {
	d := newInstant(t, DefaultConfig())
	d.event(announcement(1, 1, 1), FromSync)
	d.event(announcement(2, 2, 2), FromSync)
	d.event(state(3, 1, oid(7)), FromSync)
	d.event(&Event{ID: eventID(9), Author: author(2), Kind: KindDeletion, Targets: []EventID{eventID(1), eventID(2), eventID(3)}}, FromSync)
	require.Equal(t, []EventID{eventID(2)}, ids(d.reports(RepEndedDeleted)))
	require.Equal(t, 2, d.c.Stats().Held)
}
