package core

import (
	"pgregory.net/rapid"
)

func (x *chaos) push() {
	if len(x.pushes) > 0 && rapid.Bool().Draw(x.t, "ends") {
		i := rapid.IntRange(0, len(x.pushes)-1).Draw(x.t, "push")
		p := x.pushes[i]
		if x.rechecks = rapid.IntRange(0, 3).Draw(x.t, "recheck") > 0; x.rechecks {
			p.Bytes = int64(rapid.SampledFrom([]int{0, 1, 3}).Draw(x.t, "push bytes"))
			x.step(Input{Kind: InPushRecheck, Push: p})
			if x.rechecks = false; rapid.Bool().Draw(x.t, "goes on later") {
				return
			}
		}
		x.pushes = append(x.pushes[:i], x.pushes[i+1:]...)
		p.Moved = rapid.Bool().Draw(x.t, "moved")
		class := OK
		if rapid.IntRange(0, 3).Draw(x.t, "push fails") == 0 {
			class = LocalFault
		}
		if class == OK && !x.allowed[p.ID] && rapid.Bool().Draw(x.t, "a lie") {
			class = Forbidden
		}
		x.receive(p, class == OK)
		if rapid.Bool().Draw(x.t, "all refs moved") {
			for _, u := range p.Updates {
				if u.Space == HeadsAndTags {
					p.Current = append(p.Current, Ref{Name: u.Name, OID: u.New})
				}
			}
		}
		x.step(Input{Kind: InPushEnded, Push: p, Class: class})
		return
	}
	x.pushID++
	p := &Push{ID: x.pushID, Repo: x.coordinate(rapid.IntRange(1, 3).Draw(x.t, "who"), rapid.IntRange(1, 2).Draw(x.t, "ident"))}
	for i := range rapid.IntRange(0, 2).Draw(x.t, "updates") {
		p.Updates = append(p.Updates, RefUpdate{Name: main + Handle(i), New: oid(rapid.IntRange(1, 4).Draw(x.t, "oid")),
			Space: RefSpace(rapid.SampledFrom([]int{0, 0, 0, 1, 2}).Draw(x.t, "space"))})
	}
	if len(x.events) > 0 && rapid.Bool().Draw(x.t, "as a state wants") {
		if e := x.events[rapid.IntRange(0, len(x.events)-1).Draw(x.t, "state")]; e.Kind == KindState {
			p.Repo, p.Updates = e.Repo, nil
			for _, r := range e.Refs {
				p.Updates = append(p.Updates, RefUpdate{Name: r.Name, New: r.OID})
			}
		}
	}
	if rapid.IntRange(0, 2).Draw(x.t, "of a PR") == 0 {
		p.Updates, p.From = nil, Handle(rapid.IntRange(0, 2).Draw(x.t, "pusher"))
		for range rapid.IntRange(1, 2).Draw(x.t, "places") {
			u := RefUpdate{Space: NostrRef, Event: eventID(rapid.IntRange(1, 60).Draw(x.t, "id to come")), New: oid(rapid.IntRange(1, 4).Draw(x.t, "oid"))}
			u.Event[0] = byte(rapid.IntRange(1, 3).Draw(x.t, "id"))
			if len(x.events) > 0 && rapid.Bool().Draw(x.t, "known") {
				e := x.events[rapid.IntRange(0, len(x.events)-1).Draw(x.t, "PR")]
				u.Event, u.New = e.ID, e.Commit
				if len(e.Repositories) > 0 {
					p.Repo = e.Repositories[0]
				}
			}
			p.Updates = append(p.Updates, u)
		}
	}
	x.pushes = append(x.pushes, p)
	x.step(Input{Kind: InPushAsked, Push: p})
}
