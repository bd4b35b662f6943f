package core

import (
	"testing"

	"github.com/stretchr/testify/require"

	"graspsync/core/purgatory"
)

// PR-03, E-04: a held PR whose data was pushed takes its ref with it when it expires; else its repository could
// never go. // PR-04
func TestRefOfAHeldPRGoes(t *testing.T) {
	d := newInstant(t, DefaultConfig())
	a := announcement(1, 1)
	d.event(a, FromClient)
	d.event(pull(9, 3, oid(7), a.Repo), FromClient)
	d.until(5 * Minute)
	ok, _ := d.push(pushTo(5, a, ofPR(9, oid(7))))
	require.True(t, ok)
	d.local[oid(7)] = true
	d.until(30*Minute - 1)
	require.Equal(t, 2, d.c.Stats().Held, "its announcement is only held")
	d.until(30 * Minute)
	require.Contains(t, ids(d.reports(RepEndedExpired)), eventID(9))
	id, oids := d.lastRef()
	require.Equal(t, eventID(9), id)
	require.Empty(t, oids)
	require.Len(t, d.reports(RepSoftExpired), 1)
}

// PR-02, E-01: a release of a PR that failed after its refs were set leaves none when the PR expires.
func TestFailedReleaseOfAPRLeavesNoRef(t *testing.T) {
	d, a := home(t, DefaultConfig())
	d.local[oid(7)] = true
	d.verdict = make([]Verdict, 50)
	for i := range d.verdict {
		d.verdict[i] = StoreFailed
	}
	d.event(pull(9, 3, oid(7), a.Repo), FromSync)
	d.until(35 * Minute)
	require.Contains(t, ids(d.reports(RepEndedExpired)), eventID(9))
	id, oids := d.lastRef()
	require.Equal(t, eventID(9), id)
	require.Empty(t, oids)
}

// DL-01, P-03: the commit of a deleted PR is not let in again, whether it was held, served or not here yet. // case 154
func TestDeletedPRIsNotLetIn(t *testing.T) {
	for _, row := range []struct {
		name string
		act  func(d *instant, a *Event)
	}{
		{"held", func(d *instant, a *Event) {
			d.event(pull(9, 3, oid(7), a.Repo), FromClient)
			d.event(erase(90, 3, 9), FromClient)
		}},
		{"served", func(d *instant, a *Event) {
			d.local[oid(7)] = true
			d.event(pull(9, 3, oid(7), a.Repo), FromClient)
			d.event(erase(90, 3, 9), FromClient)
		}},
		{"deleted before it came", func(d *instant, a *Event) {
			ok, _ := d.push(pushTo(5, a, ofPR(9, oid(7))))
			require.True(d.t, ok)
			d.step(Input{Kind: InEvent, Event: pull(9, 3, oid(7), a.Repo), Deleted: true})
			d.settle()
			require.Zero(d.t, d.c.Stats().Placeholders)
		}},
	} {
		t.Run(row.name, func(t *testing.T) {
			d, a := home(t, DefaultConfig())
			row.act(d, a)
			ok, text := d.push(pushTo(6, a, ofPR(9, oid(7))))
			require.False(t, ok)
			require.Equal(t, placeDeleted, text)
			ok, _ = d.push(pushTo(7, a, ofPR(10, oid(7))))
			require.True(t, ok, "other ids are free")
			if d.effectsOf(EfAlignRefs) != nil {
				_, oids := d.lastRef()
				require.Empty(t, oids)
			}
		})
	}
}

