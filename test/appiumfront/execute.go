package appiumfront

import (
	"net/http"
	"slices"
	"strings"

	"ios-agent/internal/virtualxcode"
)

// execute runs an execute method, or in a web context a script.
func (c *command) execute() (any, error) {
	script, _ := c.args["script"].(string)
	args, _ := c.args["args"].([]any)
	name, isMobile := strings.CutPrefix(script, "mobile: ")
	if !isMobile {
		return c.script(script, args)
	}
	var with map[string]any
	if len(args) > 0 {
		with, _ = args[0].(map[string]any)
	}
	if done, value, err := c.ofApps(name, with); done {
		return value, err
	}
	var value any
	switch name {
	case "source":
		return value, c.pass(http.MethodGet, "/source?format="+text(with, "format"), nil, &value)
	case "activeAppInfo":
		return value, c.pass(http.MethodGet, "/wda/activeAppInfo", nil, &value)
	case "pressButton":
		return nil, c.pass(http.MethodPost, "/wda/pressButton", map[string]any{"name": with["name"], "duration": with["durationSeconds"]}, nil)
	case "lock":
		return nil, c.pass(http.MethodPost, "/wda/lock", nil, nil)
	case "keys":
		return nil, c.pass(http.MethodPost, "/wda/element/0/keyboardInput", map[string]any{"keys": with["keys"]}, nil)
	case "alert":
		body := map[string]any{}
		if with["buttonLabel"] != nil {
			body["name"] = with["buttonLabel"]
		}
		return nil, c.pass(http.MethodPost, "/alert/"+text(with, "action"), body, nil)
	}
	return nil, &no{405, "unknown method", "Unknown mobile command \"" + name + "\""}
}

func text(args map[string]any, name string) string {
	s, _ := args[name].(string)
	return s
}

// ofApps are the execute methods about apps.
func (c *command) ofApps(name string, with map[string]any) (done bool, value any, err error) {
	id := text(with, "bundleId")
	route := map[string]string{"launchApp": "launch", "activateApp": "activate", "terminateApp": "terminate", "queryAppState": "state"}[name]
	switch {
	case route != "":
		return true, value, c.pass(http.MethodPost, "/wda/apps/"+route, with, &value)
	case name == "installApp" && c.Install != nil:
		return true, nil, c.Install(c.ctx, text(with, "app"))
	case name == "removeApp":
		return true, true, c.World.Uninstall(c.ctx, c.UDID, id)
	case name != "isAppInstalled" && name != "listApps":
		return false, nil, nil
	}
	apps, err := c.World.Apps(c.UDID)
	if err != nil {
		return true, nil, err
	}
	if name == "isAppInstalled" {
		for _, a := range apps {
			if a.BundleID == id {
				return true, true, nil
			}
		}
		return true, false, nil
	}
	all := map[string]any{}
	for _, a := range apps {
		all[a.BundleID] = map[string]any{"CFBundleDisplayName": a.Name, "CFBundleShortVersionString": a.Version, "Path": a.Path}
	}
	return true, all, nil
}

// views are the web views on the screen.
func (c *command) views() (found []*virtualxcode.Element, err error) {
	scene, err := c.World.Scene(c.ctx, c.UDID)
	if err != nil {
		return nil, err
	}
	var walk func(e *virtualxcode.Element)
	walk = func(e *virtualxcode.Element) {
		if e.Type == "WebView" {
			found = append(found, e)
			return
		}
		for _, child := range e.Children {
			walk(child)
		}
	}
	walk(scene.Root)
	return found, nil
}

// named are the names of the web contexts, in the order of the views.
func named(views []*virtualxcode.Element) (names []string) {
	for i := range views {
		names = append(names, "WEBVIEW_4711."+string(rune('1'+i)))
	}
	return names
}

func (c *command) contexts() (any, error) {
	if c.Blind {
		return []string{native}, nil
	}
	views, err := c.views()
	return append([]string{native}, named(views)...), err
}

// enter goes to another context.
func (c *command) enter() error {
	name := text(c.args, "name")
	views, err := c.views()
	if err != nil {
		return err
	}
	if name != native && !slices.Contains(named(views), name) {
		return &no{400, "no such context", "No such context found"}
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	c.context = name
	return nil
}

// The pages of virtual web views are laid out in CSS pixels, two to the point, and are seen from this place on.
const (
	density = 2.0
	left    = 10.0
	top     = 30.0
)

// script answers the walk over a page with what a browser would find on it. No other script can be run here.
func (c *command) script(script string, args []any) (any, error) {
	views, err := c.views()
	if err != nil {
		return nil, err
	}
	i := slices.Index(named(views), c.Context())
	switch {
	case i < 0:
		return nil, &no{400, "no such context", "scripts run in a web context"}
	case !strings.Contains(script, "getBoundingClientRect") || len(args) != 2:
		return nil, &no{500, "javascript error", "there is no engine here"}
	}
	view := views[i]
	elements := []any{}
	var walk func(e *virtualxcode.Element)
	walk = func(e *virtualxcode.Element) {
		if e.Label != "" && !slices.Contains([]string{"WebView", "Other"}, e.Type) {
			elements = append(elements, map[string]any{
				"type": e.Type, "label": e.Label, "identifier": e.Identifier, "value": e.Value, "placeholder": e.Placeholder,
				"x": (e.Frame.X-view.Frame.X)*density + left, "y": (e.Frame.Y-view.Frame.Y)*density + top,
				"w": e.Frame.W * density, "h": e.Frame.H * density, "disabled": e.Disabled, "focused": e.Focused,
			})
		}
		for _, child := range slices.Concat(e.Look.Unseen, e.Children) {
			walk(child)
		}
	}
	walk(view)
	return map[string]any{
		"title": view.Label, "url": "https://example.com/", "left": left, "top": top,
		"width": view.Frame.W * density, "height": view.Frame.H * density, "elements": elements,
	}, nil
}
