package scenarios

import (
	"bytes"
	"fmt"
	"os"

	"graspsync/core"
	"graspsync/core/nip34"
	"graspsync/core/value"
)

// maxEvents bounds a file of real events.
const maxEvents = maxExpansion

// readEvents reads a file of one signed event per line. Events are checked when the scenario is built.
func readEvents(file string) ([][]byte, error) {
	info, err := os.Stat(file)
	if err != nil {
		return nil, err
	}
	if info.Size() > 8*maxFileBytes {
		return nil, Errors{{File: file, Problem: fmt.Sprintf("the file has %d bytes, at most %d are read", info.Size(), 8*maxFileBytes)}}
	}
	b, err := os.ReadFile(file)
	if err != nil {
		return nil, err
	}
	return splitEvents(file, b)
}

func splitEvents(file string, b []byte) ([][]byte, error) {
	var out [][]byte
	for line := range bytes.Lines(b) {
		if line = bytes.TrimSpace(line); len(line) > 0 {
			out = append(out, line)
		}
	}
	if len(out) > maxEvents {
		return nil, Errors{{File: file, Problem: fmt.Sprintf("%d events, at most %d are read", len(out), maxEvents)}}
	}
	return out, nil
}

// parseReal reads one real event with names of its own, to see whether it can be read.
func parseReal(text []byte, service string) (core.Event, error) {
	p, err := nip34.NewParser(new(value.Names), service)
	if err != nil {
		return core.Event{}, err
	}
	ev, _, err := p.ParseRaw(text)
	return ev, err
}
