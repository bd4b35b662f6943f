package scenarios

import (
	"fmt"
	"os"
	"path/filepath"
	"reflect"
)

// Load reads a scenario file. A relative Events file is looked for beside it. The error is an Errors
// with file, line, column and field of everything wrong, or a file error.
func Load(path string) (*Scenario, error) {
	info, err := os.Stat(path)
	if err != nil {
		return nil, err
	}
	if info.Size() > maxFileBytes {
		return nil, Errors{{File: path, Problem: fmt.Sprintf("the file has %d bytes, at most %d are read", info.Size(), maxFileBytes)}}
	}
	b, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	s, err := Parse(path, b)
	if err != nil {
		return nil, err
	}
	if s.Events != "" {
		file := s.Events
		if !filepath.IsAbs(file) {
			file = filepath.Join(filepath.Dir(path), file)
		}
		if s.raw, err = readEvents(file); err != nil {
			return nil, err
		}
	}
	return s, nil
}

// Parse reads the text of a scenario; name stands for the file in errors. The scenario is checked: what
// Parse returns can be run.
func Parse(name string, text []byte) (*Scenario, error) {
	root, err := parseYAML(name, text)
	if err != nil {
		return nil, err
	}
	d := &decoder{problems: problems{file: name, at: make(map[string]position)}}
	s := new(Scenario)
	d.decode(root, reflect.ValueOf(s).Elem(), "")
	if len(d.list) == 0 {
		s.validate(&d.problems)
	}
	if err := d.err(); err != nil {
		return nil, err
	}
	return s, nil
}
