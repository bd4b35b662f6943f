package generate

import (
	"fmt"
	"strings"

	"graspsync/scenarios"
)

// Profile is a kind of world: sizes, and features that it is always without or never without.
type Profile struct {
	Name    string
	About   string // one sentence
	Without Features
	With    Features // never banned
	Hosts   [2]int   // least and most
	Repos   [2]int
	Events  [2]int            // things that happen in the timeline, about
	Horizon [2]scenarios.Span // of the time in which they happen
	Relays  int               // of a network; 0: a single relay
	Hostile bool              // a user whose doings must not matter (I-11)
	Canary  bool              // the world must fail, or the swarm judges nothing
	mixed   bool              // another one for each seed
	tiny    bool              // sizes are not widened or narrowed by the seed
}

// Profiles are the kinds of worlds there are, the default first.
func Profiles() []Profile {
	single := Profile{Hosts: [2]int{2, 8}, Repos: [2]int{2, 10}, Events: [2]int{6, 60}, Horizon: [2]scenarios.Span{30 * min1, 8 * hour}}
	with := func(name, about string, change func(*Profile)) Profile {
		p := single
		p.Name, p.About = name, about
		change(&p)
		return p
	}
	small := func(p *Profile) {
		p.Hosts, p.Repos, p.Events = [2]int{1, 3}, [2]int{1, 3}, [2]int{2, 14}
		p.Horizon, p.tiny = [2]scenarios.Span{10 * min1, 90 * min1}, true
	}
	return []Profile{
		with("default", "everything, in worlds of all sizes", func(*Profile) {}),
		with("small", "everything, with one to three hosts and repositories", small),
		with("push", "clients that push, race, break off and publish late", func(p *Profile) {
			small(p)
			p.Repos, p.Events = [2]int{1, 4}, [2]int{8, 30}
			p.With = set(Pushes, Placeholders, PushTrouble, AbsentAtStart, StorageTrouble)
		}),
		with("crash", "a process that dies often, with local work that goes wrong", func(p *Profile) {
			small(p)
			p.Events = [2]int{6, 24}
			p.With = set(Crashes, WorkTrouble, Pushes, Placeholders, AbsentAtStart)
		}),
		with("bounds", "tables of a few entries, and many who want a place", func(p *Profile) {
			p.Repos, p.Events = [2]int{4, 16}, [2]int{20, 90}
			p.With = set(SmallBounds, PullRequests, BigEvents, Placeholders, Pushes)
		}),
		with("hosts", "one or two hosts that all want, at the edge of their limits", func(p *Profile) {
			p.Hosts, p.Repos, p.Events = [2]int{1, 2}, [2]int{8, 50}, [2]int{20, 120}
			p.With, p.Without = set(DomainLimits, SlowHosts), set(Crashes, StorageTrouble)
		}),
		with("hostile", "somebody who attacks another's repository in every way there is", func(p *Profile) {
			small(p)
			p.Hostile = true
			// When network work is done may differ in the two worlds, so it must not decide what is compared.
			p.Without = set(Crashes, StorageTrouble, WorkTrouble, Reconfigure, SmallBounds, ConfigExtremes, Clocks, CompletionTrouble, WakeTrouble,
				SlowHosts, HostKinds, FailingHosts, LyingHosts, SilentHosts, LimitingHosts, ChangingHosts, FaultWindows, Swizzle, LateData, VanishingData,
				DomainLimits, WantRules, SharedAddress)
		}),
		with("network", "two or three relays that follow each other", func(p *Profile) {
			small(p)
			p.Relays = 3
			p.Without = set(RawEvents, OddURLs)
		}),
		with("mixed", "one of the others, drawn for each seed: small, push, crash and bounds more often", func(p *Profile) { p.mixed = true }),
		with("canary", "worlds that break an expectation on purpose: all of them must fail", func(p *Profile) {
			small(p)
			p.Canary = true
		}),
	}
}

// Named finds a profile. The error lists those there are.
func Named(name string) (Profile, error) {
	all := Profiles()
	names := make([]string, len(all))
	for i, p := range all {
		if p.Name == name {
			return p, nil
		}
		names[i] = p.Name
	}
	return Profile{}, fmt.Errorf("profile is %q, must be one of %s", name, strings.Join(names, ", "))
}
