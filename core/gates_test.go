package core

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// from delivers an event of a client at an address, or synced for origin FromSync.
func (d *instant) from(e *Event, o Origin, at Handle) (ok bool, text string) {
	d.step(Input{Kind: InEvent, Event: e, Origin: o, From: at})
	d.settle()
	return d.answer(e.ID)
}

// Every gate refuses with a prefix of the protocol and a reason; what passes all of them is held. // S-02, S-04, S-06
func TestGates(t *testing.T) {
	for name, row := range map[string]struct {
		change func(in *Input)
		text   string
	}{
		"nothing": {func(*Input) {}, textHeld},
		"too large": {func(in *Input) { in.Event.Size = 256<<10 + 1 },
			"invalid: event of 262145 bytes is too large; at most 262144 are taken of its kind"},
		"as large as may":         {func(in *Input) { in.Event.Size = 256 << 10 }, textHeld},
		"from the future":         {func(in *Input) { in.Event.CreatedAt = 15*60 + 1 }, textFuture},
		"almost":                  {func(in *Input) { in.Event.CreatedAt = 15 * 60 }, textHeld},
		"by a blocked one":        {func(in *Input) { in.Event.Author = author(9) }, textBlocked},
		"deleted":                 {func(in *Input) { in.Deleted = true }, textDeleted},
		"protected":               {func(in *Input) { in.Event.Protected = true }, textProtected},
		"protected, author here":  {func(in *Input) { in.Event.Protected, in.Authed = true, true }, textHeld},
		"protected, synced":       {func(in *Input) { in.Event.Protected, in.Authed, in.Origin = true, true, FromSync }, textProtected},
		"stored already":          {func(in *Input) { in.Duplicate = true }, textDuplicate},
		"unlisted":                {func(in *Input) { in.Event.ListsUs = false }, textNotListed},
		"issue about nothing":     {func(in *Input) { in.Event.Kind = KindIssue }, textKind},
		"deletion of too much":    {func(in *Input) { in.Event.Kind, in.Event.Targets = KindDeletion, make([]EventID, 501) }, textTargets},
		"pull request to nobody":  {func(in *Input) { in.Event.Kind, in.Event.Commit = KindPR, oid(1) }, textNoRepo},
		"pull request of nothing": {func(in *Input) { in.Event.Kind = KindPR }, textNoCommit},
		"state of nobody's":       {func(in *Input) { in.Event.Kind = KindState }, textNoAuthor},
		"a state of more than 1 MiB": {func(in *Input) { in.Event.Kind, in.Event.Size = KindState, 1<<20+1 },
			"invalid: event of 1048577 bytes is too large; at most 1048576 are taken of its kind"},
		"large state is not so big": {func(in *Input) { in.Event.Kind, in.Event.Size = KindState, 256<<10+1 }, textNoAuthor},
	} {
		cfg := DefaultConfig()
		cfg.Blocked = []PubKey{author(9)}
		d := newInstant(t, cfg)
		in := Input{Kind: InEvent, Event: announcement(1, 1, 1)}
		row.change(&in)
		d.step(in)
		ok, text := d.answer(in.Event.ID)
		require.Equal(t, row.text, text, name)
		accepted := text == textHeld || text == textDuplicate
		require.Equal(t, accepted, ok, name)
		if !accepted {
			prefix, reason, found := strings.Cut(text, ": ")
			require.True(t, found && len(reason) > 10, name)
			require.Contains(t, []string{"invalid", "blocked", "rate-limited", "error"}, prefix, name)
		}
	}
}

// A source may write its burst at once and then at its rate, to the instant; others and the unknown are not
// concerned, pushes count too. // S-03, S-06
func TestWritesOfASource(t *testing.T) {
	cfg := DefaultConfig()
	cfg.SourceBurst, cfg.SourceWrites = 3, 60
	d := newInstant(t, cfg)
	n := 100
	send := func(at Handle) bool {
		n++
		e := announcement(n, 1, 1)
		e.Kind = KindUserGrasps
		_, text := d.from(e, FromClient, at)
		return text != textWrites
	}
	const here, there = Handle(7), Handle(8)
	for range cfg.SourceBurst {
		require.True(t, send(here))
	}
	require.False(t, send(here))
	require.True(t, send(there))
	for range 2 * cfg.SourceBurst {
		require.True(t, send(0), "an unknown source is not bounded")
	}
	d.now = Second - 1
	require.False(t, send(here))
	d.now = Second
	require.True(t, send(here))
	require.False(t, send(here))
	d.step(Input{Kind: InPushAsked, Push: &Push{ID: 1, From: here}})
	require.Equal(t, pushWrites, d.log[len(d.log)-1].Text)
	d.now = 2 * Second
	d.step(Input{Kind: InPushAsked, Push: &Push{ID: 1, From: here}})
	require.Equal(t, pushNoRepo, d.log[len(d.log)-1].Text)
	d.now = Hour
	for range 4 {
		send(there)
	}
	require.LessOrEqual(t, d.c.Stats().Sources, 2, "idle sources are forgotten")
}

