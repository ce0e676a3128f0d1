package network

import (
	"cmp"
	"context"
	"encoding/base64"
	"fmt"
	"strings"
	"time"
	"unicode/utf8"

	"ios-agent/internal/fault"
	"ios-agent/internal/hint"
	"ios-agent/internal/network/capture"
	"ios-agent/internal/network/flow"
	"ios-agent/internal/op"
	"ios-agent/internal/text/brief"
	"ios-agent/internal/ui"
)

func (n *Network) flowOps() []op.Op {
	list := networkSpec("list_flows", "flows", "GET flows", "List captured requests, the newest last", reads,
		"proxy flows", "proxy flows --step last", "proxy flows --failed --since 5m", `proxy flows "POST /order"`,
		`proxy flows "~u /order & ~c 500"`)
	list.Next = []string{"show_flow"}
	list.Exclude = [][]string{{"step", "since"}, {"step", "until"}, {"step", "app"}}
	show := networkSpec("show_flow", "show", "GET flows/show",
		"Show one request and its response, without secrets", reads,
		"proxy show f_0123456789ab", "proxy show latest", "proxy show latest --curl")
	show.Help = "Values that look secret are shown as <secret>. " + hint.Do("export_flows", "out", "FILE") +
		" writes a body, a curl command or many requests to a file."
	wait := networkSpec("wait_flow", "wait", "GET flows/wait", "Wait until a matching request is answered or has failed", reads,
		`proxy wait "POST /order"`, "proxy wait --path /order --failed --timeout-ms 30000")
	wait.Timeout = 6 * time.Minute
	return []op.Op{
		op.New(list, n.List),
		op.New(show, n.Show),
		op.New(networkSpec("summarize_flows", "summary", "GET flows/digest",
			"Summarize requests: hosts, failures, slow requests",
			reads, "proxy summary", "proxy summary --since 1h"), n.Summary),
		op.New(wait, n.Wait),
		n.exportOp(),
	}
}

// FlowFilter selects requests.
type FlowFilter struct {
	Host   string `json:"host,omitempty" doc:"exact host"`
	Path   string `json:"path,omitempty" doc:"part of the path"`
	Method string `json:"method,omitempty" doc:"exact method"`
	Status string `json:"status,omitempty" doc:"status: 404, 4xx or 400-499" match:"^[1-5]([0-9]{2}|xx)(-[1-5][0-9]{2})?$"`
	Failed bool   `json:"failed,omitempty" doc:"only status 400 and above, or unanswered"`
	Since  string `json:"since,omitempty" doc:"start time: a duration ago (5m) or an RFC 3339 time" ago:"true"`
	Until  string `json:"until,omitempty" doc:"end time" ago:"true"`
	UDID   string `json:"udid,omitempty" doc:"only this device"`
	App    string `json:"app,omitempty" doc:"only this app: bundle id"`
}

func (n *Network) filter(in FlowFilter) (f flow.Filter, err error) {
	f = flow.Filter{Host: in.Host, Path: in.Path, Method: in.Method, Device: in.UDID, App: in.App, Failed: in.Failed}
	if in.Status != "" {
		low, high, ranged := strings.Cut(in.Status, "-")
		if !ranged {
			high = low
		}
		_, _ = fmt.Sscan(strings.ReplaceAll(low, "xx", "00"), &f.StatusMin) // the pattern lets only digits through
		_, _ = fmt.Sscan(strings.ReplaceAll(high, "xx", "99"), &f.StatusMax)
	}
	if in.Since != "" {
		if f.Since, err = op.TimeOf("since", in.Since, n.d.Now); err != nil {
			return f, err
		}
	}
	if in.Until != "" {
		f.Until, err = op.TimeOf("until", in.Until, n.d.Now)
	}
	return f, err
}

// FlowLine is a request in a list.
type FlowLine struct {
	ID       string    `json:"flow_id"`
	Time     time.Time `json:"time"`
	State    string    `json:"state"` // open, held, done or failed
	Method   string    `json:"method"`
	URL      string    `json:"url"`
	Code     int       `json:"status_code,omitempty"`
	TookMS   int64     `json:"duration_ms,omitempty"`
	Sent     int64     `json:"sent_bytes"`
	Received int64     `json:"received_bytes"`
	Problem  string    `json:"problem,omitempty"`
	Trouble  string    `json:"trouble,omitempty"` // the kind of problem
	UDID     string    `json:"udid,omitempty"`
	App      string    `json:"bundle_id,omitempty"`
	Process  string    `json:"process,omitempty"`
	PID      int       `json:"pid,omitempty"`
	Unknown  string    `json:"unknown,omitempty"` // why the sender is unknown
	Rule     string    `json:"mock,omitempty"`    // the mock that answered it
	Repeats  string    `json:"repeats,omitempty"` // the id of the replayed request
	Changed  bool      `json:"was_changed,omitempty"`
	Slowed   bool      `json:"throttled,omitempty"`
}

