package main

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"graspsync/scenarios"
)

// override gives s with settings FIELD=VALUE applied: a field of the core's configuration, or horizon or
// ties of the scenario itself. s stays as it is.
func override(s *scenarios.Scenario, settings []string) (*scenarios.Scenario, error) {
	c := *s
	c.Config = maps.Clone(s.Config)
	if c.Config == nil {
		c.Config = map[string]string{}
	}
	for _, set := range settings {
		field, value, ok := strings.Cut(set, "=")
		if !ok {
			return nil, fmt.Errorf("--set %s: no value; write FIELD=VALUE, as domain-rate=60", set)
		}
		switch {
		case field == "horizon":
			h, err := scenarios.ParseSpan(value)
			if err != nil {
				return nil, fmt.Errorf("--set %s: %w", set, err)
			}
			c.Horizon = h
		case field == "ties":
			c.Ties = value
		case slices.Contains(scenarios.ConfigFields(), field):
			c.Config[field] = value
		default:
			return nil, fmt.Errorf("--set %s: no field is called %q; %s", set, field, fields(field))
		}
	}
	if err := c.Validate(); err != nil {
		var one *scenarios.Error
		if errors.As(err, &one) {
			return nil, fmt.Errorf("--set %s: in %s: %s: %s", strings.Join(settings, " --set "), s.Name, one.Path, one.Problem)
		}
		return nil, err
	}
	return &c, nil
}

// fields names what --set knows, the likely ones if there are any.
func fields(word string) string {
	all := append(scenarios.ConfigFields(), "horizon", "ties")
	slices.Sort(all)
	like := slices.DeleteFunc(slices.Clone(all), func(f string) bool {
		return !strings.Contains(f, word) && distance(f, word) > max(2, len(word)/3)
	})
	if len(like) > 0 && word != "" {
		return "did you mean " + strings.Join(like, ", ") + "?"
	}
	return "there are " + strings.Join(all, ", ")
}