// A source's hunts are bounded; another's event for the same repository needs none of them, a synced one is not
// counted, and a hunt that ends makes room. // S-06
func TestHuntsOfASource(t *testing.T) {
	cfg := DefaultConfig()
	cfg.SourceHunts = 2
	d := newInstant(t, cfg)
	at := func(n, ident int) *Event {
		e := announcement(n, 1, 1)
		e.Repo.Identifier, e.Repo.Repo = Handle(ident), repo+Handle(ident)
		return e
	}
	const here, there = Handle(7), Handle(8)
	for i := 1; i <= 2; i++ {
		_, text := d.from(at(i, i), FromClient, here)
		require.Equal(t, textHeld, text)
	}
	_, text := d.from(at(3, 3), FromClient, here)
	require.Equal(t, textSourceHunts, text)
	_, text = d.from(at(4, 4), FromClient, there)
	require.Equal(t, textHeld, text)
	_, text = d.from(at(5, 5), FromSync, here)
	require.Equal(t, textHeld, text)
	d.step(Input{Kind: InRemove, Target: eventID(1)})
	d.settle()
	_, text = d.from(at(6, 6), FromClient, here)
	require.Equal(t, textHeld, text)
}

// At the bound of bytes the oldest synced event gives way; a client's never does. // S-06, Q-14
func TestBytesHeld(t *testing.T) {
	cfg := DefaultConfig()
	cfg.HeldBytes = 2500
	d := newInstant(t, cfg)
	send := func(n int, o Origin) string {
		e := announcement(n, n, 1)
		e.Kind, e.Commit, e.Repositories, e.Size = KindPR, oid(n), []Coordinate{announcement(1, 1).Repo}, 1000
		_, text := d.from(e, o, 0)
		return text
	}
	d.step(Input{Kind: InServed, Event: announcement(1, 1, 1)})
	require.Equal(t, textHeld, send(2, FromSync))
	require.Equal(t, textHeld, send(3, FromClient))
	require.Equal(t, textHeld, send(4, FromClient))
	require.Equal(t, eventID(2), d.reports(RepEndedEvicted)[0].Event)
	require.Equal(t, textFull, send(5, FromClient))
	require.EqualValues(t, 2000, d.c.Stats().HeldBytes)
}

// A refused synced announcement or state is remembered by its id and not judged again, until the announcements of its
// identifier change; whole ones are then looked at again. What a client sends is always judged. // S-05, AN-05; cases 130, 175
func TestRejected(t *testing.T) {
	d := newInstant(t, DefaultConfig())
	unlisted := announcement(2, 2, 1)
	unlisted.ListsUs = false
	_, text := d.from(unlisted, FromSync, 1)
	require.Equal(t, textNotListed, text)
	require.Equal(t, KnownRejected, d.c.Knows(unlisted.ID))
	_, text = d.from(unlisted, FromSync, 1)
	require.Equal(t, refusedUnlisted.again(), text)
	_, text = d.from(unlisted, FromClient, 1)
	require.Equal(t, textNotListed, text)
	early := state(3, 2, oid(1))
	d.from(early, FromSync, 1)
	require.Equal(t, KnownRejected, d.c.Knows(early.ID))
	require.Equal(t, 2, d.c.Stats().Early)

	owner := announcement(1, 1, 1)
	owner.Maintainers = []PubKey{author(2)}
	d.from(owner, FromSync, 1)
	require.Equal(t, KnownServed, d.c.Knows(unlisted.ID), "the maintainer's announcement is taken now")
	require.Equal(t, KnownHeld, d.c.Knows(early.ID))
	require.Equal(t, KnownHeld, d.c.Knows(owner.ID))
	require.Equal(t, Unknown, d.c.Knows(eventID(77)))
}

