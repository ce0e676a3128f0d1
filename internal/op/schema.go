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

// StrictSchema is InputSchema with the groups of inputs as combinators, and with absolute paths, for clients that do not make them
// absolute. It is for OpenAPI: model providers refuse tools whose schema has a combinator at its top.
func (o Op) StrictSchema() *jsonschema.Schema {
	s := o.InputSchema()
	for _, f := range o.Fields() {
		if f.Kind == File {
			s.Properties[f.Name].Pattern = f.absolutePattern()
		}
	}
	for _, group := range o.Require {
		any := &jsonschema.Schema{}
		for _, name := range group {
			any.AnyOf = append(any.AnyOf, o.given(name, true))
		}
		s.AllOf = append(s.AllOf, any)
	}
	for _, group := range o.Exclude {
		for i, name := range group {
			for _, other := range group[i+1:] {
				both := &jsonschema.Schema{AllOf: []*jsonschema.Schema{o.given(name, false), o.given(other, false)}}
				s.AllOf = append(s.AllOf, &jsonschema.Schema{Not: both})
			}
		}
	}
	return s
}

// given returns the schema of an input that contains a field, by the rule of checkGroups: an empty text does not count, unless it fulfils a
// requirement by resetting a setting.
func (o Op) given(name string, fulfils bool) *jsonschema.Schema {
	s := &jsonschema.Schema{Required: []string{name}}
	f, _ := fieldNamed(o.Fields(), name)
	if (f.Kind == String || f.Kind == File) && len(f.Enum) == 0 && !(fulfils && f.pointer) {
		s.Properties = map[string]*jsonschema.Schema{name: {MinLength: jsonschema.Ptr(1)}}
	}
	return s
}

// GroupsInWords describes the groups of inputs in words; empty without groups. It is part of descriptions, because models read those.
func (o Op) GroupsInWords() string {
	var parts []string
	for _, group := range o.Require {
		last := len(group) - 1
		parts = append(parts, "Needs "+strings.TrimPrefix(strings.Join(group[:last], ", ")+" or "+group[last], " or ")+".")
	}
	for _, group := range o.Exclude {
		parts = append(parts, "At most one of "+strings.Join(group, ", ")+".")
	}
	return strings.Join(parts, " ")
}

// InputSchema is the JSON Schema of the operation's input: inline, closed, in the order of declaration. It is made on demand: a CLI call
// needs none, a tools/list needs a dozen.
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
		f.list(s)
	case Nested:
		f.object(s)
	default:
		s.Enum = f.choices()
	}
	f.text(s)
	if f.Default != "" {
		s.Default = f.defaultJSON()
	}
	return s
}

// list adds the schema of a list's items. Pairs may be an object too.
func (f Field) list(s *jsonschema.Schema) {
	s.Items = &jsonschema.Schema{Type: cmp.Or(f.Items, string(String)), Minimum: f.Min, Maximum: f.Max}
	s.Minimum, s.Maximum, s.Items.Enum = nil, nil, f.choices()
	if f.Pairs {
		s.Type, s.Types = "", []string{"array", "object"}
		s.Items.Pattern = pairPattern
	}
}

func (f Field) choices() (all []any) {
	for _, e := range f.Enum {
		all = append(all, e)
	}
	return all
}

// object adds the schema of an object's parts. Each part may be omitted.
func (f Field) object(s *jsonschema.Schema) {
	if f.parts == nil {
		return
	}
	parts, err := jsonschema.ForType(f.parts, nil)
	if err != nil {
		panic(fmt.Sprintf("op: the parts of %s: %v", f.Name, err))
	}
	s.Properties, s.PropertyOrder, s.AdditionalProperties = parts.Properties, parts.PropertyOrder, parts.AdditionalProperties
}

func (f Field) text(s *jsonschema.Schema) {
	switch {
	case f.Match != nil:
		s.Pattern = f.Match.String()
	case f.Instant:
		s.Pattern = "^" + instantPattern + "$"
	case f.Ago:
		s.Pattern = "^(" + instantPattern + "|" + agoPattern + ")$"
	case !f.Required || f.Empty || len(f.Enum) > 0:
	case f.Kind == File:
		s.Pattern = `\S`
	case f.Kind == String:
		s.MinLength = jsonschema.Ptr(1)
	}
}

const pairPattern = "^[^=]+="

// absolutePattern returns the pattern of a path that must be absolute. It does not match a blank path.
func (f Field) absolutePattern() string {
	forms := []string{"/"}
	if f.Dash {
		forms = append(forms, "-$")
	}
	if !f.Required {
		forms = append(forms, `\s*$`)
	}
	return "^(" + strings.Join(forms, "|") + ")"
}

// defaultJSON returns the default in the JSON form of the field's kind: 5, not "5".
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

// AnswerSchema is the schema of an answer for programs: the operation's result, the job of a long operation, or a fault with the partial
// result beside it.
func (o Op) AnswerSchema() *jsonschema.Schema {
	forms := []*jsonschema.Schema{o.OutputSchema()}
	if o.Long {
		forms = append(forms, withMeta(reflect.TypeFor[JobOut]()))
	}
	return &jsonschema.Schema{Type: "object", AnyOf: append(forms, withMeta(reflect.TypeFor[failure]()))}
}

type failure struct {
	Error  fault.Fault     `json:"error"`
	Result json.RawMessage `json:"result,omitempty"` // the part of the result that exists in spite of the fault
}
