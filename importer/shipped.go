package importer

import (
	"bytes"
	"fmt"
	"strconv"

	"graspsync/core"
	"graspsync/scenarios"
)

// mix is which hosts 27 real announcements name together: relay.ngit.dev in 17, gitnostr.com in 16,
// github.com in 7 of them.
var mix = [...]struct {
	weight int
	hosts  scenarios.Labels
}{
	{11, scenarios.Labels{"relay.ngit.dev", "gitnostr.com"}},
	{2, scenarios.Labels{"relay.ngit.dev", "gitnostr.com", "pyramid.treegaze.com"}},
	{1, scenarios.Labels{"github.com", "relay.ngit.dev", "gitnostr.com"}},
	{1, scenarios.Labels{"codeberg.org", "relay.ngit.dev"}},
	{1, scenarios.Labels{"git.shakespeare.diy", "relay.ngit.dev"}},
	{1, scenarios.Labels{"relay.ngit.dev"}},
	{1, scenarios.Labels{"grasp.budabit.club", "gitnostr.com"}},
	{1, scenarios.Labels{"codeberg.org", "github.com", "gitnostr.com"}},
	{2, scenarios.Labels{"github.com"}},
	{2, scenarios.Labels{"pyramid.fiatjaf.com", "github.com"}},
	{1, scenarios.Labels{"gitlab.com", "github.com", "grasp.budabit.club"}},
	{1, scenarios.Labels{"blossom.gnostr.cloud"}},
	{1, scenarios.Labels{"git.shakespeare.diy"}},
	{1, scenarios.Labels{"pyramid.fiatjaf.com"}},
}

// mixed shares n among the rows of mix as evenly as whole numbers allow.
func mixed(n int) [len(mix)]int {
	var out [len(mix)]int
	total, before := 0, 0
	for _, m := range mix {
		total += m.weight
	}
	for i, m := range mix {
		out[i] = n*(before+m.weight)/total - n*before/total
		before += m.weight
	}
	return out
}

// mixOf is the row of mix that the i-th repository follows.
func mixOf(i int) int {
	at := i * 10 % 27 // ten is coprime to 27: neighbours differ
	for row, m := range mix {
		if at -= m.weight; at < 0 {
			return row
		}
	}
	return 0
}

func typicalHosts() map[string]scenarios.Host {
	out := map[string]scenarios.Host{}
	for _, m := range mix {
		for _, h := range m.hosts {
			out[h] = scenarios.Host{Script: []scenarios.Phase{{Behaviour: scenarios.Behaviour{Like: "typical"}}}}
		}
	}
	return out
}

// Proportions of the restart: of 820 repositories 38 % need data and 12 % cannot be satisfied.
const (
	restartRepos  = 820
	restartNeed   = 312 // 38 %, those that cannot be satisfied included
	restartNever  = 98  // 12 %
	restartOwners = 13  // repositories per owner, as the maintainer of the real events has
)

// Restart is a relay that comes back with 820 held states: everything is due at once, most of it on two
// hosts. 508 have their data here already, 214 find it elsewhere, 98 never do.
func Restart() *scenarios.Scenario {
	s := &scenarios.Scenario{Version: scenarios.Version, Name: "real-restart-820",
		Description: "After a restart 820 repositories are due at once: 508 need no network, 214 find their data on two busy hosts, 98 never do and expire.",
		Rules:       []string{"N-02", "A-02", "D-01", "D-05", "D-06", "Q-10", "E-01", "I-2", "I-13"},
		Horizon:     scenarios.Span(40 * core.Minute), Hosts: typicalHosts(), Repos: map[string]scenarios.Repo{}}
	for _, kind := range [...]struct {
		name string
		n    int
	}{{"here", restartRepos - restartNeed}, {"need", restartNeed - restartNever}, {"never", restartNever}} {
		for row, n := range mixed(kind.n) {
			if n == 0 {
				continue
			}
			name := fmt.Sprintf("%s-%02d-{i/%d}/%s-%02d-{i}", kind.name, row, restartOwners, kind.name, row) // an identifier of its own: nobody shares its history
			r := scenarios.Repo{Repeat: n, Clone: mix[row].hosts, Commits: map[string]scenarios.Labels{"tip": {"old"}},
				On: map[string]scenarios.Holdings{}}
			has := scenarios.Labels{"tip"}
			if kind.name == "never" {
				has = scenarios.Labels{"old"}
			}
			if kind.name == "here" {
				r.Has = has
			}
			for _, h := range mix[row].hosts {
				r.On[h] = scenarios.Holdings{{Has: has, Refs: scenarios.Refs{{Name: "main", Value: has[0]}}}}
			}
			s.Repos[name] = r
			s.Timeline = append(s.Timeline, scenarios.Action{Repeat: n, State: name, Refs: scenarios.Refs{{Name: "main", Value: "tip"}}, Head: "main"})
			e := scenarios.Expectation{Repeat: n, Released: "state " + name}
			if kind.name == "never" {
				e = scenarios.Expectation{Repeat: n, Expired: "state " + name}
			}
			s.Expect = append(s.Expect, e)
		}
	}
	s.Expect = append(s.Expect, exactly("released", restartRepos-restartNever), exactly("expired", restartNever),
		exactly("still-held", 0), exactly("hunts", restartRepos))
	return s
}

