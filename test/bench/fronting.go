package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"os"
	"strings"
	"time"

	"ios-agent/internal/machine/freeport"
	"ios-agent/internal/machine/host"
	"ios-agent/test/appium"
)

// someCommands is how often each command is sent either way.
const someCommands = 40

// fronting is what an Appium server in front of `ios-agent webdriver` adds to a command, beside the same command sent to us, and what our
// WebDriver surface adds to a look.
func fronting(ctx context.Context, l *lab) (figures []figure, err error) {
	commands := []command{
		{"source", http.MethodGet, "/source", ""},
		{"find", http.MethodPost, "/element", `{"using":"accessibility id","value":"controls-tap-button"}`},
		{"element's text", http.MethodGet, "/element/%s/text", ""},
		{"click", http.MethodPost, "/element/%s/click", "{}"},
	}
	for _, c := range commands {
		figures = append(figures, figure{name: "webdriver: Appium in front adds to " + c.name, unit: millis, bound: 15})
	}
	beside := figure{name: "webdriver: find through Appium / direct", unit: times, bound: 10}
	ours := figure{name: "webdriver: source direct / the same look over REST", unit: times, bound: 4}
	folder, missing := appium.Installed()
	if missing != nil && os.Getenv("CI") != "true" {
		for i := range figures {
			figures[i].skipped = true
		}
		beside.skipped = true
	} else if missing != nil {
		return nil, fmt.Errorf("no Appium is installed: %w", missing)
	}
	d, err := l.openFront(ctx)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, d.close()) }()
	if ours.value, err = d.besideREST(ctx, l); err != nil || beside.skipped {
		return append(figures, beside, ours), err
	}
	through, end, err := d.front(ctx, folder)
	if err != nil {
		return nil, err
	}
	defer end()
	for i, c := range commands {
		got, err := alternate(someCommands, func() (time.Duration, error) { return d.send(ctx, d.direct, c) },
			func() (time.Duration, error) { return d.send(ctx, through, c) })
		if err != nil {
			return nil, err
		}
		figures[i].value = inMillis(median(got[1]) - median(got[0]))
		if c.name == "find" {
			beside.value = ratio(got[1], got[0])
		}
	}
	return append(figures, beside, ours), nil
}

// command is one of W3C WebDriver; %s is the element.
type command struct{ name, method, path, body string }

// webFront is a running `ios-agent webdriver`.
type webFront struct {
	process *host.Process
	client  http.Client
	url     string
	direct  string // the address of the session
	element string
}

// frontDevice is used by no other part of the bench, because a session leases it.
const (
	frontDevice = "iPhone 15"
	frontUDID   = "9A1C6E42-3F8D-4B07-A5D9-E84F270B61C3"
)

func (l *lab) openFront(ctx context.Context) (*webFront, error) {
	d := &webFront{client: http.Client{Timeout: patience}}
	said := make(chan string, 1)
	c := l.command("ios-agent", "webdriver", "--port", "0", "--device", frontDevice, "--json")
	c.OnLine = func(s host.Stream, line []byte) {
		if s == host.Stdout {
			select {
			case said <- string(line):
			default:
			}
		}
	}
	var err error
	if d.process, err = l.host.Start(ctx, c); err != nil {
		return nil, err
	}
	select {
	case line := <-said:
		var out struct{ Result struct{ URL string } }
		if err := json.Unmarshal([]byte(line), &out); err != nil {
			return nil, fmt.Errorf("webdriver said %s: %w", line, err)
		}
		d.url = out.Result.URL
	case <-d.process.Done():
		_, err := d.process.Result()
		return nil, fmt.Errorf("webdriver ended: %w", err)
	case <-time.After(patience):
		return nil, errors.New("webdriver does not say where it serves")
	}
	return d, nil
}

func (d *webFront) close() error {
	if d.direct != "" {
		_, _ = d.ask(context.Background(), http.MethodDelete, d.direct, "")
	}
	return nil // the lab ends the process
}

func (d *webFront) ask(ctx context.Context, method, address, body string) (value json.RawMessage, err error) {
	r, err := http.NewRequestWithContext(ctx, method, address, bytes.NewReader([]byte(body)))
	if err != nil {
		return nil, err
	}
	r.Header.Set("Content-Type", "application/json")
	resp, err := d.client.Do(r)
	if err != nil {
		return nil, err
	}
	defer resp.Body.Close()
	raw, err := io.ReadAll(resp.Body)
	if err != nil {
		return nil, err
	}
	var out struct{ Value json.RawMessage }
	if err := json.Unmarshal(raw, &out); err != nil || resp.StatusCode != http.StatusOK {
		return nil, fmt.Errorf("%s %s: %d %.300s", method, strings.Replace(address, d.url, "", 1), resp.StatusCode, raw)
	}
	return out.Value, nil
}

