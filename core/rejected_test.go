package core

import (
	"testing"

	"github.com/stretchr/testify/require"
)

// restored is a driver of a core made anew from what d's core saved.
func (d *instant) restored() *instant {
	next := newInstant(d.t, d.c.cfg)
	var err error
	next.c, err = Restore(d.c.cfg, d.c.AppendState(nil))
	require.NoError(d.t, err)
	next.now = d.now
	return next
}

// What is known of refused events outlives a restart with the age it had: whole for two minutes in all, by id for
// seven days in all; what is over by then is not kept. // S-05, R-03; case 131
func TestRefusalsOverARestart(t *testing.T) {
	d := newInstant(t, DefaultConfig())
	early, later := state(2, 2, oid(1)), state(3, 2, oid(2))
	d.from(early, FromSync, 1)
	d.until(Minute)
	d.from(later, FromSync, 1)
	require.Equal(t, 2, d.c.Stats().Early)

	d = d.restored()
	require.Equal(t, 2, d.c.Stats().Early)
	_, text := d.from(early, FromSync, 1)
	require.Equal(t, refusedNobodys.again(), text, "with its reason")
	d.until(2 * Minute) // the first is two minutes old, the second one
	d.step(Input{Kind: InWake})
	require.Equal(t, 1, d.c.Stats().Early)

	d = d.restored()
	listing := announcement(1, 1)
	listing.Maintainers = []PubKey{author(2)}
	d.from(listing, FromSync, 1)
	require.Equal(t, KnownHeld, d.c.Knows(later.ID), "taken up from memory")
	require.Equal(t, Unknown, d.c.Knows(early.ID), "gone from memory, but no longer refused unread")
	_, text = d.from(early, FromSync, 1)
	require.Equal(t, textHeld, text)

	other := state(9, 8, oid(1))
	d.from(other, FromSync, 1)
	d.until(2*Minute + 7*Day - 1)
	d = d.restored()
	require.Equal(t, KnownRejected, d.c.Knows(other.ID))
	d.until(2*Minute + 7*Day)
	d.step(Input{Kind: InWake})
	require.Equal(t, Unknown, d.c.Knows(other.ID))
	_, text = d.from(other, FromSync, 1)
	require.Equal(t, textNoAuthor, text)
}

// A client's event is judged each time and never remembered; refusals for room or rate say nothing about the event and
// are not remembered of anybody. // S-05, S-06
func TestWhatIsNotRemembered(t *testing.T) {
	cfg := DefaultConfig()
	cfg.HeldEvents = 1
	d := newInstant(t, cfg)
	d.from(state(2, 2, oid(1)), FromClient, 1)
	require.Zero(t, d.c.Stats().Early+d.c.Stats().RejectedIDs)
	d.step(Input{Kind: InServed, Event: announcement(1, 1, 1)})
	d.from(state(3, 1, oid(1)), FromClient, 1)
	_, text := d.from(state(4, 1, oid(2)), FromSync, 1)
	require.Equal(t, textFull, text)
	require.Equal(t, Unknown, d.c.Knows(eventID(4)))
	require.Zero(t, d.c.Stats().Early+d.c.Stats().RejectedIDs)
}

// Untouched settings are those of the rule: two hundred writes at once, then one a second, and as many in an hour as
// seconds have gone by. // S-06
func TestWritesAtTheDefaultRate(t *testing.T) {
	d := newInstant(t, DefaultConfig())
	n := 0
	taken := func() (writes int) {
		for {
			n++
			if _, text := d.from(&Event{ID: eventID(n), Author: author(1), Kind: KindUserGrasps}, FromClient, 7); text == textWrites {
				return writes
			}
			writes++
			require.Less(t, writes, 1000, "no bound")
		}
	}
	require.Equal(t, 200, taken())
	d.now = Second - 1
	require.Equal(t, 0, taken())
	d.now = Second
	require.Equal(t, 1, taken())
	d.now = 60*Second + Second/2
	require.Equal(t, 59, taken(), "one a second since, the half is not lost")
	d.now = 61 * Second
	require.Equal(t, 1, taken())
	d.now = Hour
	require.Equal(t, 200, taken(), "not more than the burst")
}

// A deletion may name five hundred events and coordinates together, and not one more. // S-06
func TestTargetsOfADeletion(t *testing.T) {
	for _, row := range []struct {
		events, coordinates int
		ok                  bool
	}{{500, 0, true}, {499, 1, true}, {500, 1, false}, {0, 501, false}} {
		d := newInstant(t, DefaultConfig())
		e := &Event{ID: eventID(1), Author: author(1), Kind: KindDeletion, Targets: make([]EventID, row.events),
			Coordinates: make([]Deleted, row.coordinates)}
		for i := range e.Targets {
			e.Targets[i] = eventID(1000 + i)
		}
		ok, text := d.from(e, FromClient, 1)
		require.Equal(t, row.ok, ok, "%+v: %s", row, text)
		if !ok {
			require.Equal(t, textTargets, text)
		}
	}
}

// What a held announcement's coordinate or a served one's reaches belongs here, as long as that is so; what an id reaches
// likewise: an expired pull request carries nothing any more. // RE-01; cases 144, 146
func TestRelatedWhileItIsSo(t *testing.T) {
	d := newInstant(t, DefaultConfig())
	n := 100
	taken := func(change func(*Event)) bool {
		n++
		e := &Event{ID: eventID(n), Author: author(5), Kind: KindIssue}
		change(e)
		ok, text := d.from(e, FromSync, 1)
		require.True(t, ok || text == textKind, text)
		return ok
	}
	about := func(who int) bool {
		return taken(func(e *Event) { e.Repositories = []Coordinate{announcement(0, who).Repo} })
	}
	require.False(t, about(1))
	d.from(announcement(1, 1, 1), FromSync, 1)
	require.True(t, about(1), "held")
	require.False(t, about(2), "somebody else's of the same name")
	d.step(Input{Kind: InServed, Event: announcement(2, 2, 1)})
	require.True(t, about(2), "served")

	names := []EventID{eventID(50), eventID(51)}
	for i := range 2 { // two name the same, so one may go
		pr := pull(10+i, 6+i, oid(7), announcement(0, 2).Repo)
		pr.Mentions = names
		d.from(pr, FromSync, 1)
	}
	named := func(id int) bool { // asked without leaving a trace: an event that is refused or taken is not in purgatory
		ok, _ := d.from(&Event{ID: eventID(id), Author: author(5), Kind: KindIssue}, FromSync, 1)
		return ok
	}
	mentions := func(id int) bool { return taken(func(e *Event) { e.Mentions = []EventID{eventID(id)} }) }
	require.True(t, named(50))
	require.True(t, mentions(10))
	d.step(Input{Kind: InRemove, Target: eventID(10)})
	d.settle()
	require.False(t, mentions(10))
	require.True(t, named(51), "the other one names it still")
	d.until(Hour)
	require.Len(t, d.reports(RepEndedExpired), 1)
	require.False(t, mentions(11))
	require.False(t, named(52))
	require.Empty(t, d.c.mentioned)
}
