// Package appiumfront imitates an Appium server with its XCUITest driver in front of a virtual WebDriverAgent. A Front takes W3C's routes
// and the execute methods, passes on the requests that the real driver passes on, and has web contexts of its own, over the pages of
// virtual web views. It follows the public sources of the driver. Only tests import it.
package appiumfront

import (
	"bytes"
	"context"
	"crypto/rand"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"

	"ios-agent/internal/virtualxcode"
)

// Version is what the server calls itself.
const Version = "3.1.0"

// Front is a server for one device. Its fields are set before it serves.
type Front struct {
	World *virtualxcode.World
	UDID  string
	// Install puts an app on the device; nil: nothing can be installed.
	Install func(ctx context.Context, path string) error
	// Blind has no web contexts, as with an app whose web views cannot be inspected.
	Blind bool

	mu       sync.Mutex
	agent    *virtualxcode.WDA
	inner    string // WebDriverAgent's session
	session  string
	context  string
	sessions int    // that were made
	cut      string // the next command with this path ends without an answer
	after    bool   // when it has been done, not before
}

// New makes a server.
func New(world *virtualxcode.World, udid string) *Front {
	return &Front{World: world, UDID: udid}
}

// Forget loses the session, as a server that was restarted.
func (f *Front) Forget() {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.session = ""
}

// Cut ends the next command whose path ends so without an answer: before it is done, or after.
func (f *Front) Cut(suffix string, after bool) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.cut, f.after = suffix, after
}

// Sessions is how many sessions were made.
func (f *Front) Sessions() int {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.sessions
}

// Context is the context that the session stands in.
func (f *Front) Context() string {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.context
}

const native = "NATIVE_APP"

// no is an error as the server answers it.
type no struct {
	status        int
	code, message string
}

func (e *no) Error() string { return e.code + ": " + e.message }

// command is one command under way.
type command struct {
	*Front
	ctx    context.Context
	method string
	path   string // after the session
	args   map[string]any
}

// ServeHTTP carries out one command.
func (f *Front) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	f.mu.Lock()
	cut := f.cut != "" && strings.HasSuffix(r.URL.Path, f.cut)
	after := f.after
	if cut {
		f.cut = ""
	}
	f.mu.Unlock()
	if cut && !after {
		panic(http.ErrAbortHandler)
	}
	body, err := io.ReadAll(r.Body)
	c := &command{Front: f, ctx: r.Context(), method: r.Method}
	if err != nil || len(body) > 0 && json.Unmarshal(body, &c.args) != nil {
		answer(w, nil, &no{400, "invalid argument", "the body is no JSON object"})
		return
	}
	value, err := c.route(strings.Trim(r.URL.Path, "/"))
	if cut {
		panic(http.ErrAbortHandler)
	}
	answer(w, value, err)
}

func answer(w http.ResponseWriter, value any, err error) {
	status := http.StatusOK
	if e, is := err.(*no); is {
		status, value = e.status, map[string]any{"error": e.code, "message": e.message, "stacktrace": ""}
	} else if err != nil {
		status, value = 500, map[string]any{"error": "unknown error", "message": err.Error(), "stacktrace": ""}
	}
	w.Header().Set("Content-Type", "application/json; charset=utf-8")
	w.WriteHeader(status)
	_ = json.NewEncoder(w).Encode(map[string]any{"value": value})
}

func (c *command) route(path string) (any, error) {
	switch {
	case path == "status":
		return map[string]any{"ready": true, "message": "The server is ready to accept new connections",
			"build": map[string]any{"version": Version}}, nil
	case path == "session" && c.method == http.MethodPost:
		return c.newSession()
	}
	id, rest, _ := strings.Cut(strings.TrimPrefix(path, "session/"), "/")
	c.mu.Lock()
	known := c.session != "" && id == c.session
	c.mu.Unlock()
	if !known {
		return nil, &no{404, "invalid session id", "A session is either terminated or not started"}
	}
	c.path = "/" + rest
	return c.inSession()
}

