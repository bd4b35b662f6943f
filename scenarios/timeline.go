package scenarios

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"graspsync/core"
	"graspsync/core/nip34"
	"graspsync/sim"
)

// eventBytes is the size of events that are not real.
const eventBytes = 800

// timeline turns actions into arrivals.
func (b *build) timeline() {
	for i := range b.actions {
		it := &b.actions[i]
		b.here = b.Network == nil || b.Network.at(it.val.On) == b.relay
		b.action(core.Time(it.val.At), it)
	}
	b.here = true
	b.realEvents()
	slices.SortStableFunc(b.arrivals, func(x, y sim.Arrival) int { return cmp.Compare(x.At, y.At) })
}

func (b *build) arrive(at core.Time, in core.Input) {
	if b.here && at <= core.Time(b.Horizon) {
		b.arrivals = append(b.arrivals, sim.Arrival{At: at, Input: in})
	}
}

func (b *build) action(at core.Time, it *item[Action]) {
	a := &it.val
	switch verb := a.verb(); verb {
	case "announce", "state", "pr", "pr-update", "issue", "note", "delete":
		ev := b.event(verb, a)
		name := a.eventName()
		b.events[name] = ev
		b.deliver(at, a, ev)
	case "raw":
		ev, err := b.rawEvent(a)
		if err != nil {
			b.atDoor[a.As] = err.Error()
			return
		}
		b.events[a.As] = &ev
		b.deliver(at, a, &ev)
	case "again":
		ev := b.events[a.Again]
		if ev == nil {
			b.add(it.path+".again", fmt.Sprintf("event %q is delivered for the first time later; put it first", a.Again))
			return
		}
		again := *a
		for t := at; ; t += core.Time(a.Every) {
			b.deliver(t, &again, ev)
			if a.Every == 0 || t+core.Time(a.Every) > core.Time(cmp.Or(a.Until, b.Horizon)) {
				return
			}
		}
	case "push":
		b.push(at, a)
	case "remove":
		b.arrive(at, core.Input{Kind: core.InRemove, Target: b.idOf(a.Remove)})
	case "clock":
		offset, _ := clockOffset(a.Clock)
		b.arrive(at, core.Input{Kind: core.InClock, Offset: offset})
	case "set":
		c := b.Scenario.config(b.problems, it.path+".set", a.Set, b.cfg)
		b.arrive(at, core.Input{Kind: core.InConfigChanged, Config: &c})
	case "shutdown":
		b.arrive(at, core.Input{Kind: core.InShutdown})
	case "crash":
		if b.here && at <= core.Time(b.Horizon) {
			b.arrivals = append(b.arrivals, sim.Arrival{At: at, Crash: &sim.Crash{Down: core.Time(a.Down)}})
		}
	case "event":
		b.real(at, a.Origin == "client", []byte(a.Event), it.path+".event")
	}
}

// deliver brings an event to the relay: from a client, or through upstream relays.
func (b *build) deliver(at core.Time, a *Action, ev *core.Event) {
	in := core.Input{Kind: core.InEvent, Event: ev, Authed: a.Authed, Origin: core.FromSync, From: b.names.Handle("wss://upstream.example")}
	if a.Origin == "client" {
		in.Origin, in.From = core.FromClient, b.address(a)
		b.arrive(at, in)
		return
	}
	if len(a.Via) == 0 {
		b.arrive(at, in)
		return
	}
	for _, name := range a.Via {
		r := b.Relays[name]
		in.From = b.names.Handle("wss://" + name)
		first := at + core.Time(r.Latency)
		gap := core.Time(cmp.Or(r.Latency, Span(core.Second)))
		for k := 0; k <= r.Duplicates; k++ {
			b.arrive(first+core.Time(k)*gap, in)
		}
		if r.Replay > 0 {
			for t := first + core.Time(r.Replay); t <= core.Time(b.Horizon); t += core.Time(r.Replay) {
				b.arrive(t, in)
			}
		}
	}
}

