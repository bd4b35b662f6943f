package sim

import (
	"math/bits"

	"graspsync/core"
)

// Hash rolls over everything that crosses the core's boundary, a multiply-and-fold per pair of words.
// Two runs with equal hashes had, for all practical purposes, equal logs (I-9). It is no protection
// against an adversary, and the same on every architecture.
type Hash uint64

// two folds in two words. The rotated old value keeps a zero product from wiping out the past.
func (h Hash) two(a, b uint64) Hash {
	hi, lo := bits.Mul64(uint64(h)^a^0xa0761d6478bd642f, b^0xe7037ed1a0b428db)
	return Hash(hi ^ lo + bits.RotateLeft64(uint64(h), 23))
}

func (h Hash) bytes32(b *[32]byte) Hash {
	return h.two(word(b[0:8]), word(b[8:16])).two(word(b[16:24]), word(b[24:32]))
}

func word(b []byte) uint64 {
	_ = b[7]
	return uint64(b[0]) | uint64(b[1])<<8 | uint64(b[2])<<16 | uint64(b[3])<<24 |
		uint64(b[4])<<32 | uint64(b[5])<<40 | uint64(b[6])<<48 | uint64(b[7])<<56
}

func (h Hash) text(s string) Hash {
	h = h.two(uint64(len(s)), 0)
	for i := 0; i < len(s); i += 8 {
		var w uint64
		for j := i; j < len(s) && j < i+8; j++ {
			w = w<<8 | uint64(s[j])
		}
		h = h.two(w, uint64(i))
	}
	return h
}

func (h Hash) oids(list []core.OID) Hash {
	for i := range list {
		h = h.two(list[i].Word(), uint64(list[i].Len()))
	}
	return h
}

func (h Hash) refs(list []core.Ref) Hash {
	for i := range list {
		h = h.two(list[i].OID.Word(), uint64(list[i].Name)|bit(list[i].Symbolic, 40))
	}
	return h
}

func bit(b bool, n uint) uint64 {
	if b {
		return 1 << n
	}
	return 0
}

// input folds in the instant and the fields of in. An event counts by its id, which covers its content.
func (h Hash) input(now core.Time, in *core.Input) Hash {
	flags := uint64(in.Kind) | uint64(in.Class)<<8 | uint64(in.Origin)<<16 | uint64(in.Verdict)<<20 |
		bit(in.Duplicate, 24) | bit(in.Deleted, 25) | bit(in.Authed, 26) | bit(in.HasHeads, 27) |
		bit(in.Truncated, 28) | bit(in.RefsMoved, 29) | bit(in.HadRefs, 30) | bit(in.Related, 31) | uint64(in.Status)<<32 | uint64(in.Question)<<48
	h = h.two(uint64(now), flags)
	if in.Kind == core.InWake {
		return h
	}
	h = h.two(uint64(in.Ask), uint64(in.Bytes)).two(uint64(in.RetryAfter), uint64(uint32(in.Requests))|uint64(len(in.OIDs))<<32)
	switch in.Kind {
	case core.InCompared:
		h = h.bytes32(&in.Fingerprint).two(word(in.Address[0:8]), word(in.Address[8:16])).two(uint64(in.FinalURL), 0)
	case core.InEvent, core.InServed:
		if e := in.Event; e != nil {
			h = h.bytes32((*[32]byte)(&e.ID)).two(uint64(e.CreatedAt), uint64(e.Kind)|uint64(in.From)<<32)
		}
	case core.InRemove:
		h = h.bytes32((*[32]byte)(&in.Target))
	case core.InClock, core.InRestarted:
		h = h.two(uint64(in.Offset), 0)
	case core.InRepoRefs:
		h = h.two(uint64(in.Repo), uint64(len(in.Refs))).refs(in.Refs)
		if in.Target != (core.EventID{}) {
			h = h.bytes32((*[32]byte)(&in.Target))
		}
	case core.InPushAsked, core.InPushRecheck, core.InPushEnded:
		if p := in.Push; p != nil {
			h = h.push(p)
		}
	case core.InConfigChanged:
		if in.Config != nil {
			h = h.config(in.Config)
		}
	}
	return h.oids(in.OIDs)
}

