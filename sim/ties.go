package sim

import "graspsync/core"

// Kinds of queued happenings, the upper bits of a tie key. Their order is that of TieByKind.
const (
	evArrival  uint64 = iota + 1
	evDone            // local work is done
	evAnswer          // a remote's answer is complete
	evProgress        // a transfer reports
	evEnded           // a pass has ended
	evEcho            // duplicate, late or stray completion
	evPush            // the next stage of a push
	evEarly           // an early wake
	evRestart         // the relay comes up again
	evInjected        // another world tells something
)

const (
	ordIDBits  = 58
	ordIDMask  = 1<<ordIDBits - 1
	tieOddMul  = 0x9e3779b97f4a7c15
	tieOddInv  = 0xf1de83e19937733d
	noDeadline = core.Time(-1)
)

// push queues a happening. Its id must be unique among those of its kind at that instant.
func (w *World) push(at core.Time, kind, id uint64) {
	if at > w.setup.Horizon {
		w.beyond++
		return
	}
	w.queue.Push(at, w.tie(at, kind<<ordIDBits|id&ordIDMask))
}

// tie turns an explicit key into the one of the tie policy; untie is its inverse. Both are bijections,
// so equal instants are always totally ordered, and never by insertion.
func (w *World) tie(at core.Time, key uint64) uint64 {
	switch w.setup.Tie {
	case TieReverse:
		return ^key
	case TieShuffle:
		key ^= Mix(w.setup.Seed, PurposeTie, uint64(at), 0)
		key *= tieOddMul
		key ^= key >> 32
		return key * tieOddMul
	}
	return key
}

func (w *World) untie(at core.Time, key uint64) uint64 {
	switch w.setup.Tie {
	case TieReverse:
		return ^key
	case TieShuffle:
		key *= tieOddInv
		key ^= key >> 32
		key *= tieOddInv
		return key ^ Mix(w.setup.Seed, PurposeTie, uint64(at), 0)
	}
	return key
}
