package wda

import (
	"net/http"
	"slices"
	"strings"

	"ios-agent/internal/virtualxcode/world"
)

func deviceRoutes(t *table) {
	t.both(get, "/orientation", (*call).orientation)
	t.both(post, "/orientation", (*call).setOrientation)
	t.both(get, "/window/size", (*call).windowSize)
	t.in(get, "/window/rect", (*call).windowRect)
	t.both(get, "/wda/screen", (*call).screen)
	t.add(post, "/wda/homescreen", route{}, (*call).home)
	t.in(post, "/wda/pressButton", (*call).pressButton)
	t.both(get, "/wda/locked", (*call).locked)
	t.both(post, "/wda/lock", (*call).lock)
	t.both(post, "/wda/unlock", (*call).unlock)
	t.both(get, "/wda/device/info", (*call).deviceInfo)
	t.in(get, "/wda/batteryInfo", (*call).battery)
	t.both(get, "/alert/text", (*call).alertText)
	t.both(post, "/alert/accept", answered(true))
	t.both(post, "/alert/dismiss", answered(false))
	t.in(get, "/wda/alert/buttons", (*call).alertButtons)
}

// turned are WebDriverAgent's words for orientations.
var turned = map[string]world.Orientation{
	"PORTRAIT": world.Portrait, "LANDSCAPE": world.LandscapeLeft, "UIA_DEVICE_ORIENTATION_LANDSCAPERIGHT": world.LandscapeRight,
	"UIA_DEVICE_ORIENTATION_PORTRAIT_UPSIDEDOWN": world.PortraitUpsideDown,
}

func (c *call) orientation() (any, error) {
	now, err := c.opts.World.Orientation(c.opts.UDID)
	if err != nil {
		return nil, err
	}
	if now == world.LandscapeLeft || now == world.LandscapeRight {
		return "LANDSCAPE", nil
	}
	return "PORTRAIT", nil
}

func (c *call) setOrientation() (any, error) {
	to, known := turned[strings.ToUpper(c.text("orientation"))]
	if !known {
		return nil, problem(http.StatusInternalServerError, "unknown error", "Unable To Rotate Device")
	}
	return nil, c.opts.World.Rotate(c.ctx, c.opts.UDID, to)
}

func (c *call) windowRect() (any, error) {
	d, _, err := c.device()
	return map[string]any{"x": 0, "y": 0, "width": d.Screen.Width, "height": d.Screen.Height}, err
}

func (c *call) windowSize() (any, error) {
	d, _, err := c.device()
	return map[string]any{"width": d.Screen.Width, "height": d.Screen.Height}, err
}

func (c *call) screen() (any, error) {
	d, _, err := c.device()
	return map[string]any{
		"screenSize":    map[string]any{"width": d.Screen.Width, "height": d.Screen.Height},
		"statusBarSize": map[string]any{"width": d.Screen.Width, "height": 54}, "scale": d.Screen.Scale, "displayId": 1,
	}, err
}

func (c *call) home() (any, error) {
	_, err := c.opts.World.Launch(c.ctx, c.opts.UDID, world.SpringBoard, world.LaunchOptions{})
	return nil, err
}

// pressButton presses a button of the device's body. A simulator has no volume buttons.
func (c *call) pressButton() (any, error) {
	name := strings.ToLower(c.text("name"))
	_, simulated, err := c.device()
	switch {
	case err != nil:
		return nil, err
	case name == "home":
		return c.home()
	case slices.Contains([]string{"volumeup", "volumedown"}, name) && !simulated:
		return nil, nil
	}
	return nil, problem(http.StatusInternalServerError, "unknown error",
		"The button '%s' is unknown. Only the following button names are supported: (\n    home\n)", c.text("name"))
}

// locked is always false: a virtual device has no lock screen.
func (c *call) locked() (any, error) {
	p, err := c.opts.World.FindPhysical(c.opts.UDID)
	return err == nil && p.Locked, nil
}

func (c *call) lock() (any, error) {
	_ = c.opts.World.SetLocked(c.opts.UDID, true) // a simulator has no such button
	return nil, nil
}

// unlock cannot enter a passcode.
func (c *call) unlock() (any, error) {
	if locked, _ := c.locked(); locked == true {
		return nil, problem(http.StatusInternalServerError, "unknown error", "The screen could not be unlocked: it has a passcode")
	}
	return nil, nil
}

func (c *call) deviceInfo() (any, error) {
	d, simulated, err := c.device()
	if err != nil {
		return nil, err
	}
	settings, err := c.opts.World.Settings(c.opts.UDID)
	if err != nil {
		return nil, err
	}
	idiom := 0
	if kindOf(d) == "ipad" {
		idiom = 1
	}
	return map[string]any{
		"currentLocale": "en_US", "timeZone": "GMT", "name": d.Name, "model": d.Type.Family, "uuid": d.UDID, "isSimulator": simulated,
		"userInterfaceIdiom": idiom, "userInterfaceStyle": settings.Appearance, "thermalState": 0,
	}, nil
}

func (c *call) battery() (any, error) { return map[string]any{"level": 1, "state": 3}, nil }
