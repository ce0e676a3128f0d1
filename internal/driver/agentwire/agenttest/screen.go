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

// truncation is counted exactly: what is there and what was left out are what there is without a limit.
func truncation(b *bench) {
	d := b.driver()
	count := func(req agentwire.Observe) (kept, deepest int, left uint32) {
		o := ask[*agentwire.Observation](d, &req)
		roots, err := o.Elements()
		if err != nil {
			b.Fatal(err)
		}
		walk(roots, func(_ *agentwire.Element, depth int) { kept, deepest = kept+1, max(deepest, depth) })
		return kept, deepest, o.Truncated
	}
	all, levels, left := count(agentwire.Observe{})
	if left != 0 || levels < 2 {
		b.Fatalf("without limits: %d nodes on %d levels, %d left out", all, levels, left)
	}
	for depth := range uint32(levels) {
		kept, deepest, left := count(agentwire.Observe{MaxDepth: depth + 1})
		if deepest > int(depth) || left == 0 || kept+int(left) < all {
			b.Errorf("to depth %d: %d kept down to %d, %d left out of %d", depth+1, kept, deepest, left, all)
		}
	}
	for _, nodes := range []uint32{1, 3} {
		if kept, _, left := count(agentwire.Observe{MaxNodes: nodes}); kept > int(nodes) || kept+int(left) < all-int(nodes) {
			b.Errorf("of %d nodes: %d kept, %d left out of %d", nodes, kept, left, all)
		}
	}
	if _, _, left := count(agentwire.Observe{MaxDepth: math.MaxUint32, MaxNodes: math.MaxUint32}); left != 0 {
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

func observe(b *bench) {
	d := b.driver()
	o := ask[*agentwire.Observation](d, &agentwire.Observe{StableMS: 200, MaxMS: 10_000})
	if !o.Settled || o.Samples < 2 || o.WaitedMS < 200 || o.Bundle != App || o.State != "running_foreground" {
		b.Errorf("a screen at rest: %s", seen(o))
	}
	if o := ask[*agentwire.Observation](d, &agentwire.Observe{StableMS: 50, MinMS: 400, MaxMS: 10_000}); !o.Settled || o.WaitedMS < 400 {
		b.Errorf("at least 400 ms: %s", seen(o))
	}
	if o := ask[*agentwire.Observation](d, &agentwire.Observe{}); o.Samples != 1 {
		b.Errorf("one look: %s", seen(o))
	}
	d.tab("Dynamic")
	d.tap("dynamic-start-counter")
	if o := ask[*agentwire.Observation](d, &agentwire.Observe{StableMS: 1500, MaxMS: 2500}); o.Settled || o.WaitedMS < 2500 || o.Samples < 3 {
		b.Errorf("a counter that counts: %s", seen(o))
	}
	d.ok(&agentwire.SetTarget{Bundle: "com.example.gone"})
	if o := ask[*agentwire.Observation](d, &agentwire.Observe{}); o.JSON != "[]" || o.Bundle != "com.example.gone" {
		b.Errorf("an app that does not run: %s", seen(o))
	}
}

// seen is an observation without its tree.
func seen(o *agentwire.Observation) string {
	short := *o
	short.JSON = ""
	return strings.TrimPrefix(describeValue(short), "agentwire.")
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

// appBehind: an app behind the home screen is never read, in no version. Its state is told.
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
	if seen := ask[*agentwire.Observation](d, &agentwire.Observe{}); seen.JSON != "[]" || !slices.Contains(behind, seen.State) {
		b.Errorf("it sees %+v", seen)
	}
	if info, err := ask[*agentwire.TargetInfo](d, &agentwire.GetTargetInfo{}).Info(); err != nil || !slices.Contains(behind, info.State) {
		b.Errorf("the app is %+v, %v", info, err)
	}
}
