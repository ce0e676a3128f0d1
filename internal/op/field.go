package op

import (
	"cmp"
	"encoding/json"
	"fmt"
	"reflect"
	"regexp/syntax"
	"slices"
	"strconv"
	"strings"
	"time"

	"ios-agent/internal/text/lazyregexp"
)

// Path is an input that names a file. Clients make it absolute before they send it, because the daemon has another working directory; over
// plain HTTP it must be absolute already.
type Path string

// Dash means stdin for a field of paths with the tag dash:"stdin".
const Dash Path = "-"

// Choice is the type of an input with more allowed values than fit into an enum tag.
type Choice interface{ Choices() []string }

// Object is an input with parts of its own, kept as its JSON text. Only the shapes of other products need it. A type made of it that is
// Parted accepts the declared parts only.
type Object string

// Parted is an Object whose parts are the fields of a struct.
type Parted interface{ Parts() any }

// Kind is the shape of a field's value.
type Kind string

// The kinds, in JSON Schema's words where it has one. Maps are missing on purpose, and objects and values of any kind are only for the
// shapes of other products, because they make poor command lines and poor tool calls.
const (
	String  Kind = "string"
	Bool    Kind = "boolean"
	Int     Kind = "integer"
	Float   Kind = "number"
	Strings Kind = "array"
	File    Kind = "path"
	Nested  Kind = "object"
	Any     Kind = "any" // as json.RawMessage; a word of a command line is a number if it looks like one, otherwise a text
)

// Field is one input of an operation, read once from the struct that declares it. Its type decides whether it needs a question (risk.go).
// Its tags:
//
//	json:"name,omitempty"  the name everywhere; without omitempty the field is required
//	doc:"…"                the help text everywhere
//	default:"…"            the value of an omitted input
//	enum:"a,b"             the allowed values, also of a list's items; a type with many implements Choice instead
//	min:"0" max:"9"        bounds of a number
//	unit:"ms"              a number that is a time in ms or s; a text with its own unit, such as 3s, is accepted too
//	match:"^e[0-9]+$"      a pattern for strings
//	dash:"stdin"           a path that may be "-"; only a command line has a stdin, in Call.Stdin
//	dash:"stdout"          an output file; on a command line "-" means stdout
//	pairs:"true"           a list of NAME=VALUE; an object, or a list of {key, value}, is accepted too
//	items:"integer"        the kind of a list's items, if not strings: integer or object, each kept as its JSON text
//	private:"true"         may be secret: a step stores it masked, unless the call reveals it
//	empty:"true"           a required text that may be empty: the operation defines what that means
//	more:"true"            a size: the answer to a call that asks for more than the default is not cut (bound.go)
//	large:"true"           like more, for an input that asks for something that must stay whole, such as a picture
//	ago:"true"             a past time: a duration ago or an RFC 3339 time; see TimeOf
//	else:"label"           the input that gets a text that does not match the pattern
//	cli:"arg"              also a positional argument (with match: taken only by an argument that fits); cli:"-" no flag
type Field struct {
	Name     string
	Doc      string
	Kind     Kind
	Required bool
	Default  string
	Enum     []string
	Min, Max *float64
	Unit     time.Duration      // unit of a number that is a time; 0: not a time
	Match    *lazyregexp.Regexp // compiled when it is first used: a start has hundreds of fields, a call needs only a few
	Items    string             // kind of the items of a list: string, integer or object
	Arg      bool
	NoFlag   bool
	Dash     bool // may be stdin
	Stdout   bool
	Pairs    bool
	Private  bool
	Risk     Risk // risk of its type; empty: none
	More     bool
	Large    bool
	Instant  bool
	Empty    bool
	Else     string
	Ago      bool
	parts    reflect.Type // struct type of the parts of a Parted

	index   []int
	pointer bool // only a pointer field distinguishes a missing value from zero
}

// Flag is the field's name on a command line.
func (f Field) Flag() string { return strings.ReplaceAll(snake(f.Name), "_", "-") }

// TimeFlag is the flag for a time that is written with its unit, if the field's own flag ends in a unit: --timeout 3s for --timeout-ms
// 3000. It is empty for other fields.
func (f Field) TimeFlag() string {
	if short, is := strings.CutSuffix(f.Flag(), "-ms"); is && f.Unit > 0 {
		return short
	}
	return ""
}

// HasUnit reports whether a text is a time with its unit.
func HasUnit(text string) bool {
	_, err := time.ParseDuration(text)
	_, bare := strconv.ParseFloat(text, 64)
	return err == nil && bare != nil
}

// Word converts a word of a command line to a value of the field. It is the word as a text, which the field parses itself; only a field of
// any kind gets a number for a number.
func (f Field) Word(text string) any {
	if _, err := strconv.ParseFloat(text, 64); f.Kind == Any && err == nil && json.Valid([]byte(text)) {
		return json.RawMessage(text)
	}
	return text
}

