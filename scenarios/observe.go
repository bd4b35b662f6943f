package scenarios

import (
	"graspsync/core"
	"graspsync/sim"
)

// request is one question as its host saw it.
type request struct {
	at          core.Time
	kind        sim.RequestKind
	url, domain core.Handle
	repo        core.Handle
	requests    int32
}

// maxWatched bounds what a watch keeps.
const maxWatched = 1 << 22

// watch stands between the driver and the hosts and notes what was asked of whom.
type watch struct {
	sim.Remote
	log []request
}

// Ask is sim.Remote's.
func (w *watch) Ask(now core.Time, r *sim.Request, a *sim.Reply) {
	w.Remote.Ask(now, r, a)
	if len(w.log) < maxWatched {
		w.log = append(w.log, request{now, r.Kind, r.URL, r.Domain, r.Repo, a.Requests})
	}
}
