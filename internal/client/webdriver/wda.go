package webdriver

import (
	"cmp"
	"context"
	"encoding/json"
	"maps"
	"math"
	"slices"
	"strings"
	"time"

	"ios-agent/internal/client/webdriver/page"
	"ios-agent/internal/fault"
	"ios-agent/internal/ui"
)

// looking makes a command from a function of a page.
func looking(read func(*page.Page) any) handler {
	return func(ctx context.Context, q *request) (any, error) {
		t, err := q.session.look(ctx)
		if err != nil {
			return nil, err
		}
		return read(t), nil
	}
}

// windowRect is the rectangle of the screen, in points.
func windowRect(t *page.Page) any { return page.BoxOf(t.Window()) }

func windowSize(t *page.Page) any { return size(page.BoxOf(t.Window())) }

func size(b page.Box) map[string]any { return map[string]any{"width": b.Width, "height": b.Height} }

// screen is the size in points, and the number of pixels a point.
func screen(ctx context.Context, q *request) (any, error) {
	t, err := q.session.look(ctx)
	if err != nil {
		return nil, err
	}
	raw, err := q.session.picture(ctx)
	if err != nil {
		return nil, err
	}
	width, err := pixelWidth(raw)
	if err != nil {
		return nil, err
	}
	box := page.BoxOf(t.Window())
	scale := min(max(math.Round(float64(width)/float64(max(box.Width, 1))), 1), 3) // a picture of a simulator has whole pixels
	return map[string]any{"screenSize": size(box), "statusBarSize": size(page.Box{}), "scale": scale}, nil
}

func orientation(t *page.Page) any {
	if t.Landscape() {
		return "LANDSCAPE"
	}
	return "PORTRAIT"
}

// turns maps WebDriver's orientations to our names.
var turns = map[string]string{
	"PORTRAIT": "portrait", "LANDSCAPE": "landscape", "UIA_DEVICE_ORIENTATION_LANDSCAPERIGHT": "landscape-right",
	"UIA_DEVICE_ORIENTATION_PORTRAIT_UPSIDEDOWN": "portrait-upside-down",
}

func setOrientation(ctx context.Context, q *request) (any, error) {
	var to string
	if err := q.take(map[string]any{"orientation": &to}); err != nil {
		return nil, err
	}
	ours, known := turns[strings.ToUpper(to)]
	if !known {
		return nil, fail(invalidArgument, "invalid orientation %q", to).hinted("PORTRAIT or LANDSCAPE")
	}
	return nil, q.session.on(ctx, "rotate", map[string]any{"orientation": ours}, nil)
}

func rotation(t *page.Page) any {
	z := 0
	if t.Landscape() {
		z = 270
	}
	return map[string]any{"x": 0, "y": 0, "z": z}
}

func setRotation(ctx context.Context, q *request) (any, error) {
	var z float64
	if err := q.take(map[string]any{"z": &z}); err != nil {
		return nil, err
	}
	ours, known := map[float64]string{0: "portrait", 90: "landscape-right", 180: "portrait-upside-down", 270: "landscape-left"}[z]
	if !known {
		return nil, fail(invalidArgument, "z is %g; it must be 0, 90, 180 or 270", z)
	}
	return nil, q.session.on(ctx, "rotate", map[string]any{"orientation": ours}, nil)
}

// alert is the dialog in front that can be answered.
type alert struct {
	Title, Text string
	Buttons     []string
}

func (one *session) alert(ctx context.Context, answer string) (*alert, error) {
	input := map[string]any{}
	if answer != "" {
		input["answer"] = answer
	}
	var out struct{ Alert *alert }
	if err := one.on(ctx, "alert", input, &out); err != nil {
		return nil, err
	}
	if out.Alert == nil {
		return nil, fail(noSuchAlert, "no alert is open")
	}
	return out.Alert, nil
}

// alerting makes a command from a function of the open alert.
func alerting(read func(*alert) any) handler {
	return func(ctx context.Context, q *request) (any, error) {
		a, err := q.session.alert(ctx, "")
		if err != nil {
			return nil, err
		}
		return read(a), nil
	}
}

