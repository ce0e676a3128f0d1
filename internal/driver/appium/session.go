package appium

import (
	"context"
	"errors"
	"maps"
	"net/http"
	"sync"
	"time"

	"ios-agent/internal/device"
	"ios-agent/internal/driver/webdriver"
	"ios-agent/internal/fault"
)

// phone is one device. Only the holder of its lane calls its methods, except Close, Info and Screenshot.
type phone struct {
	webdriver.Fingers
	driver *Driver
	info   device.Info
	at     string
	client *webdriver.Client
	wrong  error        // why the phone has no client
	turn   *device.Lane // one caller at a time creates a session

	mu      sync.Mutex
	session string
	served  bool // the session has answered a command
	depth   int  // depth of the trees that the session reads; 0: not set
	closed  bool
}

var _ device.Device = (*phone)(nil)

const (
	// startTime bounds the creation of a session: the server may have to build WebDriverAgent first.
	startTime = 10 * time.Minute
	// endTime bounds the end of a session.
	endTime = 5 * time.Second
	// idle is the number of seconds without a command after which the server ends the session: a killed daemon cannot end it.
	idle = 600
)

// Info describes the device at the time it was opened.
func (p *phone) Info() device.Info { return p.info }

// Driver is the driver's name.
func (p *phone) Driver() string { return Spec().Name }

// Close ends the session. A server that does not answer ends it by itself later.
func (p *phone) Close() error {
	p.mu.Lock()
	id := p.session
	p.session, p.closed = "", true
	p.mu.Unlock()
	if p.client == nil {
		return nil
	}
	defer p.client.Close()
	if id == "" {
		return nil
	}
	ctx, cancel := context.WithTimeout(context.Background(), endTime)
	defer cancel()
	_ = p.client.EndSession(ctx, id) // see the comment above
	return nil
}

// capabilities of a session: the device stays as it is, no app is launched, and commands do not wait for idle apps.
func (p *phone) capabilities() map[string]any {
	all := map[string]any{
		"platformName":                                  "iOS",
		"appium:automationName":                         "XCUITest",
		"appium:udid":                                   p.info.UDID,
		"appium:noReset":                                true,
		"appium:newCommandTimeout":                      idle,
		"appium:waitForIdleTimeout":                     0,
		"appium:waitForQuiescence":                      false,
		"appium:shouldTerminateApp":                     false,
		"appium:skipLogCapture":                         true,
		"appium:includeDeviceCapsToSessionInfo":         false,
		"appium:forceSimulatorSoftwareKeyboardPresence": false,
		"appium:settings[shouldUseCompactResponses]":    true,
		"appium:settings[animationCoolOffTimeout]":      0,
	}
	maps.Copy(all, p.driver.o.Capabilities)
	return all
}

// open returns the session, or creates one. If the server cannot create one, the driver cannot be used.
func (p *phone) open(ctx context.Context) (id string, err error) {
	if p.wrong != nil {
		return "", p.wrong
	}
	err = p.turn.Do(ctx, func() error {
		p.mu.Lock()
		known, closed := p.session, p.closed
		p.mu.Unlock()
		if id = known; id != "" {
			return nil
		}
		if closed {
			return unsent(fault.Cancelled, "%s was closed", p.info.Name)
		}
		device.Progress(ctx, "asking Appium at "+p.at+" for a session")
		limited, cancel := context.WithTimeout(ctx, startTime)
		defer cancel()
		s, err := p.client.NewSession(limited, p.capabilities())
		if err != nil && ctx.Err() == nil {
			return unreachable(p.at, err)
		}
		if err != nil {
			return p.lost(err, false)
		}
		p.mu.Lock()
		id, p.session, p.depth, p.served = s.ID, s.ID, 0, false
		closed = p.closed
		p.mu.Unlock()
		if closed {
			return errors.Join(unsent(fault.Cancelled, "%s was closed", p.info.Name), p.client.EndSession(limited, id))
		}
		return nil
	})
	return id, err
}

func (p *phone) forget(id string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.session == id {
		p.session = ""
	}
}

// ask sends a command of the session and decodes its value. If the server has lost the session, it refused the command; ask then creates
// a session and sends the command again, once. The same holds for a read that fails in a session that worked before: the server keeps
// sessions whose WebDriverAgent has ended, and answers all their commands with an error.
func (p *phone) ask(ctx context.Context, r webdriver.Request, into any) error {
	path := r.Path
	for attempt := 1; ; attempt++ {
		id, err := p.open(ctx)
		if err != nil {
			return err
		}
		r.Path = webdriver.Path("session", id) + path
		answer, err := p.client.Do(ctx, r)
		if attempt == 1 && (webdriver.Is(err, webdriver.InvalidSession) ||
			!r.Acts && webdriver.Is(err, webdriver.UnknownError) && p.hasServed(id)) {
			_ = p.client.EndSession(ctx, id) // a broken session may fail to end; the server ends it later
			p.forget(id)
			continue
		}
		if err == nil && into != nil {
			err = answer.Into(into)
		}
		return p.noted(id, err)
	}
}

// hasServed reports whether a session has answered before.
func (p *phone) hasServed(id string) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.session == id && p.served
}

// noted records that a session works, or forgets a broken one.
func (p *phone) noted(id string, err error) error {
	if err == nil {
		p.mu.Lock()
		p.served = p.served || p.session == id
		p.mu.Unlock()
		return nil
	}
	if send, broken := asSend(err); webdriver.Is(err, webdriver.InvalidSession) || broken && send.NoServer() {
		p.forget(id)
	}
	return err
}

func asSend(err error) (*webdriver.SendError, bool) { return errors.AsType[*webdriver.SendError](err) }

// read sends a command that only reads.
func (p *phone) read(ctx context.Context, path string, into any) error {
	return p.lost(p.ask(ctx, webdriver.Get(path), into), false)
}

// tell sends a command that changes something.
func (p *phone) tell(ctx context.Context, path string, body any) error {
	return p.lost(p.ask(ctx, webdriver.Act(path, body), nil), true)
}

// mobile runs an execute method of the XCUITest driver.
func (p *phone) mobile(ctx context.Context, name string, args map[string]any, into any, acts bool) error {
	if args == nil {
		args = map[string]any{}
	}
	body := map[string]any{"script": "mobile: " + name, "args": []any{args}}
	r := webdriver.Request{Method: http.MethodPost, Path: "/execute/sync", Body: body, Acts: acts}
	return p.ask(ctx, r, into)
}
