package connect

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"
	"time"

	"ios-agent/internal/fault"
)

// dialects are both, with an answer of each that holds a decision.
func dialects() map[string]struct {
	dialect Dialect
	answer  func(decision string) string
} {
	type spoken = struct {
		dialect Dialect
		answer  func(decision string) string
	}
	return map[string]spoken{
		"anthropic": {Anthropic(), func(d string) string {
			return `{"stop_reason":"tool_use","content":[{"type":"text","text":"well"},{"type":"tool_use","name":"act","input":` + d + `}]}`
		}},
		"openai": {OpenAI(), func(d string) string {
			quoted, _ := json.Marshal(d)
			return `{"choices":[{"message":{"content":null,"tool_calls":[{"type":"function","function":{"name":"act","arguments":` +
				string(quoted) + `}}]}}]}`
		}},
	}
}

// reply is one answer of a server.
type reply struct {
	status int
	header map[string]string
	body   string
}

// ask asks an endpoint whose server gives the replies in turn, and tells how long it paused in between.
func ask(t *testing.T, d Dialect, replies ...reply) (Decision, []time.Duration, error) {
	t.Helper()
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if len(replies) == 0 {
			t.Error("asked once too often")
			return
		}
		next := replies[0]
		replies = replies[1:]
		for name, value := range next.header {
			w.Header().Set(name, value)
		}
		w.WriteHeader(next.status)
		io.WriteString(w, next.body)
	}))
	defer server.Close()
	var pauses []time.Duration
	e := &Endpoint{Model: "m", Base: server.URL, Key: "key-of-a-test", Dialect: d, sleep: func(_ context.Context, d time.Duration) error {
		pauses = append(pauses, d)
		return nil
	}}
	if err := e.Open(); err != nil {
		t.Fatal(err)
	}
	defer e.Close()
	decision, err := e.Decide(t.Context(), Turn{Actions: []Action{{Name: "tap_element"}}})
	if len(replies) > 0 {
		t.Errorf("%d replies were not asked for", len(replies))
	}
	return decision, pauses, err
}

func TestDecisionIsReadFromToolCall(t *testing.T) {
	for name, s := range dialects() {
		d, _, err := ask(t, s.dialect, reply{200, nil, s.answer(`{"action":"tap_element","input":{"ref":"@e5"}}`)})
		if err != nil || d.Action != "tap_element" || string(d.Input["ref"]) != `"@e5"` {
			t.Errorf("%s: %+v, %v", name, d, err)
		}
	}
}

func TestDecisionIsReadFromText(t *testing.T) {
	prose := "Sure {not this}.\n```json\n{\"action\": \"done\", \"message\": \"it says {thanks}\"}\n```"
	quoted, _ := json.Marshal(prose)
	for name, body := range map[string]string{
		"anthropic": `{"content":[{"type":"text","text":` + string(quoted) + `}]}`,
		"openai":    `{"choices":[{"message":{"content":` + string(quoted) + `}}]}`,
	} {
		d, _, err := ask(t, dialects()[name].dialect, reply{200, nil, body})
		if err != nil || d.Action != Done || d.Message != "it says {thanks}" {
			t.Errorf("%s: %+v, %v", name, d, err)
		}
	}
}

// An answer without a decision is told apart from an endpoint that fails: the model is asked again.
func TestInvalidAnswersAreMalformed(t *testing.T) {
	for name, s := range dialects() {
		for _, body := range []string{
			"", "<html>", "{}", `{"choices":[]}`, `{"choices":[{"message":{}}]}`, `{"content":[]}`,
			`{"content":[{"type":"text","text":"no idea"}]}`,
			s.answer(`"x"`), s.answer(`{}`), s.answer(`{"action":7}`), s.answer(`[]`),
		} {
			_, _, err := ask(t, s.dialect, reply{200, nil, body})
			var m *Malformed
			if !errors.As(err, &m) {
				t.Errorf("%s: %q: %v", name, body, err)
			}
		}
	}
	_, _, err := ask(t, Anthropic(), reply{200, nil,
		`{"stop_reason":"max_tokens","content":[{"type":"tool_use","name":"act","input":{"action":"tap_element"}}]}`})
	if err == nil || !strings.Contains(err.Error(), "cut off") {
		t.Errorf("an answer that was cut off: %v", err)
	}
}

