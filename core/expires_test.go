package core

import (
	"testing"

	"github.com/stretchr/testify/require"
)

// E-01, E-03, E-04: a state lives 30 min, an announcement 30 min and 24 h; then synced copies are refused,
// clients' are not, and new evidence lifts the memory. // cases 72, 75, 77; mutants 21, 23
func TestLives(t *testing.T) {
	d := newInstant(t, DefaultConfig())
	d.event(announcement(1, 1, 1), FromSync)
	d.until(20 * Minute)
	d.event(state(2, 1, oid(7)), FromSync) // keeps its announcement: until 50 min (E-05)
	d.until(50*Minute - 1)
	require.Equal(t, 2, d.c.Stats().Held)
	d.until(50 * Minute)
	require.Equal(t, []EventID{eventID(2)}, ids(d.reports(RepEndedExpired)))
	require.Len(t, d.effectsOf(EfDeleteRepoIfNoRefs), 1)
	require.Equal(t, []EventID{eventID(1)}, ids(d.reports(RepSoftExpired)))
	d.event(state(2, 1, oid(7)), FromSync)
	ok, text := d.answer(eventID(2))
	require.False(t, ok)
	require.Equal(t, textExpired, text)
	d.until(24*Hour + 50*Minute)
	require.Equal(t, []EventID{eventID(2), eventID(1)}, ids(d.reports(RepEndedExpired)))
	require.Zero(t, d.c.Stats().Held)
	d.event(announcement(1, 1, 1), FromSync)
	_, text = d.answer(eventID(1))
	require.Equal(t, textExpired, text)
	require.Len(t, d.effectsOf(EfCreateRepo), 1)
	d.event(later(9, announcement(3, 1, 1)), FromSync) // new evidence
	d.event(state(2, 1, oid(7)), FromSync)
	_, text = d.answer(eventID(2))
	require.Equal(t, textHeld, text)
	d.event(announcement(1, 1, 1), FromClient)
	_, text = d.answer(eventID(1))
	require.Equal(t, textOlder, text)
}

// E-03: a client's copy of an expired event is admitted. // case 75
func TestExpiredCopyFromAClient(t *testing.T) {
	d := served(t, DefaultConfig(), 1)
	d.event(state(3, 1, oid(7)), FromSync)
	d.until(31 * Minute)
	d.event(state(3, 1, oid(7)), FromClient)
	_, text := d.answer(eventID(3))
	require.Equal(t, textHeld, text)
}

// E-04, E-05: a state revives a soft-expired announcement: the repository is made anew and the deadline is set
// to 30 min from now. A refused one does not. // case 78; mutants 22, 25
func TestRevival(t *testing.T) {
	d := newInstant(t, DefaultConfig())
	d.event(announcement(1, 1, 1), FromSync)
	d.until(90 * Minute)
	d.event(state(2, 8, oid(7)), FromSync)
	require.Empty(t, d.reports(RepRevived))
	d.event(state(3, 1, oid(7)), FromSync)
	require.Len(t, d.reports(RepRevived), 1)
	require.Equal(t, 120*Minute, d.reports(RepRevived)[0].Deadline)
	require.Len(t, d.effectsOf(EfCreateRepo), 2)
	d.until(120 * Minute)
	require.Len(t, d.reports(RepSoftExpired), 2)
	require.Equal(t, 120*Minute+Day, d.reports(RepSoftExpired)[1].Deadline)
}

// E-04: refs found keep the announcement; a failed deletion is tried again; a state that comes meanwhile waits,
// then recreates. // case 79; mutants 28, 59
func TestDeletionOfAnExpiredRepository(t *testing.T) {
	for _, row := range []string{"refs", "failure", "state"} {
		t.Run(row, func(t *testing.T) {
			d := newInstant(t, DefaultConfig())
			d.event(announcement(1, 1, 1), FromSync)
			d.hold = func(e Effect) bool { return e.Kind == EfDeleteRepoIfNoRefs }
			d.until(30 * Minute)
			ask := d.pending[0].Ask
			d.pending = nil
			switch row {
			case "refs":
				d.step(Input{Kind: InRepoDeleted, Ask: ask, HadRefs: true})
				require.Equal(t, Hour, d.reports(RepExtended)[0].Deadline)
			case "failure":
				d.step(Input{Kind: InRepoDeleted, Ask: ask, Class: LocalFault})
				d.until(31 * Minute)
				require.Len(t, d.pending, 1)
				require.Empty(t, d.reports(RepSoftExpired))
			case "state":
				d.event(state(2, 1, oid(7)), FromSync)
				require.Len(t, d.effectsOf(EfCreateRepo), 1)
				d.step(Input{Kind: InRepoDeleted, Ask: ask})
				require.Len(t, d.effectsOf(EfCreateRepo), 2)
				require.Len(t, d.reports(RepRevived), 1)
			}
		})
	}
}

// E-02: a pass in flight at the deadline keeps its event; what it brings is released. // case 89; mutants 21, 56
func TestPassInFlightAtTheDeadline(t *testing.T) {
	for _, brings := range []bool{true, false} {
		d := served(t, DefaultConfig(), 1)
		from := d.now
		d.event(state(3, 1, oid(7)), FromSync)
		d.until(from + 28*Minute)
		d.hold = func(e Effect) bool { return e.Kind == EfCompare }
		d.until(from + 30*Minute + 20*Second)
		require.Empty(t, d.reports(RepEndedExpired))
		if brings {
			d.remote[url+1] = map[OID]bool{oid(7): true}
		}
		d.let()
		require.Len(t, d.reports(RepEndedReleased), map[bool]int{true: 1}[brings])
		require.Len(t, d.reports(RepEndedExpired), map[bool]int{false: 1}[brings])
	}
}
