package sim

import (
	"bytes"
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"graspsync/core"
)

func toyMachine(c core.Config) (Machine, error) { return &toy{cfg: c}, nil }

// A fresh machine fed the inputs of a trace does the same. R-02 R-04
func TestReplayAgrees(t *testing.T) {
	b := toyTrace(t, nil)
	got, err := ReplayOn(bytes.NewReader(b), toyMachine)
	require.NoError(t, err)
	require.Greater(t, got.Steps, uint64(10))
	require.Equal(t, "toy", got.Header.Scenario)
	require.Contains(t, string(b), fmt.Sprintf(`"end":%d,"hash":"%016x","order":"%016x"`, got.Steps, got.Hash, got.Order))
}

// The first difference is named: step, instant, input, what was expected and what came.
func TestReplayNamesTheFirstDifference(t *testing.T) {
	b := toyTrace(t, nil)
	n := 0
	_, err := ReplayOn(bytes.NewReader(b), func(c core.Config) (Machine, error) {
		return &toy{cfg: c, effect: func(e *core.Effect) {
			if e.Kind == core.EfCompare {
				if n++; n == 2 {
					e.Hedge = true
				}
			}
		}}, nil
	})
	var d *Difference
	require.ErrorAs(t, err, &d)
	require.ErrorIs(t, err, ErrReplay)
	require.Equal(t, 2*core.Second, d.At)
	require.Equal(t, `{"kind":"wake"}`, d.Input)
	require.True(t, strings.HasPrefix(d.Expected, `effect 2: {"kind":"compare","attempt":1`), d.Expected)
	require.True(t, strings.HasPrefix(d.Got, `effect 2: {"kind":"compare","hedge":true`), d.Got)
	require.Contains(t, err.Error(), "replay differs at step")
	// One effect too few.
	_, err = ReplayOn(bytes.NewReader(b), func(core.Config) (Machine, error) { return endless{}, nil })
	require.ErrorAs(t, err, &d)
	require.Equal(t, uint64(1), d.Step)
	require.Equal(t, "nothing more", d.Got)
}

// A trace whose end record does not fit its steps is refused, and so are a cut one and a configuration
// that cannot work.
func TestReplayRefuses(t *testing.T) {
	b := string(toyTrace(t, nil))
	i := strings.LastIndex(b, `"hash":"`) + len(`"hash":"`)
	digit := "0"
	if b[i] == '0' {
		digit = "1"
	}
	_, err := ReplayOn(strings.NewReader(b[:i]+digit+b[i+1:]), toyMachine)
	require.ErrorIs(t, err, ErrTraceBad)
	require.ErrorContains(t, err, "hash of the end record")
	_, err = ReplayOn(strings.NewReader(b[:len(b)/2]), toyMachine)
	require.ErrorIs(t, err, ErrTraceCut)
	_, err = Replay(strings.NewReader(strings.Replace(b, `"Pressure":32`, `"Pressure":0`, 1)))
	require.ErrorIs(t, err, core.ErrConfig)
}

// Equal runs pass; a machine that decides by something outside its inputs is caught at its step. I-9
func TestRunTwice(t *testing.T) {
	build := func(fault func(run int, m *toy)) func() (Setup, error) {
		run := 0
		return func() (Setup, error) {
			s, m := toySetup(40, 3, noisy)
			s.Checks = ChecksOff // the toy keeps no limits
			run++
			fault(run, m)
			return s, nil
		}
	}
	res, err := RunTwice(build(func(int, *toy) {}))
	require.NoError(t, err)
	require.Empty(t, res.Violations)
	res, err = RunTwice(build(func(run int, m *toy) {
		n := 0
		m.effect = func(e *core.Effect) {
			if n++; n == 1500 && run%2 == 0 {
				e.Attempt++
			}
		}
	}))
	require.NoError(t, err)
	require.Len(t, res.Violations, 1)
	v := res.Violations[0]
	require.Equal(t, "I-9", v.ID)
	require.Contains(t, v.Text, "two runs of one setup part")
	require.Greater(t, v.Step, uint64(100))
	_, err = RunTwice(func() (Setup, error) { return Setup{}, nil })
	require.ErrorIs(t, err, ErrSetup)
}
