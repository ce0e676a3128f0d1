package network

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"time"

	"ios-agent/internal/fault"
	"ios-agent/internal/hint"
	"ios-agent/internal/network/flow"
	"ios-agent/internal/network/mock"
	"ios-agent/internal/network/proxy"
	"ios-agent/internal/op"
	"ios-agent/internal/text/brief"
	"ios-agent/internal/text/oneline"
	"ios-agent/internal/ui"
)

func (n *Network) mockOps() []op.Op {
	set := networkSpec("proxy_mock", "mock", "POST mocks", "Answer matching requests without their server, or make them fail", 0,
		`proxy mock "POST /order" --status 500 --body '{"error":"sold out"}'`, `proxy mock "~d api.example.com" --fault timeout`,
		"proxy mock --from f_0123456789ab")
	set.Require, set.Exclude = [][]string{{"pattern", "from", "id"}}, [][]string{{"fault", "status"}, {"fault", "body"}}
	set.Help = "The first matching rule answers: rules made by calls in their order, then the rules of the folder of mocks.\n" +
		"In a body {{request.path}}, {{request.query.NAME}}, {{request.header.NAME}}, {{request.json.a.b}}, {{now}}, {{uuid}} and\n" +
		"{{counter}} are filled in. " +
		"With " + hint.Field("id") + " a rule is changed and keeps its place; with " + hint.Field("from") + " it repeats a captured response."
	clear := networkSpec("proxy_unmock", "unmock", "DELETE mocks", "Remove one mock, or all of this session", op.Idempotent,
		"proxy unmock mock_0123abcd", "proxy unmock --all")
	clear.Require, clear.Exclude = [][]string{{"all", "id"}}, [][]string{{"id", "all"}}
	replay := networkSpec("proxy_replay", "replay", "POST flows/replay", "Send a captured request again, unchanged or changed",
		op.OpenWorld|op.Destructive,
		"proxy replay f_0123456789ab", `proxy replay f_0123456789ab --body '{"amount":2}'`)
	replay.Timeout, replay.Next = 2*time.Minute, []string{"show_flow"}
	return []op.Op{
		op.New(set, n.Mock),
		n.mapOp(),
		op.New(networkSpec("proxy_mocks", "mocks", "GET mocks", "List the mocks in their order", reads, "proxy mocks"),
			n.Mocks),
		op.New(clear, n.Unmock),
		op.New(replay, n.Replay),
	}
}

// MockIn is a mock.
type MockIn struct {
	Pattern string   `json:"pattern,omitempty" doc:"POST /order, or a mitmproxy filter: ~m POST & ~u /order" cli:"arg"`
	From    string   `json:"from,omitempty" doc:"captured request whose response to repeat"`
	ID      string   `json:"id,omitempty" doc:"rule to change; default: a new one"`
	Status  int      `json:"status,omitempty" doc:"status of the response; default: 200" min:"100" max:"599"`
	Header  []string `json:"header,omitempty" doc:"response headers, as NAME=VALUE" pairs:"true"`
	Body    *string  `json:"body,omitempty" doc:"response body; valid JSON is sent as application/json by default"`
	Delay   int      `json:"delay_ms,omitempty" doc:"delay of the response" min:"0" max:"120000" unit:"ms"`
	Fault   string   `json:"fault,omitempty" doc:"failure instead of a response" enum:"reset,timeout,truncated"`
	Times   int      `json:"times,omitempty" doc:"number of responses; then the next rule or the server" min:"1" max:"1000000"`
}

// MockOut is a rule.
type MockOut struct {
	ID      string      `json:"mock"`
	Pattern string      `json:"pattern"`
	Code    int         `json:"status_code,omitempty"`
	Fields  []FlowField `json:"headers"`
	Body    string      `json:"body,omitempty"`
	DelayMS int64       `json:"delay_ms,omitempty"`
	Fault   string      `json:"fails_with,omitempty"`
	Times   int         `json:"times,omitempty"`
	Hits    int         `json:"hits"`
	Source  string      `json:"answers_from,omitempty"`     // source of the responses, if not the rule
	Answers int         `json:"recorded_answers,omitempty"` // number of responses in the HAR
	File    string      `json:"file,omitempty"`             // file with the body
	Owner   string      `json:"owner,omitempty"`            // the session that made it, if another
	Fits

	listed bool // in a list, which shows how often it answered
}