// Whole events are remembered for two minutes, ids for seven days, each within its bound. // S-05; case 130
func TestRejectedIsBounded(t *testing.T) {
	cfg := DefaultConfig()
	cfg.RejectedIDs, cfg.RejectedFull = 3, 2
	d := newInstant(t, cfg)
	for n := 1; n <= 5; n++ {
		e := state(n, 3, oid(1))
		e.Repo.Identifier = Handle(n)
		d.from(e, FromSync, 1)
	}
	require.Equal(t, 2, d.c.Stats().Early)
	require.Equal(t, 3, d.c.Stats().RejectedIDs)
	require.Equal(t, []Knowledge{Unknown, Unknown, KnownRejected}, []Knowledge{d.c.Knows(eventID(1)), d.c.Knows(eventID(2)), d.c.Knows(eventID(3))})
	d.now = 2 * Minute
	d.step(Input{Kind: InWake})
	require.Zero(t, d.c.Stats().Early)
	d.now = 7 * Day
	d.step(Input{Kind: InWake})
	require.Equal(t, Unknown, d.c.Knows(eventID(5)))
	flood := state(6, 3, oid(1))
	cfg2 := cfg
	cfg2.SourceWrites, cfg2.SourceBurst = 1, 1
	d.step(Input{Kind: InConfigChanged, Config: &cfg2})
	d.from(state(7, 3, oid(1)), FromClient, 5)
	_, text := d.from(flood, FromClient, 5)
	require.Equal(t, textWrites, text)
	require.Equal(t, Unknown, d.c.Knows(flood.ID), "what is only rate-limited is no judgement")
}

// A refused version that no longer lists us is the newest all the same: the one before it, which does, is not taken
// for it when it comes later. // S-05
func TestRefusedSuccessor(t *testing.T) {
	d := newInstant(t, DefaultConfig())
	newer := announcement(2, 1, 1)
	newer.ListsUs, newer.CreatedAt = false, 20
	d.from(newer, FromSync, 1)
	older := announcement(1, 1, 1)
	older.CreatedAt = 10
	_, text := d.from(older, FromSync, 1)
	require.Equal(t, textOlder, text)
	newest := announcement(3, 1, 1)
	newest.CreatedAt = 30
	_, text = d.from(newest, FromSync, 1)
	require.Equal(t, textHeld, text)
}

// An empty state that comes before the older one it clears ends as it would in the other order. // ST-06, S-05, I-10
func TestEmptyStateFirst(t *testing.T) {
	final := func(events ...*Event) (served []EventID) {
		d := newInstant(t, DefaultConfig())
		d.step(Input{Kind: InServed, Event: announcement(1, 1, 1)})
		d.step(Input{Kind: InRepoRefs, Repo: repo + 1})
		for _, e := range events {
			d.from(e, FromSync, 1)
		}
		d.until(Minute)
		for _, e := range d.effectsOf(EfNotify) {
			served = append(served, e.Event)
		}
		return served
	}
	older, empty := state(2, 1, oid(1)), state(3, 1)
	require.Equal(t, []EventID{empty.ID}, final(older, empty))
	require.Equal(t, []EventID{empty.ID}, final(empty, older))
}

// Only newer evidence lifts what expired: a newer state, not an older one; an announcement or pull request with a
// clone URL that was not known. // E-03; cases 72, 75
func TestWhatLiftsExpired(t *testing.T) {
	for name, row := range map[string]struct {
		evidence func() *Event
		lifts    bool
	}{
		"a newer state":  {func() *Event { return state(30, 1, oid(9)) }, true},
		"an older state": {func() *Event { return state(5, 1, oid(9)) }, false},
		"a pull request with a new URL": {func() *Event {
			e := announcement(40, 2, 7)
			e.Kind, e.Commit, e.Repositories = KindPR, oid(8), []Coordinate{announcement(1, 1).Repo}
			return e
		}, true},
		"a pull request with a known URL": {func() *Event {
			e := announcement(40, 2, 1)
			e.Kind, e.Commit, e.Repositories = KindPR, oid(8), []Coordinate{announcement(1, 1).Repo}
			return e
		}, false},
		"a newer announcement": {func() *Event {
			e := announcement(50, 1, 1)
			e.CreatedAt = 99
			return e
		}, true},
	} {
		d := newInstant(t, DefaultConfig())
		d.step(Input{Kind: InServed, Event: announcement(1, 1, 1)})
		d.step(Input{Kind: InRepoRefs, Repo: repo + 1})
		lost := state(20, 1, oid(1))
		d.from(lost, FromSync, 1)
		d.until(40 * Minute)
		require.Equal(t, KnownExpired, d.c.Knows(lost.ID), name)
		d.from(row.evidence(), FromClient, 1)
		_, text := d.from(lost, FromSync, 1)
		require.Equal(t, row.lifts, text != textExpired, "%s: %s", name, text)
	}
}

