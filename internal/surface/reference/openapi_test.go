package reference_test

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"regexp"
	"strings"
	"sync"
	"testing"

	"github.com/google/jsonschema-go/jsonschema"

	"ios-agent/internal/daemon/product"
	"ios-agent/internal/fault"
	"ios-agent/internal/op"
	"ios-agent/internal/surface/reference"
	"ios-agent/internal/surface/rest"
)

// described is what the tests look at in the document.
type described struct {
	OpenAPI    string
	Paths      map[string]map[string]operation
	Components struct {
		Schemas    map[string]*jsonschema.Schema
		Parameters map[string]parameter
		Responses  map[string]response
	}
}

type parameter struct {
	Name, In, Description string
	Required              bool
	Ref                   string `json:"$ref"`
	Schema                *jsonschema.Schema
}

type operation struct {
	OperationID string
	Description string
	Security    *[]any
	Parameters  []parameter
	RequestBody *struct {
		Required bool
		Content  map[string]struct{ Schema *jsonschema.Schema }
	}
	Responses map[string]response
}

type response struct {
	Ref     string `json:"$ref"`
	Content map[string]struct{ Schema *jsonschema.Schema }
}

// parse reads the document and puts in, for each reference, what it refers to.
func parse(t *testing.T, raw []byte) described {
	t.Helper()
	d, err := read(raw)
	if err != nil {
		t.Fatal(err)
	}
	return d
}

func read(raw []byte) (d described, err error) {
	var whole any
	if err := json.Unmarshal(raw, &whole); err != nil {
		return d, err
	}
	if raw, err = json.Marshal(expand(whole, whole)); err == nil {
		err = json.Unmarshal(raw, &d)
	}
	return d, err
}

// ours is the product's own document. It is read once: that takes a second, and nobody changes it.
func ours(t *testing.T) described {
	t.Helper()
	d, err := readOurs()
	if err != nil {
		t.Fatal(err)
	}
	return d
}

var readOurs = sync.OnceValues(func() (described, error) {
	files, err := once()
	if err != nil {
		return described{}, err
	}
	return read([]byte(files["openapi.json"]))
})

func expand(node, whole any) any {
	switch n := node.(type) {
	case map[string]any:
		if ref, ok := n["$ref"].(string); ok {
			return expand(at(whole, ref), whole)
		}
		out := map[string]any{}
		for k, v := range n {
			out[k] = expand(v, whole)
		}
		return out
	case []any:
		out := make([]any, len(n))
		for i, v := range n {
			out[i] = expand(v, whole)
		}
		return out
	}
	return node
}

// at is what a reference leads to; nil when that is nothing.
func at(whole any, ref string) any {
	for key := range strings.SplitSeq(strings.TrimPrefix(ref, "#/"), "/") {
		object, _ := whole.(map[string]any)
		whole = object[key]
	}
	return whole
}

func TestOpenAPIHasTheRoutesOfTheCatalogue(t *testing.T) {
	c := product.Catalogue()
	d := ours(t)
	missing := map[string]string{}
	for _, o := range c.Ops() {
		if o.Route != "" {
			missing[o.Route] = c.ID(o)
		}
		for i, route := range o.Also {
			missing[route] = fmt.Sprintf("%s_%d", c.ID(o), i+2)
		}
	}
	for path, methods := range d.Paths {
		for method, o := range methods {
			route := strings.ToUpper(method) + " " + path
			if missing[route] != o.OperationID {
				t.Errorf("%s is %s, not %s", route, o.OperationID, missing[route])
			}
			delete(missing, route)
		}
	}
	if len(missing) > 0 || d.OpenAPI != "3.1.0" {
		t.Errorf("OpenAPI %s lacks %v", d.OpenAPI, missing)
	}
}

func TestEveryRefResolves(t *testing.T) {
	raw := []byte(documents(t)["openapi.json"])
	var whole any
	if err := json.Unmarshal(raw, &whole); err != nil {
		t.Fatal(err)
	}
	refs := 0
	walk(whole, func(ref string) {
		refs++
		if at(whole, ref) == nil || !strings.HasPrefix(ref, "#/components/") {
			t.Errorf("%s leads nowhere", ref)
		}
	})
	if refs < 100 {
		t.Errorf("only %d references", refs)
	}
}

// TestOpenAPIIsSmall: a model or an editor that loads the description must be able to.
func TestOpenAPIIsSmall(t *testing.T) {
	const each = 2000 // with its share of the components
	raw := []byte(documents(t)["openapi.json"])
	if most := each * strings.Count(string(raw), `"operationId"`); len(raw) > most {
		t.Errorf("%d bytes, more than %d", len(raw), most)
	}
	for i, line := range strings.Split(string(raw), "\n") {
		if len(line) > 140 && len(member.FindAllString(line, 2)) > 1 {
			t.Errorf("line %d has %d columns and several members", i+1, len(line))
		}
	}
}

// member is the name of a member of an object; in a text its quote would be escaped.
var member = regexp.MustCompile(`[^\\]":`)

// TestSharedSchemasMatchOperations compares every body with what the operation itself declares.
func TestSharedSchemasMatchOperations(t *testing.T) {
	c := product.Catalogue()
	d := ours(t)
	for _, o := range c.Ops() {
		if o.Route == "" || o.Streams() {
			continue
		}
		described := d.Paths[o.Path()][strings.ToLower(o.Method())]
		got := described.Responses["200"].Content["application/json"].Schema
		if o.Long {
			got = got.AnyOf[0]
		}
		if want := o.OutputSchema(); got.String() != want.String() {
			t.Errorf("%s answers with\n%s\nnot\n%s", o.Name, got, want)
		}
		for _, f := range o.Fields() {
			if in := inputOf(described, f.Name); in == nil || in.Type != o.InputSchema().Properties[f.Name].Type {
				t.Errorf("%s takes %s as %v", o.Name, f.Name, in)
			}
		}
	}
}

