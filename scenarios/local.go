package scenarios

import (
	"fmt"
	"reflect"
	"slices"
	"strings"

	"graspsync/core"
	"graspsync/core/nip34"
	"graspsync/sim"
)

// Local is a stretch of time in which the relay's own work goes wrong. Exactly one verb says how.
type Local struct {
	From     Span   `yaml:"from"`
	To       Span   `yaml:"to"`        // 0: to the horizon
	DiskFull bool   `yaml:"disk-full"` // nothing can be written: receive, copy, align, create and store fail
	Fail     Labels `yaml:"fail"`      // these kinds of work fail
	Slow     Labels `yaml:"slow"`      // these kinds of work take By longer
	Lock     Labels `yaml:"lock"`      // refs of Repo, or HEAD, that another process holds: no transaction changes them
	Refuse   string `yaml:"refuse"`    // an event: the store answers Verdict

	On      string `yaml:"on"`      // relay of the network; default its first
	Repo    string `yaml:"repo"`    // only for this repository
	Times   int    `yaml:"times"`   // only so often; 0 no limit
	By      Span   `yaml:"by"`      // Slow
	Verdict string `yaml:"verdict"` // Refuse: failed, superseded or deleted
}

func localVerbs() []string { return []string{"disk-full", "fail", "slow", "lock", "refuse"} }

// localFields says which details go with which verb.
func localFields(verb string) []string {
	common := []string{verb, "from", "to", "on", "times"}
	switch verb {
	case "slow":
		return append(common, "repo", "by")
	case "refuse":
		return append(common, "verdict")
	}
	return append(common, "repo")
}

// verdicts are what a store may refuse with.
func verdicts() []string { return []string{"failed", "superseded", "deleted"} }

func (v *validator) locals() {
	for i := range v.Local {
		l, path := &v.Local[i], fmt.Sprintf("local[%d]", i)
		set := verbsSet(reflect.ValueOf(*l), localVerbs())
		if len(set) != 1 {
			v.add(path, fmt.Sprintf("has %d verbs, must have one of %s", len(set), strings.Join(localVerbs(), ", ")))
			continue
		}
		verb := set[0]
		if f := extraField(reflect.ValueOf(*l), localFields(verb)); f != "" {
			v.add(join(path, f), fmt.Sprintf("does not go with %s; what does: %s", verb, strings.Join(localFields(verb), ", ")))
		}
		v.instant(path+".from", l.From)
		if l.To > 0 && l.To <= l.From {
			v.add(path+".to", fmt.Sprintf("%v is not after %v", l.To, l.From))
		}
		if l.Times < 0 || l.Times > maxExpansion {
			v.add(path+".times", fmt.Sprintf("%d, must be 1 to %d, or left out for no limit", l.Times, maxExpansion))
		}
		v.relay(path+".on", l.On)
		if l.Repo != "" {
			v.repository(path+".repo", l.Repo)
		}
		for _, word := range append(slices.Clone(l.Fail), l.Slow...) {
			if _, ok := sim.ParseLocalWork(word); !ok {
				v.add(path+"."+verb, unknown("kind of local work", word, sim.LocalWorkNames()))
			}
		}
		switch verb {
		case "slow":
			if l.By <= 0 || l.By > Span(core.Day) {
				v.add(path+".by", fmt.Sprintf("%v, must be more than 0s and at most 1d", l.By))
			}
			if slices.Contains(l.Slow, "receive") {
				v.add(path+".slow", "receive takes the time of its transfer; slow the host down instead")
			}
		case "lock":
			v.locks(path, l)
		case "refuse":
			v.event(path+".refuse", l.Refuse)
			if !slices.Contains(verdicts(), l.Verdict) {
				v.add(path+".verdict", unknown("verdict", l.Verdict, verdicts()))
			}
		}
	}
}

func (v *validator) locks(path string, l *Local) {
	if l.Repo == "" {
		v.add(path+".repo", "missing, a lock is held in one repository")
	}
	refs, err := l.Lock.expand()
	if err != nil {
		v.add(path+".lock", err.Error())
	}
	for _, name := range refs {
		if why := nip34.CheckRefName(fullName(name)); name != "HEAD" && why != "" {
			v.add(path+".lock", fmt.Sprintf("%q is no ref name: want %s, or HEAD", name, why))
		}
	}
}

// localFaults are the windows of one relay.
func (b *build) localFaults() (out []sim.LocalFault) {
	for i := range b.Local {
		l := &b.Local[i]
		if b.Network != nil && b.Network.at(l.On) != b.relay {
			continue
		}
		f := sim.LocalFault{From: core.Time(l.From), Until: core.Never, Times: l.Times, Delay: core.Time(l.By), Fails: true, Verdict: core.StoreFailed}
		if l.To > 0 {
			f.Until = core.Time(l.To)
		}
		if l.Repo != "" {
			owner, identifier, _ := splitRepo(l.Repo)
			f.Repo = b.coordinate(owner, identifier).Repo
		}
		for _, word := range append(slices.Clone(l.Fail), l.Slow...) {
			kind, _ := sim.ParseLocalWork(word)
			f.Work |= kind
		}
		switch {
		case l.DiskFull:
			f.Work = sim.DiskFullWork
		case l.Slow != nil:
			f.Fails = false
		case l.Lock != nil:
			refs, _ := l.Lock.expand()
			f.Work, f.Fails = sim.AlignWork, false
			for _, name := range refs {
				if name != "HEAD" {
					name = fullName(name)
				}
				f.Lock = append(f.Lock, b.names.Handle(name))
			}
		case l.Refuse != "":
			f.Work, f.Event = sim.StoreWork, b.idOf(l.Refuse)
			f.Verdict = core.Verdict(1 + slices.Index(verdicts(), l.Verdict))
		}
		out = append(out, f)
	}
	return out
}
