// Package op declares and calls operations. One declaration (a Spec, an input struct, an output struct and a function) yields the CLI verb,
// the REST route, the MCP tool, the schema and the help. New makes an Op, NewCatalogue collects them, Catalogue.Run calls one. The package
// must not know devices or apps: the operations are in package ops.
package op

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strings"
	"sync"
	"time"

	"ios-agent/internal/fault"
	"ios-agent/internal/hint"
)

// Hints say what an operation may change. The zero value means that it changes something that another operation can undo.
type Hints uint8

// The hints. The first four map one to one to MCP's tool annotations.
const (
	ReadOnly    Hints = 1 << iota // changes no state
	Destructive                   // may lose data
	Idempotent                    // a second call with the same input has no further effect
	OpenWorld                     // reaches beyond this machine
	Executes                      // starts foreign code of the caller's choice; allow lists and approvals derive from it
	Repeatable                    // a second call with the same Call.Request gets the answer of the first
)

// Has reports whether h includes the hint.
func (h Hints) Has(hint Hints) bool { return h&hint != 0 }

// Spec declares an operation. It does not need the operation's dependencies, so a client can derive its surface without opening a device.
type Spec struct {
	Name     string        // snake_case; the MCP tool's name
	Family   string        // the product whose names and shapes it has; empty is Core
	Groups   []string      // its groups: device, app, ui, …; help lists it under the first
	Verb     string        // the CLI's words for it; empty: the name with hyphens, below its family's word; None: no verb
	Aliases  []string      // other verbs that the CLI accepts; the name is added
	Route    string        // REST: "POST /api/v1/…"; empty: derived from family and name; None: no route
	Summary  string        // one line, no full stop
	Describe string        // description for MCP clients instead of the summary, if another product has one; with its full stop
	Help     string        // more text, for help pages
	Asked    string        // phrases in which users ask for it, separated by semicolons, for searches
	Hints    Hints         //
	Timeout  time.Duration // of the whole call; 0 means DefaultTimeout
	Offline  bool          // needs no state of the daemon: a command line runs it in its own process
	Passive  bool          // reports on a running daemon: a command line does not start one for it
	Long     bool          // may take longer than a client waits; then it becomes a job
	Default  bool          // in the default MCP tool set
	Twin     string        // for another family: our operation that does the same; empty: the one of its name, if it exists
	Exclude  [][]string    // groups of inputs of which at most one may be given
	Require  [][]string    // groups of inputs of which at least one must be given
	Next     []string      // operations that usually follow
	Follow   string        // the stream that continues its answer, with inputs of the same names; the CLI's --follow
	Instead  []Instead     // flags of the CLI that call another operation with the same inputs
	Short    []Short       // flags that only a command line has
	Examples []string      // CLI lines, without the program's name and the family's word
	Own      int           // maximum bytes of JSON in answers of its family's product, if more than MostJSON
	OwnText  int           // the same for text
	Complete Completer     // adds values that the call may omit; nil: none
	REST                   // the form of the answer over HTTP
}

// REST is the form of an operation over HTTP. The zero value fits most: JSON, with the key, by one route.
type REST struct {
	Also     []string  // other routes, in the form of Spec.Route
	Public   bool      // callers do not need the key
	Picture  bool      // the answer is the output's picture, not JSON
	Download bool      // the answer is the file of the output, which embeds a Download, not JSON
	AsksBack bool      // the status is 200 when the operation asks which of several candidates was meant
	Statuses *Statuses // statuses that differ from the statuses of the codes
	Body     int64     // maximum size of a request body in bytes; 0: the usual maximum
}

// Short is a command-line flag for one form of another input: --pid 4711 for --udid pid:4711. If an operation has an input of the flag's
// name, the flag belongs to that input.
type Short struct {
	Flag, Input, Prefix, Doc string
	// Default is a default of the session that the flag replaces for one call (Call.Instead); the flag then does not stand for an input. No
	// schema lists it.
	Default string
	Needs   string // only operations with this input have the flag; empty: all operations
	// Elsewhere is for a flag that names a server; see Op.Refuses. It says how else to give the server. Empty: the flag does not name a
	// server.
	Elsewhere string
}

// Instead is a command-line flag that calls another operation. If only that operation needs a question, the CLI prints its command line
// instead.
type Instead struct{ Flag, Op, Doc string }

// Refuses reports whether a call must not use a flag: a flag that names a server, with an operation that runs without a question. Clients
// approve a verb or a tool with all its inputs, so such a flag would bypass the question.
func (o Op) Refuses(s Short) bool { return s.Elsewhere != "" && o.Unattended() }

// None stands for a verb or a route that an operation does not have.
const None = "-"

// Core is the family of our own operations. The other families have the names and shapes of other products.
const Core = "core"

// DefaultTimeout is the time limit of an operation without a Timeout.
const DefaultTimeout = 30 * time.Second

