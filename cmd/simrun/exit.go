package main

import (
	"slices"

	"graspsync/sim"
)

// Exit codes. A panic of Go's own exits with 2.
const (
	exitOK       = 0
	exitSafety   = 3  // an invariant or an expectation is broken
	exitLiveness = 4  // what could be had was not released in time
	exitDiffers  = 5  // two runs, or a trace and its replay, are not alike
	exitMark     = 6  // something rare that must happen did not
	exitBudget   = 7  // ran out of time
	exitUsage    = 64 // nothing was judged: wrong arguments, or input that cannot be used
)

// order ranks codes: the first of a run's is the one to report.
var order = []int{exitUsage, exitDiffers, exitSafety, exitLiveness, exitMark, exitBudget, exitOK}

// worst is the code to report for two outcomes.
func worst(a, b int) int {
	if slices.Index(order, b) < slices.Index(order, a) {
		return b
	}
	return a
}

// codeOf gives the exit code of a violation.
func codeOf(v sim.Violation) int {
	switch v.ID {
	case "I-1", "I-4": // something waits for nothing, or for too long
		return exitLiveness
	case "I-9":
		return exitDiffers
	case "mark":
		return exitMark
	}
	return exitSafety
}

// verdict is the word for a code in tables.
func verdict(code int) string {
	switch code {
	case exitOK:
		return "ok"
	case exitSafety:
		return "SAFETY"
	case exitLiveness:
		return "LIVENESS"
	case exitDiffers:
		return "DIFFERS"
	case exitMark:
		return "MARK"
	case exitBudget:
		return "BUDGET"
	}
	return "ERROR"
}
