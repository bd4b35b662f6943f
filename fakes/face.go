package fakes

import (
	"slices"

	"graspsync/core"
	"graspsync/sim"
)

// Face is the smart HTTP side of another relay of the same world: it answers with what that relay's storage holds
// at the instant of the question, and refuses connections while the relay is down. As a GRASP service does, it
// serves any object that it holds with its closure, and all wanted ones or none.
type Face struct {
	Local   *LocalGit
	Down    func() bool                 // nil: never
	Latency core.Time                   // of each request
	Lies    bool                        // advertises what it shows, and has none of it to give
	Repos   map[core.Handle]core.Handle // the asker's clone URLs → repositories in Local; look-up only
}

// faceBytes is what a fetched object counts, and a listing.
const faceBytes = 1000

func (f *Face) answer(r *sim.Request, a *sim.Reply) {
	a.After, a.Requests, a.Status = f.Latency, 1, 200
	if f.Down != nil && f.Down() {
		a.Class, a.Status = core.Refused, 0
		return
	}
	repo, ok := f.Repos[r.URL]
	if !ok || !f.Local.Exists(repo) {
		a.Class, a.Status = core.NotFound, 404
		return
	}
	switch r.Kind {
	case sim.AskCompare:
		f.list(repo, r, a)
	case sim.AskFetch:
		a.Requests = 2
		if a.OIDs = f.Local.Check(repo, r.OIDs, a.OIDs); f.Lies || len(a.OIDs) != len(r.OIDs) {
			a.Class, a.OIDs = core.NotOurRef, a.OIDs[:0]
		}
		a.Bytes = faceBytes * int64(len(a.OIDs))
	case sim.AskProbe:
		if f.Lies || len(f.Local.Check(repo, r.OIDs, nil)) == 0 {
			a.Class = core.NotOurRef
		}
	}
}

// list is the advertisement: what the refs of the repository point to now.
func (f *Face) list(repo core.Handle, r *sim.Request, a *sim.Reply) {
	a.Bytes = faceBytes
	var tips []core.OID
	for _, ref := range f.Local.Refs(repo) {
		a.HasHeads = a.HasHeads || f.Local.headOrTag(ref.Name)
		tips = append(tips, ref.OID)
	}
	slices.SortFunc(tips, core.OID.Compare)
	tips = slices.Compact(tips)
	for i := range tips {
		word := sim.Mix(tips[i].Word(), 0, uint64(i), 0)
		for k := range 8 {
			a.Fingerprint[(8*i+k)%32] ^= byte(word >> (8 * k))
		}
		if slices.Contains(r.OIDs, tips[i]) {
			a.OIDs = append(a.OIDs, tips[i])
		}
	}
}

// WithFaces are git servers of which some hosts are relays. Faults of a relay's host come before its answers.
type WithFaces struct {
	Servers *GitServers
	Faces   map[core.Handle]*Face // by domain; look-up only
}

var _ sim.Remote = (*WithFaces)(nil)

// Ask is sim.Remote's.
func (w *WithFaces) Ask(now core.Time, r *sim.Request, a *sim.Reply) {
	if f := w.Faces[r.Domain]; f != nil {
		w.Servers.through(now, r, a, f)
		return
	}
	w.Servers.Ask(now, r, a)
}

// through has a request pass the faults of its host before a relay answers it.
func (s *GitServers) through(now core.Time, r *sim.Request, a *sim.Reply, f *Face) {
	*a = sim.Reply{OIDs: a.OIDs[:0]}
	repo := s.at(r.URL)
	if repo == nil {
		repo = s.stray(r.URL, s.names.Text(r.Domain))
	}
	if repo == nil {
		f.answer(r, a)
		return
	}
	c := call{now: now, r: r, a: a, repo: repo, noise: repo.key}
	c.b, c.began = repo.host.script.at(now)
	if !s.byFault(&c, &repo.host.faults) || c.rule.Do == Answer {
		f.answer(r, a)
		return
	}
	if !c.rule.shapes() {
		s.refuse(&c)
		return
	}
	f.answer(r, a)
	if a.Class != core.OK {
		return
	}
	c.reform()
	c.shape()
}

// reform changes what a relay said as the rule of a fault does.
func (c *call) reform() {
	a := c.a
	switch {
	case c.does(Hide) && c.r.Kind == sim.AskCompare:
		a.OIDs, a.HasHeads, a.Fingerprint = a.OIDs[:0], false, [32]byte{}
	case (c.does(Truncate) || c.does(Endless)) && c.r.Kind == sim.AskCompare:
		a.OIDs, a.Truncated = a.OIDs[:min(c.rule.Keep, len(a.OIDs))], true
	case c.does(Deny) && c.r.Kind != sim.AskCompare:
		a.OIDs, a.Class = a.OIDs[:0], core.NotOurRef
	case c.does(CutPack) && c.r.Kind == sim.AskFetch:
		a.OIDs, a.Class, a.Bytes = a.OIDs[:0], core.CutShort, a.Bytes/2
	case c.does(Move) && c.r.Kind == sim.AskFetch:
		a.RefsMoved = true
	}
}
