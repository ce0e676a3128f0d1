package quern

import (
	"bytes"
	"context"
	"io"
	"slices"
	"strings"

	"ios-agent/internal/network/flow"
	"ios-agent/internal/network/mock"
	"ios-agent/internal/network/proxy"
	"ios-agent/internal/op"
)

func bytesOf(o op.Object) io.Reader { return bytes.NewReader([]byte(o)) }

// setMockIn is quern's input: MCP's flat one, or REST's with a response.
type setMockIn struct {
	Pattern  string    `json:"pattern" doc:"what fits, as mitmproxy writes it: ~m POST & ~u /order"`
	Status   int       `json:"status_code,omitempty" doc:"of the answer; 200 if absent" min:"100" max:"599"`
	Headers  []string  `json:"headers,omitempty" doc:"of the answer; content-type is application/json if absent" pairs:"true"`
	Body     string    `json:"body,omitempty" doc:"of the answer"`
	Response op.Object `json:"response,omitempty" doc:"status_code, headers and body in one, instead of the three"`
}

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
	r := mockResponse{Status: in.Status, Body: in.Body}
	for _, pair := range in.Headers {
		name, value, _ := strings.Cut(pair, "=")
		if r.Headers == nil {
			r.Headers = map[string]string{}
		}
		r.Headers[name] = value
	}
	if err := parts("response", in.Response, &r); err != nil {
		return mock.Rule{}, err
	}
	if r.Status == 0 {
		r.Status = 200
	}
	if r.Headers == nil {
		r.Headers = map[string]string{"content-type": "application/json"}
	}
	rule := mock.Rule{
		ID: mock.NewID(), Pattern: in.Pattern, Response: mock.Response{Status: r.Status, Header: headerOf(r.Headers), Body: literal(r.Body)},
	}
	return rule, mock.Check(rule)
}

// literal is a body of quern's, which has no templates.
func literal(body string) string { return strings.ReplaceAll(body, "{{", "{{{{") }

func (v views) setMock(ctx context.Context, _ *op.Call, in setMockIn) (setMockOut, error) {
	rule, err := in.rule()
	if err != nil {
		return setMockOut{}, err
	}
	err = v.core.Network.Proxy.Set(ctx, func(s *proxy.Settings) error {
		s.Mocks = mock.Put(s.Mocks, rule)
		return nil
	})
	return setMockOut{"accepted", rule.ID, rule.Pattern}, err
}

// mockRule is quern's.
type mockRule struct {
	ID       string   `json:"rule_id"`
	Pattern  string   `json:"pattern"`
	Response mockSpec `json:"response"`
	Hits     int      `json:"hits"`
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
	o, err := v.core.Network.AllMocks(ctx)
	out := mocksOut{Rules: []mockRule{}, Total: o.Total}
	for _, m := range o.Mocks {
		var h flow.Header
		for _, f := range m.Fields {
			h = append(h, flow.Field(f))
		}
		out.Rules = append(out.Rules, mockRule{m.ID, m.Pattern, mockSpec{m.Code, bodyOf(h, flow.Body{}).Headers, m.Body, m.Fault}, m.Hits})
	}
	return out, err
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

func (v views) clearMocks(ctx context.Context, _ *op.Call, in clearMocksIn) (clearMocksOut, error) {
	gone := 0
	err := v.core.Network.Proxy.Set(ctx, func(s *proxy.Settings) error {
		before := len(s.Mocks)
		s.Mocks = slices.DeleteFunc(s.Mocks, func(r mock.Rule) bool { return in.ID == "" || r.ID == in.ID })
		gone = before - len(s.Mocks)
		return nil
	})
	if in.ID != "" {
		return clearMocksOut{Status: "deleted", ID: in.ID}, err
	}
	return clearMocksOut{Status: "deleted", Count: &gone}, err
}
