package core

import (
	"cmp"
	"fmt"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"graspsync/core/purgatory"
)

// auditResidents: whoever gives way first by the orders that are kept is who does by a look at all records. // Q-14, S-06
func auditResidents(c *Core) error {
	type candidate struct {
		loc    location
		last   bool
		serial uint32
		author int32
		from   Handle
	}
	var all []candidate
	held := map[Handle]int{}
	for _, loc := range heldSynced(c) {
		t := c.tenancy(loc)
		all = append(all, candidate{loc, slowlyProven(c, loc), t.serial, t.author, *t.from})
		held[*t.from]++
	}
	if len(all) != c.residents.slab.Len() || len(held) != c.residents.relays.Len() {
		return fmt.Errorf("%d synced events of %d relays are held, %d of %d are filed", len(all), len(held), c.residents.slab.Len(), c.residents.relays.Len())
	}
	slices.SortFunc(all, func(a, b candidate) int {
		return cmp.Or(cmp.Compare(b2i(a.last), b2i(b.last)), cmp.Compare(held[b.from], held[a.from]), cmp.Compare(a.serial, b.serial))
	})
	for i, k := range all {
		if i == 0 {
			_, relay, _ := c.residents.top.Top()
			_, r, _ := c.residents.relays.At(relay).due.Top()
			if first := c.residents.slab.At(r); first.serial != k.serial {
				return fmt.Errorf("event %d gives way, should be %d", first.serial, k.serial)
			}
		}
		if r := c.residents.slab.At(*c.tenancy(k.loc).slot - 1); r.loc != k.loc || r.author != k.author || c.residents.relays.At(r.relay).from != k.from {
			return fmt.Errorf("event %d is filed as %+v", k.serial, r)
		}
	}
	slices.SortFunc(all, func(a, b candidate) int { return cmp.Compare(a.serial, b.serial) })
	for i := range c.authors.slab.Items {
		u, n := &c.authors.slab.Items[i], int32(0)
		if k, ok := c.authors.byKey[u.key]; !ok || k != int32(i) {
			continue
		}
		at := u.first
		for _, k := range all {
			if k.author != int32(i) {
				continue
			}
			if at == purgatory.None || c.residents.slab.At(at).serial != k.serial {
				return fmt.Errorf("event %d is not where its age puts it among its author's", k.serial)
			}
			at, n = c.residents.slab.At(at).next, n+1
		}
		if at != purgatory.None || n == 0 && u.last != purgatory.None {
			return fmt.Errorf("author %d: events that are not held are listed", i)
		}
	}
	return auditHuntOrder(c)
}

func auditHuntOrder(c *Core) error {
	victim := purgatory.None
	for i := range c.groups.Items {
		o := &c.groups.Items[i]
		if !o.used {
			continue
		}
		if o.proven == c.unproven(o) {
			return fmt.Errorf("group %d: served announcements %v, noted %v", i, !c.unproven(o), o.proven)
		}
		if !c.fed && o.hungry != slices.Contains(c.hungry, int32(i)) {
			return fmt.Errorf("group %d is hungry and not noted", i)
		}
		if o.id == 0 || !o.synced {
			continue
		}
		if victim == purgatory.None || slowlyBefore(c, o, c.groups.At(victim)) {
			victim = int32(i)
		}
	}
	if got := c.nextHunt(purgatory.None, purgatory.None); got != victim {
		return fmt.Errorf("the hunt of group %d gives way, should be that of %d", got, victim)
	}
	return nil
}

func slowlyBefore(c *Core, a, b *group) bool {
	return cmp.Or(cmp.Compare(b2i(a.proven), b2i(b.proven)), cmp.Compare(c.authors.at(b.author).hunts, c.authors.at(a.author).hunts),
		cmp.Compare(a.activity, b.activity), cmp.Compare(a.id, b.id)) < 0
}

func heldSynced(c *Core) (out []location) {
	for i := range c.states.Items {
		if s := &c.states.Items[i]; (s.Status == purgatory.Held || s.Status == purgatory.Releasing) && s.Synced {
			out = append(out, location{recState, int32(i)})
		}
	}
	for i := range c.prs.Items {
		if p := &c.prs.Items[i]; (p.Status == purgatory.Held || p.Status == purgatory.Releasing) && p.Synced {
			out = append(out, location{recPR, int32(i)})
		}
	}
	for i := range c.anns.Items {
		if a := &c.anns.Items[i]; a.Status != purgatory.Free && a.Status != purgatory.Served && a.Synced {
			out = append(out, location{recAnnouncement, int32(i)})
		}
	}
	return out
}

func slowlyProven(c *Core, loc location) bool {
	groups := []int32{}
	switch loc.kind {
	case recState:
		groups = c.states.At(loc.slot).Groups
	case recPR:
		groups = c.prs.At(loc.slot).Groups
	default:
		groups = append(groups, c.anns.At(loc.slot).Group)
	}
	return slices.ContainsFunc(groups, func(g int32) bool { return !c.unproven(c.groups.At(g)) })
}