// P-04, PR-03: what a push of a ref would do is looked at anew under the lock: a placeholder that was there when
// it was asked for, and is not any more, is left again.
func TestRecheckSeesThePlaceholderGone(t *testing.T) {
	d, a := home(t, DefaultConfig())
	ok, _ := d.push(pushTo(5, a, ofPR(9, oid(7))))
	require.True(t, ok)
	end := d.now + 30*Minute
	d.until(end - Minute)
	p := pushTo(6, a, ofPR(9, oid(7)))
	d.step(Input{Kind: InPushAsked, Push: p})
	d.until(end)
	require.Zero(t, d.c.Stats().Placeholders)
	d.step(Input{Kind: InPushRecheck, Push: p})
	require.True(t, d.verdictOf(6).OK)
	d.step(Input{Kind: InPushEnded, Push: p})
	d.settle()
	require.Equal(t, 1, d.c.Stats().Placeholders)
	require.Equal(t, end+30*Minute, d.reports(RepPlaceholderHeld)[1].Deadline)
}

// PR-03: the event comes between the verdict under the lock and the end of git: it wins. // B-37; mutant 34
func TestEventComesWhileItsCommitIsPushed(t *testing.T) {
	for _, commit := range []int{6, 7} {
		d, a := home(t, DefaultConfig())
		p := pushTo(5, a, ofPR(9, oid(commit)))
		d.step(Input{Kind: InPushAsked, Push: p})
		d.step(Input{Kind: InPushRecheck, Push: p})
		d.event(pull(9, 3, oid(7), a.Repo), FromClient)
		d.local[oid(commit)] = true
		d.step(Input{Kind: InPushEnded, Push: p})
		d.settle()
		id, oids := d.lastRef()
		require.Equal(t, eventID(9), id)
		if commit == 7 {
			require.Contains(t, ids(d.reports(RepEndedReleased)), eventID(9))
			require.Equal(t, []OID{oid(7)}, oids)
		} else {
			require.Empty(t, oids)
			require.Equal(t, 1, d.c.Stats().Held)
		}
		require.Zero(t, d.c.Stats().Placeholders)
	}
}

// PR-03: the removal of an expired placeholder's ref meets a new push of it. Whatever the repository does first, the
// ref is there in the end.
func TestRemovalMeetsANewPush(t *testing.T) {
	d, a := home(t, DefaultConfig())
	ok, _ := d.push(pushTo(5, a, ofPR(9, oid(7))))
	require.True(t, ok)
	d.hold = func(e Effect) bool { return e.Kind == EfAlignRefs }
	d.until(d.now + 30*Minute)
	require.Len(t, d.pending, 1)
	require.Empty(t, d.pending[0].OIDs)
	ok, _ = d.push(pushTo(6, a, ofPR(9, oid(6))))
	require.True(t, ok)
	d.let()
	_, oids := d.lastRef()
	require.Equal(t, []OID{oid(6)}, oids)
	require.Zero(t, d.c.Stats().Asks)
}

// PR-03: a ref that cannot be set since its object is not there is nobody's placeholder any more.
func TestPlaceholderWithoutItsObject(t *testing.T) {
	d, a := home(t, DefaultConfig())
	ok, _ := d.push(pushTo(5, a, ofPR(9, oid(7))))
	require.True(t, ok)
	d.hold = func(e Effect) bool { return e.Kind == EfAlignRefs }
	d.c.setRef(0, eventID(9))
	d.c.out = nil
	d.step(Input{Kind: InAligned, Ask: d.c.asks.Items[0].id, Class: NotOurRef})
	require.Zero(t, d.c.Stats().Placeholders)
	require.Len(t, d.pending, 1)
	require.Empty(t, d.pending[0].OIDs)
	d.step(Input{Kind: InAligned, Ask: d.pending[0].Ask, Class: LocalFault})
	require.Equal(t, 1, d.c.Stats().Asks, "tried again")
	d.hold = nil
	d.until(d.now + 20*Second)
	require.Zero(t, d.c.Stats().Asks)
}

