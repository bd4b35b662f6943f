package sim

import (
	"slices"
	"strings"

	"graspsync/core"
)

// pushStage of a user's push.
const (
	pushWaits   uint8 = iota // for the first verdict
	pushUploads              // objects are on their way
	pushLocked               // for the verdict under the repository lock (P-04)
	pushApplies              // allowed: refs are about to move
	pushFails                // refused under the lock
	pushAnswers              // ended, for AnswerPush
	pushOver
	pushLost // its relay crashed
)

// pushState is one push on its way through hook, upload and receive-pack.
type pushState struct {
	user  *UserPush
	push  core.Push
	stage uint8
}

func (d *driver) pushAsked(u *UserPush) {
	i := len(d.pushes)
	d.pushes = append(d.pushes, pushState{user: u, push: u.Push})
	d.pushAt[u.Push.ID] = i
	p := &d.pushes[i].push
	p.Current, p.Bytes = d.heads(p.Repo.Repo), 0 // what it uploads is known when it has
	d.w.res.Counts.Pushes++
	d.in = core.Input{Kind: core.InPushAsked, Push: p}
	d.w.stepMachine(&d.in)
}

func (d *driver) pushVerdict(e *core.Effect) {
	i, ok := d.pushAt[e.Push]
	if !ok {
		d.w.violate("T-04", "verdict for a push nobody asked for")
		return
	}
	s := &d.pushes[i]
	switch {
	case s.stage == pushLost: // nobody waits for it any more
	case s.stage == pushWaits && e.OK:
		s.stage = pushUploads
		d.w.res.Counts.PushesAllowed++
		d.w.push(d.w.now+s.user.Upload, evPush, uint64(i))
	case s.stage == pushWaits:
		s.stage = pushOver
	case s.stage == pushLocked:
		s.stage = pushFails
		if e.OK {
			s.stage = pushApplies
		}
		d.w.push(d.w.now, evPush, uint64(i))
	default:
		d.w.violate("T-04", "a second verdict for one question of a push")
	}
}

// pushStage moves a push on: after its upload, and after the second verdict.
func (d *driver) pushStage(i uint64) bool {
	s := &d.pushes[i]
	s.push.Current, s.push.Bytes = d.heads(s.push.Repo.Repo), s.user.Push.Bytes
	d.in = core.Input{Push: &s.push}
	switch s.stage {
	case pushUploads:
		if d.w.setup.Driver.Recheck {
			s.stage = pushLocked
			d.in.Kind = core.InPushRecheck
			break
		}
		d.applyPush(s)
	case pushApplies:
		d.applyPush(s)
	case pushFails:
		s.stage = pushAnswers
		d.in.Kind, d.in.Class = core.InPushEnded, core.Forbidden
	default:
		return false
	}
	d.w.stepMachine(&d.in)
	return true
}

// applyPush is receive-pack after the hook said yes: objects, then refs.
func (d *driver) applyPush(s *pushState) {
	local := d.w.setup.Local
	repo := s.push.Repo.Repo
	class, updates := core.OK, s.push.Updates
	var locked []core.Handle
	if len(d.struck) != 0 {
		locked = d.strikes(AlignWork, repo, core.EventID{}).Lock
		if d.strikes(ReceiveWork, repo, core.EventID{}).Fails {
			class, updates = core.LocalFault, nil
		}
	}
	if class == core.OK {
		local.Receive(repo, s.user.OIDs)
	}
	if n := s.user.Cut; n > 0 && n <= len(updates) {
		updates = updates[:n-1]
	}
	if refs, moved := d.movedRefs(s.push.Current, updates); moved {
		s.push.Moved = true
		class = d.align(&core.Effect{Kind: core.EfAlignRefs, Repo: repo, Refs: refs, Old: s.push.Current}, locked)
	}
	for i := range updates {
		u := &updates[i]
		if u.Space != core.NostrRef || class != core.OK {
			continue
		}
		e := core.Effect{Kind: core.EfAlignRefs, Repo: repo, Space: core.NostrRef, Event: u.Event}
		if !u.New.IsZero() {
			e.OIDs = []core.OID{u.New}
		}
		class = d.align(&e, locked)
	}
	if s.user.Cut > 0 {
		class = core.LocalFault
	}
	if class != core.OK {
		s.push.Moved = false
	}
	s.stage = pushAnswers
	s.push.Current = d.heads(repo)
	d.in.Kind, d.in.Class = core.InPushEnded, class
}

// heads are the heads and tags of a repository now.
func (d *driver) heads(repo core.Handle) []core.Ref {
	var list []core.Ref
	for _, r := range d.w.setup.Local.Refs(repo) {
		if t := d.w.setup.Names.Text(r.Name); strings.HasPrefix(t, "refs/heads/") || strings.HasPrefix(t, "refs/tags/") {
			list = append(list, r)
		}
	}
	return list
}

// movedRefs is the set of heads and tags after the commands of a push, and whether it differs.
func (d *driver) movedRefs(before []core.Ref, updates []core.RefUpdate) ([]core.Ref, bool) {
	names := d.w.setup.Names
	refs := slices.Clone(before)
	for i := range updates {
		u := &updates[i]
		if u.Space != core.HeadsAndTags {
			continue
		}
		at := slices.IndexFunc(refs, func(r core.Ref) bool { return r.Name == u.Name })
		switch {
		case at >= 0 && u.New.IsZero():
			refs = slices.Delete(refs, at, at+1)
		case at >= 0:
			refs[at].OID = u.New
		case !u.New.IsZero():
			refs = append(refs, core.Ref{Name: u.Name, OID: u.New})
		}
	}
	slices.SortFunc(refs, func(a, b core.Ref) int { return strings.Compare(names.Text(a.Name), names.Text(b.Name)) })
	return refs, !slices.Equal(before, refs)
}

func (d *driver) pushAnswered(e *core.Effect) {
	i, ok := d.pushAt[e.Push]
	if ok && d.pushes[i].stage == pushLost {
		return
	}
	if !ok || d.pushes[i].stage != pushAnswers {
		d.w.violate("T-04", "answer to a push that has not ended")
		return
	}
	d.pushes[i].stage = pushOver
}