// send sends a command and tells how long its answer took.
func (d *webFront) send(ctx context.Context, session string, c command) (time.Duration, error) {
	path := c.path
	if strings.Contains(path, "%s") {
		path = fmt.Sprintf(path, d.element)
	}
	began := time.Now()
	_, err := d.ask(ctx, c.method, session+path, c.body)
	return time.Since(began), err
}

// session makes a session at an address, with the app in front, and gives the session's address.
func (d *webFront) session(ctx context.Context, at, capabilities string) (string, error) {
	value, err := d.ask(ctx, http.MethodPost, at+"/session", `{"capabilities":{"alwaysMatch":`+capabilities+`}}`)
	if err != nil {
		return "", err
	}
	var out struct {
		ID string `json:"sessionId"`
	}
	if err := json.Unmarshal(value, &out); err != nil {
		return "", err
	}
	return at + "/session/" + out.ID, nil
}

const frontApp = "com.iosagent.conformance"

// besideREST is how much longer a source takes than the snapshot that it is made of.
func (d *webFront) besideREST(ctx context.Context, l *lab) (float64, error) {
	direct, err := d.session(ctx, d.url, `{"platformName":"iOS","appium:bundleId":"`+frontApp+`"}`)
	if err != nil {
		return 0, err
	}
	a, err := l.api(ctx)
	if err != nil {
		return 0, err
	}
	look := url.Values{"udid": {frontUDID}, "all": {"true"}, "full": {"true"}}
	got, err := alternate(someCommands,
		func() (time.Duration, error) {
			return d.send(ctx, direct, command{method: http.MethodGet, path: "/source"})
		},
		func() (time.Duration, error) {
			began := time.Now()
			err := a.call(ctx, "snapshot?"+look.Encode(), "")
			return time.Since(began), err
		})
	if err != nil {
		return 0, err
	}
	if _, err := d.ask(ctx, http.MethodDelete, direct, ""); err != nil {
		return 0, err
	}
	return ratio(got[0], got[1]), nil
}

// front starts Appium in front of us. Its session is one of ours as well, which direct is the address of.
func (d *webFront) front(ctx context.Context, folder string) (through string, end func(), err error) {
	port, err := freeport.Find()
	if err != nil {
		return "", nil, err
	}
	server, end, err := appium.Run(folder, port)
	if err != nil {
		return "", nil, err
	}
	through, err = d.session(ctx, server.URL, fmt.Sprintf(`{"platformName":"iOS","appium:automationName":"XCUITest","appium:udid":%q,
		"appium:deviceName":%q,"appium:platformVersion":"17.5","appium:webDriverAgentUrl":%q,"appium:autoLaunch":false,
		"appium:skipLogCapture":true,"appium:newCommandTimeout":300}`, frontUDID, frontDevice, d.url))
	if err == nil {
		err = d.own(ctx)
	}
	if err == nil {
		err = d.prepare(ctx, through)
	}
	if err != nil {
		end()
		return "", nil, fmt.Errorf("%w\nAppium printed:\n%s", err, server.Log())
	}
	return through, end, nil
}

// own finds our session behind that of Appium.
func (d *webFront) own(ctx context.Context) error {
	value, err := d.ask(ctx, http.MethodGet, d.url+"/sessions", "")
	if err != nil {
		return err
	}
	var all []struct{ ID string }
	if err := json.Unmarshal(value, &all); err != nil || len(all) != 1 {
		return fmt.Errorf("our sessions are %s: %w", value, err)
	}
	d.direct = d.url + "/session/" + all[0].ID
	return nil
}

// prepare brings the app to the front, and finds the element that commands are about.
func (d *webFront) prepare(ctx context.Context, through string) error {
	if _, err := d.ask(ctx, http.MethodPost, through+"/execute/sync",
		`{"script":"mobile: launchApp","args":[{"bundleId":"`+frontApp+`"}]}`); err != nil {
		return err
	}
	value, err := d.ask(ctx, http.MethodPost, d.direct+"/element", `{"using":"accessibility id","value":"controls-tap-button"}`)
	if err != nil {
		return err
	}
	var found struct{ ELEMENT string }
	err = json.Unmarshal(value, &found)
	d.element = found.ELEMENT
	return err
}
