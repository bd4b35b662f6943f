package sim

import (
	"fmt"

	"graspsync/core"
	"graspsync/core/value"
)

// Oracle judges a run from outside. It sees what crosses the core's boundary, step by step, and what the
// remotes were asked; it never looks into the core. Work per step is O(1) beyond the step's own size.
// Each invariant lives in a file of its own.
type Oracle struct {
	cfg    core.Config
	names  *value.Names
	checks oracleSlack

	step uint64
	now  core.Time
	in   *core.Input

	found   []Violation
	dropped int

	passes  judgePasses
	domains []judgeDomain // by handle
	held    judgeHeld
	fair    judgeFair
	remote  judgeRemote

	addresses judgeAddresses
	crash     judgeCrash
	repos     judgeRepos
	places    judgePlaces
	schedule  judgeSchedule
	promises  judgePromises

	eased uint64 // the step of the latest local fault: what it says of cool-downs takes the place of what was said before
}

// oracleSlack is what the judged world allows itself: the driver's own delays.
type oracleSlack struct {
	local core.Time
	lossy bool // completions of local work get lost: the watchdog asks again (T-04)
}

// Observed is one step: the input, the effects it led to, and whether a deadline of the core had passed
// before it, so that effects may be due to that deadline instead of the input.
type Observed struct {
	Step    uint64 // from 1
	Now     core.Time
	In      *core.Input
	Out     []core.Effect
	Overdue bool
}

// maxViolations bounds the findings kept of one run; the first ones matter.
const maxViolations = 64

// NewOracle judges a run of s; of the peers only Names is used, and may be nil.
func NewOracle(s *Setup) *Oracle {
	o := &Oracle{cfg: s.Config, names: s.Names, checks: oracleSlack{s.Driver.slowest() + s.slower(), s.Driver.loses()}}
	o.passes.init()
	o.addresses = make(judgeAddresses)
	o.held.init(s)
	o.fair.init()
	o.remote.init(s)
	o.crash.init()
	o.repos.init(s)
	o.places.init()
	o.schedule.init()
	o.promises.init(s)
	return o
}

// Observe judges one step.
func (o *Oracle) Observe(s Observed) {
	o.judgeShown() // what the step before has done to repositories and store
	o.step, o.now, o.in = s.Step, s.Now, s.In
	o.lateHolds()
	o.latePlaces()
	o.unhunted()
	o.input(&s)
	o.redelivered(&s)
	for i := range s.Out {
		o.effect(&s.Out[i])
	}
	o.wasted()
	o.kept(s.Overdue)
	o.settle()
	o.repos.told(s.In.Kind)
}

// input takes in a fact or completion before its effects are judged.
func (o *Oracle) input(s *Observed) {
	in := s.In
	switch in.Kind {
	case core.InEvent, core.InServed:
		o.sources(in.Event)
		o.came(in)
		o.arrived(in)
		if in.Kind == core.InServed {
			o.repos.servedAtStart(o, in.Event)
		}
	case core.InRepoRefs:
		o.repos.foundAtStart(in.Repo)
	case core.InCopied, core.InAligned, core.InRemoved, core.InRepoCreated, core.InRepoDeleted:
		o.repos.over(o, in.Ask, in.Class == core.OK)
	case core.InCompared, core.InFetched, core.InProbed:
		o.completed(in)
		if in.Kind == core.InCompared {
			o.resolved(in)
		}
	case core.InPassEnded:
		o.passEnded(in.Ask)
	case core.InChecked:
		o.checked(in.Ask)
	case core.InStored:
		o.stored(in)
	case core.InClock:
		o.held.offset = in.Offset
	case core.InRestarted:
		o.held.offset = in.Offset
		o.allPassesEnded()
		o.schedule.restarts()
		o.restarted()
	case core.InPushAsked, core.InPushRecheck, core.InPushEnded:
		o.held.push = o.now
	case core.InConfigChanged:
		if in.Config.DomainWindow > o.cfg.DomainWindow { // starts that had left the shorter window are not remembered
			for i := range o.domains {
				o.domains[i].starts, o.domains[i].oldest = o.domains[i].starts[:0], 0
				o.domains[i].requests = judgeRequests{}
			}
		}
		o.promises.told(in.Config)
		grid := o.cfg.LoopInterval // fixed for a run
		o.cfg = *in.Config
		o.cfg.LoopInterval = grid
	}
}

