package scenarios_test

import (
	"fmt"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"graspsync/scenarios"
)

// H-02
func TestStateArrivesByHedge(t *testing.T) {
	s := scenarios.New(t)
	s.Host("slow.example").Latency(5 * time.Minute)
	fast := s.Host("fast.example")
	r := s.Repo("alice/hello", "slow.example", "fast.example").Has("fast.example", "main")
	r.State("main").SyncedAt(0)
	s.Run(10 * time.Minute)
	r.ExpectReleasedBetween("31s", "33s")
	fast.ExpectPasses("31s")
	r.ExpectRefs("main")
}

// Q-10 E-01
func TestClientEventExpires(t *testing.T) {
	s := scenarios.New(t)
	s.Host("git.example").Answer("503").Until(time.Minute)
	r := s.Repo("alice/hello", "git.example").Has("git.example", "other")
	ev := r.State("main").ClientAt(time.Second)
	s.Run(40 * time.Minute)
	ev.ExpectHeldAt("29m")
	r.ExpectExpiredAt("30m1s")
	s.ExpectCounter("attempts", ">= 15")
}

// failing notes what a test reports instead of failing.
type failing struct{ said []string }

func (f *failing) Helper()                      {}
func (f *failing) Name() string                 { return "Test/Of It" }
func (f *failing) Errorf(s string, args ...any) { f.said = append(f.said, fmt.Sprintf(s, args...)) }
func (f *failing) Fatalf(s string, args ...any) { f.Errorf("fatal: "+s, args...) }

func TestBuilderReportsWhatWentWrong(t *testing.T) {
	f := &failing{}
	s := scenarios.New(f)
	r := s.Repo("alice/hello", "git.example").Has("git.example", "main")
	r.State("main").SyncedAt(0)
	s.Run(time.Minute)
	require.Empty(t, f.said)
	r.ExpectReleasedBetween("2s", "3s")
	require.Len(t, f.said, 1)
	require.Contains(t, f.said[0], "expected between 2s and 3s")
	s.Expect(scenarios.Expectation{Passes: "nobody.example", Count: scenarios.Count{Set: true}})
	require.Contains(t, f.said[1], "neither a declared host nor a clone URL")

	g := &failing{}
	s = scenarios.New(g)
	s.Host("git.example").Answer("503").Until(time.Second).Answer("nonsense")
	s.Run(time.Minute)
	require.Contains(t, g.said[0], `unknown answer "nonsense"`)
	require.Contains(t, g.said[0], "then.answer")
}

func ExampleNew() {
	t := &failing{} // in a test: the *testing.T
	s := scenarios.New(t)
	s.Host("git.example").Latency(time.Second)
	r := s.Repo("alice/hello", "git.example").HasFrom("git.example", 50*time.Second, "main")
	r.State("main").SyncedAt(0)
	res := s.Run(10 * time.Minute)
	r.ExpectReleasedBetween("60s", "70s")
	fmt.Println(len(t.said), res.Counts.Released)
	// Output: 0 1
}
