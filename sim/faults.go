package sim

import "graspsync/core"

// DriverFaults shapes the driver model: how long local work takes, what of it fails, and how the driver
// misbehaves within what the core must bear. The zero value is an ideal driver: everything local takes
// no time and nothing fails. All chance is keyed to the request, so that removing one event leaves the
// rest as it was.
type DriverFaults struct {
	Check  Work // CheckObjects; a failure answers local-fault with nothing present
	Copy   Work // CopyObjects
	Align  Work // AlignRefs
	Store  Work // StoreEvent; a failure is the verdict "failed"
	Remove Work // RemoveEvent
	Create Work // CreateRepo
	Delete Work // DeleteRepo, DeleteRepoIfNoRefs

	End    core.Time // from EndPass to PassEnded
	Cancel core.Time // from CancelPass to PassEnded, at most the kill grace

	LateWake   Ratio     // a due wake-up comes late …
	LateBy     core.Time // … by up to this
	EarlyWake  Ratio     // an extra Wake before the due one, which must change nothing (T-02)
	Duplicate  Ratio     // a completion is delivered again …
	Again      core.Time // … up to this much later
	AfterEnd   Ratio     // the answer of a cancelled request is delivered all the same
	Stray      Ratio     // a completion is followed by one with an id nobody gave out
	GitMissing Ratio     // compare, fetch or probe comes out as local-fault: git cannot start

	Recheck bool // a push is checked again under the repository lock before it is applied (P-04)
}

// Work is one kind of local work.
type Work struct {
	Delay     core.Time // from effect to completion …
	Spread    core.Time // … plus up to this, keyed by the request
	FailFirst int       // the first n of the run fail
	Fail      Ratio     // and then this share
	LoseFirst int       // completions of the first n are lost; the watchdog asks again (T-04)
	Lose      Ratio     // and then this share
}

func (w *Work) check(name string) error {
	if w.Delay < 0 || w.Spread < 0 {
		return setupError("Driver." + name + " takes " + w.Delay.String() + " plus up to " + w.Spread.String() + ", must be ≥ 0")
	}
	return nil
}

func (f *DriverFaults) validate() error {
	for _, w := range []struct {
		name string
		work *Work
	}{{"Check", &f.Check}, {"Copy", &f.Copy}, {"Align", &f.Align}, {"Store", &f.Store}, {"Remove", &f.Remove},
		{"Create", &f.Create}, {"Delete", &f.Delete}} {
		if err := w.work.check(w.name); err != nil {
			return err
		}
	}
	for _, d := range []struct {
		name string
		v    core.Time
	}{{"End", f.End}, {"Cancel", f.Cancel}, {"LateBy", f.LateBy}, {"Again", f.Again}} {
		if d.v < 0 {
			return setupError("Driver." + d.name + " is " + d.v.String() + ", must be ≥ 0")
		}
	}
	return nil
}

// loses tells whether completions of local work get lost.
func (f *DriverFaults) loses() bool {
	for _, w := range f.works() {
		if w.LoseFirst > 0 || w.Lose.Num > 0 {
			return true
		}
	}
	return false
}

// fails tells whether local work fails or its completions get lost, so that something may wait for its retry at any time.
func (f *DriverFaults) fails() bool {
	for _, w := range f.works() {
		if w.FailFirst > 0 || w.Fail.Num > 0 {
			return true
		}
	}
	return f.loses()
}

func (f *DriverFaults) works() [7]*Work {
	return [...]*Work{&f.Check, &f.Copy, &f.Align, &f.Store, &f.Remove, &f.Create, &f.Delete}
}

// slowest is the longest a chain of local work and one late wake may hold things up: what the oracle
// must forgive the core (I-17).
func (f *DriverFaults) slowest() core.Time {
	var sum core.Time
	for _, w := range f.works() {
		sum += w.Delay + w.Spread
	}
	return sum + f.End + f.Cancel + f.LateBy
}
