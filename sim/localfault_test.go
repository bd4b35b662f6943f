package sim

import (
	"testing"

	"github.com/stretchr/testify/require"

	"graspsync/core"
)

// localAskID is an ask in a slot of its own.
func localAskID(n uint64) core.AskID { return core.AskID(n<<askSlotBits | n) }

// Local faults strike within their window, for their kind, repository and event, and so often; delays add up. T-04
func TestLocalFaultsStrike(t *testing.T) {
	e1, e2 := toyID(1), toyID(2)
	store := toyStore{}
	open := []core.Effect{
		{Kind: core.EfCreateRepo, Ask: localAskID(1), Repo: testRepo},
		{Kind: core.EfCreateRepo, Ask: localAskID(2), Repo: testMain},
		{Kind: core.EfStoreEvent, Ask: localAskID(3), Event: e1},
		{Kind: core.EfStoreEvent, Ask: localAskID(4), Event: e2},
		{Kind: core.EfCheckObjects, Ask: localAskID(5), Repo: testRepo},
		{Kind: core.EfRemoveEvent, Ask: localAskID(6), Event: e1},
	}
	m, _ := drive(t, func(s *Setup) {
		s.Store = store
		s.Arrivals = append(s.Arrivals, Arrival{At: core.Minute, Input: core.Input{Kind: core.InShutdown}})
		s.LocalFaults = []LocalFault{
			{Until: core.Minute, Work: CreateWork | DeleteWork, Repo: testRepo, Fails: true},
			{Until: core.Minute, Work: CheckWork | CreateWork, Delay: 2 * core.Second},
			{Until: core.Never, Work: CheckWork, Delay: 3 * core.Second},
			{Until: core.Never, Work: StoreWork, Event: e1, Fails: true, Verdict: core.StoreSuperseded},
			{Until: core.Never, Work: StoreWork | RemoveWork, Fails: true, Verdict: core.StoreFailed, Times: 2},
		}
	}, serve, first(open, nil))
	at := func(kind core.InputKind) (at []core.Time, class []core.Class, verdict []core.Verdict) {
		for _, s := range m.of(kind) {
			at, class, verdict = append(at, s.at), append(class, s.in.Class), append(verdict, s.in.Verdict)
		}
		return at, class, verdict
	}
	const sec = core.Second
	when, class, _ := at(core.InRepoCreated)
	require.Equal(t, []core.Time{2 * sec, 2 * sec, core.Minute, core.Minute}, when)
	require.Equal(t, []core.Class{core.LocalFault, core.OK, core.OK, core.OK}, class, "only the one repository, only in the window")
	when, _, _ = at(core.InChecked)
	require.Equal(t, []core.Time{5 * sec, 63 * sec}, when, "delays add up")
	_, _, verdict := at(core.InStored)
	require.Equal(t, []core.Verdict{core.StoreSuperseded, core.StoreFailed, core.StoreSuperseded, core.StoredOK}, verdict,
		"the first that hits decides; two times are two times")
	_, class, _ = at(core.InRemoved)
	require.Equal(t, []core.Class{core.OK, core.OK}, class)
	require.Equal(t, toyStore{e2: true}, store)
}

// A full disk keeps nothing of what a host sent, and the driver says whose fault that is. D-07
func TestFetchOntoAFullDisk(t *testing.T) {
	for _, full := range []bool{true, false} {
		git := newToyGit()
		m, _ := drive(t, func(s *Setup) {
			s.Local = git
			if full {
				s.LocalFaults = []LocalFault{{Until: core.Minute, Work: DiskFullWork, Fails: true, Verdict: core.StoreFailed}}
			}
		}, serve, first([]core.Effect{ofPass(core.EfCompare, toyOID(1))}, map[core.InputKind][]core.Effect{
			core.InCompared: {ofPass(core.EfFetch, toyOID(1))}, core.InFetched: {ofPass(core.EfEndPass)}}))
		got := m.of(core.InFetched)
		require.Len(t, got, 1)
		require.Len(t, m.of(core.InPassEnded), 1)
		if full {
			require.Equal(t, core.LocalFault, got[0].in.Class)
			require.Empty(t, got[0].in.OIDs)
			continue
		}
		require.Equal(t, core.OK, got[0].in.Class)
		require.Equal(t, []core.OID{toyOID(1)}, got[0].in.OIDs)
	}
}

func TestBadLocalFaults(t *testing.T) {
	good := LocalFault{Until: core.Minute, Work: StoreWork, Fails: true, Verdict: core.StoreFailed}
	for want, change := range map[string]func(*LocalFault){
		"":                              func(*LocalFault) {},
		"lasts from 5s until 5s":        func(f *LocalFault) { f.From, f.Until = 5*core.Second, 5*core.Second },
		"Work is empty":                 func(f *LocalFault) { f.Work = 0 },
		"has Delay -1s and Times 0":     func(f *LocalFault) { f.Delay = -core.Second },
		"has Delay 0s and Times -1":     func(f *LocalFault) { f.Times = -1 },
		"Verdict is 0":                  func(f *LocalFault) { f.Verdict = core.StoredOK },
		"Lock goes with a Repo and Ali": func(f *LocalFault) { f.Lock = []core.Handle{1} },
	} {
		s, _ := toySetup(1, 1, serve)
		s.LocalFaults = []LocalFault{good}
		change(&s.LocalFaults[0])
		_, err := NewWorld(s)
		if want == "" {
			require.NoError(t, err)
			continue
		}
		require.ErrorIs(t, err, ErrSetup, want)
		require.ErrorContains(t, err, "LocalFaults[0]")
		require.ErrorContains(t, err, want)
	}
}
