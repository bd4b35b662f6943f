package scenarios

import (
	"fmt"
	"reflect"
	"slices"
	"strconv"
	"strings"

	"graspsync/core"
)

// ConfigFields are the names under which a scenario, and simrun's --set, reach the fields of
// core.Config, sorted.
func ConfigFields() []string {
	var names []string
	for i := range reflect.TypeFor[core.Config]().NumField() {
		if name, ok := configName(i); ok {
			names = append(names, name)
		}
	}
	slices.Sort(names)
	return names
}

// configName is the kebab-case name of field i; Overrides, Seed and Wall have places of their own. Blocked is a list of
// users, separated by commas.
func configName(i int) (string, bool) {
	name := reflect.TypeFor[core.Config]().Field(i).Name
	switch name {
	case "Overrides", "Seed", "Wall":
		return "", false
	}
	return kebab(name), true
}

func kebab(name string) string {
	for _, word := range [...]string{"URLs", "OIDs", "IDs", "URL", "TTL", "HTTP"} {
		name = strings.ReplaceAll(name, word, word[:1]+strings.ToLower(word[1:]))
	}
	var b strings.Builder
	for i := 0; i < len(name); i++ {
		c := name[i]
		if c >= 'A' && c <= 'Z' {
			if i > 0 {
				b.WriteByte('-')
			}
			c += 'a' - 'A'
		}
		b.WriteByte(c)
	}
	return b.String()
}

// setConfig sets one field by its name. The error says what would be right.
func (s *Scenario) setConfig(c *core.Config, name, text string) error {
	v := reflect.ValueOf(c).Elem()
	for i := range v.NumField() {
		if n, ok := configName(i); !ok || n != name {
			continue
		}
		switch f := v.Field(i); f.Type() {
		case reflect.TypeFor[core.Time]():
			span, err := ParseSpan(text)
			if err != nil {
				return err
			}
			f.SetInt(int64(span))
		case reflect.TypeFor[bool]():
			if text != "true" && text != "false" {
				return fmt.Errorf("%q is neither true nor false", text)
			}
			f.SetBool(text == "true")
		case reflect.TypeFor[int64]():
			n, err := strconv.ParseInt(text, 10, 64)
			if err != nil || n < 0 {
				return fmt.Errorf("%q is no whole number of bytes", text)
			}
			f.SetInt(n)
		case reflect.TypeFor[[]core.PubKey]():
			c.Blocked = nil
			for user := range strings.SplitSeq(text, ",") {
				if user = strings.TrimSpace(user); user != "" {
					c.Blocked = append(c.Blocked, s.pubKey(user))
				}
			}
		default:
			n, err := strconv.ParseInt(text, 10, 32)
			if err != nil || n < 0 {
				return fmt.Errorf("%q is no whole number from 0 to 2147483647", text)
			}
			f.SetInt(n)
		}
		return nil
	}
	return fmt.Errorf("%s", unknown("configuration field", name, ConfigFields()))
}

// config is the core's configuration for this scenario, without domain overrides.
func (s *Scenario) config(p *problems, path string, over map[string]string, base core.Config) core.Config {
	names := make([]string, 0, len(over))
	for name := range over {
		names = append(names, name)
	}
	slices.Sort(names)
	for _, name := range names {
		if err := s.setConfig(&base, name, over[name]); err != nil {
			p.add(join(path, name), err.Error())
		}
	}
	if len(p.list) == 0 {
		if err := base.Validate(); err != nil {
			p.add(path, err.Error())
		}
	}
	return base
}
