package fakes

import (
	"encoding/binary"

	"graspsync/core"
	"graspsync/core/value"
	"graspsync/sim"
)

// Key is the public key of the person called name.
func Key(name string) (k core.PubKey) {
	fill(k[:], "key "+name)
	return k
}

// eventBytes is the size of an event the fakes make.
const eventBytes = 600

// User is a person with a key who publishes events and pushes. Event ids are mixed from what an event
// says, so the same act is the same event however often it is described.
type User struct {
	Name string
	Key  core.PubKey

	names  *value.Names
	graph  *Graph
	source func(url string) core.Source
	from   core.Handle
}

// Repo is the coordinate of this user's repository called identifier.
func (u *User) Repo(identifier string) core.Coordinate {
	return core.Coordinate{Owner: u.Key, Identifier: u.names.Handle(identifier),
		Repo: u.names.Handle(u.Key.String() + "/" + identifier)}
}

// Announce is an announcement (30617) of identifier that lists this service, with clone URLs in order.
func (u *User) Announce(createdAt int64, identifier string, clone []string, maintainers ...*User) *core.Event {
	e := u.event(core.KindAnnouncement, createdAt)
	e.Repo, e.ListsUs, e.Sources = u.Repo(identifier), true, u.sources(clone)
	for _, m := range maintainers {
		e.Maintainers = append(e.Maintainers, m.Key)
	}
	return e.sealed(identifier, clone)
}

// RefTo names the object a ref of a state points to, by label.
type RefTo struct{ Name, Label string }

// State is a state (30618) of identifier with refs, which must be sorted by name. HEAD is the first
// branch.
func (u *User) State(createdAt int64, identifier string, refs ...RefTo) *core.Event {
	e := u.event(core.KindState, createdAt)
	e.Repo = u.Repo(identifier)
	said := make([]string, 0, 2*len(refs))
	for _, r := range refs {
		name := u.names.Handle(r.Name)
		e.Refs = append(e.Refs, core.Ref{Name: name, OID: u.graph.ID(r.Label)})
		if e.Head == 0 && notBranch(r.Name) == 0 {
			e.Head = name
		}
		said = append(said, r.Name, r.Label)
	}
	return e.sealed(identifier, said)
}

// PR is a pull request (1618) with a commit for one or more repositories.
func (u *User) PR(createdAt int64, commit string, clone []string, to ...core.Coordinate) *core.Event {
	e := u.event(core.KindPR, createdAt)
	e.Commit, e.Repositories, e.Sources = u.graph.ID(commit), to, u.sources(clone)
	said := append([]string{commit}, clone...)
	for _, c := range to {
		said = append(said, u.names.Text(c.Repo))
	}
	return e.sealed("", said)
}

// Delete is a deletion (5) of events.
func (u *User) Delete(createdAt int64, targets ...core.EventID) *core.Event {
	e := u.event(core.KindDeletion, createdAt)
	e.Targets = targets
	said := make([]string, len(targets))
	for i, t := range targets {
		said[i] = t.String()
	}
	return e.sealed("", said)
}

// Publish is the arrival of an event from this user's client.
func (u *User) Publish(at core.Time, e *core.Event) sim.Arrival {
	return sim.Arrival{At: at, Input: core.Input{Kind: core.InEvent, Event: e, Origin: core.FromClient, From: u.from}}
}

// Push is the push that brings the refs of a state: asked for at an instant, uploaded in the time given
// (P-01). Old of each update is left zero and Current empty: the driver fills in what is there when the
// push arrives, as a git client would have been told.
func (u *User) Push(at core.Time, id uint64, state *core.Event, upload core.Time) sim.Arrival {
	p := &sim.UserPush{Push: core.Push{ID: id, Repo: state.Repo, From: u.from}, Upload: upload}
	for _, r := range state.Refs {
		p.Push.Updates = append(p.Push.Updates, core.RefUpdate{Name: r.Name, New: r.OID})
		p.OIDs = append(p.OIDs, r.OID)
	}
	return sim.Arrival{At: at, Push: p}
}

// PushPR is the push of a PR's commit to refs/nostr/<event> of a repository (P-03).
func (u *User) PushPR(at core.Time, id uint64, pr *core.Event, to core.Coordinate, upload core.Time) sim.Arrival {
	update := core.RefUpdate{Name: u.names.Handle("refs/nostr/" + pr.ID.String()), New: pr.Commit, Event: pr.ID,
		Space: core.NostrRef}
	return sim.Arrival{At: at, Push: &sim.UserPush{
		Push:   core.Push{ID: id, Repo: to, From: u.from, Updates: []core.RefUpdate{update}},
		OIDs:   []core.OID{pr.Commit},
		Upload: upload,
	}}
}

// PublishAndPush is the usual day of a maintainer: the state is published at an instant and its refs are
// pushed after a while.
func (u *User) PublishAndPush(at, after core.Time, id uint64, state *core.Event, upload core.Time) []sim.Arrival {
	return []sim.Arrival{u.Publish(at, state), u.Push(at+after, id, state, upload)}
}

// draft is an event whose id is not settled.
type draft struct{ core.Event }

func (u *User) event(kind uint32, createdAt int64) *draft {
	return &draft{core.Event{Author: u.Key, Kind: kind, CreatedAt: createdAt, Size: eventBytes}}
}

// sealed gives the event the id of what it says.
func (e *draft) sealed(identifier string, said []string) *core.Event {
	text := binary.BigEndian.AppendUint64(nil, uint64(e.CreatedAt))
	text = binary.BigEndian.AppendUint32(text, e.Kind)
	text = append(append(text, e.Author[:]...), identifier...)
	for _, s := range said {
		text = append(append(text, 0), s...)
	}
	for _, m := range e.Maintainers {
		text = append(append(text, 0), m[:]...)
	}
	fill(e.ID[:], string(text))
	return &e.Event
}

func (u *User) sources(urls []string) []core.Source {
	out := make([]core.Source, 0, len(urls))
	for _, url := range urls {
		out = append(out, u.source(url))
	}
	return out
}