func alertText(a *alert) any { return strings.Trim(a.Title+"\n"+a.Text, "\n") }

func alertButtons(a *alert) any { return a.Buttons }

// answering answers the alert: with the button in the body, or with the command's default.
func answering(usual string) handler {
	return func(ctx context.Context, q *request) (any, error) {
		var name string
		if err := q.may(map[string]any{"name": &name}); err != nil {
			return nil, err
		}
		if _, err := q.session.alert(ctx, ""); err != nil { // without this check, answering would wait for an alert
			return nil, err
		}
		_, err := q.session.alert(ctx, cmp.Or(name, usual))
		return nil, err
	}
}

// setAlertText types into the field of the alert.
func setAlertText(ctx context.Context, q *request) (any, error) {
	text, err := q.typed("value", "text")
	if err != nil {
		return nil, err
	}
	if _, err := q.session.alert(ctx, ""); err != nil {
		return nil, err
	}
	t, err := q.session.look(ctx)
	if err != nil {
		return nil, err
	}
	fields := t.All(nil, func(n *page.Node) bool {
		return n.Inside(page.TypePrefix+"Alert", page.TypePrefix+"Sheet") && strings.HasSuffix(n.Type, "TextField")
	})
	if len(fields) > 0 {
		return nil, q.session.enter(ctx, fields[0].ID(), text)
	}
	return nil, fail(notInteractable, "the alert has no field to type into")
}

func getTimeouts(_ context.Context, q *request) (any, error) { return q.session.timeouts(), nil }

func setTimeouts(_ context.Context, q *request) (any, error) {
	given := map[string]any{}
	for name, raw := range q.body {
		var v any
		if err := json.Unmarshal(raw, &v); err != nil {
			return nil, fail(invalidArgument, "%q in the body: %v", name, fault.OfJSON(err))
		}
		given[name] = v
	}
	if kind, is := given["type"].(string); is { // an older client: {"type": "implicit", "ms": 500}
		given = map[string]any{strings.Replace(kind, "page load", "pageLoad", 1): given["ms"]}
	}
	if wrong := timeouts(given); wrong != "" {
		return nil, fail(invalidArgument, "invalid timeouts: %s", wrong)
	}
	one := q.session
	one.mu.Lock()
	defer one.mu.Unlock()
	for name, into := range map[string]*time.Duration{"implicit": &one.implicit, "script": &one.script, "pageLoad": &one.load} {
		if ms, is := given[name].(float64); is {
			*into = milliseconds(ms)
		}
	}
	return nil, nil
}

// implicitWait is the older command for it.
func implicitWait(_ context.Context, q *request) (any, error) {
	var ms float64
	if err := q.take(map[string]any{"ms": &ms}); err != nil {
		return nil, err
	}
	if ms < 0 {
		return nil, fail(invalidArgument, "invalid ms %g", ms)
	}
	q.session.mu.Lock()
	defer q.session.mu.Unlock()
	q.session.implicit = milliseconds(ms)
	return nil, nil
}

// getSettings returns the settings. Most have no effect here, because they only serve speed; snapshotMaxDepth has one.
func getSettings(_ context.Context, q *request) (any, error) {
	q.session.mu.Lock()
	defer q.session.mu.Unlock()
	return maps.Clone(q.session.settings), nil
}

// mostSettings is the maximum number of stored settings.
const mostSettings = 200

func setSettings(_ context.Context, q *request) (any, error) {
	var given map[string]json.RawMessage
	if err := q.take(map[string]any{"settings": &given}); err != nil {
		return nil, err
	}
	q.session.mu.Lock()
	defer q.session.mu.Unlock()
	if len(given)+len(q.session.settings) > mostSettings {
		return nil, fail(invalidArgument, "more than %d settings", mostSettings)
	}
	maps.Copy(q.session.settings, given)
	return maps.Clone(q.session.settings), nil
}

// deviceInfo holds the known facts of the device.
func deviceInfo(_ context.Context, q *request) (any, error) {
	one := q.session
	return map[string]any{
		"name": one.device, "uuid": one.udid, "model": one.family, "userInterfaceIdiom": slices.Index([]string{"iPhone", "iPad"}, one.family),
		"osVersion": numeric(one.os), "currentLocale": nil, "timeZone": nil, "isSimulator": one.simulator, "thermalState": nil,
	}, nil
}

