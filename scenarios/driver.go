package scenarios

import (
	"fmt"

	"graspsync/core"
	"graspsync/fakes"
	"graspsync/sim"
)

// fake translates the driver's misbehaviour.
func (d *Driver) fake(p *problems) sim.DriverFaults {
	if d == nil {
		return sim.DriverFaults{}
	}
	work := func(name string, w Work) sim.Work {
		if w.FailFirst < 0 || w.LoseFirst < 0 || w.FailFirst > maxExpansion || w.LoseFirst > maxExpansion {
			p.add("driver."+name, fmt.Sprintf("fail-first %d and lose-first %d, must be 0 to %d", w.FailFirst, w.LoseFirst, maxExpansion))
		}
		return sim.Work{Delay: core.Time(w.Delay), Spread: core.Time(w.Spread), FailFirst: w.FailFirst, Fail: share(w.Fail),
			LoseFirst: w.LoseFirst, Lose: share(w.Lose)}
	}
	return sim.DriverFaults{
		Check: work("check", d.Check), Copy: work("copy", d.Copy), Align: work("align", d.Align), Store: work("store", d.Store),
		Remove: work("remove", d.Remove), Create: work("create", d.Create), Delete: work("delete", d.Delete),
		End: core.Time(d.End), Cancel: core.Time(d.Cancel), LateWake: share(d.LateWake), LateBy: core.Time(d.LateBy),
		EarlyWake: share(d.EarlyWake), Duplicate: share(d.Duplicate), Again: core.Time(d.Again), AfterEnd: share(d.AfterEnd),
		Stray: share(d.Stray), GitMissing: share(d.GitMissing), Recheck: d.Recheck,
	}
}

func share(r *Ratio) sim.Ratio {
	if r == nil {
		return sim.Ratio{}
	}
	return sim.Ratio{Num: uint32(r.Num), Den: uint32(r.Den)}
}

// wantWords are the values of a host's Wants.
func wantWords() []string { return []string{"any", "advertised", "tip", "reachable", "v0-any"} }

// wantRule is the protocol and want rule a word stands for.
func wantRule(word string) (fakes.Protocol, fakes.Allow, bool) {
	switch word {
	case "", "any":
		return fakes.V2, fakes.AllowAny, true
	case "advertised":
		return fakes.V0, fakes.AllowAdvertised, true
	case "tip":
		return fakes.V0, fakes.AllowTip, true
	case "reachable":
		return fakes.V0, fakes.AllowReachable, true
	case "v0-any":
		return fakes.V0, fakes.AllowAny, true
	}
	return 0, 0, false
}
