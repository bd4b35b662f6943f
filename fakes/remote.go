package fakes

import (
	"cmp"
	"slices"
	"strings"

	"graspsync/core"
)

// Protocol is the git wire protocol a repository is fetched with.
type Protocol uint8

// Protocols. The zero value is V2, which current servers speak.
const (
	V2 Protocol = iota // serves any object it has, even unreachable or under a hidden ref
	V0                 // serves what Allow says
)

// Allow is what a V0 server lets a client want beside advertised ids.
type Allow uint8

// Want rules of V0. Tip and Reachable come out the same over HTTP: each request is checked for
// reachability from the refs, hidden ones included.
const (
	AllowAdvertised Allow = iota // git's default: the client itself refuses other ids after one request
	AllowTip
	AllowReachable
	AllowAny
)

// AdvertBound is where the client stops reading an advertisement, in bytes (F-04).
const AdvertBound = 16 << 20

// Bytes of an advertisement: measured 62.4 per ref.
const (
	advertHeader   = 200
	advertBytesRef = 62
)

// held says that an object is there in [from, until).
type held struct {
	node        Node
	from, until core.Time
}

// advertised says that a ref points to node in [from, until).
type advertised struct {
	name        string
	node        Node
	hidden      bool
	from, until core.Time
}

// epoch is a stretch of time in which the advertisement stays the same.
type epoch struct {
	from    core.Time
	tips    []Node // advertised, sorted, without duplicates
	print   [32]byte
	bytes   int64
	heads   int32  // how many of order are branches; they come first
	visible int32  // how many of order the client reads before AdvertBound
	order   []Node // advertised, branches first, then in order of name
	private []Node // under hidden refs
}

// remoteRepo is one repository on a server, behind one URL. What every request reads stands first, so that
// it shares cache lines.
type remoteRepo struct {
	host   *host
	epochs []epoch
	script Script // overrides the host's, if any
	faults *faults
	from   core.Time // exists in [from, until): 404 outside
	until  core.Time
	key    uint64 // of its noise
	url    core.Handle
	proto  Protocol
	allow  Allow
	sealed bool
	turn   uint8
	tally  Tally
	asked  []asked // ring of askedKept: which epoch a pass was shown; only where there are several
	holds  []held  // sorted by node, then from; intervals of a node do not overlap

	limiters []ownLimiter

	// As stated by the builder.
	name   string // URL
	filler int    // refs advertised that nobody wants
	tips   []held // with closure
	lone   []held // without closure
	lost   []held // taken out again
	refs   []advertised
}

// askedKept is how many passes may be between compare and fetch at one URL before the oldest is forgotten.
const askedKept = 8

type asked struct {
	pass  core.AskID
	epoch int32
}

// seal works out holdings and epochs after a change by the builder.
func (r *remoteRepo) seal(g *Graph) {
	r.sealHoldings(g)
	r.sealEpochs(g)
	r.sealed = true
}

func (r *remoteRepo) sealHoldings(g *Graph) {
	all := slices.Clone(r.lone)
	var nodes []Node
	for _, t := range r.tips {
		nodes = g.Closure(nodes[:0], t.node)
		for _, n := range nodes {
			all = append(all, held{n, t.from, t.until})
		}
	}
	slices.SortFunc(all, func(a, b held) int {
		return cmp.Or(cmp.Compare(a.node, b.node), cmp.Compare(a.from, b.from), cmp.Compare(a.until, b.until))
	})
	merged := all[:0]
	for _, h := range all {
		if last := len(merged) - 1; last >= 0 && merged[last].node == h.node && merged[last].until >= h.from {
			merged[last].until = max(merged[last].until, h.until)
			continue
		}
		merged = append(merged, h)
	}
	r.holds = slices.Clip(merged)
	for _, cut := range r.lost {
		r.cut(cut)
	}
}

// cut removes a stretch from what is held.
func (r *remoteRepo) cut(c held) {
	out := make([]held, 0, len(r.holds)+1)
	for _, h := range r.holds {
		if h.node != c.node || h.until <= c.from || h.from >= c.until {
			out = append(out, h)
			continue
		}
		if h.from < c.from {
			out = append(out, held{h.node, h.from, c.from})
		}
		if h.until > c.until {
			out = append(out, held{h.node, c.until, h.until})
		}
	}
	r.holds = out
}

func (r *remoteRepo) sealEpochs(g *Graph) {
	starts := []core.Time{0}
	for _, f := range r.refs {
		starts = append(starts, f.from)
		if f.until != core.Never {
			starts = append(starts, f.until)
		}
	}
	slices.Sort(starts)
	r.epochs = r.epochs[:0]
	for _, t := range slices.Compact(starts) {
		r.epochs = append(r.epochs, r.epochAt(g, t))
	}
	r.asked, r.turn = nil, 0
	if len(r.epochs) > 1 {
		r.asked = make([]asked, askedKept)
	}
}

