package webdriver

import (
	"context"
	"encoding/json"
	"strings"

	"ios-agent/internal/client/webdriver/page"
	"ios-agent/internal/fault"
	"ios-agent/internal/hint"
)

// handler performs a command and returns its value.
type handler func(ctx context.Context, q *request) (any, error)

// route is a command: a method and a path, in which {name} stands for any part.
type route struct {
	method string
	path   []string
	free   bool // no session is needed
	do     handler
}

// Handlers of several commands.
var (
	tap       = touching("tap_element", "tap_element", nil)
	doubleTap = touching("double_tap", "double_tap", nil)
	hold      = touching("long_press", "touch", lasting)
	lock      = doing("press_button", map[string]any{"button": "lock"})
	isLocked  = notTold("whether the screen is locked", "GET …/source or a screenshot shows what is in front")
)

// commands are the commands of a session: the path after /session/ID. With a +, the path also works without a session, as in
// WebDriverAgent, and then means the only session.
var commands = map[string]handler{
	"DELETE ": deleteSession, "GET ": getSession,
	"GET /timeouts": getTimeouts, "POST /timeouts": setTimeouts, "POST /timeouts/implicit_wait": implicitWait,

	"GET /source +": source, "GET /screenshot +": screenshot, "GET /screenshot/{element}": elementScreenshot,

	"POST /element": findElement, "POST /elements": findElements,
	"POST /element/{element}/element": findElement, "POST /element/{element}/elements": findElements,
	"GET /element/active": activeElement, "POST /element/active": activeElement,

	"POST /element/{element}/click": click, "POST /element/{element}/clear": clearElement, "POST /element/{element}/value": setValue,
	"GET /element/{element}/text":             reading(func(n *page.Node) any { return n.Text() }),
	"GET /element/{element}/name":             reading(func(n *page.Node) any { return n.Type }),
	"GET /element/{element}/rect":             reading(func(n *page.Node) any { return n.Box() }),
	"GET /element/{element}/displayed":        reading(func(n *page.Node) any { return n.IsVisible() }),
	"GET /element/{element}/enabled":          reading(func(n *page.Node) any { return n.Enabled }),
	"GET /element/{element}/selected":         reading(func(n *page.Node) any { return n.Selected }),
	"GET /element/{element}/computedrole":     reading(func(n *page.Node) any { return n.Role }),
	"GET /element/{element}/computedlabel":    reading(func(n *page.Node) any { return n.Label }),
	"GET /element/{element}/attribute/{name}": attributeOf, "GET /element/{element}/property/{name}": attributeOf,
	"GET /element/{element}/screenshot": elementScreenshot,
	"GET /element/{element}/size":       reading(func(n *page.Node) any { return size(n.Box()) }),
	"GET /element/{element}/location":   reading(func(n *page.Node) any { return map[string]any{"x": n.Box().X, "y": n.Box().Y} }),

	"GET /window/rect": looking(windowRect), "GET /window/size +": looking(windowSize), "GET /window/{handle}/size": looking(windowSize),
	"GET /window": done(windowHandle), "GET /window/handles": done([]string{windowHandle}), "POST /window": switchWindow,
	"GET /context": done(nativeContext), "GET /contexts": done([]string{nativeContext}), "POST /context": switchContext,
	"GET /orientation +": looking(orientation), "POST /orientation +": setOrientation,
	"GET /rotation +": looking(rotation), "POST /rotation +": setRotation,

	"POST /actions": performActions, "DELETE /actions": releaseActions,
	"POST /back": doing("back", nil), "POST /url": openURL,

	"GET /alert/text +": alerting(alertText), "POST /alert/text": setAlertText, "POST /alert/accept +": answering("accept"),
	"POST /alert/dismiss +": answering("dismiss"), "GET /wda/alert/buttons": alerting(alertButtons),

	"GET /appium/settings": getSettings, "POST /appium/settings": setSettings,

	"POST /wda/apps/launch": naming(launchApp), "POST /wda/apps/activate": naming(activateApp),
	"POST /wda/apps/terminate": naming(terminateApp),
	"POST /wda/apps/state":     naming(appState), "GET /wda/apps/list": appList, "GET /wda/activeAppInfo +": activeAppInfo,
	"POST /wda/apps/launchUnattached +": naming(activateApp), "POST /wda/deactivateApp": behind,
	"POST /appium/device/activate_app": naming(activateApp), "POST /appium/device/terminate_app": naming(terminateApp),
	"POST /appium/device/app_state": naming(appState), "POST /appium/device/app_installed": naming(appInstalled),
	"POST /appium/device/hide_keyboard": doing("hide_keyboard", nil), "POST /appium/device/lock": lock,
	"GET /appium/device/system_time": deviceTime,

	"POST /wda/setPasteboard +": copying(true), "POST /wda/getPasteboard +": pasting(true),
	"POST /appium/device/set_clipboard": copying(true), "POST /appium/device/get_clipboard": pasting(true),
	"POST /location": setPlace, "GET /location": getPlace,
	"POST /wda/simulatedLocation +": setPlace, "GET /wda/simulatedLocation +": getPlace, "DELETE /wda/simulatedLocation +": resetPlace,
	"POST /wda/device/appearance": setAppearance, "GET /wda/batteryInfo +": battery,
	"POST /appium/start_recording_screen": startFilm, "POST /appium/stop_recording_screen": stopFilm,
	"GET /log/types": done(logTypes), "GET /se/log/types": done(logTypes), "POST /log": readLog, "POST /se/log": readLog,

	"POST /wda/homescreen +": doing("home", nil), "GET /wda/screen +": screen, "GET /wda/device/info +": deviceInfo,
	"POST /wda/keys": keySequence, "POST /wda/keyboard/dismiss": doing("hide_keyboard", nil), "POST /wda/pressButton": pressButton,
	"POST /wda/lock +":       lock,
	"GET /wda/locked +":      isLocked,
	"POST /wda/unlock +":     notTold("unlocking", hint.Do("home")+" lights the screen of a simulator"),
	"GET /wda/healthcheck +": done(nil),

	"POST /wda/tap": tap, "POST /wda/tap/{element}": tap, "POST /wda/element/{element}/tap": tap,
	"POST /wda/doubleTap": doubleTap, "POST /wda/element/{element}/doubleTap": doubleTap,
	"POST /wda/touchAndHold": hold, "POST /wda/element/{element}/touchAndHold": hold,
	"POST /wda/tapWithNumberOfTaps": tapCount, "POST /wda/element/{element}/tapWithNumberOfTaps": tapCount,
	"POST /wda/dragfromtoforduration": dragging, "POST /wda/element/{element}/dragfromtoforduration": dragging,
	"POST /wda/pressAndDragWithVelocity": dragging, "POST /wda/swipe": swiping, "POST /wda/element/{element}/swipe": swiping,
	"POST /wda/scroll": scrolling, "POST /wda/element/{element}/scroll": scrolling, "POST /wda/element/{element}/scrollTo": scrollTo,
	"POST /wda/pinch": pinching, "POST /wda/element/{element}/pinch": pinching,
	"POST /wda/pickerwheel/{element}/select":    wheel,
	"POST /wda/element/{element}/keyboardInput": typeKeys,
}

