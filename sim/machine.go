package sim

import "graspsync/core"

// newMachine makes what a run drives: the core, unless the setup brings its own.
func newMachine(s *Setup) (Machine, error) {
	if s.New != nil {
		return s.New(s.Config)
	}
	return core.New(s.Config)
}