func TestABusyEndpointIsAskedAgain(t *testing.T) {
	for name, s := range dialects() {
		good := reply{200, nil, s.answer(`{"action":"done"}`)}
		d, pauses, err := ask(t, s.dialect,
			reply{429, map[string]string{"Retry-After": "7"}, ""}, reply{529, map[string]string{"Retry-After-Ms": "250"}, ""},
			reply{500, nil, ""}, good)
		want := []time.Duration{7 * time.Second, 250 * time.Millisecond, 4 * time.Second}
		if err != nil || d.Action != Done || !slices.Equal(pauses, want) {
			t.Errorf("%s: %+v, %v after %v", name, d, err, pauses)
		}
	}
	busy := reply{503, nil, `{"error":{"message":"overloaded"}}`}
	if _, _, err := ask(t, OpenAI(), busy, busy, busy, busy, busy); !fault.Is(err, fault.DeciderFailed) ||
		!strings.Contains(err.Error(), "overloaded") {
		t.Errorf("busy for ever: %v", err)
	}
	if _, _, err := ask(t, OpenAI(), reply{429, map[string]string{"Retry-After": "3600"}, ""}); !fault.Is(err, fault.DeciderFailed) ||
		!strings.Contains(err.Error(), "1h0m0s") {
		t.Errorf("busy for an hour: %v", err)
	}
}

func TestBackoffReadsRetryAfterHeader(t *testing.T) {
	now := time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)
	for header, want := range map[string]time.Duration{
		now.Add(9 * time.Second).Format(http.TimeFormat): 9 * time.Second,
		now.Add(-time.Hour).Format(http.TimeFormat):      0,
		"soon": 2 * time.Second, "-1": 2 * time.Second, "1e99": 2 * time.Second, "": 2 * time.Second, "0": 0,
	} {
		if got := backoff(http.Header{"Retry-After": {header}}, 1, now); got != want {
			t.Errorf("%q: %s", header, got)
		}
	}
}

// The key is sent where it belongs and told to nobody, not even when the endpoint repeats it.
func TestAPIKeyDoesNotLeak(t *testing.T) {
	for name, s := range dialects() {
		_, _, err := ask(t, s.dialect, reply{401, nil, `{"error":{"message":"bad key key-of-a-test"}}`})
		if !fault.Is(err, fault.Unauthorized) || strings.Contains(fmt.Sprint(err), "key-of-a-test") {
			t.Errorf("%s: %v", name, err)
		}
		_, _, err = ask(t, s.dialect, reply{302, map[string]string{"Location": "http://127.0.0.1:1/"}, ""})
		if !fault.Is(err, fault.DeciderFailed) || !strings.Contains(err.Error(), "302") {
			t.Errorf("%s: a redirection: %v", name, err)
		}
	}
}

func TestRequestHasPromptAndActions(t *testing.T) {
	turn := Turn{Instructions: "be good", Prompt: "what now?", Actions: []Action{{Name: "swipe"}}}
	for name, s := range dialects() {
		raw, err := json.Marshal(s.dialect.request("m-1", turn))
		if err != nil {
			t.Fatal(err)
		}
		for _, want := range []string{`"model":"m-1"`, `"be good"`, `"what now?"`, `"enum":["done","fail","swipe"]`, `"name":"act"`,
			`"tool_choice"`} {
			if !strings.Contains(string(raw), want) {
				t.Errorf("%s: no %s in %s", name, want, raw)
			}
		}
	}
}

func TestAHangingEndpointTimesOut(t *testing.T) {
	asked, release := make(chan struct{}), make(chan struct{})
	server := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		close(asked)
		select {
		case <-release:
		case <-r.Context().Done():
		}
	}))
	defer server.Close()
	defer close(release)
	e := &Endpoint{Model: "m", Base: server.URL, Dialect: OpenAI()}
	if err := e.Open(); err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	go func() { <-asked; cancel() }()
	if _, err := e.Decide(ctx, Turn{}); !errors.Is(err, context.Canceled) {
		t.Errorf("%v", err)
	}
}

func TestInvalidAddressesAreRefused(t *testing.T) {
	for base, code := range map[string]fault.Code{
		"":                           fault.Unauthorized,
		"https://api.openai.com/v1/": fault.Unauthorized,
		"ftp://x":                    fault.InvalidInput,
		"localhost:80":               fault.InvalidInput,
		"::":                         fault.InvalidInput,
	} {
		if err := (&Endpoint{Model: "m", Base: base, Dialect: OpenAI()}).Open(); !fault.Is(err, code) {
			t.Errorf("%q: %v", base, err)
		}
	}
	if err := (&Endpoint{Model: "m", Base: "http://models.example", Key: "k", Dialect: OpenAI()}).Open(); !fault.Is(err, fault.Forbidden) {
		t.Errorf("a key in the clear: %v", err)
	}
}
