package quern

import (
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"net"
	"slices"
	"strconv"
	"time"

	"ios-agent/internal/fault"
	"ios-agent/internal/hint"
	"ios-agent/internal/network/flow"
	"ios-agent/internal/network/proxy"
	"ios-agent/internal/op"
	"ios-agent/internal/ops/network"
)

// proxying are quern's tools for the network, with its routes, parameters and answers.
func (v views) proxying() []op.Op {
	spec := func(row op.Spec, summary string, hints op.Hints) op.Spec {
		return tool(row, "network", summary, hints, time.Minute)
	}
	held := spec(listHeldFlows, "List the held requests; with timeout, wait for one", readOnly)
	wait := spec(waitForFlow, "Wait until a matching request is answered or fails", readOnly)
	held.Timeout, wait.Timeout = 2*time.Minute, 2*time.Minute
	detail := spec(getFlowDetail, "Show one request and its answer; secrets are hidden", readOnly)
	detail.Own, wait.Own = ownOfFlow, ownOfFlow
	replay := spec(replayFlow, "Send a captured request again, unchanged or changed", op.OpenWorld|op.Destructive)
	set := spec(setMock, "Mock requests that match a pattern", 0)
	list := spec(listMocks, "List the mocks in order of priority", readOnly)
	clear := spec(clearMocks, "Remove one mock of this session, or all", op.Idempotent)
	set.Also, list.Also = []string{"POST /api/v1/proxy/mocks"}, []string{"GET /api/v1/proxy/mocks"}
	clear.Also = []string{"DELETE /api/v1/proxy/mocks", "DELETE /api/v1/proxy/mock/{rule_id}", "DELETE /api/v1/proxy/mocks/{rule_id}"}
	change := spec(updateMock, "Change the pattern or the answer of a mock", op.Idempotent)
	change.Also = []string{"PATCH /api/v1/proxy/mock/{rule_id}"}
	cert := spec(getProxyCert, "Download the proxy's certificate, which devices must trust", readOnly)
	cert.Public, cert.Download = true, true // a phone has no API key when it downloads the certificate
	return []op.Op{
		op.New(spec(queryFlows, "List captured requests, newest first; secrets are hidden", readOnly), v.queryFlows),
		op.New(detail, v.flowDetail),
		op.New(spec(getFlowSummary, "Summarize the traffic: hosts, failures, slow requests, and a cursor", readOnly), v.flowSummary),
		op.New(wait, v.waitForFlow),
		op.New(spec(proxyStatus, "Show the proxy: its state, address, mocks and holds", readOnly), v.proxyStatus),
		op.New(spec(startProxy, "Start the proxy; proxy_setup_guide shows how to use it", 0), v.startProxy),
		op.New(spec(stopProxy, "Stop the proxy and drop its mocks; captured requests stay", 0), v.stopProxy),
		op.New(spec(setIntercept, "Hold matching requests for up to 30 seconds", op.Idempotent), v.setIntercept),
		op.New(spec(clearIntercept, "Stop holding, and release this session's held requests", op.Idempotent), v.clearIntercept),
		op.New(held, v.heldFlows),
		op.New(spec(releaseFlow, "Release a held request or answer, unchanged or changed", 0), v.release),
		op.New(spec(releaseAllFlows, "Release all requests that this session holds, unchanged", op.Idempotent), v.releaseAll),
		op.New(replay, v.replay),
		op.New(set, v.setMock),
		op.New(list, v.listMocks),
		op.New(change, v.updateMock),
		op.New(clear, v.clearMocks),
		op.New(spec(setProxyFilter, "Capture, mock and hold requests of one host only", op.Idempotent), v.setProxyFilter),
		op.New(spec(proxySetupGuide, "Show how to send an app's requests through the proxy", readOnly), v.setupGuide),
		op.New(cert, v.proxyCert),
		op.New(spec(configureSystemProxy,
			"Use this proxy as the Mac's until it stops; simulators read it at boot", 0), v.configureSystemProxy),
		op.New(spec(unconfigureSystemProxy, "Restore the Mac's proxy settings", 0), v.unconfigureSystemProxy),
	}
}

