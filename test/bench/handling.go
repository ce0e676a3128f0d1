package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"time"

	"ios-agent/internal/machine/freeport"
	"ios-agent/test/appium"
)

const (
	physicalDevice = "00008140-000A61C23E04801C"
	// wdaDevice is a simulator that nothing else of the bench uses: one WebDriverAgent is on it, which is ours or Appium's.
	wdaDevice = "iPhone 14"
	wdaUDID   = "C60B7F95-14E2-4A8C-9D3B-5F72A1C8E04D"
	// wdaRequests is what a tap asks of WebDriverAgent: two looks of five requests each, and the tap.
	wdaRequests = 11
	// someTaps is how often each driver taps.
	someTaps = 30
)

// handling is a tap by each other driver beside one by xctest on a simulator: by xctest through usbmuxd on a physical device, by
// WebDriverAgent that is started for it, and by a real Appium server in front of that.
func handling(ctx context.Context, l *lab) ([]figure, error) {
	a, err := l.api(ctx)
	if err == nil {
		err = a.openShop(ctx)
	}
	if err != nil {
		return nil, err
	}
	hand := tapper{a, `"udid":"` + physicalDevice + `"`}
	if err := hand.open(ctx, step{"agent_start", hand.on(`,"team":"A1B2C3D4E5"`)}); err != nil {
		return nil, fmt.Errorf("a physical device: %w", err)
	}
	device := figure{name: "tap: on a physical device, through usbmuxd / on a simulator", unit: times, bound: 1.5}
	if device.value, err = hand.beside(ctx); err == nil {
		err = a.call(ctx, "agent_stop", hand.on(""))
	}
	if err != nil {
		return nil, fmt.Errorf("a physical device: %w", err)
	}
	figures, port, err := byWDA(ctx, a)
	if err != nil {
		return nil, fmt.Errorf("WebDriverAgent: %w", err)
	}
	through, err := byAppium(ctx, a, port)
	if err == nil {
		err = a.call(ctx, "shutdown_device", `{"udid":"`+wdaUDID+`"}`) // other parts of the bench use the only booted device
	}
	return append(append([]figure{device}, figures...), through), err
}

// byWDA measures a tap by a WebDriverAgent that we start, and returns its port. The absolute time also depends on the system, which
// switches processes more often. The second figure shows our own share: its baseline has the bare requests.
func byWDA(ctx context.Context, a *api) (figures []figure, port int, err error) {
	t := tapper{a, `"udid":"` + wdaUDID + `","driver":"wda"`}
	if err := t.open(ctx, step{"boot_device", `{"udid":"` + wdaUDID + `"}`}, step{"agent_start", t.on("")}); err != nil {
		return nil, 0, err
	}
	if port, err = a.wdaPort(ctx); err != nil {
		return nil, 0, err
	}
	got, err := t.taps(ctx, func() (time.Duration, error) {
		began := time.Now()
		for range wdaRequests {
			if err := a.bare(ctx, fmt.Sprintf("http://127.0.0.1:%d/status", port)); err != nil {
				return 0, err
			}
		}
		return time.Since(began), nil
	})
	if err != nil {
		return nil, 0, err
	}
	return []figure{
		{name: "tap: by WebDriverAgent / by xctest", value: ratio(got[1], got[0]), unit: times, bound: 5, systems: true},
		{
			name: "tap: by WebDriverAgent / by xctest and bare requests", unit: times, bound: 3,
			value: float64(median(got[1])) / float64(median(got[0])+median(got[2])),
		},
	}, port, nil
}

// bare asks and reads the answer, whatever it says.
func (a *api) bare(ctx context.Context, address string) error {
	r, err := http.NewRequestWithContext(ctx, http.MethodGet, address, nil)
	if err != nil {
		return err
	}
	resp, err := a.client.Do(r)
	if err != nil {
		return err
	}
	defer resp.Body.Close()
	_, err = io.Copy(io.Discard, resp.Body)
	return err
}