func flowLine(f *flow.Flow) FlowLine {
	out := FlowLine{
		ID: f.ID, Time: f.Started, State: string(f.State), Method: f.Request.Method, URL: f.Request.URL, TookMS: int64(f.Timing.Total),
		Sent: f.Request.Body.Size, Problem: f.Error, Trouble: string(f.Kind), UDID: f.Client.Simulator, App: f.Client.App,
		Process: f.Client.Process, PID: f.Client.PID, Unknown: f.Client.Unknown, Rule: f.Rule, Repeats: f.Repeats, Changed: f.Changed,
		Slowed: f.Slowed,
	}
	if f.Response != nil {
		out.Code, out.Received = f.Response.Status, f.Response.Body.Size
	}
	return out
}

// Text is one line.
func (l FlowLine) Text() string {
	host, path := flow.Place(l.URL)
	came := string(l.State)
	switch {
	case l.Code > 0 && l.State != string(flow.Done):
		came = fmt.Sprintf("%d (%s)", l.Code, l.State)
	case l.Code > 0:
		came = fmt.Sprint(l.Code)
	}
	text := fmt.Sprintf("%s  %s %s  %s", l.ID, ui.Inline(l.Method), ui.Inline(path), came)
	if l.TookMS > 0 {
		text += fmt.Sprintf("  %d ms", l.TookMS)
	}
	text += "  " + ui.Inline(host)
	if of := cmp.Or(l.App, l.Process); of != "" {
		text += "  " + ui.Inline(of)
	}
	if l.Rule != "" {
		text += "  mocked"
	}
	if l.Changed {
		text += "  changed"
	}
	if l.Slowed {
		text += "  throttled"
	}
	if l.Repeats != "" {
		text += "  repeats " + l.Repeats
	}
	if l.Problem != "" {
		text += ": " + ui.Inline(l.Problem)
	}
	return text
}

// ListFlowsIn selects the requests to list.
type ListFlowsIn struct {
	FlowFilter
	Pattern string `json:"pattern,omitempty" doc:"POST /order, or a mitmproxy filter: ~u /order & ~c 500" cli:"arg"`
	Step    string `json:"step,omitempty" doc:"only this step: s12 or last"`
	Limit   int    `json:"limit,omitempty" doc:"maximum number, newest first" default:"50" min:"1" max:"1000" more:"true"`
}

// ListFlowsOut is a list of requests, the oldest first.
type ListFlowsOut struct {
	Flows   []FlowLine `json:"flows" newest:"last"`
	Total   int        `json:"total"`
	HasMore bool       `json:"has_more"`
	Step    string     `json:"step,omitempty"`
	Note    string     `json:"note,omitempty"`
}

// Text has a line for each request.
func (o ListFlowsOut) Text() string {
	w := brief.New(0)
	head := brief.Count(o.Total, "request")
	if o.Step != "" {
		head += " of step " + o.Step
	}
	if o.HasMore {
		head += fmt.Sprintf(", the newest %d", len(o.Flows))
	}
	w.Line(head)
	for _, f := range o.Flows {
		w.Line(f.Text())
	}
	if o.Note != "" {
		w.Linef("note: %s", o.Note)
	}
	return w.String()
}

// List lists requests.
func (n *Network) List(ctx context.Context, c *op.Call, in ListFlowsIn) (ListFlowsOut, error) {
	f, step, err := n.meant(ctx, c, in.FlowFilter, in.Step)
	if err != nil {
		return ListFlowsOut{}, err
	}
	found, total, err := n.found(ctx, f, in)
	if err != nil {
		return ListFlowsOut{}, err
	}
	out := ListFlowsOut{Flows: []FlowLine{}, Total: total, HasMore: total > len(found), Step: step}
	for i := len(found) - 1; i >= 0; i-- {
		shown := flow.Redacted(found[i], flow.Names{})
		out.Flows = append(out.Flows, flowLine(&shown))
	}
	notes := n.d.Services.Flows.Missing()
	if total == 0 {
		notes = append(notes, n.whyNone(ctx))
	}
	out.Note = strings.Join(notes, "; ")
	return out, nil
}

