package shrink

import (
	"cmp"
	"fmt"
	"reflect"
	"strings"

	"graspsync/scenarios"
)

// Size is how much there is to a scenario, for people.
type Size struct {
	Hosts, Repos, Users, Relays int // relays: of a network, and upstream ones
	Timeline                    int
	Faults                      int // windows, of hosts and of our own work
	Config                      int // settings of the configuration and of domains
	Values                      int // words and numbers in all
	Bytes                       int // of its text
}

// SizeOf counts a scenario, as it is written.
func SizeOf(s *scenarios.Scenario) Size {
	z := Size{Hosts: len(s.Hosts), Repos: len(s.Repos), Users: len(users(s)), Relays: len(s.Relays), Timeline: len(s.Timeline),
		Faults: len(s.Faults) + len(s.Local), Config: len(s.Config) + len(s.Domains), Bytes: len(s.Encode())}
	if s.Network != nil {
		z.Relays += len(s.Network.Relays)
	}
	z.Values, _ = weigh(s)
	return z
}

// String is a line for a report.
func (z Size) String() string {
	var parts []string
	for _, p := range [...]struct {
		n    int
		what string
	}{{z.Timeline, "timeline entries"}, {z.Hosts, "hosts"}, {z.Repos, "repositories"}, {z.Users, "users"}, {z.Relays, "relays"},
		{z.Faults, "fault windows"}, {z.Config, "settings"}} {
		if p.n > 0 {
			parts = append(parts, fmt.Sprintf("%d %s", p.n, p.what))
		}
	}
	return strings.Join(append(parts, fmt.Sprintf("%d values, %d bytes", z.Values, z.Bytes)), ", ")
}

// weight orders scenarios: fewer values first, then less text, then smaller numbers and earlier instants, then the order
// of the alphabet. Only lighter candidates are taken, so shrinking ends.
type weight struct {
	values, bytes int
	sum           int64
	text          string
}

func weightOf(s *scenarios.Scenario, text []byte) weight {
	n, sum := weigh(s)
	return weight{n, len(text), sum, string(text)}
}

func (w weight) less(o weight) bool {
	return cmp.Or(cmp.Compare(w.values, o.values), cmp.Compare(w.bytes, o.bytes), cmp.Compare(w.sum, o.sum), cmp.Compare(w.text, o.text)) < 0
}

// weigh counts the values and adds the numbers up.
func weigh(s *scenarios.Scenario) (values int, sum int64) {
	add := func(n int64) {
		if sum += n; sum < 0 {
			sum = 1<<63 - 1
		}
	}
	walk(s, func(p spot) bool {
		if p.path == "Version" || p.path == "Name" || p.path == "Description" || p.path == "Rules" {
			return false
		}
		switch v := p.val.Interface().(type) {
		case scenarios.Count:
			values++
			return false
		case scenarios.Ratio:
			values++
			add(v.Num + v.Den)
			return false
		case scenarios.Ref:
			values++
			return false
		}
		if isLeaf(p.val) {
			values++
			if p.val.CanInt() {
				add(max(p.val.Int(), -p.val.Int(), 0))
			}
		} else if p.val.Kind() == reflect.Map && p.path != "Config" {
			values += p.val.Len() // names
		}
		return true
	})
	return values, sum
}
