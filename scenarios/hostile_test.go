package scenarios

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"graspsync/core"
)

// honest draws a small world of people who have nothing to do with mallory, and whose data can be had.
func honest(t *rapid.T) *Scenario {
	span := func(label string, seconds int) Span {
		return Span(core.Time(rapid.IntRange(0, seconds*10).Draw(t, label)) * 100 * core.Millisecond)
	}
	s := &Scenario{Version: Version, Name: "random", Description: "Drawn.", Horizon: Span(70 * core.Minute),
		Seed: uint64(rapid.IntRange(1, 999).Draw(t, "seed")),
		Hosts: map[string]Host{"good.example": {Script: []Phase{{}}}, "other.example": {Script: []Phase{{Behaviour: Behaviour{Latency: span("latency", 3)}}}},
			"evil.example": {Script: []Phase{{Behaviour: Behaviour{Rule: Rule{Answer: rapid.SampledFrom([]string{"stall", "503", "404", "html", "reset"}).Draw(t, "evil")}}}}}},
		Repos: map[string]Repo{}}
	labels := Labels{"a0", "a1", "a2", "fix"}
	start := ""
	if rapid.Bool().Draw(t, "absent") {
		start = "absent"
	}
	s.Repos["alice/hello"] = Repo{Start: start, Clone: Labels{"good.example"}, On: map[string]Holdings{"good.example": {{Has: labels, From: span("from", 120)}}}}
	bob := Repo{Clone: Labels{"other.example", "good.example"}, On: map[string]Holdings{"good.example": {{Has: labels}}}}
	if rapid.Bool().Draw(t, "family") {
		bob.Maintainers = Labels{"alice"}
	}
	s.Repos["bob/hello"] = bob
	if start == "absent" {
		s.Timeline = append(s.Timeline, Action{At: span("announced", 30), Announce: "alice/hello", As: "ann"})
	}
	for i := range rapid.IntRange(1, 3).Draw(t, "states") {
		a := Action{At: span("at", 600), State: rapid.SampledFrom([]string{"alice/hello", "bob/hello"}).Draw(t, "of"), As: fmt.Sprint("s", i),
			Refs: Refs{{"main", fmt.Sprint("a", i)}}, Origin: rapid.SampledFrom([]string{"", "client"}).Draw(t, "origin")}
		s.Timeline = append(s.Timeline, a)
	}
	if rapid.Bool().Draw(t, "pr") {
		s.Timeline = append(s.Timeline, Action{At: span("at", 600), PR: "alice/hello", By: "carol", Commit: "fix", As: "p"})
	}
	if rapid.IntRange(0, 3).Draw(t, "lost") == 0 { // nobody ever has it
		s.Timeline = append(s.Timeline, Action{At: span("at", 600), State: "alice/hello", Refs: Refs{{"main", "lost"}}, As: "lost"})
	}
	if rapid.IntRange(0, 3).Draw(t, "push") == 0 {
		s.Timeline = append(s.Timeline, Action{At: span("at", 900), Push: "alice/hello", Refs: Refs{{"main", "a0"}}})
	}
	return s
}