// found is the newest matching requests, and the number of all.
func (n *Network) found(ctx context.Context, f flow.Filter, in ListFlowsIn) (found []flow.Flow, total int, err error) {
	if in.Pattern == "" {
		return n.d.Services.Flows.Query(ctx, f, capture.Page{Limit: in.Limit, Newest: true})
	}
	p, err := CheckPattern(in.Pattern)
	if err != nil {
		return nil, 0, err
	}
	err = n.newest(ctx, f, func(one *flow.Flow) bool {
		if p.Match(one) {
			if total++; len(found) < in.Limit {
				found = append(found, *one)
			}
		}
		return true
	})
	return found, total, err
}

// newest calls more for each matching request, the newest first, until more returns false. It keeps few bodies in memory at once.
func (n *Network) newest(ctx context.Context, f flow.Filter, more func(*flow.Flow) bool) error {
	for seen := 0; ; {
		some, _, err := n.d.Services.Flows.Query(ctx, f, capture.Page{Limit: atOnce, Offset: seen, Newest: true})
		if err != nil || len(some) == 0 {
			return err
		}
		for i := range some {
			if !more(&some[i]) {
				return nil
			}
		}
		seen += len(some)
	}
}

// atOnce is the number of requests in memory with their bodies.
const atOnce = 20

// whyNone says why a list of requests is empty, and what to do.
func (n *Network) whyNone(ctx context.Context) string {
	running := n.d.Services.Proxy.Status().State != "stopped"
	_, kept, err := n.d.Services.Flows.List(ctx, flow.Filter{}, capture.Page{Limit: 1, Newest: true})
	switch {
	case err == nil && kept > 0 && running:
		return fmt.Sprintf("%s captured, and none matches", brief.Count(kept, "request"))
	case running:
		return "no request has reached the proxy yet: " + hint.Do("proxy_check", "bundle_id", "APP") + " says why"
	}
	return "the proxy does not run: " + hint.Do("proxy_launch", "bundle_id", "APP") + " starts it with the app"
}

// meant is the filter of a call. It waits until all requests that the proxy saw can be queried.
func (n *Network) meant(ctx context.Context, c *op.Call, in FlowFilter, step string) (f flow.Filter, id string, err error) {
	if f, err = n.filter(in); err != nil {
		return f, "", err
	}
	if step != "" {
		if f, id, err = n.ofStep(c, f, step); err != nil {
			return f, "", err
		}
	}
	return f, id, n.d.Services.Settled(ctx)
}

// ShowFlowIn selects a request.
type ShowFlowIn struct {
	ID   string `json:"flow_id,omitempty" doc:"id or latest" default:"latest" cli:"arg"`
	Curl bool   `json:"curl,omitempty" doc:"include a curl command that repeats the request"`
}

// FlowField is a header line.
type FlowField struct {
	Name  string `json:"name"`
	Value string `json:"value"`
}

// FlowPart is a request or a response.
type FlowPart struct {
	Protocol string      `json:"http_version,omitempty"`
	Fields   []FlowField `json:"headers"`
	Body     string      `json:"body,omitempty"`        // as text
	Base64   string      `json:"body_base64,omitempty"` // if the body is binary
	Bytes    int64       `json:"size_bytes"`            // on the wire
	Coding   string      `json:"coding,omitempty"`      // content coding on the wire; the body is decoded
	Cut      bool        `json:"cut,omitempty"`         // the body is cut
}

// FlowMessage is one message of a WebSocket, or one event of a stream.
type FlowMessage struct {
	AtMS   int64  `json:"at_ms"` // since the request
	Sent   bool   `json:"sent"`  // by the app
	Text   string `json:"text,omitempty"`
	Base64 string `json:"body_base64,omitempty"`
	Bytes  int64  `json:"size_bytes"`
	Cut    bool   `json:"cut,omitempty"`
}

// ShowFlowOut is a request with its response.
type ShowFlowOut struct {
	FlowLine
	Request  FlowPart      `json:"request"`
	Response *FlowPart     `json:"response,omitempty"`
	Messages []FlowMessage `json:"messages,omitempty"`
	Told     int           `json:"message_count,omitempty"` // number of all messages
	Timing   flow.Timing   `json:"timing"`
	TLS      string        `json:"tls,omitempty"`
	Hidden   []string      `json:"hidden_values,omitempty"`          // names of the hidden secrets
	Curl     string        `json:"curl,omitempty" lines:"not shown"` // a command that repeats the request
}

const (
	mostBodyText = 4000 // bytes of a body in a text
	mostMessages = 20
)