func inputOf(o operation, name string) *jsonschema.Schema {
	for _, p := range o.Parameters {
		if p.Name == name {
			return p.Schema
		}
	}
	if o.RequestBody == nil {
		return nil
	}
	return o.RequestBody.Content["application/json"].Schema.Properties[name]
}

func walk(node any, see func(ref string)) {
	switch n := node.(type) {
	case map[string]any:
		if ref, ok := n["$ref"].(string); ok {
			see(ref)
		}
		for _, v := range n {
			walk(v, see)
		}
	case []any:
		for _, v := range n {
			walk(v, see)
		}
	}
}

type pathIn struct {
	ID    string  `json:"id" doc:"which"`
	Out   op.Path `json:"out,omitempty" doc:"a file"`
	Count int     `json:"count,omitempty" doc:"how often" min:"1"`
	Name  string  `json:"name,omitempty" doc:"by name"`
}

type item struct {
	Line string `json:"line"`
}

// several is a catalogue with one of each kind.
func several() *op.Catalogue {
	spec := func(name, route string) op.Spec {
		return op.Spec{Name: name, Groups: []string{"test"}, Summary: "Do", Help: "More.", Route: route,
			Exclude: [][]string{{"out", "name"}}}
	}
	do := func(context.Context, *op.Call, pathIn) (item, error) {
		return item{}, fault.New(fault.AppNotFound, "no")
	}
	long := spec("long_one", "POST /long")
	long.Long = true
	all := []op.Op{op.New(spec("read_it", "GET /things/{id}"), do), op.New(spec("write_it", "POST /things/{id}"), do), op.New(long, do)}
	all = append(all, op.NewStream(spec("watch_it", "GET /watch"), op.Source[pathIn, item](nil))...)
	return op.NewCatalogue(append(all, (&op.Jobs{}).Ops()...), op.Options{})
}

func TestOpenAPIPlacesInputsWhereRESTReadsThem(t *testing.T) {
	d := parse(t, openAPI(t, several()))
	read, write := d.Paths["/things/{id}"]["get"], d.Paths["/things/{id}"]["post"]
	var got []string
	for _, p := range read.Parameters {
		got = append(got, p.In+" "+p.Name)
	}
	want := "path id, query out, query count, query name, query session, header X-Session"
	if strings.Join(got, ", ") != want || read.RequestBody != nil || !read.Parameters[0].Required {
		t.Errorf("read_it takes %q", got)
	}
	body := write.RequestBody.Content["application/json"].Schema
	if body.Properties["id"] != nil || body.Properties["count"] == nil || len(body.AllOf) != 1 || write.RequestBody.Required {
		t.Errorf("write_it takes %v", write.RequestBody)
	}
	if !strings.Contains(write.Description, "At most one of out, name.") ||
		!strings.Contains(body.Properties["out"].Description, "absolute") {
		t.Errorf("write_it says %q", write.Description)
	}
}

func TestOpenAPIDescribesStreamsAndLongOperations(t *testing.T) {
	d := parse(t, openAPI(t, several()))
	events := d.Paths["/watch"]["get"].Responses["200"].Content["text/event-stream"].Schema
	if events == nil || events.Properties["line"] == nil || events.Properties["meta"] != nil {
		t.Errorf("a stream's item is %v", events)
	}
	if long := d.Paths["/long"]["post"].Responses["200"].Content["application/json"].Schema; len(long.AnyOf) != 2 {
		t.Errorf("a long operation answers with %v", long)
	}
	for path, public := range map[string]bool{"/health": true, "/api/v1/health": true, "/api/v1/server": false} {
		whole := ours(t)
		if h := whole.Paths[path]["get"]; (h.Security != nil && len(*h.Security) == 0) != public {
			t.Errorf("%s: without a key: %v", path, !public)
		}
	}
}

func TestRouteParameterMustBeInput(t *testing.T) {
	spec := op.Spec{Name: "odd_one", Groups: []string{"test"}, Summary: "Do", Route: "GET /odd/{other}"}
	c := op.NewCatalogue([]op.Op{op.New(spec, func(context.Context, *op.Call, pathIn) (item, error) { return item{}, nil })}, op.Options{})
	if _, err := reference.OpenAPI(c, "1", reference.Usual); err == nil || !strings.Contains(err.Error(), `"other"`) {
		t.Errorf("error %v", err)
	}
}

// TestRESTFaultsMatchSchema holds the described shape of a failure against one.
func TestRESTFaultsMatchSchema(t *testing.T) {
	c := several()
	d := parse(t, openAPI(t, c))
	for path, status := range map[string]string{"/things/7": "404", "/things/7?count=0": "400"} {
		w := httptest.NewRecorder()
		rest.Handler(c).ServeHTTP(w, httptest.NewRequest(http.MethodGet, path, nil))
		if got := w.Result().Status[:3]; got != status {
			t.Fatalf("%s: status %s: %s", path, got, w.Body)
		}
		schema, err := d.Paths["/things/{id}"]["get"].Responses[status[:1]+"XX"].Content["application/json"].Schema.Resolve(nil)
		if err != nil {
			t.Fatal(err)
		}
		var body any
		if err := json.Unmarshal(w.Body.Bytes(), &body); err != nil {
			t.Fatal(err)
		}
		if err := schema.Validate(body); err != nil {
			t.Errorf("%s: %v: %s", path, err, w.Body)
		}
	}
}
