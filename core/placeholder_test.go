package core

import (
	"testing"

	"github.com/stretchr/testify/require"
)

// ofPR is the update that pushes a commit to refs/nostr/<event n>.
func ofPR(n int, commit OID) RefUpdate {
	return RefUpdate{Name: Handle(5000 + n), New: commit, Event: eventID(n), Space: NostrRef}
}

func pushTo(id uint64, to *Event, updates ...RefUpdate) *Push {
	return &Push{ID: id, Repo: to.Repo, From: 77, Updates: updates}
}

// push takes a push through hook, upload and git as they should be; false if it was refused.
func (d *instant) push(p *Push) (ok bool, text string) {
	for _, kind := range []InputKind{InPushAsked, InPushRecheck} {
		d.step(Input{Kind: kind, Push: p})
		if v := d.verdictOf(p.ID); !v.OK {
			if kind == InPushRecheck {
				d.step(Input{Kind: InPushEnded, Push: p, Class: Forbidden})
				d.settle()
			}
			return false, v.Text
		}
	}
	d.step(Input{Kind: InPushEnded, Push: p})
	d.settle()
	return true, ""
}

// verdictOf is the latest verdict on a push.
func (d *instant) verdictOf(id uint64) (v Effect) {
	for _, e := range d.effectsOf(EfPushVerdict) {
		if e.Push == id {
			v = e
		}
	}
	return v
}

// home is a world with one served announcement, by author 1, that has a state.
func home(t *testing.T, cfg Config) (*instant, *Event) {
	d := newInstant(t, cfg)
	d.local[oid(1)] = true
	a := announcement(1, 1)
	d.event(a, FromSync)
	d.event(state(2, 1, oid(1)), FromSync)
	d.until(2 * Second)
	require.Equal(t, []EventID{eventID(1), eventID(2)}, ids(d.reports(RepEndedReleased)))
	return d, a
}

// lastRef is the latest alignment of a ref below refs/nostr/: the event and what it is set to.
func (d *instant) lastRef() (id EventID, oids []OID) {
	for _, e := range d.effectsOf(EfAlignRefs) {
		if e.Space == NostrRef {
			id, oids = e.Event, e.OIDs
		}
	}
	return id, oids
}

// PR-03, P-03: data first leaves a placeholder; the event finds its data here and is served at once. // case 69
func TestPlaceholderThenEvent(t *testing.T) {
	d, a := home(t, DefaultConfig())
	ok, text := d.push(pushTo(5, a, ofPR(9, oid(7))))
	require.True(t, ok, text)
	held := d.reports(RepPlaceholderHeld)
	require.Equal(t, []EventID{eventID(9)}, ids(held))
	require.Equal(t, d.now+30*Minute, held[0].Deadline)
	require.Equal(t, oid(7), d.c.refOf(0, eventID(9)))
	require.NotContains(t, d.c.where, eventID(9), "the event is not known by it")
	require.Equal(t, 1, d.c.Stats().Placeholders)
	require.Zero(t, d.c.Stats().Held)

	d.local[oid(7)] = true
	d.event(pull(9, 3, oid(7), a.Repo), FromClient)
	require.Equal(t, []EventID{eventID(9)}, ids(d.reports(RepPlaceholderEnded)))
	require.Contains(t, ids(d.reports(RepEndedReleased)), eventID(9))
	id, oids := d.lastRef()
	require.Equal(t, eventID(9), id)
	require.Equal(t, []OID{oid(7)}, oids)
	require.Zero(t, d.c.Stats().Placeholders)
	require.Empty(t, d.effectsOf(EfCompare))
}

// PR-03: of event and placeholder with different commits the event wins. // case 158
func TestPlaceholderOfAnotherCommit(t *testing.T) {
	d, a := home(t, DefaultConfig())
	ok, _ := d.push(pushTo(5, a, ofPR(9, oid(6))))
	require.True(t, ok)
	d.event(pull(9, 3, oid(7), a.Repo), FromClient)
	id, oids := d.lastRef()
	require.Equal(t, eventID(9), id)
	require.Empty(t, oids, "the wrong ref is deleted")
	require.Zero(t, d.c.Stats().Placeholders)
	ok, text := d.push(pushTo(6, a, ofPR(9, oid(6))))
	require.False(t, ok)
	require.Equal(t, placeWrong, text)
	require.Equal(t, []Ref{{Name: 5009, OID: oid(6)}}, d.verdictOf(6).Old)
	d.local[oid(7)] = true
	ok, _ = d.push(pushTo(7, a, ofPR(9, oid(7))))
	require.True(t, ok)
	require.Contains(t, ids(d.reports(RepEndedReleased)), eventID(9))
}

