package core

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"

	"graspsync/core/value"
)

// wide is an object id of 64 digits.
func wide(n int) OID {
	o, err := value.ParseOID(fmt.Sprintf("%064x", n))
	if err != nil {
		panic(err)
	}
	return o
}

func head(i int, o OID) RefUpdate { return RefUpdate{Name: main + Handle(i), New: o} }

// P-01, P-02: a refused push is told which ref is missing, wrong or too much, as it should be and as it would be; in
// both lengths of object ids; a push that mixes spaces is judged as a whole. // cases 94, 95, 96, 98, 105, 107, 157; B-39, B-42
func TestRefusedPushNamesTheRef(t *testing.T) {
	for _, id := range []func(int) OID{oid, wide} {
		r := func(i, n int) Ref { return Ref{Name: main + Handle(i), OID: id(n)} }
		for _, row := range []struct {
			name      string
			current   []Ref
			updates   []RefUpdate
			text      string
			want, got Ref
		}{
			{name: "all of it", updates: []RefUpdate{head(0, id(1)), head(1, id(2))}},
			{name: "what is left to do", current: []Ref{r(0, 1)}, updates: []RefUpdate{head(1, id(2))}},
			{name: "nothing new", current: []Ref{r(0, 1), r(1, 2)}, updates: []RefUpdate{head(1, id(2))}},
			{name: "with a ref of a PR to come", updates: []RefUpdate{ofPR(9, id(5)), head(0, id(1)), head(1, id(2))}},
			{name: "one missing", updates: []RefUpdate{head(0, id(1))}, text: pushMissing, want: r(1, 2)},
			{name: "one deleted", current: []Ref{r(0, 1), r(1, 2)}, updates: []RefUpdate{head(1, OID{})}, text: pushMissing, want: r(1, 2)},
			{name: "one wrong", updates: []RefUpdate{head(0, id(3)), head(1, id(2))}, text: pushWrong, want: r(0, 1), got: r(0, 3)},
			{name: "one left wrong", current: []Ref{r(0, 3)}, updates: []RefUpdate{head(1, id(2))}, text: pushWrong, want: r(0, 1), got: r(0, 3)},
			{name: "one too much", updates: []RefUpdate{head(0, id(1)), head(1, id(2)), head(2, id(3))}, text: pushExtra, got: r(2, 3)},
			{name: "of two the first by name", updates: []RefUpdate{head(2, id(3))}, text: pushMissing, want: r(0, 1)},
			{name: "one named twice", updates: []RefUpdate{head(0, id(1)), head(1, id(2)), head(0, id(3))}, text: pushTwice, got: r(0, 3)},
			{name: "no command", text: pushNothing},
			{name: "elsewhere", updates: []RefUpdate{head(0, id(1)), head(1, id(2)), {Name: 900, New: id(4), Space: OtherRef}}, text: pushOther, got: Ref{Name: 900, OID: id(4)}},
			{name: "an id that is none", updates: []RefUpdate{head(0, id(1)), head(1, id(2)), {Name: 901, New: id(4), Space: NostrRef}}, text: placeNothingElse, got: Ref{Name: 901, OID: id(4)}},
			{name: "a ref of a PR removed", updates: []RefUpdate{ofPR(9, OID{})}, text: placeNotRemoved, got: Ref{Name: 5009}},
			{name: "a state's id", updates: []RefUpdate{ofPR(2, id(1))}, text: placeNoPR, got: Ref{Name: 5002, OID: id(1)}},
		} {
			t.Run(row.name, func(t *testing.T) {
				d := newInstant(t, DefaultConfig())
				a := announcement(1, 1)
				d.event(a, FromClient)
				d.event(state(2, 1, id(1), id(2)), FromClient)
				p := pushTo(5, a, row.updates...)
				p.Current = row.current
				d.step(Input{Kind: InPushAsked, Push: p})
				v := d.verdictOf(5)
				require.Equal(t, row.text, v.Text)
				require.Equal(t, row.text == "", v.OK)
				one := func(r Ref) []Ref {
					if r.Name == 0 {
						return nil
					}
					return []Ref{r}
				}
				require.Equal(t, one(row.want), v.Refs)
				require.Equal(t, one(row.got), v.Old)
				require.Equal(t, row.text == "", d.c.Stats().Pushes == 1)
			})
		}
	}
}

