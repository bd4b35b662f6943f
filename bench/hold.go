package bench

import (
	"graspsync/core"
	"graspsync/sim"
)

// Hold is the bare queue: so many entries pending, and each that is taken out is put back later. The delays
// are those of the workload: an answer's latency, or one of the core's constants.
type Hold struct {
	q      *sim.Queue
	delays [1 << 12]core.Time
	n      uint64
}

// NewHold prepares a queue with so many pending entries, in steady state.
func NewHold(kind sim.QueueKind, pending int, seed uint64) *Hold {
	h := &Hold{q: sim.NewQueue(kind)}
	constants := [...]core.Time{core.Second / 2, 20 * core.Second, 40 * core.Second, 80 * core.Second, 120 * core.Second,
		180 * core.Second, 1800 * core.Second}
	for i := range h.delays {
		x := sim.Mix(seed, sim.FirstForeignPurpose, uint64(i), 1)
		if x&7 == 0 { // eight kinds of delay, equally often
			h.delays[i] = sim.Wild.Draw(x, 400*core.Millisecond)
		} else {
			h.delays[i] = constants[sim.Below(x, uint64(len(constants)))]
		}
	}
	for i := range pending {
		h.q.Push(h.delays[i%len(h.delays)], uint64(i))
	}
	h.Run(20 * pending)
	return h
}

// Run takes out n entries and puts each back.
func (h *Hold) Run(n int) {
	for range n {
		at, ord, _ := h.q.Pop()
		h.n++
		h.q.Push(at+h.delays[(h.n*0x9e3779b9)%uint64(len(h.delays))], ord)
	}
}
