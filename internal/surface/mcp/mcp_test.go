package mcp

import (
	"cmp"
	"context"
	"encoding/json"
	"slices"
	"strings"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"ios-agent/internal/fault"
	"ios-agent/internal/op"
	"ios-agent/internal/ops/catalogue"
	"ios-agent/test/surfacetest"
)

// dial connects a client to a server of ours through memory.
func dial(t *testing.T, o Options, client *mcp.ClientOptions) *mcp.ClientSession {
	t.Helper()
	here, there := mcp.NewInMemoryTransports()
	server, err := Server(o).Connect(t.Context(), there, nil)
	if err != nil {
		t.Fatal(err)
	}
	session, err := mcp.NewClient(&mcp.Implementation{Name: "test", Version: "1"}, client).Connect(t.Context(), here, nil)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		session.Close()
		server.Wait()
	})
	return session
}

// serve is a server of the sample catalogue.
func serve(t *testing.T, w *surfacetest.World, words string, change func(*Options)) *mcp.ClientSession {
	t.Helper()
	tools, err := Select(w.Catalogue.Ops(), words)
	if err != nil {
		t.Fatal(err)
	}
	o := Options{Version: "1.2.3", Catalogue: w.Catalogue, Tools: tools, Caller: w.Caller("mcp")}
	if change != nil {
		change(&o)
	}
	return dial(t, o, nil)
}

// call is one tool call: its text, its structured content, and whether it is an error.
func invoke(t *testing.T, s *mcp.ClientSession, name, input string) (text string, structured map[string]any, isError bool) {
	t.Helper()
	r, err := s.CallTool(t.Context(), &mcp.CallToolParams{Name: name, Arguments: json.RawMessage(cmp.Or(input, "{}"))})
	if err != nil {
		t.Fatalf("%s: %v", name, err)
	}
	structured, _ = r.StructuredContent.(map[string]any)
	return r.Content[0].(*mcp.TextContent).Text, structured, r.IsError
}

func codeOf(structured map[string]any) string {
	f, _ := structured["error"].(map[string]any)
	code, _ := f["code"].(string)
	return code
}

func list(t *testing.T, s *mcp.ClientSession) []*mcp.Tool {
	t.Helper()
	r, err := s.ListTools(t.Context(), nil)
	if err != nil {
		t.Fatal(err)
	}
	return r.Tools
}

func names(tools []*mcp.Tool) (all []string) {
	for _, tool := range tools {
		all = append(all, tool.Name)
	}
	slices.Sort(all)
	return all
}

func TestServerListsToolsOfItsSet(t *testing.T) {
	w := surfacetest.New(op.JobAfter)
	for words, want := range map[string][]string{
		"core":      {"call_tool", "find_tools", "say_it", "take_picture"},
		"other,job": {"call_tool", "find_tools", "job_cancel", "job_status", "job_wait", "say_it"},
		"thing":     {"call_tool", "find_tools", "show_thing"},
	} {
		if got := names(list(t, serve(t, w, words, nil))); !slices.Equal(got, want) {
			t.Errorf("%s: %v", words, got)
		}
	}
	all := names(list(t, serve(t, w, "all", nil)))
	if !slices.Contains(all, "other_say_it") || slices.Contains(all, "watch_ticks") || !slices.Contains(all, "read_watch_ticks") {
		t.Errorf("all: %v", all)
	}
}

