package sim

import (
	"testing"

	"github.com/stretchr/testify/require"

	"graspsync/core"
	"graspsync/core/value"
)

// depot is storage and store of a hand-written log: what is in them is put there by the test.
type depot struct {
	Local
	exists map[core.Handle]bool
	refs   map[core.Handle][]core.Ref
	head   map[core.Handle]core.Handle
	served map[core.EventID]bool
}

func (s *depot) Exists(repo core.Handle) bool                    { return s.exists[repo] }
func (s *depot) Head(repo core.Handle) core.Handle               { return s.head[repo] }
func (s *depot) Refs(repo core.Handle) []core.Ref                { return s.refs[repo] }
func (s *depot) Has(id core.EventID) bool                        { return s.served[id] }
func (s *depot) Store(id core.EventID) core.Verdict              { return core.StoredOK }
func (s *depot) Remove(id core.EventID) core.Class               { return core.OK }
func (s *depot) Check(_ core.Handle, o, h []core.OID) []core.OID { return append(h, o...) }

// shown is a log with alice's repository, announced at 0 and held, and a state of hers that is held too.
type shown struct {
	*script
	*depot
	names            *value.Names
	main, dev, note  core.Handle
	repo             core.Handle
	ann, state, late *core.Event
}

func newShown(t *testing.T) *shown {
	s := &shown{names: new(value.Names), depot: &depot{exists: map[core.Handle]bool{}, refs: map[core.Handle][]core.Ref{},
		head: map[core.Handle]core.Handle{}, served: map[core.EventID]bool{}}}
	s.main, s.dev, s.note = s.names.Handle("refs/heads/main"), s.names.Handle("refs/heads/dev"), s.names.Handle("refs/nostr/x")
	s.script = newScript(t, func(x *Setup) { x.Names, x.Local, x.Store = s.names, s.depot, s.depot })
	alice := core.PubKey{1}
	where := core.Coordinate{Owner: alice, Identifier: s.names.Handle("hello"), Repo: s.names.Handle("alice/hello")}
	s.repo = where.Repo
	s.ann = &core.Event{ID: toyID(1), Kind: core.KindAnnouncement, Author: alice, CreatedAt: 1, Repo: where, ListsUs: true}
	s.state = s.says(2, 10, core.Ref{Name: s.main, OID: toyOID(1)})
	s.late = s.says(3, 20, core.Ref{Name: s.main, OID: toyOID(2)})
	s.comes(s.ann)
	s.exists[s.repo] = true
	return s
}

func (s *shown) says(n int, created int64, refs ...core.Ref) *core.Event {
	return &core.Event{ID: toyID(n), Kind: core.KindState, Author: core.PubKey{1}, CreatedAt: created, Repo: s.ann.Repo, Refs: refs}
}

// comes delivers an event that is held from now on.
func (s *shown) comes(e *core.Event) *shown {
	s.at(s.o.now, core.Input{Kind: core.InEvent, Event: e, Origin: core.FromSync},
		report(core.RepHeld, func(r *core.Effect) { r.Event, r.Hunt, r.Deadline = e.ID, 1, s.o.now+1800*core.Second }),
		core.Effect{Kind: core.EfAnswer, Event: e.ID, OK: true})
	return s
}

// released is the way of an event out of purgatory: stored, and its residence over.
func (s *shown) released(e *core.Event) *shown {
	n := int(s.n)
	s.at(s.o.now, wake, core.Effect{Kind: core.EfStoreEvent, Ask: passID(n), Event: e.ID})
	s.served[e.ID] = true
	s.at(s.o.now, core.Input{Kind: core.InStored, Ask: passID(n)}, report(core.RepEndedReleased, func(r *core.Effect) { r.Event = e.ID }))
	return s
}

func (s *shown) shows(refs ...core.Ref) *shown {
	s.refs[s.repo] = refs
	return s
}

func (s *shown) step() *script { return s.at(s.o.now+1, wake).at(s.o.now+1, wake) }

// broke demands that this invariant alone was found, by the end of the next step.
func (s *shown) broke(id, text string) {
	s.t.Helper()
	s.step()
	v := s.o.Violations()
	require.Len(s.t, v, 1)
	require.Equal(s.t, id, v[0].ID)
	require.Contains(s.t, v[0].Text, text)
}

func (s *shown) sound() {
	s.t.Helper()
	s.step().clean()
}

func (s *shown) ref(name core.Handle, oid int) core.Ref {
	return core.Ref{Name: name, OID: toyOID(oid)}
}

