package quern

import (
	"context"
	"encoding/base64"
	"net"
	"strings"
	"time"
	"unicode/utf8"

	"ios-agent/internal/network/capture"
	"ios-agent/internal/network/flow"
	"ios-agent/internal/op"
	"ios-agent/internal/ops/network"
)

// flowRecord is quern's record of a flow, and two more fields: State and Hidden.
type flowRecord struct {
	ID       string        `json:"id"`
	Time     time.Time     `json:"timestamp"`
	Device   string        `json:"device_id"`
	Request  flowRequest   `json:"request"`
	Response *flowResponse `json:"response"`
	Timing   flowTiming    `json:"timing"`
	TLS      *flowTLS      `json:"tls"`
	Error    *string       `json:"error"`
	Tags     []string      `json:"tags"`
	Process  *string       `json:"source_process"`
	PID      *int          `json:"source_pid"`
	UDID     *string       `json:"simulator_udid"`
	ClientIP *string       `json:"client_ip"`
	App      string        `json:"bundle_id,omitempty"`
	State    string        `json:"state"`            // open, held, done or failed
	Hidden   []string      `json:"hidden,omitempty"` // names of secrets that are left out
}

type flowRequest struct {
	Method string `json:"method"`
	URL    string `json:"url"`
	Host   string `json:"host"`
	Path   string `json:"path"`
	flowBody
}

type flowResponse struct {
	Status int    `json:"status_code"`
	Reason string `json:"reason"`
	flowBody
}

// flowBody is the headers and the body of a message. The value of a repeated header is a list.
type flowBody struct {
	Headers   map[string]any `json:"headers"`
	Body      *string        `json:"body"`
	Size      int64          `json:"body_size"`
	Truncated bool           `json:"body_truncated"`
	Encoding  string         `json:"body_encoding"`
}

type flowTiming struct {
	DNS      *float64 `json:"dns_ms"`
	Connect  *float64 `json:"connect_ms"`
	TLS      *float64 `json:"tls_ms"`
	Request  *float64 `json:"request_ms"`
	Response *float64 `json:"response_ms"`
	Total    *float64 `json:"total_ms"`
}

type flowTLS struct {
	Version string `json:"version"`
	SNI     string `json:"sni"`
}

// some is a value, or null for the zero one.
func some[T comparable](v T) *T {
	var none T
	if v == none {
		return nil
	}
	return &v
}

func recordOf(f flow.Flow) flowRecord {
	f = flow.Redacted(f, flow.Names{})
	host, path := flow.Place(f.Request.URL)
	out := flowRecord{
		ID: f.ID, Time: f.Started.UTC(), Device: noDevice, Tags: []string{}, Process: some(f.Client.Process), PID: some(f.Client.PID),
		UDID: some(f.Client.Simulator), App: f.Client.App, State: string(f.State), Hidden: f.Hidden, Error: some(f.Error),
		Request: flowRequest{f.Request.Method, f.Request.URL, host, path, bodyOf(f.Request.Header, f.Request.Body)},
		Timing: flowTiming{some(f.Timing.DNS), some(f.Timing.Connect), some(f.Timing.TLS), some(f.Timing.Request), some(f.Timing.Response),
			some(f.Timing.Total)},
	}
	if f.Client.Simulator != "" {
		out.Device = f.Client.Simulator
	}
	if ip, _, err := net.SplitHostPort(f.Client.Address); err == nil {
		out.ClientIP = &ip
	}
	if f.Response != nil {
		out.Response = &flowResponse{f.Response.Status, f.Response.Reason, bodyOf(f.Response.Header, f.Response.Body)}
	}
	if f.TLS != nil {
		out.TLS = &flowTLS{f.TLS.Version, f.TLS.Name}
	}
	for _, tag := range []struct {
		is   bool
		name string
	}{{f.Rule != "", "mock"}, {f.Repeats != "", "replay"}, {f.Changed, "modified"}} {
		if tag.is {
			out.Tags = append(out.Tags, tag.name)
		}
	}
	return out
}

func bodyOf(h flow.Header, b flow.Body) flowBody {
	out := flowBody{Headers: map[string]any{}, Size: b.Size, Truncated: b.Cut, Encoding: "utf-8"}
	for _, f := range h {
		name := strings.ToLower(f.Name)
		switch before := out.Headers[name].(type) {
		case nil:
			out.Headers[name] = f.Value
		case string:
			out.Headers[name] = []string{before, f.Value}
		case []string:
			out.Headers[name] = append(before, f.Value)
		}
	}
	if len(b.Content) > 0 {
		text := string(b.Content)
		if !utf8.Valid(b.Content) {
			text, out.Encoding = base64.StdEncoding.EncodeToString(b.Content), "base64"
		}
		out.Body = &text
	}
	return out
}