// hostileActs adds what mallory does to it.
func hostileActs(t *rapid.T, s *Scenario) {
	s.Hostile = Labels{"mallory"}
	s.Repos["mallory/hello"] = Repo{Start: "absent", Clone: Labels{"evil.example"}}
	victims := make([]string, 0, 8)
	for i := range s.Timeline {
		if a := &s.Timeline[i]; a.Push == "" {
			victims = append(victims, a.As)
		}
	}
	// Whom mallory lists stays the same: a stranger's state that is held for that listing alone is ended when the listing
	// is taken back, and not remembered as one that came before its announcement (S-05), as it would be without mallory.
	listed := rapid.SampledFrom([]Labels{nil, {"alice"}, {"bob", "alice"}, {"mallory"}, {"carol"}}).Draw(t, "listed")
	n := rapid.IntRange(1, 8).Draw(t, "acts")
	for i := range n {
		a := Action{At: Span(core.Time(rapid.IntRange(0, 9000).Draw(t, "when")) * 100 * core.Millisecond), As: fmt.Sprint("m", i), By: "mallory",
			Origin: rapid.SampledFrom([]string{"", "client"}).Draw(t, "origin")}
		if rapid.IntRange(0, 4).Draw(t, "dated") == 0 {
			at := Span(core.Time(rapid.SampledFrom([]int{0, 60, 600, 899, 3600}).Draw(t, "created")) * core.Second)
			a.Created = &at
		}
		switch rapid.IntRange(0, 7).Draw(t, "act") {
		case 0, 1: // the same identifier, perhaps with strangers listed, dead and slow URLs
			a.Announce = "mallory/hello"
			a.Maintainers = listed
			a.Clone = rapid.SampledFrom([]Labels{nil, {"evil.example"}, {"good.example"}, {"https://evil.example/a.git", "https://evil.example/b.git"}}).Draw(t, "clone")
			a.Unlisted = listed == nil && rapid.IntRange(0, 4).Draw(t, "unlisted") == 0
		case 2: // somebody else's event
			a.Delete = rapid.SampledFrom(victims).Draw(t, "victim")
		case 3: // a state for a repository that is not theirs
			a.State, a.Refs = "alice/hello", rapid.SampledFrom([]Refs{{{"main", "evil"}}, {}, {{"main", "a1"}}, {{"main", "nowhere"}}}).Draw(t, "refs")
		case 4: // their own, with garbage
			a.State, a.Refs = "mallory/hello", rapid.SampledFrom([]Refs{{{"main", "evil"}}, {{"x", "nowhere"}}, {{"main", "a1"}}}).Draw(t, "refs")
		case 5, 6: // many pull requests that nobody can satisfy, to be looked for on the victim's host
			a.PR, a.Repeat, a.Step, a.Commit, a.As = "alice/hello", rapid.IntRange(1, 25).Draw(t, "flood"), Span(200*core.Millisecond), fmt.Sprint("x", i, "-{i}"), fmt.Sprint("m", i, "-{i}")
			a.Clone = rapid.SampledFrom([]Labels{{"good.example"}, {"evil.example"}, {"https://good.example/x{i}.git"}, nil}).Draw(t, "clone")
		default:
			a.Push, a.Refs, a.As, a.Created = "alice/hello", Refs{{"main", "evil"}}, "", nil
			a.Origin = ""
		}
		s.Timeline = append(s.Timeline, a)
	}
}

// Whatever mallory does to people who have nothing to do with them, what these hold, serve and show stays the same:
// in 300 random worlds, three a check. I-11
func TestHostileAuthorsChangeNothing(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		for range 3 {
			s := honest(t)
			hostileActs(t, s)
			require.NoError(t, s.Validate(), "%s", s.Encode())
			res, err := s.Run(Options{})
			require.NoError(t, err)
			if len(res.Violations) > 0 {
				t.Fatalf("%s: %s\n%s", res.Violations[0].ID, res.Violations[0].Text, s.Encode())
			}
		}
	})
}

// Synced events of people who list each other or not, whose data can be had, end alike in six orders: 60 random worlds,
// with deletions and replacements. Empty states are left out: one that comes before the state it clears is refused and
// stays refused (ST-06), and serving it first would leave the announcement without a ref to be promoted by (ST-09). So
// are announcements that no longer list us or are deleted: what was served before keeps its repository until the retention
// is over, what comes later finds none (AN-06, DL-02); and an announcement is promoted or not by a state that is then deleted.
// I-10 S-05 DL-01 E-06
func TestRandomOrdersEndAlike(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		s := honest(t)
		s.Permute = 6
		s.Horizon = Span(20 * core.Minute)
		for name, r := range s.Repos {
			for host := range r.On {
				for i := range r.On[host] {
					r.On[host][i].From = 0
				}
			}
			s.Repos[name] = r
		}
		var synced []Action
		for i := range s.Timeline {
			if a := s.Timeline[i]; a.Push == "" && a.As != "lost" {
				a.Origin = ""
				synced = append(synced, a)
			}
		}
		n := len(synced)
		if victim := synced[rapid.IntRange(0, n-1).Draw(t, "victim")]; victim.Announce == "" && s.Repos["alice/hello"].Start == "" && rapid.Bool().Draw(t, "delete") {
			synced = append(synced, Action{At: synced[n-1].At + Span(core.Minute), Delete: victim.As, As: "d"})
		}
		if rapid.Bool().Draw(t, "again") {
			synced = append(synced, Action{At: Span(3 * core.Minute), Announce: "bob/hello", As: "ann2", Maintainers: rapid.SampledFrom([]Labels{{"alice"}, {"carol"}, {}}).Draw(t, "listed")})
		}
		s.Timeline = synced
		require.NoError(t, s.Validate(), "%s", s.Encode())
		res, err := s.Run(Options{})
		require.NoError(t, err)
		if len(res.Violations) > 0 {
			t.Fatalf("%s: %s\n%s", res.Violations[0].ID, res.Violations[0].Text, s.Encode())
		}
	})
}
