package ops

import (
	"context"
	"fmt"
	"slices"
	"time"

	"ios-agent/internal/fault"
	"ios-agent/internal/network/capture"
	"ios-agent/internal/network/flow"
	"ios-agent/internal/op"
	"ios-agent/internal/op/brief"
	"ios-agent/internal/ui"
)

// ExportFlowsIn says what to write, and where.
type ExportFlowsIn struct {
	Out    op.Path `json:"out" doc:"file to write" cli:"arg"`
	Force  bool    `json:"force,omitempty" doc:"overwrite the file if it exists" loses:"true"`
	Format string  `json:"format,omitempty" doc:"har, curl, or the bytes of a body on the wire" enum:"har,curl,request,response" default:"har"`
	Flow   string  `json:"flow,omitempty" doc:"only this one: its id, or latest; curl and bodies are always of one"`
	Reveal bool    `json:"reveal,omitempty" doc:"with passwords, tokens and cookies as they were sent"`
	FlowFilter
	Step  string `json:"step,omitempty" doc:"only of this step of the session, such as s12, or last"`
	Limit int    `json:"limit,omitempty" doc:"at most so many, the newest" default:"1000" min:"1" max:"10000"`
}

// ExportFlowsOut is what was written.
type ExportFlowsOut struct {
	Path     string `json:"path"`
	Count    int    `json:"count"`
	Bytes    int64  `json:"size_bytes"`
	Revealed bool   `json:"revealed,omitempty"`
}

// Text says where it is.
func (o ExportFlowsOut) Text() string {
	text := fmt.Sprintf("wrote %s to %s (%d bytes)", brief.Count(o.Count, "request"), o.Path, o.Bytes)
	if o.Revealed {
		text += "; secrets are in it"
	}
	return text
}

// Export writes flows to a file.
func (n *Network) Export(ctx context.Context, c *op.Call, in ExportFlowsIn) (ExportFlowsOut, error) {
	out := OutFile{Path: string(in.Out), Force: in.Force}
	if err := out.check(); err != nil {
		return ExportFlowsOut{}, err
	}
	flows, err := n.exported(ctx, c, in)
	if err != nil {
		return ExportFlowsOut{}, err
	}
	if in.Format == "request" || in.Format == "response" {
		if !in.Reveal {
			return ExportFlowsOut{}, fault.New(fault.InvalidInput, "the bytes of a body may hold secrets, which cannot be hidden in them").
				With("field", "reveal").WithHint("add `--reveal`, or read it with hidden secrets: `ios-agent proxy show ID`")
		}
	} else if !in.Reveal {
		for i := range flows {
			flows[i] = flow.Redacted(flows[i], nil)
		}
	}
	data, err := n.written(flows, in.Format)
	if err == nil {
		err = out.write(data)
	}
	if err != nil {
		return ExportFlowsOut{}, err
	}
	return ExportFlowsOut{Path: out.Path, Count: len(flows), Bytes: int64(len(data)), Revealed: in.Reveal}, nil
}

func (n *Network) exported(ctx context.Context, c *op.Call, in ExportFlowsIn) ([]flow.Flow, error) {
	if in.Flow != "" || in.Format != "har" {
		if in.Flow == "" {
			return nil, fault.New(fault.InvalidInput, "%s is of one request: which?", in.Format).With("field", "flow").
				WithHint("name it: `--flow ID`; `ios-agent proxy flows` lists them")
		}
		f, err := n.Get(ctx, in.Flow)
		return []flow.Flow{f}, err
	}
	f, _, err := n.meant(ctx, c, in.FlowFilter, in.Step)
	if err != nil {
		return nil, err
	}
	flows, _, err := n.Flows.Query(ctx, f, capture.Page{Limit: in.Limit, Newest: true})
	slices.Reverse(flows)
	for i := range flows {
		n.Flows.Fill(&flows[i])
	}
	return flows, err
}