// prFor is a pull request for the repository of author a under its identifier.
func prFor(n, by int, a *Event) *Event {
	e := announcement(n, by, 1)
	e.Kind, e.Commit, e.Repositories, e.Size = KindPR, oid(n), []Coordinate{a.Repo}, 1000
	e.ID[28], e.Author[29] = byte(n>>8), byte(by>>8)
	return e
}

// At the bound of all held events the relay that brought most gives way, not the author who wrote most; what concerns a
// served repository goes last of all, whoever brought it. // S-06, Q-14
func TestWhoGivesWay(t *testing.T) {
	cfg := DefaultConfig()
	cfg.HeldEvents = 6
	d := newInstant(t, cfg)
	served, young := announcement(1, 1, 1), announcement(2, 2, 1)
	young.Repo = Coordinate{Owner: young.Author, Identifier: young.Repo.Identifier + 1, Repo: repo + 99}
	const loud, quiet = Handle(7), Handle(8)
	d.step(Input{Kind: InServed, Event: served})
	d.from(young, FromClient, 3)
	text := ""
	add := func(e *Event, o Origin, at Handle) { _, text = d.from(e, o, at); require.Equal(t, textHeld, text) }
	add(prFor(10, 3, served), FromSync, loud) // oldest, but of a served repository
	add(prFor(11, 4, young), FromSync, quiet) // older than those of the loud one
	add(prFor(12, 5, young), FromSync, loud)
	add(prFor(13, 6, young), FromSync, loud)
	add(prFor(14, 4, young), FromClient, 3)
	gone := func() (out []EventID) {
		for _, r := range d.reports(RepEndedEvicted) {
			out = append(out, r.Event)
		}
		return out
	}
	require.Empty(t, gone())
	add(prFor(15, 7, young), FromClient, 3)
	require.Equal(t, []EventID{prFor(12, 5, young).ID}, gone())
	add(prFor(16, 7, young), FromClient, 3) // one of each relay: the loud one still holds two
	add(prFor(17, 7, young), FromClient, 3)
	add(prFor(18, 7, young), FromClient, 3)
	require.Equal(t, []EventID{prFor(12, 5, young).ID, prFor(13, 6, young).ID, prFor(11, 4, young).ID, prFor(10, 3, served).ID}, gone())
	_, text = d.from(prFor(19, 8, served), FromClient, 3)
	require.Equal(t, textFull, text, "clients' events never give way")
	require.NoError(t, audit(d.c))
}

// Announcements that came from other relays give way too, soft-expired or not: else a flood of them would shut
// everybody out for a day. The announcement that a newcomer rests on is spared. // S-06; Q-14
func TestAnnouncementsGiveWay(t *testing.T) {
	cfg := DefaultConfig()
	cfg.HeldEvents = 2
	d := newInstant(t, cfg)
	flood := func(n int) *Event {
		e := announcement(n, n, 1)
		e.Repo = Coordinate{Owner: e.Author, Identifier: Handle(n), Repo: repo + Handle(n)}
		return e
	}
	d.from(flood(1), FromSync, 7)
	d.from(flood(2), FromSync, 7)
	_, text := d.from(flood(3), FromClient, 3)
	require.Equal(t, textHeld, text)
	require.Equal(t, eventID(1), d.reports(RepEndedEvicted)[0].Event)
	s := state(4, 2, oid(1))
	s.Repo = flood(2).Repo
	_, text = d.from(s, FromSync, 7)
	require.Equal(t, textFull, text, "only the announcement that the state rests on could go")
	require.Equal(t, KnownHeld, d.c.Knows(eventID(2)))
	_, text = d.from(flood(2), FromClient, 3)
	require.Equal(t, textInHold, text)
	_, text = d.from(flood(5), FromSync, 7)
	require.Equal(t, textFull, text, "a client has sent it since")
	d.step(Input{Kind: InRemove, Target: eventID(3)})
	d.settle()
	d.from(flood(5), FromSync, 7)
	d.until(40 * Minute)
	require.Equal(t, KnownHeld, d.c.Knows(eventID(5)), "soft-expired")
	_, text = d.from(flood(6), FromSync, 7)
	require.Equal(t, textHeld, text)
	require.Equal(t, Unknown, d.c.Knows(eventID(5)))
	require.NoError(t, audit(d.c))
}

// A client's announcement is hunted for a client: its hunt does not give way to others. // Q-14
func TestClientAnnouncementKeepsItsHunt(t *testing.T) {
	cfg := DefaultConfig()
	cfg.Hunts = 1
	d := newInstant(t, cfg)
	d.from(announcement(1, 1, 1), FromClient, 3)
	require.Equal(t, 1, d.c.Stats().Hunts)
	other := announcement(2, 2, 1)
	other.Repo = Coordinate{Owner: other.Author, Identifier: 77, Repo: repo + 77}
	_, text := d.from(other, FromSync, 7)
	require.Equal(t, textFull, text)
	require.Empty(t, d.reports(RepEndedEvicted))
}