// served is a log in which state and announcement were released with main where the state says.
func served(t *testing.T) *shown {
	s := newShown(t)
	s.comes(s.state).shows(s.ref(s.main, 1)).released(s.state).released(s.ann).step().clean()
	return s
}

// A served announcement has a head or tag; a ref under refs/nostr is none; an empty latest state excuses it. I-5 ST-09
func TestOracleServedHasRefs(t *testing.T) {
	served(t).sound()
	served(t).shows().touched().broke("I-5", "has no head and no tag")
	s := newShown(t)
	s.shows(s.ref(s.note, 1)).released(s.ann).broke("I-5", "has no head and no tag")
	s = served(t)
	empty := s.says(4, 30)
	s.comes(empty).shows().released(empty).sound()
	s = served(t)
	empty = s.says(4, 5)
	s.comes(empty).shows().released(empty).broke("I-5", "has no head and no tag") // it is not the latest
}

// touched is local work at the repository that came to its end.
func (s *shown) touched() *shown { return s.worked(core.OK) }

func (s *shown) worked(class core.Class) *shown {
	n := int(s.n) + 100
	s.at(s.o.now, wake, core.Effect{Kind: core.EfAlignRefs, Ask: passID(n), Repo: s.repo})
	s.at(s.o.now, core.Input{Kind: core.InAligned, Ask: passID(n), Class: class})
	return s
}

// What is held is not in the store, and subscribers are not told of it. I-5 S-02
func TestOracleHeldIsNotAnswered(t *testing.T) {
	s := newShown(t)
	s.depot.served[s.state.ID] = true
	s.comes(s.state).broke("I-5", "the event store answers with it")
	s = newShown(t)
	s.comes(s.state).at(1, wake, core.Effect{Kind: core.EfNotify, Event: s.state.ID})
	s.broke("I-5", "subscribers are told")
	s = newShown(t)
	s.comes(s.state)
	s.depot.served[s.state.ID] = true
	s.at(1, wake, report(core.RepEndedExpired, func(e *core.Effect) { e.Event = s.state.ID }))
	s.broke("I-5", "the event store answers with it")
	s = newShown(t)
	s.comes(s.state).step()
	s.depot.served[s.state.ID] = true
	s.finish(2).caught("I-5", "the event store answers with it")
}

// A repository has exactly the heads and tags of the latest served state, and HEAD where it says. I-6 ST-04
func TestOracleShowsLatest(t *testing.T) {
	s := served(t)
	s.shows(s.ref(s.dev, 1), s.ref(s.main, 1)).touched().broke("I-6", "should show state")
	s = served(t)
	s.shows(s.ref(s.main, 9)).touched().broke("I-6", "should show state")
	s = served(t)
	s.shows(s.ref(s.main, 1), s.ref(s.note, 7)).touched().sound() // other refs are not the state's matter
	s = served(t)
	s.late.Head = s.main
	s.comes(s.late).shows(s.ref(s.main, 2)).released(s.late).broke("I-6", "HEAD")
	s = served(t)
	s.late.Head, s.head[s.repo] = s.main, s.main
	s.comes(s.late).shows(s.ref(s.main, 2)).released(s.late).sound()
	s = served(t)
	old := s.says(4, 5, s.ref(s.main, 9))
	s.comes(old).shows(s.ref(s.main, 9)).released(old).broke("I-6", "should show state "+s.state.ID.String())
}

// The refs of a newer held state are there after a push or half a release; those of an older one are not excused. I-6
func TestOracleShowsHeld(t *testing.T) {
	s := served(t)
	s.comes(s.late).shows(s.ref(s.main, 2)).touched().sound()
	s.at(2, wake, report(core.RepEndedExpired, func(e *core.Effect) { e.Event = s.late.ID }))
	s.broke("I-6", "should show state "+s.state.ID.String())
	s = served(t)
	old := s.says(4, 5, s.ref(s.main, 9))
	s.comes(old).shows(s.ref(s.main, 9)).touched().broke("I-6", "should show state")
}

// While a push or local work is under way nothing is judged; a failure has until its retry. I-6 Q-11
func TestOracleWaitsForWork(t *testing.T) {
	s := served(t)
	s.at(1, wake, core.Effect{Kind: core.EfPushVerdict, Push: 1, OK: true, Repo: s.repo})
	s.shows(s.ref(s.main, 9)).touched().sound()
	s.at(2, wake, core.Effect{Kind: core.EfAnswerPush, Push: 1, OK: true, Repo: s.repo})
	s.broke("I-6", "should show state")

	s = served(t)
	s.shows(s.ref(s.main, 9)).worked(core.LocalFault).sound()
	after := s.o.now + s.o.retrySpan()
	s.at(after, wake).clean()
	s.at(after+core.Second, wake)
	s.broke("I-6", "should show state")

	s = served(t)
	s.at(1, core.Input{Kind: core.InShutdown})
	s.shows(s.ref(s.main, 9)).touched().sound() // it stops as it is
}

