package scenarios

import (
	"testing"

	"github.com/stretchr/testify/require"

	"graspsync/sim"
)

// settings are changes of the configuration, each of which breaks some promise of the rule book.
func settings() []string {
	return []string{"synced-delay=5s", "client-delay=60s", "backoff-base=7s", "backoff-cap=30s", "domain-rate=3", "domain-concurrency=1",
		"hedge-head-start=3s", "hedge-head-start=9m", "lifetime=20s", "loop-interval=7s", "stall-limit=40m", "stall-limit=30s",
		"pressure=1", "residual-probes=300", "residual-probes=0", "memo-oids=0", "cool-base=9m", "retry-after-cap=1s",
		"unreachable-age=1h", "domain-requests=100000", "hunts=100", "author-passes=32", "allow-private=true", "domain-concurrency=0", "placeholders-per-source=100", "placeholders-per-repo=0",
		"source-writes=100000", "source-burst=1", "source-hunts=1", "held-bytes=700", "unlisted-retention=1h", "rejected-ids=0", "rejected-full=0",
		"maintainers=1"}
}

// withoutData runs s in a world where nobody has any object.
func withoutData(s *Scenario) sim.Result {
	c := *s
	c.Repos = make(map[string]Repo)
	for name, r := range s.Repos {
		r.On, r.Has = nil, nil
		c.Repos[name] = r
	}
	res, err := c.Run(Options{})
	if err != nil {
		return sim.Result{}
	}
	return res
}

// A scenario that no wrong setting can make fail would prove nothing.
func TestEveryScenarioCanFail(t *testing.T) {
	all, err := Catalogue()
	require.NoError(t, err)
	for _, s := range all {
		failed := 0
		for _, set := range settings() {
			if len(s.Name) > 5 && s.Name[:5] == "real-" && set != "domain-concurrency=0" && set != "lifetime=20s" {
				continue // long
			}
			res, err := s.Run(Options{Set: []string{set}})
			if err != nil {
				continue // a setting this scenario overrides in a way that cannot be combined
			}
			if len(res.Violations) > 0 {
				failed++
				break
			}
		}
		if failed == 0 && len(withoutData(s).Violations) > 0 {
			failed++
		}
		if failed == 0 {
			t.Errorf("%s: none of %d wrong settings makes it fail; add an expectation that can", s.Name, len(settings()))
		}
	}
}
