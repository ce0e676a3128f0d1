package agenttest

import (
	"bytes"
	"image/png"
	"math"
	"slices"
	"strings"

	"ios-agent/internal/driver/agentwire"
)

const springboard = "com.apple.springboard"

// target: SpringBoard at first; setting it never fails and never launches.
func target(b *bench) {
	d := &driver{b, b.dial(b.open(Options{}))}
	info := func() agentwire.AppInfo {
		got, err := ask[*agentwire.TargetInfo](d, &agentwire.GetTargetInfo{}).Info()
		if err != nil {
			b.Error(err)
		}
		return got
	}
	if got := info(); got.Bundle != springboard || !strings.HasPrefix(got.State, "running_") {
		b.Errorf("at first %+v", got)
	}
	d.ok(&agentwire.SetTarget{Bundle: App})
	if got := info(); got.Bundle != App || got.State != "running_foreground" || got.DisplayName != "Conformance" {
		b.Errorf("then %+v", got)
	}
	d.ok(&agentwire.SetTarget{Bundle: "com.example.gone"})
	if got := info(); got.Bundle != "com.example.gone" || got.State != "not_running" && got.State != "unknown" {
		b.Errorf("of an app that is not there %+v", got)
	}
}

// walk calls visit with every element.
func walk(elements []agentwire.Element, visit func(e *agentwire.Element, depth int)) {
	var at func([]agentwire.Element, int)
	at = func(elements []agentwire.Element, depth int) {
		for i := range elements {
			visit(&elements[i], depth)
			at(elements[i].Children, depth+1)
		}
	}
	at(elements, 0)
}

func tree(b *bench) {
	d := b.driver()
	dump := ask[*agentwire.Tree](d, &agentwire.DumpTree{})
	roots, err := dump.Elements()
	if err != nil || len(roots) != 1 || dump.Truncated != 0 {
		b.Fatalf("%d roots, %d left out, %v", len(roots), dump.Truncated, err)
	}
	if roots[0].Type != "Application" || roots[0].Label != "Conformance" || roots[0].Frame.Width <= 0 {
		b.Errorf("the root is %+v", roots[0])
	}
	names := map[string]string{}
	walk(roots, func(e *agentwire.Element, _ int) {
		names[e.Identifier] = e.Type
		if e.Type == "" || e.Hittable != nil || e.Role != "" {
			b.Errorf("in a dump: %+v", e)
		}
		if e.Identifier == "" && e.Label == "" && e.Value == "" && e.Frame.Width*e.Frame.Height <= 0 && len(e.Children) == 0 {
			b.Errorf("not pruned: %+v", e)
		}
	})
	if names["controls-tap-button"] != "Button" || names["controls-toggle-wifi"] != "Switch" || names["controls-tap-count"] != "StaticText" {
		b.Errorf("the dump has %v", names)
	}
	if strings.Contains(dump.JSON, "null") {
		b.Error("a dump has nulls")
	}
}

// truncation is counted exactly: the shown and the left out elements together are the elements without a limit.
func truncation(b *bench) {
	d := b.driver()
	count := func(req agentwire.Look) (kept int, left uint32) {
		o := ask[*agentwire.Sight](d, &req)
		roots, err := o.Elements()
		if err != nil {
			b.Fatal(err)
		}
		walk(roots, func(*agentwire.Element, int) { kept++ })
		return kept, o.Truncated
	}
	all, left := count(agentwire.Look{})
	if left != 0 {
		b.Fatalf("without limits: %d nodes, %d left out", all, left)
	}
	for depth := uint32(1); depth < 4; depth++ {
		if kept, left := count(agentwire.Look{Limits: agentwire.Limits{Depth: depth}}); left == 0 || kept+int(left) < all {
			b.Errorf("to depth %d: %d kept, %d left out of %d", depth, kept, left, all)
		}
	}
	for _, nodes := range []uint32{1, 3} {
		if kept, left := count(agentwire.Look{Limits: agentwire.Limits{Nodes: nodes}}); kept > int(nodes) || kept+int(left) < all-int(nodes) {
			b.Errorf("of %d nodes: %d kept, %d left out of %d", nodes, kept, left, all)
		}
	}
	if _, left := count(agentwire.Look{Limits: agentwire.Limits{Depth: math.MaxUint32, Nodes: math.MaxUint32}}); left != 0 {
		b.Errorf("with the highest limits %d are left out", left)
	}
}