// proxyOut is quern's state of the proxy, and the parts of other sessions.
type proxyOut struct {
	Status    string   `json:"status"`
	Port      int      `json:"port"`
	Host      string   `json:"listen_host"`
	Started   *string  `json:"started_at"`
	Flows     int      `json:"flows_captured"`
	Filter    *string  `json:"active_filter"`
	Intercept *string  `json:"active_intercept"`
	Held      int      `json:"held_flows_count"`
	Mocks     int      `json:"mock_rules_count"`
	Error     *string  `json:"error"`
	Warnings  []string `json:"warnings,omitempty"`

	Owner  string               `json:"owner,omitempty"`          // the session that owns the proxy, if it is another one
	Others []network.ProxyShare `json:"other_sessions,omitempty"` // mocks and holds of other sessions

	System  systemProxyOut `json:"system_proxy"`
	Restore *restoredOut   `json:"system_proxy_restore,omitempty"` // settings that stop_proxy restored
}

func proxyOf(o network.ProxyOut) proxyOut {
	out := proxyOut{
		Status: o.Status, Port: o.Port, Host: o.Listen, Started: some(o.Started), Flows: o.Flows, Filter: some(o.Only), Intercept: some(o.Hold),
		Held: o.Held, Mocks: o.Mocks, Error: some(o.Problem), Warnings: o.Warnings,
		Owner: o.Owner, Others: o.Others, System: systemProxyOf(o.Host),
	}
	if out.Port == 0 {
		out.Port, out.Host = proxy.FirstPort, proxy.Loopback
	}
	if o.Status == string(proxy.Restarting) {
		out.Status = "error"
	}
	return out
}

type noIn struct{}

func (v views) proxyStatus(ctx context.Context, c *op.Call, _ noIn) (proxyOut, error) {
	o, err := v.core.Network.State(ctx, c)
	return proxyOf(o), err
}

// startProxyIn is quern's input.
type startProxyIn struct {
	Port   int         `json:"port,omitempty" doc:"port (default: first free one from 9101)" min:"1" max:"65535"`
	Listen op.Address  `json:"listen_host,omitempty" doc:"listening address; non-loopback: open to others" default:"127.0.0.1"`
	System op.Redirect `json:"system_proxy,omitempty" doc:"also use it as the Mac's proxy; simulators read that at boot"`
}

func (v views) startProxy(ctx context.Context, c *op.Call, in startProxyIn) (proxyOut, error) {
	o, err := v.core.Network.Start(ctx, c, network.ProxyStartIn{Port: in.Port, Listen: in.Listen, System: in.System})
	return proxyOf(o), err
}

func (v views) stopProxy(ctx context.Context, c *op.Call, _ noIn) (proxyOut, error) {
	before, err := v.core.Network.State(ctx, c)
	if err != nil {
		return proxyOut{}, err
	}
	o, err := v.core.Network.End(ctx, c)
	out := proxyOf(o)
	if back := restored(before, o); back.Restored {
		out.Restore = &back
	}
	return out, err
}

// acceptedOut is quern's answer to a change.
type acceptedOut struct {
	Status  string  `json:"status"`
	Pattern *string `json:"pattern,omitempty"`
	Note    string  `json:"note,omitempty"`
}

// patternIn is quern's input.
type patternIn struct {
	Pattern string `json:"pattern" doc:"mitmproxy pattern, such as ~m POST & ~u /order"`
}

func (v views) setIntercept(ctx context.Context, c *op.Call, in patternIn) (acceptedOut, error) {
	_, err := v.core.Network.HoldAs(ctx, c, in.Pattern)
	note := "The proxy releases each request after 30 seconds; " + hint.Do(listHeldFlows.FullName(), "timeout", 30) + " waits for the next one"
	return acceptedOut{"accepted", &in.Pattern, note}, err
}

func (v views) clearIntercept(ctx context.Context, c *op.Call, _ noIn) (acceptedOut, error) {
	o, err := v.core.Network.NoHold(ctx, c)
	return acceptedOut{Status: "accepted", Note: fmt.Sprintf("Intercept cleared, %d held flows released", o.Released)}, err
}

// heldIn is quern's input.
type heldIn struct {
	Timeout float64 `json:"timeout,omitempty" doc:"seconds to wait for the first held request" default:"0" min:"0" max:"60" unit:"s"`
}