func exactly(counter string, n int64) scenarios.Expectation {
	return scenarios.Expectation{Counter: counter, Count: scenarios.Count{Min: n, Max: n, Set: true}}
}

func atLeast(counter string, n int64) scenarios.Expectation {
	return scenarios.Expectation{Counter: counter, Count: scenarios.Count{Min: n, Max: 1 << 40, Set: true}}
}

// Shape of the burst: every fifth state is for one of a few busy repositories.
const (
	burstCold = 53
	burstHot  = 7
)

// Burst is a relay that syncs states in the rhythm of a real bursty stream, after silences of minutes.
// Each state's data lies on the repository's hosts from the instant the state arrives, in every fifth
// case only a minute later.
func Burst() *scenarios.Scenario {
	const second = scenarios.Span(core.Second)
	s := &scenarios.Scenario{Version: scenarios.Version, Name: "real-burst",
		Description: "508 states for 60 repositories arrive in the rhythm of a real bursty stream, minutes of silence, then up to twenty-one in a second; all settle.",
		Rules:       []string{"Q-03", "Q-04", "Q-05", "D-01", "D-06", "ST-07", "I-2", "I-16"},
		Horizon:     scenarios.Span(45 * core.Minute), Hosts: typicalHosts(), Repos: map[string]scenarios.Repo{}}
	var pushes [burstCold + burstHot][]scenarios.Span // when each commit's data appears
	n, at := 0, scenarios.Span(0)
	for _, v := range burstSeconds {
		if v < 0 {
			at += scenarios.Span(-v) * second
			continue
		}
		for k := range int(v) {
			repo := n % burstCold
			if n%5 == 4 {
				repo = burstCold + n/5%burstHot
			}
			from := at
			if n%5 == 2 {
				from += 60 * second
			}
			if had := pushes[repo]; len(had) > 0 {
				from = max(from, had[len(had)-1]+second)
			}
			pushes[repo] = append(pushes[repo], from)
			commit := "c" + strconv.Itoa(len(pushes[repo]))
			s.Timeline = append(s.Timeline, scenarios.Action{At: at + scenarios.Span(k)*second/scenarios.Span(v), State: burstName(repo),
				As: "s" + strconv.Itoa(n), Refs: scenarios.Refs{{Name: "main", Value: commit}}, Head: "main"})
			n++
		}
		at += second
	}
	for i, had := range pushes {
		r := scenarios.Repo{Clone: mix[mixOf(i)].hosts, Commits: map[string]scenarios.Labels{}, On: map[string]scenarios.Holdings{}}
		var held scenarios.Holdings
		for j, from := range had {
			label := "c" + strconv.Itoa(j+1)
			if j > 0 {
				r.Commits[label] = scenarios.Labels{"c" + strconv.Itoa(j)}
			}
			h := scenarios.Holding{Has: scenarios.Labels{label}, Refs: scenarios.Refs{{Name: "main", Value: label}}, From: from}
			if j+1 < len(had) {
				h.Until = had[j+1]
			}
			held = append(held, h)
		}
		for _, h := range r.Clone {
			r.On[h] = held
		}
		s.Repos[burstName(i)] = r
	}
	s.Expect = []scenarios.Expectation{exactly("arrived", int64(n)), exactly("still-held", 0), exactly("expired", 0), exactly("refused", 0),
		atLeast("released", burstCold+burstHot), atLeast("hunts", burstCold+burstHot)}
	return s
}

func burstName(i int) string {
	if i >= burstCold {
		return fmt.Sprintf("busy-%d/repo-%d", i-burstCold, i)
	}
	return fmt.Sprintf("owner-%d/repo-%d", i/restartOwners, i)
}

// RealEvents is the dump of real events, delivered as two relays did on 2025-12-05, duplicates included;
// the events those relays did not send follow by created_at.
func RealEvents(dump, log []byte) (*scenarios.Scenario, *Summary, error) {
	s, sum, err := Import(bytes.NewReader(dump), Options{Name: "real-two-relays",
		Description: "Real signed events reach us as two relays really delivered them, states before their announcements; what was published is served in the end.",
		RelayLog:    bytes.NewReader(log), Rest: true, NoTrial: true})
	if err != nil {
		return nil, sum, err
	}
	s.Rules = []string{"AN-03", "ST-01", "ST-03", "U-01", "U-02", "Q-12", "I-12", "I-18"}
	// nine announcements and their states are served; the tenth has no state, is hunted and stays held
	s.Expect = []scenarios.Expectation{exactly("hunts", 10), exactly("released", 18), exactly("expired", 0), exactly("still-held", 1),
		atLeast("passes", 10)}
	return s, sum, nil
}