// written is flows in a format.
func (n *Network) written(flows []flow.Flow, format string) ([]byte, error) {
	switch format {
	case "curl":
		text, err := flow.Curl(&flows[0])
		return []byte(text + "\n"), err
	case "request":
		return n.Flows.Wire(flows[0].Request.Body)
	case "response":
		if flows[0].Response == nil {
			return nil, fault.New(fault.FlowNotFound, "%s has no answer", flows[0].ID).WithHint("`ios-agent proxy show %s` tells what came of it", flows[0].ID)
		}
		return n.Flows.Wire(flows[0].Response.Body)
	}
	return flow.HAR(flows, n.Version)
}

// SummarizeFlowsIn says of what.
type SummarizeFlowsIn struct {
	Host  string `json:"host,omitempty" doc:"only to exactly this host"`
	Since string `json:"since,omitempty" doc:"from then on: so long ago, such as 5m, or a moment, such as 2026-01-31T15:04:05Z" default:"5m"`
	UDID  string `json:"udid,omitempty" doc:"only of this device"`
}

// HostFlows is what came of the requests to a host.
type HostFlows struct {
	Host         string  `json:"host"`
	Total        int     `json:"total"`
	OK           int     `json:"succeeded"`
	ClientErrors int     `json:"client_errors"`
	ServerErrors int     `json:"server_errors"`
	Unanswered   int     `json:"connection_errors"`
	AvgMS        float64 `json:"average_ms"`
}

// FlowFailure is a kind of failure.
type FlowFailure struct {
	Pattern string    `json:"pattern"`
	Count   int       `json:"count"`
	First   time.Time `json:"first_seen"`
	Last    time.Time `json:"last_seen"`
}

// SummarizeFlowsOut is flows in short.
type SummarizeFlowsOut struct {
	Total    int           `json:"total"`
	Failed   int           `json:"failed_count"`
	Hosts    []HostFlows   `json:"hosts"`
	Failures []FlowFailure `json:"failures"`
	Slow     []FlowLine    `json:"slow"`
	Summary  string        `json:"summary"`
}

// Text is the summary and a line for each host and failure.
func (o SummarizeFlowsOut) Text() string {
	w := brief.New(0)
	w.Line(ui.Inline(o.Summary))
	for _, h := range o.Hosts {
		w.Linef("%s: %s, %d with 4xx, %d with 5xx, %d without an answer, %.1f ms on average", ui.Inline(h.Host), brief.Count(h.Total, "request"),
			h.ClientErrors, h.ServerErrors, h.Unanswered, h.AvgMS)
	}
	for _, f := range o.Failures {
		w.Linef("%d× %s", f.Count, ui.Inline(f.Pattern))
	}
	for _, f := range o.Slow {
		w.Linef("slow: %s", f.Text())
	}
	return w.String()
}

// Summary tells it in short.
func (n *Network) Summary(ctx context.Context, _ *op.Call, in SummarizeFlowsIn) (SummarizeFlowsOut, error) {
	since, err := moment("since", in.Since, n.now)
	if err == nil {
		err = n.Settled(ctx)
	}
	if err != nil {
		return SummarizeFlowsOut{}, err
	}
	sum, _, err := n.Flows.Summary(ctx, capture.SummaryQuery{Window: n.now().Sub(since), Host: in.Host, Device: in.UDID})
	if err != nil {
		return SummarizeFlowsOut{}, err
	}
	out := SummarizeFlowsOut{
		Total: sum.Total, Failed: sum.Failed, Summary: sum.Prose, Hosts: []HostFlows{}, Failures: []FlowFailure{}, Slow: []FlowLine{},
	}
	for _, h := range sum.ByHost {
		out.Hosts = append(out.Hosts, HostFlows{h.Host, h.Total, h.Success, h.ClientErrors, h.ServerErrors, h.ConnectionErrors, h.AvgMS})
	}
	for _, e := range sum.Errors {
		out.Failures = append(out.Failures, FlowFailure{e.Pattern, e.Count, e.First, e.Last})
	}
	for _, s := range sum.Slow {
		out.Slow = append(out.Slow, FlowLine{ID: s.ID, Method: s.Method, URL: s.URL, Code: s.Status, TookMS: int64(s.TotalMS), State: string(flow.Done)})
	}
	return out, nil
}
