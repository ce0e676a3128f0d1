package op

import (
	"cmp"
	"encoding/json"
	"fmt"
	"reflect"
	"strings"

	"github.com/google/jsonschema-go/jsonschema"

	"ios-agent/internal/fault"
)

// StrictSchema is InputSchema with the groups of inputs as combinators. It is for OpenAPI: model providers refuse tools
// whose schema has a combinator at its top.
func (o Op) StrictSchema() *jsonschema.Schema {
	s := o.InputSchema()
	one := func(name string) *jsonschema.Schema { return &jsonschema.Schema{Required: []string{name}} }
	for _, group := range o.Require {
		any := &jsonschema.Schema{}
		for _, name := range group {
			any.AnyOf = append(any.AnyOf, one(name))
		}
		s.AllOf = append(s.AllOf, any)
	}
	for _, group := range o.Exclude {
		for i, name := range group {
			for _, other := range group[i+1:] {
				s.AllOf = append(s.AllOf, &jsonschema.Schema{Not: &jsonschema.Schema{Required: []string{name, other}}})
			}
		}
	}
	return s
}

// GroupsInWords are the groups of inputs; empty when there are none. It goes with descriptions, where models read it.
func (o Op) GroupsInWords() string {
	var parts []string
	for _, group := range o.Require {
		parts = append(parts, "Needs "+strings.Join(group, " or ")+".")
	}
	for _, group := range o.Exclude {
		parts = append(parts, "At most one of "+strings.Join(group, ", ")+".")
	}
	return strings.Join(parts, " ")
}

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
		s.Properties[sessionKey] = &jsonschema.Schema{Type: string(String), Description: "client session"}
		s.PropertyOrder = append(s.PropertyOrder, sessionKey)
	}
	return s
}

func (f Field) schema() *jsonschema.Schema {
	s := &jsonschema.Schema{Type: string(f.Kind), Description: f.Doc, Minimum: f.Min, Maximum: f.Max}
	switch f.Kind {
	case File:
		s.Type = string(String)
	case Any:
		s.Type = ""
	case Strings:
		s.Items = &jsonschema.Schema{Type: cmp.Or(f.Items, string(String)), Minimum: f.Min, Maximum: f.Max}
		s.Minimum, s.Maximum = nil, nil
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
func (o Op) OutputSchema() *jsonschema.Schema { return withMeta(o.out) }

func withMeta(t reflect.Type) *jsonschema.Schema {
	anything := map[reflect.Type]*jsonschema.Schema{reflect.TypeFor[json.RawMessage](): {}}
	s, err := jsonschema.ForType(t, &jsonschema.ForOptions{TypeSchemas: anything})
	if err != nil {
		panic(fmt.Sprintf("op: the schema of %s: %v", t, err))
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

// AnswerSchema is what an answer of the operation fits, as a program gets it: its result, the job that a long one has
// become, or a fault with what there is beside it.
func (o Op) AnswerSchema() *jsonschema.Schema {
	forms := []*jsonschema.Schema{o.OutputSchema()}
	if o.Long {
		forms = append(forms, withMeta(reflect.TypeFor[JobOut]()))
	}
	return &jsonschema.Schema{Type: "object", AnyOf: append(forms, withMeta(reflect.TypeFor[failure]()))}
}

// failure is how a fault stands in an answer, for its schema.
type failure struct {
	Error  fault.Fault     `json:"error"`
	Result json.RawMessage `json:"result,omitempty"` // what there is in spite of it
}