// flowFilterIn is quern's filter of flows.
type flowFilterIn struct {
	Host      string `json:"host,omitempty" doc:"exact host"`
	Path      string `json:"path_contains,omitempty" doc:"part of the path, case-sensitive"`
	Method    string `json:"method,omitempty" doc:"method, in any case"`
	StatusMin int    `json:"status_min,omitempty" doc:"minimum status"`
	StatusMax int    `json:"status_max,omitempty" doc:"maximum status"`
	HasError  *bool  `json:"has_error,omitempty" doc:"true: only flows without an answer; false: only others"`
	UDID      string `json:"simulator_udid,omitempty" doc:"only of this simulator"`
	ClientIP  string `json:"client_ip,omitempty" doc:"only from this address"`
}

func (in flowFilterIn) filter() flow.Filter {
	return flow.Filter{
		Host: in.Host, Path: in.Path, Method: in.Method, StatusMin: in.StatusMin, StatusMax: in.StatusMax, HasError: in.HasError,
		Device: in.UDID, ClientIP: in.ClientIP,
	}
}

// queryFlowsIn is quern's input.
type queryFlowsIn struct {
	flowFilterIn
	Since  op.Instant `json:"since,omitempty" doc:"start time as ISO 8601, in UTC without a zone"`
	Until  op.Instant `json:"until,omitempty" doc:"end time as ISO 8601"`
	Limit  int        `json:"limit,omitempty" doc:"maximum number" default:"100" min:"1" max:"1000" more:"true"`
	Offset int        `json:"offset,omitempty" doc:"number to skip, from the newest" default:"0" min:"0"`
	Device string     `json:"device_id,omitempty" doc:"only of this device"`
}

// queryFlowsOut is quern's answer.
type queryFlowsOut struct {
	Flows []flowRecord `json:"flows"`
	Total int          `json:"total"`
	More  bool         `json:"has_more"`
}

func (v views) queryFlows(ctx context.Context, _ *op.Call, in queryFlowsIn) (queryFlowsOut, error) {
	f := in.filter()
	var err error
	if f.Since, err = in.Since.Time(); err != nil {
		return queryFlowsOut{}, err
	}
	if f.Until, err = in.Until.Time(); err != nil {
		return queryFlowsOut{}, err
	}
	if d := deviceOf(in.Device); d != "" {
		f.Device = d
	}
	found, total, err := v.core.Network.Query(ctx, f, capture.Page{Limit: in.Limit, Offset: in.Offset, Newest: true})
	if err != nil {
		return queryFlowsOut{}, err
	}
	out := queryFlowsOut{Flows: []flowRecord{}, Total: total, More: in.Offset+len(found) < total}
	for _, one := range found {
		record := recordOf(one)
		record.cutBodies(mostOfPage / len(found) / 2)
		out.Flows = append(out.Flows, record)
	}
	return out, nil
}

// mostOfPage is the maximum size in bytes of all bodies of a page. Long bodies are cut and carry quern's mark, but no flow is left out:
// a client that adds its limit to the offset would skip the missing flows. get_flow_detail has as much of a body as quern.
const mostOfPage = 48 << 10

func (r *flowRecord) cutBodies(most int) {
	r.Request.cut(most)
	if r.Response != nil {
		r.Response.cut(most)
	}
}

func (b *flowBody) cut(most int) {
	if b.Body == nil || len(*b.Body) <= most {
		return
	}
	text := strings.ToValidUTF8((*b.Body)[:most&^3], "") // base64 is read four bytes at a time
	b.Body, b.Truncated = &text, true
}

// ownOfFlow is the size in bytes of quern's answer for one flow: two bodies of 100 KiB, as JSON.
const ownOfFlow = 4 * flow.MostInline

// flowIn names a flow.
type flowIn struct {
	ID string `json:"flow_id" doc:"flow id, such as f_0123456789ab"`
}

func (v views) flowDetail(ctx context.Context, _ *op.Call, in flowIn) (flowRecord, error) {
	f, err := v.core.Network.Get(ctx, in.ID)
	if err != nil {
		return flowRecord{}, err
	}
	return recordOf(f), nil
}

