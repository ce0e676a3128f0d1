package network

import (
	"context"
	"time"

	"ios-agent/internal/network/capture"
	"ios-agent/internal/network/flow"
	"ios-agent/internal/op"
	"ios-agent/internal/text/brief"
	"ios-agent/internal/text/oneline"
	"ios-agent/internal/ui"
)

// SummarizeFlowsIn selects requests.
type SummarizeFlowsIn struct {
	Host  string `json:"host,omitempty" doc:"exact host"`
	Since string `json:"since,omitempty" doc:"start time: a duration ago (5m) or an RFC 3339 time" default:"5m" ago:"true"`
	UDID  string `json:"udid,omitempty" doc:"only this device"`
}

// HostFlows has the counts of the requests to a host.
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

// SummarizeFlowsOut is a summary of requests.
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
		w.Linef("%s: %s, %d with 4xx, %d with 5xx, %d without an answer, %.1f ms on average", oneline.Head(ui.Inline(h.Host)),
			brief.Count(h.Total, "request"), h.ClientErrors, h.ServerErrors, h.Unanswered, h.AvgMS)
	}
	for _, f := range o.Failures {
		w.Linef("%d× %s", f.Count, ui.Inline(f.Pattern))
	}
	for _, f := range o.Slow {
		w.Linef("slow: %s", f.Text())
	}
	return w.String()
}

// Summary summarizes requests.
func (n *Network) Summary(ctx context.Context, _ *op.Call, in SummarizeFlowsIn) (SummarizeFlowsOut, error) {
	since, err := op.TimeOf("since", in.Since, n.d.Now)
	if err == nil {
		err = n.d.Services.Settled(ctx)
	}
	if err != nil {
		return SummarizeFlowsOut{}, err
	}
	sum, _, err := n.d.Services.Flows.Summary(ctx, capture.SummaryQuery{Window: n.d.Now().Sub(since), Host: in.Host, Device: in.UDID})
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
		out.Slow = append(out.Slow, FlowLine{ID: s.ID, Method: s.Method, URL: s.URL, Code: s.Status, TookMS: int64(s.TotalMS),
			State: string(flow.Done)})
	}
	return out, nil
}