// Op is a declared operation.
type Op struct {
	Spec
	out    reflect.Type
	fields func() []Field
	invoke func(ctx context.Context, c *Call, input []byte) (any, error)
	check  func(c *Call, input []byte) error // nil: only a call finds out
	stream func(ctx context.Context, c *Call, input []byte, emit func(any) error) error
	text   func(json.RawMessage) (string, bool) // text of a stream's item
}

// Shorts returns the flags of Spec.Short, except flags that have the name of an input of the operation.
func (o Op) Shorts() []Short {
	return slices.DeleteFunc(slices.Clone(o.Short), func(s Short) bool {
		has := func(is func(Field) bool) bool { return slices.ContainsFunc(o.Fields(), is) }
		return has(func(f Field) bool { return f.Flag() == s.Flag }) || s.Needs != "" && !has(func(f Field) bool { return f.Name == s.Needs })
	})
}

// Put adds to the input the value for which the flag stands.
func (s Short) Put(o Op, input map[string]any, value string) error {
	if s.Default != "" {
		input[s.Default] = value
		return nil
	}
	if _, twice := input[s.Input]; twice {
		return fault.New(fault.InvalidInput, "%s: %s and %s set the same input", o.Verb, hint.Field(s.Input), hint.Field(s.Flag)).
			With("field", s.Input).WithHint("give one of them")
	}
	input[s.Input] = s.Prefix + value
	return nil
}

// Texter is an output with a text for people and models.
type Texter interface{ Text() string }

// Documenter is an output whose text may be a document that programs read, such as SARIF, and not prose.
type Documenter interface{ Document() bool }

// Refuser is an output that may say that the operation did nothing, if the format of another product has no fault for that.
type Refuser interface{ Refused() bool }

// Image is a picture that goes with an output.
type Image struct {
	MIME  string `json:"mime"`
	Data  []byte `json:"data"`
	About string `json:"about,omitempty"` // a line of text that describes the picture
}

// Download is a file as an output.
type Download struct {
	Name string `json:"file_name"`
	MIME string `json:"media_type"`
	Data string `json:"data_base64"`
}

// Imager is an output that comes with pictures.
type Imager interface{ Images() []Image }

// New declares an operation. A wrong declaration is a programming error and panics at start-up.
func New[In, Out any](s Spec, fn func(context.Context, *Call, In) (Out, error)) Op {
	s = checked(s)
	fields := fieldsOnce[In](s)
	return Op{
		Spec:   s,
		out:    reflect.TypeFor[Out](),
		fields: fields,
		invoke: func(ctx context.Context, c *Call, input []byte) (any, error) {
			in, err := read[In](s, fields(), c, input)
			if err != nil {
				return nil, err
			}
			return fn(ctx, c, in)
		},
		check: func(c *Call, input []byte) error {
			in, err := read[In](s, fields(), c, input)
			if k, checks := any(in).(Checker); err == nil && checks {
				err = k.Check()
			}
			return err
		},
	}
}

// Checker is an input that checks whether its parts fit together.
type Checker interface{ Check() error }

// Check refuses an input that a call would refuse before it does anything. It does not perform the operation.
func (o Op) Check(c *Call, input []byte) error {
	_, input, err := o.insteadOf(input)
	if err != nil {
		return err
	}
	if o.check == nil {
		_, err := o.Read(input)
		return err
	}
	return o.check(c, input)
}

// NewKeyed declares an operation whose inputs are rows of a table and not fields of a struct. Its function gets the given values by name:
// string, bool, int64, float64 or []string.
func NewKeyed[Out any](s Spec, fields []Field, fn func(context.Context, *Call, map[string]any) (Out, error)) Op {
	s = checked(s)
	return Op{
		Spec:   s,
		out:    reflect.TypeFor[Out](),
		fields: func() []Field { return fields },
		invoke: func(ctx context.Context, c *Call, input []byte) (any, error) {
			raws, err := rawValues(s, fields, input)
			if err != nil {
				return nil, err
			}
			given, err := parseValues(s, fields, raws)
			if err != nil {
				return nil, err
			}
			return fn(ctx, c, given)
		},
	}
}

// FullName is a unique name of an operation, also where the core family has the bare name.
func (s Spec) FullName() string { return s.Family + "_" + s.Name }

// In gives an operation to another family under its own name, if the other product's shape is ours or a part of it. The route stays with
// the original.
func (o Op) In(family string) Op {
	o.Family, o.Route, o.Also, o.Default, o.Next, o.Twin = family, "", nil, false, nil, o.Name
	o.Verb, o.Aliases = familyVerb(family, o.Name), aliases(family, o.Name, nil)
	return o
}

// familyVerb returns the verb of an operation of another family. It begins with the family's word, so that the core family has one verb for
// one thing.
func familyVerb(family, name string) string {
	if family == Core {
		return hyphens(name)
	}
	return family + " " + hyphens(name)
}

// aliases returns an operation's name in the form of tool names, because agents that know the tool try it. Operations of other families
// also keep their former verb, without the family's word.
func aliases(family, name string, more []string) []string {
	if family != Core {
		return []string{hyphens(name)}
	}
	return append(slices.Clone(more), hyphens(name), name)
}