// P-02, ST-07, M-01: whose state lets a push in. // cases 155, 156
func TestWhoseStateLetsAPushIn(t *testing.T) {
	for _, row := range []struct {
		name  string
		state *Event
		ok    bool
	}{
		{"nobody's", nil, false},
		{"the owner's", state(9, 1, oid(7)), true},
		{"a maintainer's", state(9, 2, oid(7)), true},
		{"a maintainer's maintainer's", state(9, 3, oid(7)), true},
		{"a stranger's", state(9, 4, oid(7)), false},
		{"another commit", state(9, 1, oid(6)), false},
	} {
		t.Run(row.name, func(t *testing.T) {
			d := newInstant(t, DefaultConfig())
			a := lists(announcement(1, 1), 2)
			d.event(a, FromClient)
			d.event(lists(announcement(2, 2), 3), FromClient)
			d.event(announcement(4, 4), FromClient)
			if row.state != nil {
				d.event(row.state, FromClient)
			}
			ok, text := d.push(pushTo(5, a, head(0, oid(7))))
			require.Equal(t, row.ok, ok, text)
		})
	}
}

// DL-01, P-02: a held state that was deleted lets nobody in any more. // case 154
func TestDeletedStateLetsNobodyIn(t *testing.T) {
	for _, del := range []*Event{erase(90, 1, 2), eraseAll(90, 1, KindState, 2)} {
		d := newInstant(t, DefaultConfig())
		a := announcement(1, 1)
		d.event(a, FromClient)
		d.event(state(2, 1, oid(7)), FromClient)
		d.event(del, FromClient)
		ok, text := d.push(pushTo(5, a, head(0, oid(7))))
		require.False(t, ok)
		require.Equal(t, pushNoState, text)
	}
}

// P-04, E-05: a push that changes nothing neither pins nor renews; one that moves a ref renews when it ends.
func TestWhatRenews(t *testing.T) {
	d := newInstant(t, DefaultConfig())
	a := announcement(1, 1)
	d.event(a, FromClient)
	d.event(state(2, 1, oid(7)), FromClient)
	p := pushTo(5, a, head(0, oid(7)))
	p.Current = []Ref{{Name: main, OID: oid(7)}}
	d.until(10 * Minute)
	d.step(Input{Kind: InPushAsked, Push: p})
	require.True(t, d.verdictOf(5).OK)
	require.Zero(t, d.c.anns.At(0).Pins)
	d.step(Input{Kind: InPushEnded, Push: p})
	d.settle()
	require.Empty(t, d.reports(RepExtended))
	require.Equal(t, 30*Minute, d.c.anns.At(0).Deadline)

	p = pushTo(6, a, head(0, oid(7)))
	d.step(Input{Kind: InPushAsked, Push: p})
	require.Equal(t, int32(1), d.c.anns.At(0).Pins)
	require.Empty(t, d.reports(RepExtended), "being allowed renews nothing")
	p.Moved = true
	d.step(Input{Kind: InPushEnded, Push: p})
	d.settle()
	require.Equal(t, 40*Minute, d.reports(RepExtended)[0].Deadline)
	require.Zero(t, d.c.anns.At(0).Pins)
}

