package agent

import (
	"context"
	"encoding/json"
	"errors"
	"reflect"
	"slices"
	"sync/atomic"
	"testing"

	"ios-agent/internal/driver/agentwire"
	"ios-agent/internal/virtualxcode/world"
)

func TestDumpTreePrunesAndAddsFields(t *testing.T) {
	c := open(t, options(newStage()))
	dump := ask[*agentwire.Tree](t, c, &agentwire.DumpTree{})
	roots, err := dump.Elements()
	if err != nil || len(roots) != 1 || dump.Truncated != 0 {
		t.Fatalf("%d roots, %d left out, %v", len(roots), dump.Truncated, err)
	}
	window := roots[0].Children[0]
	if n := len(window.Children); n != 6 {
		t.Errorf("the window has %d children, want 6: empty scaffolding is pruned", n)
	}
	field, news := window.Children[1], window.Children[5]
	if field.Value != "a@b.c" || !field.Focused || field.Placeholder != "you@example.com" || field.Disabled() || field.Hittable != nil {
		t.Errorf("the field is %+v", field)
	}
	if !news.Disabled() || !news.Selected {
		t.Errorf("the switch is %+v", news)
	}
}

func TestDumpOfAnEmptyScreenIsEmpty(t *testing.T) {
	s := newStage()
	s.show = func(int) *world.Element { return &world.Element{Type: "Application"} }
	if dump := ask[*agentwire.Tree](t, open(t, options(s)), &agentwire.DumpTree{}); dump.JSON != "[]" {
		t.Errorf("got %s", dump.JSON)
	}
}

func TestTruncationIsCounted(t *testing.T) {
	deep := &world.Element{Type: "Other", Label: "x"}
	for range 39 {
		deep = &world.Element{Type: "Other", Label: "x", Children: []*world.Element{deep}}
	}
	wide := &world.Element{Type: "Other", Label: "x"}
	for range 6000 {
		wide.Children = append(wide.Children, &world.Element{Type: "Cell", Label: "c"})
	}
	vast := &world.Element{Type: "Other", Label: "x", Children: slices.Repeat(wide.Children[:1], 300_000)}
	for name, c := range map[string]struct {
		root      *world.Element
		req       agentwire.Look
		truncated uint32
	}{
		"vast":                {vast, agentwire.Look{Limits: agentwire.Limits{Nodes: 5000}}, 295_001},
		"deep":                {deep, agentwire.Look{}, 0},
		"deep, more wanted":   {deep, agentwire.Look{Limits: agentwire.Limits{Depth: 40}}, 0},
		"deep, less wanted":   {deep, agentwire.Look{Limits: agentwire.Limits{Depth: 1}}, 39},
		"wide":                {wide, agentwire.Look{}, 1001},
		"wide, more wanted":   {wide, agentwire.Look{Limits: agentwire.Limits{Nodes: 10_000, Depth: 4_000_000_000}}, 0},
		"wide, one node only": {wide, agentwire.Look{Limits: agentwire.Limits{Nodes: 1}}, 6000},
	} {
		t.Run(name, func(t *testing.T) {
			s := newStage()
			s.show = func(int) *world.Element { return c.root }
			client := open(t, options(s))
			if o := ask[*agentwire.Sight](t, client, &c.req); o.Truncated != c.truncated {
				t.Errorf("look left out %d, want %d", o.Truncated, c.truncated)
			}
		})
	}
	for name, c := range map[string]struct {
		root      *world.Element
		truncated uint32
	}{"deep": {deep, 10}, "wide": {wide, 1001}} {
		s := newStage()
		s.show = func(int) *world.Element { return c.root }
		if d := ask[*agentwire.Tree](t, open(t, options(s)), &agentwire.DumpTree{}); d.Truncated != c.truncated {
			t.Errorf("a dump of the %s tree left out %d, want %d", name, d.Truncated, c.truncated)
		}
	}
}

func TestFindElementMatchesSelectorAndType(t *testing.T) {
	c := open(t, options(newStage()))
	for name, tc := range map[string]struct {
		req  agentwire.FindElement
		want string // type, or empty for none
	}{
		"identifier":   {agentwire.FindElement{Selector: "email"}, "TextField"},
		"label":        {agentwire.FindElement{Selector: "Log in", ByLabel: true}, "Button"},
		"second match": {agentwire.FindElement{Selector: "Log in[1]", ByLabel: true}, "StaticText"},
		"type":         {agentwire.FindElement{Selector: "Log in", ByLabel: true, Type: new("StaticText")}, "StaticText"},
		"unknown type": {agentwire.FindElement{Selector: "email", Type: new("Nonsense")}, "TextField"},
		"none":         {agentwire.FindElement{Selector: "nothing"}, ""},
	} {
		t.Run(name, func(t *testing.T) {
			el, err := ask[*agentwire.Found](t, c, &tc.req).Element()
			if err != nil || (el == nil) != (tc.want == "") {
				t.Fatalf("found %+v, %v", el, err)
			}
			if el != nil && (el.Type != tc.want || el.Hittable == nil || !*el.Hittable) {
				t.Errorf("found %+v", el)
			}
		})
	}
}

func TestFindElementChildrenOmitHittable(t *testing.T) {
	c := open(t, options(newStage()))
	el, err := ask[*agentwire.Found](t, c, &agentwire.FindElement{Selector: "login"}).Element()
	if err != nil || len(el.Children) != 1 || el.Children[0].Hittable != nil {
		t.Errorf("found %+v, %v", el, err)
	}
}

