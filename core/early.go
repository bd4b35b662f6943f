package core

import "slices"

// early remembers synced states that were refused for want of an announcement, or of an older state, so
// that they are looked at again when an announcement comes, in whatever order a relay sent the two (S-05).
type early struct {
	list    []earlyEvent
	free    []int32
	byIdent map[Handle][]int32
	order   []int32 // oldest first
}

type earlyEvent struct {
	event Event
	from  Handle
	at    Time // life time
}

// Bounds of the early memory (S-05): a full event for two minutes, so many at once.
const (
	earlyFor = 2 * Minute
	earlyMax = 4096
)

// keep takes a copy of a refused synced state.
func (x *early) keep(c *Core, in *Input) {
	if in.Origin != FromSync {
		return
	}
	x.prune(c.life())
	e := in.Event
	for _, i := range x.byIdent[e.Repo.Identifier] {
		if x.list[i].event.ID == e.ID {
			return
		}
	}
	if len(x.order) >= earlyMax {
		x.drop(x.order[0])
	}
	var i int32
	if n := len(x.free); n > 0 {
		i = x.free[n-1]
		x.free = x.free[:n-1]
	} else {
		i = int32(len(x.list))
		x.list = append(x.list, earlyEvent{})
	}
	copied := *e
	copied.Refs = slices.Clone(e.Refs)
	copied.Sources, copied.Maintainers, copied.Repositories = nil, nil, nil
	copied.Targets, copied.Coordinates, copied.Raw = nil, nil, nil
	x.list[i] = earlyEvent{event: copied, from: in.From, at: c.life()}
	x.byIdent[e.Repo.Identifier] = append(x.byIdent[e.Repo.Identifier], i)
	x.order = append(x.order, i)
}

// live is how many are remembered at now.
func (x *early) live(now Time) int {
	n := len(x.order)
	for n > 0 && now-x.list[x.order[len(x.order)-n]].at >= earlyFor {
		n--
	}
	return n
}

func (x *early) prune(now Time) {
	for len(x.order) > 0 && now-x.list[x.order[0]].at >= earlyFor {
		x.drop(x.order[0])
	}
}

func (x *early) drop(i int32) {
	ident := x.list[i].event.Repo.Identifier
	list := x.byIdent[ident]
	if k := slices.Index(list, i); k >= 0 {
		list = slices.Delete(list, k, k+1)
	}
	if len(list) == 0 {
		delete(x.byIdent, ident)
	} else {
		x.byIdent[ident] = list
	}
	if k := slices.Index(x.order, i); k >= 0 {
		x.order = slices.Delete(x.order, k, k+1)
	}
	x.list[i] = earlyEvent{}
	x.free = append(x.free, i)
}

// replayEarly admits the remembered states of an identifier that are acceptable now (S-05, AN-05).
func (c *Core) replayEarly(ident Handle) {
	c.early.prune(c.life())
	for _, i := range slices.Clone(c.early.byIdent[ident]) {
		e := c.early.list[i]
		if _, known := c.where[e.event.ID]; known {
			c.early.drop(i)
			continue
		}
		if c.stateRefusal(&e.event) != "" || !c.roomForEvent(e.event.Author, true) {
			continue
		}
		c.early.drop(i)
		c.holdState(&Input{Kind: InEvent, Event: &e.event, Origin: FromSync, From: e.from}, true)
	}
}