func TestCallReturnsTextAndStructuredResult(t *testing.T) {
	w := surfacetest.New(op.JobAfter)
	plain, structured := serve(t, w, "all", nil), serve(t, w, "all", func(o *Options) { o.Structured = true })
	text, body, isError := invoke(t, plain, "say_it", `{"text":"hello","times":"2"}`)
	if text != "said hello hello [virtual]\nnext: show_thing" || body != nil || isError {
		t.Errorf("%q %v %v", text, body, isError)
	}
	text, body, isError = invoke(t, structured, "say_it", `{"text":"hello","session":"mine","outFile":"x"}`)
	meta, _ := body["meta"].(map[string]any)
	if !strings.HasPrefix(text, "said hello") || body["said"] != "hello" || body["session"] != "mine" || body["file"] != "/project/x" ||
		meta["toolchain"] != "virtual" || isError {
		t.Errorf("structured: %q %v %v", text, body, isError)
	}
	for name, tool := range map[string]string{"other_say_it": `{"text":"x"}`, "show_thing": `{"id":"t1"}`, "read_watch_ticks": `{}`,
		"wipe_all": "{}"} {
		if _, _, isError := invoke(t, plain, name, tool); isError {
			t.Errorf("%s is an error", name)
		}
	}
	r, err := plain.CallTool(t.Context(), &mcp.CallToolParams{Name: "take_picture"})
	if err != nil || len(r.Content) != 2 {
		t.Fatalf("%+v %v", r, err)
	}
	if i, ok := r.Content[1].(*mcp.ImageContent); !ok || i.MIMEType != "image/png" || string(i.Data) != surfacetest.Pixels {
		t.Errorf("%+v", r.Content[1])
	}
}

// TestFaultIsToolResultWithJSON: a fault is a result that the model sees, with its JSON; a tool that does not exist
// is a protocol error.
func TestFaultIsToolResultWithJSON(t *testing.T) {
	s := serve(t, surfacetest.New(op.JobAfter), "all", nil)
	for _, code := range fault.Codes() {
		text, body, isError := invoke(t, s, "fail_with", `{"code":"`+string(code)+`","keep":true}`)
		result, _ := body["result"].(map[string]any)
		if !isError || codeOf(body) != string(code) || result["seen"] != "something" ||
			!strings.HasPrefix(text, string(code)+": it was to fail\nhint: do not ask for it") {
			t.Errorf("%s: %q %v %v", code, text, body, isError)
		}
	}
	for tool, input := range map[string]string{"say_it": `{"txet":"x"}`, "show_thing": `{}`, "read_watch_ticks": `{"cursor":"nonsense"}`,
		"job_status": `{"job":"job9"}`} {
		if _, body, isError := invoke(t, s, tool, input); !isError || codeOf(body) != "INVALID_INPUT" && codeOf(body) != "JOB_NOT_FOUND" {
			t.Errorf("%s %s: %v %v", tool, input, body, isError)
		}
	}
	if _, body, isError := invoke(t, s, "panic_now", ""); !isError || codeOf(body) != "INTERNAL" {
		t.Errorf("a panic: %v %v", body, isError)
	}
	if _, err := s.CallTool(t.Context(), &mcp.CallToolParams{Name: "no_such"}); err == nil {
		t.Error("a tool that does not exist answers")
	}
}

func TestCallToolRunsFoundTool(t *testing.T) {
	w := surfacetest.New(op.JobAfter)
	s := serve(t, w, "core", nil)
	text, _, isError := invoke(t, s, "find_tools", `{"query":"show thing"}`)
	if !strings.Contains(text, "\nshow_thing(id, deep?: boolean, count?: integer, names?: list): Show a thing") || isError {
		t.Errorf("%q", text)
	}
	if text, _, _ = invoke(t, s, "find_tools", `{"query":"zebra"}`); !strings.Contains(text, "groups: job, text, thing") {
		t.Errorf("%q", text)
	}
	if text, _, isError = invoke(t, s, "call_tool", `{"name":"show_thing","arguments":{"id":"t1"}}`); isError ||
		!strings.Contains(text, `"id":"t1"`) {
		t.Errorf("%q %v", text, isError)
	}
	for input, code := range map[string]string{
		`{"name":"no_such"}`:                              "UNKNOWN_OPERATION",
		`{"name":"show_thing","argument":{}}`:             "INVALID_INPUT",
		`{"name":"show_thing","arguments":{"no":"such"}}`: "INVALID_INPUT",
		`{"name":"wipe_all"}`:                             "FORBIDDEN",
	} {
		if _, body, isError := invoke(t, s, "call_tool", input); !isError || codeOf(body) != code {
			t.Errorf("%s: %v", input, body)
		}
	}
	allowed := serve(t, w, "core", func(o *Options) { o.Destructive = true })
	if _, _, isError := invoke(t, allowed, "call_tool", `{"name":"wipe_all"}`); isError {
		t.Error("it was allowed")
	}
}

