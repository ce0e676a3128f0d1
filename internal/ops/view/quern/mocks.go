package quern

import (
	"bytes"
	"context"
	"io"
	"strings"

	"ios-agent/internal/fault"
	"ios-agent/internal/hint"
	"ios-agent/internal/network/flow"
	"ios-agent/internal/network/mock"
	"ios-agent/internal/op"
	"ios-agent/internal/ops/network"
)

func bytesOf(o op.Object) io.Reader { return bytes.NewReader([]byte(o)) }

// setMockIn is quern's input: the flat one of MCP, or the one of REST with a response.
type setMockIn struct {
	Pattern  string         `json:"pattern" doc:"mitmproxy pattern, such as ~m POST & ~u /order"`
	Status   int            `json:"status_code,omitempty" doc:"status (default 200)" min:"100" max:"599"`
	Headers  []string       `json:"headers,omitempty" doc:"headers (default content-type: application/json)" pairs:"true"`
	Body     string         `json:"body,omitempty" doc:"body"`
	Response responseObject `json:"response,omitempty" doc:"object with status_code, headers and body, instead of the three"`
}

// responseObject is a mockResponse as an input.
type responseObject op.Object

// Parts gives the fields of the object.
func (responseObject) Parts() any { return mockResponse{} }

// mockResponse is quern's response of a mock.
type mockResponse struct {
	Status  int               `json:"status_code"`
	Headers map[string]string `json:"headers"`
	Body    string            `json:"body"`
}

// setMockOut is quern's answer.
type setMockOut struct {
	Status  string `json:"status"`
	ID      string `json:"rule_id"`
	Pattern string `json:"pattern"`
}

func (in setMockIn) rule() (mock.Rule, error) {
	headers, err := pairsOf("headers", in.Headers)
	if err != nil {
		return mock.Rule{}, err
	}
	r := mockResponse{Status: in.Status, Body: in.Body, Headers: headers}
	if err := parts("response", op.Object(in.Response), &r); err != nil {
		return mock.Rule{}, err
	}
	if r.Status == 0 {
		r.Status = 200
	}
	r.Headers = typed(r.Headers)
	rule := mock.Rule{
		ID: mock.NewID(), Pattern: in.Pattern, Response: mock.Response{Status: r.Status, Header: headerOf(r.Headers), Body: literal(r.Body)},
	}
	if _, err := network.CheckPattern(in.Pattern); err != nil {
		return rule, err
	}
	return rule, mock.Check(rule)
}

// typed adds quern's default content type, application/json, to headers without a content type.
func typed(given map[string]string) map[string]string {
	all := map[string]string{"content-type": "application/json"}
	for name, value := range given {
		if strings.EqualFold(name, "content-type") {
			delete(all, "content-type")
		}
		all[name] = value
	}
	return all
}

// pairsOf parses NAME=VALUE texts into a map; without texts the map is nil.
func pairsOf(field string, given []string) (all map[string]string, err error) {
	for _, pair := range given {
		name, value, ok := strings.Cut(pair, "=")
		if !ok || name == "" {
			return nil, fault.New(fault.InvalidInput, "%s: %.80q must be NAME=VALUE", field, name).With("field", field).
				WithHint("give an object of names and values")
		}
		if all == nil {
			all = map[string]string{}
		}
		all[name] = value
	}
	return all, nil
}

// literal escapes a body for a core mock, whose bodies are templates: quern's bodies are plain text.
func literal(body string) string { return strings.ReplaceAll(body, "{{", "{{{{") }

func (v views) setMock(ctx context.Context, c *op.Call, in setMockIn) (setMockOut, error) {
	rule, err := in.rule()
	if err != nil {
		return setMockOut{}, err
	}
	err = v.core.Network.PutMock(ctx, c, rule)
	return setMockOut{"accepted", rule.ID, rule.Pattern}, err
}

// mockRule is quern's mock.
type mockRule struct {
	ID       string   `json:"rule_id"`
	Pattern  string   `json:"pattern"`
	Response mockSpec `json:"response"`
	Hits     int      `json:"hits"`
	Owner    string   `json:"owner,omitempty"` // the session of the mock, if it is another one
}

// mockSpec is the answer of a mock. The value of a repeated header is a list.
type mockSpec struct {
	Status  int            `json:"status_code"`
	Headers map[string]any `json:"headers"`
	Body    string         `json:"body"`
	Fault   string         `json:"fault,omitempty"`
}