func find(b *bench) {
	d := b.driver()
	for name, c := range map[string]struct {
		req  agentwire.FindElement
		want string // type, or empty for none
	}{
		"identifier":        {agentwire.FindElement{Selector: "controls-tap-button"}, "Button"},
		"label":             {agentwire.FindElement{Selector: "Tap Me", ByLabel: true}, "Button"},
		"identifier, typed": {agentwire.FindElement{Selector: "controls-tap-button", Type: new("Button")}, "Button"},
		"any type":          {agentwire.FindElement{Selector: "controls-tap-button", Type: new("Any")}, "Button"},
		"wrong type":        {agentwire.FindElement{Selector: "controls-tap-button", Type: new("Cell")}, ""},
		"unknown type":      {agentwire.FindElement{Selector: "controls-tap-button", Type: new("Nonsense")}, "Button"},
		"wrong case":        {agentwire.FindElement{Selector: "Controls-tap-button"}, ""},
		"none":              {agentwire.FindElement{Selector: "nothing"}, ""},
		"the app itself":    {agentwire.FindElement{Selector: "Conformance", ByLabel: true, Type: new("Application")}, ""},
	} {
		el, err := ask[*agentwire.Found](d, &c.req).Element()
		switch {
		case err != nil || (el == nil) != (c.want == ""):
			b.Errorf("%s: %+v, %v", name, el, err)
		case el != nil && (el.Type != c.want || el.Hittable == nil || !*el.Hittable):
			b.Errorf("%s: %+v", name, el)
		}
	}
	walk(d.element("controls-tap-button").Children, func(e *agentwire.Element, _ int) {
		if e.Hittable != nil {
			b.Errorf("hittable below the top: %+v", e)
		}
	})
}

func value(b *bench) {
	d := b.driver()
	d.reads("controls-tap-count", "Tapped: 0") // the label: it has no value
	d.reads("controls-toggle-wifi", "0")
	d.fault(agentwire.CodeNotFound, &agentwire.GetValue{Selector: "nothing"})
	d.fault(agentwire.CodeNotFound, &agentwire.GetValue{Selector: "nothing", TimeoutMS: new(uint64(120))})
	d.fault(agentwire.CodeNotFound, &agentwire.GetValue{Selector: "controls-tap-count", Type: new("Button")})
	if v := ask[*agentwire.Value](d, &agentwire.GetValue{Selector: "controls-tap-count",
		Type: new("Nonsense")}); quoted(v.Text) != `"Tapped: 0"` {
		b.Errorf("an unknown type: %s", quoted(v.Text))
	}
}

func screenshot(b *bench) {
	d := b.driver()
	shot := ask[*agentwire.Image](d, &agentwire.Screenshot{}).PNG
	picture, err := png.Decode(bytes.NewReader(shot))
	if err != nil {
		b.Fatal(err)
	}
	root, err := ask[*agentwire.Tree](d, &agentwire.DumpTree{}).Elements()
	if err != nil {
		b.Fatal(err)
	}
	// A device has a whole number of pixels for each point.
	scale := float64(picture.Bounds().Dx()) / root[0].Frame.Width
	if scale < 1 || math.Abs(scale-math.Round(scale)) > 0.02 || math.Abs(float64(picture.Bounds().Dy())/root[0].Frame.Height-scale) > 0.02 {
		b.Errorf("a picture of %v for a screen of %+v", picture.Bounds(), root[0].Frame)
	}
}

func appNotRunning(b *bench) {
	d := b.driver()
	d.ok(&agentwire.SetTarget{Bundle: "com.example.gone"})
	d.fault(agentwire.CodeAppNotRunning, &agentwire.DumpTree{})
	d.fault(agentwire.CodeAppNotRunning, &agentwire.TapElement{Selector: "controls-tap-button"})
	d.fault(agentwire.CodeAppNotRunning, &agentwire.GetValue{Selector: "controls-tap-button", TimeoutMS: new(uint64(120))})
	if f := ask[*agentwire.Found](d, &agentwire.FindElement{Selector: "controls-tap-button"}); f.JSON != "null" {
		b.Errorf("found %s", f.JSON)
	}
	d.ok(&agentwire.SetTarget{Bundle: App})
	d.tap("controls-tap-button")
}

// appBehind: an app behind the home screen is never read. Only its state is reported.
func appBehind(b *bench) {
	d := b.driver()
	d.tab("Text Input")
	d.tap("text-username-field")
	d.ok(&agentwire.Button{Name: "home"})
	d.fault(agentwire.CodeAppNotRunning, &agentwire.DumpTree{})
	d.fault(agentwire.CodeNoFocus, &agentwire.TypeText{Text: "lost"})
	d.fault(agentwire.CodeNoFocus, &agentwire.Clear{})
	d.fault(agentwire.CodeNoFocus, &agentwire.Key{Name: "a"})
	d.fault(agentwire.CodeAppNotRunning, &agentwire.SetValue{X: 100, Y: 100, Value: "1"})
	d.fault(agentwire.CodeNotHittable, &agentwire.TapElement{Selector: "text-username-field"})
	d.fault(agentwire.CodeAppNotRunning, &agentwire.GetValue{Selector: "text-username-field"})
	if f := ask[*agentwire.Found](d, &agentwire.FindElement{Selector: "text-username-field"}); f.JSON != "null" {
		b.Errorf("found %s", f.JSON)
	}
	behind := []string{"running_background", "suspended"}
	if info, err := ask[*agentwire.TargetInfo](d, &agentwire.GetTargetInfo{}).Info(); err != nil || !slices.Contains(behind, info.State) {
		b.Errorf("the app is %+v, %v", info, err)
	}
}
