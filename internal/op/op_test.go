package op_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"path/filepath"
	"reflect"
	"strings"
	"testing"
	"time"

	"ios-agent/internal/fault"
	"ios-agent/internal/op"
)

type where struct {
	UDID string `json:"udid,omitempty" doc:"the device"`
}

type in struct {
	where
	Bundle string   `json:"bundle_id" doc:"the app" cli:"arg"`
	Count  int      `json:"count,omitempty" doc:"how often" default:"3" min:"1" max:"9"`
	Scale  float64  `json:"scale,omitempty" doc:"how large" min:"0.1"`
	Format string   `json:"format,omitempty" doc:"what kind" enum:"png,jpeg"`
	Force  bool     `json:"force,omitempty" doc:"no questions"`
	Maybe  *int     `json:"maybe,omitempty" doc:"may be absent"`
	Args   []string `json:"args,omitempty" doc:"more"`
	Out    op.Path  `json:"out,omitempty" doc:"a file"`
	Ref    string   `json:"ref,omitempty" doc:"a ref such as @e1" match:"^@?e[0-9]+$"`
}

type out struct {
	Got in `json:"-"`
	N   int
}

func spec() op.Spec {
	return op.Spec{Name: "probe", Groups: []string{"test"}, Summary: "Look", Route: "POST /probe", Verb: "probe"}
}

// virtual are the options of a catalogue whose answers are marked.
func virtual() op.Options { return op.Options{Toolchain: "virtual", Mark: " [virtual]"} }

// catalogue has one operation, whose function is given.
func catalogue(fn func(context.Context, *op.Call, in) (out, error)) *op.Catalogue {
	return op.NewCatalogue([]op.Op{op.New(spec(), fn)}, op.Options{})
}

func run(t *testing.T, input string) (in, op.Envelope) {
	t.Helper()
	var got in
	e := catalogue(func(_ context.Context, _ *op.Call, i in) (out, error) { got = i; return out{}, nil }).
		Run(t.Context(), "probe", op.Call{}, []byte(input))
	return got, e
}

func TestInputsAcceptOtherSpellingsAndTypes(t *testing.T) {
	five := 5
	for input, want := range map[string]in{
		`{"bundle_id":"a"}`:                                 {Bundle: "a", Count: 3},
		`{"bundleId":"a","count":"5"}`:                      {Bundle: "a", Count: 5},
		`{"bundle-id":"a","force":"true","scale":"0.5"}`:    {Bundle: "a", Count: 3, Force: true, Scale: 0.5},
		`{"bundle_id":"a","maybe":5,"args":["x","y"]}`:      {Bundle: "a", Count: 3, Maybe: &five, Args: []string{"x", "y"}},
		`{"bundle_id":"a","args":"x","count":null}`:         {Bundle: "a", Count: 3, Args: []string{"x"}},
		`{"bundle_id":12,"udid":"U","out":"/a","ref":"e1"}`: {Bundle: "12", Count: 3, where: where{"U"}, Out: "/a", Ref: "e1"},
	} {
		if got, e := run(t, input); e.Error != nil || !reflect.DeepEqual(got, want) {
			t.Errorf("%s: %+v %v", input, got, e.Error)
		}
	}
}

func TestInvalidInputIsRefusedWithReason(t *testing.T) {
	for input, say := range map[string]string{
		``:                                  "bundle_id is required",
		`{}`:                                "bundle_id is required",
		`{"bundle_id":""}`:                  "bundle_id is empty",
		`{"bundle_id":{}}`:                  "bundle_id must be a string",
		`{"bundle_id":"a","count":0}`:       "count must be between 1 and 9, not 0",
		`{"bundle_id":"a","count":1.5}`:     "count must be a whole number",
		`{"bundle_id":"a","scale":0}`:       "scale must be at least 0.1",
		`{"bundle_id":"a","scale":"NaN"}`:   "scale must be a number",
		`{"bundle_id":"a","format":"gif"}`:  "format must be one of png, jpeg",
		`{"bundle_id":"a","force":"maybe"}`: "force must be true or false",
		`{"bundle_id":"a","args":{}}`:       "args must be a list of strings",
		`{"bundle_id":"a","out":"x/y"}`:     "out must be an absolute path",
		`{"bundle_id":"a","ref":"login"}`:   `ref "login" does not fit ^@?e[0-9]+$`,
		`{"bundle_id":"a","bundleId":"b"}`:  "bundle_id is given twice",
		`{"bundle_id":"a","formt":"png"}`:   `probe has no input "formt"`,
		`[]`:                                "not a JSON object",
		"{\"bundle_id\":\"\xff\"}":          "not valid UTF-8",
		`{"bundle_id":"a"`:                  "not a JSON object",
	} {
		_, e := run(t, input)
		if e.Error == nil || e.Error.Code != fault.InvalidInput || !strings.Contains(e.Error.Message, say) {
			t.Errorf("%s: %v, want %q", input, e.Error, say)
		}
	}
	if _, e := run(t, `{"bundle_id":"a","formt":"png"}`); e.Error.Hint != `did you mean "format"?` {
		t.Errorf("hint %q", e.Error.Hint)
	}
}

