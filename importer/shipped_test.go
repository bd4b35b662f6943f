package importer

import (
	"flag"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"graspsync/scenarios"
)

var update = flag.Bool("update", false, "write the shipped scenarios anew")

// The committed files are what the generators make. To change them, change the generator, run
// go test ./importer -run TestShipped -update, and understand the diff.
func TestShipped(t *testing.T) { // I-9
	real, sum, err := RealEvents(testdata(t, "events.jsonl"), testdata(t, "relay-arrivals-2025-12-05.jsonl"))
	require.NoError(t, err)
	require.Equal(t, 10, sum.Hunted)
	for _, s := range []*scenarios.Scenario{real, Restart(), Burst()} {
		t.Run(s.Name, func(t *testing.T) {
			require.NoError(t, s.Validate())
			file := filepath.Join("../scenarios/catalogue", s.Name+".yaml")
			if *update {
				require.NoError(t, os.WriteFile(file, s.Encode(), 0o644))
			}
			committed, err := os.ReadFile(file)
			require.NoError(t, err)
			if string(committed) != string(s.Encode()) {
				t.Fatalf("%s is not what its generator makes; run go test ./importer -run TestShipped -update and look at the diff", file)
			}
			_, err = scenarios.Load(file)
			require.NoError(t, err)
		})
	}
}

// Each shipped scenario hunts, releases, breaks no invariant and meets its expectations, whatever the seed.
func TestShippedRun(t *testing.T) { // I-2 I-13 I-16 I-18
	real, _, err := RealEvents(testdata(t, "events.jsonl"), testdata(t, "relay-arrivals-2025-12-05.jsonl"))
	require.NoError(t, err)
	for _, s := range []*scenarios.Scenario{real, Restart(), Burst()} {
		t.Run(s.Name, func(t *testing.T) {
			for seed := uint64(1); seed <= 6; seed++ {
				res, err := s.Run(scenarios.Options{Seed: seed})
				require.NoError(t, err)
				require.Empty(t, res.Violations, "seed %d", seed)
				require.Positive(t, res.Counts.Hunts)
				require.Positive(t, res.Counts.Released)
				require.Positive(t, res.Counts.Passes)
			}
		})
	}
}

func TestProportions(t *testing.T) {
	for _, n := range []int{1, 27, 98, 214, 508, 820} {
		sum := 0
		for _, k := range mixed(n) {
			sum += k
		}
		require.Equal(t, n, sum)
	}
	count := map[string]int{}
	for row, n := range mixed(27) {
		for _, h := range mix[row].hosts {
			count[h] += n
		}
	}
	require.Equal(t, []int{17, 16, 7}, []int{count["relay.ngit.dev"], count["gitnostr.com"], count["github.com"]}, "as in the 27 real announcements")
	require.Equal(t, []int{38, 12}, []int{restartNeed * 100 / restartRepos, (restartNever*100 + restartRepos/2) / restartRepos})
	rows := map[int]int{}
	for i := range 27 {
		rows[mixOf(i)]++
	}
	for row, m := range mix {
		require.Equal(t, m.weight, rows[row])
	}
	seconds, arrivals := 0, 0
	for _, v := range burstSeconds {
		if v < 0 {
			seconds -= int(v)
			continue
		}
		seconds++
		arrivals += int(v)
	}
	require.Equal(t, []int{637, 508}, []int{seconds, arrivals})
	require.Contains(t, strings.Join(typicalNames(), " "), "relay.ngit.dev")
}

func typicalNames() []string { return sorted(typicalHosts()) }
