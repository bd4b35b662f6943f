package core

import (
	"graspsync/core/purgatory"
)

// checkCounts holds what is counted per source, per relay and in all against the records (I-8, S-06).
func (c *Core) checkCounts() error {
	bytes, synced := int64(0), 0
	perRelay := make([]int32, len(c.residents.relays.Items))
	note := func(size, resident int32) {
		bytes += int64(size)
		if resident != 0 {
			synced++
			perRelay[c.residents.slab.At(resident-1).relay]++
		}
	}
	for i := range c.states.Items {
		if s := &c.states.Items[i]; s.Status == purgatory.Held || s.Status == purgatory.Releasing {
			note(s.Size, s.Resident)
		}
	}
	for i := range c.prs.Items {
		if p := &c.prs.Items[i]; p.Status == purgatory.Held || p.Status == purgatory.Releasing {
			note(p.Size, p.Resident)
		}
	}
	for i := range c.anns.Items {
		if a := &c.anns.Items[i]; a.Status != purgatory.Free && a.Status != purgatory.Served {
			note(a.Size, a.Resident)
		}
	}
	if bytes != c.heldBytes {
		return c.broken("S-06", num(int(bytes))+" bytes are held, counted "+num(int(c.heldBytes)))
	}
	if synced != c.residents.slab.Len() {
		return c.broken("Q-14", num(synced)+" held events may be evicted, filed are "+num(c.residents.slab.Len()))
	}
	for i, n := range perRelay {
		if u := c.residents.relays.At(int32(i)); n > 0 && (u.held != n || u.due.Len() != int(n)) {
			return c.broken("S-06", num(int(n))+" events of relay "+num(int(u.from))+" are held, counted "+num(int(u.held))+", filed "+num(u.due.Len()))
		}
	}
	hunts := make([]int32, len(c.sources.slab.Items))
	for i := range c.groups.Items {
		if g := &c.groups.Items[i]; g.used && g.source != purgatory.None {
			hunts[g.source]++
		}
	}
	for i, n := range hunts {
		if s := c.sources.slab.At(int32(i)); s.hunts != n {
			return c.broken("S-06", "source "+num(int(s.from))+" has "+num(int(n))+" hunts, counted "+num(int(s.hunts)))
		}
	}
	return nil
}
