package nip34

import (
	"errors"
	"strconv"
	"unicode/utf8"
)

// ErrInvalid is wrapped by every refusal of this package.
var ErrInvalid = errors.New("event refused")

// Problem is a part of an event that was ignored, or the part for which the event was refused.
type Problem struct {
	Field string // where: "tag clone", "tag refs/heads/main", "created_at"
	Value string // what stood there, cut to 96 bytes
	Want  string // what would be right
}

// String is one line: field, value, what would be right.
func (p Problem) String() string {
	return p.Field + " is " + strconv.Quote(p.Value) + ", must be " + p.Want
}

// Error is a refusal: the event cannot be used at all.
type Error struct{ Problem }

// Error is the text of the Problem.
func (e *Error) Error() string { return e.Problem.String() }

// Unwrap is ErrInvalid.
func (e *Error) Unwrap() error { return ErrInvalid }

const maxShown = 96

// shown cuts a value for a message, between characters.
func shown(s string) string {
	if len(s) <= maxShown {
		return s
	}
	n := maxShown
	for n > maxShown-utf8.UTFMax && !utf8.RuneStart(s[n]) {
		n--
	}
	return s[:n] + "…"
}

func refuse(field, value, want string) error {
	return &Error{Problem{field, shown(value), want}}
}

// report collects the problems of one event.
type report struct{ problems []Problem }

// maxProblems bounds the report of one event; what comes after is counted out by the last entry.
const maxProblems = 64

func (r *report) add(field, value, want string) {
	switch n := len(r.problems); {
	case n < maxProblems:
		r.problems = append(r.problems, Problem{field, shown(value), want})
	case n == maxProblems:
		r.problems = append(r.problems, Problem{"event", "more than " + strconv.Itoa(maxProblems) + " problems",
			"without them; the rest is not listed"})
	}
}
