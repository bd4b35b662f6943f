package sim

import (
	"testing"

	"github.com/stretchr/testify/require"

	"graspsync/core"
)

var restartedInput = core.Input{Kind: core.InRestarted}

func attempt(hunt core.HuntID) core.Effect {
	return report(core.RepAttemptStarted, func(e *core.Effect) { e.Hunt, e.Attempt = hunt, 1 })
}

// died is a log with event 1 held by hunt 1 and a crash, down until 100 s.
func died(t *testing.T) *script {
	s := held(t, nil)
	s.o.Crashed()
	return s.at(100*core.Second, restartedInput)
}

// What was held at the restart is hunted by the first loop after the delay of a synced event: at 101 s. I-15
func TestOracleHuntedAfterRestart(t *testing.T) {
	died(t).at(101*core.Second, wake, attempt(1)).at(200*core.Second, wake).clean()
	died(t).at(101*core.Second, wake).clean().at(101*core.Second+1, wake).caught("I-15", "no attempt for it began by 101s")
	died(t).at(101*core.Second, wake, attempt(2)).at(102*core.Second, wake).caught("I-15", "no attempt for it began")
	died(t).finish(200*core.Second).caught("I-15", "still held, but no attempt")
}

// What ended needs no hunt; a hunt that went into another is hunted with it. I-15
func TestOracleEndedAfterRestart(t *testing.T) {
	died(t).at(101*core.Second, wake, about(1, core.RepEndedDeleted)).at(200*core.Second, wake).clean()
	merged := report(core.RepHuntMerged, func(e *core.Effect) { e.Hunt, e.Into = 1, 9 })
	died(t).at(100*core.Second, wake, merged).at(101*core.Second, wake, attempt(9)).at(200*core.Second, wake).clean()
}

// A pass of a dead process runs no longer, so that its domain has room again; with the core alive it has not. I-2
func TestOracleCrashEndsPasses(t *testing.T) {
	full := func() *script {
		s := newScript(t, nil)
		for i := 1; i <= 5; i++ {
			s.at(0, wake, start(i, core.HuntID(i), 7))
		}
		return s
	}
	s := full()
	s.o.Crashed()
	s.at(1, restartedInput).at(2, wake, start(11, 11, 7)).clean()
	full().at(2, wake, start(11, 11, 7)).caught("I-2", "5 passes run there")
}

// Starts before the crash count in the window after it. I-2 D-01
func TestOracleWindowAcrossCrash(t *testing.T) {
	s := newScript(t, nil)
	for i := 1; i <= 30; i++ {
		s.at(core.Second, wake, start(i, core.HuntID(i), 7)).at(core.Second, end(i))
	}
	s.o.Crashed()
	s.at(20*core.Second, restartedInput).at(30*core.Second, wake, start(31, 31, 7)).caught("I-2", "is number 31")
}

// Nobody can end anything while the relay is down; what expired then has a lifetime from the restart. I-17 R-03
func TestOracleExpiredWhileDown(t *testing.T) {
	late := func() *script {
		s := held(t, nil)
		s.o.Crashed()
		return s.at(4000*core.Second, restartedInput, attempt(1)).clean()
	}
	c := core.DefaultConfig()
	limit := 4000*core.Second + c.Lifetime + newScript(t, nil).o.allowance()
	late().at(limit, wake).clean()
	late().at(limit, wake).at(limit+1, wake).at(limit+2, wake).caughtAny(t, "I-17")
}

func (s *script) caughtAny(t *testing.T, id string) {
	t.Helper()
	require.NotEmpty(t, s.o.Violations())
	require.Equal(t, id, s.o.Violations()[0].ID)
}

// A machine that cannot be saved cannot crash.
func TestCrashNeedsASnapshot(t *testing.T) {
	s, _ := toySetup(1, 1, nil)
	s.Crashes = []StepCrash{{Step: 5}}
	_, err := NewWorld(s)
	require.ErrorContains(t, err, "no AppendState")
}

// cupboard is a store that has what it is made of.
type cupboard map[core.EventID]bool

func (s cupboard) Store(id core.EventID) core.Verdict { s[id] = true; return core.StoredOK }
func (s cupboard) Remove(id core.EventID) core.Class  { delete(s, id); return core.OK }
func (s cupboard) Has(id core.EventID) bool           { return s[id] }

// Over a crash a served event may go by a deletion that was on its way to the store: its author's, which is there now,
// and reaches it. I-15, DL-01
func TestWhatMayGoOverACrash(t *testing.T) {
	alice, mallory := core.PubKey{1}, core.PubKey{2}
	repo := core.Coordinate{Owner: alice, Identifier: 1, Repo: 1}
	old := &core.Event{ID: core.EventID{1}, Author: alice, Kind: core.KindState, CreatedAt: 10, Repo: repo}
	other := core.Coordinate{Owner: alice, Identifier: 2, Repo: 2}
	for name, row := range map[string]struct {
		deletion core.Event
		stored   bool
		goes     bool
	}{
		"by id":                {core.Event{Author: alice, Targets: []core.EventID{old.ID}}, true, true},
		"not stored":           {core.Event{Author: alice, Targets: []core.EventID{old.ID}}, false, false},
		"a stranger's":         {core.Event{Author: mallory, Targets: []core.EventID{old.ID}}, true, false},
		"of another":           {core.Event{Author: alice, Targets: []core.EventID{{7}}}, true, false},
		"by coordinate":        {core.Event{Author: alice, CreatedAt: 10, Coordinates: []core.Deleted{{Kind: core.KindState, Coordinate: repo}}}, true, true},
		"of older versions":    {core.Event{Author: alice, CreatedAt: 9, Coordinates: []core.Deleted{{Kind: core.KindState, Coordinate: repo}}}, true, false},
		"of another kind":      {core.Event{Author: alice, CreatedAt: 10, Coordinates: []core.Deleted{{Kind: core.KindAnnouncement, Coordinate: repo}}}, true, false},
		"of another's name":    {core.Event{Author: alice, CreatedAt: 10, Coordinates: []core.Deleted{{Kind: core.KindState, Coordinate: other}}}, true, false},
		"a stranger's by name": {core.Event{Author: mallory, CreatedAt: 10, Coordinates: []core.Deleted{{Kind: core.KindState, Coordinate: repo}}}, true, false},
	} {
		d := row.deletion
		d.ID, d.Kind = core.EventID{2}, core.KindDeletion
		w := &World{setup: Setup{Store: cupboard{d.ID: row.stored}}}
		w.journal.events = []*core.Event{old, &d}
		require.Equal(t, row.goes, w.deleted(old), name)
	}
}
