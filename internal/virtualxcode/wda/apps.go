package wda

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"time"

	"ios-agent/internal/virtualxcode/world"
)

func appRoutes(t *table) {
	t.in(post, "/wda/apps/launch", (*call).launchApp)
	t.in(post, "/wda/apps/activate", (*call).activateApp)
	t.in(post, "/wda/apps/terminate", (*call).terminateApp)
	t.in(post, "/wda/apps/state", (*call).appState)
	t.in(get, "/wda/apps/list", (*call).activeApps)
	t.add(post, "/wda/apps/launchUnattached", route{}, (*call).launchUnattached)
	t.both(get, "/wda/activeAppInfo", (*call).activeAppInfo)
	t.in(post, "/wda/deactivateApp", (*call).deactivate)
	t.in(post, "/url", (*call).openURL)
}

// launch starts an app or brings it to the front.
func (c *call) launch(bundle string, args, env any, anew bool) (int, error) {
	if bundle == "" {
		return 0, invalid("bundleId is required")
	}
	o := world.LaunchOptions{Env: map[string]string{}, TerminateRunning: anew}
	if list, ok := args.([]any); ok {
		for _, a := range list {
			o.Args = append(o.Args, fmt.Sprint(a))
		}
	}
	if vars, ok := env.(map[string]any); ok {
		for name, value := range vars {
			o.Env[name] = fmt.Sprint(value)
		}
	}
	pid, err := c.opts.World.Launch(c.ctx, c.opts.UDID, bundle, o)
	if err != nil {
		return 0, fmt.Errorf("failed to launch %s: %w", bundle, err)
	}
	return pid, nil
}

func (c *call) launchApp() (any, error) {
	bundle := c.text("bundleId")
	if _, err := c.launch(bundle, c.args["arguments"], c.args["environment"], false); err != nil {
		return nil, err
	}
	if bundle == c.session.app {
		c.session.expected = true
	}
	return nil, nil
}

func (c *call) activateApp() (any, error) {
	_, err := c.launch(c.text("bundleId"), nil, nil, false)
	return nil, err
}

func (c *call) launchUnattached() (any, error) { return c.activateApp() }

// terminate ends an app, and reports whether it ran.
func (c *call) terminate(bundle string) (bool, error) {
	state, err := c.opts.World.State(c.ctx, c.opts.UDID, bundle)
	if err != nil || state == world.NotRunning {
		return false, nil
	}
	return true, c.opts.World.Terminate(context.WithoutCancel(c.ctx), c.opts.UDID, bundle)
}

func (c *call) terminateApp() (any, error) {
	bundle := c.text("bundleId")
	if bundle == "" {
		return nil, invalid("bundleId is required")
	}
	if bundle == c.session.app {
		c.session.expected = false
	}
	return c.terminate(bundle)
}

// The states of an app, with XCUIApplication's numbers.
const (
	stateUnknown = iota
	stateNotRunning
	_
	stateBackground
	stateForeground
)

func (c *call) appState() (any, error) {
	bundle := c.text("bundleId")
	a, err := c.opts.World.App(c.opts.UDID, bundle)
	if err != nil {
		return nil, err
	}
	if a.BundleID == "" && bundle != world.SpringBoard {
		return stateUnknown, nil
	}
	state, err := c.opts.World.State(c.ctx, c.opts.UDID, bundle)
	if err != nil {
		return nil, err
	}
	return map[world.AppState]int{
		world.NotRunning: stateNotRunning, world.RunningBackground: stateBackground, world.RunningForeground: stateForeground,
	}[state], nil
}

// activeApps are the apps that accessibility reports as active: the app in front, and SpringBoard.
func (c *call) activeApps() (any, error) {
	front, err := c.opts.World.Foreground(c.opts.UDID)
	if err != nil {
		return nil, err
	}
	list := []any{map[string]any{"pid": c.pid(front), "bundleId": front}}
	if front != world.SpringBoard {
		list = append(list, map[string]any{"pid": c.pid(world.SpringBoard), "bundleId": world.SpringBoard})
	}
	return list, nil
}

// pid is the process of an app; 1 stands for SpringBoard's process if it has none.
func (c *call) pid(bundle string) int {
	running, err := c.opts.World.Processes(c.ctx, c.opts.UDID)
	if err != nil {
		return 0
	}
	for _, r := range running {
		if r.Bundle == bundle {
			return r.PID
		}
	}
	return 1
}

func (c *call) activeAppInfo() (any, error) {
	app, err := c.active()
	if err != nil {
		return nil, err
	}
	return map[string]any{"pid": c.pid(app), "bundleId": app, "name": c.nameOf(app),
		"processArguments": map[string]any{"args": []any{}, "env": map[string]any{}}}, nil
}

// nameOf is the display name of an app.
func (c *call) nameOf(bundle string) string {
	a, _ := c.opts.World.App(c.opts.UDID, bundle) // if the device was deleted, the next call reports it
	return cmp.Or(a.Name, " ")
}

// deactivate puts the app into the background for some time.
func (c *call) deactivate() (any, error) {
	app, err := c.active()
	if err != nil {
		return nil, err
	}
	if _, err := c.home(); err != nil {
		return nil, err
	}
	seconds, said := c.number("duration")
	if !said {
		seconds = 3
	}
	if err := c.sleep(c.ctx, time.Duration(seconds*float64(time.Second))); err != nil {
		return nil, err
	}
	_, err = c.launch(app, nil, nil, false)
	return nil, err
}

func (c *call) openURL() (any, error) {
	url := c.text("url")
	if url == "" {
		return nil, invalid("URL is required")
	}
	return nil, c.opts.World.OpenURL(c.ctx, c.opts.UDID, url)
}

// errCrashed is the error for an app under test that has ended.
func (c *call) errCrashed() error {
	return badState("The application under test with bundle id '%s' is not running, possibly crashed", c.session.app)
}

// active is the target of commands: the app in front, unless a setting or the app under test says otherwise.
func (c *call) active() (string, error) {
	front, err := c.opts.World.Foreground(c.opts.UDID)
	if err != nil || c.session == nil {
		return front, err
	}
	wanted := setting[string](c, "defaultActiveApplication")
	if wanted == front {
		return front, nil
	}
	if wanted == world.SpringBoard {
		if over, err := c.overlay(); over != nil || err != nil {
			return wanted, err
		}
	}
	if c.session.app == "" {
		return front, nil
	}
	return c.tested(front)
}

// tested is the active app of a session with an app under test.
func (c *call) tested(front string) (string, error) {
	app := c.session.app
	state, err := c.opts.World.State(c.ctx, c.opts.UDID, app)
	if err != nil && !errors.Is(err, world.ErrNotInstalled) {
		return "", err
	}
	switch {
	case state == world.RunningForeground && setting[bool](c, "respectSystemAlerts"):
		if over, err := c.overlay(); over != nil || err != nil {
			return world.SpringBoard, err
		}
		return app, nil
	case state == world.RunningForeground:
		return app, nil
	case c.session.expected && state != world.RunningBackground:
		return "", c.errCrashed()
	}
	return front, nil
}
