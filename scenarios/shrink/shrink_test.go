package shrink

import (
	"testing"

	"github.com/stretchr/testify/require"

	"graspsync/core"
	"graspsync/scenarios"
	"graspsync/sim"
)

// books is a core whose books do not balance once it has let a second event in.
type books struct {
	*core.Core
	held int
}

func (m *books) Step(now core.Time, in core.Input, out []core.Effect) []core.Effect {
	if in.Kind == core.InEvent {
		m.held++
	}
	return m.Core.Step(now, in, out)
}

func (m *books) Check() error {
	if m.held >= 2 {
		return core.ErrConfig
	}
	return m.Core.Check()
}

// A planted fault of the core leaves two entries of the workload, and nothing of the world around them.
func TestTwoDeliveriesAreLeft(t *testing.T) {
	s, err := scenarios.Named("hedge-at-30s")
	require.NoError(t, err)
	s.Timeline = append(s.Timeline, scenarios.Action{At: scenarios.Span(core.Second), Again: "s1"},
		scenarios.Action{At: scenarios.Span(core.Minute), Again: "s1"})
	o := scenarios.Options{Change: func(_ string, s *sim.Setup) {
		s.New = func(c core.Config) (sim.Machine, error) {
			m, err := core.New(c)
			return &books{Core: m}, err
		}
	}}
	r, err := Minimise(s, Options{Evaluate: RunEach(o)})
	require.NoError(t, err)
	require.True(t, r.Done)
	require.Equal(t, "I-8", r.Violation.ID)
	require.Len(t, r.Minimal.Timeline, 2)
	require.Empty(t, r.Minimal.Hosts)
	require.Less(t, r.After.Values, r.Before.Values)
}