// fieldsOf reads the fields of an input struct. It flattens embedded structs and structs with the tag op:"inline".
func fieldsOf(s Spec, t reflect.Type) []Field {
	if t.Kind() != reflect.Struct {
		panic(fmt.Sprintf("op %s: input %s is not a struct", s.Name, t))
	}
	fields := flatten(s, t, nil)
	var short []string
	for _, f := range s.Short {
		if f.Default == "" {
			short = append(short, f.Input)
		}
	}
	for _, group := range slices.Concat(s.Exclude, s.Require, [][]string{short}) {
		for _, name := range group {
			if !slices.ContainsFunc(fields, func(f Field) bool { return f.Name == name }) {
				panic(fmt.Sprintf("op %s: a group names the input %q, which does not exist", s.Name, name))
			}
		}
	}
	return fields
}

func flatten(s Spec, t reflect.Type, index []int) []Field {
	var fields []Field
	for sf := range t.Fields() {
		here := append(slices.Clone(index), sf.Index...)
		if sf.Anonymous || sf.Tag.Get("op") == "inline" {
			fields = append(fields, flatten(s, sf.Type, here)...)
			continue
		}
		if !sf.IsExported() {
			continue
		}
		f, err := fieldOf(sf)
		if err != nil {
			panic(fmt.Sprintf("op %s: field %s: %v", s.Name, sf.Name, err))
		}
		f.index = here
		fields = append(fields, f)
	}
	return fields
}

func fieldOf(sf reflect.StructField) (f Field, err error) {
	name, rest, _ := strings.Cut(sf.Tag.Get("json"), ",")
	f = Field{
		Name:     name,
		Doc:      sf.Tag.Get("doc"),
		Required: rest != "omitempty",
		Default:  sf.Tag.Get("default"),
		Arg:      sf.Tag.Get("cli") == "arg",
		NoFlag:   sf.Tag.Get("cli") == "-",
		Dash:     sf.Tag.Get("dash") == "stdin",
		Stdout:   sf.Tag.Get("dash") == "stdout",
		Pairs:    sf.Tag.Get("pairs") == "true",
		Private:  sf.Tag.Get("private") == "true",
		Risk:     riskOf(sf.Type),
		More:     sf.Tag.Get("more") == "true",
		Large:    sf.Tag.Get("large") == "true",
		Empty:    sf.Tag.Get("empty") == "true",
		Else:     sf.Tag.Get("else"),
		Ago:      sf.Tag.Get("ago") == "true",
		Instant:  sf.Type == reflect.TypeFor[Instant](),
		pointer:  sf.Type.Kind() == reflect.Pointer,
	}
	if name == "" || f.Doc == "" {
		return f, fmt.Errorf("needs a json name and a doc")
	}
	if sf.Tag.Get("loses")+sf.Tag.Get("reaches") != "" {
		return f, fmt.Errorf("its risk is a property of its type, and no tag: see risk.go")
	}
	if list := sf.Tag.Get("enum"); list != "" {
		f.Enum = strings.Split(list, ",")
	}
	if choice, ok := reflect.Zero(sf.Type).Interface().(Choice); ok {
		f.Enum = choice.Choices()
	}
	if parted, ok := reflect.Zero(sf.Type).Interface().(Parted); ok {
		f.parts = reflect.TypeOf(parted.Parts())
	}
	if unit := sf.Tag.Get("unit"); unit != "" {
		if f.Unit, err = time.ParseDuration("1" + unit); err != nil {
			return f, err
		}
	}
	if pattern := sf.Tag.Get("match"); pattern != "" {
		if _, err = syntax.Parse(pattern, syntax.Perl); err != nil {
			return f, err
		}
		f.Match = lazyregexp.New(pattern)
	}
	if f.Min, err = bound(sf.Tag.Get("min")); err != nil {
		return f, err
	}
	if f.Max, err = bound(sf.Tag.Get("max")); err != nil {
		return f, err
	}
	if f.Kind, err = kindOf(sf.Type); f.Kind == Strings {
		f.Items = cmp.Or(sf.Tag.Get("items"), string(String))
	}
	return f, err
}

func bound(tag string) (*float64, error) {
	if tag == "" {
		return nil, nil
	}
	n, err := strconv.ParseFloat(tag, 64)
	return &n, err
}

func kindOf(t reflect.Type) (Kind, error) {
	if t.Kind() == reflect.Pointer {
		t = t.Elem()
	}
	if t == reflect.TypeFor[Path]() {
		return File, nil
	}
	if t == reflect.TypeFor[Object]() || t.Implements(reflect.TypeFor[Parted]()) {
		return Nested, nil
	}
	if t == reflect.TypeFor[json.RawMessage]() {
		return Any, nil
	}
	kinds := map[reflect.Kind]Kind{
		reflect.String: String, reflect.Bool: Bool,
		reflect.Int: Int, reflect.Int64: Int, reflect.Float64: Float,
	}
	if k, ok := kinds[t.Kind()]; ok {
		return k, nil
	}
	if t.Kind() == reflect.Slice && t.Elem().Kind() == reflect.String {
		return Strings, nil
	}
	return "", fmt.Errorf("inputs of type %s are not supported", t)
}
