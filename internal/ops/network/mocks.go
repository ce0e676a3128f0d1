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
	"ios-agent/internal/network/flow"
	"ios-agent/internal/network/mock"
	"ios-agent/internal/network/proxy"
	"ios-agent/internal/op"
	"ios-agent/internal/text/brief"
	"ios-agent/internal/text/oneline"
	"ios-agent/internal/ui"
)

func (n *Network) mockOps() []op.Op {
	set := networkSpec("proxy_mock", "mock", "POST mocks", "Answer requests that fit a pattern without their server, or have them fail", 0,
		`proxy mock "POST /order" --status 500 --body '{"error":"sold out"}'`, `proxy mock "~d api.example.com" --fault timeout`,
		"proxy mock --from f_0123456789ab")
	set.Require, set.Exclude = [][]string{{"pattern", "from", "id"}}, [][]string{{"fault", "status"}, {"fault", "body"}}
	set.Help = "Rules are tried in the order in which they were made, then those of the folder of mocks; the first that fits answers.\n" +
		"In a body {{request.path}}, {{request.query.NAME}}, {{request.header.NAME}}, {{request.json.a.b}}, {{now}}, {{uuid}} and\n" +
		"{{counter}} are filled in. " +
		"With `--id` a rule is changed and keeps its place; with `--from` it answers what was answered before."
	clear := networkSpec("proxy_unmock", "unmock", "DELETE mocks", "Remove one mock, or all that this session made with calls", op.Idempotent,
		"proxy unmock mock_0123abcd", "proxy unmock --all")
	clear.Require, clear.Exclude = [][]string{{"all", "id"}}, [][]string{{"id", "all"}}
	replay := networkSpec("proxy_replay", "replay", "POST flows/replay", "Send a captured request again, byte for byte or changed",
		op.OpenWorld|op.Destructive,
		"proxy replay f_0123456789ab", `proxy replay f_0123456789ab --body '{"amount":2}'`)
	replay.Timeout, replay.Next = 2*time.Minute, []string{"show_flow"}
	return []op.Op{
		op.New(set, n.Mock),
		n.mapOp(),
		op.New(networkSpec("proxy_mocks", "mocks", "GET mocks", "List the mocks in the order in which they are tried", reads, "proxy mocks"),
			n.Mocks),
		op.New(clear, n.Unmock),
		op.New(replay, n.Replay),
	}
}

// MockIn is a mock.
type MockIn struct {
	Pattern string   `json:"pattern,omitempty" doc:"what fits: POST /order, or as mitmproxy writes it: ~m POST & ~u /order" cli:"arg"`
	From    string   `json:"from,omitempty" doc:"a captured request: the rule answers its kind as it was answered"`
	ID      string   `json:"id,omitempty" doc:"a rule to change, instead of a new one"`
	Status  int      `json:"status,omitempty" doc:"of the answer; 200 if absent" min:"100" max:"599"`
	Header  []string `json:"header,omitempty" doc:"of the answer, as NAME=VALUE" pairs:"true"`
	Body    *string  `json:"body,omitempty" doc:"of the answer; application/json if it is JSON and no header says otherwise"`
	Delay   int      `json:"delay_ms,omitempty" doc:"before the answer" min:"0" max:"120000" unit:"ms"`
	Fault   string   `json:"fault,omitempty" doc:"instead of an answer" enum:"reset,timeout,truncated"`
	Times   int      `json:"times,omitempty" doc:"so often; then the next rule, or the server, answers" min:"1" max:"1000000"`
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
	Source  string      `json:"answers_from,omitempty"`     // where they are not the rule's own
	Answers int         `json:"recorded_answers,omitempty"` // that a HAR has
	File    string      `json:"file,omitempty"`             // that has the body
	Owner   string      `json:"owner,omitempty"`            // the session that made it, if it is another one
	Fits

	listed bool // with how often it answered
}

// Text is a line.
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
		text += ", answered nothing yet"
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

// Text is a line a rule.
func (o MocksOut) Text() string {
	w := brief.New(0)
	if len(o.Mocks) == 0 {
		w.Line("no mocks; `ios-agent proxy mock PATTERN --status 500` makes one")
	} else {
		w.Line(brief.Count(o.Total, "mock"))
	}
	for _, m := range o.Mocks {
		w.Line(m.Text())
	}
	problemLines(w, o.Problem)
	return w.String()
}

// problemLines writes what is wrong with the files of mocks: each mistake has its line, and is told whole.
func problemLines(w *brief.Writer, text string) {
	for i, line := range strings.Split(text, "\n") {
		if line != "" {
			w.Linef("%s%s", map[bool]string{true: "problem: ", false: "  | "}[i == 0], oneline.Legible(brief.Clip(line, mostProblem)))
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
		out.Code = 0 // that of the source
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
	if err := n.d.Services.Proxy.Flush(ctx); err != nil { // it tells how often each answered
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
	return fault.New(fault.MockNotFound, "there is no mock %.40q that a call made", id).With("field", "id").
		WithHint("`ios-agent proxy mocks` lists them; those of the folder are changed in its files")
}

// into puts what was given into a rule.
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

// UnmockIn says which.
type UnmockIn struct {
	ID  string `json:"id,omitempty" doc:"of a rule" cli:"arg"`
	All bool   `json:"all,omitempty" doc:"all that this session made with calls"`
}

// UnmockOut is what is gone.
type UnmockOut struct {
	Removed int `json:"removed_count"`
	Total   int `json:"total"` // that are left
}

// Text says so.
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

// ReplayIn says which, and what to change.
type ReplayIn struct {
	ID     string   `json:"flow_id" doc:"of a captured request, or latest" cli:"arg"`
	Header []string `json:"header,omitempty" doc:"headers to set, as NAME=VALUE; the others stay" pairs:"true" private:"true"`
	Body   *string  `json:"body,omitempty" doc:"another body" private:"true"`
}

// ReplayOut is what came.
type ReplayOut struct {
	Repeats string   `json:"repeats"`
	Flow    FlowLine `json:"flow"`
}

// Text is the new flow.
func (o ReplayOut) Text() string { return o.Flow.Text() }

// replayWait is how long an answer is waited for.
const replayWait = 30 * time.Second

// Replay sends a request again and waits for what comes of it.
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
		return ReplayOut{}, fault.New(fault.InvalidInput, "secrets of %s were not kept (%s): it would not be the same request", f.ID,
			brief.Clip(strings.Join(f.Hidden, ", "), 200)).WithHint("have the app send it again")
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

// setFields are header lines with others set over them, in any case of their names.
func setFields(lines, over flow.Header) flow.Header {
	if len(over) == 0 {
		return lines
	}
	out := slices.DeleteFunc(slices.Clone(lines), func(f flow.Field) bool {
		return slices.ContainsFunc(over, func(o flow.Field) bool { return strings.EqualFold(o.Name, f.Name) })
	})
	return append(out, over...)
}
