package scenarios

import (
	"strconv"
	"strings"
)

// Error is one thing wrong with a scenario. Line and Column count from 1; they are 0 for a scenario that
// was not read from text. Path names the field, as "timeline[2].at".
type Error struct {
	File         string
	Line, Column int
	Path         string
	Problem      string // what is there and what would be right
}

// Error is "file:line:column: path: problem", without the parts that are not known.
func (e *Error) Error() string {
	var b strings.Builder
	if e.File != "" {
		b.WriteString(e.File)
		b.WriteByte(':')
	}
	if e.Line > 0 {
		b.WriteString(strconv.Itoa(e.Line) + ":" + strconv.Itoa(e.Column) + ":")
	}
	if b.Len() > 0 {
		b.WriteByte(' ')
	}
	if e.Path != "" {
		b.WriteString(e.Path + ": ")
	}
	b.WriteString(e.Problem)
	return b.String()
}

// Errors is everything found wrong with one scenario, in order of finding; at most maxErrors.
type Errors []*Error

const maxErrors = 20

// Error is one line per error.
func (e Errors) Error() string {
	lines := make([]string, len(e))
	for i := range e {
		lines[i] = e[i].Error()
	}
	return strings.Join(lines, "\n")
}

// Unwrap gives the single errors to errors.Is and errors.As.
func (e Errors) Unwrap() []error {
	out := make([]error, len(e))
	for i := range e {
		out[i] = e[i]
	}
	return out
}

// position is where a field stands in its file.
type position struct{ line, column int }

// problems collects errors and knows where each field stands.
type problems struct {
	file string
	at   map[string]position // by path; nil for a scenario made in Go
	list Errors
}

func (p *problems) add(path, problem string) {
	if len(p.list) >= maxErrors {
		return
	}
	e := &Error{File: p.file, Path: path, Problem: problem}
	pos := p.find(path)
	e.Line, e.Column = pos.line, pos.column
	p.list = append(p.list, e)
}

// find gives the position of path, or of the nearest field around it.
func (p *problems) find(path string) position {
	for p.at != nil {
		if pos, ok := p.at[path]; ok {
			return pos
		}
		i := strings.LastIndexAny(path, ".[")
		if i < 0 {
			return p.at[""]
		}
		path = path[:i]
	}
	return position{}
}

func (p *problems) err() error {
	if len(p.list) == 0 {
		return nil
	}
	return p.list
}
