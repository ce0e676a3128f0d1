package daemon_test

import (
	"bytes"
	"encoding/json"
	"io"
	"maps"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"ios-agent/internal/device/session"
	"ios-agent/internal/fault"
	"ios-agent/internal/op"
	"ios-agent/internal/ops"
	"ios-agent/internal/surface/cli"
	"ios-agent/internal/surface/mcp"
	"ios-agent/internal/surface/rest"
)

// badCase is an input that no operation may act on.
type badCase struct{ name, input string }

// badCases derives wrong inputs from an operation's own declaration: an operation added tomorrow is covered tomorrow.
func badCases(o op.Op) []badCase {
	cases := []badCase{{"unknown key", `{"no_such_key":1}`}, {"not an object", `[1,2]`}, {"not JSON", `{"a"`},
		{"invalid UTF-8", "{\"session\":\"\xff\xfe\"}"}}
	valid := map[string]any{}
	for _, f := range o.Fields() {
		if f.Required {
			valid[f.Name] = "/no/such" // a path, and a string like any other
			cases = append(cases, badCase{"missing " + f.Name, `{}`})
		}
	}
	with := func(what, name string, value any) {
		input := maps.Clone(valid)
		input[name] = value
		raw, err := json.Marshal(input)
		if err != nil {
			panic(err)
		}
		cases = append(cases, badCase{what + " " + name, string(raw)})
	}
	for _, f := range o.Fields() {
		object := any(map[string]any{"a": 1})
		switch {
		case f.Kind == op.Bool || f.Kind == op.Int || f.Kind == op.Float:
			with("words for", f.Name, "many")
		case f.Pairs: // an object is one way to write pairs
			with("list of objects for", f.Name, []any{object})
		default:
			with("object for", f.Name, object)
		}
		if f.Min != nil {
			with("small", f.Name, *f.Min-1)
		}
		if f.Max != nil {
			with("large", f.Name, *f.Max+1)
		}
		if len(f.Enum) > 0 {
			with("strange", f.Name, "strange")
		}
	}
	for _, group := range o.Exclude {
		cases = append(cases, badCase{"both of " + strings.Join(group, ", "), `{"` + group[0] + `":"x","` + group[1] + `":"x"}`})
	}
	if len(o.Require) > 0 {
		cases = append(cases, badCase{"none of " + strings.Join(o.Require[0], ", "), `{}`})
	}
	return cases
}

// surfaces are the three, each over the product's catalogue with next to nothing behind it: an input that got past the
// checks would not be answered with INVALID_INPUT.
type surfaces struct {
	t         *testing.T
	catalogue *op.Catalogue
	rest      http.Handler
	mcp       *sdk.ClientSession
	tools     []mcp.Tool
}

func newSurfaces(t *testing.T) *surfaces {
	t.Helper()
	s := &surfaces{t: t, catalogue: op.NewCatalogue(ops.All(ops.Parts{Sessions: &session.Store{}}))}
	s.rest = rest.Handler(s.catalogue)
	var err error
	if s.tools, err = mcp.Select(s.catalogue.Ops(), mcp.All); err != nil {
		t.Fatal(err)
	}
	here, there := sdk.NewInMemoryTransports()
	server := mcp.Server(mcp.Options{Catalogue: s.catalogue, Tools: s.tools, Caller: op.Local{Catalogue: s.catalogue}})
	if _, err := server.Connect(t.Context(), there, nil); err != nil {
		t.Fatal(err)
	}
	if s.mcp, err = sdk.NewClient(&sdk.Implementation{Name: "test", Version: "1"}, nil).Connect(t.Context(), here, nil); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { s.mcp.Close() })
	return s
}

func (s *surfaces) byCLI(o op.Op, input string) fault.Code {
	var out bytes.Buffer
	app := &cli.App{Catalogue: s.catalogue, Out: &out, Err: io.Discard, In: strings.NewReader(input),
		Connect: func(string) (op.Caller, error) { return op.Local{Catalogue: s.catalogue}, nil }}
	code := app.Main(s.t.Context(), []string{"call", s.catalogue.ID(o), "-", "--json"})
	var e op.Envelope
	if err := json.Unmarshal(out.Bytes(), &e); err != nil || e.Error == nil || code != e.Error.Code.Exit() {
		s.t.Errorf("%s: exit %d, %v: %q", o.Name, code, err, out.String())
		return ""
	}
	return e.Error.Code
}

func (s *surfaces) byREST(o op.Op, input string) fault.Code {
	w := httptest.NewRecorder()
	s.rest.ServeHTTP(w, httptest.NewRequestWithContext(s.t.Context(), o.Method(), o.Path(), strings.NewReader(input)))
	var body struct{ Error fault.Fault }
	if err := json.Unmarshal(w.Body.Bytes(), &body); err != nil || w.Code != body.Error.Code.Status() {
		s.t.Errorf("%s: %d, %v: %q", o.Name, w.Code, err, w.Body)
	}
	return body.Error.Code
}

func (s *surfaces) byMCP(tool mcp.Tool, input string) fault.Code {
	r, err := s.mcp.CallTool(s.t.Context(), &sdk.CallToolParams{Name: tool.Name, Arguments: json.RawMessage(input)})
	if err != nil {
		s.t.Errorf("%s: a protocol error instead of a result: %v", tool.Name, err)
		return ""
	}
	raw, err := json.Marshal(r.StructuredContent)
	var body struct{ Error fault.Fault }
	if err == nil {
		err = json.Unmarshal(raw, &body)
	}
	if err != nil {
		s.t.Errorf("%s: %v: %s", tool.Name, err, raw)
	}
	return body.Error.Code
}

// TestBadInput walks the whole catalogue with input nobody should send: INVALID_INPUT, on every surface.
func TestBadInput(t *testing.T) {
	s := newSurfaces(t)
	for _, o := range s.catalogue.Ops() {
		for _, c := range badCases(o) {
			codes := map[string]fault.Code{"CLI": s.byCLI(o, c.input)}
			if o.Method() == http.MethodPost && !strings.Contains(o.Path(), "{") {
				codes["REST"] = s.byREST(o, c.input)
			}
			if tool, ok := s.tool(o); ok && strings.HasPrefix(c.input, "{") && json.Valid([]byte(c.input)) && c.name != "invalid UTF-8" {
				codes["MCP"] = s.byMCP(tool, c.input) // the protocol itself refuses the others
			}
			for surface, code := range codes {
				if code != fault.InvalidInput {
					t.Errorf("%s, %s, %s: %q", s.catalogue.ID(o), c.name, surface, code)
				}
			}
		}
	}
}

// tool is an operation under the name it is served by; a stream has none.
func (s *surfaces) tool(o op.Op) (mcp.Tool, bool) {
	for _, tool := range s.tools {
		if tool.Op.Family == o.Family && tool.Op.Name == o.Name {
			return tool, true
		}
	}
	return mcp.Tool{}, false
}