// newSession checks the capabilities as the server does, and starts a session of WebDriverAgent without an app.
func (c *command) newSession() (any, error) {
	refused := func(why string) error { return &no{500, "session not created", why} }
	all, _ := c.args["capabilities"].(map[string]any)
	caps, _ := all["alwaysMatch"].(map[string]any)
	switch {
	case caps["platformName"] != "iOS" || caps["appium:automationName"] != "XCUITest":
		return nil, refused("Could not find a driver for automationName and platformName")
	case caps["appium:udid"] != c.UDID:
		return nil, refused(fmt.Sprintf("Unknown device or simulator UDID: '%v'", caps["appium:udid"]))
	}
	for name := range caps {
		if name != "platformName" && !strings.HasPrefix(name, "appium:") {
			return nil, refused("the capability " + name + " has no prefix")
		}
	}
	c.mu.Lock()
	if c.agent == nil || c.agent.Ended() { // the driver starts it with a session, and only then
		c.agent = virtualxcode.NewWDA(c.World, c.UDID)
	}
	c.mu.Unlock()
	var made struct {
		SessionID string `json:"sessionId"`
	}
	if err := c.pass(http.MethodPost, "/session", map[string]any{"capabilities": map[string]any{"alwaysMatch": map[string]any{
		"waitForIdleTimeout": caps["appium:waitForIdleTimeout"],
	}}}, &made); err != nil {
		return nil, refused(err.Error())
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	c.inner, c.session, c.context = made.SessionID, newID(), native
	c.sessions++
	return map[string]any{"sessionId": c.session, "capabilities": caps}, nil
}

func newID() string {
	b := make([]byte, 16)
	rand.Read(b)
	return fmt.Sprintf("%x-%x-%x-%x-%x", b[:4], b[4:6], b[6:8], b[8:10], b[10:])
}

// passed are the routes that the XCUITest driver hands to WebDriverAgent in the app's own context.
func passed(path string) bool {
	for _, start := range []string{"/screenshot", "/actions", "/element", "/elements", "/alert/", "/orientation", "/rotation",
		"/appium/settings", "/window/", "/url"} {
		if strings.HasPrefix(path, start) {
			return true
		}
	}
	return false
}

func (c *command) inSession() (any, error) {
	switch {
	case c.path == "/" && c.method == http.MethodDelete:
		c.mu.Lock()
		c.session = ""
		c.mu.Unlock()
		return nil, c.pass(http.MethodDelete, "", nil, nil)
	case c.path == "/contexts":
		return c.contexts()
	case c.path == "/context" && c.method == http.MethodGet:
		return c.Context(), nil
	case c.path == "/context":
		return nil, c.enter()
	case c.path == "/execute/sync":
		return c.execute()
	case c.Context() != native:
		return nil, &no{404, "unknown command", "not in a web context: " + c.path}
	case c.path == "/source":
		var source string
		err := c.pass(http.MethodGet, "/source", nil, &source)
		_, tree, _ := strings.Cut(source, "?>")
		return `<?xml version="1.0" encoding="UTF-8"?><AppiumAUT>` + tree + "</AppiumAUT>", err
	case passed(c.path):
		var value any
		return value, c.pass(c.method, c.path, c.args, &value)
	}
	return nil, &no{404, "unknown command", "The requested resource could not be found: " + c.path}
}

// pass has WebDriverAgent carry out a command.
func (c *command) pass(method, path string, body, into any) (err error) {
	c.mu.Lock()
	agent := c.agent
	if path != "/session" {
		path = "/session/" + c.inner + path
	}
	c.mu.Unlock()
	raw, err := json.Marshal(body)
	if err != nil {
		return err
	}
	if body == nil {
		raw = nil
	}
	defer func() { // WebDriverAgent that ends without an answer
		if recover() != nil {
			err = &no{500, "unknown error", "Could not proxy command to the remote server. Original error: socket hang up"}
		}
	}()
	got := httptest.NewRecorder()
	agent.ServeHTTP(got, httptest.NewRequestWithContext(c.ctx, method, path, bytes.NewReader(raw)))
	var said struct{ Value json.RawMessage }
	if err := json.Unmarshal(got.Body.Bytes(), &said); err != nil {
		return err
	}
	if got.Code != http.StatusOK {
		var why struct{ Error, Message string }
		_ = json.Unmarshal(said.Value, &why) // an error is an object
		return &no{got.Code, why.Error, why.Message}
	}
	if into == nil || len(said.Value) == 0 {
		return nil
	}
	return json.Unmarshal(said.Value, into)
}