// event makes the event of an action.
func (b *build) event(verb string, a *Action) *core.Event {
	ev := &core.Event{ID: eventID(a.eventName()), Size: int32(cmp.Or(a.Size, eventBytes)), Protected: a.Protected, CreatedAt: b.created(a)}
	for _, name := range a.Mentions {
		ev.Mentions = append(ev.Mentions, b.idOf(name))
	}
	name := a.about()
	if verb == "delete" {
		target := b.events[name]
		ev.Kind, ev.Targets = core.KindDeletion, []core.EventID{b.idOf(name)}
		switch {
		case a.By != "":
			ev.Author = b.pubKey(a.By)
		case target != nil:
			ev.Author = target.Author
		}
		if a.Coordinate && target != nil {
			ev.Targets, ev.Coordinates = nil, []core.Deleted{{Kind: target.Kind, Coordinate: target.Repo}}
		}
		return ev
	}
	owner, identifier, _ := splitRepo(name)
	by := cmp.Or(a.By, owner)
	ev.Author = b.pubKey(by)
	switch verb {
	case "announce":
		r, _ := b.findRepo(name)
		clone, maintainers := r.val.Clone, r.val.Maintainers
		if a.Clone != nil {
			clone = a.Clone
		}
		if a.Maintainers != nil {
			maintainers = a.Maintainers
		}
		b.announcement(ev, owner, identifier, clone, maintainers)
		ev.ListsUs = !a.Unlisted
	case "state":
		ev.Kind = core.KindState
		ev.Repo = b.coordinate(by, identifier)
		ev.Refs, ev.Unsatisfied = b.stateRefs(identifier, a.Refs)
		if a.Head != "" {
			ev.Head = b.names.Handle(fullName(a.Head))
		}
	case "issue":
		ev.Kind = core.KindIssue
		ev.Repositories = []core.Coordinate{b.coordinate(owner, identifier)}
	case "note":
		ev.Kind = 1
	case "pr", "pr-update":
		ev.Kind = core.KindPR
		if verb == "pr-update" {
			ev.Kind = core.KindPRUpdate
		}
		ev.Commit = oid(identifier, a.Commit)
		for _, also := range append(Labels{name}, a.Also...) {
			o, d, _ := splitRepo(also)
			ev.Repositories = append(ev.Repositories, b.coordinate(o, d))
		}
		ev.Sources = b.sources(by, identifier, a.Clone)
	}
	return ev
}

func (b *build) announcement(ev *core.Event, owner, identifier string, clone, maintainers Labels) {
	ev.Kind = core.KindAnnouncement
	ev.Author = b.pubKey(owner)
	ev.Repo = b.coordinate(owner, identifier)
	ev.ListsUs = true
	for _, m := range maintainers {
		if k := b.pubKey(m); !slices.Contains(ev.Maintainers, k) {
			ev.Maintainers = append(ev.Maintainers, k)
		}
	}
	ev.Sources = b.sources(owner, identifier, clone)
}

func (b *build) coordinate(owner, identifier string) core.Coordinate {
	c, err := b.parser.Coordinate(b.pubKey(owner), identifier)
	if err != nil {
		b.add("", err.Error())
	}
	return c
}

// sources reads clone URLs as the parser of real events does: what is neither http nor https is left out.
func (b *build) sources(owner, identifier string, clone Labels) []core.Source {
	var out []core.Source
	clone, _ = cloneList(clone)
	for _, text := range clone {
		if !strings.Contains(text, "://") {
			text = nip34.CloneURL(text, b.pubKey(owner), identifier)
		}
		src, err := b.parser.Source(text)
		if err == nil && !slices.Contains(out, src) {
			out = append(out, src)
		}
	}
	return out
}

