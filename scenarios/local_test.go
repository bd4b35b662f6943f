package scenarios

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"graspsync/core"
	"graspsync/sim"
)

// Every scenario of the catalogue bears an unwell storage and store at instants of no particular choice: what it expects
// may fail, no invariant does. I-5 I-6 I-7 I-15 I-16 I-17
func TestCatalogueBearsLocalFaults(t *testing.T) {
	all, err := Catalogue()
	require.NoError(t, err)
	windows := 0
	for _, s := range all {
		if strings.HasPrefix(s.Name, "real-") || s.Horizon > Span(5*core.Hour) {
			continue
		}
		for round := range uint64(4) {
			c := *s
			c.Permute, c.Hostile = 0, nil
			c.Local = append([]Local(nil), s.Local...)
			for i := range uint64(3) {
				c.Local = append(c.Local, drawnFault(s, round<<8|i))
				windows++
			}
			require.NoError(t, c.Validate(), s.Name)
			res, err := c.Run(Options{Checks: sim.ChecksFast, Seed: 1 + round})
			require.NoError(t, err)
			for _, v := range res.Violations {
				if v.ID == "expect" || v.ID == "I-4" || expectsBroken(s, v.ID) {
					continue
				}
				t.Errorf("%s, round %d: %s at %v, step %d: %s\nlocal: %s", s.Name, round, v.ID, v.At, v.Step, v.Text, (&Scenario{Local: c.Local}).Encode())
				break
			}
		}
	}
	require.Greater(t, windows, 1000)
}

func expectsBroken(s *Scenario, id string) bool {
	for i := range s.Expect {
		if s.Expect[i].Broken == id {
			return true
		}
	}
	return false
}

// drawnFault is a window keyed by the scenario's name and n.
func drawnFault(s *Scenario, n uint64) Local {
	key := uint64(len(s.Name))
	for _, c := range s.Name {
		key = key*31 + uint64(c)
	}
	draw := func(k, below uint64) uint64 { return sim.Mix(key, 9, n, k) % below }
	l := Local{From: Span(draw(0, uint64(s.Horizon)))}
	if draw(1, 2) == 0 { // early, where most happens
		l.From = Span(draw(0, uint64(min(s.Horizon, Span(3*core.Minute)))))
	}
	l.To = l.From + 1 + Span(draw(2, uint64(12*core.Minute)))
	words := sim.LocalWorkNames()
	switch draw(3, 4) {
	case 0:
		l.DiskFull = true
	case 1:
		l.Slow, l.By = Labels{words[draw(4, 7)], words[draw(5, 7)]}, Span(1+draw(6, uint64(20*core.Second)))
	case 2:
		l.Fail = Labels{words[draw(4, 8)]}
	default:
		l.Fail = Labels{words[draw(4, 8)], words[draw(5, 8)]}
		l.Times = 1 + int(draw(6, 4))
	}
	return l
}
