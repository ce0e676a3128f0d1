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
	"ios-agent/internal/network/capture"
	"ios-agent/internal/network/flow"
	"ios-agent/internal/op"
	"ios-agent/internal/text/brief"
	"ios-agent/internal/ui"
)

func (n *Network) flowOps() []op.Op {
	list := networkSpec("list_flows", "flows", "GET flows", "List the requests that went through the proxy, the newest last", reads,
		"proxy flows", "proxy flows --step last", "proxy flows --failed --since 5m", `proxy flows "POST /order"`,
		`proxy flows "~u /order & ~c 500"`)
	list.Next = []string{"show_flow"}
	list.Exclude = [][]string{{"step", "since"}, {"step", "until"}, {"step", "app"}}
	show := networkSpec("show_flow", "show", "GET flows/show",
		"Show one request and its answer: headers, bodies, timing; secrets are hidden", reads,
		"proxy show f_0123456789ab", "proxy show latest", "proxy show latest --curl")
	show.Help = "Values that look secret are shown as <secret>. `ios-agent proxy export` writes a body, a command or many requests to a file."
	wait := networkSpec("wait_flow", "wait", "GET flows/wait", "Wait until a request that fits was answered or has failed", reads,
		`proxy wait "POST /order"`, "proxy wait --path /order --failed --timeout-ms 30000")
	wait.Timeout = 6 * time.Minute
	return []op.Op{
		op.New(list, n.List),
		op.New(show, n.Show),
		op.New(networkSpec("summarize_flows", "summary", "GET flows/digest",
			"Tell in short what went over the wire: by host, failures, slow requests",
			reads, "proxy summary", "proxy summary --since 1h"), n.Summary),
		op.New(wait, n.Wait),
		n.exportOp(),
	}
}

