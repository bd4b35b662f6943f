//go:build unix

package bench

import (
	"syscall"
	"time"
)

// CPU is the processor time this process has used, user and system, all threads.
func CPU() time.Duration {
	var u syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &u); err != nil {
		return 0
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}
