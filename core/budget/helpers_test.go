package budget

import (
	"testing"

	"github.com/stretchr/testify/require"

	"graspsync/core/value"
)

const (
	sec  = value.Second
	mins = value.Minute
)

// testLimits are the defaults of the rule book.
func testLimits() Limits {
	return Limits{
		Concurrency: 5, Rate: 30, Requests: 240, Window: 60 * sec, AddressPasses: 10, Pressure: 32, AuthorPasses: 4,
		CoolBase: 20 * sec, CoolCap: 10 * mins, RetryAfterCap: value.Hour, CoolForget: value.Hour,
		LocalCap: mins, URLCool: 10 * mins,
		UnreachableAge: 10 * mins, UnreachableFor: 12 * value.Hour, UnreachableTry: 10 * mins,
	}
}

func limits(change func(*Limits)) Limits {
	l := testLimits()
	change(&l)
	return l
}

// bench is a table with one clock; after every step of it the whole table is swept.
type bench struct {
	*Table
	t   *testing.T
	now Time
}

func newBench(t *testing.T, lim Limits) *bench { return &bench{Table: New(lim), t: t} }

func (b *bench) check() {
	b.t.Helper()
	require.NoError(b.t, b.Check())
}

// at moves the clock, waking the table at every instant it asks for on the way.
func (b *bench) at(now Time) *bench {
	b.t.Helper()
	for next := b.NextWake(); next <= now; next = b.NextWake() {
		require.Greater(b.t, next, b.now)
		b.now = next
		b.Wake(b.now)
		b.check()
	}
	b.now = now
	return b
}

func (b *bench) free(d Dom) bool { return b.Free(d, b.now, false, PubKey{}) }

// pass starts an ordinary pass, which must be permitted.
func (b *bench) pass(d Dom) *Permit {
	b.t.Helper()
	require.True(b.t, b.free(d), "no room at %s", b.now)
	return b.begin(d, false, PubKey{})
}

func (b *bench) begin(d Dom, limited bool, author PubKey) *Permit {
	b.t.Helper()
	p := b.Start(d, b.now, limited, author, 36)
	b.check()
	return &p
}

func (b *bench) end(ps ...*Permit) {
	b.t.Helper()
	for _, p := range ps {
		b.End(p, b.now)
		b.check()
	}
}

// quick is a pass that starts and ends now.
func (b *bench) quick(d Dom) {
	b.t.Helper()
	b.end(b.pass(d))
}

// wait parks an eligible ticket.
func (b *bench) wait(d Dom, tag uint64) Ticket {
	b.t.Helper()
	k := b.Park(d, tag, false, PubKey{})
	b.SetEligible(k, true, b.now)
	b.check()
	return k
}

func (b *bench) waitLimited(d Dom, tag uint64, author PubKey) Ticket {
	b.t.Helper()
	k := b.Park(d, tag, true, author)
	b.SetEligible(k, true, b.now)
	b.check()
	return k
}

// grants starts a pass for every grant there is and returns the tags in order.
func (b *bench) grants() (tags []uint64, passes []*Permit) {
	b.t.Helper()
	for {
		k, ok := b.NextGrant(b.now)
		b.check()
		if !ok {
			return tags, passes
		}
		tk := &b.tickets[k]
		key := PubKey{}
		if tk.limited {
			key = b.author[tk.author].key
		}
		tags = append(tags, b.Tag(k))
		passes = append(passes, b.begin(b.Dom(k), tk.limited, key))
	}
}

// fail is a pass that starts and fails now.
func (b *bench) fail(d Dom, f Failure) Change {
	b.t.Helper()
	p := b.pass(d)
	f.Started = b.now
	c := b.Fail(d, b.now, f)
	b.end(p)
	return c
}
