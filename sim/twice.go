package sim

import (
	"fmt"

	"graspsync/core"
)

// RunTwice runs what build gives two times and compares: equal setups must cross the core's boundary in
// exactly the same way (I-9). build must make fresh peers at each call. The result is the first run's;
// if the runs part, a violation I-9 names the first step at which they do.
func RunTwice(build func() (Setup, error)) (Result, error) {
	a, err := worldOf(build)
	if err != nil {
		return Result{}, err
	}
	b, err := worldOf(build)
	if err != nil {
		return Result{}, err
	}
	res, other := a.Run(), b.Run()
	if res.Hash == other.Hash && res.Steps == other.Steps && res.OrderHash == other.OrderHash {
		return res, nil
	}
	step, at, text, err := firstDifference(build, commonCheckpoints(a, b))
	if err != nil {
		return res, err
	}
	res.Violations = append(res.Violations, Violation{ID: "I-9", At: at, Step: step, Text: text})
	return res, nil
}

func worldOf(build func() (Setup, error)) (*World, error) {
	s, err := build()
	if err != nil {
		return nil, err
	}
	return NewWorld(s)
}

// commonCheckpoints counts the leading checkpoints at which both runs agree.
func commonCheckpoints(a, b *World) int {
	n := 0
	for {
		x, ok := a.Checkpoint(n)
		y, ok2 := b.Checkpoint(n)
		if !ok || !ok2 || x != y {
			return n
		}
		n++
	}
}

// firstDifference runs both once more, quickly over the checkpoints they share and then side by side.
func firstDifference(build func() (Setup, error), shared int) (step uint64, at core.Time, text string, err error) {
	a, err := worldOf(build)
	if err != nil {
		return 0, 0, "", err
	}
	b, err := worldOf(build)
	if err != nil {
		return 0, 0, "", err
	}
	for range shared * checkpointEvery {
		a.StepOnce()
		b.StepOnce()
	}
	for {
		okA, okB := a.StepOnce(), b.StepOnce()
		switch {
		case okA && okB && a.hash == b.hash:
			continue
		case !okA && !okB:
			return a.step, a.now, "two runs of one setup differed, but not when run again side by side: something outside the setup decides", nil
		case okA != okB:
			return max(a.step, b.step), max(a.now, b.now), fmt.Sprintf("one run ends after step %d, the other goes on", min(a.step, b.step)), nil
		}
		return a.step, a.now, fmt.Sprintf("two runs of one setup part: at %s with input %s and %d effects, at %s with input %s and %d effects",
			a.now, InputText(a.in), len(a.out), b.now, InputText(b.in), len(b.out)), nil
	}
}
