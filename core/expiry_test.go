package core

import (
	"testing"

	"github.com/stretchr/testify/require"
)

// E-04, E-05: the two deadlines of an announcement nobody pushes to, 30 min and 24 h more, and both sides of the last
// instant of each: a state at that very instant keeps or revives it, a Wake before it does not. // T-02; cases 77, 78
func TestRevivalAtTheLastInstant(t *testing.T) {
	const end = 30*Minute + Day // 88,200 s
	for _, row := range []struct {
		name    string
		at      Time
		woken   bool
		revived bool
		held    bool
	}{
		{"before the first deadline's Wake", 30 * Minute, false, false, true},
		{"after it", 30 * Minute, true, true, true},
		{"a nanosecond before the end", end - 1, true, true, true},
		{"at the end, before the Wake", end, false, true, true},
		{"at the end, after the Wake", end, true, false, false},
	} {
		t.Run(row.name, func(t *testing.T) {
			d := newInstant(t, DefaultConfig())
			d.event(announcement(1, 1), FromSync)
			d.until(row.at - 1)
			d.now = row.at
			if row.woken {
				d.settle()
			}
			d.event(state(2, 1, oid(7)), FromClient)
			require.Equal(t, row.revived, len(d.reports(RepRevived)) == 1)
			_, text := d.answer(eventID(2))
			if !row.held {
				require.Equal(t, textNoAuthor, text)
				require.Equal(t, []int{1}, nums(d.reports(RepEndedExpired)))
				return
			}
			require.Equal(t, textHeld, text)
			require.Len(t, d.effectsOf(EfCreateRepo), map[bool]int{true: 2, false: 1}[row.revived])
			d.until(row.at + 30*Minute - 1) // the new deadline is set, not added (E-05)
			soft := len(d.reports(RepSoftExpired))
			d.until(row.at + 30*Minute)
			require.Len(t, d.reports(RepSoftExpired), soft+1)
		})
	}
}

// E-04: a repository that cannot be deleted leaves its announcement active: it is tried again after the first backoff,
// can be pushed to meanwhile, and a state that came is what keeps it. // case 79
func TestUndeletableRepositoryStaysActive(t *testing.T) {
	for _, stateCame := range []bool{false, true} {
		d := newInstant(t, DefaultConfig())
		d.event(announcement(1, 1), FromSync)
		d.hold = func(e Effect) bool { return e.Kind == EfDeleteRepoIfNoRefs }
		d.until(30 * Minute)
		if stateCame {
			d.event(state(2, 1, oid(7)), FromClient)
			require.Empty(t, d.reports(RepRevived), "it waits for the deletion")
		}
		d.step(Input{Kind: InRepoDeleted, Ask: d.pending[0].Ask, Class: LocalFault})
		d.pending = nil
		d.step(Input{Kind: InPushAsked, Push: &Push{ID: 1, Repo: announcement(1, 1).Repo, Updates: []RefUpdate{{Name: main, New: oid(7)}}}})
		require.Equal(t, stateCame, d.effectsOf(EfPushVerdict)[0].OK, d.effectsOf(EfPushVerdict)[0].Text)
		d.until(30*Minute + 20*Second)
		if stateCame {
			require.Empty(t, d.pending, "extended by the state")
			require.Equal(t, 60*Minute, d.reports(RepExtended)[0].Deadline)
			require.Len(t, d.effectsOf(EfCreateRepo), 1)
			continue
		}
		require.Len(t, d.pending, 1)
		d.let()
		require.Equal(t, []int{1}, nums(d.reports(RepSoftExpired)))
		require.Equal(t, 30*Minute+20*Second+Day, d.reports(RepSoftExpired)[0].Deadline)
	}
}

