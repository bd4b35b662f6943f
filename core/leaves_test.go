package core

import (
	"testing"

	"github.com/stretchr/testify/require"
)

// ST-05: satisfied when one repository has every non-symbolic object; the parts of two are not enough. // cases 94, 99; mutants 18, 20
func TestSatisfied(t *testing.T) {
	for _, row := range []struct {
		name   string
		has    []map[OID]bool // of repositories 1 and 2
		wanted bool
	}{
		{"all in the second", []map[OID]bool{{}, {oid(7): true, oid(8): true}}, true},
		{"one here, one there", []map[OID]bool{{oid(7): true}, {oid(8): true}}, false},
	} {
		t.Run(row.name, func(t *testing.T) {
			d := newInstant(t, DefaultConfig())
			d.hold = func(e Effect) bool {
				if e.Kind != EfCheckObjects {
					return false
				}
				in := Input{Kind: InChecked, Ask: e.Ask}
				for _, o := range e.OIDs {
					if row.has[e.Repo-repo-1][o] {
						in.OIDs = append(in.OIDs, o)
					}
				}
				d.queue = append(d.queue, in)
				return true
			}
			d.event(lists(announcement(1, 1), 2), FromSync)
			d.event(lists(announcement(2, 2), 1), FromSync)
			e := state(3, 1, oid(7), oid(8), oid(9))
			e.Refs[2].Symbolic = true
			d.event(e, FromSync)
			d.until(5 * Second)
			if !row.wanted {
				require.Empty(t, d.effectsOf(EfStoreEvent))
				return
			}
			copies := d.effectsOf(EfCopyObjects) // ST-08: to the first owner's, from where it is
			require.Len(t, copies, 1)
			require.Equal(t, []Handle{repo + 2, repo + 1}, []Handle{copies[0].From, copies[0].Repo})
			require.Equal(t, []OID{oid(7), oid(8)}, copies[0].OIDs)
			require.Len(t, d.effectsOf(EfAlignRefs), 2)
			require.Len(t, d.reports(RepEndedReleased), 3)
		})
	}
}

// ST-07: oldest first; the latest alone is applied; an older held one of its author goes as replaced. // cases 101, 102; mutant 29
func TestLatestState(t *testing.T) {
	for _, order := range [][]int{{0, 1}, {1, 0}} {
		d := newInstant(t, DefaultConfig())
		d.event(lists(announcement(1, 1), 2), FromSync)
		two := []*Event{later(5, state(2, 1, oid(7))), later(5, state(3, 2, oid(8)))} // as old: the lower id is latest
		for _, i := range order {
			d.event(two[i], FromSync)
		}
		d.local[oid(7)], d.local[oid(8)] = true, true
		d.until(5 * Second)
		aligned := d.effectsOf(EfAlignRefs)
		require.Equal(t, []Ref{{Name: main, OID: oid(7)}}, aligned[len(aligned)-1].Refs)
		require.Len(t, aligned, 1)
		require.Contains(t, ids(d.reports(RepEndedReleased)), eventID(3)) // stored without touching refs
	}
	d := newInstant(t, DefaultConfig())
	d.event(announcement(1, 1), FromSync)
	d.event(state(2, 1, oid(7)), FromSync)
	d.local[oid(8)] = true
	d.event(state(3, 1, oid(8)), FromSync)
	require.Equal(t, []EventID{eventID(2)}, ids(d.reports(RepEndedReplaced)))
}

// ST-08, ST-09: each step follows the one before; an announcement is promoted by its own repository's state
// alone, before its event leaves purgatory. // mutants 30, 31, 57
func TestStepsOfARelease(t *testing.T) {
	d := newInstant(t, DefaultConfig())
	d.local[oid(1)] = true
	d.event(lists(announcement(1, 1), 3), FromSync)
	d.event(announcement(2, 2), FromSync) // a stranger, held
	d.log = nil
	d.event(state(3, 3, oid(1)), FromSync)
	var steps []string
	for _, e := range d.log {
		if e.Kind == EfReport && !e.Report.Ends() || e.Kind == EfAnswer || e.Kind == EfCheckObjects {
			continue
		}
		name := e.Kind.String()
		if e.Kind == EfReport {
			name = e.Report.String()
		}
		steps = append(steps, name+" "+string('0'+rune(e.Event[31])))
	}
	require.Equal(t, []string{"align-refs 0", "store-event 3", "store-event 1", "released 1", "notify 1", "released 3", "notify 3"}, steps)
	require.Equal(t, 1, d.c.Stats().Held)
}

// PR-02, PR-04: a PR whose commit is here is served with its ref in every served repository it names; while all
// of them are held it is held too.
func TestPRWithItsCommit(t *testing.T) {
	d := newInstant(t, DefaultConfig())
	a := announcement(1, 1)
	d.local[oid(1)], d.local[oid(7)] = true, true
	d.event(a, FromSync)
	d.event(pull(2, 9, oid(7), a.Repo), FromSync)
	d.until(5 * Second)
	require.Empty(t, d.effectsOf(EfStoreEvent))
	d.event(state(3, 1, oid(1)), FromSync)
	d.until(10 * Second)
	require.Equal(t, []EventID{eventID(1), eventID(3), eventID(2)}, ids(d.reports(RepEndedReleased)))
	refs := d.effectsOf(EfAlignRefs)
	require.Equal(t, NostrRef, refs[1].Space)
	require.Equal(t, []OID{oid(7)}, refs[1].OIDs)
}

