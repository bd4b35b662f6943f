package sim

import (
	"slices"

	"graspsync/core"
)

// LocalView is what the judge must see of the relay's own repositories, beside what the driver uses. Without
// it a run is not judged by I-5, I-6 and I-7.
type LocalView interface {
	Exists(repo core.Handle) bool
	Head(repo core.Handle) core.Handle // full name of the branch HEAD points to
}

// judgeRepos knows what should be in the relay's repositories: by identifier, the announcements that are held
// or were sent to the store, the states likewise, and the local work under way. It decides by itself whose
// states count for which repository (M-01, ST-07) and looks at storage and store as they are.
type judgeRepos struct {
	local  Local
	view   LocalView
	store  Store
	names  map[core.Handle]*judgedName
	byRepo []*judgedRepo // by handle
	asks   []localAsk    // by slot of the AskID
	pushes []judgedPush
	memory map[core.EventID]*core.Event // refused announcements and states: they may be held later (S-05)
	// removing are events that the store was told to take out; until it could, they count as gone.
	removing map[core.EventID]bool
	spaces   []uint8 // by ref name: is it a head or tag?

	loose    int // deletions and removals on their way to the store: whom they concern is not followed
	starting bool
	stopping bool
	dirty    []*judgedName
	later    []laterLook
	fresh    []core.EventID // held since this step
	doomed   []doomedRepo
	clearing []clearedRef // in this step
	closure  []core.PubKey
}

// judgedName is one identifier.
type judgedName struct {
	repos  []*judgedRepo // in order of owner
	states []*core.Event // sent to the store
	held   []*core.Event // states
	work   int           // local work and pushes under way
	dirty  bool
	erased bool      // a repository of it was deleted with what it held: where a state's objects are is not known any more
	failed core.Time // local work failed last: what is wrong may be put right by a retry; noDeadline: never
}

// judgedRepo is one owner's repository.
type judgedRepo struct {
	name       *judgedName
	repo       core.Handle
	owner      core.PubKey
	held       *core.Event // announcement in purgatory
	replaced   *core.Event // the held announcement that was replaced in step replacedAt
	replacedAt uint64
	soft       bool          // … soft-expired
	served     []*core.Event // announcements sent to the store
	proven     bool          // since it was made, a served announcement that lists us stood for it
	expired    bool          // its last residence ended by expiry
	wrong      string        // invariant it was found to break, until it breaks it no longer
	going      bool          // the driver was told to delete it, and has not yet
	cleared    bool          // it was empty at the start, or its latest state was when it was looked at last
}

type localAsk struct {
	ask   core.AskID
	gone  *judgedRepo // it is deleted by this
	name  *judgedName
	also  []*judgedName // of a pull request that names repositories of several identifiers
	loose bool
}

type judgedPush struct {
	id   uint64
	name *judgedName
}

type laterLook struct {
	at   core.Time
	name *judgedName
}

// doomedRepo is a repository with refs that the step tells the driver to delete only if it has none.
type doomedRepo struct{ repo core.Handle }

// clearedRef is a ref below refs/nostr/ that is to be removed.
type clearedRef struct {
	repo core.Handle
	id   core.EventID
}

func (j *judgeRepos) init(s *Setup) {
	j.removing = make(map[core.EventID]bool)
	view, ok := s.Local.(LocalView)
	if !ok || s.Store == nil {
		return
	}
	j.local, j.view, j.store = s.Local, view, s.Store
	j.names = make(map[core.Handle]*judgedName)
	j.memory = make(map[core.EventID]*core.Event)
}

// has tells whether an event is served: in the store, and not about to be taken out.
func (j *judgeRepos) has(id core.EventID) bool { return j.store.Has(id) && !j.removing[id] }

// off tells that there is nothing to look at.
func (j *judgeRepos) off() bool { return j.view == nil }

func (j *judgeRepos) name(identifier core.Handle) *judgedName {
	n := j.names[identifier]
	if n == nil {
		n = &judgedName{failed: noDeadline}
		j.names[identifier] = n
	}
	return n
}

// at is the repository of an announcement.
func (j *judgeRepos) at(e *core.Event) *judgedRepo {
	for int(e.Repo.Repo) >= len(j.byRepo) {
		j.byRepo = append(j.byRepo, nil)
	}
	r := j.byRepo[e.Repo.Repo]
	if r == nil {
		r = &judgedRepo{name: j.name(e.Repo.Identifier), repo: e.Repo.Repo, owner: e.Author}
		j.byRepo[e.Repo.Repo] = r
		at, _ := slices.BinarySearchFunc(r.name.repos, e.Author, func(x *judgedRepo, k core.PubKey) int { return x.owner.Compare(k) })
		r.name.repos = slices.Insert(r.name.repos, at, r)
	}
	return r
}

func (j *judgeRepos) find(repo core.Handle) *judgedRepo {
	if int(repo) < len(j.byRepo) {
		return j.byRepo[repo]
	}
	return nil
}

// touch has an identifier looked at once its work is done.
func (j *judgeRepos) touch(n *judgedName) {
	if n != nil && !n.dirty {
		n.dirty = true
		j.dirty = append(j.dirty, n)
	}
}

// servedAtStart notes a fact of the start.
func (j *judgeRepos) servedAtStart(o *Oracle, e *core.Event) {
	if j.off() {
		return
	}
	j.starting = true
	j.sent(e)
	if e.Kind == core.KindAnnouncement { // a repository that is empty at the start is not this run's doing
		r := j.at(e)
		r.cleared = !slices.ContainsFunc(j.local.Refs(r.repo), o.isHeadOrTag)
	}
}