// heldFlow is quern's held request, or a held answer with its response.
type heldFlow struct {
	ID       string        `json:"id"`
	Since    time.Time     `json:"held_at"`
	Age      float64       `json:"age_seconds"`
	Request  flowRequest   `json:"request"`
	Response *flowResponse `json:"response,omitempty"`
	Owner    string        `json:"owner,omitempty"` // the session that holds it, if it is another one
}

// heldOut is quern's answer.
type heldOut struct {
	Pattern *string    `json:"pattern"`
	Flows   []heldFlow `json:"held_flows"`
	Total   int        `json:"total_held"`
}

func (v views) heldFlows(ctx context.Context, c *op.Call, in heldIn) (heldOut, error) {
	held, hold := v.core.Network.HeldFlows(ctx, c, time.Duration(in.Timeout*float64(time.Second)))
	out := heldOut{Flows: []heldFlow{}, Total: len(held)}
	if hold != nil {
		out.Pattern = &hold.Pattern
	}
	for _, h := range held {
		r := recordOf(h.Flow)
		age := float64(v.core.Said.Now().Sub(h.Since).Milliseconds()) / 1000
		one := heldFlow{ID: h.Flow.ID, Since: h.Since.UTC(), Age: age, Request: r.Request, Response: r.Response}
		if h.Owner != c.Session {
			one.Owner = h.Owner
		}
		out.Flows = append(out.Flows, one)
	}
	return out, nil
}

// releaseIn is quern's input.
type releaseIn struct {
	ID      string              `json:"flow_id" doc:"id of a held request"`
	Changes modificationsObject `json:"modifications,omitempty" doc:"headers, body, url, method, or status_code of an answer" private:"true"`
}

// modificationsObject are modifications as an input.
type modificationsObject op.Object

// Parts gives the fields of the object.
func (modificationsObject) Parts() any { return modifications{} }

// modifications are quern's changes of a request, and the status of an answer.
type modifications struct {
	Headers map[string]string `json:"headers"`
	Body    *string           `json:"body"`
	URL     *op.Address       `json:"url"`
	Method  *string           `json:"method"`
	Status  *int              `json:"status_code"`
}

// parts decodes an object; it refuses unknown fields.
func parts(field string, from op.Object, into any) error {
	if from == "" {
		return nil
	}
	d := json.NewDecoder(bytesOf(from))
	d.DisallowUnknownFields()
	if err := d.Decode(into); err != nil {
		return fault.New(fault.InvalidInput, "%s: %w", field, fault.OfJSON(err)).With("field", field)
	}
	return nil
}

func headerOf(given map[string]string) (h flow.Header) {
	for _, name := range slices.Sorted(maps.Keys(given)) {
		h = append(h, flow.Field{Name: name, Value: given[name]})
	}
	return h
}

// releasedOut is quern's answer.
type releasedOut struct {
	Status string `json:"status"`
	ID     string `json:"flow_id,omitempty"`
	Count  *int   `json:"count,omitempty"`
}

func (v views) release(ctx context.Context, c *op.Call, in releaseIn) (releasedOut, error) {
	var m modifications
	if err := parts("modifications", op.Object(in.Changes), &m); err != nil {
		return releasedOut{}, err
	}
	change := &flow.Change{Method: m.Method, URL: (*string)(m.URL), Status: m.Status, Set: headerOf(m.Headers)}
	if m.Body != nil {
		body := []byte(*m.Body)
		change.Body = &body
	}
	return releasedOut{Status: "released", ID: in.ID}, v.core.Network.ReleaseFlow(ctx, c, in.ID, change)
}

func (v views) releaseAll(ctx context.Context, c *op.Call, _ noIn) (releasedOut, error) {
	count, err := v.core.Network.ReleaseFlows(ctx, c)
	return releasedOut{Status: "released", Count: &count}, err
}

// replayIn is quern's input.
type replayIn struct {
	ID      string   `json:"flow_id" doc:"id of a captured request"`
	Headers []string `json:"modify_headers,omitempty" doc:"headers to set; others stay" pairs:"true" private:"true"`
	Body    *string  `json:"modify_body,omitempty" doc:"new body" private:"true"`
}