// E-01, E-03, PR-03: a placeholder lives 30 min to the instant, takes its ref with it and is not remembered as
// expired. // case 73; B-29; mutant 27
func TestPlaceholderExpires(t *testing.T) {
	d, a := home(t, DefaultConfig())
	ok, _ := d.push(pushTo(5, a, ofPR(9, oid(7))))
	require.True(t, ok)
	end := d.now + 30*Minute
	d.until(end - 1)
	require.Empty(t, d.reports(RepPlaceholderEnded))
	d.until(end)
	require.Len(t, d.reports(RepPlaceholderEnded), 1)
	id, oids := d.lastRef()
	require.Equal(t, eventID(9), id)
	require.Empty(t, oids)
	require.Zero(t, d.c.Stats().ExpiredIDs)
	d.event(pull(9, 3, oid(7), a.Repo), FromSync)
	require.Contains(t, ids(d.reports(RepHeld)), eventID(9), "a relay's copy is admitted")
}

// PR-03: a second push for the same id: another commit replaces the first, the same one changes nothing. // case 76
func TestPlaceholderPushedAgain(t *testing.T) {
	d, a := home(t, DefaultConfig())
	first := d.now
	for i, commit := range []int{6, 6, 7} {
		d.until(first + Time(i)*10*Minute)
		ok, _ := d.push(pushTo(uint64(5+i), a, ofPR(9, oid(commit))))
		require.True(t, ok)
		require.Equal(t, oid(commit), d.c.refOf(0, eventID(9)))
		require.Equal(t, 1, d.c.Stats().Placeholders)
	}
	held := d.reports(RepPlaceholderHeld)
	require.Len(t, held, 2)
	require.Equal(t, first+50*Minute, held[1].Deadline)
	d.until(first + 50*Minute - 1)
	require.Equal(t, 1, d.c.Stats().Placeholders)
}

// PR-03: one event id may be pushed to several repositories; the event settles all that it names.
func TestPlaceholderInTwoRepositories(t *testing.T) {
	d, a := home(t, DefaultConfig())
	b := under(2, announcement(3, 2))
	d.event(b, FromSync)
	for i, to := range []*Event{a, b} {
		ok, text := d.push(pushTo(uint64(5+i), to, ofPR(9, oid(6+i))))
		require.True(t, ok, text)
	}
	require.Equal(t, 2, d.c.Stats().Placeholders)
	d.event(pull(9, 3, oid(6), a.Repo, b.Repo), FromClient)
	require.Zero(t, d.c.Stats().Placeholders)
	last := d.effectsOf(EfAlignRefs)
	require.Equal(t, b.Repo.Repo, last[len(last)-1].Repo, "only the other commit's ref goes")
	require.Empty(t, last[len(last)-1].OIDs)
}

// P-03, S-06: each bound refuses what would pass it, says which it is, and lets in what does not.
func TestPlaceholderBounds(t *testing.T) {
	type one struct {
		id    int
		from  Handle
		bytes int64
		to    int // 0: the first repository
		at    Time
		bound string // in the refusal, or ""
	}
	for _, row := range []struct {
		name   string
		change func(*Config)
		pushes []one
	}{
		{"per repository", func(c *Config) { c.PlaceholdersPerRepo = 2 }, []one{
			{id: 10, from: 1}, {id: 11, from: 2}, {id: 12, from: 3, bound: "at most 2 commits may wait for their pull requests in one repository"},
			{id: 10, from: 3}, {id: 12, from: 3, to: 1}, {id: 12, from: 3, at: 30 * Minute}}},
		{"per source", func(c *Config) { c.PlaceholdersPerSource = 2 }, []one{
			{id: 10, from: 1}, {id: 11, from: 1, to: 1}, {id: 12, from: 1, bound: "at most 2 commits without a pull request may come from one address"},
			{id: 12, from: 2}, {id: 13, from: 1, at: 30*Minute - 1, bound: "one address"}, {id: 13, from: 1, at: 30 * Minute}}},
		{"bytes per repository", func(c *Config) { c.PlaceholderRepoBytes = 10 }, []one{
			{id: 10, from: 1, bytes: 6}, {id: 11, from: 2, bytes: 5, bound: "at most 10 bytes may wait for their pull requests in one repository"},
			{id: 11, from: 2, bytes: 4}, {id: 12, from: 2, bytes: 9, to: 1}}},
		{"bytes per source", func(c *Config) { c.PlaceholderSourceBytes = 10 }, []one{
			{id: 10, from: 1, bytes: 10}, {id: 11, from: 1, bytes: 1, to: 1, bound: "at most 10 bytes without a pull request may come from one address"},
			{id: 11, from: 2, bytes: 1}, {id: 12, from: 1, bytes: 1, at: 30 * Minute}}},
		{"bytes in all", func(c *Config) { c.PlaceholderBytes = 10 }, []one{
			{id: 10, from: 1, bytes: 6}, {id: 11, from: 2, bytes: 5, to: 1, bound: "at most 10 bytes may wait for their pull requests on this server"},
			{id: 11, from: 2, bytes: 4, to: 1}}},
		{"none at all", func(c *Config) { c.PlaceholdersPerRepo = 0 }, []one{{id: 10, from: 1, bound: "at most 0 commits"}}},
	} {
		t.Run(row.name, func(t *testing.T) {
			cfg := DefaultConfig()
			row.change(&cfg)
			d, a := home(t, cfg)
			b := under(2, announcement(3, 2))
			d.event(b, FromSync)
			begin := d.now
			for i, x := range row.pushes {
				d.until(max(d.now, begin+x.at))
				p := pushTo(uint64(50+i), []*Event{a, b}[x.to], ofPR(x.id, oid(7)))
				p.From, p.Bytes = x.from, x.bytes
				ok, text := d.push(p)
				require.Equal(t, x.bound == "", ok, "push %d: %s", i, text)
				require.Contains(t, text, x.bound)
				if !ok {
					require.Contains(t, text, "push: rate-limited: ")
				}
			}
		})
	}
}

