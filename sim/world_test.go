package sim

import (
	"bytes"
	"testing"

	"github.com/stretchr/testify/require"

	"graspsync/core"
)

// The whole loop on a server that has everything: held, compared, fetched, stored, released.
func TestWorldReleasesWhatIsThere(t *testing.T) {
	s, _ := toySetup(3, 1, serve)
	res, w := runToy(t, s)
	require.Empty(t, res.Violations)
	require.Equal(t, core.Hour, res.Virtual)
	c := res.Counts
	require.Equal(t, [6]int64{3, 3, 3, 0, 3, 3}, [6]int64{c.Arrived, c.Admitted, c.Released, c.StillHeld, c.Compares, c.Fetches})
	require.Equal(t, int64(6), c.Requests)
	e := w.Record().Event(toyID(1))
	require.Equal(t, core.Second, e.Held)
	require.Equal(t, 2*core.Second+200*core.Millisecond, e.EndedAt)
	require.Equal(t, core.RepEndedReleased, e.Ended)
	require.Equal(t, []core.Time{2 * core.Second}, w.Record().AttemptStarts(2))
	p := w.Record().PassesOf(2)
	require.Len(t, p, 1)
	require.Equal(t, 1, p[0].Supplied)
	require.Equal(t, int32(2), p[0].Requests)
	require.Equal(t, int64(2000), p[0].Bytes)
}

// An instant's wake-up comes after what arrives in it. T-02
func TestWakeComesLast(t *testing.T) {
	for _, tie := range []TiePolicy{TieByKind, TieReverse, TieShuffle} {
		s, m := toySetup(2, 1, serve)
		s.Tie = tie
		s.Arrivals[1].At = core.Second // exactly when the first event's attempt is due
		_, _ = runToy(t, s)
		kinds := []core.InputKind{m.seen[0].Kind, m.seen[1].Kind, m.seen[2].Kind}
		require.Equal(t, []core.InputKind{core.InEvent, core.InEvent, core.InWake}, kinds, tie)
	}
}

// Tie policies change the order of an instant and nothing else; each is repeatable. I-9
func TestTiePoliciesOrderArrivals(t *testing.T) {
	order := func(tie TiePolicy, seed uint64) (ids []byte) {
		s, m := toySetup(6, 1, serve)
		s.Tie, s.Seed = tie, seed
		for i := range s.Arrivals {
			s.Arrivals[i].At = 0
		}
		runToy(t, s)
		for i := range 6 {
			ids = append(ids, m.seen[i].Event.ID[7])
		}
		return ids
	}
	require.Equal(t, []byte{1, 2, 3, 4, 5, 6}, order(TieByKind, 1))
	require.Equal(t, []byte{6, 5, 4, 3, 2, 1}, order(TieReverse, 1))
	require.Equal(t, order(TieShuffle, 1), order(TieShuffle, 1))
	require.NotEqual(t, order(TieShuffle, 1), order(TieShuffle, 2))
	require.ElementsMatch(t, []byte{1, 2, 3, 4, 5, 6}, order(TieShuffle, 3))
}

// Tie keys survive the way through every policy.
func TestTieIsReversible(t *testing.T) {
	for _, tie := range []TiePolicy{TieByKind, TieReverse, TieShuffle} {
		w := &World{setup: Setup{Tie: tie, Seed: 9}}
		for i := range uint64(1000) {
			key := Mix(1, 64, i, 0)
			require.Equal(t, key, w.untie(core.Time(i), w.tie(core.Time(i), key)), tie)
		}
	}
}

// Both queues, and running in pieces or at once, give the same log. I-9
func TestRunsAreEqual(t *testing.T) {
	hash := func(change func(*Setup), drive func(*World)) (uint64, uint64) {
		s, _ := toySetup(40, 3, noisy)
		change(&s)
		w, err := NewWorld(s)
		require.NoError(t, err)
		drive(w)
		res := w.Finish()
		require.Greater(t, res.Steps, uint64(500))
		return res.Hash, res.OrderHash
	}
	whole := func(w *World) { w.Run() }
	h, o := hash(func(*Setup) {}, whole)
	for _, drive := range []func(*World){whole, func(w *World) {
		for i := range core.Time(3600) {
			w.RunUntil(i * core.Second)
		}
		w.Run()
	}} {
		for _, q := range []QueueKind{RadixQueue, HeapQueue} {
			h2, o2 := hash(func(s *Setup) { s.Queue = q }, drive)
			require.Equal(t, [2]uint64{h, o}, [2]uint64{h2, o2})
		}
	}
	h3, _ := hash(func(s *Setup) { s.Seed = 2 }, whole)
	require.Equal(t, h, h3, "an ideal driver and this remote use no noise of the seed")
	h4, _ := hash(func(s *Setup) { s.Arrivals[3].At += 1 }, whole)
	require.NotEqual(t, h, h4)
}

// noisy fails a third of its answers, keyed by URL and count.
func noisy(_ core.Time, q *Request, a *Reply) {
	x := Mix(5, 64, uint64(q.URL), q.N)
	a.After = Steady.Draw(x, 200*core.Millisecond)
	if (Ratio{2, 3}).Hit(Mix(5, 65, uint64(q.URL), q.N)) {
		a.Class, a.Status = core.NotFound, 404
		return
	}
	a.Bytes, a.Status = int64(x%100_000), 200
	a.OIDs = append(a.OIDs, q.OIDs...)
}