// Text is one line.
func (o MockOut) Text() string {
	does := fmt.Sprint(o.Code)
	if o.Fault != "" {
		does = o.Fault
	}
	if o.Source != "" {
		does = ui.Inline(o.Source) + o.recorded()
	}
	text := fmt.Sprintf("%s  %s → %s", o.ID, ui.Inline(o.Pattern), does)
	if o.Body != "" {
		text += " " + ui.Quote(o.Body)
	}
	if o.DelayMS > 0 {
		text += fmt.Sprintf(" after %d ms", o.DelayMS)
	}
	if o.Times > 0 {
		text += fmt.Sprintf(", %s", brief.Count(o.Times, "time"))
	}
	switch {
	case o.Hits > 0:
		text += fmt.Sprintf(", answered %s", brief.Count(o.Hits, "time"))
	case o.listed:
		text += ", not used yet"
	}
	text += o.Fits.String()
	if o.File != "" {
		text += "  " + ui.Inline(o.File)
	}
	return text + ofSession(o.Owner)
}

// MocksOut is all rules.
type MocksOut struct {
	Mocks   []MockOut `json:"mocks"`
	Total   int       `json:"total"`
	Problem string    `json:"problem,omitempty" lines:"behind a margin"` // of the folder of mocks
}

// Text has a line for each rule.
func (o MocksOut) Text() string {
	w := brief.New(0)
	if len(o.Mocks) == 0 {
		w.Line("no mocks; make one: " + hint.Do("proxy_mock", "pattern", "PATTERN", "status", 500))
	} else {
		w.Line(brief.Count(o.Total, "mock"))
	}
	for _, m := range o.Mocks {
		w.Line(m.Text())
	}
	problemLines(w, o.Problem)
	return w.String()
}

// problemLines writes the errors in the files of mocks, each on its own line.
func problemLines(w *brief.Writer, text string) {
	for i, line := range strings.Split(text, "\n") {
		if line != "" {
			w.Linef("%s%s", map[bool]string{true: "problem: ", false: "  | "}[i == 0], oneline.Of(brief.Clip(line, mostProblem)))
		}
	}
}

const mostProblem = 500

func mockOut(r mock.Rule, hits map[string]int) MockOut {
	out := MockOut{
		ID: r.ID, Pattern: r.Pattern, Code: cmp.Or(r.Response.Status, 200), DelayMS: r.Response.Delay.Milliseconds(),
		Fault: string(r.Response.Fault),
		Times: r.Times, File: r.Response.BodyFile, Hits: hits[r.ID], Fields: []FlowField{}, Source: sourceOf(r.Response),
	}
	if out.Source != "" {
		out.Code = 0 // the source decides
	}
	out.Body, _ = shownBytes([]byte(cmp.Or(r.Response.Body, string(r.Response.JSON), string(r.Response.Bytes))))
	for _, f := range r.Response.Header {
		out.Fields = append(out.Fields, FlowField(f))
	}
	return out
}

// Mocks lists the rules.
func (n *Network) Mocks(ctx context.Context, c *op.Call, _ op.Nothing) (MocksOut, error) {
	n.d.Services.Proxy.Reread(ctx)
	if err := n.d.Services.Proxy.Flush(ctx); err != nil { // for the counts of the mocks
		return MocksOut{}, err
	}
	s := n.d.Services.Proxy.Status()
	out := MocksOut{Mocks: []MockOut{}, Total: len(s.Rules), Problem: s.Error}
	for _, r := range s.Rules {
		one := mockOut(r, s.Hits)
		one.Owner, one.listed = another(r.Owner, c), true
		out.Mocks = append(out.Mocks, one)
	}
	return out, nil
}

// Mock makes a rule, or changes one.
func (n *Network) Mock(ctx context.Context, c *op.Call, in MockIn) (MockOut, error) {
	var from *flow.Flow
	if in.From != "" {
		f, err := n.Get(ctx, in.From)
		if err != nil {
			return MockOut{}, err
		}
		from = &f
	}
	var made mock.Rule
	err := n.d.Services.Proxy.Set(ctx, func(s *proxy.Settings) error {
		at := slices.IndexFunc(s.Mocks, func(r mock.Rule) bool { return r.ID == in.ID })
		if in.ID != "" && at < 0 {
			return noMock(in.ID)
		}
		made = mock.Rule{ID: mock.NewID(), Response: mock.Response{Status: 200}}
		if at >= 0 {
			made = s.Mocks[at]
		}
		if from != nil {
			rule, err := mock.FromFlow(from)
			if err != nil {
				return err
			}
			rule.ID = made.ID
			made = rule
		}
		if err := in.into(&made); err != nil {
			return err
		}
		return s.Put(made, c.Session)
	})
	out := mockOut(made, nil)
	if p, wrong := CheckPattern(made.Pattern); err == nil && wrong == nil {
		out.Fits = n.fits(ctx, p)
	}
	return out, err
}

func noMock(id string) *fault.Fault {
	return fault.New(fault.MockNotFound, "no mock with the id %.40q was made by a call", id).With("field", "id").
		WithHint("%s lists the mocks; change mocks of the folder in its files", hint.Do("proxy_mocks"))
}