// typeKeys types into the focused element.
func typeKeys(ctx context.Context, q *request) (any, error) {
	text, err := q.typed("value", "text", "keys")
	if err != nil {
		return nil, err
	}
	return nil, q.session.enter(ctx, q.params["element"], text)
}

// keySequence is WebDriverAgent's /wda/keys, which also takes keys with modifiers.
func keySequence(ctx context.Context, q *request) (any, error) {
	var parts []json.RawMessage
	if json.Unmarshal(q.body["keys"], &parts) != nil {
		return typeKeys(ctx, q)
	}
	for _, raw := range parts {
		var object struct {
			Key   string
			Flags *float64 `json:"modifierFlags"`
		}
		if json.Unmarshal(raw, &object) == nil && object.Flags != nil {
			return nil, fail(unsupported, "keys with modifierFlags are not supported").hinted("use W3C actions of the type key")
		}
	}
	return typeKeys(ctx, q)
}

// buttons maps WebDriverAgent's buttons to our names.
var buttons = map[string]string{
	"home": "home", "volumeup": "volume-up", "volumedown": "volume-down", "action": "action", "camera": "camera",
}

func pressButton(ctx context.Context, q *request) (any, error) {
	var name string
	var hold float64
	if err := q.take(map[string]any{"name": &name}); err != nil {
		return nil, err
	}
	if err := q.may(map[string]any{"duration": &hold, "durationSeconds": &hold}); err != nil {
		return nil, err
	}
	ours, known := buttons[strings.ToLower(name)]
	if !known {
		return nil, fail(invalidArgument, "unknown button %q", name).hinted("home, volumeUp, volumeDown, action or camera")
	}
	return nil, q.session.on(ctx, "press_button", map[string]any{"button": ours, "hold": within(hold, 0, 60)}, nil)
}

// doing is a command that runs one operation on the device.
func doing(name string, input map[string]any) handler {
	return func(ctx context.Context, q *request) (any, error) {
		return nil, q.session.on(ctx, name, maps.Clone(input), nil) // on adds the device
	}
}

func openURL(ctx context.Context, q *request) (any, error) {
	var url string
	if err := q.take(map[string]any{"url": &url}); err != nil {
		return nil, err
	}
	if !strings.Contains(url, ":") {
		return nil, fail(invalidArgument, "%q is not a URL", url)
	}
	return nil, q.session.on(ctx, "open", map[string]any{"url": url}, nil)
}

// notTold refuses a command without an operation.
func notTold(what, hint string) handler {
	return func(context.Context, *request) (any, error) {
		return nil, fail(unsupported, "%s is not supported", what).hinted(hint)
	}
}

// done answers a command that needs no action here.
func done(value any) handler {
	return func(context.Context, *request) (any, error) { return value, nil }
}

// There is one context and one window.
const (
	nativeContext = "NATIVE_APP"
	windowHandle  = "1"
)

func switchContext(_ context.Context, q *request) (any, error) {
	name := nativeContext
	if err := q.may(map[string]any{"name": &name}); err != nil || name == nativeContext {
		return nil, err
	}
	return nil, fail(noSuchContext, "unknown context %q", name).
		hinted("use NATIVE_APP: its source contains the elements of web views")
}

func switchWindow(_ context.Context, q *request) (any, error) {
	handle := windowHandle
	if err := q.may(map[string]any{"handle": &handle, "name": &handle}); err != nil || handle == windowHandle {
		return nil, err
	}
	return nil, fail(noSuchWindow, "unknown window %q", handle)
}

// point is x and y of a body; ok if both are present.
func (q *request) point(x, y string) (at ui.Point, ok bool, err error) {
	var px, py *float64
	if err := q.may(map[string]any{x: &px, y: &py}); err != nil {
		return at, false, err
	}
	if (px == nil) != (py == nil) {
		return at, false, fail(invalidArgument, "a point needs the numbers %s and %s", x, y)
	}
	if px == nil {
		return at, false, nil
	}
	return ui.Point{X: *px, Y: *py}, true, nil
}
