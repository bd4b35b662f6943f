package shrink

import (
	"crypto/sha256"
	"slices"

	"graspsync/scenarios"
	"graspsync/sim"
)

// gate is the only place where a candidate becomes the current scenario. Its decisions follow the order of the
// candidates and nothing else: what was run ahead of a success counts for nothing, so that width changes no result.
type gate struct {
	run      Evaluate
	width    int
	budget   int
	progress func(string, int, Size)

	target    target
	compact   bool // repetitions are not written out yet: names may be patterns
	cur       *scenarios.Scenario
	weight    weight
	violation sim.Violation // of cur

	seen        map[key]bool // candidates that do not fail alike
	attempts    int
	cached      int
	taken       int
	evaluations int
	spent       bool // the budget is used up
	counts      []PassCount
}

// key is the hash of a scenario's text.
type key [sha256.Size]byte

func (g *gate) start(s *scenarios.Scenario, v sim.Violation) {
	g.cur, g.weight, g.violation = s, weightOf(s, s.Encode()), v
}

// count is the counter of a pass.
func (g *gate) count(label string) *PassCount {
	i := slices.IndexFunc(g.counts, func(c PassCount) bool { return c.Pass == label })
	if i < 0 {
		i = len(g.counts)
		g.counts = append(g.counts, PassCount{Pass: label})
	}
	return &g.counts[i]
}

// candidate is one that is worth a run.
type candidate struct {
	n int // its number among those that were offered
	s *scenarios.Scenario
	w weight
	k key
}

// first takes the first of n candidates that is lighter than the current scenario and fails alike, and gives its
// number; -1 if there is none. make gives a changed copy of the current scenario, or nil where there is nothing to
// change. What make leaves unsound is repaired, or passed over.
func (g *gate) first(label string, n int, make func(i int) *scenarios.Scenario) int {
	c := g.count(label)
	for i := 0; i < n && !g.spent; {
		var batch []candidate
		for ; i < n && len(batch) < g.width; i++ {
			if x, ok := g.worth(c, i, make(i)); ok {
				batch = append(batch, x)
			}
		}
		if len(batch) == 0 {
			continue
		}
		list := scenariosOf(batch)
		out := g.run(list)
		g.evaluations += len(batch)
		for b := range batch {
			if g.attempts >= g.budget {
				g.spent = true
				return -1
			}
			g.attempts++
			c.Attempts++
			if out[b].Err != nil {
				c.Odd++
			} else if v, ok := g.target.hit(batch[b].s, &out[b].Result); ok {
				c.Taken++
				g.taken++
				g.cur, g.weight, g.violation = batch[b].s, batch[b].w, v
				if g.progress != nil {
					g.progress(label, g.attempts, SizeOf(g.cur))
				}
				return batch[b].n
			}
			g.seen[batch[b].k] = true
		}
	}
	return -1
}

func scenariosOf(batch []candidate) []*scenarios.Scenario {
	list := make([]*scenarios.Scenario, len(batch))
	for i := range batch {
		list[i] = batch[i].s
	}
	return list
}

// worth tells whether a candidate is worth a run: sound, lighter, and not known.
func (g *gate) worth(c *PassCount, n int, s *scenarios.Scenario) (candidate, bool) {
	if s == nil || !g.repair(s) {
		return candidate{}, false
	}
	text := s.Encode()
	w := weightOf(s, text)
	if !w.less(g.weight) {
		return candidate{}, false
	}
	k := key(sha256.Sum256(text))
	if g.seen[k] {
		c.Cached++
		g.cached++
		return candidate{}, false
	}
	return candidate{n, s, w, k}, true
}

// edit is a change of a scenario; false says that there is nothing to change.
type edit func(s *scenarios.Scenario) bool

// edits tries each change of a list that is made anew after every success.
func (g *gate) edits(label string, list func(s *scenarios.Scenario) []edit) {
	for i := 0; !g.spent; {
		all := list(g.cur)
		if i >= len(all) {
			return
		}
		k := g.first(label, len(all)-i, func(j int) *scenarios.Scenario {
			c := clone(g.cur)
			if !all[i+j](c) {
				return nil
			}
			return c
		})
		if k < 0 {
			return
		}
		i += k
	}
}

// ddmin takes things out of a list of n, in ever smaller chunks: all, halves, quarters, single ones. length and drop look
// at a scenario whose list may have become shorter than one thought, by what else had to go.
func (g *gate) ddmin(label string, length func(*scenarios.Scenario) int, drop func(s *scenarios.Scenario, lo, hi int)) {
	for size := length(g.cur); size >= 1 && !g.spent; {
		at := 0
		for !g.spent {
			n := length(g.cur)
			if at >= n {
				break
			}
			chunks := (n - at + size - 1) / size
			k := g.first(label, chunks, func(i int) *scenarios.Scenario {
				c := clone(g.cur)
				lo := at + i*size
				drop(c, lo, min(lo+size, n))
				return c
			})
			if k < 0 {
				break
			}
			at += k * size
		}
		if size == 1 {
			return
		}
		size = min((size+1)/2, max(length(g.cur), 1))
	}
}