// mobile are the extensions of Appium's XCUITest driver that clients call by name, through execute.
var mobile = map[string]handler{
	"tap": tap, "doubleTap": doubleTap,
	"touchAndHold": hold, "swipe": swiping, "scroll": scrolling, "scrollToElement": scrollTo,
	"pinch": pinching, "dragFromToForDuration": dragging, "tapWithNumberOfTaps": tapCount, "selectPickerWheelValue": wheel,
	"launchApp": naming(launchApp), "activateApp": naming(activateApp), "terminateApp": naming(terminateApp),
	"queryAppState":  naming(appState),
	"isAppInstalled": naming(appInstalled), "activeAppInfo": activeAppInfo, "backgroundApp": behind, "pressButton": pressButton,
	"hideKeyboard": doing("hide_keyboard", nil), "keys": keySequence, "deviceInfo": deviceInfo, "deviceScreenInfo": screen, "lock": lock,
	"deepLink": openURL, "alert": mobileAlert, "source": mobileSource, "getContexts": done([]map[string]any{{"id": nativeContext}}),
	"viewportRect": looking(windowRect), "setPasteboard": copying(false), "getPasteboard": pasting(false),
	"setSimulatedLocation": setPlace, "getSimulatedLocation": getPlace, "resetSimulatedLocation": resetPlace,
	"setAppearance": setAppearance, "getAppearance": getAppearance, "listApps": listApps, "batteryInfo": battery,
	"getDeviceTime": deviceTime, "isLocked": isLocked,
}