// P-04, T-04, I-17: a pin ends 30 min after the push was asked for, whether or not it ever ends; what it kept goes
// then, and a recheck is refused.
func TestEndOfAPin(t *testing.T) {
	for _, deleted := range []bool{false, true} {
		d := newInstant(t, DefaultConfig())
		a := announcement(1, 1)
		d.event(a, FromClient)
		d.event(state(2, 1, oid(7)), FromClient)
		d.until(29 * Minute)
		p := pushTo(5, a, head(0, oid(7)))
		d.step(Input{Kind: InPushAsked, Push: p})
		if deleted {
			d.event(erase(90, 1, 1), FromClient)
		}
		d.until(59*Minute - 1)
		require.Empty(t, append(d.effectsOf(EfDeleteRepoIfNoRefs), d.effectsOf(EfDeleteRepo)...))
		require.Empty(t, d.reports(RepOverdue))
		d.until(59 * Minute)
		require.Len(t, append(d.effectsOf(EfDeleteRepoIfNoRefs), d.effectsOf(EfDeleteRepo)...), 1)
		require.Equal(t, uint64(5), d.reports(RepOverdue)[0].Push)
		d.step(Input{Kind: InPushRecheck, Push: p})
		require.False(t, d.verdictOf(5).OK)
		d.step(Input{Kind: InPushEnded, Push: p, Class: Forbidden})
		d.settle()
		require.Len(t, d.effectsOf(EfAnswerPush), 1)
		require.Zero(t, d.c.Stats().Pushes)
	}
}

// E-04, P-04, I-17: an announcement past its deadline that only a push kept goes as soon as that has failed.
func TestFailedPushKeepsNothing(t *testing.T) {
	d := newInstant(t, DefaultConfig())
	a := announcement(1, 1)
	d.event(a, FromClient)
	d.event(state(2, 1, oid(7)), FromClient)
	d.until(29 * Minute)
	p := pushTo(5, a, head(0, oid(7)))
	d.step(Input{Kind: InPushAsked, Push: p})
	d.until(35 * Minute)
	require.Empty(t, d.effectsOf(EfDeleteRepoIfNoRefs))
	d.step(Input{Kind: InPushEnded, Push: p, Class: LocalFault})
	d.settle()
	require.Len(t, d.reports(RepSoftExpired), 1)
}

// P-04, P-05: heads and tags that a push left and nobody wants are set back to what is served before the client is
// answered; if that fails the client is answered all the same.
func TestPartialPushIsSetBack(t *testing.T) {
	for _, class := range []Class{OK, LocalFault} {
		d, a := home(t, DefaultConfig())
		d.event(state(3, 1, oid(6), oid(7)), FromClient)
		p := pushTo(5, a, head(0, oid(6)), head(1, oid(7)))
		p.Current = []Ref{{Name: main, OID: oid(1)}}
		d.step(Input{Kind: InPushAsked, Push: p})
		d.step(Input{Kind: InPushRecheck, Push: p})
		require.True(t, d.verdictOf(5).OK, d.verdictOf(5).Text)
		p.Current = []Ref{{Name: main, OID: oid(6)}}
		d.hold = func(e Effect) bool { return e.Kind == EfAlignRefs }
		d.step(Input{Kind: InPushEnded, Push: p, Class: class})
		d.settle()
		require.Len(t, d.pending, 1)
		require.Equal(t, []Ref{{Name: main, OID: oid(1)}}, d.pending[0].Refs)
		require.Empty(t, d.effectsOf(EfAnswerPush), "not yet")
		d.step(Input{Kind: InAligned, Ask: d.pending[0].Ask, Class: class})
		require.Len(t, d.effectsOf(EfAnswerPush), 1)
		require.Equal(t, class == OK, d.effectsOf(EfAnswerPush)[0].OK)
		d.hold = nil
		d.until(d.now + Minute)
		require.Zero(t, d.c.Stats().Asks)
	}
}

// P-04: what a state allowed when the push was asked for, another forbids under the lock. // B-43
func TestStateReplacedDuringAnUpload(t *testing.T) {
	d, a := home(t, DefaultConfig())
	d.event(state(3, 1, oid(6)), FromClient)
	p := pushTo(5, a, head(0, oid(6)))
	p.Current = []Ref{{Name: main, OID: oid(1)}}
	d.step(Input{Kind: InPushAsked, Push: p})
	require.True(t, d.verdictOf(5).OK)
	d.event(state(4, 1, oid(7)), FromClient)
	d.step(Input{Kind: InPushRecheck, Push: p})
	v := d.verdictOf(5)
	require.Equal(t, pushWrong, v.Text)
	require.Equal(t, []Ref{{Name: main, OID: oid(7)}}, v.Refs)
	require.Equal(t, []Ref{{Name: main, OID: oid(6)}}, v.Old)
	before := len(d.effectsOf(EfAlignRefs))
	d.step(Input{Kind: InPushEnded, Push: &Push{ID: 5, Repo: a.Repo, Current: p.Current}, Class: Forbidden})
	d.settle()
	require.Len(t, d.effectsOf(EfAnswerPush), 1)
	require.Len(t, d.effectsOf(EfAlignRefs), before, "nothing moved, nothing is set back")
}

