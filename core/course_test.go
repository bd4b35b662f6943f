package core

import (
	"testing"

	"github.com/stretchr/testify/require"
)

// prober answers probes by what a URL serves without advertising it.
func (d *instant) serves(u int, oids ...OID) {
	m := map[OID]bool{}
	for _, o := range oids {
		m[o] = true
	}
	d.hold = func(e Effect) bool {
		if e.Kind != EfProbe && e.Kind != EfFetch || e.URL != url+Handle(u) {
			return false
		}
		in := Input{Kind: InProbed, Ask: e.Ask, Class: NotOurRef, OIDs: append([]OID(nil), e.OIDs...)}
		if e.Kind == EfFetch {
			in = Input{Kind: InFetched, Ask: e.Ask}
			for _, o := range e.OIDs {
				if m[o] || d.remote[e.URL][o] {
					in.OIDs = append(in.OIDs, o)
					d.local[o] = true
				}
			}
		} else if m[e.OIDs[0]] {
			in.Class = OK
		}
		d.queue = append(d.queue, in)
		return true
	}
}

// F-01, F-08: one list, one batch of what is advertised, then each residual alone; refusals end nothing; the
// report counts them. // cases 53, 54
func TestCourseOfAPass(t *testing.T) {
	d := served(t, DefaultConfig(), 1)
	d.remote[url+1] = map[OID]bool{oid(10): true, oid(11): true, oid(12): true}
	d.serves(1, oid(14))
	d.event(state(3, 1, oid(10), oid(11), oid(12), oid(13), oid(14)), FromSync)
	d.until(12 * Second)
	require.Len(t, d.effectsOf(EfCompare), 1)
	require.Len(t, d.effectsOf(EfProbe), 2)
	fetches := d.effectsOf(EfFetch)
	require.Len(t, fetches, 2)
	require.Equal(t, []OID{oid(10), oid(11), oid(12)}, fetches[0].OIDs)
	require.Equal(t, []OID{oid(14)}, fetches[1].OIDs)
	r := d.reports(RepPass)
	require.Len(t, r, 1)
	require.Equal(t, PassReport{Needed: 5, Advertised: 3, Attempted: 2, Missing: 1, Fetched: 4, Started: 11 * Second}, *r[0].Pass)
	require.Equal(t, OK, r[0].Class)
}

// F-01: at most so many residuals a pass, oldest untested first, until every one had its turn. // mutants 40, 63
func TestResidualsTakeTurns(t *testing.T) {
	cfg := DefaultConfig()
	cfg.ResidualProbes = 2
	d := served(t, cfg, 1)
	d.event(state(3, 1, oid(10), oid(11), oid(12), oid(13), oid(14)), FromSync)
	d.until(90 * Second)
	var asked [][]OID
	for _, e := range d.log {
		switch e.Kind {
		case EfCompare:
			asked = append(asked, nil)
		case EfProbe:
			asked[len(asked)-1] = append(asked[len(asked)-1], e.OIDs[0])
		}
	}
	require.Equal(t, [][]OID{{oid(10), oid(11)}, {oid(12), oid(13)}, {oid(14)}}, asked[:3])
	require.EqualValues(t, 3, d.reports(RepPass)[0].Pass.Deferred)
	require.EqualValues(t, 4, d.reports(RepPass)[2].Pass.Skipped)
}