// Asking what is known of an id allocates nothing: a driver asks for every id that another relay offers. // S-05
func TestKnowsAllocatesNothing(t *testing.T) {
	d := newInstant(t, DefaultConfig())
	d.from(announcement(1, 1, 1), FromSync, 1)
	d.from(state(2, 9, oid(1)), FromSync, 1)
	for _, row := range []struct {
		id   int
		want Knowledge
	}{{1, KnownHeld}, {2, KnownRejected}, {3, Unknown}} {
		var got Knowledge
		require.Zero(t, testing.AllocsPerRun(100, func() { got = d.c.Knows(eventID(row.id)) }))
		require.Equal(t, row.want, got)
	}
}

// Each reason that is remembered is told again as it was, by the text it came with. // S-05, S-02
func TestRefusedAgainWithItsReason(t *testing.T) {
	for why := refusedUnlisted; why < numRefusals; why++ {
		text := why.again()
		require.Contains(t, text, " (refused before, and nothing has changed since)")
		require.Equal(t, why, refusalOf(text[:len(text)-len(" (refused before, and nothing has changed since)")]))
	}
	require.Equal(t, refusedOtherwise, refusalOf(textFull))
}

// What was refused as nobody's is lifted by the announcement that lists its author, and by no other of that name; what
// was refused as older, only when the newer one is gone. // S-05, AN-05; case 130
func TestWhatLiftsRefusals(t *testing.T) {
	d := newInstant(t, DefaultConfig())
	d.from(announcement(1, 1, 1), FromSync, 1)
	s := state(5, 8, oid(1))
	d.from(s, FromSync, 1)
	d.until(3 * Minute) // only its id is left
	require.Zero(t, d.c.Stats().Early)
	other := announcement(2, 2, 1)
	other.Maintainers = []PubKey{author(3)}
	d.from(other, FromSync, 1)
	require.Equal(t, KnownRejected, d.c.Knows(s.ID), "nobody has listed its author")
	listing := announcement(3, 4, 1)
	listing.Maintainers = []PubKey{author(8)}
	d.from(listing, FromSync, 1)
	require.Equal(t, Unknown, d.c.Knows(s.ID), "to be asked for again")

	newer, older := announcement(6, 6, 1), announcement(7, 6, 1)
	newer.CreatedAt, older.CreatedAt = 20, 10
	d.from(newer, FromSync, 1)
	d.from(older, FromSync, 1)
	d.from(state(8, 6, oid(2)), FromSync, 1)
	require.Equal(t, KnownRejected, d.c.Knows(older.ID), "a state changes nothing about it")
	d.step(Input{Kind: InRemove, Target: newer.ID})
	d.settle()
	require.Equal(t, Unknown, d.c.Knows(older.ID))
}

// A pull request that expired is remembered under a repository that is here, though it names another first: new
// evidence comes for that one. // E-03; cases 72, 75
func TestExpiredPRIsLiftedWhereItIsKnown(t *testing.T) {
	d := newInstant(t, DefaultConfig())
	d.step(Input{Kind: InServed, Event: announcement(1, 1, 1)})
	pr := prFor(10, 3, announcement(1, 1, 1))
	pr.Repositories = []Coordinate{announcement(0, 9).Repo, announcement(1, 1).Repo}
	d.from(pr, FromSync, 1)
	d.until(40 * Minute)
	require.Equal(t, KnownExpired, d.c.Knows(pr.ID))
	moved := announcement(2, 1, 5)
	moved.CreatedAt = 9
	d.from(moved, FromSync, 1)
	require.Equal(t, Unknown, d.c.Knows(pr.ID))
}

// A group whose hunt gave way is not hunted for again until there is room, and is then, without a look at all groups.
// Q-14, I-1
func TestHungryGroupsAreFed(t *testing.T) {
	cfg := DefaultConfig()
	cfg.Hunts = 1
	d := newInstant(t, cfg)
	one := announcement(1, 1, 1)
	d.from(one, FromSync, 1)
	two := announcement(2, 2, 1)
	two.Repo = Coordinate{Owner: two.Author, Identifier: two.Repo.Identifier + 1, Repo: repo + 99}
	d.from(two, FromSync, 1) // the first one's hunt gives way
	require.Equal(t, 1, d.c.Stats().Hunts)
	require.EqualValues(t, 2, d.c.Stats().HuntsMinted)
	require.NoError(t, audit(d.c))
	d.c.starve(d.c.anns.At(d.c.announcementOf(one.Repo.Identifier, one.Author)).Group)
	d.step(Input{Kind: InRemove, Target: two.ID})
	d.settle()
	require.True(t, d.c.fed)
	require.Empty(t, d.c.hungry)
	require.NoError(t, audit(d.c))
}