func TestGetValueReturnsTextOfElement(t *testing.T) {
	c := open(t, options(newStage()))
	for selector, want := range map[string]*string{"email": new("a@b.c"), "login": new("Log in"), "news": nil} {
		got := ask[*agentwire.Value](t, c, &agentwire.GetValue{Selector: selector, Type: new("Nonsense")}).Text
		if !reflect.DeepEqual(got, want) {
			t.Errorf("value of %s: %v", selector, got)
		}
	}
	wantFault(t, c, &agentwire.GetValue{Selector: "email", Type: new("Button")}, agentwire.CodeNotFound)
}

func TestGetValueWaits(t *testing.T) {
	s := newStage()
	s.show = func(look int) *world.Element {
		if look < 5 {
			return nil // not even running
		}
		return tree()
	}
	c := open(t, options(s))
	if v := ask[*agentwire.Value](t, c, &agentwire.GetValue{Selector: "email", TimeoutMS: new(uint64(500))}); *v.Text != "a@b.c" {
		t.Errorf("value %q", *v.Text)
	}
}

func TestTargetInfoFollowsSetTarget(t *testing.T) {
	o := options(newStage())
	o.About = func(_ context.Context, bundle string) agentwire.AppInfo {
		return agentwire.AppInfo{Version: "1.2", Build: "34"}
	}
	c, _ := connect(t, New(o))
	info := func() agentwire.AppInfo {
		got, err := ask[*agentwire.TargetInfo](t, c, &agentwire.GetTargetInfo{}).Info()
		if err != nil {
			t.Error(err)
		}
		return got
	}
	if got := info(); got.Bundle != "com.apple.springboard" || got.State != "not_running" {
		t.Errorf("at first %+v", got)
	}
	ok(t, c, &agentwire.SetTarget{Bundle: shop})
	if got, want := info(), (agentwire.AppInfo{Bundle: shop, DisplayName: "Shop", Version: "1.2", Build: "34",
		State: "running_foreground"}); got != want {
		t.Errorf("then %+v", got)
	}
}

func TestRequestsFailWhenAppDoesNotRun(t *testing.T) {
	c := open(t, options(newStage()))
	ok(t, c, &agentwire.SetTarget{Bundle: "com.example.gone"})
	wantFault(t, c, &agentwire.DumpTree{}, agentwire.CodeAppNotRunning)
	wantFault(t, c, &agentwire.TapElement{Selector: "login"}, agentwire.CodeAppNotRunning)
	if f := ask[*agentwire.Found](t, c, &agentwire.FindElement{Selector: "login"}); f.JSON != "null" {
		t.Errorf("found %s", f.JSON)
	}
}

// TestAgentEndsWithADeletedDevice: a test runner is a process of its device.
func TestAgentEndsWithADeletedDevice(t *testing.T) {
	for _, req := range []agentwire.Request{
		&agentwire.DumpTree{}, &agentwire.FindElement{}, &agentwire.GetTargetInfo{}, &agentwire.Look{},
	} {
		var crashed atomic.Bool
		o := options(newStage())
		o.UDID, o.Crash = "deleted", func() { crashed.Store(true) }
		if answer, err := open(t, o).Do(t.Context(), req); err == nil || !crashed.Load() {
			t.Errorf("%s: got %v, want an agent that has ended", req.Opcode(), answer)
		}
	}
}

func TestDeviceUDIDIsReportedOnSimulatorOnly(t *testing.T) {
	if v := ask[*agentwire.Value](t, open(t, options(newStage())), &agentwire.DeviceUDID{}); *v.Text != udid {
		t.Errorf("got %q", *v.Text)
	}
	client, _ := connect(t, New(Options{Screen: newStage()}))
	if v := ask[*agentwire.Value](t, client, &agentwire.DeviceUDID{}); v.Text != nil {
		t.Errorf("on hardware: %q", *v.Text)
	}
}

func TestScreenshotReturnsImageOrFault(t *testing.T) {
	o := options(newStage())
	wantFault(t, open(t, o), &agentwire.Screenshot{}, agentwire.CodeUnsupported)
	var fails error
	o.Screenshot = func(context.Context) ([]byte, error) { return []byte("png"), fails }
	c := open(t, o)
	if img := ask[*agentwire.Image](t, c, &agentwire.Screenshot{}); string(img.PNG) != "png" {
		t.Errorf("got %q", img.PNG)
	}
	fails = errors.New("no paint\xff")
	wantFault(t, c, &agentwire.Screenshot{}, agentwire.CodeException)
	fails = nil
	o.Screenshot = func(context.Context) ([]byte, error) { return make([]byte, agentwire.MaxFrame), nil }
	c = open(t, o)
	wantFault(t, c, &agentwire.Screenshot{}, agentwire.CodeException)
	ok(t, c, &agentwire.Heartbeat{})
}

func TestTargetInfoHasEveryKey(t *testing.T) {
	var keys map[string]string
	c := open(t, options(newStage()))
	if err := json.Unmarshal([]byte(ask[*agentwire.TargetInfo](t, c, &agentwire.GetTargetInfo{}).JSON), &keys); err != nil {
		t.Fatal(err)
	}
	for _, key := range []string{"bundle_id", "display_name", "version", "build", "state"} {
		if _, there := keys[key]; !there {
			t.Errorf("no %s in %v", key, keys)
		}
	}
}
