package scenarios

import (
	"fmt"
	"slices"
	"strings"

	"graspsync/core"
	"graspsync/core/nip34"
)

// Validate checks a scenario made in Go; one that was parsed has been checked. The error is an Errors.
func (s *Scenario) Validate() error {
	p := &problems{}
	s.validate(p)
	return p.err()
}

// validate reports everything that keeps s from running, and gives its written-out form.
func (s *Scenario) validate(p *problems) *script {
	s.validateHead(p)
	s.config(p, "config", s.Config, core.DefaultConfig())
	for _, name := range sortedKeys(s.Domains) {
		d, path := s.Domains[name], join("domains", name)
		checkAuthority(p, path, name)
		if d.Concurrency < 0 || d.Concurrency > 4096 || d.Rate < 1 || d.Rate > 1<<20 {
			p.add(path, fmt.Sprintf("concurrency %d and rate %d, must be 0 to 4096 and 1 to 1048576", d.Concurrency, d.Rate))
		}
	}
	for _, name := range sortedKeys(s.Users) {
		path := join("users", name)
		checkUser(p, path, name)
		if k, ok := nip34.ParsePubKey(s.Users[name]); !ok || k.String() != s.Users[name] {
			p.add(path, fmt.Sprintf("%q is no public key; write 64 lower-case hex digits", s.Users[name]))
		}
	}
	for _, name := range sortedKeys(s.Relays) {
		r, path := s.Relays[name], join("relays", name)
		if r.Duplicates < 0 || r.Duplicates > 1000 {
			p.add(path+".duplicates", fmt.Sprintf("%d, must be 0 to 1000", r.Duplicates))
		}
		if r.Replay > 0 && s.Horizon/r.Replay > maxExpansion {
			p.add(path+".replay", fmt.Sprintf("%v is too short for a horizon of %v", r.Replay, s.Horizon))
		}
	}
	x := s.expand(p)
	if len(p.list) > 0 {
		return x
	}
	v := &validator{problems: p, script: x, urls: make(map[string]bool)}
	for i := range x.hosts {
		v.host(&x.hosts[i])
	}
	for i := range x.repos {
		v.repo(&x.repos[i])
	}
	for i := range s.Faults {
		v.fault(i, &s.Faults[i])
	}
	v.network()
	v.driver()
	v.timeline()
	v.locals()
	v.compared()
	for i := range x.expect {
		v.expectation(&x.expect[i])
	}
	return x
}

func (s *Scenario) validateHead(p *problems) {
	if s.Version != Version {
		p.add("version", fmt.Sprintf("%d is not a version this reads; write \"version: %d\"", s.Version, Version))
	}
	if s.Name == "" || len(s.Name) > 80 || strings.Trim(s.Name, "abcdefghijklmnopqrstuvwxyz0123456789-") != "" {
		p.add("name", fmt.Sprintf("%q is no name; write 1 to 80 lower-case letters, digits and dashes", s.Name))
	}
	if s.Description == "" || len(s.Description) > 400 || strings.ContainsAny(s.Description, "\n\r") {
		p.add("description", "must be one sentence of at most 400 bytes that says what must happen")
	}
	seen := make(map[string]bool)
	for i, id := range s.Rules {
		path := fmt.Sprintf("rules[%d]", i)
		if !KnownRule(id) {
			p.add(path, fmt.Sprintf("%q is no rule id; write one as Q-10 or I-14", id))
		}
		if seen[id] {
			p.add(path, fmt.Sprintf("%q is listed twice", id))
		}
		seen[id] = true
	}
	if !slices.Contains([]string{"", "kind", "reverse", "shuffle"}, s.Ties) {
		p.add("ties", unknown("tie policy", s.Ties, []string{"kind", "reverse", "shuffle"}))
	}
	if s.Horizon <= 0 || s.Horizon > maxSpan {
		p.add("horizon", fmt.Sprintf("%v, must be more than 0s and at most %v", s.Horizon, maxSpan))
	}
	if s.Wall < 0 || s.Wall > 1<<33 {
		p.add("wall", fmt.Sprintf("%d, must be Unix seconds from 0 to 8589934592", s.Wall))
	}
	checkAuthority(p, "service", s.service())
}

func (s *Scenario) service() string {
	if s.Service == "" {
		return "relay.example"
	}
	return s.Service
}

func checkAuthority(p *problems, path, name string) {
	loc, err := nip34.ParseURL("https://" + name)
	if err != nil || loc.Path != "" || loc.User || loc.Query {
		p.add(path, fmt.Sprintf("%q is no host; write a host name, with :port if it is not 443", name))
	} else if loc.Domain != name {
		p.add(path, fmt.Sprintf("%q is another way to write %q; write that", name, loc.Domain))
	}
}

func checkUser(p *problems, path, name string) {
	if name == "" || len(name) > 64 || strings.Trim(name, "abcdefghijklmnopqrstuvwxyz0123456789-_") != "" {
		p.add(path, fmt.Sprintf("%q is no user; write 1 to 64 lower-case letters, digits, dashes", name))
	}
}

func sortedKeys[T any](m map[string]T) []string {
	keys := make([]string, 0, len(m))
	for k := range m {
		keys = append(keys, k)
	}
	slices.Sort(keys)
	return keys
}

// ruleCounts is how many rules each chapter of the rule book has.
var ruleCounts = map[string]int{"T": 5, "Q": 14, "N": 3, "U": 3, "A": 4, "H": 7, "D": 8, "F": 8, "E": 6, "R": 7,
	"S": 6, "AN": 6, "ST": 9, "PR": 4, "M": 2, "P": 5, "DL": 2, "RE": 1}

// KnownRule tells whether id is a rule or an invariant of the rule book.
func KnownRule(id string) bool {
	chapter, number, ok := strings.Cut(id, "-")
	if chapter == "I" {
		for n := 1; n <= 18; n++ {
			if number == fmt.Sprint(n) {
				return ok
			}
		}
		return false
	}
	for n := 1; n <= ruleCounts[chapter]; n++ {
		if number == fmt.Sprintf("%02d", n) {
			return ok
		}
	}
	return false
}