// stateRefs are the refs of a state, sorted by name. A symbolic value points to what its target has.
func (b *build) stateRefs(identifier string, refs Refs) (out []core.Ref, unsatisfied bool) {
	refs, _ = refs.expand()
	values := make(map[string]string, len(refs))
	for _, r := range refs {
		values[fullName(r.Name)] = r.Value
	}
	sorted := slices.Clone(refs)
	slices.SortFunc(sorted, func(x, y Ref) int { return strings.Compare(fullName(x.Name), fullName(y.Name)) })
	for _, r := range sorted {
		ref := core.Ref{Name: b.names.Handle(fullName(r.Name))}
		text := r.Value
		for hops := 0; strings.HasPrefix(text, "ref: ") && hops < 8; hops++ {
			ref.Symbolic = true
			text = values[strings.TrimPrefix(text, "ref: ")]
		}
		if text == "" || strings.HasPrefix(text, "ref: ") {
			unsatisfied = true
			continue
		}
		ref.OID = oid(identifier, text)
		out = append(out, ref)
	}
	return out, unsatisfied
}

func (b *build) push(at core.Time, a *Action) {
	owner, identifier, _ := splitRepo(a.Push)
	b.pushes++
	u := &sim.UserPush{Upload: core.Time(a.Upload), Push: core.Push{ID: b.pushes, Repo: b.coordinate(owner, identifier),
		From: b.address(a), Bytes: a.Bytes}}
	b.pushID[a.pushName()] = b.pushes
	if a.CutAfter != nil {
		u.Cut = 1 + *a.CutAfter
	}
	refs, _ := a.Refs.expand()
	old := make(map[string]core.OID)
	for _, r := range a.Old {
		old[fullName(r.Name)] = oid(identifier, r.Value)
	}
	for _, r := range refs {
		name := fullName(r.Name)
		up := core.RefUpdate{Old: old[name], New: oid(identifier, r.Value), Space: core.OtherRef}
		event, isNostr := strings.CutPrefix(r.Name, "refs/nostr/")
		switch {
		case isNostr:
			up.Space, up.Event = core.NostrRef, b.idOf(event)
			name = "refs/nostr/" + up.Event.String()
		case strings.HasPrefix(name, "refs/heads/"), strings.HasPrefix(name, "refs/tags/"):
			up.Space = core.HeadsAndTags
		}
		if r.Value == "none" {
			up.New = core.OID{}
		} else {
			u.OIDs = append(u.OIDs, up.New)
		}
		up.Name = b.names.Handle(name)
		u.Push.Updates = append(u.Push.Updates, up)
	}
	if b.here && at <= core.Time(b.Horizon) {
		b.arrivals = append(b.arrivals, sim.Arrival{At: at, Push: u})
	}
}

// address is where a client comes from.
func (b *build) address(a *Action) core.Handle { return b.names.Handle(cmp.Or(a.Address, "192.0.2.1")) }

// idOf is the id of the event called name, or that 64 hex digits name.
func (b *build) idOf(name string) core.EventID {
	if ev := b.events[name]; ev != nil {
		return ev.ID
	}
	if id, ok := nip34.ParseEventID(name); ok {
		return id
	}
	return eventID(name)
}

// realEvents delivers the events of the scenario's file at their created_at after Wall.
func (b *build) realEvents() {
	for i, line := range b.raw {
		ev, err := parseReal(line, b.service())
		if err != nil {
			b.add("events", fmt.Sprintf("line %d: %v", i+1, err))
			continue
		}
		at := core.Time(ev.CreatedAt-b.cfg.Wall) * core.Second
		b.real(max(at, 0), false, line, "events")
	}
}

func (b *build) real(at core.Time, client bool, raw []byte, path string) {
	ev, _, err := b.parser.ParseRaw(raw)
	if err != nil {
		b.add(path, err.Error())
		return
	}
	b.events[ev.ID.String()] = &ev
	a := &Action{}
	if client {
		a.Origin = "client"
	}
	b.deliver(at, a, &ev)
}
