package scenarios

import (
	"cmp"
	"embed"
	"fmt"
	"path"
	"slices"
)

//go:embed catalogue
var catalogueFiles embed.FS

// Catalogue gives the shipped scenarios, sorted by name. Each call gives fresh ones.
func Catalogue() ([]*Scenario, error) {
	entries, err := catalogueFiles.ReadDir("catalogue")
	if err != nil {
		return nil, err
	}
	var out []*Scenario
	for _, e := range entries {
		if path.Ext(e.Name()) != ".yaml" {
			continue
		}
		s, err := fromCatalogue(e.Name())
		if err != nil {
			return nil, err
		}
		out = append(out, s)
	}
	slices.SortFunc(out, func(a, b *Scenario) int { return cmp.Compare(a.Name, b.Name) })
	return out, nil
}

// Named gives one shipped scenario.
func Named(name string) (*Scenario, error) {
	s, err := fromCatalogue(name + ".yaml")
	if err != nil && s == nil {
		return nil, fmt.Errorf("no scenario of the catalogue is called %q: %w", name, err)
	}
	return s, nil
}

func fromCatalogue(file string) (*Scenario, error) {
	text, err := catalogueFiles.ReadFile("catalogue/" + file)
	if err != nil {
		return nil, err
	}
	s, err := Parse("catalogue/"+file, text)
	if err != nil {
		return nil, err
	}
	if s.Name+".yaml" != file {
		return nil, Errors{{File: "catalogue/" + file, Path: "name", Problem: fmt.Sprintf("%q, must be the file's own name", s.Name)}}
	}
	if s.Events != "" {
		raw, err := catalogueFiles.ReadFile("catalogue/" + s.Events)
		if err != nil {
			return nil, err
		}
		if s.raw, err = splitEvents(s.Events, raw); err != nil {
			return nil, err
		}
	}
	return s, nil
}