func FuzzDecode(f *testing.F) {
	f.Add([]byte(`{"bundle_id":"a","count":"5","args":["x"],"maybe":null}`))
	f.Add([]byte(`{"bundleId":{"a":[1e999]}}`))
	c := catalogue(func(context.Context, *op.Call, in) (out, error) { return out{}, nil })
	f.Fuzz(func(t *testing.T, input []byte) {
		e := c.Run(context.Background(), "probe", op.Call{}, input)
		if e.Error != nil && e.Error.Code != fault.InvalidInput {
			t.Errorf("%q: %v", input, e.Error)
		}
		if !json.Valid(e.Body()) {
			t.Errorf("%q: the body is not JSON: %s", input, e.Body())
		}
	})
}

func TestSchemaDescribesAcceptedInputs(t *testing.T) {
	raw, err := json.Marshal(catalogue(nil).Ops()[0].InputSchema())
	if err != nil {
		t.Fatal(err)
	}
	for _, part := range []string{
		`"required":["bundle_id"]`, `"additionalProperties":false`, `"enum":["png","jpeg"]`, `"default":3`,
		`"minimum":1,"maximum":9`, `"items":{"type":"string"}`, `"session":`, `"pattern":"^@?e[0-9]+$"`,
	} {
		if !strings.Contains(string(raw), part) {
			t.Errorf("%s is missing in %s", part, raw)
		}
	}
	if strings.Contains(string(raw), "$ref") {
		t.Errorf("the schema is not inline: %s", raw)
	}
}

func TestEveryErrorBecomesEnvelope(t *testing.T) {
	for name, c := range map[string]struct {
		fn   func(context.Context, *op.Call, in) (out, error)
		code fault.Code
	}{
		"fault":  {func(context.Context, *op.Call, in) (out, error) { return out{}, fault.New(fault.NoDevice, "none") }, fault.NoDevice},
		"error":  {func(context.Context, *op.Call, in) (out, error) { return out{}, errors.New("oops") }, fault.Internal},
		"panic":  {func(context.Context, *op.Call, in) (out, error) { panic("oops") }, fault.Internal},
		"cancel": {func(context.Context, *op.Call, in) (out, error) { return out{}, context.Canceled }, fault.Cancelled},
	} {
		e := catalogue(c.fn).Run(t.Context(), "probe", op.Call{}, []byte(`{"bundle_id":"a"}`))
		if e.Status != op.Failure || e.Error.Code != c.code {
			t.Errorf("%s: %+v", name, e.Error)
		}
	}
}

func TestOperationEndsAtItsTimeout(t *testing.T) {
	s := spec()
	s.Timeout = time.Millisecond
	slow := op.New(s, func(ctx context.Context, _ *op.Call, _ in) (out, error) {
		<-ctx.Done()
		return out{}, ctx.Err()
	})
	e := op.NewCatalogue([]op.Op{slow}, op.Options{}).Run(t.Context(), "probe", op.Call{}, []byte(`{"bundle_id":"a"}`))
	if e.Error == nil || e.Error.Code != fault.Timeout || !strings.Contains(e.Error.Message, "probe did not finish within 1ms") {
		t.Errorf("%+v", e.Error)
	}
}

func TestSessionArgumentWins(t *testing.T) {
	var session string
	c := catalogue(func(_ context.Context, c *op.Call, _ in) (out, error) { session = c.Session; return out{}, nil })
	e := c.Run(t.Context(), "probe", op.Call{Session: "flag"}, []byte(`{"bundle_id":"a","session":"argument"}`))
	if session != "argument" || e.Meta.Session != "argument" || e.Error != nil {
		t.Errorf("session %q, %+v", session, e)
	}
}