// byAppium measures a tap by a real Appium server, which uses the WebDriverAgent that we started, at a port.
func byAppium(ctx context.Context, a *api, port int) (f figure, err error) {
	f = figure{name: "tap: by Appium in front of WebDriverAgent / by xctest", unit: times, bound: 20}
	folder, missing := appium.Installed()
	if missing != nil && os.Getenv("CI") != "true" {
		f.skipped = true
		return f, nil
	} else if missing != nil {
		return f, fmt.Errorf("no Appium is installed: %w", missing)
	}
	own, err := freeport.Find()
	if err != nil {
		return f, err
	}
	server, end, err := appium.Run(folder, own, "--default-capabilities", fmt.Sprintf(`{"appium:webDriverAgentUrl":"http://127.0.0.1:%d",`+
		`"appium:deviceName":%q,"appium:platformVersion":"16.4"}`, port, wdaDevice))
	if err != nil {
		return f, err
	}
	defer end()
	if err := a.call(ctx, "session_set_defaults", `{"appiumUrl":"`+server.URL+`"}`); err != nil {
		return f, err
	}
	t := tapper{a, `"udid":"` + wdaUDID + `","driver":"appium"`}
	if f.value, err = t.beside(ctx); err != nil {
		err = fmt.Errorf("tapping through Appium: %w; it printed:\n%s", err, server.Log())
	}
	return f, errors.Join(err, a.call(ctx, "session_clear_defaults", `{"keys":["appiumUrl"]}`))
}

// wdaPort is where the WebDriverAgent listens that was started.
func (a *api) wdaPort(ctx context.Context) (int, error) {
	answer, err := a.ask(ctx, "agent_status", "")
	if err != nil {
		return 0, err
	}
	var out struct {
		Agents []struct {
			Driver string
			Port   int
		}
	}
	if err := json.Unmarshal(answer, &out); err != nil {
		return 0, err
	}
	for _, agent := range out.Agents {
		if agent.Driver == "wda" {
			return agent.Port, nil
		}
	}
	return 0, errors.New("no WebDriverAgent runs")
}

// tapper taps in the shop on one device, by one driver.
type tapper struct {
	*api
	how string // the members of a call that say so
}

func (t tapper) on(more string) string { return "{" + t.how + more + "}" }

// open brings the shop to the front.
func (t tapper) open(ctx context.Context, first ...step) error {
	return t.walk(ctx, append(first,
		step{"launch_app", t.on(`,"bundle_id":"com.iosagent.shop","restart":true`)},
		step{"tap_element", t.on(`,"identifier":"guest-button","expect_change":true`)},
	)...)
}

// beside is how much longer a tap takes than one by xctest on a simulator.
func (t tapper) beside(ctx context.Context) (float64, error) {
	got, err := t.taps(ctx)
	if err != nil {
		return 0, err
	}
	return ratio(got[1], got[0]), nil
}

// taps measures taps by xctest on a simulator, by this driver, and the other functions to compare. They do not wait for stillness: our
// agent waits in the time of the virtual devices, other drivers in real time.
func (t tapper) taps(ctx context.Context, more ...func() (time.Duration, error)) ([][]time.Duration, error) {
	const add = `"identifier":"add-coffee","no_wait":true,"settle_ms":1`
	tap := func(input string) func() (time.Duration, error) {
		return func() (time.Duration, error) {
			began := time.Now()
			err := t.call(ctx, "tap_element", input)
			return time.Since(began), err
		}
	}
	kinds := append([]func() (time.Duration, error){tap("{" + add + "}"), tap(t.on("," + add))}, more...)
	return alternate(someTaps, kinds...)
}

// wdaProducts is the folder of a prebuilt WebDriverAgent in a lab.
const wdaProducts = "wda-products"

// prebuildWDA writes what a build of WebDriverAgent leaves, as far as the virtual xcodebuild reads it.
func prebuildWDA(dir string) error {
	if err := os.Mkdir(dir, 0o700); err != nil {
		return err
	}
	return os.WriteFile(filepath.Join(dir, "WebDriverAgentRunner_iphonesimulator18.5-arm64.xctestrun"), []byte(`<plist version="1.0"><dict>`+
		`<key>WebDriverAgentRunner</key><dict><key>TestHostBundleIdentifier</key>`+
		`<string>com.facebook.WebDriverAgentRunner.xctrunner</string></dict></dict></plist>`), 0o600)
}