// epochAt makes the advertisement of instant t: of several statements for one name the last one counts.
func (r *remoteRepo) epochAt(g *Graph, t core.Time) epoch {
	e := epoch{from: t, bytes: advertHeader + int64(r.filler)*advertBytesRef}
	for _, f := range r.refsAt(t) {
		if f.hidden {
			e.private = append(e.private, f.node)
			continue
		}
		e.heads += int32(1 - notBranch(f.name))
		e.order = append(e.order, f.node)
	}
	e.bytes += int64(len(e.order)) * advertBytesRef
	e.visible = e.fits(r.filler)
	e.tips = slices.Clone(e.order)
	slices.Sort(e.tips)
	e.tips = slices.Compact(e.tips)
	e.print = fingerprint(g, e.tips, uint64(r.filler))
	return e
}

// refsAt is the refs of instant t, branches first, then in order of name.
func (r *remoteRepo) refsAt(t core.Time) []advertised {
	var now []advertised
	for _, f := range r.refs {
		if f.from <= t && t < f.until {
			now = append(now, f)
		}
	}
	slices.SortStableFunc(now, func(a, b advertised) int {
		return cmp.Or(cmp.Compare(notBranch(a.name), notBranch(b.name)), strings.Compare(a.name, b.name))
	})
	last := now[:0]
	for i, f := range now {
		if i+1 < len(now) && now[i+1].name == f.name {
			continue // stated again later
		}
		last = append(last, f)
	}
	return last
}

// notBranch is 0 for a branch and 1 for any other ref.
func notBranch(name string) int {
	if strings.HasPrefix(name, "refs/heads/") {
		return 0
	}
	return 1
}

// fits is how many of the ordered refs come before AdvertBound; filler refs stand after the branches, as
// refs/pull would.
func (e *epoch) fits(filler int) int32 {
	all, room := int32(len(e.order)), (AdvertBound-advertHeader)/advertBytesRef
	switch {
	case e.bytes <= AdvertBound:
		return all
	case room <= int(e.heads)+filler:
		return min(int32(room), e.heads)
	}
	return min(int32(room-filler), all)
}

// fingerprint mixes the sorted advertised ids (F-02): any change of the set changes it.
func fingerprint(g *Graph, tips []Node, filler uint64) (print [32]byte) {
	oids := make([]core.OID, len(tips))
	for i, n := range tips {
		oids[i] = g.OID(n)
	}
	slices.SortFunc(oids, core.OID.Compare)
	lanes := [4]uint64{mix(filler), mix(filler + 1), mix(filler + 2), mix(filler + 3)}
	var raw []byte
	for _, o := range oids {
		raw = o.AppendBytes(raw[:0])
		for i, b := range raw {
			lanes[i&3] = (lanes[i&3] ^ uint64(b)) * 0x100000001b3
		}
		for i := range lanes {
			lanes[i] = mix(lanes[i] + uint64(i))
		}
	}
	for i := range print {
		print[i] = byte(lanes[i/8] >> (8 * (i % 8)))
	}
	return print
}

// holding tells whether node is there at t.
func (r *remoteRepo) holding(node Node, t core.Time) bool {
	lo, hi := 0, len(r.holds)
	for lo < hi {
		mid := int(uint(lo+hi) / 2)
		if r.holds[mid].node < node {
			lo = mid + 1
		} else {
			hi = mid
		}
	}
	for ; lo < len(r.holds) && r.holds[lo].node == node; lo++ {
		if h := &r.holds[lo]; h.from <= t && t < h.until {
			return true
		}
	}
	return false
}

// epochIndex is the epoch of instant t ≥ 0.
func (r *remoteRepo) epochIndex(t core.Time) int {
	i := len(r.epochs) - 1
	for i > 0 && r.epochs[i].from > t {
		i--
	}
	return i
}

// tip tells whether node is advertised.
func (e *epoch) tip(node Node) bool {
	if len(e.tips) <= 8 {
		for _, n := range e.tips {
			if n == node {
				return true
			}
		}
		return false
	}
	_, ok := slices.BinarySearch(e.tips, node)
	return ok
}

// compared remembers which epoch pass was shown.
func (r *remoteRepo) compared(pass core.AskID, epoch int) {
	if r.asked != nil {
		r.asked[r.turn] = asked{pass, int32(epoch)}
		r.turn = (r.turn + 1) % askedKept
	}
}

// moved tells whether the advertisement changed since pass compared.
func (r *remoteRepo) moved(pass core.AskID, epoch int) bool {
	for i := range r.asked { // newest first
		a := &r.asked[(int(r.turn)+askedKept-1-i)%askedKept]
		if a.pass == pass {
			return r.epochs[a.epoch].print != r.epochs[epoch].print
		}
	}
	return false
}