// into adds the given values to a rule.
func (in MockIn) into(r *mock.Rule) error {
	if in.Pattern != "" {
		p, err := CheckPattern(in.Pattern)
		if err != nil {
			return err
		}
		r.Pattern = p.String()
	}
	if in.Status != 0 {
		r.Response.Status = in.Status
	}
	if in.Fault != "" {
		r.Response.Fault = flow.Fault(in.Fault)
	}
	if in.Delay != 0 {
		r.Response.Delay = time.Duration(in.Delay) * time.Millisecond
	}
	if in.Times != 0 {
		r.Times = in.Times
	}
	header, err := fieldsOf(in.Header)
	if err != nil {
		return err
	}
	if header != nil {
		r.Response.Header = header
	}
	if in.Body != nil {
		r.Response.Body, r.Response.JSON, r.Response.Bytes = *in.Body, nil, nil
		if r.Response.Header.Get("Content-Type") == "" && json.Valid([]byte(*in.Body)) {
			r.Response.Header = append(r.Response.Header, flow.Field{Name: "Content-Type", Value: "application/json"})
		}
	}
	return mock.Check(*r)
}

// UnmockIn selects mocks.
type UnmockIn struct {
	ID  string `json:"id,omitempty" doc:"id of a mock" cli:"arg"`
	All bool   `json:"all,omitempty" doc:"all mocks of this session"`
}

// UnmockOut is the number of removed mocks.
type UnmockOut struct {
	Removed int `json:"removed_count"`
	Total   int `json:"total"` // the remaining mocks
}

// Text is one line.
func (o UnmockOut) Text() string {
	return fmt.Sprintf("removed %s; %d left", brief.Count(o.Removed, "mock"), o.Total)
}

// Unmock removes rules.
func (n *Network) Unmock(ctx context.Context, c *op.Call, in UnmockIn) (out UnmockOut, err error) {
	err = n.d.Services.Proxy.Set(ctx, func(s *proxy.Settings) error {
		var err error
		if out.Removed, err = s.Remove(in.ID, in.All, c.Session); err == nil && out.Removed == 0 && !in.All {
			return noMock(in.ID)
		}
		return err
	})
	out.Total = len(n.d.Services.Proxy.Status().Rules)
	return out, err
}

// ReplayIn is a captured request, and the changes to it.
type ReplayIn struct {
	ID     string   `json:"flow_id" doc:"id of a captured request, or latest" cli:"arg"`
	Header []string `json:"header,omitempty" doc:"headers to set, as NAME=VALUE" pairs:"true" private:"true"`
	Body   *string  `json:"body,omitempty" doc:"new body" private:"true"`
}

// ReplayOut is the new request.
type ReplayOut struct {
	Repeats string   `json:"repeats"`
	Flow    FlowLine `json:"flow"`
}

// Text is the new request.
func (o ReplayOut) Text() string { return o.Flow.Text() }

// replayWait is the longest wait for the response.
const replayWait = 30 * time.Second

// Replay sends a request again and waits for its response.
func (n *Network) Replay(ctx context.Context, c *op.Call, in ReplayIn) (ReplayOut, error) {
	f, err := n.Get(ctx, in.ID)
	if err != nil {
		return ReplayOut{}, err
	}
	header, err := fieldsOf(in.Header)
	if err != nil {
		return ReplayOut{}, err
	}
	if len(f.Hidden) > 0 {
		return ReplayOut{}, fault.New(fault.InvalidInput, "cannot replay %s: its secrets (%s) were not stored", f.ID,
			brief.Clip(strings.Join(f.Hidden, ", "), 200)).WithHint("let the app send it again")
	}
	request := f.Request
	if in.Body != nil {
		request.Body = flow.Body{Content: []byte(*in.Body), Size: int64(len(*in.Body))}
	}
	request.Header = setFields(request.Header, header)
	within, cancel := context.WithTimeout(ctx, replayWait)
	defer cancel()
	id, err := n.d.Services.Proxy.Replay(within, c.Session, request, f.ID)
	if err != nil {
		return ReplayOut{}, err
	}
	done, err := n.Get(ctx, id)
	if err != nil {
		return ReplayOut{}, err
	}
	shown := flow.Redacted(done, flow.Names{})
	return ReplayOut{f.ID, flowLine(&shown)}, nil
}

// setFields replaces headers by others of the same name, in any case.
func setFields(lines, over flow.Header) flow.Header {
	if len(over) == 0 {
		return lines
	}
	out := slices.DeleteFunc(slices.Clone(lines), func(f flow.Field) bool {
		return slices.ContainsFunc(over, func(o flow.Field) bool { return strings.EqualFold(o.Name, f.Name) })
	})
	return append(out, over...)
}