// RunUntil stops after everything of its instant and can be continued.
func TestRunUntilStopsInTheMiddle(t *testing.T) {
	s, m := toySetup(2, 1, serve)
	w, err := NewWorld(s)
	require.NoError(t, err)
	w.RunUntil(core.Second)
	require.Equal(t, core.Second, w.Now())
	require.Len(t, w.Record().Passes, 1)
	require.Len(t, m.jobs, 2)
	w.RunUntil(core.Second)
	require.Equal(t, core.Second, w.Now())
	res := w.Run()
	require.Equal(t, int64(2), res.Counts.Released)
	require.Equal(t, res, w.Finish())
}

// A core that asks for itself at once, for ever, is stopped and named. T-02
func TestEndlessInstantIsFound(t *testing.T) {
	s, _ := toySetup(1, 1, serve)
	s.New = func(core.Config) (Machine, error) { return endless{}, nil }
	s.Checks = ChecksOff
	res, _ := runToy(t, s)
	require.Len(t, res.Violations, 1)
	require.Equal(t, "T-02", res.Violations[0].ID)
}

type endless struct{}

func (endless) Step(_ core.Time, _ core.Input, out []core.Effect) []core.Effect { return out }
func (endless) Next() (core.Time, bool)                                         { return 0, true }
func (endless) Check() error                                                    { return nil }

// Setups that cannot work are refused by name of the field.
func TestSetupErrors(t *testing.T) {
	for _, c := range []struct {
		break_ func(*Setup)
		want   string
	}{
		{func(s *Setup) { s.Names = nil }, "Names is nil"},
		{func(s *Setup) { s.Remote = nil }, "Remote, Local and Store"},
		{func(s *Setup) { s.Horizon = 0 }, "Horizon is 0s, must be > 0"},
		{func(s *Setup) { s.Tie = 9 }, "Tie is 9, must be 0 to 2"},
		{func(s *Setup) { s.Checks = 9 }, "Checks is 9, must be 0 to 2"},
		{func(s *Setup) { s.Arrivals[0].At = 5 * core.Second }, "Arrivals[1].At is 1s"},
		{func(s *Setup) { s.Arrivals[0].Input.Event = nil }, "Arrivals[0]: Input.Event is nil"},
		{func(s *Setup) { s.Arrivals[0].Input.Kind = core.InFetched }, "Arrivals[0]: Input.Kind is fetched"},
		{func(s *Setup) { s.Arrivals[0].Input = core.Input{Kind: core.InConfigChanged} }, "Input.Config is nil"},
		{func(s *Setup) { s.Arrivals[0].Push = &UserPush{Upload: -1} }, "Push.Upload is -0.000000001s"},
		{func(s *Setup) { s.Arrivals[0].Input = core.Input{Kind: core.InConfigChanged, Config: &core.Config{}} }, "Arrivals[0]: configuration refused"},
		{func(s *Setup) { s.Arrivals[0].Push, s.Arrivals[1].Push = &UserPush{}, &UserPush{} }, "Push.Push.ID is 0 again"},
		{func(s *Setup) { s.Driver.Store.Delay = -1 }, "Driver.Store takes"},
		{func(s *Setup) { s.Driver.Cancel = -1 }, "Driver.Cancel is"},
	} {
		s, _ := toySetup(2, 1, serve)
		c.break_(&s)
		_, err := NewWorld(s)
		require.ErrorIs(t, err, ErrSetup)
		require.ErrorContains(t, err, c.want)
	}
}

// A finding of core.Check becomes a violation. I-8
func TestCheckIsAsked(t *testing.T) {
	s, m := toySetup(1, 1, serve)
	m.check = bytes.ErrTooLarge
	res, _ := runToy(t, s)
	require.Len(t, res.Violations, 1)
	require.Equal(t, "I-8", res.Violations[0].ID)
	s, m = toySetup(1, 1, serve)
	m.check = bytes.ErrTooLarge
	s.Checks = ChecksThorough
	res, _ = runToy(t, s)
	require.Greater(t, len(res.Violations), 3)
}

// What the driver tells at its start comes first, in its own order, whatever the tie policy and whoever
// drives the run. R-07
func TestStartComesBeforeEverything(t *testing.T) {
	for _, tie := range []TiePolicy{TieByKind, TieReverse, TieShuffle} {
		s, m := toySetup(3, 1, serve)
		s.Tie = tie
		for i := range s.Arrivals {
			s.Arrivals[i].At = 0
		}
		served := &core.Event{ID: toyID(9)}
		s.Start = []core.Input{{Kind: core.InServed, Event: served}, {Kind: core.InRepoRefs, Repo: 1}, {Kind: core.InRepoRefs, Repo: 2}}
		w, err := NewWorld(s)
		require.NoError(t, err)
		w.RunUntil(0)
		require.Len(t, m.seen, 6)
		require.Equal(t, s.Start, m.seen[:3])
		for _, in := range m.seen[3:] {
			require.Equal(t, core.InEvent, in.Kind)
		}
		require.Equal(t, int64(3), w.Run().Counts.Released)
	}
	s, _ := toySetup(1, 1, serve)
	s.Start = []core.Input{{Kind: core.InRepoRefs, Repo: 1}, {Kind: core.InEvent, Event: &core.Event{}}}
	_, err := NewWorld(s)
	require.ErrorIs(t, err, ErrSetup)
	require.ErrorContains(t, err, "Start[1] is of kind event, must be served with its Event, or repo-refs")
	s.Start[1] = core.Input{Kind: core.InServed}
	_, err = NewWorld(s)
	require.ErrorContains(t, err, "Start[1] is of kind served")
}