// R-03, PR-03: after a crash refs that were being pushed are what they were before, and a removal that was out is
// out again; placeholders live on. // B-29
func TestPlaceholdersOverACrash(t *testing.T) {
	d, a := home(t, DefaultConfig())
	for i, n := range []int{9, 10} {
		ok, _ := d.push(pushTo(uint64(5+i), a, ofPR(n, oid(7))))
		require.True(t, ok)
		d.until(d.now + Minute)
	}
	first := d.reports(RepPlaceholderHeld)[0].Deadline
	d.until(first - Second)
	d.hold = func(e Effect) bool { return e.Kind == EfAlignRefs }
	d.until(first)
	require.Len(t, d.pending, 1)
	d.step(Input{Kind: InPushAsked, Push: pushTo(8, a, ofPR(10, oid(6)), ofPR(11, oid(6)))})
	require.True(t, d.verdictOf(8).OK)

	d.pending = nil
	snap := d.c.AppendState(nil)
	c, err := Restore(d.c.cfg, snap)
	require.NoError(t, err)
	d.c = c
	d.step(Input{Kind: InRestarted})
	set := map[EventID][]OID{}
	for _, e := range d.pending {
		set[e.Event] = e.OIDs
	}
	require.Len(t, d.pending, 3)
	require.Empty(t, set[eventID(9)], "the expired one's")
	require.Equal(t, []OID{oid(7)}, set[eventID(10)], "as it was before the push")
	require.Empty(t, set[eventID(11)], "new in the push")
	require.Equal(t, 1, d.c.Stats().Placeholders)
	require.Zero(t, d.c.Stats().Pushes)
	d.let()
	d.until(first + 2*Minute)
	require.Zero(t, d.c.Stats().Placeholders, "its lifetime is what it was")
}

// R-07, PR-03: refs found at start: those of served PRs stay, others live one lifetime as placeholders, one that
// contradicts its event is set right.
func TestRefsFoundAtStart(t *testing.T) {
	d := newInstant(t, DefaultConfig())
	a := announcement(1, 1)
	d.step(Input{Kind: InServed, Event: a})
	d.c.gone.Add(eventID(12), author(3), 0, 0, purgatory.Evidence{Kind: purgatory.OfPR, ID: eventID(12)})
	for i, commit := range []int{7, 6, 5, 4} {
		d.step(Input{Kind: InRepoRefs, Repo: a.Repo.Repo, Target: eventID(9 + i), OIDs: []OID{oid(commit)}})
	}
	d.step(Input{Kind: InServed, Event: pull(9, 3, oid(7), a.Repo)})
	d.step(Input{Kind: InServed, Event: pull(10, 3, oid(7), a.Repo)})
	d.step(Input{Kind: InRepoRefs, Repo: 4242, Target: eventID(9), OIDs: []OID{oid(1)}})
	at, ok := d.c.Next()
	require.True(t, ok && at == 0, "they are to be judged at once")
	snap := d.c.AppendState(nil)
	c, err := Restore(d.c.cfg, snap)
	require.NoError(t, err, "facts of the start are in a snapshot too")
	d.c = c
	d.settle()
	d.step(Input{Kind: InWake})
	d.settle()
	require.Equal(t, []EventID{eventID(11)}, ids(d.reports(RepPlaceholderHeld)))
	require.Equal(t, 30*Minute, d.reports(RepPlaceholderHeld)[0].Deadline)
	set := d.effectsOf(EfAlignRefs)
	require.Len(t, set, 2)
	require.Equal(t, eventID(10), set[0].Event)
	require.Equal(t, []OID{oid(7)}, set[0].OIDs)
	require.Equal(t, eventID(12), set[1].Event, "deleted before")
	require.Empty(t, set[1].OIDs)
	d.until(30 * Minute)
	require.Zero(t, d.c.Stats().Placeholders)
	require.Zero(t, d.c.Stats().Breaches)
	d.step(Input{Kind: InRepoRefs, Repo: a.Repo.Repo, Target: eventID(9)})
	require.Equal(t, uint64(1), d.c.Stats().Breaches) // T-05
}

