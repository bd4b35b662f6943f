package main

import (
	"errors"
	"fmt"
	"hash/fnv"
	"os"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"graspsync/scenarios/generate"
	"graspsync/scenarios/shrink"
	"graspsync/sim"
)

// swarmCmd draws worlds and judges them, many at a time.
type swarmCmd struct {
	Seeds       uint64        `help:"Worlds per profile; with several shards, those of all of them together. Default 1000, or no limit with --time."`
	Time        time.Duration `help:"Stop after this long, shared evenly by the profiles. What was done until then depends on the machine; each world does not."`
	From        string        `default:"1" placeholder:"SEED|TEXT" help:"First seed, from 1; any other text stands for a number made of it, so that a commit or a date gives seeds that nobody ran before."`
	Shard       string        `default:"0/1" placeholder:"I/N" help:"Every N-th world, from the I-th on, counted from 0."`
	Profile     []string      `default:"default" help:"Kinds of worlds, see --list; \"all\" for each of them but canary."`
	FailDir     string        `default:"swarm-failures" placeholder:"DIR" help:"Where failing scenarios and their minimal forms are written."`
	Shrinks     int           `default:"10" help:"So many kinds of failures are made small, at most."`
	Attempts    int           `default:"3000" help:"Runs at most for making one small."`
	NoShrink    bool          `help:"Write failing scenarios as they are, and make none small."`
	StopAtFirst bool          `help:"Stop at the first failing world, in order of seeds."`
	Twice       uint64        `default:"20" placeholder:"N" help:"Every N-th world or so is run twice and must log the same (I-9); 0 for none."`
	JSON        string        `name:"json" placeholder:"FILE" help:"Write the result to FILE as well, for merge and marks."`
	Show        uint64        `placeholder:"SEED" help:"Print the scenario of this seed, and run nothing."`
	List        bool          `help:"List the profiles, and run nothing."`
	Jobs        int           `short:"j" default:"${jobs}" help:"Worlds at a time. Changes how long it takes, not what comes of it."`
}

// Run draws and judges; failures are written, made small and shown.
func (c *swarmCmd) Run(a *app, code *int) error {
	if c.List {
		t := &table{left: 2}
		for _, p := range generate.Profiles() {
			t.row(p.Name, p.About)
		}
		t.print(a.out)
		return nil
	}
	profiles, err := c.profiles()
	if err != nil {
		return err
	}
	if c.Show != 0 {
		for _, p := range profiles {
			if _, err := a.out.Write(generate.Generate(c.Show, p).Encode()); err != nil {
				return err
			}
		}
		return nil
	}
	from, shard, of, err := c.check()
	if err != nil {
		return err
	}
	all := report{Version: reportVersion, Build: thisBuild().Commit}
	for i, p := range profiles {
		s := &swarm{app: a, cmd: c, profile: p, from: from, shard: shard, of: of, limit: c.Seeds}
		if s.limit == 0 && c.Time == 0 {
			s.limit = 1000
		}
		if c.Time > 0 {
			s.until = time.Now().Add(c.Time / time.Duration(len(profiles)))
		}
		r := s.run()
		all.Profiles = append(all.Profiles, r)
		if c.StopAtFirst && len(r.Failures) > 0 && i < len(profiles)-1 {
			break
		}
	}
	if err := c.keep(a, &all); err != nil {
		return err
	}
	if c.JSON != "" {
		if err := all.write(c.JSON); err != nil {
			return err
		}
	}
	*code = all.print(a.out)
	return nil
}

func (c *swarmCmd) profiles() (out []generate.Profile, err error) {
	for _, name := range c.Profile {
		if name == "all" {
			for _, p := range generate.Profiles() {
				if !p.Canary && p.Name != "mixed" {
					out = append(out, p)
				}
			}
			continue
		}
		p, err := generate.Named(name)
		if err != nil {
			return nil, fmt.Errorf("--profile: %w, or all", err)
		}
		out = append(out, p)
	}
	return out, nil
}

