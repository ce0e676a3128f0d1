package connect

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"time"

	"ios-agent/internal/fault"
	"ios-agent/internal/hint"
	"ios-agent/internal/machine/pause"
)

// Endpoint is a decider behind HTTP: a model that calls tools. Its dialect defines the form of requests and answers.
type Endpoint struct {
	Model    string
	Base     string        // of the address; empty is the dialect's own
	Key      string        // written only into the request
	Patience time.Duration // for one request; 0 is DefaultPatience
	Dialect  Dialect

	client http.Client
	sleep  func(context.Context, time.Duration) error
}

// Dialect is the protocol of one kind of endpoint.
type Dialect struct {
	Name     string
	Base     string // the address of its own service
	Variable string // of the environment, which holds the key
	Path     string
	auth     func(http.Header, string)
	request  func(model string, t Turn) any
	read     func(body []byte) (Decision, error)
}

// How often a request is repeated, and the waits in between.
const (
	mostRetries = 4
	mostBackoff = 2 * time.Minute
	mostAnswer  = 4 << 20
)

// Open checks the settings before the first request.
func (e *Endpoint) Open() error {
	if e.Model == "" {
		return fault.New(fault.InvalidInput, "no model named").With("field", "model").WithHint("name it with %s", hint.Field("model"))
	}
	own := e.Base == "" || strings.TrimRight(e.Base, "/") == e.Dialect.Base
	if own {
		e.Base = e.Dialect.Base
	}
	if own && e.Key == "" {
		return fault.New(fault.Unauthorized, "%s is not set", e.Dialect.Variable).WithHint("put the key of %s into it", e.Dialect.Base)
	}
	u, err := url.Parse(e.Base)
	if err != nil || u.Host == "" || u.Scheme != "https" && u.Scheme != "http" {
		return fault.New(fault.InvalidInput, "%q is not a valid endpoint address", e.Base).With("field", "base_url").
			WithHint("it looks like %s", e.Dialect.Base)
	}
	if u.Scheme == "http" && e.Key != "" && !loopback(u.Hostname()) {
		return fault.New(fault.Forbidden, "the key would be sent to %s unencrypted", u.Host).WithHint("use https")
	}
	e.client = http.Client{
		Timeout:       cmp.Or(e.Patience, DefaultPatience),
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }, // the key is for one host only
	}
	if e.sleep == nil {
		e.sleep = pause.For
	}
	return nil
}

func loopback(name string) bool {
	ip := net.ParseIP(name)
	return name == "localhost" || ip != nil && ip.IsLoopback()
}

// Close ends idle connections.
func (e *Endpoint) Close() error {
	e.client.CloseIdleConnections()
	return nil
}

// Decide asks the model. It asks a busy endpoint again after the endpoint's waiting time.
func (e *Endpoint) Decide(ctx context.Context, t Turn) (Decision, error) {
	body, err := json.Marshal(e.Dialect.request(e.Model, t))
	if err != nil {
		return Decision{}, fault.New(fault.Internal, "cannot encode a request: %w", err)
	}
	for try := 0; ; try++ {
		answer, status, header, err := e.post(ctx, body)
		switch {
		case err != nil && ctx.Err() != nil:
			return Decision{}, ctx.Err()
		case err != nil:
			return Decision{}, fault.New(fault.DeciderFailed, "%s: %s", e.Dialect.Name, e.hide(err.Error())).
				WithHint("check %s and the network", hint.Field("base_url"))
		case status == http.StatusOK:
			return e.Dialect.read(answer)
		case !busy(status) || try == mostRetries:
			return Decision{}, e.refused(status, answer)
		}
		wait := backoff(header, try, time.Now())
		if wait > mostBackoff {
			return Decision{}, fault.New(fault.DeciderFailed, "%s requires a wait of %s, which is too long (HTTP %d)",
				e.Dialect.Name, wait.Round(time.Second), status)
		}
		if err := e.sleep(ctx, wait); err != nil {
			return Decision{}, err
		}
	}
}

func (e *Endpoint) post(ctx context.Context, body []byte) (answer []byte, status int, header http.Header, err error) {
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, strings.TrimRight(e.Base, "/")+e.Dialect.Path, bytes.NewReader(body))
	if err != nil {
		return nil, 0, nil, err
	}
	req.Header.Set("Content-Type", "application/json")
	if e.Key != "" {
		e.Dialect.auth(req.Header, e.Key)
	}
	resp, err := e.client.Do(req)
	if err != nil {
		return nil, 0, nil, err
	}
	defer resp.Body.Close()
	answer, err = io.ReadAll(io.LimitReader(resp.Body, mostAnswer+1))
	if err == nil && len(answer) > mostAnswer {
		err = fmt.Errorf("the answer is larger than %d bytes", mostAnswer)
	}
	return answer, resp.StatusCode, resp.Header, err
}

// busy are the statuses after which a request is sent again: too many requests, and errors of the server.
func busy(status int) bool { return status == http.StatusTooManyRequests || status >= 500 }

// backoff is the waiting time: the endpoint's, else longer each time.
func backoff(h http.Header, try int, now time.Time) time.Duration {
	if ms, err := strconv.ParseFloat(h.Get("Retry-After-Ms"), 64); err == nil && ms >= 0 {
		return time.Duration(ms * float64(time.Millisecond))
	}
	after := h.Get("Retry-After")
	if s, err := strconv.ParseFloat(after, 64); err == nil && s >= 0 && s < 1e6 {
		return time.Duration(s * float64(time.Second))
	}
	if at, err := http.ParseTime(after); err == nil {
		return max(0, at.Sub(now))
	}
	return time.Second << try
}

// refused is the fault for an endpoint that refused, with its message.
func (e *Endpoint) refused(status int, answer []byte) error {
	var said struct {
		Error struct {
			Message string `json:"message"`
			Type    string `json:"type"`
		} `json:"error"`
	}
	words := ""
	if json.Unmarshal(answer, &said) == nil && said.Error.Message != "" {
		words = ": " + said.Error.Message
	}
	if len(words) > mostWords {
		words = words[:mostWords] + "…"
	}
	code, hint := fault.DeciderFailed, ""
	if status == http.StatusUnauthorized || status == http.StatusForbidden {
		code, hint = fault.Unauthorized, "check the key in "+e.Dialect.Variable
	}
	f := fault.New(code, "%s answers HTTP %d%s", e.Dialect.Name, status, e.hide(strings.ToValidUTF8(words, "�")))
	if hint != "" {
		f = f.WithHint("%s", hint)
	}
	return f
}

// hide removes the key from a message: some endpoints repeat it.
func (e *Endpoint) hide(text string) string {
	if e.Key == "" {
		return text
	}
	return strings.ReplaceAll(text, e.Key, Redacted)
}

// tool is the only tool of a model.
const (
	toolName = "act"
	toolDoc  = "Perform one action on the device, or end the run with done or fail."
)

// toolSchema is the input of the tool.
func toolSchema(t Turn) map[string]any {
	text := func(doc string) map[string]any { return map[string]any{"type": "string", "description": doc} }
	action := text("the action")
	action["enum"] = t.names()
	return map[string]any{
		"type": "object",
		"properties": map[string]any{
			"action": action, "input": map[string]any{"type": "object", "description": "its inputs"},
			"message": text("with done and fail: the result, or the reason of the failure"), "why": text("the reason, in a few words"),
		},
		"required": []string{"action"},
	}
}