// replayOut is quern's answer, and the id of the new flow.
type replayOut struct {
	Status string  `json:"status"`
	Of     string  `json:"original_flow_id"`
	Flow   string  `json:"flow_id"`
	Code   *int    `json:"status_code"`
	Error  *string `json:"error"`
}

func (v views) replay(ctx context.Context, c *op.Call, in replayIn) (replayOut, error) {
	if _, err := pairsOf("modify_headers", in.Headers); err != nil {
		return replayOut{}, err
	}
	o, err := v.core.Network.Replay(ctx, c, network.ReplayIn{ID: in.ID, Header: in.Headers, Body: in.Body})
	if err != nil {
		return replayOut{}, err
	}
	out := replayOut{Status: "success", Of: in.ID, Flow: o.Flow.ID, Code: some(o.Flow.Code), Error: some(o.Flow.Problem)}
	if o.Flow.State == string(flow.Failed) {
		out.Status = "error"
	}
	return out, nil
}

// proxyFilterIn is quern's input.
type proxyFilterIn struct {
	Host string `json:"host,omitempty" doc:"host (default: all)"`
}

// proxyFilterOut is quern's answer.
type proxyFilterOut struct {
	Status string  `json:"status"`
	Filter *string `json:"filter"`
}

func (v views) setProxyFilter(ctx context.Context, c *op.Call, in proxyFilterIn) (proxyFilterOut, error) {
	if in.Host != "" {
		if err := network.CheckHost("host", in.Host); err != nil {
			return proxyFilterOut{}, err
		}
	}
	_, err := v.core.Network.Set(ctx, c, network.ProxySetIn{Only: &in.Host})
	return proxyFilterOut{"accepted", some(in.Host)}, err
}

// guideOut is quern's answer.
type guideOut struct {
	Host      string      `json:"proxy_host"`
	Port      int         `json:"proxy_port"`
	Interface *string     `json:"active_interface"`
	Warnings  []string    `json:"warnings"`
	Cert      string      `json:"cert_install_url"`
	Steps     []guideStep `json:"steps"`
}

type guideStep struct {
	Target       string   `json:"target"`
	Note         string   `json:"note"`
	Instructions []string `json:"instructions"`
}

func (v views) setupGuide(ctx context.Context, c *op.Call, _ noIn) (guideOut, error) {
	o, err := v.core.Network.HowTo(ctx, c)
	if err != nil {
		return guideOut{}, err
	}
	out := guideOut{Host: o.Listen, Port: o.Port, Warnings: []string{}, Cert: o.Path}
	if out.Port == 0 {
		out.Host, out.Port = proxy.Loopback, proxy.FirstPort
		out.Warnings = append(out.Warnings, "the proxy is not running: start it first")
	}
	if url := v.core.System.URL(); url != "" {
		out.Cert = url + "/api/v1/proxy/cert"
	}
	at := net.JoinHostPort(out.Host, strconv.Itoa(out.Port))
	for _, s := range o.Steps {
		if s.Kind == network.GuideSimulator || s.Kind == network.GuidePhysical { // quern has only these two kinds
			out.Steps = append(out.Steps, guideStep{s.Kind, s.Target + ", proxy " + at, quernsWay(s, at, o.Path)})
		}
	}
	return out, nil
}

// quernsWay are the steps with quern's tools, which cannot set a simulator up in one call or make it trust a certificate.
func quernsWay(s network.GuideStep, at, cert string) []string {
	if s.Kind != network.GuideSimulator {
		return s.Instructions
	}
	return []string{
		fmt.Sprintf("%s sets the Mac's proxy to %s, until %s or %s", hint.Do(configureSystemProxy.FullName()), at,
			hint.Do(unconfigureSystemProxy.FullName()), hint.Do(stopProxy.FullName())),
		fmt.Sprintf("a simulator reads the Mac's proxy when it boots: restart a booted one with %s and %s",
			hint.Do("shutdown_device"), hint.Do("boot_device")),
		"install the certificate on the simulator, in a shell: `xcrun simctl keychain booted add-root-cert " + cert + "`",
		"turn off a VPN or iCloud Private Relay: their requests bypass the proxy",
		"use the app, then call " + hint.Do(queryFlows.FullName()),
	}
}
