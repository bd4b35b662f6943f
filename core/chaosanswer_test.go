package core

import (
	"pgregory.net/rapid"
)

// complete delivers the completion of an outstanding request.
func (x *chaos) complete(i int) {
	e := x.out[i]
	x.out = append(x.out[:i], x.out[i+1:]...)
	in := Input{Ask: e.Ask}
	bad := !x.calm && rapid.IntRange(0, 3).Draw(x.t, "fails") == 0
	class := OK
	if bad {
		class = Class(rapid.IntRange(1, int(NumClasses)-1).Draw(x.t, "class"))
	}
	some := func(oids []OID) (out []OID) {
		if x.calm {
			return nil
		}
		for _, o := range oids {
			if rapid.Bool().Draw(x.t, "has") {
				out = append(out, o)
			}
		}
		return out
	}
	switch e.Kind {
	case EfCheckObjects:
		in.Kind, in.OIDs = InChecked, some(e.OIDs)
	case EfCompare:
		in.Kind, in.Class, in.OIDs = InCompared, class, some(e.OIDs)
		in.HasHeads = rapid.Bool().Draw(x.t, "heads")
		in.Truncated = bad && rapid.Bool().Draw(x.t, "truncated")
		in.Fingerprint[0] = rapid.ByteRange(0, 1).Draw(x.t, "fingerprint")
		if !x.calm {
			in.Address[0] = rapid.ByteRange(0, 1).Draw(x.t, "address")
			in.RetryAfter = Time(rapid.IntRange(0, 2).Draw(x.t, "retry after")) * 30 * Second
		}
	case EfFetch:
		in.Kind, in.Class, in.OIDs, in.RefsMoved = InFetched, class, some(e.OIDs), bad
	case EfProbe:
		in.Kind, in.OIDs, in.Class = InProbed, e.OIDs, class
		if !bad && (x.calm || rapid.Bool().Draw(x.t, "lacks")) {
			in.Class = NotOurRef
		}
	case EfEndPass, EfCancelPass:
		in.Kind = InPassEnded
		if bad {
			in.Class = class
		}
		delete(x.runs, e.Ask)
	case EfCopyObjects:
		in.Kind, in.Class = InCopied, class
	case EfAlignRefs:
		in.Kind, in.Class = InAligned, class
	case EfStoreEvent:
		in.Kind = InStored
		if bad {
			in.Verdict = Verdict(rapid.IntRange(1, 3).Draw(x.t, "verdict"))
		}
	case EfRemoveEvent:
		in.Kind, in.Class = InRemoved, class
	case EfCreateRepo:
		in.Kind, in.Class = InRepoCreated, class
	case EfDeleteRepo, EfDeleteRepoIfNoRefs:
		in.Kind, in.Class = InRepoDeleted, class
		in.HadRefs = e.Kind == EfDeleteRepoIfNoRefs && (x.leftover(e.Repo) || !x.calm && rapid.IntRange(0, 3).Draw(x.t, "refs") == 0)
	}
	x.shown.carried(e, &in)
	x.done = append(x.done, in)
	x.step(in)
}

func (x *chaos) stale() {
	if len(x.done) > 0 && rapid.Bool().Draw(x.t, "duplicate") {
		x.step(x.done[rapid.IntRange(0, len(x.done)-1).Draw(x.t, "which")])
		return
	}
	kind := InputKind(rapid.IntRange(0, int(NumInputKinds)).Draw(x.t, "kind"))
	if kind == InRestarted {
		x.restart()
		return
	}
	x.step(Input{Kind: kind, Offset: x.c.offset,
		Ask: newAskID(uint64(rapid.IntRange(0, 3).Draw(x.t, "counter")), uint32(rapid.IntRange(0, 3).Draw(x.t, "slot")))})
	x.stopped = x.c.stopping
}

// restart is what a driver sees after a crash: everything in flight is lost, and what is issued again is
// a new request to it. // R-03
func (x *chaos) restart() {
	for _, p := range x.pushes {
		x.receive(p, false)
	}
	x.out, x.runs = nil, map[AskID]Effect{}
	x.stopped = false
	x.step(Input{Kind: InRestarted, Offset: x.c.offset})
	x.wake()
}