// An event belongs here if it names an accepted repository, names or is named by an event known here, or the store says
// so; a general relay takes all. // RE-01; cases 144, 145, 146
func TestRelatedEvents(t *testing.T) {
	d := newInstant(t, DefaultConfig())
	d.step(Input{Kind: InServed, Event: announcement(1, 1, 1)})
	pr := announcement(2, 2, 1)
	pr.Kind, pr.Commit, pr.Repositories, pr.Mentions = KindPR, oid(1), []Coordinate{announcement(1, 1).Repo}, []EventID{eventID(30)}
	d.from(pr, FromSync, 1)
	issue := func(n int, change func(*Event, *Input)) bool {
		in := Input{Kind: InEvent, Event: &Event{ID: eventID(n), Author: author(5), Kind: KindIssue, Size: 100}}
		change(in.Event, &in)
		d.step(in)
		d.settle()
		ok, text := d.answer(in.Event.ID)
		require.True(t, ok || text == textKind)
		return ok
	}
	require.True(t, issue(10, func(e *Event, _ *Input) { e.Repositories = []Coordinate{announcement(1, 1).Repo} }))
	require.True(t, issue(11, func(e *Event, _ *Input) { e.Mentions = []EventID{pr.ID} }))
	require.True(t, issue(30, func(*Event, *Input) {}), "a held pull request names it")
	require.True(t, issue(12, func(_ *Event, in *Input) { in.Related = true }))
	require.False(t, issue(13, func(*Event, *Input) {}))
	require.False(t, issue(14, func(e *Event, _ *Input) { e.Repositories = []Coordinate{announcement(3, 3).Repo} }))
	require.False(t, issue(15, func(e *Event, _ *Input) { e.Mentions = []EventID{eventID(88)} }))
	d.step(Input{Kind: InRemove, Target: pr.ID})
	d.settle()
	require.False(t, issue(31, func(e *Event, _ *Input) { e.Mentions = []EventID{pr.ID} }), "it is gone")
	cfg := DefaultConfig()
	cfg.GeneralRelay = true
	d.step(Input{Kind: InConfigChanged, Config: &cfg})
	require.True(t, issue(16, func(*Event, *Input) {}))
}

// Who lists an author and takes it back costs that author nothing: the synced state that was held by that listing is
// taken up when the author's own announcement comes. // I-11, S-05
func TestListingTakenBack(t *testing.T) {
	d := newInstant(t, DefaultConfig())
	listing := announcement(1, 2, 1)
	listing.Maintainers = []PubKey{author(1)}
	d.from(listing, FromSync, 1)
	s := state(5, 1, oid(1))
	_, text := d.from(s, FromSync, 1)
	require.Equal(t, textHeld, text)
	back := announcement(3, 2, 1)
	back.CreatedAt = 9
	d.from(back, FromSync, 1)
	require.Equal(t, KnownRejected, d.c.Knows(s.ID))
	d.from(announcement(4, 1, 1), FromSync, 1)
	require.Equal(t, KnownHeld, d.c.Knows(s.ID))
}

// Whatever the core refuses, it says with a prefix of the protocol and a reason that is more than a word. // S-02
func TestEveryRefusalHasAReason(t *testing.T) {
	texts := []string{textExpired, textDeleted, textFuture, textNotListed, textOlder, textNoAuthor, textEmpty, textNoRepo, textProtected, textFull,
		textNoCommit, textKind, textBlocked, textTargets, textStore, textStopping, textWrites, textSourceHunts}
	for why := refusedOtherwise; why < numRefusals; why++ {
		texts = append(texts, why.again())
	}
	seen := map[string]bool{}
	for _, text := range texts {
		prefix, reason, _ := strings.Cut(text, ": ")
		require.Contains(t, []string{"invalid", "blocked", "rate-limited", "error"}, prefix, text)
		require.Greater(t, len(strings.Fields(reason)), 2, text)
		require.False(t, seen[text], text)
		seen[text] = true
	}
}
