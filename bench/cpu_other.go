//go:build !unix

package bench

import "time"

var began = time.Now()

// CPU is elapsed time where the system's own count is not at hand.
func CPU() time.Duration { return time.Since(began) }