// R-03, P-04: no push outlives a crash: pins end, heads that git may have moved are set back, and what only a pin
// kept goes.
func TestPushesOverACrash(t *testing.T) {
	d, a := home(t, DefaultConfig())
	b := under(2, announcement(3, 2))
	d.event(b, FromClient)
	end := d.now + 30*Minute
	st := state(4, 2, oid(7))
	st.Repo = b.Repo
	d.until(end - Minute)
	d.event(state(5, 1, oid(6)), FromClient)
	d.step(Input{Kind: InPushAsked, Push: pushTo(5, a, head(0, oid(6)))})
	d.step(Input{Kind: InPushAsked, Push: pushTo(6, b, ofPR(9, oid(6)))})
	d.until(end + Minute)
	require.Empty(t, d.effectsOf(EfDeleteRepoIfNoRefs))
	n := len(d.effectsOf(EfAlignRefs))
	d.step(Input{Kind: InRestarted})
	set := d.effectsOf(EfAlignRefs)[n:]
	require.Len(t, set, 2)
	require.Equal(t, []Ref{{Name: main, OID: oid(1)}}, set[0].Refs, "heads of the first as served")
	require.Equal(t, NostrRef, set[1].Space)
	require.Empty(t, set[1].OIDs)
	require.Zero(t, d.c.Stats().Pushes)
	d.settle()
	d.until(d.now + 31*Minute)
	require.Len(t, d.reports(RepSoftExpired), 1, "kept for one more lifetime by the restart, and no longer")
	d.step(Input{Kind: InPushEnded, Push: pushTo(5, a)})
	require.Empty(t, d.effectsOf(EfAnswerPush), "its client is gone")
}

// P-05, S-01: ended pushes wait for what is out at their own repository, others are answered meanwhile.
func TestPushesWaitForTheirOwnRepository(t *testing.T) {
	d, a := home(t, DefaultConfig())
	b := under(2, announcement(3, 2))
	d.event(b, FromClient)
	d.event(state(5, 1, oid(6)), FromClient)
	d.hold = func(e Effect) bool { return e.Kind == EfCheckObjects }
	for i := range 20 {
		p := pushTo(uint64(10+i), a, head(0, oid(6)))
		d.step(Input{Kind: InPushAsked, Push: p})
		d.step(Input{Kind: InPushEnded, Push: p})
	}
	require.Empty(t, d.effectsOf(EfAnswerPush))
	ok, _ := d.push(pushTo(5, b, ofPR(9, oid(6))))
	require.True(t, ok)
	require.Len(t, d.effectsOf(EfAnswerPush), 1)
	d.let()
	require.Len(t, d.effectsOf(EfAnswerPush), 21)
}

// P-05, DL-02: a push that waits for a look at its repository is answered when that goes.
func TestPushIsAnsweredWhenItsRepositoryGoes(t *testing.T) {
	d := newInstant(t, DefaultConfig())
	a := announcement(1, 1)
	d.event(a, FromClient)
	d.event(state(2, 1, oid(7)), FromClient)
	p := pushTo(5, a, head(0, oid(7)))
	d.step(Input{Kind: InPushAsked, Push: p})
	d.hold = func(e Effect) bool { return e.Kind == EfCheckObjects }
	d.step(Input{Kind: InPushEnded, Push: p})
	require.Empty(t, d.effectsOf(EfAnswerPush))
	d.event(erase(90, 1, 1), FromClient)
	require.Len(t, d.effectsOf(EfDeleteRepo), 1)
	require.Len(t, d.effectsOf(EfAnswerPush), 1)
	require.Zero(t, d.c.Stats().Pushes)
}
