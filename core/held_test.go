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
