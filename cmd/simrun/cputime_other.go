//go:build !unix

package main

import "time"

// cpuTime is what this process has used of all processors; 0 where that is not known.
func cpuTime() time.Duration { return 0 }