// E-04: a state that arrives while the repository is being deleted waits and has it made again when it is gone; a state
// that nothing can satisfy does not, it never extends (ST-03).
func TestStateWhileDeleting(t *testing.T) {
	for _, hopeless := range []bool{false, true} {
		d := newInstant(t, DefaultConfig())
		d.event(announcement(1, 1, 1), FromSync)
		d.remote[url+1] = map[OID]bool{oid(7): true}
		d.hold = func(e Effect) bool { return e.Kind == EfDeleteRepoIfNoRefs }
		d.until(30 * Minute)
		e := state(2, 1, oid(7))
		e.Unsatisfied = hopeless
		d.event(e, FromSync)
		d.until(31 * Minute)
		require.Empty(t, d.reports(RepRevived))
		passes := len(d.effectsOf(EfCompare))
		d.let()
		require.Equal(t, hopeless, len(d.reports(RepRevived)) == 0)
		require.Len(t, d.effectsOf(EfCreateRepo), map[bool]int{true: 1, false: 2}[hopeless])
		d.until(32 * Minute)
		require.Equal(t, !hopeless, len(d.effectsOf(EfCompare)) > passes)
		require.Len(t, d.reports(RepEndedReleased), map[bool]int{true: 0, false: 2}[hopeless])
	}
}

// a clock that stepped back while the relay was down leaves nobody more than one lifetime from the restart: a
// state, a pull request, an announcement, a soft-expired one, an unlisted repository. // case 87
func TestClockSteppedBackOverARestart(t *testing.T) {
	cfg := DefaultConfig()
	for _, row := range []struct {
		name string
		end  Time
		gone func(*instant) bool
		held func(*instant)
	}{
		{"state and PR", 30 * Minute, func(d *instant) bool { return len(d.reports(RepEndedExpired)) == 2 }, func(d *instant) {
			d.event(state(3, 1, oid(7)), FromClient)
			d.event(pull(4, 9, oid(8), announcement(1, 1).Repo), FromClient)
		}},
		{"announcement", 30 * Minute, func(d *instant) bool { return len(d.reports(RepSoftExpired)) == 1 }, func(d *instant) {
			d.event(announcement(5, 2), FromClient)
		}},
		{"soft-expired", Day, func(d *instant) bool { return len(d.reports(RepEndedExpired)) == 1 }, func(d *instant) {
			d.event(announcement(5, 2), FromClient)
			d.until(d.now + 30*Minute)
		}},
		{"unlisted", cfg.UnlistedRetention, func(d *instant) bool { return len(d.effectsOf(EfDeleteRepo)) == 1 }, func(d *instant) {
			d.event(later(9, elsewhere(announcement(6, 1))), FromClient)
		}},
	} {
		t.Run(row.name, func(t *testing.T) {
			d := served(t, cfg)
			row.held(d)
			d.until(d.now + Minute)
			d.restartFrom(cfg, -100*Day)
			d.hold = func(e Effect) bool { return false }
			from := d.now
			d.until(from + row.end - 1)
			require.False(t, row.gone(d))
			d.until(from + row.end)
			require.True(t, row.gone(d))
		})
	}
}

// ST-08: what the store refuses for good ends as refused, and the repository is set back: to the latest served state, or
// the pull request's ref is gone. What waited behind it is released.
func TestStoreRefusesForGood(t *testing.T) {
	for _, v := range []Verdict{StoreSuperseded, StoreDeleted} {
		d := served(t, DefaultConfig(), 1)
		d.local[oid(7)], d.local[oid(8)] = true, true
		d.verdict = []Verdict{v}
		d.event(state(3, 1, oid(7)), FromSync)
		d.until(d.now + 5*Second)
		require.Equal(t, []int{3}, nums(d.reports(RepEndedRefused)))
		aligned := d.effectsOf(EfAlignRefs)
		require.Len(t, aligned, 2)
		require.Equal(t, []Ref{{Name: main, OID: oid(1)}}, aligned[1].Refs)
		d.verdict = []Verdict{v}
		d.event(pull(4, 9, oid(8), announcement(1, 1).Repo), FromSync)
		d.until(d.now + 5*Second)
		require.Equal(t, []int{3, 4}, nums(d.reports(RepEndedRefused)))
		aligned = d.effectsOf(EfAlignRefs)
		require.Len(t, aligned, 4)
		require.Equal(t, NostrRef, aligned[3].Space)
		require.Empty(t, aligned[3].OIDs)
		d.event(state(5, 1, oid(8)), FromSync)
		d.until(d.now + 5*Second)
		require.Equal(t, []int{5}, nums(d.reports(RepEndedReleased)))
		require.Zero(t, d.c.Stats().Asks)
	}
}

