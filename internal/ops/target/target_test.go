package target_test

import (
	"reflect"
	"strings"
	"testing"
	"time"

	"ios-agent/internal/device/act"
	"ios-agent/internal/fault"
	"ios-agent/internal/ops/target"
	"ios-agent/internal/ui"
)

func TestElementInputsAreCopiedToQuery(t *testing.T) {
	two := 2
	in := target.ElementIn{
		Ref: "@e1", Identifier: "id", Label: "label", Contains: "part", Type: "Button", Role: "button", Value: "v", Index: &two, Within: "@e2",
	}
	want := ui.Query{
		Ref: "@e1", Identifier: "id", Label: "label", Contains: "part", Type: "Button", Role: "button", Value: "v", Index: &two, Within: "@e2",
	}
	if got := in.Query(); !reflect.DeepEqual(got, want) {
		t.Errorf("got %+v, want %+v", got, want)
	}
}

func TestElementKeysMatchElementInputs(t *testing.T) {
	in := reflect.TypeFor[target.ElementIn]()
	has := map[string]bool{}
	for i := range in.NumField() {
		name, _, _ := strings.Cut(in.Field(i).Tag.Get("json"), ",")
		has[name] = true
	}
	for _, key := range target.ElementKeys() {
		if !has[key] {
			t.Errorf("got the key %q, want an input of ElementIn", key)
		}
		delete(has, key)
	}
	if len(has) != 2 || !has["index"] || !has["within"] {
		t.Errorf("got %v left, want index and within, which only narrow", has)
	}
}

func TestActionTimeoutsComeFromInput(t *testing.T) {
	settle := 250
	for name, c := range map[string]struct {
		in   target.ActIn
		want act.How
	}{
		"five seconds":            {target.ActIn{Timeout: 5000}, act.How{Timeout: 5 * time.Second}},
		"none is one attempt":     {target.ActIn{}, act.How{Timeout: time.Millisecond, NoWait: true}},
		"one attempt is asked":    {target.ActIn{Timeout: 100, NoWait: true}, act.How{Timeout: 100 * time.Millisecond, NoWait: true}},
		"one millisecond is time": {target.ActIn{Timeout: 1}, act.How{Timeout: time.Millisecond}},
	} {
		if got := c.in.How(); !reflect.DeepEqual(got, c.want) {
			t.Errorf("%s: got %+v, want %+v", name, got, c.want)
		}
	}
	how := target.ActIn{Timeout: 1000, Settle: &settle}.How()
	if how.Settle == nil || *how.Settle != 250*time.Millisecond {
		t.Errorf("got the wait for stillness %v, want 250ms", how.Settle)
	}
	for _, scroll := range []bool{true, false} {
		in := target.OnElementIn{ActIn: target.ActIn{Timeout: 2000}, ScrollIn: target.ScrollIn{Scroll: scroll}}
		if got := in.How(); got.Scroll != scroll || got.Timeout != 2*time.Second {
			t.Errorf("got %+v, want 2s and scrolling %v", got, scroll)
		}
	}
}

func TestPointRequiresBothCoordinates(t *testing.T) {
	x, y := 3.5, 0.0
	if at, given, err := (target.PointIn{X: &x, Y: &y}).Point("tap"); at != (ui.Point{X: 3.5}) || !given || err != nil {
		t.Errorf("got %v, %v, %v, want 3.5,0", at, given, err)
	}
	if at, given, err := (target.PointIn{}).Point("tap"); at != (ui.Point{}) || given || err != nil {
		t.Errorf("got %v, %v, %v, want no point", at, given, err)
	}
	for _, in := range []target.PointIn{{X: &x}, {Y: &y}} {
		_, given, err := in.Point("tap")
		if f := fault.From(err); err == nil || given || f.Code != fault.InvalidInput || f.Message != "tap: a point is x and y" ||
			f.Details["field"] != "y" {
			t.Errorf("got %v, %v, want half a point refused", given, err)
		}
	}
}

func TestDesktopFlagsFillDeviceInput(t *testing.T) {
	for i, want := range []struct{ flag, prefix string }{{"pid", "pid:"}, {"app", "app:"}} {
		if got := target.DesktopFlags("udid")[i]; got.Flag != want.flag || got.Prefix != want.prefix || got.Input != "udid" {
			t.Errorf("got %+v, want --%s for %s in udid", got, want.flag, want.prefix)
		}
	}
}

func TestStatusTextIsItsMessage(t *testing.T) {
	if got := (target.StatusOut{Status: "ok", Said: "dark mode is on"}).Text(); got != "dark mode is on" {
		t.Errorf("got %q, want its words", got)
	}
}