// check reads the flags that need it.
func (c *swarmCmd) check() (from, shard, of uint64, err error) {
	from, err = strconv.ParseUint(c.From, 10, 63)
	switch {
	case err != nil && c.From != "":
		h := fnv.New64a()
		h.Write([]byte(c.From))
		from = h.Sum64()>>2 + 1 // far from the end of all seeds
	case from == 0:
		return 0, 0, 0, fmt.Errorf("--from is %q, must be a seed from 1 or a text", c.From)
	}
	i, n, found := strings.Cut(c.Shard, "/")
	shard, err1 := strconv.ParseUint(i, 10, 32)
	of, err2 := strconv.ParseUint(n, 10, 32)
	switch {
	case !found || err1 != nil || err2 != nil || of == 0 || shard >= of:
		return 0, 0, 0, fmt.Errorf("--shard is %q, must be I/N with I from 0 to N-1", c.Shard)
	case c.Seeds > 1<<40:
		return 0, 0, 0, fmt.Errorf("--seeds is %d, must be at most %d", c.Seeds, uint64(1)<<40)
	case c.Time < 0:
		return 0, 0, 0, fmt.Errorf("--time is %v, must not be negative", c.Time)
	case c.Jobs < 1 || c.Jobs > 1024:
		return 0, 0, 0, fmt.Errorf("--jobs is %d, must be 1 to 1024", c.Jobs)
	case c.Shrinks < 0 || c.Attempts < 1:
		return 0, 0, 0, fmt.Errorf("--shrinks is %d and --attempts %d, must be at least 0 and 1", c.Shrinks, c.Attempts)
	case c.FailDir == "":
		return 0, 0, 0, errors.New("--fail-dir is empty, must be a directory")
	}
	if info, err := os.Stat(c.FailDir); err == nil && !info.IsDir() {
		return 0, 0, 0, fmt.Errorf("--fail-dir %s is a file, must be a directory", c.FailDir)
	}
	return from, shard, of, nil
}

// swarm is one profile's share of a swarm.
type swarm struct {
	*app
	cmd             *swarmCmd
	profile         generate.Profile
	from, shard, of uint64
	limit           uint64    // index of the first world that is not run; 0 for none
	until           time.Time // zero for none

	next     atomic.Uint64 // number of the next world of this shard
	failedAt atomic.Uint64 // number of the first that failed
	mu       sync.Mutex
	waiting  map[uint64]drawn // done out of order
	told     uint64
	result   profileReport
	shapes   map[string]int
}

// drawn is a world that was run.
type drawn struct {
	seed   uint64
	calm   bool
	twice  bool
	result sim.Result
	err    error
}

// index is where the n-th world of this shard stands among all.
func (s *swarm) index(n uint64) uint64 { return s.shard + n*s.of }

// run runs worlds on all cores. What they give is added up in the order of their seeds, so that neither the number of
// cores nor who was first shows.
func (s *swarm) run() profileReport {
	began, cpu := time.Now(), cpuTime()
	s.waiting, s.shapes = make(map[uint64]drawn), make(map[string]int)
	s.failedAt.Store(^uint64(0))
	s.result = profileReport{Profile: s.profile.Name, From: s.from, Shard: s.shard, Of: s.of, Failures: []failure{}}
	bar := s.progress(int(min(s.limit/s.of, 1<<30)))
	var group sync.WaitGroup
	for range s.cmd.Jobs {
		group.Go(func() {
			for {
				n := s.next.Add(1) - 1
				if s.limit > 0 && s.index(n) >= s.limit || s.cmd.StopAtFirst && n > s.failedAt.Load() || !s.until.IsZero() && time.Now().After(s.until) {
					return
				}
				s.done(n, s.one(s.from+s.index(n)))
				bar.done()
			}
		})
	}
	group.Wait()
	bar.finish()
	s.result.WallNS, s.result.CPUNS = int64(time.Since(began)), int64(cpuTime()-cpu)
	return s.result
}

// one draws and runs the world of a seed.
func (s *swarm) one(seed uint64) drawn {
	w := generate.Generate(seed, s.profile)
	d := drawn{seed: seed, calm: w.Calm, twice: s.cmd.Twice > 0 && sim.Below(sim.Mix(seed, purposeTwice, 0, 0), s.cmd.Twice) == 0}
	out := s.evaluateOne(w.Scenario, d.twice)
	d.result, d.err = out.Result, out.Err
	return d
}