// P-03: pushes that are under way at once do not pass a bound together, and what they reserved is given back.
func TestPlaceholdersUnderWay(t *testing.T) {
	cfg := DefaultConfig()
	cfg.PlaceholdersPerRepo, cfg.PlaceholderSourceBytes = 2, 10
	d, a := home(t, cfg)
	b := under(2, announcement(3, 2))
	d.event(b, FromSync)
	for i := range 3 {
		d.step(Input{Kind: InPushAsked, Push: pushTo(uint64(5+i), a, ofPR(10+i, oid(7)))})
		require.Equal(t, i < 2, d.verdictOf(uint64(5+i)).OK)
	}
	big := pushTo(5, a, ofPR(10, oid(7)))
	big.Bytes = 8
	d.step(Input{Kind: InPushRecheck, Push: big})
	require.True(t, d.verdictOf(5).OK)
	other := pushTo(9, b, ofPR(10, oid(7)))
	d.step(Input{Kind: InPushAsked, Push: other})
	other.Bytes = 3
	d.step(Input{Kind: InPushRecheck, Push: other})
	require.Contains(t, d.verdictOf(9).Text, "at most 10 bytes")
	d.step(Input{Kind: InPushEnded, Push: big, Class: LocalFault})
	d.settle()
	d.step(Input{Kind: InPushRecheck, Push: other})
	require.True(t, d.verdictOf(9).OK, d.verdictOf(9).Text)
	ok, _ := d.push(pushTo(8, a, ofPR(13, oid(7))))
	require.True(t, ok, "the place of the failed one is free")
}

// E-04: refs that wait for their event keep the repository of a held announcement until the last of them.
func TestRepositoryWithPlaceholdersIsKept(t *testing.T) {
	d := newInstant(t, DefaultConfig())
	a := announcement(1, 1)
	d.event(a, FromClient)
	d.until(20 * Minute)
	ok, _ := d.push(pushTo(5, a, ofPR(9, oid(7))))
	require.True(t, ok)
	d.hold = func(e Effect) bool { return e.Kind == EfDeleteRepoIfNoRefs }
	d.until(30 * Minute)
	require.Len(t, d.pending, 1)
	d.hold = nil
	d.step(Input{Kind: InRepoDeleted, Ask: d.pending[0].Ask, HadRefs: true})
	require.Equal(t, 50*Minute, d.reports(RepExtended)[0].Deadline)
	d.until(50 * Minute)
	require.Len(t, d.reports(RepPlaceholderEnded), 1)
	require.Len(t, d.reports(RepSoftExpired), 1, "the ref goes before the repository is looked at")
}

// PR-03: placeholders go with their repository. // DL-02
func TestPlaceholdersGoWithTheirRepository(t *testing.T) {
	d := newInstant(t, DefaultConfig())
	a := announcement(1, 1)
	d.event(a, FromClient)
	ok, _ := d.push(pushTo(5, a, ofPR(9, oid(7))))
	require.True(t, ok)
	d.event(erase(90, 1, 1), FromClient)
	require.Len(t, d.effectsOf(EfDeleteRepo), 1)
	require.Len(t, d.reports(RepPlaceholderEnded), 1)
	require.Zero(t, d.c.Stats().Placeholders)
	_, oids := d.lastRef()
	require.Empty(t, oids)
	require.Empty(t, d.effectsOf(EfAlignRefs), "no ref is removed from what is removed as a whole")
}