// F-02, F-03, F-04: when "missing" is remembered: only on an explicit answer, under one advertisement. // cases 55, 57; mutants 35, 36
func TestWhatIsRememberedAsMissing(t *testing.T) {
	for _, row := range []struct {
		name   string
		class  Class // of the probe
		spoil  func(*Input)
		change bool // the advertisement changes before the second pass
		probes int  // of two passes
	}{
		{"explicit, unchanged", NotOurRef, nil, false, 1},
		{"explicit, then changed", NotOurRef, nil, true, 2},
		{"reset", Reset, nil, false, 2},
		{"time-out", Timeout, nil, false, 2},
		{"forbidden", Forbidden, nil, false, 2},
		{"truncated list", NotOurRef, func(in *Input) { in.Truncated = true }, false, 2},
		{"list too large", NotOurRef, func(in *Input) { in.Truncated, in.Class = true, TooLarge }, false, 2},
	} {
		t.Run(row.name, func(t *testing.T) {
			d := served(t, DefaultConfig(), 1)
			passes := 0
			d.hold = func(e Effect) bool {
				switch e.Kind {
				case EfCompare:
					in := Input{Kind: InCompared, Ask: e.Ask}
					if passes++; passes > 1 && row.change {
						in.Fingerprint[0] = 1
					}
					if row.spoil != nil {
						row.spoil(&in)
					}
					d.queue = append(d.queue, in)
				case EfProbe:
					d.queue = append(d.queue, Input{Kind: InProbed, Ask: e.Ask, Class: row.class, OIDs: append([]OID(nil), e.OIDs...)})
				default:
					return false
				}
				return true
			}
			d.event(state(3, 1, oid(7)), FromSync)
			d.until(60 * Second)
			require.Equal(t, 2, passes)
			require.Len(t, d.effectsOf(EfProbe), row.probes)
		})
	}
}

// F-03: an event within 2 min of its deadline is tried once more past the memo.
func TestLastChance(t *testing.T) {
	d := served(t, DefaultConfig(), 1)
	from := d.now
	d.event(state(3, 1, oid(7)), FromSync)
	d.until(from + 31*Minute)
	var at []int
	for i, e := range d.log {
		if e.Kind == EfProbe {
			at = append(at, int((d.at[i]-from)/Second))
		}
	}
	require.Equal(t, []int{1, 1701}, at) // the last attempts are at 1581 and 1701 s; 1800 s is the deadline
}

// F-05: what was fetched without its closure is not here: only objects the driver names count. // mutant 42
func TestOnlyConnectedObjectsCount(t *testing.T) {
	d := served(t, DefaultConfig(), 1)
	d.remote[url+1] = map[OID]bool{oid(7): true}
	d.hold = func(e Effect) bool {
		if e.Kind == EfFetch {
			d.queue = append(d.queue, Input{Kind: InFetched, Ask: e.Ask, Bytes: 1 << 20})
		}
		return e.Kind == EfFetch
	}
	d.event(state(3, 1, oid(7)), FromSync)
	d.until(5 * Minute)
	require.Empty(t, d.reports(RepEndedReleased))
	require.Empty(t, d.effectsOf(EfStoreEvent))
	require.NotEmpty(t, d.effectsOf(EfFetch))
}

// F-06, D-07: which failures cool the domain, and that a refusal of one URL does not. // cases 37, 42, 128
func TestWhatCoolsADomain(t *testing.T) {
	for class := OK; class < NumClasses; class++ {
		t.Run(class.String(), func(t *testing.T) {
			d := served(t, DefaultConfig(), 1)
			d.class[url+1] = class
			d.event(state(3, 1, oid(7)), FromSync)
			d.until(12 * Second)
			want := 0
			switch class {
			case DNS, TLS, Refused, Reset, Timeout, TooManyRequests, ServerError:
				want = 1
			}
			require.Len(t, d.reports(RepCooling), want)
			require.Len(t, d.reports(RepPass), 1)
			require.Equal(t, class, d.reports(RepPass)[0].Class)
		})
	}
}

// F-06: later questions go to the checked final URL.
func TestTransferUsesTheFinalURL(t *testing.T) {
	d := served(t, DefaultConfig(), 1)
	d.hold = func(e Effect) bool {
		if e.Kind == EfCompare {
			d.queue = append(d.queue, Input{Kind: InCompared, Ask: e.Ask, FinalURL: 777, OIDs: append([]OID(nil), e.OIDs[:1]...)})
		}
		return e.Kind == EfCompare || e.Kind == EfFetch
	}
	d.event(state(3, 1, oid(7)), FromSync)
	d.until(12 * Second)
	require.Equal(t, Handle(777), d.effectsOf(EfFetch)[0].URL)
}