// purposeTwice draws which worlds are run twice.
const purposeTwice = sim.FirstForeignPurpose + 1000

// done takes the n-th world, and adds up all that are done up to the first that is not.
func (s *swarm) done(n uint64, d drawn) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.waiting[n] = d
	if d.err != nil || len(d.result.Violations) > 0 {
		s.failedAt.Store(min(s.failedAt.Load(), n))
	}
	for {
		d, ok := s.waiting[s.told]
		if !ok {
			return
		}
		delete(s.waiting, s.told)
		if !s.cmd.StopAtFirst || s.told <= s.failedAt.Load() {
			s.add(d)
		}
		s.told++
	}
}

// add counts a world.
func (s *swarm) add(d drawn) {
	r := &s.result
	r.Worlds++
	r.VirtualNS += int64(d.result.Virtual)
	r.Events += d.result.Steps
	if d.calm {
		r.Calm++
	}
	if d.twice {
		r.Twice++
	}
	r.Digest = sim.Mix(r.Digest, purposeTwice, d.result.Hash, d.seed)
	if d.err != nil { // a drawn world that cannot be run is a fault of the generator
		d.result.Violations = []sim.Violation{{ID: "generator", At: -1, Text: d.err.Error()}}
	}
	if len(d.result.Violations) == 0 {
		return
	}
	r.Failed++
	v := d.result.Violations[0]
	shape := v.ID + " " + shapeOf(v.Text)
	if i, known := s.shapes[shape]; known {
		r.Failures[i].Worlds++
		return
	}
	s.shapes[shape] = len(r.Failures)
	r.Failures = append(r.Failures, failure{Profile: s.profile.Name, Seed: d.seed, ID: v.ID, AtNS: int64(v.At), Step: v.Step, Text: v.Text, Shape: shape, Worlds: 1,
		Code: worstOf(d.result.Violations)})
}

func worstOf(list []sim.Violation) (code int) {
	for _, v := range list {
		code = worst(code, codeOf(v))
	}
	return code
}

// shapeOf is a text without what differs between worlds that fail alike: numbers, ids, names.
func shapeOf(text string) string {
	var words []string
	for _, w := range strings.FieldsFunc(text, func(r rune) bool { return r == ' ' || r == ',' || r == ';' || r == '=' }) {
		if !strings.ContainsAny(w, "0123456789/") && (len(words) == 0 || words[len(words)-1] != w) {
			words = append(words, w)
		}
	}
	return clip(strings.Join(words, " "), 100)
}

// keep writes the failing scenarios, and makes the first of each kind small.
func (c *swarmCmd) keep(a *app, all *report) error {
	shrunk := 0
	for i := range all.Profiles {
		for k := range all.Profiles[i].Failures {
			f := &all.Profiles[i].Failures[k]
			if err := os.MkdirAll(c.FailDir, 0o755); err != nil {
				return fmt.Errorf("--fail-dir: %w", err)
			}
			p, err := generate.Named(f.Profile)
			if err != nil {
				return err
			}
			w := generate.Generate(f.Seed, p)
			f.File = c.FailDir + "/" + w.Name + ".yaml"
			if err := os.WriteFile(f.File, w.Encode(), 0o644); err != nil {
				return fmt.Errorf("--fail-dir: %w", err)
			}
			f.Command = "go run ./cmd/simrun run " + quote(f.File)
			if c.NoShrink || shrunk == c.Shrinks || f.ID == "generator" || f.ID == shrink.PanicID {
				continue
			}
			shrunk++
			min := strings.TrimSuffix(f.File, ".yaml") + ".min.yaml"
			r, err := a.shrinkTo(w.Scenario, f.ID, c.Attempts, c.Jobs, min)
			if err != nil {
				f.Unshrunk = err.Error()
				continue
			}
			f.Minimal, f.Command, f.Shows, f.Size = min, r.command, r.shows, r.After.String()
			f.Fingerprint = fingerprint(f.ID, r.Minimal)
			for _, n := range r.Necessity {
				if n.Fault {
					f.Needs = append(f.Needs, oneLine(n.String()))
				}
			}
			f.Chart = r.chart
		}
	}
	return nil
}
