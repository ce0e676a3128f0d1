package quern

import (
	"bytes"
	"context"
	"io"
	"strings"

	"ios-agent/internal/fault"
	"ios-agent/internal/network/flow"
	"ios-agent/internal/network/mock"
	"ios-agent/internal/op"
	"ios-agent/internal/ops/network"
)

func bytesOf(o op.Object) io.Reader { return bytes.NewReader([]byte(o)) }

// setMockIn is quern's input: MCP's flat one, or REST's with a response.
type setMockIn struct {
	Pattern  string         `json:"pattern" doc:"what fits, as mitmproxy writes it: ~m POST & ~u /order"`
	Status   int            `json:"status_code,omitempty" doc:"of the answer; 200 if absent" min:"100" max:"599"`
	Headers  []string       `json:"headers,omitempty" doc:"of the answer; content-type is application/json if absent" pairs:"true"`
	Body     string         `json:"body,omitempty" doc:"of the answer"`
	Response responseObject `json:"response,omitempty" doc:"status_code, headers and body in one, instead of the three"`
}

// responseObject is a mockResponse that a call gives.
type responseObject op.Object

func (responseObject) Parts() any { return mockResponse{} }

// mockResponse is quern's.
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

// typed are headers with a content type: that of JSON, as quern has it, unless one of them says otherwise.
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

// pairsOf are NAME=VALUE by their names; none are nil.
func pairsOf(field string, given []string) (all map[string]string, err error) {
	for _, pair := range given {
		name, value, ok := strings.Cut(pair, "=")
		if !ok || name == "" {
			return nil, fault.New(fault.InvalidInput, "%s: %.80q is not NAME=VALUE", field, name).With("field", field).
				WithHint("give an object of names and values")
		}
		if all == nil {
			all = map[string]string{}
		}
		all[name] = value
	}
	return all, nil
}

// literal is a body of quern's, which has no templates.
func literal(body string) string { return strings.ReplaceAll(body, "{{", "{{{{") }

func (v views) setMock(ctx context.Context, c *op.Call, in setMockIn) (setMockOut, error) {
	rule, err := in.rule()
	if err != nil {
		return setMockOut{}, err
	}
	err = v.core.Network.PutMock(ctx, c, rule)
	return setMockOut{"accepted", rule.ID, rule.Pattern}, err
}

// mockRule is quern's.
type mockRule struct {
	ID       string   `json:"rule_id"`
	Pattern  string   `json:"pattern"`
	Response mockSpec `json:"response"`
	Hits     int      `json:"hits"`
	Owner    string   `json:"owner,omitempty"` // the session that made it, if it is another one
}

// mockSpec is what a mock answers. A header that is there several times has a list.
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

// updateMockIn is quern's input: what is absent stays as it is.
type updateMockIn struct {
	ID       string         `json:"rule_id" doc:"of the rule"`
	Pattern  string         `json:"pattern,omitempty" doc:"what fits, as mitmproxy writes it: ~m POST & ~u /order"`
	Status   int            `json:"status_code,omitempty" doc:"of the answer" min:"100" max:"599"`
	Headers  []string       `json:"headers,omitempty" doc:"of the answer, instead of all before" pairs:"true"`
	Body     *string        `json:"body,omitempty" doc:"of the answer"`
	Response responseObject `json:"response,omitempty" doc:"status_code, headers and body in one, instead of the three"`
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
		return updateMockOut{}, fault.New(fault.InvalidInput, "headers: none is given").With("field", "headers").
			WithHint("leave `headers` out to keep those before, or give all that the answer is to have")
	}
	if in.Pattern == "" && change.Status == 0 && change.Headers == nil && change.Body == nil {
		return updateMockOut{}, fault.New(fault.InvalidInput, "nothing is given to change").
			WithHint("give `pattern`, `status_code`, `headers` or `body`")
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
	ID string `json:"rule_id,omitempty" doc:"of one rule; absent: all"`
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
