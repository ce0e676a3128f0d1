package op

import (
	"encoding/json"
	"fmt"

	"github.com/google/jsonschema-go/jsonschema"
)

// InputSchema is the JSON Schema of the operation's input: inline, closed, in the order of declaration. It is made
// when asked for: a CLI call needs none, a tools/list needs a dozen.
func (o Op) InputSchema() *jsonschema.Schema {
	s := &jsonschema.Schema{
		Type:                 "object",
		Properties:           map[string]*jsonschema.Schema{},
		AdditionalProperties: &jsonschema.Schema{Not: &jsonschema.Schema{}},
	}
	for _, f := range o.Fields() {
		s.Properties[f.Name] = f.schema()
		s.PropertyOrder = append(s.PropertyOrder, f.Name)
		if f.Required && f.Default == "" {
			s.Required = append(s.Required, f.Name)
		}
	}
	if _, own := s.Properties[sessionKey]; !own {
		s.Properties[sessionKey] = &jsonschema.Schema{Type: string(String), Description: "client session, if not the default one"}
		s.PropertyOrder = append(s.PropertyOrder, sessionKey)
	}
	return s
}

func (f Field) schema() *jsonschema.Schema {
	s := &jsonschema.Schema{Type: string(f.Kind), Description: f.Doc, Minimum: f.Min, Maximum: f.Max}
	switch f.Kind {
	case File:
		s.Type = string(String)
	case Strings:
		s.Items = &jsonschema.Schema{Type: string(String)}
	}
	for _, e := range f.Enum {
		s.Enum = append(s.Enum, e)
	}
	if f.Match != nil {
		s.Pattern = f.Match.String()
	}
	if f.Default != "" {
		s.Default = f.defaultJSON()
	}
	return s
}

// defaultJSON spells the default as the field's kind: 5, not "5".
func (f Field) defaultJSON() json.RawMessage {
	quoted, _ := json.Marshal(f.Default)
	value, err := f.parse(quoted)
	if err != nil {
		panic(fmt.Sprintf("op: default of %s: %v", f.Name, err))
	}
	out, _ := json.Marshal(value)
	return out
}

// OutputSchema is the JSON Schema of the operation's result with the meta that every answer carries.
func (o Op) OutputSchema() *jsonschema.Schema {
	s, err := jsonschema.ForType(o.out, &jsonschema.ForOptions{})
	if err != nil {
		panic(fmt.Sprintf("op %s: output: %v", o.Name, err))
	}
	meta, err := jsonschema.For[Meta](nil)
	if err != nil {
		panic(fmt.Sprintf("op: meta: %v", err))
	}
	if s.Properties == nil {
		s.Properties = map[string]*jsonschema.Schema{}
	}
	s.Properties["meta"] = meta
	return s
}