func (o *Oracle) effect(e *core.Effect) {
	switch e.Kind {
	case core.EfCheckObjects:
		o.checking(e)
	case core.EfCompare:
		o.permitted(e)
		o.fairness(e)
		o.waves(e)
		o.limits(e)
		o.requests(e)
		o.shares(e)
		o.started(e)
		o.asks(e)
	case core.EfFetch, core.EfProbe:
		o.permitted(e)
		o.requests(e)
		o.crowded(e)
	case core.EfEndPass, core.EfCancelPass:
		if p := o.passes.find(e.Ask); p != nil {
			if e.Kind == core.EfCancelPass && !p.ending && !p.answered {
				o.domain(p.domain).unask()
			}
			p.ending = true
		}
	case core.EfCopyObjects, core.EfAlignRefs, core.EfCreateRepo, core.EfDeleteRepo, core.EfDeleteRepoIfNoRefs, core.EfRemoveEvent:
		if e.Kind == core.EfRemoveEvent {
			o.repos.removing[e.Event] = true
		}
		o.working(e)
	case core.EfPushVerdict, core.EfAnswerPush:
		o.repos.pushing(e)
	case core.EfNotify:
		o.notified(e)
	case core.EfStoreEvent:
		o.storing(e)
	case core.EfAnswer:
		o.answered(e)
		o.said(e)
	case core.EfReport:
		o.reported(e)
	}
}

func (o *Oracle) reported(e *core.Effect) {
	switch e.Report {
	case core.RepHeld:
		o.begins(e)
	case core.RepExtended, core.RepRevived, core.RepSoftExpired:
		o.moved(e)
	case core.RepPlaceholderHeld, core.RepPlaceholderEnded:
		o.placed(e)
	case core.RepCooling:
		o.cooling(e)
	case core.RepDomainOK, core.RepLocalFault:
		o.healthy(e.Domain)
		if e.Report == core.RepLocalFault {
			o.eased = o.step
		}
	case core.RepHuntMerged:
		o.merged(e)
		o.crash.gone(e.Hunt, e.Into)
		o.schedule.merged = append(o.schedule.merged, e.Into)
		delete(o.schedule.hunts, e.Hunt)
	case core.RepAttemptStarted:
		o.attemptStarted(e)
		o.crash.hunted(e.Hunt)
		o.begun(e)
	case core.RepAttemptEnded, core.RepHuntDropped:
		o.attemptEnded(e)
		if e.Report == core.RepHuntDropped {
			o.crash.gone(e.Hunt, 0)
			delete(o.schedule.hunts, e.Hunt)
		} else {
			o.over(e)
		}
	default:
		if e.Report.Ends() {
			o.ends(e)
		}
	}
}

// Finish judges what can only be judged at the end of the run, at instant end.
func (o *Oracle) Finish(step uint64, end core.Time) {
	o.judgeShown()
	o.step, o.now = step, end
	o.lateHolds()
	o.latePlaces()
	o.unhunted()
	o.unreleased(end)
	o.starved()
	o.shownAtEnd()
	o.unexplained()
}

// Violations are the findings so far, in order.
func (o *Oracle) Violations() []Violation {
	v := o.found
	if o.dropped > 0 {
		v = append(v[:len(v):len(v)], Violation{ID: v[len(v)-1].ID, At: o.now, Step: o.step, Text: fmt.Sprintf("%d more findings left out", o.dropped)})
	}
	return v
}

func (o *Oracle) violate(id, format string, args ...any) {
	if len(o.found) >= maxViolations {
		o.dropped++
		return
	}
	o.found = append(o.found, Violation{ID: id, At: o.now, Step: o.step, Text: fmt.Sprintf(format, args...)})
}

// name is the text of a handle, or its number without a table.
func (o *Oracle) name(h core.Handle) string {
	if o.names != nil {
		if t := o.names.Text(h); t != "" {
			return t
		}
	}
	return fmt.Sprintf("#%d", h)
}