// TestProgressNumbersIncreaseUntilAnswer: every number is above the one before, and nothing comes after the answer.
func TestProgressNumbersIncreaseUntilAnswer(t *testing.T) {
	w := surfacetest.New(op.JobAfter)
	tools, err := Select(w.Catalogue.Ops(), All)
	if err != nil {
		t.Fatal(err)
	}
	heard := make(chan *mcp.ProgressNotificationParams, 10)
	s := dial(t, Options{Catalogue: w.Catalogue, Tools: tools, Caller: w.Caller("")}, &mcp.ClientOptions{
		ProgressNotificationHandler: func(_ context.Context, r *mcp.ProgressNotificationClientRequest) { heard <- r.Params },
	})
	params := &mcp.CallToolParams{Name: "work_long", Arguments: json.RawMessage("{}")}
	params.SetProgressToken("mine")
	if _, err := s.CallTool(t.Context(), params); err != nil {
		t.Fatal(err)
	}
	last := -1.0
	for _, want := range []string{"work_long began", "step 1", "step 2", "step 3"} {
		p := <-heard
		if p.ProgressToken != "mine" || p.Message != want || p.Progress <= last {
			t.Errorf("%+v after %v, want %s", p, last, want)
		}
		last = p.Progress
	}
	if err := s.Ping(t.Context(), nil); err != nil || len(heard) > 0 { // what was sent before has arrived
		t.Errorf("%d more notifications, %v", len(heard), err)
	}
}

// TestCancelledMCPCallEndsOperation: a client that gives a call up ends the operation.
func TestCancelledMCPCallEndsOperation(t *testing.T) {
	w := surfacetest.New(op.JobAfter)
	s := serve(t, w, "all", nil)
	ctx, cancel := context.WithCancel(t.Context())
	ended := make(chan error, 1)
	go func() {
		_, err := s.CallTool(ctx, &mcp.CallToolParams{Name: "wait_here"})
		ended <- err
	}()
	<-w.Waiting
	cancel()
	if err := <-w.Gone; err != context.Canceled {
		t.Errorf("the operation ended with %v", err)
	}
	if err := <-ended; err == nil {
		t.Error("the call has an answer")
	}
	close(w.Release) // the connection goes on
	if text, _, isError := invoke(t, s, "wait_here", ""); isError || !strings.Contains(text, "released") {
		t.Errorf("%q", text)
	}
}

func TestServerServesItsResources(t *testing.T) {
	s := serve(t, surfacetest.New(op.JobAfter), "core", func(o *Options) {
		text := func(context.Context, op.Caller) string { return "# Guide" }
		o.Manner.Resources = []Resource{{URI: "ios-agent://guide", Name: "guide", Description: "how", Text: text}}
	})
	r, err := s.ReadResource(t.Context(), &mcp.ReadResourceParams{URI: "ios-agent://guide"})
	if err != nil || r.Contents[0].Text != "# Guide" || r.Contents[0].MIMEType != "text/markdown" {
		t.Errorf("%+v %v", r, err)
	}
	if info := s.InitializeResult(); info.ServerInfo.Name != "ios-agent" || info.ServerInfo.Version != "1.2.3" ||
		!strings.Contains(info.Instructions, "find_tools") {
		t.Errorf("%+v", info)
	}
}

