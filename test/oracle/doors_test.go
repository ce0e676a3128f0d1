package oracle_test

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"ios-agent/internal/op"
	"ios-agent/internal/surface/rest"
	"ios-agent/test/house"
)

// door is a surface through which a walk calls the product. Its answer is an envelope, whatever the surface made of it.
type door struct {
	name string
	call func(d *doorway, session, operation string, input in) op.Envelope
}

func doors() []door {
	return []door{
		{"catalogue", func(d *doorway, session, name string, input in) op.Envelope { return d.Call(session, name, input) }},
		{"command line", (*doorway).cli},
		{"MCP", (*doorway).mcp},
		{"MCP over HTTP", (*doorway).mcpHTTP},
		{"REST", (*doorway).rest},
		{"batch", (*doorway).batch},
	}
}

// doorway is a house with the clients that surfaces need. A restart closes them.
type doorway struct {
	*house.House
	t      testing.TB
	server *httptest.Server
	http   map[string]*sdk.ClientSession // by session
}

// shut lets go of the clients of a daemon that ended.
func (d *doorway) shut() {
	for _, c := range d.http {
		c.Close()
	}
	if d.server != nil {
		d.server.Close()
	}
	d.http, d.server = nil, nil
}

func (d *doorway) cli(session, name string, input in) (e op.Envelope) {
	raw, _ := json.Marshal(input)
	ran := d.CLI(session, "call", name, string(raw), "--json")
	d.decode(&e, []byte(ran.Stdout))
	return e
}

func (d *doorway) decode(into any, raw []byte) {
	d.t.Helper()
	if err := json.Unmarshal(raw, into); err != nil {
		d.t.Fatalf("an answer is not JSON: %v: %q", err, raw)
	}
}

// body reads an answer that has its meta beside the keys of its result, or a fault.
func (d *doorway) body(raw []byte, text string) op.Envelope {
	d.t.Helper()
	var beside struct {
		op.Envelope
		Result json.RawMessage
	}
	d.decode(&beside, raw)
	e := beside.Envelope
	if e.Stdout, e.Result = text, beside.Result; e.Error == nil {
		e.Result = raw
	}
	return e
}

func (d *doorway) mcp(session, name string, input in) op.Envelope {
	d.t.Helper()
	result, err := d.Tool(session, name, input)
	if err != nil {
		d.t.Fatalf("%s: %v", name, err)
	}
	return d.tool(result)
}

func (d *doorway) tool(result *sdk.CallToolResult) op.Envelope {
	d.t.Helper()
	raw, err := json.Marshal(result.StructuredContent)
	if err != nil {
		d.t.Fatal(err)
	}
	return d.body(raw, result.Content[0].(*sdk.TextContent).Text)
}

// keyed is a client's transport that sends the key and the session.
type keyed struct{ key, session string }

// RoundTrip sends a request.
func (k keyed) RoundTrip(r *http.Request) (*http.Response, error) {
	r = r.Clone(r.Context())
	r.Header.Set("X-API-Key", k.key)
	r.Header.Set(rest.SessionHeader, k.session)
	return http.DefaultTransport.RoundTrip(r)
}

func (d *doorway) mcpHTTP(session, name string, input in) op.Envelope {
	d.t.Helper()
	if o, err := d.Product.Catalogue.Lookup(name); err == nil && o.Hints.Has(op.Destructive) {
		return d.Call(session, name, input) // over HTTP those are asked for in other ways
	}
	if d.http[session] == nil {
		d.connect(session)
	}
	result, err := d.http[session].CallTool(d.t.Context(), &sdk.CallToolParams{Name: name, Arguments: input})
	if err != nil {
		d.t.Fatalf("%s: %v", name, err)
	}
	return d.tool(result)
}

func (d *doorway) connect(session string) {
	d.t.Helper()
	handler, key := d.HTTP()
	if d.server == nil {
		d.server, d.http = httptest.NewServer(handler), map[string]*sdk.ClientSession{}
	}
	client, err := sdk.NewClient(&sdk.Implementation{Name: "oracle", Version: "test"}, nil).Connect(d.t.Context(),
		&sdk.StreamableClientTransport{
			Endpoint: d.server.URL + "/mcp?tools=all&structured=true", HTTPClient: &http.Client{Transport: keyed{key, session}},
			DisableStandaloneSSE: true,
		}, nil)
	if err != nil {
		d.t.Fatal(err)
	}
	d.http[session] = client
}

func (d *doorway) rest(session, name string, input in) op.Envelope {
	d.t.Helper()
	o, err := d.Product.Catalogue.Lookup(name)
	if err != nil {
		d.t.Fatal(err)
	}
	path, body := o.Path(), any(input)
	if o.Method() == http.MethodGet {
		query := url.Values{}
		for key, value := range input {
			query.Set(key, fmt.Sprint(value))
		}
		path, body = path+"?"+query.Encode(), nil
	}
	return d.body(d.REST(session, o.Method(), path, body).Body.Bytes(), "")
}

// batch makes a batch of a call that can be a step of one. Other calls go to the catalogue.
func (d *doorway) batch(session, name string, input in) op.Envelope {
	d.t.Helper()
	line := stepLine(name, input)
	if line == "" {
		return d.Call(session, name, input)
	}
	whole := in{"steps": []string{line}}
	if input["udid"] != nil {
		whole["udid"] = input["udid"]
	}
	e := d.Call(session, "batch", whole)
	var out struct {
		Steps []struct {
			Result  json.RawMessage
			Notices []op.Notice
		}
	}
	if e.Result != nil {
		d.decode(&out, e.Result)
	}
	if e.Result = nil; len(out.Steps) > 0 {
		e.Result, e.Meta.Notices = out.Steps[0].Result, append(e.Meta.Notices, out.Steps[0].Notices...)
	}
	return e
}

// stepLine is a call as one types it in a batch; empty: it is no step.
func stepLine(name string, input in) string {
	verb := map[string]string{
		"tap_element": "tap", "swipe": "swipe", "launch_app": "launch", "open": "open", "wait": "wait", "snapshot": "snapshot",
	}[name]
	if verb == "" || name == "launch_app" && input["udid"] != nil { // it would choose, which a batch does not
		return ""
	}
	line := []string{verb}
	for _, key := range []string{"ref", "direction", "bundle_id", "url", "condition"} {
		if value := input[key]; value != nil {
			line = append(line, "'"+fmt.Sprint(value)+"'")
		}
	}
	for _, key := range []string{"label", "timeout"} {
		if value := input[key]; value != nil {
			line = append(line, "--"+key, "'"+fmt.Sprint(value)+"'")
		}
	}
	return strings.Join(line, " ")
}