// mocksOut is quern's answer.
type mocksOut struct {
	Rules []mockRule `json:"rules"`
	Total int        `json:"total"`
}

func (v views) listMocks(ctx context.Context, c *op.Call, _ noIn) (mocksOut, error) {
	o, err := v.core.Network.AllMocks(ctx, c)
	out := mocksOut{Rules: []mockRule{}, Total: o.Total}
	for _, m := range o.Mocks {
		out.Rules = append(out.Rules, mockRule{m.ID, m.Pattern, specOf(m), m.Hits, m.Owner})
	}
	return out, err
}

func specOf(m network.MockOut) mockSpec {
	var h flow.Header
	for _, f := range m.Fields {
		h = append(h, flow.Field(f))
	}
	return mockSpec{m.Code, bodyOf(h, flow.Body{}).Headers, strings.ReplaceAll(m.Body, "{{{{", "{{"), m.Fault}
}

// updateMockIn is quern's input: an absent field leaves its part of the mock unchanged.
type updateMockIn struct {
	ID       string         `json:"rule_id" doc:"mock id"`
	Pattern  string         `json:"pattern,omitempty" doc:"mitmproxy pattern, such as ~m POST & ~u /order"`
	Status   int            `json:"status_code,omitempty" doc:"status" min:"100" max:"599"`
	Headers  []string       `json:"headers,omitempty" doc:"headers that replace all earlier ones" pairs:"true"`
	Body     *string        `json:"body,omitempty" doc:"body"`
	Response responseObject `json:"response,omitempty" doc:"object with status_code, headers and body, instead of the three"`
}

// updateMockOut is quern's answer.
type updateMockOut struct {
	Status   string   `json:"status"`
	ID       string   `json:"rule_id"`
	Pattern  string   `json:"pattern"`
	Response mockSpec `json:"response"`
}

func (v views) updateMock(ctx context.Context, c *op.Call, in updateMockIn) (updateMockOut, error) {
	headers, err := pairsOf("headers", in.Headers)
	if err != nil {
		return updateMockOut{}, err
	}
	change := struct {
		Status  int               `json:"status_code"`
		Headers map[string]string `json:"headers"`
		Body    *string           `json:"body"`
	}{Status: in.Status, Headers: headers, Body: in.Body}
	if err := parts("response", op.Object(in.Response), &change); err != nil {
		return updateMockOut{}, err
	}
	if change.Headers != nil && len(change.Headers) == 0 {
		return updateMockOut{}, fault.New(fault.InvalidInput, "headers: the list is empty").With("field", "headers").
			WithHint("give all headers of the answer; without %s the mock keeps its headers", hint.Field("headers"))
	}
	if in.Pattern == "" && change.Status == 0 && change.Headers == nil && change.Body == nil {
		return updateMockOut{}, fault.New(fault.InvalidInput, "update_mock needs a field to change").
			WithHint("give %s, %s, %s or %s", hint.Field("pattern"), hint.Field("status_code"), hint.Field("headers"), hint.Field("body"))
	}
	to := network.MockIn{ID: in.ID, Pattern: in.Pattern, Status: change.Status}
	for _, f := range headerOf(change.Headers) {
		to.Header = append(to.Header, f.Name+"="+f.Value)
	}
	if change.Body != nil {
		body := literal(*change.Body)
		to.Body = &body
	}
	o, err := v.core.Network.Mock(ctx, c, to)
	return updateMockOut{"updated", o.ID, o.Pattern, specOf(o)}, err
}

// clearMocksIn is quern's input.
type clearMocksIn struct {
	ID string `json:"rule_id,omitempty" doc:"mock id (default: all)"`
}

// clearMocksOut is quern's answer.
type clearMocksOut struct {
	Status string `json:"status"`
	ID     string `json:"rule_id,omitempty"`
	Count  *int   `json:"count,omitempty"`
}

func (v views) clearMocks(ctx context.Context, c *op.Call, in clearMocksIn) (clearMocksOut, error) {
	gone, err := v.core.Network.Unmock(ctx, c, network.UnmockIn{ID: in.ID, All: in.ID == ""})
	if in.ID != "" {
		return clearMocksOut{Status: "deleted", ID: in.ID}, err
	}
	return clearMocksOut{Status: "deleted", Count: &gone.Removed}, err
}