// PR-03: of a push that git has not finished, each ref is set to what it should be.
func TestFailedPushOfRefs(t *testing.T) {
	d, a := home(t, DefaultConfig())
	ok, _ := d.push(pushTo(5, a, ofPR(9, oid(7))))
	require.True(t, ok)
	p := pushTo(6, a, ofPR(9, oid(6)), ofPR(10, oid(6)))
	d.step(Input{Kind: InPushAsked, Push: p})
	d.step(Input{Kind: InPushRecheck, Push: p})
	d.step(Input{Kind: InPushEnded, Push: p, Class: LocalFault})
	d.settle()
	set := d.effectsOf(EfAlignRefs)
	set = set[len(set)-2:]
	require.Equal(t, []OID{oid(7)}, set[0].OIDs)
	require.Empty(t, set[1].OIDs)
	require.Equal(t, 1, d.c.Stats().Placeholders)
	require.False(t, d.effectsOf(EfAnswerPush)[1].OK)
}

// PR-02: a PR that is served already is shown in a repository it names when that one's announcement is promoted; its
// commit comes from another of its repositories. // ST-09
func TestServedPRReachesAnAnnouncementPromotedLater(t *testing.T) {
	for _, during := range []bool{false, true} { // the release of the PR is through, or its last step is out
		d, a := home(t, DefaultConfig())
		b := under(2, announcement(3, 2))
		d.event(b, FromClient)
		d.local[oid(7)] = true
		if during {
			d.hold = func(e Effect) bool { return e.Kind == EfStoreEvent && e.Event == eventID(9) }
		}
		d.event(pull(9, 3, oid(7), a.Repo, b.Repo), FromClient)
		first := d.effectsOf(EfAlignRefs)
		require.Equal(t, a.Repo.Repo, first[len(first)-1].Repo)
		st := state(4, 2, oid(1))
		st.Repo = b.Repo
		d.event(st, FromSync)
		d.until(d.now + 2*Second)
		require.Contains(t, ids(d.reports(RepEndedReleased)), eventID(3))
		if during {
			d.let()
		}
		copies := d.effectsOf(EfCopyObjects)
		last := copies[len(copies)-1]
		require.Equal(t, []any{b.Repo.Repo, a.Repo.Repo, []OID{oid(7)}}, []any{last.Repo, last.From, last.OIDs})
		refs := d.effectsOf(EfAlignRefs)
		set := refs[len(refs)-1]
		require.Equal(t, []any{NostrRef, b.Repo.Repo, eventID(9), []OID{oid(7)}}, []any{set.Space, set.Repo, set.Event, set.OIDs})
		require.Zero(t, d.c.Stats().Asks)
	}
}

// PR-02, T-04: a copy for a served PR that fails is made again, unless the PR is gone.
func TestCopyForAServedPRIsMadeAgain(t *testing.T) {
	for _, deleted := range []bool{false, true} {
		d, a := home(t, DefaultConfig())
		b := under(2, announcement(3, 2))
		d.event(b, FromClient)
		d.local[oid(7)] = true
		d.event(pull(9, 3, oid(7), a.Repo, b.Repo), FromClient)
		d.hold = func(e Effect) bool { return e.Kind == EfCopyObjects }
		st := state(4, 2, oid(1))
		st.Repo = b.Repo
		d.event(st, FromSync)
		d.until(d.now + 2*Second)
		require.Len(t, d.pending, 1)
		d.step(Input{Kind: InCopied, Ask: d.pending[0].Ask, Class: LocalFault})
		d.hold, d.pending = nil, nil
		if deleted {
			d.event(erase(90, 3, 9), FromClient)
		}
		n := len(d.effectsOf(EfCopyObjects))
		d.until(d.now + 20*Second)
		require.Len(t, d.effectsOf(EfCopyObjects), n+1-int(b2i(deleted)))
		require.Zero(t, d.c.Stats().Asks)
	}
}
