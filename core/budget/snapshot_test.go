package budget

import (
	"testing"

	"github.com/stretchr/testify/require"

	"graspsync/core/value"
	"graspsync/core/wire"
)

func savedTable(t *Table, permits ...*Permit) []byte {
	w := wire.Writer(nil)
	t.Code(w, t.clock)
	for _, p := range permits {
		p.Code(w)
	}
	return w.Bytes()
}

func readTable(lim Limits, b []byte, now Time, refs []int32, permits ...*Permit) (*Table, error) {
	t, r := New(lim), wire.Reader(b)
	t.Code(r, now)
	for _, p := range permits {
		p.Code(r)
	}
	if err := r.Finish(); err != nil {
		return nil, err
	}
	return t, t.AdoptPermits(permits, refs)
}

// full has a permit out, one ticket that waits for room, one held back for its author, and a cool-down.
func full() (*Table, *Permit) {
	t := New(small(func(l *Limits) { l.Concurrency, l.AuthorPasses = 1, 1 }))
	a, b := t.Open(1), t.Open(2)
	p := t.Start(a, value.Second, true, author(1), 4)
	t.Spend(&p, value.Second, 1)
	t.JoinAddress(&p, [16]byte{1})
	t.SetEligible(t.Park(a, 7, false, PubKey{}), true, value.Second)
	t.SetEligible(t.Park(b, 8, true, author(1)), true, value.Second)
	t.NextGrant(value.Second) // the second is held back: its author has its fill
	t.Fail(t.Open(3), value.Second, Failure{})
	return t, &p
}

// D-02, D-03, D-05, D-06, R-03: a table that was read grants the same tickets next, and counts the same
// address.
func TestRestoredTableGrantsTheSame(t *testing.T) {
	first, p := full()
	var q Permit
	second, err := readTable(first.lim, savedTable(first, p), value.Second, []int32{1, 1, 1}, &q)
	require.NoError(t, err)
	require.NoError(t, second.Check())
	require.Equal(t, *p, q)
	require.Equal(t, savedTable(first), savedTable(second))
	require.Equal(t, first.addresses, second.addresses)
	require.Equal(t, first.CoolUntil(2), second.CoolUntil(2))
	var tags [2][]uint64
	for i, x := range []*Table{first, second} {
		_, ok := x.NextGrant(2 * value.Second)
		require.False(t, ok)
		x.End([]*Permit{p, &q}[i], 2*value.Second)
		for k, ok := x.NextGrant(2 * value.Second); ok; k, ok = x.NextGrant(2 * value.Second) {
			tags[i] = append(tags[i], x.Tag(k))
		}
	}
	require.Equal(t, []uint64{7, 8}, tags[0])
	require.Equal(t, tags[0], tags[1])
	require.Equal(t, savedTable(first), savedTable(second))
}

// D-02, R-03: a table that contradicts itself, or the permits and references outside, is refused.
func TestContradictoryTableIsRefused(t *testing.T) {
	for name, spoil := range map[string]func(*Table, *Permit){
		"has the name of another":  func(t *Table, _ *Permit) { t.doms[1].handle = 1 },
		"stamp from the future":    func(t *Table, _ *Permit) { t.doms[0].stamps.ring[0] = value.Hour },
		"has the place of another": func(t *Table, _ *Permit) { t.tickets[1].place = t.tickets[0].place },
		"has the key of another":   func(t *Table, _ *Permit) { t.author = append(t.author, t.author[0]) },
		"stands nowhere":           func(t *Table, _ *Permit) { t.tickets[0].dom = 9 },
		"not its own":              func(t *Table, _ *Permit) { t.author[0].parked[0] = 0 },
		"is of no domain":          func(_ *Table, p *Permit) { p.Dom = 9 },
		"is of no author":          func(_ *Table, p *Permit) { p.author = 3 },
		"permits out":              func(t *Table, _ *Permit) { t.doms[0].inFlight++ },
		"requests reserved":        func(t *Table, _ *Permit) { t.doms[0].reserved++ },
		"references":               func(t *Table, _ *Permit) { t.doms[2].refs++ },
		"author's permits out":     func(t *Table, _ *Permit) { t.author[0].running++ },
		"neither used nor free":    func(t *Table, _ *Permit) { t.doms = append(t.doms, domain{}); t.wakeAt = append(t.wakeAt, -1) },
		"which is not free":        func(t *Table, _ *Permit) { t.free = append(t.free, 0) },
		"must be 1 to":             func(t *Table, _ *Permit) { t.doms[0].requests.n[0] = 0 },
	} {
		x, p := full()
		spoil(x, p)
		_, err := readTable(x.lim, savedTable(x, p), value.Second, []int32{1, 1, 1}, new(Permit))
		require.ErrorContains(t, err, name)
	}
}
