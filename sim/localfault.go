package sim

import (
	"slices"
	"strconv"

	"graspsync/core"
)

// LocalWork is a set of kinds of the relay's own work.
type LocalWork uint8

// Kinds of local work. What a fetch or a push brings is written by ReceiveWork.
const (
	CheckWork LocalWork = 1 << iota
	CopyWork
	AlignWork
	StoreWork
	RemoveWork
	CreateWork
	DeleteWork
	ReceiveWork

	// DiskFullWork is what needs room on the disk.
	DiskFullWork = CopyWork | AlignWork | StoreWork | CreateWork | ReceiveWork
)

var localWorkNames = [...]string{"check", "copy", "align", "store", "remove", "create", "delete", "receive"}

// LocalWorkNames are the words of single kinds, in the order of their bits.
func LocalWorkNames() []string { return slices.Clone(localWorkNames[:]) }

// ParseLocalWork finds the kind that a word stands for.
func ParseLocalWork(word string) (LocalWork, bool) {
	i := slices.Index(localWorkNames[:], word)
	return LocalWork(1 << max(i, 0)), i >= 0
}

// LocalFault is a stretch of time in which some of the relay's own work goes wrong, or slowly: a full disk, a
// directory that cannot be removed, a store with an opinion of its own, a ref that another process holds locked.
// Unlike the shares of DriverFaults it is about instants, and may be about one repository or one event.
type LocalFault struct {
	From  core.Time
	Until core.Time // exclusive; core.Never: for good
	Work  LocalWork
	Repo  core.Handle  // 0: every repository
	Event core.EventID // of StoreWork and RemoveWork; zero: every event
	Times int          // it strikes so often and then no more; 0: no limit

	Fails   bool          // it ends as core.LocalFault, nothing done; a store by Verdict
	Verdict core.Verdict  // of a store that Fails
	Delay   core.Time     // it takes so much longer
	Lock    []core.Handle // refs of Repo, or HEAD, that cannot be changed: transactions over them fail (ST-08)
}

// RefLocker is a Local whose refs can be held locked by somebody else. The locks last until the next call.
type RefLocker interface {
	LockRefs(repo core.Handle, names []core.Handle)
}

func (s *Setup) validateLocalFaults() string {
	for i := range s.LocalFaults {
		f, path := &s.LocalFaults[i], "LocalFaults["+strconv.Itoa(i)+"]"
		switch {
		case f.From < 0 || f.Until <= f.From:
			return path + " lasts from " + f.From.String() + " until " + f.Until.String() + ", must end after it begins, at 0s or later"
		case f.Work == 0:
			return path + ".Work is empty, must name at least one kind"
		case f.Delay < 0 || f.Times < 0:
			return path + " has Delay " + f.Delay.String() + " and Times " + strconv.Itoa(f.Times) + ", must be ≥ 0"
		case f.Fails && f.Work&StoreWork != 0 && (f.Verdict == core.StoredOK || f.Verdict > core.StoreDeleted):
			return path + ".Verdict is " + strconv.Itoa(int(f.Verdict)) + ", must be a refusal, as a failing store gives one"
		case len(f.Lock) > 0 && (f.Repo == 0 || f.Work != AlignWork):
			return path + ".Lock goes with a Repo and AlignWork alone"
		}
	}
	return ""
}

// slower is by how much local faults may hold a chain of local work up (I-17).
func (s *Setup) slower() (sum core.Time) {
	for i := range s.LocalFaults {
		sum += s.LocalFaults[i].Delay
	}
	return sum
}

// strikes finds the faults that hit a piece of local work now: whether it fails, the verdict a store then gives,
// how much longer it takes, and what is locked.
func (d *driver) strikes(work LocalWork, repo core.Handle, event core.EventID) (hit LocalFault) {
	for i := range d.w.setup.LocalFaults {
		f := &d.w.setup.LocalFaults[i]
		if d.w.now < f.From || d.w.now >= f.Until || f.Work&work == 0 || f.Repo != 0 && f.Repo != repo ||
			f.Event != (core.EventID{}) && f.Event != event || f.Times > 0 && d.struck[i] >= f.Times {
			continue
		}
		d.struck[i]++
		hit.Delay += f.Delay
		hit.Lock = append(hit.Lock, f.Lock...)
		if f.Fails && !hit.Fails {
			hit.Fails, hit.Verdict = true, f.Verdict
		}
	}
	return hit
}

// align sets refs while others may hold some of them locked.
func (d *driver) align(e *core.Effect, locked []core.Handle) core.Class {
	git := d.w.setup.Local
	if locker, ok := git.(RefLocker); ok && len(locked) > 0 {
		locker.LockRefs(e.Repo, locked)
		defer locker.LockRefs(0, nil)
	}
	return git.Align(e)
}
