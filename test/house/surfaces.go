package house

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"regexp"
	"strings"
	"sync"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"ios-agent/internal/client/webdriver"
	"ios-agent/internal/daemon"
	"ios-agent/internal/daemon/product"
	"ios-agent/internal/op"
	"ios-agent/internal/surface/cli"
	"ios-agent/internal/surface/mcp"
	"ios-agent/internal/surface/rest"
)

// surfaces are made when they are first used.
type surfaces struct {
	once sync.Once
	http http.Handler
	key  string

	mu      sync.Mutex
	clients map[mcpClient]*sdk.ClientSession
}

type mcpClient struct {
	session string
	product.Serving
}

// rendered fails the test if a surface wrote a fact in the form that only our own texts have inside of the program.
func (h *House) rendered(text []byte) {
	h.t.Helper()
	if fact := facts.Find(text); fact != nil {
		h.t.Errorf("a surface wrote %q, want it as a call of that surface", fact)
	}
}

var facts = regexp.MustCompile(`‹(?:do|help|input|shell):[^›]{0,60}›?`)

// HTTP is what the TCP port of a daemon serves, and the key it wants in X-API-Key.
func (h *House) HTTP() (handler http.Handler, key string) {
	h.t.Helper()
	h.more.once.Do(func() {
		k := &daemon.Key{Path: h.Home.KeyFile()}
		text, err := k.Read()
		h.must(err)
		h.more.key, h.more.http = text, daemon.Handler(h.Product.Catalogue, h.Product.Documents(), k)
	})
	return h.more.http, h.more.key
}

// REST sends a request for a session, with the key; body is as Call's input, nil sends none.
func (h *House) REST(session, method, path string, body any) *httptest.ResponseRecorder {
	h.t.Helper()
	handler, key := h.HTTP()
	var from io.Reader
	if body != nil {
		from = bytes.NewReader(h.encode(body))
	}
	r := httptest.NewRequestWithContext(h.t.Context(), method, "http://127.0.0.1"+path, from)
	r.Header.Set("X-API-Key", key)
	r.Header.Set(rest.SessionHeader, session)
	w := httptest.NewRecorder()
	handler.ServeHTTP(w, r)
	h.rendered(w.Body.Bytes())
	return w
}

// MCP is a client of the MCP server a session gets; one client for each way of serving. No tools named are all.
func (h *House) MCP(session string, how product.Serving) *sdk.ClientSession {
	h.t.Helper()
	how.Tools = cmp.Or(how.Tools, mcp.All)
	h.more.mu.Lock()
	defer h.more.mu.Unlock()
	key := mcpClient{session, how}
	if c := h.more.clients[key]; c != nil {
		return c
	}
	server, err := product.MCP(h.Product.Catalogue, h.caller(session), "test", how)
	h.must(err)
	theirs, ours := sdk.NewInMemoryTransports()
	_, err = server.Connect(h.t.Context(), theirs, nil)
	h.must(err)
	house := sdk.NewClient(&sdk.Implementation{Name: "house", Version: "test"}, nil)
	house.AddSendingMiddleware(func(next sdk.MethodHandler) sdk.MethodHandler {
		return func(ctx context.Context, method string, r sdk.Request) (sdk.Result, error) {
			result, err := next(ctx, method, r)
			if text, e := json.Marshal(result); e == nil {
				h.rendered(text)
			}
			return result, err
		}
	})
	client, err := house.Connect(h.t.Context(), ours, nil)
	h.must(err)
	h.t.Cleanup(func() { client.Close() })
	if h.more.clients == nil {
		h.more.clients = map[mcpClient]*sdk.ClientSession{}
	}
	h.more.clients[key] = client
	return client
}

// Tool calls an MCP tool with its input, as Call's, among all tools.
func (h *House) Tool(session, name string, input any) (*sdk.CallToolResult, error) {
	h.t.Helper()
	client := h.MCP(session, product.Serving{Destructive: true, Structured: true})
	return client.CallTool(h.t.Context(), &sdk.CallToolParams{Name: name, Arguments: json.RawMessage(h.encode(input))})
}

// Ran is what a command line left.
type Ran struct {
	Stdout, Stderr string
	Exit           int
}

// CLI runs a command line of ios-agent for a session. Only verbs of operations and `call` are there: what else the program
// can do is about processes.
func (h *House) CLI(session string, args ...string) Ran {
	h.t.Helper()
	return h.CLIWithInput(session, "", args...)
}

// CLIWithInput is CLI with something on stdin.
func (h *House) CLIWithInput(session, stdin string, args ...string) Ran {
	h.t.Helper()
	var out bytes.Buffer
	errs, exit := h.cli(h.t.Context(), session, strings.NewReader(stdin), &out, args)
	return Ran{Stdout: out.String(), Stderr: errs, Exit: exit}
}

// CLIUntil is CLI for a stream: it is interrupted when enough of its output is there.
func (h *House) CLIUntil(session string, enough func(stdout string) bool, args ...string) Ran {
	h.t.Helper()
	ctx, cancel := context.WithCancel(h.t.Context())
	defer cancel()
	out := &until{enough: enough, stop: cancel}
	errs, exit := h.cli(ctx, session, strings.NewReader(""), out, args)
	return Ran{Stdout: out.String(), Stderr: errs, Exit: exit}
}

// until is an output that stops whoever writes it.
type until struct {
	bytes.Buffer
	enough func(string) bool
	stop   func()
}

// Write takes more.
func (u *until) Write(p []byte) (int, error) {
	n, err := u.Buffer.Write(p)
	if u.enough(u.String()) {
		u.stop()
	}
	return n, err
}

func (h *House) cli(ctx context.Context, session string, in io.Reader, out io.Writer, args []string) (stderr string, exit int) {
	var errs bytes.Buffer
	app := &cli.App{
		Catalogue: h.Product.Catalogue, Version: "test", In: in, Out: out, Err: &errs,
		Connect: func(name string) (op.Caller, error) { return h.caller(cmp.Or(name, session)), nil },
	}
	exit = app.Main(ctx, args)
	h.rendered(errs.Bytes())
	if wrote, is := out.(interface{ Bytes() []byte }); is {
		h.rendered(wrote.Bytes())
	}
	return errs.String(), exit
}

// WebDriver is what `ios-agent webdriver` serves; Connect and Folder are given by the house.
func (h *House) WebDriver(o webdriver.Options) *webdriver.Server {
	h.t.Helper()
	var err error
	o.Connect = h.Connect
	o.Folder, err = webdriver.NewFolder(h.Home.String())
	h.must(err)
	return webdriver.New(o)
}

// Connect gives a caller for a session.
func (h *House) Connect(session string) (op.Caller, error) { return h.caller(session), nil }