// P-02, P-03, P-05: what may be pushed. // cases 95, 96, 98, 105, 107
func TestPushVerdicts(t *testing.T) {
	served, held := Ref{Name: main, OID: oid(1)}, Ref{Name: main, OID: oid(7)}
	for _, row := range []struct {
		name    string
		current []Ref
		updates []RefUpdate
		ok      bool
	}{
		{"nothing", nil, nil, false},
		{"the latest state", []Ref{served}, []RefUpdate{{Name: main, Old: oid(1), New: oid(7)}}, true},
		{"the served, older state", nil, []RefUpdate{{Name: main, New: oid(1)}}, false},
		{"what nobody named", []Ref{served}, []RefUpdate{{Name: main, New: oid(9)}}, false},
		{"leaves one behind", []Ref{served, {Name: main + 1, OID: oid(1)}}, []RefUpdate{{Name: main, New: oid(7)}}, false},
		{"and deletes it", []Ref{served, {Name: main + 1, OID: oid(1)}}, []RefUpdate{{Name: main, New: oid(7)}, {Name: main + 1, Old: oid(1)}}, true},
		{"rides along", []Ref{served}, []RefUpdate{{Name: main, New: oid(7)}, {Name: 900, New: oid(7), Space: OtherRef}}, false},
		{"PR ref, its commit", nil, []RefUpdate{{Name: 901, New: oid(8), Space: NostrRef, Event: eventID(4)}}, true},
		{"PR ref, another commit", nil, []RefUpdate{{Name: 901, New: oid(7), Space: NostrRef, Event: eventID(4)}}, false},
		{"a no-op", []Ref{held}, []RefUpdate{{Name: main, Old: oid(7), New: oid(7)}}, true},
	} {
		t.Run(row.name, func(t *testing.T) {
			d := newInstant(t, DefaultConfig())
			d.local[oid(1)] = true
			a := announcement(1, 1)
			d.event(a, FromSync)
			d.event(state(2, 1, oid(1)), FromSync)
			d.event(state(3, 1, oid(7)), FromClient)
			d.event(pull(4, 9, oid(8), a.Repo), FromClient)
			d.step(Input{Kind: InPushAsked, Push: &Push{ID: 5, Repo: a.Repo, Current: row.current, Updates: row.updates}})
			v := d.effectsOf(EfPushVerdict)[0]
			require.Equal(t, row.ok, v.OK, v.Text)
			require.Equal(t, row.ok, v.Text == "")
			require.Equal(t, row.ok, d.c.Stats().Pushes == 1)
		})
	}
}

// P-04, P-05, E-05: a push pins; at its end the state it brought is released, then the client is answered, with
// git's own outcome; a moved ref renews. After 30 min the pin is out and a recheck refused.
func TestPushFromEndToEnd(t *testing.T) {
	d := newInstant(t, DefaultConfig())
	a := announcement(1, 1)
	d.event(a, FromClient)
	d.event(state(2, 1, oid(7)), FromClient)
	d.until(29 * Minute)
	p := &Push{ID: 5, Repo: a.Repo, Updates: []RefUpdate{{Name: main, New: oid(7)}}, Moved: true}
	d.step(Input{Kind: InPushAsked, Push: p})
	d.until(30 * Minute)
	require.Empty(t, d.effectsOf(EfDeleteRepoIfNoRefs), "pinned")
	d.event(later(9, state(3, 1, oid(7))), FromClient)
	d.step(Input{Kind: InPushRecheck, Push: p})
	require.True(t, d.effectsOf(EfPushVerdict)[1].OK)
	d.local[oid(7)] = true
	d.step(Input{Kind: InPushEnded, Push: p})
	d.settle()
	require.Equal(t, []EventID{eventID(1), eventID(3)}, ids(d.reports(RepEndedReleased)))
	require.Equal(t, EfAnswerPush, d.log[len(d.log)-1].Kind)
	require.True(t, d.log[len(d.log)-1].OK)

	p = &Push{ID: 6, Repo: a.Repo, Current: []Ref{{Name: main, OID: oid(7)}}, Updates: []RefUpdate{{Name: main, Old: oid(1), New: oid(7)}}}
	d.step(Input{Kind: InPushAsked, Push: p})
	d.now += 30*Minute + 1
	d.step(Input{Kind: InPushRecheck, Push: p})
	require.False(t, d.effectsOf(EfPushVerdict)[3].OK)
	d.step(Input{Kind: InPushEnded, Push: p, Class: LocalFault})
	d.settle()
	require.False(t, d.effectsOf(EfAnswerPush)[1].OK)
}

// P-04, P-05: a pin lasts 30 min at most: the announcement it kept expires then, and the push that comes to
// its end after that is still answered.
func TestPushThatOutlivesItsPinIsAnswered(t *testing.T) {
	d := newInstant(t, DefaultConfig())
	a := announcement(1, 1)
	d.event(a, FromClient)
	d.event(state(2, 1, oid(7)), FromClient)
	p := &Push{ID: 5, Repo: a.Repo, Updates: []RefUpdate{{Name: main, New: oid(7)}}}
	d.until(29 * Minute)
	d.step(Input{Kind: InPushAsked, Push: p})
	d.until(59*Minute - 1)
	require.Empty(t, d.effectsOf(EfDeleteRepoIfNoRefs))
	d.until(59 * Minute)
	require.Len(t, d.effectsOf(EfDeleteRepoIfNoRefs), 1)
	d.step(Input{Kind: InPushEnded, Push: p, Class: LocalFault})
	d.settle()
	require.Len(t, d.effectsOf(EfAnswerPush), 1)
	require.Zero(t, d.c.Stats().Pushes)
}
