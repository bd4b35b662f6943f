package sim

import (
	"testing"

	"graspsync/core"
)

func placeholder(kind core.ReportKind, n int, deadline core.Time) core.Effect {
	return report(kind, func(e *core.Effect) { e.Event, e.Repo, e.Deadline = toyID(n), 7, deadline })
}

// A placeholder ends once, at its deadline at the latest, by the wall clock. I-16 I-17 PR-03 E-01
func TestOraclePlaceholders(t *testing.T) {
	put := func() *script {
		return newScript(t, nil).at(0, wake, placeholder(core.RepPlaceholderHeld, 1, 1800*core.Second)).clean()
	}
	ended := placeholder(core.RepPlaceholderEnded, 1, 0)
	limit := 1800*core.Second + newScript(t, nil).o.placeSlack()
	put().at(1800*core.Second, wake, ended).at(core.Hour, wake).clean()
	put().at(limit, wake, ended).at(core.Hour, wake).clean()
	put().at(limit+1, wake).caught("I-17", "its deadline was 1800s")
	put().finish(core.Hour).caught("I-17", "is still there at 3600s")
	put().at(1, wake, placeholder(core.RepPlaceholderHeld, 1, core.Hour)).caught("I-16", "begins a second time")
	put().at(1, wake, ended).at(2, wake, ended).caught("I-16", "but there is none")
	put().at(1, wake, ended).at(2, wake, placeholder(core.RepPlaceholderHeld, 1, core.Hour)).at(3000*core.Second, wake).clean()

	ahead := core.Input{Kind: core.InClock, Offset: core.Hour} // the wall clock jumps past the deadline
	put().at(10*core.Second, ahead, ended).at(core.Hour, wake).clean()
	back := core.Input{Kind: core.InClock, Offset: -10 * core.Minute}
	put().at(10*core.Second, back).at(2300*core.Second, wake).clean().at(2500*core.Second, wake).caught("I-17", "its deadline was 2400s")

	down := put()
	down.o.Crashed()
	down.at(core.Hour, restartedInput, ended).at(2*core.Hour, wake).clean()
}