// Text is the line of the request, then the request and the response in full.
func (o ShowFlowOut) Text() string {
	w := brief.New(0)
	w.Line(o.FlowLine.Text())
	w.Linef("url: %s", ui.QuoteWhole(brief.Clip(o.URL, mostBodyText)))
	if o.Unknown != "" {
		w.Linef("unknown sender: %s", o.Unknown)
	}
	w.Linef("timing: %s", timingText(o.Timing))
	part := func(name string, p *FlowPart) {
		if p == nil {
			return
		}
		w.Linef("%s: %s", name, p.Protocol)
		for _, f := range p.Fields {
			w.Linef("  %s: %s", ui.Inline(f.Name), ui.Inline(f.Value))
		}
		switch {
		case p.Body != "":
			w.Linef("  body, %s: %s", brief.Count(int(p.Bytes), "byte"), ui.QuoteWhole(brief.Clip(p.Body, mostBodyText)))
		case p.Bytes > 0:
			w.Linef("  body, %s, not text", brief.Count(int(p.Bytes), "byte"))
		}
	}
	part("request", &o.Request)
	part("response", o.Response)
	w.ListOf("messages", min(len(o.Messages), mostMessages), o.Told, func(i int) []string {
		m := o.Messages[i]
		way := "from the server"
		if m.Sent {
			way = "from the app"
		}
		return []string{fmt.Sprintf("  %d ms %s, %s: %s", m.AtMS, way, brief.Count(int(m.Bytes), "byte"), ui.Quote(m.Text))}
	})
	if len(o.Hidden) > 0 {
		w.Linef("hidden: %s", ui.Inline(strings.Join(o.Hidden, ", ")))
	}
	if o.Curl != "" {
		w.Line(o.command())
	}
	return w.String()
}

func timingText(t flow.Timing) string {
	parts := []string{fmt.Sprintf("%.0f ms", t.Total)}
	for _, one := range []struct {
		name string
		ms   float64
	}{{"name", t.DNS}, {"connect", t.Connect}, {"tls", t.TLS}, {"request", t.Request}, {"response", t.Response}, {"held", t.Held}} {
		if one.ms > 0 {
			parts = append(parts, fmt.Sprintf("%s %.0f", one.name, one.ms))
		}
	}
	return strings.Join(parts, ", ")
}

func flowPart(protocol string, h flow.Header, b flow.Body) FlowPart {
	out := FlowPart{Protocol: protocol, Fields: []FlowField{}, Bytes: b.Size, Coding: b.Coding, Cut: b.Cut}
	for _, f := range h {
		out.Fields = append(out.Fields, FlowField{f.Name, f.Value})
	}
	out.Body, out.Base64 = shownBytes(b.Content)
	return out
}

// shownBytes are bytes as text, or else in base64.
func shownBytes(b []byte) (text, encoded string) {
	if utf8.Valid(b) {
		return string(b), ""
	}
	return "", base64.StdEncoding.EncodeToString(b)
}

// Show shows a request.
func (n *Network) Show(ctx context.Context, _ *op.Call, in ShowFlowIn) (ShowFlowOut, error) {
	f, err := n.Get(ctx, in.ID)
	if err != nil {
		return ShowFlowOut{}, err
	}
	command := ""
	if in.Curl {
		if command, err = n.shownCurl(ctx, f); err != nil {
			return ShowFlowOut{}, err
		}
	}
	f = flow.Redacted(f, flow.Names{})
	out := ShowFlowOut{
		FlowLine: flowLine(&f), Request: flowPart(f.Request.Protocol, f.Request.Header, f.Request.Body), Timing: f.Timing, Told: f.Told,
		Hidden: f.Hidden, Curl: command,
	}
	if f.Response != nil {
		part := flowPart(f.Response.Protocol, f.Response.Header, f.Response.Body)
		out.Response = &part
	}
	if f.TLS != nil {
		out.TLS = f.TLS.Version
	}
	for _, m := range f.Messages {
		one := FlowMessage{AtMS: m.AtMS, Sent: m.Sent, Bytes: m.Size, Cut: m.Cut}
		one.Text, one.Base64 = shownBytes(m.Data)
		out.Messages = append(out.Messages, one)
	}
	return out, nil
}

// Get finds a request by its id.
func (n *Network) Get(ctx context.Context, id string) (flow.Flow, error) {
	if err := n.d.Services.Settled(ctx); err != nil {
		return flow.Flow{}, err
	}
	if id == "latest" {
		found, _, err := n.d.Services.Flows.Query(ctx, flow.Filter{}, capture.Page{Limit: 1, Newest: true})
		if err != nil || len(found) == 1 {
			return append(found, flow.Flow{})[0], err
		}
		return flow.Flow{}, fault.New(fault.FlowNotFound, "no request has reached the proxy").WithHint("%s", n.whyNone(ctx))
	}
	f, found, err := n.d.Services.Flows.Get(ctx, id)
	if err == nil && !found {
		err = fault.New(fault.FlowNotFound, "no request with the id %.40q", id).With("field", "flow_id")
	}
	return f, err
}
