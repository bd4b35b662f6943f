package bench

import (
	"graspsync/core"
	"graspsync/sim"
)

// Tape is every input of a run with its instant, kept so that the core alone can be fed the same.
type Tape struct {
	Config core.Config
	At     []core.Time
	In     []core.Input
	oids   []core.OID
}

// recorder is a machine that keeps what it is given.
type recorder struct {
	*core.Core
	t *Tape
}

// Step keeps the input and hands it on. Lists belong to the caller, so they are copied.
func (r recorder) Step(now core.Time, in core.Input, out []core.Effect) []core.Effect {
	t := r.t
	t.At = append(t.At, now)
	t.In = append(t.In, in)
	if len(in.OIDs) > 0 {
		if len(t.oids)+len(in.OIDs) > cap(t.oids) {
			t.oids = make([]core.OID, 0, max(1<<14, len(in.OIDs)))
		}
		n := len(t.oids)
		t.oids = append(t.oids, in.OIDs...)
		t.In[len(t.In)-1].OIDs = t.oids[n:len(t.oids):len(t.oids)]
	}
	return r.Core.Step(now, in, out)
}

// Record runs a world of the load and keeps its inputs.
func Record(l Load) (*Tape, sim.Result, error) {
	s, err := l.Setup()
	if err != nil {
		return nil, sim.Result{}, err
	}
	t := &Tape{Config: s.Config}
	s.New = func(c core.Config) (sim.Machine, error) {
		m, err := core.New(c)
		return recorder{m, t}, err
	}
	w, err := sim.NewWorld(s)
	if err != nil {
		return nil, sim.Result{}, err
	}
	return t, w.Run(), nil
}

// Player feeds a tape to a core, asking for the next deadline after each step as every driver must.
type Player struct {
	Core *core.Core
	t    *Tape
	i    int
	out  []core.Effect
	sum  uint64
}

// Player makes a fresh core for the tape.
func (t *Tape) Player() (*Player, error) {
	c, err := core.New(t.Config)
	if err != nil {
		return nil, err
	}
	return &Player{Core: c, t: t}, nil
}

// PlayTo feeds inputs up to number n (all there are, if fewer) and tells how many steps that took.
func (p *Player) PlayTo(n int) int {
	from := p.i
	for ; p.i < min(n, len(p.t.In)); p.i++ {
		p.out = p.Core.Step(p.t.At[p.i], p.t.In[p.i], p.out[:0])
		at, _ := p.Core.Next()
		p.sum += uint64(at) + uint64(len(p.out))
	}
	return p.i - from
}

// PlayHashed is PlayTo that also folds every step into the rolling hash.
func (p *Player) PlayHashed(n int, h sim.Hash) (sim.Hash, int) {
	from := p.i
	for ; p.i < min(n, len(p.t.In)); p.i++ {
		p.out = p.Core.Step(p.t.At[p.i], p.t.In[p.i], p.out[:0])
		at, _ := p.Core.Next()
		p.sum += uint64(at) + uint64(len(p.out))
		h = h.Step(p.t.At[p.i], &p.t.In[p.i], p.out)
	}
	return h, p.i - from
}
