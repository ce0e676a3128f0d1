package house_test

import (
	"bytes"
	"cmp"
	"encoding/json"
	"fmt"
	"maps"
	"path/filepath"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/google/jsonschema-go/jsonschema"

	"ios-agent/internal/fault"
	"ios-agent/internal/op"
	"ios-agent/test/drivertest"
	"ios-agent/test/house"
)

// candidates are values of every kind for a field: inside its schema and outside.
func candidates(f op.Field) []any {
	all := []any{
		"", " ", "x", "strange", "5", "1.5", "true", "3s", 5, 1.5, true, nil, map[string]any{}, map[string]any{"a": "b"}, map[string]any{"a": 1},
		[]any{}, []any{"x"}, []any{"A=B"}, []any{"=B"}, []any{""}, []any{5},
		[]any{map[string]any{"a": 1}}, []any{map[string]any{"key": "A", "value": "B"}},
	}
	for _, bound := range []*float64{f.Min, f.Max} {
		if bound != nil {
			all = append(all, *bound, *bound-1, *bound+1, []any{*bound}, []any{*bound - 1}, []any{*bound + 1})
		}
	}
	for _, choice := range f.Enum {
		all = append(all, choice)
	}
	return all
}

// spelling is the value that another way to write it stands for, as models and command lines write it: a number, a truth, an object or a
// time as a text, a text as a number, pairs as keys and values, one value for a list of one. It is the value itself where there is none.
func spelling(f op.Field, value any) any {
	if f.Kind != op.Strings {
		return one(f, f.Kind, value)
	}
	list, is := value.([]any)
	if !is {
		list = []any{value}
	}
	list = slices.Clone(list)
	for i, item := range list {
		if pair, is := item.(map[string]any); is && f.Pairs && len(pair) == 2 {
			list[i] = fmt.Sprintf("%v=%v", pair["key"], pair["value"])
			continue
		}
		list[i] = one(f, op.Kind(cmp.Or(f.Items, string(op.String))), item)
	}
	return list
}

func one(f op.Field, kind op.Kind, value any) any {
	text, isText := value.(string)
	switch {
	case !isText && (kind == op.String || kind == op.File) && f.Kind != op.Strings:
		return scalarText(value)
	case !isText || kind == op.String || kind == op.File || kind == op.Any:
		return value
	case f.Unit > 0 && op.HasUnit(text):
		d, _ := time.ParseDuration(text) // HasUnit says that it is one
		return json.Number(strconv.FormatFloat(float64(d)/float64(f.Unit), 'f', -1, 64))
	}
	if v := unquoted(text); v != nil {
		return v
	}
	return value
}

func scalarText(value any) any {
	switch v := value.(type) {
	case json.Number:
		return v.String()
	case bool:
		return strconv.FormatBool(v)
	}
	return value
}

// unquoted is the JSON in a text.
func unquoted(text string) (v any) {
	d := json.NewDecoder(strings.NewReader(text))
	d.UseNumber()
	if d.Decode(&v) != nil {
		return nil
	}
	return v
}

// plain is a value as JSON has it.
func plain(t *testing.T, v any) any {
	t.Helper()
	return unquoted(string(jsonOf(t, v)))
}

// fits reports whether a schema accepts a value.
func fits(t *testing.T, s *jsonschema.Resolved, value any) bool {
	t.Helper()
	var v any
	if err := json.Unmarshal(jsonOf(t, value), &v); err != nil {
		t.Fatal(err)
	}
	return s.Validate(v) == nil
}

// published is a schema that clients see of an operation, and how its input is read for those.
type publishedSchema struct {
	surface string
	schema  *jsonschema.Resolved
	refuses func(input []byte) error
}

// publishedOf are the schema of the tool, whose client makes paths absolute, and the one of the route, which holds groups too.
func publishedOf(t *testing.T, o op.Op, dir string) []publishedSchema {
	t.Helper()
	tool, err := o.InputSchema().Resolve(nil)
	if err != nil {
		t.Fatal(err)
	}
	route, err := o.StrictSchema().Resolve(nil)
	if err != nil {
		t.Fatal(err)
	}
	return []publishedSchema{
		{"tool", tool, func(input []byte) error {
			if misfit := o.Misfit(o.AbsolutePaths(input, dir)); misfit != nil {
				return misfit
			}
			return nil
		}},
		{"route", route, func(input []byte) error {
			if misfit := o.Misfit(input); misfit != nil {
				return misfit
			}
			_, err := o.Read(withoutSession(t, input))
			return err
		}},
	}
}

// sessionInput is the input that every operation takes besides its own.
const sessionInput = "session"

// inputsOf are the fields of an operation, and the session.
func inputsOf(o op.Op) []op.Field {
	fields := o.Fields()
	if slices.ContainsFunc(fields, func(f op.Field) bool { return f.Name == sessionInput }) {
		return fields
	}
	return append(slices.Clone(fields), op.Field{Name: sessionInput, Kind: op.String})
}