// TestDocumentHasNoVirtualMark: programs read an answer without a text of its own, which is its JSON, and one that says that it is a
// document. Text, which people and models read, says beside it that a virtual device answered.
func TestDocumentHasNoVirtualMark(t *testing.T) {
	const sarif = "{\n  \"runs\": []\n}\n"
	for want, probe := range map[string]op.Op{
		`{"N":1}`: op.New(spec(), func(context.Context, *op.Call, in) (out, error) { return out{N: 1}, nil }),
		sarif:     op.New(spec(), func(context.Context, *op.Call, in) (written, error) { return written{nested{sarif}}, nil }),
	} {
		c := op.NewCatalogue([]op.Op{probe}, virtual())
		e := c.Run(t.Context(), "probe", op.Call{}, []byte(`{"bundle_id":"a"}`))
		if e.Stdout != want || !e.Document || !strings.Contains(string(e.Body()), `"toolchain":"virtual"`) {
			t.Errorf("stdout = %q, document %v, body %s; want %q, a document of the virtual toolchain", e.Stdout, e.Document, e.Body(), want)
		}
		if text := e.Text(); text != "toolchain: virtual\n"+want {
			t.Errorf("text = %q, want the toolchain before the document", text)
		}
	}
}

// written is an answer that is a document.
type written struct{ nested }

func (written) Document() bool { return true }

// nested is a text that holds the texts of other answers.
type nested struct{ text string }

func (n nested) Text() string { return n.text }

func TestVirtualMarkAppearsOnce(t *testing.T) {
	for text, want := range map[string]string{
		"done [virtual]":                    "done [virtual]",
		"job3 is done\nbuilt [virtual]\nin": "job3 is done [virtual]\nbuilt\nin",
	} {
		probe := op.New(spec(), func(context.Context, *op.Call, in) (nested, error) { return nested{text}, nil })
		c := op.NewCatalogue([]op.Op{probe}, virtual())
		if e := c.Run(t.Context(), "probe", op.Call{}, []byte(`{"bundle_id":"a"}`)); e.Stdout != want {
			t.Errorf("%q, want %q", e.Stdout, want)
		}
	}
}

func TestAnswerFromOutsideTheToolchainIsNotVirtual(t *testing.T) {
	outside := func(_ context.Context, c *op.Call, _ in) (out, error) { c.Outside = true; return out{N: 1}, nil }
	c := op.NewCatalogue([]op.Op{op.New(spec(), outside)}, virtual())
	e := c.Run(t.Context(), "probe", op.Call{}, []byte(`{"bundle_id":"a"}`))
	if e.Stdout != `{"N":1}` || strings.Contains(string(e.Body()), "virtual") {
		t.Errorf("%q %s", e.Stdout, e.Body())
	}
}

func TestFlagIsKebabCaseOfName(t *testing.T) {
	for name, want := range map[string]string{
		"bundle_id": "bundle-id", "projectPath": "project-path", "useLatestOS": "use-latest-os", "URLScheme": "url-scheme", "a1B": "a1-b",
	} {
		if got := (op.Field{Name: name}).Flag(); got != want {
			t.Errorf("%s: %s", name, got)
		}
	}
}

func TestUnknownOperationSuggestsSimilarName(t *testing.T) {
	c := catalogue(nil)
	if o, err := c.Lookup("probe"); err != nil || o.Name != "probe" {
		t.Error(err)
	}
	_, err := c.Lookup("prob")
	if f := fault.From(err); f.Code != fault.UnknownOperation || !strings.Contains(f.Hint, "probe") {
		t.Errorf("%+v", f)
	}
}

func TestPathsBecomeAbsoluteInTheClient(t *testing.T) {
	o := catalogue(nil).Ops()[0]
	got := string(o.AbsolutePaths([]byte(`{"out":"a/../b.png","bundle_id":"x"}`), "/work"))
	if want := filepath.Join("/work", "b.png"); !strings.Contains(got, `"out":"`+want+`"`) {
		t.Error(got)
	}
	for _, input := range []string{`{"out":"/abs"}`, `{"out":5}`, `nonsense`, ``} {
		if got := string(o.AbsolutePaths([]byte(input), "/work")); got != input {
			t.Errorf("%s became %s", input, got)
		}
	}
}

