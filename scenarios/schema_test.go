package scenarios

import (
	"encoding/json"
	"flag"
	"os"
	"reflect"
	"testing"

	"github.com/goccy/go-yaml"
	"github.com/stretchr/testify/require"
)

var update = flag.Bool("update", false, "rewrite golden traces and docs/scenario.schema.json")

const schemaFile = "../docs/scenario.schema.json"

func TestSchemaIsFresh(t *testing.T) {
	want, err := Schema()
	require.NoError(t, err)
	if *update {
		require.NoError(t, os.WriteFile(schemaFile, want, 0o644))
	}
	got, err := os.ReadFile(schemaFile)
	require.NoError(t, err)
	require.Equal(t, string(want), string(got), "the format has changed: go test ./scenarios -run TestSchemaIsFresh -update")
}

// Every field that a shipped scenario uses is one the schema knows, and every field of the format is in it.
func TestSchemaKnowsTheFormat(t *testing.T) {
	raw, err := Schema()
	require.NoError(t, err)
	var schema map[string]any
	require.NoError(t, json.Unmarshal(raw, &schema))
	props := schema["properties"].(map[string]any)
	for _, name := range fieldsOf(reflect.TypeFor[Scenario]()).names {
		require.Contains(t, props, name)
	}
	action := props["timeline"].(map[string]any)["items"].(map[string]any)["properties"].(map[string]any)
	for _, verb := range actionVerbs() {
		require.Contains(t, action, verb)
	}
	all, err := Catalogue()
	require.NoError(t, err)
	for _, s := range all {
		var doc map[string]any
		require.NoError(t, yaml.Unmarshal(s.Encode(), &doc))
		for field := range doc {
			require.Contains(t, props, field, s.Name)
		}
		require.Empty(t, misfits(schema, doc, ""), s.Name)
	}
}

// misfits checks a document against the part of JSON Schema that the format's schema uses.
func misfits(schema map[string]any, doc any, path string) []string {
	if alternatives, ok := schema["oneOf"].([]any); ok {
		for _, a := range alternatives {
			if len(misfits(a.(map[string]any), doc, path)) == 0 {
				return nil
			}
		}
		return []string{path + " fits none of the alternatives"}
	}
	switch doc := doc.(type) {
	case map[string]any:
		if kind, ok := schema["type"]; ok && kind != "object" {
			return []string{path + " is a mapping"}
		}
		var bad []string
		props, _ := schema["properties"].(map[string]any)
		for k, v := range doc {
			sub, ok := props[k].(map[string]any)
			if !ok {
				sub, ok = schema["additionalProperties"].(map[string]any)
			}
			if !ok {
				for _, p := range patterns(schema) {
					if len(k) > 6 && k[:6] == "until " {
						sub, ok = p, true
					}
				}
			}
			if !ok {
				bad = append(bad, path+"."+k+" is unknown")
				continue
			}
			bad = append(bad, misfits(sub, v, path+"."+k)...)
		}
		return bad
	case []any:
		if kind, ok := schema["type"]; ok && kind != "array" {
			return []string{path + " is a list"}
		}
		items, ok := schema["items"].(map[string]any)
		if !ok {
			return []string{path + " is a list"}
		}
		var bad []string
		for _, v := range doc {
			bad = append(bad, misfits(items, v, path+"[]")...)
		}
		return bad
	case string:
		if kind, ok := schema["type"]; ok && kind != "string" {
			return []string{path + " is text"}
		}
	case bool:
		if kind, ok := schema["type"]; ok && kind != "boolean" {
			return []string{path + " is a truth value"}
		}
	case uint64, int64, int:
		if kind, ok := schema["type"]; ok && kind != "integer" {
			return []string{path + " is a number"}
		}
	}
	return nil
}

func patterns(schema map[string]any) []map[string]any {
	var out []map[string]any
	p, _ := schema["patternProperties"].(map[string]any)
	for _, v := range p {
		out = append(out, v.(map[string]any))
	}
	return out
}