// withoutSession is an input as an operation reads it: the catalogue has taken the session out.
func withoutSession(t *testing.T, input []byte) []byte {
	t.Helper()
	var given map[string]any
	d := json.NewDecoder(bytes.NewReader(input))
	d.UseNumber()
	if err := d.Decode(&given); err != nil {
		t.Fatal(err)
	}
	delete(given, sessionInput)
	return jsonOf(t, given)
}

// exampleWith is an example of an operation's input with one field given, and none that excludes it.
func exampleWith(files house.Files, o op.Op, id string, f op.Field, value any) map[string]any {
	input := files.Example(o, id)
	for _, group := range o.Exclude {
		leaveOut(input, group, f.Name)
	}
	for _, f := range o.Fields() {
		if path, is := input[f.Name].(string); is && f.Kind == op.File && !filepath.IsAbs(path) {
			input[f.Name] = filepath.Join(filepath.Dir(files.App), path)
		}
	}
	input[f.Name] = value
	return input
}

// TestSchemasAcceptWhatOperationsAccept gives every field of every operation values inside and outside its own schema, as tools and as
// routes publish it. Each value that the schema accepts is accepted, and each other is refused, but for another spelling of a value that
// the schema accepts: that is read as the same.
func TestSchemasAcceptWhatOperationsAccept(t *testing.T) {
	t.Parallel()
	h := house.New(t)
	files, tried := h.Files(), 0
	for i, o := range h.Product.Catalogue.Ops() {
		if !sampled(i, 5) {
			continue
		}
		id := h.Product.Catalogue.ID(o)
		for _, p := range publishedOf(t, o, h.Home.String()) {
			for _, f := range inputsOf(o) {
				example := exampleWith(files, o, id, f, nil)
				with := func(v any) map[string]any {
					input := maps.Clone(example)
					input[f.Name] = v
					return input
				}
				for _, value := range candidates(f) {
					tried++
					judge(t, o, p, f, plain(t, value), with)
				}
			}
		}
	}
	t.Logf("%d values", tried)
}

// judge compares what a schema says of a value with what the operation says.
func judge(t *testing.T, o op.Op, p publishedSchema, f op.Field, value any, with func(any) map[string]any) {
	t.Helper()
	inside, err := fits(t, p.schema, with(value)), p.refuses(jsonOf(t, with(value)))
	like := spelling(f, value)
	switch {
	case (err == nil) == inside, value == nil && !f.Required: // null is how models leave an input out
	case err != nil || reflect.DeepEqual(like, value) || !fits(t, p.schema, with(like)):
		t.Errorf("%s, %s: %s (%s) %#v: the schema accepts it: %v; the operation says %v",
			o.FullName(), p.surface, f.Name, f.Kind, value, inside, err)
	case f.Name == sessionInput: // who reads it is the catalogue
	default:
		got, err := o.Read(jsonOf(t, with(value)))
		want, wrong := o.Read(jsonOf(t, with(like)))
		if fmt.Sprint(got, err) != fmt.Sprint(want, wrong) {
			t.Errorf("%s: %s %#v is read as %+v, %v; want what %#v is read as: %+v, %v", o.FullName(), f.Name, value, got, err, like, want, wrong)
		}
	}
}

// TestCallsAcceptWhatSchemasAccept calls operations with a text, a list and an object for each field whose schema accepts it: none is
// refused as a wrong value of that field, which a client that follows the schema could not have known. Builds are left out: what they
// take is read before they begin.
func TestCallsAcceptWhatSchemasAccept(t *testing.T) {
	t.Parallel()
	h := house.New(t)
	h.Boot("a", drivertest.Conformance)
	files := h.Files()
	for i, o := range h.Product.Catalogue.Ops() {
		id := h.Product.Catalogue.ID(o)
		schema, err := o.InputSchema().Resolve(nil)
		if err != nil {
			t.Fatal(err)
		}
		for _, f := range o.Fields() {
			if _, open := openFields()[f.Name]; open || o.Streams() || o.Long || !full() && i%5 != 0 {
				continue
			}
			for _, value := range []any{"x", []any{"x"}, map[string]any{"a": "b"}} {
				input := exampleWith(files, o, id, f, value)
				if f.Kind == op.Any || !fits(t, schema, input) {
					continue
				}
				e := h.Call("a", id, input)
				if e.Error != nil && e.Error.Code == fault.InvalidInput && e.Error.Details["field"] == f.Name {
					t.Errorf("%s: %s %#v is inside the schema and refused: %s", id, f.Name, value, e.Error.Message)
				}
			}
		}
	}
}

// openFields are fields whose values no schema can list, with why: what is right depends on the machine, on an earlier answer, or on a
// language of its own.
func openFields() map[string]string {
	return map[string]string{
		"cursor": "from an earlier answer", "after": "from an earlier answer", "before": "from an earlier answer",
		"since_cursor": "from an earlier answer", "keys": "those that are set", "profile": "those that were made",
		"listen_host": "an address of this machine", "wdaUrl": "an address", "appiumUrl": "an address", "idbUrl": "an address",
		"payload": "a document", "steps": "command lines", "steps_file": "the file has command lines",
		"task_description": "words of a person", "output": "what a build printed",
		"button": "the example answers the alert in another way", "pattern": "a language of others", "upstream": "an address",
	}
}