// execute runs an extension by its name. JavaScript needs a web view, so it is not supported.
func execute(ctx context.Context, q *request) (any, error) {
	var script string
	var args []map[string]json.RawMessage
	if err := q.take(map[string]any{"script": &script}); err != nil {
		return nil, err
	}
	name, is := strings.CutPrefix(script, "mobile:")
	if !is {
		return nil, fail(unsupported, "running JavaScript is not supported").hinted("use scripts such as \"mobile: swipe\"")
	}
	do, known := mobile[strings.TrimSpace(name)]
	if !known {
		return nil, fail(unknownCommand, "unknown script %q", script).hinted("docs/webdriver.md lists the scripts")
	}
	if raw := q.body["args"]; len(raw) > 0 && string(raw) != "null" && string(raw) != "[]" {
		if err := json.Unmarshal(raw, &args); err != nil {
			return nil, fail(invalidArgument, "args must be a list with one object: %v", fault.OfJSON(err))
		}
	}
	inner := *q
	inner.body = map[string]json.RawMessage{}
	if len(args) > 0 && args[0] != nil {
		inner.body = args[0]
	}
	return do(ctx, &inner)
}

func mobileAlert(ctx context.Context, q *request) (any, error) {
	var action string
	if err := q.take(map[string]any{"action": &action}); err != nil {
		return nil, err
	}
	if label, given := q.body["buttonLabel"]; given {
		q.body["name"] = label
	}
	switch action {
	case "accept", "dismiss":
		return answering(action)(ctx, q)
	case "getButtons":
		return alerting(alertButtons)(ctx, q)
	}
	return nil, fail(invalidArgument, "invalid action %q", action).hinted("accept, dismiss or getButtons")
}

func mobileSource(ctx context.Context, q *request) (any, error) {
	var format, without string
	if err := q.may(map[string]any{"format": &format, "excludedAttributes": &without}); err != nil {
		return nil, err
	}
	t, err := q.session.look(ctx)
	if err != nil {
		return nil, err
	}
	return q.written(t, format, "", strings.Split(without, ","))
}

// routes are all commands by their full paths.
func routes() (all []route) {
	add := func(method, path string, free bool, do handler) {
		all = append(all, route{method, strings.Split(strings.TrimPrefix(path, "/"), "/"), free, do})
	}
	add("GET", "/status", true, status)
	add("POST", "/session", true, newSession)
	add("GET", "/sessions", true, listSessions)
	add("GET", "/appium/sessions", true, listSessions)
	for name, do := range commands {
		method, path, _ := strings.Cut(name, " ")
		path, without := strings.CutSuffix(path, " +")
		add(method, "/session/{session}"+path, false, do)
		if without {
			add(method, path, false, do)
		}
	}
	add("POST", "/session/{session}/execute/sync", false, execute)
	add("POST", "/session/{session}/execute", false, execute)
	return all
}

// find returns the command of a path. A literal part takes precedence over a variable one.
func (s *Server) find(method, path string) (found *route, params map[string]string, err error) {
	parts := strings.Split(strings.Trim(path, "/"), "/")
	other, free := false, 0
	for i := range s.routes {
		r := &s.routes[i]
		given, names, fits := r.fits(parts)
		if !fits {
			continue
		}
		if r.method != method {
			other = true
			continue
		}
		if found == nil || names < free {
			found, params, free = r, given, names
		}
	}
	switch {
	case found != nil:
		return found, params, nil
	case other:
		return nil, nil, fail(unknownMethod, "the method %s is not allowed for /%s", method, strings.Join(parts, "/"))
	}
	return nil, nil, fail(unknownCommand, "unknown command %s /%s", method, strings.Join(parts, "/")).
		hinted("docs/webdriver.md lists the commands")
}

func (r *route) fits(parts []string) (params map[string]string, names int, fits bool) {
	if len(parts) != len(r.path) {
		return nil, 0, false
	}
	params = map[string]string{}
	for i, part := range r.path {
		name, is := strings.CutPrefix(part, "{")
		if is {
			if parts[i] == "" {
				return nil, 0, false
			}
			params[strings.TrimSuffix(name, "}")] = parts[i]
			names++
			continue
		}
		if part != parts[i] {
			return nil, 0, false
		}
	}
	return params, names, true
}
