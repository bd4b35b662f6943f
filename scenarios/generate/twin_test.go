package generate

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"

	"graspsync/core"
	"graspsync/scenarios"
	"graspsync/sim"
)

// twin is a core beside one that was restored from its snapshot a few steps ago: they must go on alike.
type twin struct {
	*core.Core
	cfg   core.Config
	other *core.Core
	n     int
	fail  func(string)
	every int
}

func (m *twin) Step(now core.Time, in core.Input, out []core.Effect) []core.Effect {
	first := len(out)
	if m.n%m.every == 0 {
		other, err := core.Restore(m.cfg, m.AppendState(nil))
		if err != nil {
			m.fail(fmt.Sprintf("step %d: the snapshot is refused: %v", m.n+1, err))
			return m.Core.Step(now, in, out)
		}
		m.other = other
	}
	m.n++
	var want []core.Effect
	if m.other != nil {
		want = m.other.Step(now, in, nil)
		m.other.Next()
	}
	out = m.Core.Step(now, in, out)
	if m.other != nil {
		for i := range max(len(want), len(out)-first) {
			if i >= len(want) || i >= len(out)-first || shown(want[i]) != shown(out[first+i]) {
				m.fail(fmt.Sprintf("step %d at %v, input %v: effect %d differs\n went on: %+v\n restored: %+v", m.n, now, in.Kind, i, out[first:], want))
				m.other = nil
				break
			}
		}
	}
	if in.Kind == core.InConfigChanged && in.Config != nil && in.Config.Validate() == nil {
		grid := m.cfg.LoopInterval
		m.cfg = *in.Config
		m.cfg.LoopInterval = grid
	}
	return out
}

// shown is all that an effect says.
func shown(e core.Effect) string {
	pass := e.Pass
	e.Pass = nil
	text := fmt.Sprintf("%+v", e)
	if pass != nil {
		text += fmt.Sprintf("%+v", *pass)
	}
	return text
}

// A core that is restored goes on as the one that was saved would have, whatever the world does to it.
func TestRestoredCoresGoOnAlike(t *testing.T) {
	for _, name := range []string{"small", "bounds", "push", "network"} {
		p, err := Named(name)
		require.NoError(t, err)
		for seed := uint64(1); seed <= 25; seed++ {
			w := Generate(seed, p)
			failed := ""
			_, err := w.Run(scenarios.Options{Checks: sim.ChecksOff, Change: func(_ string, s *sim.Setup) {
				s.New = func(cfg core.Config) (sim.Machine, error) {
					c, err := core.New(cfg)
					return &twin{Core: c, cfg: cfg, every: 1 + int(seed)%9, fail: func(text string) {
						if failed == "" {
							failed = text
						}
					}}, err
				}
				s.Restore = func(cfg core.Config, data []byte) (sim.Machine, error) {
					c, err := core.Restore(cfg, data)
					return &twin{Core: c, cfg: cfg, every: 1 + int(seed)%9, fail: func(string) {}}, err
				}
			}})
			require.NoError(t, err)
			require.Empty(t, failed, "profile %s, seed %d", name, seed)
		}
	}
}