func TestWrongDeclarationsPanic(t *testing.T) {
	type noDoc struct {
		A string `json:"a"`
	}
	type aMap struct {
		A map[string]string `json:"a" doc:"x"`
	}
	do := func(context.Context, *op.Call, struct{}) (out, error) { return out{}, nil }
	for name, declare := range map[string]func(){
		"name":    func() { op.New(op.Spec{Name: "Bad Name", Groups: []string{"test"}, Summary: "x"}, do) },
		"summary": func() { op.New(op.Spec{Name: "a_b", Groups: []string{"test"}, Summary: "x."}, do) },
		"no doc": func() {
			op.New(spec(), func(context.Context, *op.Call, noDoc) (out, error) { return out{}, nil }).Fields()
		},
		"map": func() {
			op.New(spec(), func(context.Context, *op.Call, aMap) (out, error) { return out{}, nil }).Fields()
		},
		"two names": func() { o := catalogue(nil).Ops()[0]; op.NewCatalogue([]op.Op{o, o}, op.Options{}) },
	} {
		func() {
			defer func() {
				if recover() == nil {
					t.Errorf("%s: accepted", name)
				}
			}()
			declare()
		}()
	}
}

func TestListsAcceptNumbersAndObjects(t *testing.T) {
	type in struct {
		Codes []string `json:"codes,omitempty" doc:"numbers" items:"integer" min:"0" max:"255"`
		Steps []string `json:"steps,omitempty" doc:"objects" items:"object"`
		Words []string `json:"words,omitempty" doc:"strings"`
	}
	var got in
	o := op.New(op.Spec{Name: "lists", Groups: []string{"x"}, Summary: "take lists"},
		func(_ context.Context, _ *op.Call, i in) (struct{}, error) {
			got = i
			return struct{}{}, nil
		})
	for input, want := range map[string]string{
		`{"codes":[40,"42"]}`:             "[40 42] [] []",
		`{"codes":7}`:                     "[7] [] []",
		`{"steps":[{"a":1},"{\"b\":2}"]}`: `[] [{"a":1} {"b":2}] []`,
		`{"words":["a"]}`:                 "[] [] [a]",
		`{"codes":[256]}`:                 "codes must be between 0 and 255, not 256",
		`{"codes":[1.5]}`:                 "codes must be a list of whole numbers, not 1.5",
		`{"steps":["x"]}`:                 `steps must be a list of objects, not "x"`,
		`{"words":[1]}`:                   "words must be a list of strings, not 1",
		`{"words":{"a":1}}`:               `words must be a list of strings, not {"a":1}`,
	} {
		got = in{}
		answer := op.NewCatalogue([]op.Op{o}, op.Options{}).Run(t.Context(), "lists", op.Call{}, []byte(input))
		said := fmt.Sprint(got.Codes, got.Steps, got.Words)
		if answer.Error != nil {
			said = strings.TrimPrefix(answer.Error.Message, "lists: ")
		}
		if said != want {
			t.Errorf("%s: %s, want %s", input, said, want)
		}
	}
	if items := o.InputSchema().Properties["codes"].Items; items.Type != "integer" || *items.Maximum != 255 {
		t.Errorf("%+v", items)
	}
}

type season string

func (season) Choices() []string { return []string{"spring", "summer", "autumn", "winter"} }

func TestTypeDefinesInputChoices(t *testing.T) {
	type in struct {
		When season `json:"when,omitempty" doc:"the season"`
	}
	var got season
	o := op.New(op.Spec{Name: "travel", Groups: []string{"x"}, Summary: "travel"},
		func(_ context.Context, _ *op.Call, i in) (struct{}, error) {
			got = i.When
			return struct{}{}, nil
		})
	all := op.NewCatalogue([]op.Op{o}, op.Options{})
	if e := all.Run(t.Context(), "travel", op.Call{}, []byte(`{"when":"autumn"}`)); e.Error != nil || got != "autumn" {
		t.Errorf("%v %q", e.Error, got)
	}
	if e := all.Run(t.Context(), "travel", op.Call{}, []byte(`{"when":"noon"}`)); e.Error == nil {
		t.Error("noon is a season")
	}
	if enum := o.InputSchema().Properties["when"].Enum; len(enum) != 4 {
		t.Errorf("the schema has %v", enum)
	}
}