func hyphens(name string) string { return strings.ReplaceAll(name, "_", "-") }

func fieldsOnce[In any](s Spec) func() []Field {
	return sync.OnceValue(func() []Field { return fieldsOf(s, reflect.TypeFor[In]()) })
}

// read decodes an input after it was completed.
func read[In any](s Spec, fields []Field, c *Call, input []byte) (v In, err error) {
	raws, err := rawValues(s, fields, input)
	if err != nil {
		return v, err
	}
	if raws, err = completed(s, fields, c, raws); err != nil {
		return v, err
	}
	values, err := parseValues(s, fields, raws)
	if err != nil {
		return v, err
	}
	target := reflect.ValueOf(&v).Elem()
	for _, f := range fields {
		if value, ok := values[f.Name]; ok {
			f.store(value, target.FieldByIndex(f.index))
		}
	}
	return v, nil
}

// Fields returns the operation's inputs, in the order of declaration.
func (o Op) Fields() []Field { return o.fields() }

// Read reads an input like a call and returns its values: by the names of the fields and with their kinds, without omitted ones. A policy
// reads a call this way before it is made, however the caller spelled it.
func (o Op) Read(input []byte) (map[string]any, error) {
	_, input, err := o.insteadOf(input)
	if err != nil {
		return nil, err
	}
	given, err := rawValues(o.Spec, o.Fields(), input)
	if err != nil {
		return nil, err
	}
	values, err := parseValues(o.Spec, o.Fields(), given)
	maps.DeleteFunc(values, func(name string, _ any) bool { _, is := given[name]; return !is })
	return values, err
}

// Unattended reports whether the operation may run without a question to a person, whatever its input. Such an operation starts no foreign
// code, loses no data, and has no input with a risk (risk.go), such as a file or a server. Allow lists, batches and policies derive from
// it.
func (o Op) Unattended() bool {
	return !o.Hints.Has(Executes|Destructive) && !slices.ContainsFunc(o.Fields(), Field.Risky)
}

// Streams reports whether the operation answers with items until its caller ends it.
func (o Op) Streams() bool { return o.stream != nil }

// Group is the group under which help lists the operation.
func (o Op) Group() string { return o.Groups[0] }

// Method is the HTTP method of the route.
func (o Op) Method() string { m, _, _ := strings.Cut(o.Route, " "); return m }

// Path is the route without its method.
func (o Op) Path() string { _, p, _ := strings.Cut(o.Route, " "); return p }

// Limit is the time limit of a call.
func (o Op) Limit() time.Duration {
	if o.Timeout > 0 {
		return o.Timeout
	}
	return DefaultTimeout
}

// isName reports whether an operation may have this name. Like isRoute it uses no regular expressions, because every start would compile
// them.
func isName(name string) bool {
	const letters = "abcdefghijklmnopqrstuvwxyz"
	return len(name) >= 2 && len(name) <= 61 && name[0] >= 'a' && name[0] <= 'z' && strings.Trim(name, letters+"0123456789_") == ""
}

func isRoute(route string) bool {
	method, path, _ := strings.Cut(route, " ")
	return slices.Contains([]string{"GET", "POST", "PUT", "PATCH", "DELETE"}, method) && strings.HasPrefix(path, "/")
}

func unlessNone(name string) string {
	if name == None {
		return ""
	}
	return name
}

// checked fills in the omitted parts of a spec and panics on its mistakes.
func checked(s Spec) Spec {
	if s.Family == "" {
		s.Family = Core
	}
	s.Verb = unlessNone(cmp.Or(s.Verb, familyVerb(s.Family, s.Name)))
	if s.Verb != "" {
		s.Aliases = slices.DeleteFunc(aliases(s.Family, s.Name, s.Aliases), func(word string) bool { return word == s.Verb })
	}
	s.Examples = slices.Clone(s.Examples)
	for i, line := range s.Examples {
		if s.Family != Core && strings.HasPrefix(line+" ", hyphens(s.Name)+" ") {
			s.Examples[i] = s.Family + " " + line
		}
	}
	s.Route = unlessNone(cmp.Or(s.Route, "POST /api/v1/"+s.Family+"/"+s.Name))
	switch {
	case !isName(s.Name):
		panic(fmt.Sprintf("op: bad name %q", s.Name))
	case s.Summary == "" || strings.HasSuffix(s.Summary, "."):
		panic(fmt.Sprintf("op %s: the summary is one line without a full stop", s.Name))
	case s.Route != "" && !isRoute(s.Route):
		panic(fmt.Sprintf("op %s: bad route %q", s.Name, s.Route))
	case s.Hints.Has(ReadOnly) && s.Hints.Has(Destructive):
		panic(fmt.Sprintf("op %s: cannot be read-only and destructive", s.Name))
	case len(s.Groups) == 0:
		panic(fmt.Sprintf("op %s: belongs to no group", s.Name))
	}
	return s
}

// Out is the type of the operation's output; for a stream, of an item.
func (o Op) Out() reflect.Type { return o.out }