// ST-07: a state whose release failed while a newer one of its author was served is replaced, not tried again.
func TestFailedReleaseBehindANewerOne(t *testing.T) {
	d := newInstant(t, DefaultConfig())
	d.event(lists(announcement(1, 1), 3), FromSync)
	d.event(lists(announcement(2, 2), 3), FromSync)
	d.local[oid(1)], d.local[oid(7)], d.local[oid(8)] = true, true, true
	d.event(state(4, 1, oid(1)), FromSync)
	d.event(state(5, 2, oid(1)), FromSync)
	d.until(5 * Second)
	d.hold = func(e Effect) bool { return e.Kind == EfStoreEvent && e.Event == eventID(6) }
	d.event(state(6, 3, oid(7)), FromSync)
	d.until(7 * Second)
	require.Len(t, d.pending, 1)
	d.hold = nil
	d.event(later(8, elsewhere(lists(announcement(10, 1), 3))), FromSync) // 1 and 2 leave us, a third comes
	d.event(later(8, elsewhere(lists(announcement(11, 2), 3))), FromSync)
	d.event(lists(announcement(12, 4), 3), FromSync)
	d.event(state(13, 3, oid(8)), FromSync)
	d.until(30 * Second)
	require.Contains(t, nums(d.reports(RepEndedReleased)), 13)
	d.step(Input{Kind: InStored, Ask: d.pending[0].Ask, Verdict: StoreFailed})
	d.settle()
	require.Contains(t, nums(d.reports(RepEndedReplaced)), 6)
}

// ST-06, I-11: an empty state clears what somebody of the same repository said; a stranger's older state under the same
// name is nothing to clear. // case 97
func TestEmptyStateNeedsItsOwn(t *testing.T) {
	d := newInstant(t, DefaultConfig())
	d.local[oid(1)] = true
	d.event(announcement(1, 1), FromSync)
	d.event(state(2, 1, oid(1)), FromSync)
	d.event(announcement(3, 2), FromSync)
	d.until(5 * Second)
	d.event(state(4, 2), FromSync)
	_, text := d.answer(eventID(4))
	require.Equal(t, textEmpty, text)
	d.event(later(9, lists(announcement(5, 2), 1)), FromSync) // now 1 speaks for 2's repository
	d.until(30 * Second)
	d.event(state(6, 2), FromSync)
	require.Contains(t, nums(d.reports(RepHeld)), 6)
}

// E-05: a state that arrives while the repository is being deleted gives the announcement its thirty minutes also where the
// deletion finds a ref that somebody else left there, however soon that ref goes.
func TestStateWhileADeletionFindsAPlaceholder(t *testing.T) {
	for _, stateCame := range []bool{false, true} {
		d := newInstant(t, DefaultConfig())
		a := announcement(1, 1)
		d.event(a, FromSync)
		d.until(2 * Minute)
		ok, text := d.push(pushTo(5, a, ofPR(9, oid(7)))) // by a stranger
		require.True(t, ok, text)
		d.hold = func(e Effect) bool { return e.Kind == EfDeleteRepoIfNoRefs }
		d.until(30 * Minute)
		require.Len(t, d.pending, 1)
		if stateCame {
			d.event(state(2, 1, oid(8)), FromSync)
		}
		d.step(Input{Kind: InRepoDeleted, Ask: d.pending[0].Ask, HadRefs: true})
		d.pending = nil
		want := 32 * Minute // with the placeholder
		if stateCame {
			want = 60 * Minute
		}
		require.Equal(t, want, d.reports(RepExtended)[0].Deadline)
		d.until(want - 1)
		require.Empty(t, d.pending)
		d.until(want)
		require.Len(t, d.pending, 1)
	}
}
