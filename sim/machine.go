package sim

import "graspsync/core"

func newMachine(s *Setup) (Machine, error) {
	if s.New == nil {
		return nil, setupError("New is nil, must make the machine")
	}
	return s.New(s.Config)
}

var _ = core.OK
