package core

import (
	"testing"

	"github.com/stretchr/testify/require"
)

// two makes a core with the served repository of author 1, listing nobody, showing state 2 (oid 1), and a
// served one of author 2 showing state 4 (oid 2).
func two(t *testing.T) *instant {
	d := newInstant(t, DefaultConfig())
	d.local[oid(1)], d.local[oid(2)] = true, true
	d.event(announcement(1, 1), FromSync)
	d.event(state(2, 1, oid(1)), FromSync)
	d.event(announcement(3, 2), FromSync)
	d.event(state(4, 2, oid(2)), FromSync)
	d.until(10 * Second)
	require.Len(t, d.reports(RepEndedReleased), 4)
	d.log, d.at = nil, nil
	return d
}

// ST-07: an announcement that widens the closure copies the objects of the newer state to its owner's
// repository and aligns its refs. // B-33; mutant 58
func TestWidenedClosureAlignsRefs(t *testing.T) {
	d := two(t)
	d.event(later(9, lists(announcement(5, 1), 2)), FromSync)
	copies, aligned := d.effectsOf(EfCopyObjects), d.effectsOf(EfAlignRefs)
	require.Len(t, copies, 1)
	require.Equal(t, []Handle{repo + 2, repo + 1}, []Handle{copies[0].From, copies[0].Repo})
	require.Equal(t, []OID{oid(2)}, copies[0].OIDs)
	require.Len(t, aligned, 1)
	require.Equal(t, repo+1, aligned[0].Repo)
	require.Equal(t, []Ref{{Name: main, OID: oid(2)}}, aligned[0].Refs)
	d.event(later(10, lists(announcement(6, 1), 2)), FromSync)
	require.Len(t, d.effectsOf(EfAlignRefs), 1, "nothing has changed")
	d.event(later(11, announcement(7, 1)), FromSync) // narrower: back to its own
	require.Len(t, d.effectsOf(EfAlignRefs), 2)
	require.Equal(t, []Ref{{Name: main, OID: oid(1)}}, d.effectsOf(EfAlignRefs)[1].Refs)
}

// ST-07, ST-09: a held announcement that lists a maintainer whose state is served gets that state's objects and
// refs as soon as its repository is made, and is promoted; a stranger's is not. // B-34; mutants 31, 58
func TestNewAnnouncementShowsAServedState(t *testing.T) {
	d := two(t)
	d.hold = func(e Effect) bool { return e.Kind == EfCreateRepo }
	d.event(lists(announcement(5, 3), 2), FromSync)
	d.event(announcement(6, 4), FromSync) // a stranger
	require.Empty(t, d.effectsOf(EfCopyObjects))
	d.let()
	aligned := d.effectsOf(EfAlignRefs)
	require.Len(t, aligned, 1)
	require.Equal(t, repo+3, aligned[0].Repo)
	require.Equal(t, []EventID{eventID(5)}, ids(d.reports(RepEndedReleased)))
	require.Equal(t, 1, d.c.Stats().Held)
}

// ST-07: a failing copy frees the repository and is tried again; a failing alignment is tried again under the
// lock. // Q-11
func TestFailedShowingIsTriedAgain(t *testing.T) {
	for _, kind := range []EffectKind{EfCopyObjects, EfAlignRefs} {
		d := two(t)
		d.hold = func(e Effect) bool { return e.Kind == kind }
		d.event(later(9, lists(announcement(5, 1), 2)), FromSync)
		require.Len(t, d.pending, 1)
		in := Input{Kind: InCopied, Ask: d.pending[0].Ask, Class: LocalFault}
		if kind == EfAlignRefs {
			in.Kind = InAligned
		}
		d.pending, d.hold = nil, nil
		d.step(in)
		d.until(25 * Second)
		require.Len(t, d.effectsOf(EfCopyObjects), map[EffectKind]int{EfCopyObjects: 1, EfAlignRefs: 1}[kind], kind)
		d.until(40 * Second)
		require.Len(t, d.effectsOf(kind), 2, kind)
		last := d.effectsOf(EfAlignRefs)
		require.Equal(t, []Ref{{Name: main, OID: oid(2)}}, last[len(last)-1].Refs)
		require.Zero(t, d.c.Stats().Asks)
	}
}

// R-03, ST-07: a copy that a crash interrupts is asked for again under its id.
func TestShowingSurvivesARestart(t *testing.T) {
	d := two(t)
	d.hold = func(e Effect) bool { return e.Kind == EfCopyObjects }
	d.event(later(9, lists(announcement(5, 1), 2)), FromSync)
	ask := d.pending[0].Ask
	c, err := Restore(DefaultConfig(), d.c.AppendState(nil))
	require.NoError(t, err)
	d.c, d.pending = c, nil
	d.step(Input{Kind: InRestarted})
	require.Len(t, d.pending, 1)
	require.Equal(t, ask, d.pending[0].Ask)
	require.Equal(t, []OID{oid(2)}, d.pending[0].OIDs)
	d.let()
	require.Len(t, d.effectsOf(EfAlignRefs), 1)
	require.Zero(t, d.c.Stats().Asks)
}

// AN-05, ST-07: a held state that a new maintainer list authorises is released at once where its objects are
// known to be, not with the next attempt. // B-33
func TestWidenedClosureReleasesWhatIsHere(t *testing.T) {
	d := newInstant(t, DefaultConfig())
	a := announcement(1, 1)
	d.hold = func(e Effect) bool {
		if e.Kind != EfCheckObjects {
			return false
		}
		in := Input{Kind: InChecked, Ask: e.Ask}
		if e.Repo == a.Repo.Repo {
			in.OIDs = append(in.OIDs, e.OIDs...)
		}
		d.queue = append(d.queue, in)
		return true
	}
	d.event(a, FromClient)
	d.event(pull(2, 9, oid(7), a.Repo), FromClient) // held with its announcement (PR-04)
	d.event(announcement(3, 2), FromClient)
	d.event(state(4, 2, oid(7)), FromClient)
	require.Empty(t, d.reports(RepEndedReleased))
	d.event(later(9, lists(announcement(5, 1), 2)), FromClient)
	require.Contains(t, ids(d.reports(RepEndedReleased)), eventID(4))
	require.Contains(t, ids(d.reports(RepEndedReleased)), eventID(5))
}
