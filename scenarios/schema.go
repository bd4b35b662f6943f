package scenarios

import (
	"bytes"
	"encoding/json"
	"reflect"
	"strings"

	"github.com/invopop/jsonschema"
)

// Schema is the JSON Schema of the format, made from its Go types, indented.
func Schema() ([]byte, error) {
	r := &jsonschema.Reflector{FieldNameTag: "yaml", Anonymous: true, ExpandedStruct: true, RequiredFromJSONSchemaTags: true, Mapper: schemaOf}
	r.KeyNamer = func(name string) string { return name }
	s := r.Reflect(&Scenario{})
	s.Title = "Scenario of graspsync"
	s.Description = "One simulated world and what must come of it; docs/scenarios.md explains every field."
	s.Required = []string{"version", "name", "description", "horizon"}
	if v, ok := s.Properties.Get("version"); ok {
		v.Const = Version
	}
	if v, ok := s.Properties.Get("config"); ok {
		*v = jsonschema.Schema{Type: "object", AdditionalProperties: scalarSchema(), PropertyNames: &jsonschema.Schema{Enum: anys(ConfigFields())}}
	}
	return indented(s)
}

func indented(s *jsonschema.Schema) ([]byte, error) {
	raw, err := json.Marshal(s)
	if err != nil {
		return nil, err
	}
	var b bytes.Buffer
	if err := json.Indent(&b, raw, "", "  "); err != nil {
		return nil, err
	}
	b.WriteByte('\n')
	return b.Bytes(), nil
}

const spanPattern = `^(0|([0-9]+(d|h|m|s|ms|us|ns))+)$`

// schemaOf gives the schema of the types with a notation of their own; nil for all others.
func schemaOf(t reflect.Type) *jsonschema.Schema {
	word := &jsonschema.Schema{Type: "string"}
	span := &jsonschema.Schema{OneOf: []*jsonschema.Schema{{Type: "string", Pattern: spanPattern}, {Const: 0}}}
	switch t {
	case reflect.TypeFor[Span]():
		span.Description = "whole numbers with units, as 500ms, 1m30s or 24h"
		return span
	case reflect.TypeFor[Spans]():
		return oneOrMany(span)
	case reflect.TypeFor[Count]():
		return &jsonschema.Schema{Description: "17, \"<= 40\", \">= 3\" or 2..5", OneOf: []*jsonschema.Schema{{Type: "integer"},
			{Type: "string", Pattern: `^\s*((<=|>=|=)?\s*[0-9]+|[0-9]+\s*\.\.\s*[0-9]+)\s*$`}}}
	case reflect.TypeFor[Unix]():
		return &jsonschema.Schema{Type: "integer", Description: "Unix seconds, negative ones too"}
	case reflect.TypeFor[Ratio]():
		return &jsonschema.Schema{Type: "string", Pattern: `^[0-9]+/[0-9]+$`, Description: "a share, as 1/3"}
	case reflect.TypeFor[Labels]():
		return oneOrMany(scalarSchema())
	case reflect.TypeFor[Refs]():
		return &jsonschema.Schema{Description: "{main: c1}, [main, dev] or main", OneOf: []*jsonschema.Schema{word,
			{Type: "array", Items: scalarSchema()}, {Type: "object", AdditionalProperties: scalarSchema()}, {Type: "null"}}}
	case reflect.TypeFor[Holdings]():
		one := plainSchema(reflect.TypeFor[Holding]())
		return &jsonschema.Schema{Description: "a label, labels, or holdings with their times",
			OneOf: []*jsonschema.Schema{scalarSchema(), {Type: "array", Items: scalarSchema()}, one, {Type: "array", Items: one}}}
	case reflect.TypeFor[Host]():
		b := plainSchema(reflect.TypeFor[Behaviour]())
		h := plainSchema(reflect.TypeFor[hostFields]())
		for p := b.Properties.Oldest(); p != nil; p = p.Next() {
			h.Properties.Set(p.Key, p.Value)
		}
		h.Properties.Set("then", b)
		h.PatternProperties = map[string]*jsonschema.Schema{`^until `: b}
		return &jsonschema.Schema{OneOf: []*jsonschema.Schema{h, {Type: "null"}}}
	case reflect.TypeFor[Repo](), reflect.TypeFor[Relay](), reflect.TypeFor[Domain]():
		return &jsonschema.Schema{OneOf: []*jsonschema.Schema{plainSchema(t), {Type: "null"}}}
	case reflect.TypeFor[Driver](), reflect.TypeFor[Work](), reflect.TypeFor[Rule](), reflect.TypeFor[Fault](),
		reflect.TypeFor[Action](), reflect.TypeFor[Expectation](), reflect.TypeFor[Network](), reflect.TypeFor[Link](),
		reflect.TypeFor[Local]():
		return plainSchema(t)
	}
	return nil
}

// plainSchema is the schema of a struct written as a mapping of its fields, inline ones included.
func plainSchema(t reflect.Type) *jsonschema.Schema {
	out := &jsonschema.Schema{Type: "object", Properties: jsonschema.NewProperties(), AdditionalProperties: jsonschema.FalseSchema}
	fields := fieldsOf(t)
	for _, name := range fields.names {
		out.Properties.Set(name, fieldSchema(t.FieldByIndex(fields.index[name]).Type))
	}
	return out
}

func fieldSchema(t reflect.Type) *jsonschema.Schema {
	if t.Kind() == reflect.Pointer {
		t = t.Elem()
	}
	if s := schemaOf(t); s != nil {
		return s
	}
	switch t.Kind() {
	case reflect.Bool:
		return &jsonschema.Schema{Type: "boolean"}
	case reflect.Int, reflect.Int64, reflect.Uint64:
		return &jsonschema.Schema{Type: "integer", Minimum: "0"}
	case reflect.Slice:
		return &jsonschema.Schema{Type: "array", Items: fieldSchema(t.Elem())}
	case reflect.Map:
		return &jsonschema.Schema{Type: "object", AdditionalProperties: fieldSchema(t.Elem())}
	}
	return scalarSchema()
}

// scalarSchema is text that YAML may take for a number or a truth value.
func scalarSchema() *jsonschema.Schema {
	return &jsonschema.Schema{OneOf: []*jsonschema.Schema{{Type: "string"}, {Type: "integer"}, {Type: "boolean"}}}
}

func oneOrMany(s *jsonschema.Schema) *jsonschema.Schema {
	return &jsonschema.Schema{OneOf: []*jsonschema.Schema{s, {Type: "array", Items: s}}}
}

func anys(words []string) []any {
	out := make([]any, len(words))
	for i, w := range words {
		out[i] = strings.TrimSpace(w)
	}
	return out
}
