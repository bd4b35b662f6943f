package sim

import (
	"reflect"

	"graspsync/core"
)

// configType lists the scalar fields of core.Config; only a test may look at it that way.
func configType() (names []string) {
	t := reflect.TypeOf(core.Config{})
	for i := range t.NumField() {
		if t.Field(i).Type.Kind() != reflect.Slice {
			names = append(names, t.Field(i).Name)
		}
	}
	return names
}
