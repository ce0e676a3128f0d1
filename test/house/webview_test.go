package house_test

import (
	"context"
	"errors"
	"strings"
	"testing"

	"ios-agent/internal/device"
	"ios-agent/internal/device/pool"
	"ios-agent/internal/driver/appium"
	"ios-agent/internal/fault"
	"ios-agent/internal/ui"
	"ios-agent/internal/virtualxcode"
	"ios-agent/test/house"
)

// inspector is a driver that only looks into web views: as a page inspector does, past accessibility.
type inspector struct {
	world func() *virtualxcode.World
	down  bool
}

func (i *inspector) Spec() device.DriverSpec                       { return appium.Spec() }
func (i *inspector) Probe(context.Context, string) (string, error) { return "there", nil }
func (i *inspector) Open(info device.Info, at string) device.Device {
	return &inspected{i, info, at}
}

type inspected struct {
	by   *inspector
	info device.Info
	at   string
}

func (d *inspected) Info() device.Info { return d.info }
func (d *inspected) Driver() string    { return "appium" }
func (d *inspected) Close() error      { return nil }

// Page gives what is drawn in the view.
func (d *inspected) Page(ctx context.Context, view device.WebView) (nodes []*ui.Node, err error) {
	if d.by.down {
		return nil, &device.UnreachableError{Driver: appium.Spec(), At: d.at, Cause: errors.New("connection refused")}
	}
	scene, err := d.by.world().Scene(ctx, d.info.UDID)
	if err != nil {
		return nil, err
	}
	var walk func(e *virtualxcode.Element)
	walk = func(e *virtualxcode.Element) {
		for _, u := range e.Look.Unseen {
			nodes = append(nodes, &ui.Node{Type: u.Type, Label: u.Label, Identifier: u.Identifier, Value: u.Value,
				Frame: ui.Rect{X: u.Frame.X, Y: u.Frame.Y, W: u.Frame.W, H: u.Frame.H}})
		}
		for _, c := range e.Children {
			walk(c)
		}
	}
	walk(scene.Root)
	return nodes, nil
}

// hiddenPage opens the screen of the Conformance app that has a web view whose page accessibility does not see.
func hiddenPage(t *testing.T) (*house.House, *inspector) {
	t.Helper()
	i := &inspector{}
	h := house.New(t, house.Options{Alternates: []pool.Alternate{i}})
	i.world = func() *virtualxcode.World { return h.World }
	h.Boot("s", "com.iosagent.conformance")
	h.Must("s", "tap_element", map[string]any{"label": "Navigation", "type": "Button"})
	h.Must("s", "tap_element", map[string]any{"identifier": "nav-web-button", "scroll": true})
	h.Must("s", "scroll_to", map[string]any{"identifier": "web-view-hidden"})
	return h, i
}

// TestHiddenWebPageIsReported: without a way to look into it the answer says that a page is missing and what would show it; an element that
// is not found may be there.
func TestHiddenWebPageIsReported(t *testing.T) {
	t.Parallel()
	h, _ := hiddenPage(t)
	e := h.Must("s", "snapshot", nil)
	for _, want := range []string{"[content hidden]", "accessibility does not show the page of a web view",
		"session-set-defaults --appium-url"} {
		if !strings.Contains(e.Text(), want) {
			t.Errorf("%q is not in\n%s", want, e.Text())
		}
	}
	miss := h.Call("s", "tap_element", map[string]any{"identifier": "web-hidden-link", "timeout_ms": 1})
	if miss.Error == nil || miss.Error.Code != fault.ElementNotFound || !strings.Contains(miss.Error.Message,
		"it may be on an unread web page") {
		t.Errorf("got %s, want that the element may be on a web page that was not read", miss.Text())
	}
}

// TestWebPageIsShownThroughAppiumServer: with a server that looks into web views, the elements of the page are in the snapshot, with refs
// and places as all others, and a tap on one does what a finger there does. The usual driver still looks and touches.
func TestWebPageIsShownThroughAppiumServer(t *testing.T) {
	t.Parallel()
	h, i := hiddenPage(t)
	h.Must("s", "session_set_defaults", map[string]string{"appiumUrl": "http://127.0.0.1:4723"})
	e := h.Must("s", "snapshot", nil)
	type element struct{ Ref, Type, Label, Identifier, Source string }
	var web []element
	for _, one := range house.Result[struct{ Elements []element }](h, e).Elements {
		if one.Source == "web" {
			web = append(web, one)
		}
	}
	if len(web) != 3 || strings.Contains(e.Text(), "content hidden") || e.Meta.Device.Driver != "" {
		t.Fatalf("%+v\n%s", web, e.Text())
	}
	var link element
	for _, one := range web {
		if one.Type == "XCUIElementTypeLink" {
			link = one
		}
	}
	acted := h.Must("s", "tap_element", map[string]any{"ref": link.Ref})
	if out := house.Result[struct{ Outcome string }](h, acted); out.Outcome != "changed" {
		t.Errorf("a tap on %+v: %s", link, acted.Text())
	}
	again := h.Must("s", "tap_element", map[string]any{"label": link.Label})
	if out := house.Result[struct{ Outcome string }](h, again); out.Outcome == "" {
		t.Errorf("%s", again.Text())
	}
	i.down = true
	e = h.Must("s", "snapshot", nil)
	if !strings.Contains(e.Text(), "connection refused") || !strings.Contains(e.Text(), "[content hidden]") {
		t.Errorf("a page that cannot be read any more:\n%s", e.Text())
	}
}