// stands notes that an announcement is served, however busy its name is just then.
func (j *judgeRepos) stands(o *Oracle, e *core.Event) {
	if j.off() || e == nil {
		return
	}
	if e.Kind == core.KindState && len(e.Refs) == 0 { // it may be deleted before anybody looks
		n := j.name(e.Repo.Identifier)
		for _, r := range n.repos {
			r.cleared = r.cleared || slices.Contains(o.closure(n, r), e.Author)
		}
	}
	if e.Kind != core.KindAnnouncement || !(e.ListsUs || o.cfg.ArchiveAll) {
		return
	}
	if r := j.at(e); j.view.Exists(r.repo) {
		r.proven = true
	}
}

// foundAtStart notes a repository that is there at the start; whether a served announcement made it is not
// asked.
func (j *judgeRepos) foundAtStart(repo core.Handle) {
	j.starting = true
	if r := j.find(repo); r != nil {
		r.proven = true
	}
}

// sent files an announcement or state that is on its way to the store, or in it.
func (j *judgeRepos) sent(e *core.Event) *judgedName {
	switch e.Kind {
	case core.KindAnnouncement:
		r := j.at(e)
		if !slices.Contains(r.served, e) {
			r.served = append(r.served, e)
		}
		j.touch(r.name)
		return r.name
	case core.KindState:
		n := j.name(e.Repo.Identifier)
		if !slices.Contains(n.states, e) {
			n.states = append(n.states, e)
		}
		j.touch(n)
		return n
	}
	return nil
}

// toStore opens the ask of an event on its way to the store.
func (j *judgeRepos) toStore(o *Oracle, e *core.Effect, ev *core.Event) {
	if j.off() || ev == nil {
		return
	}
	o.withData(e, ev)
	n := j.sent(ev)
	j.open(e.Ask, n, ev.Kind == core.KindDeletion, j.namedBy(ev)...) // repositories of a pull request are busy until it is stored
}

// working opens the ask of local work that may change a repository or the store.
func (o *Oracle) working(e *core.Effect) {
	j := &o.repos
	if j.off() {
		return
	}
	if e.Kind == core.EfRemoveEvent {
		j.open(e.Ask, nil, true)
		return
	}
	r := j.find(e.Repo)
	if r == nil {
		return
	}
	o.deleting(e, r)
	var also []*judgedName
	if pr := o.held.find(e.Event); pr != nil && pr.event != nil { // of a pull request's release: all or none of its repositories
		also = j.namedBy(pr.event)
	}
	j.open(e.Ask, r.name, false, also...)
	if e.Kind == core.EfDeleteRepo {
		j.asks[e.Ask&askSlotMask].gone = r
	}
}

// namedBy are the identifiers of the repositories that a pull request names.
func (j *judgeRepos) namedBy(ev *core.Event) (out []*judgedName) {
	if ev.Kind == core.KindPR || ev.Kind == core.KindPRUpdate {
		for _, c := range ev.Repositories {
			if r := j.find(c.Repo); r != nil {
				out = append(out, r.name)
			}
		}
	}
	return out
}

func (j *judgeRepos) open(ask core.AskID, n *judgedName, loose bool, also ...*judgedName) {
	slot := int(ask & askSlotMask)
	for len(j.asks) <= slot {
		j.asks = append(j.asks, localAsk{})
	}
	if j.asks[slot].ask == ask {
		return // the watchdog asks again (T-04)
	}
	j.close(&j.asks[slot])
	j.asks[slot] = localAsk{ask: ask, name: n, also: also, loose: loose}
	for _, x := range also { // looked at when the work is over
		x.work++
	}
	if n != nil {
		n.work++
	}
	if loose {
		j.loose++
	}
}

func (j *judgeRepos) close(a *localAsk) {
	if a.ask == 0 {
		return
	}
	a.ask = 0
	for _, x := range a.also {
		x.work--
		j.touch(x)
	}
	if a.name != nil {
		a.name.work--
		j.touch(a.name)
	}
	if a.loose {
		j.loose--
	}
}

// over closes an ask; late and duplicate completions are none.
func (j *judgeRepos) over(o *Oracle, ask core.AskID, ok bool) {
	slot := int(ask & askSlotMask)
	if slot >= len(j.asks) || j.asks[slot].ask != ask {
		return
	}
	if n := j.asks[slot].name; n != nil && !ok {
		n.failed = o.now
	}
	if r := j.asks[slot].gone; r != nil && ok {
		r.going = false
	}
	j.close(&j.asks[slot])
}

// pushing follows a push from its first verdict to its answer: meanwhile the refs are the pusher's.
func (j *judgeRepos) pushing(e *core.Effect) {
	r := j.find(e.Repo)
	if j.off() || r == nil {
		return
	}
	at := slices.IndexFunc(j.pushes, func(p judgedPush) bool { return p.id == e.Push })
	switch {
	case e.Kind == core.EfPushVerdict && e.OK && at < 0:
		j.pushes = append(j.pushes, judgedPush{e.Push, r.name})
		r.name.work++
	case e.Kind == core.EfAnswerPush && at >= 0:
		j.pushes[at].name.work--
		j.touch(j.pushes[at].name)
		j.pushes = slices.Delete(j.pushes, at, at+1)
	}
}

// pushesLost: their clients were cut off by a crash.
func (j *judgeRepos) pushesLost() {
	for _, p := range j.pushes {
		p.name.work--
		j.touch(p.name)
	}
	j.pushes = j.pushes[:0]
}

// told notes what kind of input a step had: what the start tells is one picture only when it is complete, and
// a relay that shuts down leaves things as they are.
func (j *judgeRepos) told(kind core.InputKind) {
	switch kind {
	case core.InServed, core.InRepoRefs:
		return
	case core.InShutdown:
		j.stopping = true
	case core.InRestarted:
		j.stopping = false
	}
	j.starting = false
}
