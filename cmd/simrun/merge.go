package main

import (
	"encoding/json"
	"fmt"
	"os"
	"slices"
)

// mergeCmd adds up shards.
type mergeCmd struct {
	Files []string `arg:"" name:"file" help:"Results that swarm --json wrote, one per shard."`
	JSON  string   `name:"json" placeholder:"FILE" help:"Write the sum to FILE as well."`
}

// Run adds the reports up and prints the sum. Shards of one swarm must not overlap: a world that is counted twice makes a
// night look longer than it was.
func (c *mergeCmd) Run(a *app, code *int) error {
	sum := report{Version: reportVersion}
	seen := make(map[string]string)
	for _, path := range c.Files {
		b, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		var r report
		if err := json.Unmarshal(b, &r); err != nil {
			return fmt.Errorf("%s is no result of swarm --json: %w", path, err)
		}
		if r.Version != reportVersion {
			return fmt.Errorf("%s: version is %d, this reads %d", path, r.Version, reportVersion)
		}
		if sum.Build == "" {
			sum.Build = r.Build
		}
		for _, p := range r.Profiles {
			key := fmt.Sprintf("%s from %d, shard %d/%d", p.Profile, p.From, p.Shard, p.Of)
			if other, twice := seen[key]; twice {
				return fmt.Errorf("%s and %s are both of profile %s", other, path, key)
			}
			seen[key] = path
			sum.add(p)
		}
	}
	if c.JSON != "" {
		if err := sum.write(c.JSON); err != nil {
			return err
		}
	}
	*code = sum.print(a.out)
	return nil
}

// add adds a shard to its profile; the digest of several shards does not depend on their order.
func (r *report) add(p profileReport) {
	i := slices.IndexFunc(r.Profiles, func(x profileReport) bool { return x.Profile == p.Profile })
	if i < 0 {
		r.Profiles = append(r.Profiles, p)
		return
	}
	s := &r.Profiles[i]
	s.Worlds, s.Failed, s.Calm, s.Twice, s.Events = s.Worlds+p.Worlds, s.Failed+p.Failed, s.Calm+p.Calm, s.Twice+p.Twice, s.Events+p.Events
	s.VirtualNS, s.WallNS, s.CPUNS = s.VirtualNS+p.VirtualNS, max(s.WallNS, p.WallNS), s.CPUNS+p.CPUNS
	s.Digest ^= p.Digest
	for _, f := range p.Failures {
		k := slices.IndexFunc(s.Failures, func(x failure) bool { return x.Shape == f.Shape })
		if k < 0 {
			s.Failures = append(s.Failures, f)
			continue
		}
		x := &s.Failures[k]
		worlds := x.Worlds + f.Worlds
		if f.Seed < x.Seed { // the first seed, whichever shard had it
			*x = f
		}
		x.Worlds = worlds
	}
	slices.SortFunc(s.Failures, func(a, b failure) int { return int(min(max(int64(a.Seed)-int64(b.Seed), -1), 1)) })
}