// FlowFilter says which flows are meant.
type FlowFilter struct {
	Host   string `json:"host,omitempty" doc:"only to exactly this host"`
	Path   string `json:"path,omitempty" doc:"only those with this in their path"`
	Method string `json:"method,omitempty" doc:"only of this method"`
	Status string `json:"status,omitempty" doc:"only answered so: 404, 4xx, 400-499" match:"^[1-5]([0-9]{2}|xx)(-[1-5][0-9]{2})?$"`
	Failed bool   `json:"failed,omitempty" doc:"only those answered with 400 or more, or not at all"`
	Since  string `json:"since,omitempty" doc:"from then on: so long ago, such as 5m, or a moment, such as 2026-01-31T15:04:05Z" ago:"true"`
	Until  string `json:"until,omitempty" doc:"up to then" ago:"true"`
	UDID   string `json:"udid,omitempty" doc:"only of this device"`
	App    string `json:"app,omitempty" doc:"only of this app: its bundle id"`
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

// FlowLine is a flow in a list.
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
	Trouble  string    `json:"trouble,omitempty"` // a word for the problem
	UDID     string    `json:"udid,omitempty"`
	App      string    `json:"bundle_id,omitempty"`
	Process  string    `json:"process,omitempty"`
	PID      int       `json:"pid,omitempty"`
	Unknown  string    `json:"unknown,omitempty"` // why it is not known whose it is
	Rule     string    `json:"mock,omitempty"`    // that answered it
	Repeats  string    `json:"repeats,omitempty"` // the flow it is a replay of
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

// ListFlowsIn says which flows to list.
type ListFlowsIn struct {
	FlowFilter
	Pattern string `json:"pattern,omitempty" doc:"only what fits: POST /order, or as mitmproxy writes it: ~u /order & ~c 500" cli:"arg"`
	Step    string `json:"step,omitempty" doc:"only of this step of the session, such as s12, or last"`
	Limit   int    `json:"limit,omitempty" doc:"at most so many, the newest" default:"50" min:"1" max:"1000" more:"true"`
}

// ListFlowsOut is flows, the oldest of them first.
type ListFlowsOut struct {
	Flows   []FlowLine `json:"flows" newest:"last"`
	Total   int        `json:"total"`
	HasMore bool       `json:"has_more"`
	Step    string     `json:"step,omitempty"`
	Note    string     `json:"note,omitempty"`
}

// Text is a line a flow.
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

// List lists flows.
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

// found are the newest flows that are meant, and how many there are.
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

// newest gives the flows that are meant, the newest first, until it is enough. Few of them are in memory with their bodies at once.
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

// atOnce is how many flows are looked at with their bodies in memory.
const atOnce = 20

// whyNone says what to do when there is nothing to show.
func (n *Network) whyNone(ctx context.Context) string {
	running := n.d.Services.Proxy.Status().State != "stopped"
	_, kept, err := n.d.Services.Flows.List(ctx, flow.Filter{}, capture.Page{Limit: 1, Newest: true})
	switch {
	case err == nil && kept > 0 && running:
		return fmt.Sprintf("%s kept, and none fits", brief.Count(kept, "request"))
	case running:
		return "no request went through the proxy yet: `ios-agent proxy check APP` tells why"
	}
	return "the proxy does not run: `ios-agent proxy launch APP` starts it, and the app through it"
}

// meant is the flows that a call means, after all that the proxy saw is there.
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

// ShowFlowIn says which flow.
type ShowFlowIn struct {
	ID   string `json:"flow_id,omitempty" doc:"its id, or latest" default:"latest" cli:"arg"`
	Curl bool   `json:"curl,omitempty" doc:"also as a command of curl that sends the request again"`
}

// FlowField is a header line.
type FlowField struct {
	Name  string `json:"name"`
	Value string `json:"value"`
}

// FlowPart is a request or an answer.
type FlowPart struct {
	Protocol string      `json:"http_version,omitempty"`
	Fields   []FlowField `json:"headers"`
	Body     string      `json:"body,omitempty"`        // as text
	Base64   string      `json:"body_base64,omitempty"` // where it is no text
	Bytes    int64       `json:"size_bytes"`            // on the wire
	Coding   string      `json:"coding,omitempty"`      // of the wire; the body is shown without it
	Cut      bool        `json:"cut,omitempty"`         // the body is longer
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

// ShowFlowOut is a flow.
type ShowFlowOut struct {
	FlowLine
	Request  FlowPart      `json:"request"`
	Response *FlowPart     `json:"response,omitempty"`
	Messages []FlowMessage `json:"messages,omitempty"`
	Told     int           `json:"message_count,omitempty"` // of all messages
	Timing   flow.Timing   `json:"timing"`
	TLS      string        `json:"tls,omitempty"`
	Hidden   []string      `json:"hidden_values,omitempty"`          // what is not shown because it is secret
	Curl     string        `json:"curl,omitempty" lines:"not shown"` // a command that sends the request again
}

const (
	mostBodyText = 4000 // bytes of a body in a text
	mostMessages = 20
)

// Text is the line of the flow, then what was sent and what came back.
func (o ShowFlowOut) Text() string {
	w := brief.New(0)
	w.Line(o.FlowLine.Text())
	w.Linef("url: %s", ui.QuoteWhole(brief.Clip(o.URL, mostBodyText)))
	if o.Unknown != "" {
		w.Linef("whose it is: %s", o.Unknown)
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

// Show shows a flow.
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

// Get finds a flow by its id.
func (n *Network) Get(ctx context.Context, id string) (flow.Flow, error) {
	if err := n.d.Services.Settled(ctx); err != nil {
		return flow.Flow{}, err
	}
	if id == "latest" {
		found, _, err := n.d.Services.Flows.Query(ctx, flow.Filter{}, capture.Page{Limit: 1, Newest: true})
		if err != nil || len(found) == 1 {
			return append(found, flow.Flow{})[0], err
		}
		return flow.Flow{}, fault.New(fault.FlowNotFound, "no request went through the proxy").WithHint("%s", n.whyNone(ctx))
	}
	f, found, err := n.d.Services.Flows.Get(ctx, id)
	if err == nil && !found {
		err = fault.New(fault.FlowNotFound, "there is no request %.40q", id).With("field", "flow_id")
	}
	return f, err
}
