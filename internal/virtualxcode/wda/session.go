package wda

import (
	"crypto/rand"
	"fmt"
	"maps"
	"net/http"
	"strings"

	"ios-agent/internal/virtualxcode/world"
)

// session is the only session.
type session struct {
	id       string
	app      string // the app under test; empty: the app in front
	expected bool   // the app was launched and should run
	settings map[string]any
	elements map[string]handle // by id
}

// usual are the settings of a new session.
func usual() map[string]any {
	return map[string]any{
		"shouldUseCompactResponses": true, "elementResponseAttributes": "type,label", "snapshotMaxDepth": 50.0, "snapshotMaxChildren": 1000.0,
		"useFirstMatch": false, "boundElementsByIndex": false, "reduceMotion": false, "defaultActiveApplication": "auto",
		"activeAppDetectionPoint": "64.00,64.00", "defaultAlertAction": "", "acceptAlertButtonSelector": "", "dismissAlertButtonSelector": "",
		"screenshotOrientation": "auto", "waitForIdleTimeout": 10.0, "animationCoolOffTimeout": 2.0, "maxTypingFrequency": 60.0,
		"respectSystemAlerts": false, "useClearTextShortcut": true, "limitXPathContextScope": true, "autoClickAlertSelector": "",
		"includeHittableInPageSource": false, "includeNativeFrameInPageSource": false, "includeMinMaxValueInPageSource": false,
		"includeCustomActionsInPageSource": false, "enforceCustomSnapshots": false, "screenshotQuality": 3.0, "keyboardAutocorrection": false,
		"keyboardPrediction": false, "mjpegServerScreenshotQuality": 25.0, "mjpegServerFramerate": 10.0, "mjpegScalingFactor": 100.0,
		"mjpegFixOrientation": false, "accessibilityDeadline": 60.0, "includeNativeAccessibilityElementInPageSource": false,
	}
}

func (c *call) status() (any, error) {
	d, simulated, err := c.device()
	if err != nil {
		return nil, err
	}
	ios := map[string]any{"ip": nil}
	if simulated {
		ios["simulatorVersion"] = d.Runtime.Version
	}
	return map[string]any{
		"ready": true, "message": "WebDriverAgent is ready to accept commands", "state": "success", "device": kindOf(d), "ios": ios,
		"os": map[string]any{"name": d.Runtime.Platform, "version": d.Runtime.Version, "sdkVersion": d.Runtime.Version,
			"testmanagerdVersion": 65535},
		"build": map[string]any{"time": "Nov  6 2025 11:15:38", "productBundleIdentifier": "com.facebook.WebDriverAgentRunner",
			"version": Version},
	}, nil
}

// device returns the present device, and whether it is simulated.
func (s *Server) device() (world.Device, bool, error) {
	if p, err := s.opts.World.FindPhysical(s.opts.UDID); err == nil {
		return p.Device, false, nil
	}
	d, err := s.opts.World.Find(s.opts.UDID)
	return d, true, err
}

func kindOf(d world.Device) string {
	if strings.Contains(d.Type.Family, "iPad") {
		return "ipad"
	}
	return "iphone"
}

// newSession ends the previous session, and starts the app in the capabilities.
func (c *call) newSession() (any, error) {
	refused := func(format string, args ...any) error {
		return problem(http.StatusInternalServerError, "session not created", format, args...)
	}
	asked, ok := c.args["capabilities"].(map[string]any)
	if !ok {
		return nil, refused("'capabilities' is mandatory to create a new session")
	}
	wanted := capabilities(asked)
	s := &session{id: newID(), settings: usual(), elements: map[string]handle{}}
	for name, value := range wanted {
		if _, known := s.settings[name]; known {
			s.settings[name] = value
		}
	}
	if app, _ := wanted["bundleId"].(string); app != "" {
		if err := c.startFor(s, app, wanted); err != nil {
			return nil, refused("%v", problemOf(err).message)
		}
	}
	c.mu.Lock()
	c.Server.session = s
	c.mu.Unlock()
	c.session = s
	return c.describeSession()
}

// startFor launches the app of a session, or leaves it unchanged.
func (c *call) startFor(s *session, app string, wanted map[string]any) error {
	state, err := c.opts.World.State(c.ctx, c.opts.UDID, app)
	if err != nil {
		return err
	}
	force, said := wanted["forceAppLaunch"].(bool)
	if state == world.NotRunning || !said || force {
		if _, err := c.launch(app, wanted["arguments"], wanted["environment"], true); err != nil {
			return err
		}
	} else if _, err := c.launch(app, nil, nil, false); err != nil {
		return err
	}
	s.app, s.expected = app, true
	return nil
}

// capabilities are the required ones with the first alternative.
func capabilities(asked map[string]any) map[string]any {
	all := map[string]any{}
	add := func(m any) {
		caps, _ := m.(map[string]any)
		for name, value := range caps {
			all[strings.TrimPrefix(name, "appium:")] = value
		}
	}
	add(asked["alwaysMatch"])
	if first, _ := asked["firstMatch"].([]any); len(first) > 0 {
		add(first[0])
	}
	return all
}

func newID() string {
	b := make([]byte, 16)
	rand.Read(b)
	return fmt.Sprintf("%X-%X-%X-%X-%X", b[:4], b[4:6], b[6:8], b[8:10], b[10:])
}

func (c *call) describeSession() (any, error) {
	d, _, err := c.device()
	if err != nil {
		return nil, err
	}
	return map[string]any{"sessionId": c.session.id,
		"capabilities": map[string]any{"device": kindOf(d), "sdkVersion": d.Runtime.Version}}, nil
}

// endSession ends the session and its app under test.
func (c *call) endSession() (any, error) {
	c.mu.Lock()
	c.Server.session = nil
	c.mu.Unlock()
	if app := c.session.app; app != "" && app != world.SpringBoard {
		_, _ = c.terminate(app) // the app may have ended by itself
	}
	return nil, nil
}

func (c *call) settings() (any, error) { return maps.Clone(c.session.settings), nil }

// setSettings changes known settings with values of the right type; it ignores others.
func (c *call) setSettings() (any, error) {
	asked, ok := c.args["settings"].(map[string]any)
	if !ok && c.args["settings"] != nil {
		return nil, invalid("settings must be a dictionary")
	}
	for name, value := range asked {
		now, known := c.session.settings[name]
		if !known {
			continue
		}
		if fmt.Sprintf("%T", now) != fmt.Sprintf("%T", value) {
			return nil, invalid("the setting %s cannot be %v", name, value)
		}
		c.session.settings[name] = value
	}
	return c.settings()
}

// setting is the value of a setting, with or without a session.
func setting[T any](c *call, name string) T {
	from := usual()
	if c.session != nil {
		from = c.session.settings
	}
	v, _ := from[name].(T)
	return v
}
