package main

import "bytes"

// isStep tells a step's line of a trace from the header and from name records.
func isStep(line []byte) bool { return bytes.HasPrefix(line, []byte(`{"step":`)) }