func (h Hash) push(p *core.Push) Hash {
	h = h.two(p.ID, uint64(p.Repo.Repo)|bit(p.Moved, 40)).two(uint64(p.Bytes), uint64(p.From)).two(uint64(len(p.Updates)), uint64(len(p.Current)))
	for i := range p.Updates {
		u := &p.Updates[i]
		h = h.two(u.Old.Word(), u.New.Word()).two(uint64(u.Name), uint64(u.Space))
	}
	return h.refs(p.Current)
}

func (h Hash) config(c *core.Config) Hash {
	fields := configFields(c)
	for i := range fields {
		h = h.two(uint64(i), uint64(fields[i].get()))
	}
	for i := range c.Blocked {
		h = h.bytes32((*[32]byte)(&c.Blocked[i]))
	}
	for i := range c.Overrides {
		o := &c.Overrides[i]
		h = h.two(uint64(o.Domain), uint64(uint32(o.Concurrency))|uint64(uint32(o.Rate))<<32)
	}
	return h
}

// Salts keep groups of fields apart that are folded in only where one of them is set.
const (
	saltPlace = 0x8ebc6af09c88c6e3
	saltRepo  = 0x589965cc75374cc3
	saltEvent = 0x1d8e4e27c47d124f
)

// effect folds in every field of e.
func (h Hash) effect(e *core.Effect) Hash {
	flags := uint64(e.Kind) | uint64(e.Report)<<8 | uint64(e.Class)<<16 | uint64(e.Wave)<<24 | uint64(e.Space)<<26 |
		bit(e.OK, 28) | bit(e.Hedge, 29) | uint64(e.Attempt|uint32(e.Question))<<32 // no effect has both
	h = h.two(flags, uint64(e.Ask))
	if e.Hunt|e.Into != 0 || e.URL|e.Domain != 0 {
		h = h.two(uint64(e.Hunt)|uint64(e.Into)<<32, uint64(e.URL)|uint64(e.Domain)<<32^saltPlace)
	}
	if e.Repo|e.From != 0 || e.Deadline != 0 {
		h = h.two(uint64(e.Repo)|uint64(e.From)<<32, uint64(e.Deadline)^saltRepo)
	}
	if e.Event != (core.EventID{}) {
		h = (h ^ saltEvent).bytes32((*[32]byte)(&e.Event))
	}
	if e.Push|uint64(e.Head)|uint64(len(e.OIDs))|uint64(len(e.Refs))|uint64(len(e.Old)) != 0 {
		h = h.two(e.Push, uint64(e.Head)).two(uint64(len(e.OIDs)), uint64(len(e.Refs))|uint64(len(e.Old))<<32)
		h = h.oids(e.OIDs).refs(e.Refs).refs(e.Old)
	}
	if e.Text != "" {
		h = h.text(e.Text)
	}
	if p := e.Pass; p != nil {
		h = h.two(uint64(uint32(p.Needed))|uint64(uint32(p.Advertised))<<32, uint64(uint32(p.Attempted))|uint64(uint32(p.Missing))<<32)
		h = h.two(uint64(uint32(p.Skipped))|uint64(uint32(p.Deferred))<<32, uint64(uint32(p.Fetched))|uint64(uint32(p.Requests))<<32)
		h = h.two(uint64(p.Bytes), uint64(p.Duration)).two(uint64(p.Started), 0)
	}
	return h
}

// Step folds in one whole step: the instant, the input and every effect.
func (h Hash) Step(now core.Time, in *core.Input, out []core.Effect) Hash {
	h = h.input(now, in)
	for i := range out {
		h = h.effect(&out[i])
	}
	return h
}

// start folds a pass start into the order hash: when, for which hunt, where. It leaves out ids, so that
// differently built cores that start the same passes in the same order agree.
func (h Hash) start(now core.Time, e *core.Effect) Hash {
	return h.two(uint64(now), uint64(e.URL)|uint64(e.Repo)<<32).two(uint64(e.Attempt), uint64(e.Wave))
}
