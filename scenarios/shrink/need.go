package shrink

import "graspsync/scenarios"

// Need says what happens without one fault of the minimal scenario.
type Need struct{ What, Without string }

func (g *gate) necessity(s *scenarios.Scenario) []Need { return nil }