// TestProductToolsMeetClientLimits holds every tool of every set to what clients and model providers need.
func TestProductToolsMeetClientLimits(t *testing.T) {
	c := op.NewCatalogue(catalogue.All(catalogue.Services{}), op.Options{})
	sets := []string{Default, All}
	for _, o := range c.Ops() {
		sets = append(append(sets, o.Family), o.Groups...)
	}
	slices.Sort(sets)
	for _, words := range slices.Compact(sets) {
		tools, err := Select(c.Ops(), words)
		if err != nil {
			if words == All || words == Default {
				t.Error(err)
			}
			continue // a group of nothing but streams
		}
		for _, structured := range []bool{false, true} {
			listed := list(t, dial(t, Options{Catalogue: c, Tools: tools, Structured: structured}, nil))
			raw, err := json.Marshal(listed)
			if err != nil {
				t.Fatal(err)
			}
			// What the default set may cost a client, as a line on stdio; test/tokens holds what it may cost a model.
			line := len(raw) + len(`{"jsonrpc":"2.0","id":2,"result":{"ttlMs":0,"cacheScope":"public","tools":}}`+"\n")
			if words == Default && !structured && (len(listed) > 12 || line > 12<<10) {
				t.Errorf("the default set has %d tools in a line of %d bytes, want at most 12 in %d", len(listed), line, 12<<10)
			}
			if len(listed) != len(tools)+2 {
				t.Errorf("%s: %d tools listed, %d chosen", words, len(listed), len(tools))
			}
			for _, tool := range listed {
				checkTool(t, words, tool, structured && tool.Name != "find_tools" && tool.Name != "call_tool")
			}
		}
	}
}

// TestFamilyServedAloneHasItsExactNames: each with the exact names of the system it took over, and none of ours.
func TestFamilyServedAloneHasItsExactNames(t *testing.T) {
	c := op.NewCatalogue(catalogue.All(catalogue.Services{}), op.Options{})
	for family, want := range map[string]struct{ has, lacks []string }{
		"quern": {[]string{"tap_element", "get_screen_summary", "wait_for_element", "clear_text", "claim_device"},
			[]string{"snapshot", "scroll_to"}},
		"xcode": {[]string{"build_sim", "list_sims", "test_sim"}, []string{"tap_element"}},
	} {
		tools, err := Select(c.Ops(), family)
		if err != nil {
			t.Fatal(err)
		}
		listed := names(list(t, dial(t, Options{Catalogue: c, Tools: tools}, nil)))
		for _, name := range want.has {
			if !slices.Contains(listed, name) {
				t.Errorf("%s has no %s", family, name)
			}
		}
		for _, name := range want.lacks {
			if slices.Contains(listed, name) {
				t.Errorf("%s has %s", family, name)
			}
		}
	}
}

// checkTool: all four hints (a client takes a missing one for the worst), and schemas that model providers take: an
// object without references and without a combinator at its top.
func checkTool(t *testing.T, set string, tool *mcp.Tool, output bool) {
	t.Helper()
	raw, err := json.Marshal(tool)
	if err != nil {
		t.Fatal(err)
	}
	var said struct {
		Annotations               map[string]bool
		InputSchema, OutputSchema map[string]any
	}
	if err := json.Unmarshal(raw, &said); err != nil {
		t.Fatal(err)
	}
	for _, hint := range []string{"readOnlyHint", "destructiveHint", "idempotentHint", "openWorldHint"} {
		if _, ok := said.Annotations[hint]; !ok {
			t.Errorf("%s, %s does not say its %s", set, tool.Name, hint)
		}
	}
	if strings.Contains(string(raw), `"$ref"`) || strings.Contains(string(raw), `"$defs"`) {
		t.Errorf("%s, %s: a schema with a reference: %s", set, tool.Name, raw)
	}
	for _, word := range []string{"allOf", "anyOf", "oneOf", "not"} {
		if said.InputSchema[word] != nil {
			t.Errorf("%s, %s: %s at the top of its schema", set, tool.Name, word)
		}
	}
	if said.InputSchema["type"] != "object" || (said.OutputSchema != nil) != output || tool.Description == "" {
		t.Errorf("%s, %s: %s", set, tool.Name, raw)
	}
}