// Whose states count follows the listed maintainers, through those who announced the identifier themselves. I-6 M-01
func TestOracleFollowsMaintainers(t *testing.T) {
	bob, carol := core.PubKey{2}, core.PubKey{3}
	theirs := func(s *shown, by core.PubKey) *core.Event {
		e := s.says(9, 50, s.ref(s.main, 5))
		e.Author = by
		return e
	}
	s := served(t)
	s.ann.Maintainers = []core.PubKey{bob}
	e := theirs(s, bob)
	s.comes(e).released(e).broke("I-6", "should show state "+e.ID.String())
	s = served(t)
	e = theirs(s, bob)
	s.comes(e).released(e).sound() // a stranger
	s = served(t)
	s.ann.Maintainers = []core.PubKey{bob}
	e = theirs(s, carol)
	s.comes(e).released(e).sound() // bob lists nobody: he has no announcement
	s = served(t)
	s.ann.Maintainers = []core.PubKey{bob}
	other := *s.ann
	other.ID, other.Author, other.Maintainers = toyID(20), bob, []core.PubKey{carol}
	other.Repo = core.Coordinate{Owner: bob, Identifier: s.ann.Repo.Identifier, Repo: s.names.Handle("bob/hello")}
	e = theirs(s, carol)
	s.comes(&other).comes(e).released(e).broke("I-6", "should show state "+e.ID.String())
}

// No repository goes with its refs, and none stays for an announcement that is soft-expired, or ended while held. I-7
func TestOracleRepositoriesOfTheHeld(t *testing.T) {
	ends := func(s *shown, why core.ReportKind) {
		s.at(1, wake, report(why, func(e *core.Effect) { e.Event, e.Deadline = s.ann.ID, core.Hour }))
	}
	s := newShown(t)
	ends(s, core.RepSoftExpired)
	s.broke("I-7", "is soft-expired")
	s = newShown(t)
	ends(s, core.RepEndedDeleted)
	s.broke("I-7", "was never served")
	s = newShown(t)
	s.exists[s.repo] = false
	ends(s, core.RepEndedDeleted)
	s.sound()

	erase := func(s *shown, kind core.EffectKind) {
		s.at(1, wake, core.Effect{Kind: kind, Ask: passID(77), Repo: s.repo})
	}
	s = newShown(t)
	erase(s.shows(s.ref(s.note, 1)), core.EfDeleteRepo)
	s.broke("I-7", "to be deleted with its refs")
	s = served(t)
	erase(s, core.EfDeleteRepo)
	s.broke("I-7", "to be deleted with its refs")
	s = newShown(t)
	erase(s.shows(s.ref(s.note, 1)), core.EfDeleteRepoIfNoRefs)
	s.sound() // the driver leaves it
	s = newShown(t)
	erase(s.shows(s.ref(s.note, 1)), core.EfDeleteRepoIfNoRefs)
	s.exists[s.repo] = false
	s.broke("I-7", "had refs and was deleted all the same")
}

// An announcement whose repository cannot be removed stays until the removal is tried again, and no longer. I-17 E-04
func TestOracleBearsAFailedRemoval(t *testing.T) {
	const limit = 1800*core.Second + 311*core.Second
	removal := core.Effect{Kind: core.EfDeleteRepoIfNoRefs, Ask: localAskID(9), Repo: core.Handle(0)}
	fails := func(s *shown, at core.Time) *shown {
		removal.Repo = s.repo
		s.at(at, wake, removal).at(at, core.Input{Kind: core.InRepoDeleted, Ask: removal.Ask, Class: core.LocalFault})
		return s
	}
	retry := func(s *shown) core.Time { return s.o.retrySpan() }
	s := newShown(t)
	s.at(limit+1, wake).caught("I-17", "is still held")
	s = fails(newShown(t), 1800*core.Second)
	s.at(limit+1, wake).clean()
	s.at(limit+retry(s)+1, wake).caught("I-17", "is still held")
	s = fails(fails(newShown(t), 1800*core.Second), 2100*core.Second)
	s.at(limit+300*core.Second+retry(s), wake).clean()
	s.at(limit+300*core.Second+retry(s)+1, wake).caught("I-17", "is still held")
}
