package core

import "graspsync/core/purgatory"

// sourceTable counts what client sources do: an IPv4 address, an IPv6 /64 (S-06). Upstream relays are held back by
// totals and by a full inbox only. A source that does nothing costs no memory.
type sourceTable struct {
	byHandle map[Handle]int32
	slab     purgatory.Slab[sourceUse]
	cursor   int32 // where the search for idle ones goes on
}

type sourceUse struct {
	used  bool
	from  Handle
	hunts int32
	next  Time // when one more write fits without using up the burst
}

// Texts of refusals at the bounds of a source.
const (
	textWrites      = "rate-limited: too many events from your address; wait a minute and send them again"
	textSourceHunts = "rate-limited: too many repositories from your address wait for git data; push to them first"
	pushWrites      = "push: rate-limited: too many events and pushes from your address; wait a minute and push again"
)

func newSourceTable() sourceTable { return sourceTable{byHandle: make(map[Handle]int32)} }

// write counts one event or push of a client source and tells whether it is within SourceWrites a minute and
// SourceBurst at once (S-06). A source of 0 is unknown and not counted.
func (c *Core) write(from Handle) bool {
	if from == 0 {
		return true
	}
	c.sweepSources()
	interval := Minute / Time(c.cfg.SourceWrites)
	u := c.sources.slab.At(c.openSource(from))
	if u.next > c.now+interval*Time(c.cfg.SourceBurst-1) {
		return false
	}
	u.next = max(u.next, c.now) + interval
	return true
}

func (c *Core) openSource(from Handle) int32 {
	if i, ok := c.sources.byHandle[from]; ok {
		return i
	}
	i := c.sources.slab.New()
	*c.sources.slab.At(i) = sourceUse{used: true, from: from}
	c.sources.byHandle[from] = i
	return i
}

// sweepSources looks at two records and forgets those that are idle: every call adds one at most.
func (c *Core) sweepSources() {
	for range 2 {
		n := int32(len(c.sources.slab.Items))
		if n == 0 {
			return
		}
		i := c.sources.cursor % n
		c.sources.cursor = (i + 1) % n
		c.closeSource(i)
	}
}

func (c *Core) closeSource(i int32) {
	if u := c.sources.slab.At(i); u.used && u.hunts == 0 && u.next <= c.now {
		delete(c.sources.byHandle, u.from)
		*u = sourceUse{}
		c.sources.slab.Free(i)
	}
}

// wantedBy notes which client source wants the hunt that a group may get (S-06).
func (c *Core) wantedBy(g int32, in *Input) {
	if o := c.groups.At(g); in.Origin == FromClient && o.id == 0 {
		o.from = in.From
	}
}

// sourceRoom tells whether a client's event may make the group hunt: not if its source has SourceHunts already.
func (c *Core) sourceRoom(in *Input, g int32) bool {
	if in.Origin != FromClient || in.From == 0 || g != purgatory.None && c.groups.At(g).id != 0 {
		return true
	}
	i, ok := c.sources.byHandle[in.From]
	return !ok || int(c.sources.slab.At(i).hunts) < c.cfg.SourceHunts
}

// chargeSource counts a hunt that was just made for the source that wants it.
func (c *Core) chargeSource(o *group) {
	o.source = purgatory.None
	if o.from != 0 {
		o.source = c.openSource(o.from)
		c.sources.slab.At(o.source).hunts++
	}
	o.from = 0
}

func (c *Core) creditSource(o *group) {
	if o.source != purgatory.None {
		c.sources.slab.At(o.source).hunts--
		c.closeSource(o.source)
		o.source = purgatory.None
	}
}
