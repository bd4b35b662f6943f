package core

import (
	"pgregory.net/rapid"
)

func (x *chaos) coordinate(who, ident int) Coordinate {
	return Coordinate{Owner: author(who), Identifier: Handle(ident), Repo: repo + Handle(10*ident+who)}
}

func (x *chaos) sources(from int) (out []Source) {
	for u := from; u < from+4; u++ {
		if rapid.IntRange(0, 2).Draw(x.t, "names") > 0 {
			out = append(out, Source{URL: url + Handle(u), Domain: domain + Handle(u%3), Class: SourceClass(rapid.SampledFrom([]int{0, 0, 0, 0, 1, 2}).Draw(x.t, "source class"))})
		}
	}
	return out
}

func (x *chaos) newEvent() *Event {
	who, ident := rapid.IntRange(1, 3).Draw(x.t, "who"), rapid.IntRange(1, 2).Draw(x.t, "ident")
	e := &Event{ID: eventID(len(x.events) + 1), Author: author(who), Repo: x.coordinate(who, ident),
		Size: int32(rapid.SampledFrom([]int{0, 500, 1_200}).Draw(x.t, "size")), CreatedAt: int64(rapid.IntRange(0, 20).Draw(x.t, "created"))}
	e.ID[0] = byte(rapid.IntRange(1, 3).Draw(x.t, "id")) // ids are not in order of arrival
	e.Protected = rapid.IntRange(0, 19).Draw(x.t, "protected") == 0
	if rapid.IntRange(0, 29).Draw(x.t, "huge") == 0 {
		e.Size = 300 << 10
	}
	switch rapid.IntRange(0, 10).Draw(x.t, "kind") {
	case 0, 1, 2:
		e.Kind, e.ListsUs = KindAnnouncement, rapid.IntRange(0, 5).Draw(x.t, "lists us") > 0
		e.Sources = x.sources(0)
		for m := 1; m <= 3; m++ {
			if rapid.IntRange(0, 2).Draw(x.t, "lists") == 0 {
				e.Maintainers = append(e.Maintainers, author(m))
			}
		}
	case 3, 4, 5, 6:
		e.Kind = KindState
		e.Unsatisfied = rapid.IntRange(0, 9).Draw(x.t, "unsatisfied") == 0
		for i := range rapid.IntRange(0, 2).Draw(x.t, "refs") {
			e.Refs = append(e.Refs, Ref{Name: main + Handle(i), OID: oid(rapid.IntRange(1, 4).Draw(x.t, "oid")), Symbolic: rapid.IntRange(0, 5).Draw(x.t, "symbolic") == 0})
		}
	case 7, 8:
		if rapid.IntRange(0, 2).Draw(x.t, "refers") == 0 {
			e.Mentions = []EventID{eventID(rapid.IntRange(1, 20).Draw(x.t, "to"))}
		}
		e.Kind, e.Commit = KindPR, oid(rapid.IntRange(1, 4).Draw(x.t, "commit"))
		e.Sources = x.sources(2)
		e.Repositories = append(e.Repositories, x.coordinate(rapid.IntRange(1, 3).Draw(x.t, "a"), ident))
		if rapid.Bool().Draw(x.t, "two") {
			e.Repositories = append(e.Repositories, x.coordinate(rapid.IntRange(1, 3).Draw(x.t, "a"), 3-ident))
		}
	case 10:
		e.Kind = KindIssue
		if rapid.Bool().Draw(x.t, "about") {
			e.Repositories = []Coordinate{x.coordinate(rapid.IntRange(1, 3).Draw(x.t, "a"), ident)}
		} else if len(x.events) > 0 {
			e.Mentions = []EventID{x.events[rapid.IntRange(0, len(x.events)-1).Draw(x.t, "mentions")].ID}
		}
	case 9:
		e.Kind = KindDeletion
		if len(x.events) > 0 && rapid.Bool().Draw(x.t, "by id") {
			e.Author, e.Targets = x.target()
		} else {
			e.Coordinates = []Deleted{{Kind: rapid.SampledFrom([]uint32{KindAnnouncement, KindState}).Draw(x.t, "of"), Coordinate: e.Repo}}
		}
	}
	return e
}

// deliver brings an event from some client or relay, with some facts of the store. Half of what comes again is rather what
// was refused or has expired. // S-05, E-03
func (x *chaos) deliver(e *Event) {
	if rapid.IntRange(0, 2).Draw(x.t, "remembered") == 0 {
		for i := range x.events {
			if k := x.c.Knows(x.events[i].ID); k == KnownExpired || k == KnownRejected {
				e = x.events[i]
				if rapid.Bool().Draw(x.t, "this") {
					break
				}
			}
		}
	}
	in := Input{Kind: InEvent, Event: e, Origin: Origin(rapid.IntRange(0, 1).Draw(x.t, "origin")), From: Handle(rapid.IntRange(0, 2).Draw(x.t, "from"))}
	in.Authed, in.Related = rapid.Bool().Draw(x.t, "authed"), rapid.IntRange(0, 9).Draw(x.t, "related") == 0
	knew, over := x.c.Knows(e.ID), int(e.Size) > x.c.sizeLimit(e.Kind)
	x.step(in)
	switch now := x.c.Knows(e.ID); {
	case in.Origin == FromSync && (knew == KnownExpired || knew == KnownRejected) && now == KnownHeld && !x.c.stopping:
		x.fail("S-05, E-03: event %x was known as %d and is held, though it was only synced again", e.ID[30:], knew)
	case over && now == KnownHeld && knew != KnownHeld, x.c.blocked[e.Author] && now == KnownHeld && knew != KnownHeld:
		x.fail("S-04: event %x is held: too large %v", e.ID[30:], over)
	}
}

// target is what a deletion or the operator speaks of: rather something that is served or being stored than what was
// forgotten long ago. // DL-01, DL-02
func (x *chaos) target() (PubKey, []EventID) {
	k := x.events[rapid.IntRange(0, len(x.events)-1).Draw(x.t, "target")]
	if rapid.Bool().Draw(x.t, "known") {
		for i := range x.events {
			e := x.events[len(x.events)-1-i]
			if loc, ok := x.c.where[e.ID]; ok && (x.c.servedAt(loc) || loc.kind == recPending || loc.kind == recShadow) {
				k = e
				if rapid.Bool().Draw(x.t, "this") {
					break
				}
			}
		}
	}
	return k.Author, []EventID{k.ID}
}

// begin tells the core what is stored already. // R-07
func (x *chaos) begin() {
	for range rapid.IntRange(0, 4).Draw(x.t, "served") {
		e := x.newEvent()
		x.events = append(x.events, e)
		x.step(Input{Kind: InServed, Event: e})
		if rapid.Bool().Draw(x.t, "its refs") {
			x.step(Input{Kind: InRepoRefs, Repo: e.Repo.Repo, Refs: e.Refs})
			for a, ok := x.c.annOf[e.Repo.Repo]; ok && x.c.hasRepo(a) && rapid.Bool().Draw(x.t, "a ref of a PR"); {
				id, o := eventID(rapid.IntRange(1, 20).Draw(x.t, "found")), oid(rapid.IntRange(1, 4).Draw(x.t, "oid"))
				id[0] = byte(rapid.IntRange(1, 3).Draw(x.t, "id"))
				x.shown.set(e.Repo.Repo, id, o)
				x.step(Input{Kind: InRepoRefs, Repo: e.Repo.Repo, Target: id, OIDs: []OID{o}})
			}
		}
	}
}