// flowSummaryIn is quern's input.
type flowSummaryIn struct {
	Window   string `json:"window,omitempty" doc:"time span until now" enum:"30s,1m,5m,15m,1h" default:"5m"`
	Host     string `json:"host,omitempty" doc:"exact host"`
	Cursor   string `json:"since_cursor,omitempty" doc:"cursor of an earlier summary: only later flows"`
	UDID     string `json:"simulator_udid,omitempty" doc:"only of this simulator"`
	ClientIP string `json:"client_ip,omitempty" doc:"only from this address"`
}

// flowSummaryOut is quern's answer.
type flowSummaryOut struct {
	Window    string                `json:"window"`
	Generated time.Time             `json:"generated_at"`
	Cursor    string                `json:"cursor"`
	Summary   string                `json:"summary"`
	Total     int                   `json:"total_flows"`
	ByHost    []hostCount           `json:"by_host"`
	Errors    []network.FlowFailure `json:"errors"`
	Slow      []slowFlow            `json:"slow_requests"`
}

type hostCount struct {
	Host         string  `json:"host"`
	Total        int     `json:"total"`
	Success      int     `json:"success"`
	ClientErrors int     `json:"client_error"`
	ServerErrors int     `json:"server_error"`
	Unanswered   int     `json:"connection_errors"`
	AvgMS        float64 `json:"avg_latency_ms"`
}

type slowFlow struct {
	Method string  `json:"method"`
	URL    string  `json:"url"`
	MS     float64 `json:"total_ms"`
	Status *int    `json:"status_code"`
}

func (v views) flowSummary(ctx context.Context, _ *op.Call, in flowSummaryIn) (flowSummaryOut, error) {
	back, err := time.ParseDuration(in.Window)
	if err != nil {
		return flowSummaryOut{}, err
	}
	if in.Cursor != "" {
		if _, err := v.after(in.Cursor); err != nil {
			return flowSummaryOut{}, err
		}
	}
	sum, cursor, err := v.core.Network.Sum(ctx, capture.SummaryQuery{
		Window: back, Host: in.Host, Device: in.UDID, ClientIP: in.ClientIP, Cursor: in.Cursor,
	})
	if err != nil {
		return flowSummaryOut{}, err
	}
	out := flowSummaryOut{
		Window: in.Window, Generated: v.core.Said.Now().UTC(), Cursor: cursor, Summary: sum.Prose, Total: sum.Total, ByHost: []hostCount{},
		Errors: []network.FlowFailure{}, Slow: []slowFlow{},
	}
	for _, h := range sum.ByHost {
		out.ByHost = append(out.ByHost, hostCount{h.Host, h.Total, h.Success, h.ClientErrors, h.ServerErrors, h.ConnectionErrors, h.AvgMS})
	}
	for _, e := range sum.Errors {
		out.Errors = append(out.Errors, network.FlowFailure{Pattern: e.Pattern, Count: e.Count, First: e.First.UTC(), Last: e.Last.UTC()})
	}
	for _, s := range sum.Slow {
		out.Slow = append(out.Slow, slowFlow{s.Method, s.URL, s.TotalMS, some(s.Status)})
	}
	return out, nil
}

// waitForFlowIn is quern's input.
type waitForFlowIn struct {
	flowFilterIn
	Timeout  float64    `json:"timeout,omitempty" doc:"seconds" default:"10" min:"0.1" max:"60" unit:"s"`
	Interval float64    `json:"interval,omitempty" doc:"ignored: the daemon does not poll" default:"0.5" min:"0.1" max:"5" unit:"s"`
	Since    op.Instant `json:"since,omitempty" doc:"start time as ISO 8601 (default: 5 seconds ago, or the session's last step if earlier)"`
}

// waitForFlowOut is quern's answer.
type waitForFlowOut struct {
	Matched bool        `json:"matched"`
	Flow    *flowRecord `json:"flow"`
	Elapsed float64     `json:"elapsed_seconds"`
	Polls   int         `json:"polls"`
}

func (v views) waitForFlow(ctx context.Context, c *op.Call, in waitForFlowIn) (waitForFlowOut, error) {
	f := in.filter()
	var err error
	if f.Since, err = in.Since.Time(); err != nil {
		return waitForFlowOut{}, err
	}
	began := time.Now()
	found, err := v.core.Network.Await(ctx, c, f, time.Duration(in.Timeout*float64(time.Second)))
	if err != nil {
		return waitForFlowOut{}, err
	}
	out := waitForFlowOut{Matched: found != nil, Elapsed: float64(time.Since(began).Milliseconds()) / 1000, Polls: 1}
	if found != nil {
		record := recordOf(*found)
		out.Flow = &record
	}
	return out, nil
}
