package agent

import (
	"errors"
	"strings"
	"testing"

	"ios-agent/internal/driver/agentwire"
	"ios-agent/internal/virtualxcode/flaw"
	"ios-agent/internal/virtualxcode/world"
)

const (
	conformance = "com.iosagent.conformance"
	settings    = "com.apple.Preferences"
)

// phone is an agent on a world whose Conformance app is in front and the target.
type phone struct {
	*testing.T
	*world.World
	*agentwire.Client
	udid   string
	served <-chan error
}

func newPhone(t *testing.T, faults ...flaw.Fault) *phone {
	t.Helper()
	w, device := booted(t)
	p := &phone{T: t, World: w, udid: device}
	p.launch(conformance)
	for _, f := range faults {
		if err := w.AddFault(f); err != nil {
			t.Fatal(err)
		}
	}
	take := func(name string) (flaw.Hit, bool) { return w.TakeFault(p.udid, name) }
	p.Client, p.served = connect(t, New(Options{UDID: p.udid, Screen: w, Clock: w, TakeFault: take}))
	if _, err := p.Hello(t.Context(), "", "test"); err != nil {
		t.Fatal(err)
	}
	ok(t, p.Client, &agentwire.SetTarget{Bundle: conformance})
	return p
}

func (p *phone) launch(bundle string) {
	p.Helper()
	if _, err := p.Launch(p.Context(), p.udid, bundle, world.LaunchOptions{}); err != nil {
		p.Fatal(err)
	}
}

// sees looks, and wants this app in front.
func (p *phone) sees(front string, m agentwire.Look) *agentwire.Sight {
	p.Helper()
	seen := ask[*agentwire.Sight](p.T, p.Client, &m)
	if seen.Front != front || seen.Digest != agentwire.Digest(seen.Front, seen.Cover, seen.JSON) {
		p.Fatalf("in front is %q (%s), want %q; digest %s", seen.Front, seen.State, front, seen.Digest)
	}
	return seen
}

// act is an Act with a tap at the middle of a button as a fresh look shows it.
func (p *phone) act(identifier string) agentwire.Act {
	p.Helper()
	aim := p.aim(identifier)
	input, err := agentwire.MarshalRequest(&agentwire.TapCoord{X: int32(aim.AtX), Y: int32(aim.AtY)})
	if err != nil {
		p.Fatal(err)
	}
	return agentwire.Act{App: conformance, Aim: &aim, Input: input, Wait: agentwire.Wait{StableMS: 200, MaxMS: 5000, PatienceMS: 1000}}
}

func (p *phone) aim(identifier string) agentwire.Aim {
	p.Helper()
	found, err := ask[*agentwire.Found](p.T, p.Client, &agentwire.FindElement{Selector: identifier}).Element()
	if err != nil || found == nil {
		p.Fatalf("%s: %v, %v", identifier, found, err)
	}
	f := found.Frame
	return agentwire.Aim{Type: found.Type, Identifier: found.Identifier, Label: found.Label, X: f.X, Y: f.Y, Width: f.Width,
		Height: f.Height, AtX: f.X + f.Width/2, AtY: f.Y + f.Height/2}
}

func (p *phone) reads(identifier, text string) {
	p.Helper()
	v := ask[*agentwire.Value](p.T, p.Client, &agentwire.GetValue{Selector: identifier})
	if v.Text == nil || *v.Text != text {
		p.Errorf("%s does not say %q", identifier, text)
	}
}

func TestLookFindsTheAppInFront(t *testing.T) {
	p := newPhone(t)
	if seen := p.sees(conformance, agentwire.Look{}); seen.State != "running_foreground" || seen.Cover != "" || seen.Samples != 1 {
		t.Errorf("of the target: %+v", seen)
	}
	p.launch(settings)
	seen := p.sees("", agentwire.Look{})
	if seen.State != "running_background" || seen.JSON != "[]" || seen.Samples != 0 {
		t.Errorf("of nobody: %+v", seen)
	}
	seen = p.sees(settings, agentwire.Look{Candidates: "com.example.gone\n" + settings})
	if roots, err := seen.Elements(); err != nil || len(roots) != 1 || roots[0].Label != "Settings" {
		t.Errorf("of a candidate: %d trees, %v", len(roots), err)
	}
	p.sees(world.SpringBoard, agentwire.Look{Candidates: "com.example.gone"})
	p.launch(world.SpringBoard)
	if seen := p.sees(world.SpringBoard, agentwire.Look{}); seen.State != "running_foreground" || !strings.Contains(seen.JSON, "Icon") {
		t.Errorf("of the home screen: %+v", seen)
	}
	p.launch(conformance)
	if err := p.Terminate(t.Context(), p.udid, conformance); err != nil {
		t.Fatal(err)
	}
	p.sees(world.SpringBoard, agentwire.Look{})
}

// The app leaves the front while it is looked at: the home screen that follows is what is seen.
func TestLookReportsHomeScreenAfterAppCrash(t *testing.T) {
	p := newPhone(t, flaw.Fault{Name: flaw.AppCrashOnTap})
	act := p.act("controls-tap-button")
	seen := ask[*agentwire.Sight](t, p.Client, &act)
	if seen.Front != world.SpringBoard || !seen.Settled {
		t.Errorf("after the crash %q is in front, %s", seen.Front, seen.State)
	}
}

func TestSystemAlertCoversTheApp(t *testing.T) {
	p := newPhone(t, flaw.Fault{Name: flaw.SystemAlert, After: 2}) // the look of aim, and that of the guard
	act := p.act("controls-tap-button")
	seen := ask[*agentwire.Sight](t, p.Client, &act)
	roots, err := seen.Elements()
	if err != nil || seen.Cover != world.SpringBoard || seen.Front != conformance || len(roots) != 2 {
		t.Errorf("%q over %q, %d trees, %v", seen.Cover, seen.Front, len(roots), err)
	}
	_, err = p.Do(t.Context(), &act)
	if e, is := errors.AsType[*agentwire.AgentError](err); !is || e.Code != agentwire.CodeNotHittable || e.Acted {
		t.Errorf("under the alert: %v", err)
	}
}

func TestLookWaitsForChangeWithinPatience(t *testing.T) {
	p := newPhone(t)
	before := p.sees(conformance, agentwire.Look{})
	wait := agentwire.Wait{StableMS: 200, MaxMS: 1000, PatienceMS: 3000}
	if same := p.sees(conformance, agentwire.Look{Wait: wait, Unlike: before.Digest}); same.WaitedMS < 3000 || same.Digest != before.Digest {
		t.Errorf("nothing changes: %d ms, %s", same.WaitedMS, same.Digest)
	}
	if other := p.sees(conformance, agentwire.Look{Wait: wait, Unlike: "0123456789abcdef"}); other.WaitedMS >= 1000 {
		t.Errorf("it has changed already: %d ms", other.WaitedMS)
	}
	act := p.act("controls-tap-button")
	if seen := ask[*agentwire.Sight](t, p.Client, &act); seen.WaitedMS >= 1000 || seen.Digest == before.Digest || seen.Samples < 3 {
		t.Errorf("after a tap that counts: %d ms, %d samples", seen.WaitedMS, seen.Samples)
	}
	if err := p.AddFault(flaw.Fault{Name: flaw.NoOpTap}); err != nil {
		t.Fatal(err)
	}
	if seen := ask[*agentwire.Sight](t, p.Client, &act); seen.WaitedMS < 1000 {
		t.Errorf("after a tap that does nothing: %d ms", seen.WaitedMS)
	}
	p.reads("controls-tap-count", "Tapped: 1")
}

func TestActRefusesChangedTarget(t *testing.T) {
	p := newPhone(t)
	good := p.act("controls-tap-button")
	look, _ := agentwire.MarshalRequest(&agentwire.Look{})
	inner, _ := agentwire.MarshalRequest(&good)
	for name, c := range map[string]struct {
		change func(*agentwire.Act)
		code   agentwire.Code
	}{
		"another app":     {func(a *agentwire.Act) { a.App = settings }, agentwire.CodeNotInFront},
		"another label":   {func(a *agentwire.Act) { a.Aim.Label = "Push Me" }, agentwire.CodeStale},
		"a second one":    {func(a *agentwire.Act) { a.Aim.Rank = 1 }, agentwire.CodeStale},
		"moved":           {func(a *agentwire.Act) { a.Aim.Y += 1.5 }, agentwire.CodeUnstable},
		"grown":           {func(a *agentwire.Act) { a.Aim.Width += 2 }, agentwire.CodeUnstable},
		"beside it":       {func(a *agentwire.Act) { a.Aim.AtY = a.Aim.Y - 3 }, agentwire.CodeNotHittable},
		"off the screen":  {func(a *agentwire.Act) { a.Aim.AtX = -1 }, agentwire.CodeNotHittable},
		"no input":        {func(a *agentwire.Act) { a.Input = look }, agentwire.CodeBadRequest},
		"an act":          {func(a *agentwire.Act) { a.Input = inner }, agentwire.CodeBadRequest},
		"nonsense":        {func(a *agentwire.Act) { a.Input = []byte{0xee} }, agentwire.CodeBadRequest},
		"nothing":         {func(a *agentwire.Act) { a.Input = nil }, agentwire.CodeBadRequest},
		"an input's own":  {func(a *agentwire.Act) { a.Input, _ = agentwire.MarshalRequest(&agentwire.Clear{}) }, agentwire.CodeNoFocus},
		"a point is fine": {func(a *agentwire.Act) { a.Aim.Y++ }, agentwire.CodeNone},
	} {
		t.Run(name, func(t *testing.T) {
			act, aim := good, *good.Aim
			act.Aim = &aim
			c.change(&act)
			_, err := p.Do(t.Context(), &act)
			e, is := errors.AsType[*agentwire.AgentError](err)
			if c.code == agentwire.CodeNone && err == nil {
				return
			}
			if !is || e.Code != c.code || e.Acted {
				t.Errorf("%v, want code %s", err, c.code)
			}
		})
	}
	p.reads("controls-tap-count", "Tapped: 1")
	p.launch(settings)
	_, err := p.Do(t.Context(), &good)
	if e, is := errors.AsType[*agentwire.AgentError](err); !is || e.Code != agentwire.CodeNotInFront || e.Message != "" {
		t.Errorf("an unknown app is in front: %v", err)
	}
	p.launch(world.SpringBoard)
	_, err = p.Do(t.Context(), &good)
	if e, is := errors.AsType[*agentwire.AgentError](err); !is || e.Code != agentwire.CodeNotInFront || e.Message != world.SpringBoard {
		t.Errorf("the home screen is in front: %v", err)
	}
}

// Where an Act breaks off decides whether the client knows that the input was sent.
func TestActFaultsReportWhetherInputWasSent(t *testing.T) {
	for name, c := range map[string]struct {
		fault  flaw.Fault
		acted  bool // the client knows that it was sent
		broken bool // the agent is gone
	}{
		"crash before":     {flaw.Fault{Name: flaw.AgentCrashBefore}, false, true},
		"crash after":      {flaw.Fault{Name: flaw.AgentCrashAfterAct}, false, true},
		"exception before": {flaw.Fault{Name: flaw.AgentException, Set: map[string]string{"when": "before"}}, false, false},
		"exception after":  {flaw.Fault{Name: flaw.AgentException}, false, false},
		"no tree before":   {flaw.Fault{Name: flaw.SnapshotFails, After: 1}, false, false},
		"no tree after":    {flaw.Fault{Name: flaw.SnapshotFails, After: 2}, true, false},
		"half an answer":   {flaw.Fault{Name: flaw.AgentHalfFrame}, true, true},
	} {
		t.Run(name, func(t *testing.T) {
			p := newPhone(t, c.fault)
			act := p.act("controls-tap-button")
			_, err := p.Do(t.Context(), &act)
			lost, broken := errors.AsType[*agentwire.SendError](err)
			refused, _ := errors.AsType[*agentwire.AgentError](err)
			if broken != c.broken || broken && lost.Acted != c.acted || !broken && (refused == nil || refused.Acted != c.acted) {
				t.Errorf("%v", err)
			}
		})
	}
}

func TestDefaultLookIgnoresUnnamedContainerDepth(t *testing.T) {
	nested := func(depth int, label string) *world.Element {
		e := &world.Element{Type: "Button", Label: "deep", Frame: world.Rect{W: 9, H: 9}}
		for range depth {
			e = &world.Element{Type: "Other", Label: label, Frame: e.Frame, Children: []*world.Element{e}}
		}
		return &world.Element{Type: "Application", Frame: e.Frame, Children: []*world.Element{e}}
	}
	for name, c := range map[string]struct {
		root   *world.Element
		limits agentwire.Limits
		left   uint32
	}{
		"unnamed":         {nested(300, ""), agentwire.Limits{}, 0},
		"named":           {nested(70, "x"), agentwire.Limits{}, 12},
		"named, deeper":   {nested(70, "x"), agentwire.Limits{Depth: 100}, 0},
		"unnamed, nodes":  {nested(300, ""), agentwire.Limits{Nodes: 100}, 202},
		"unnamed, depth":  {nested(300, ""), agentwire.Limits{Depth: 1}, 301},
		"endless nesting": {nested(5000, ""), agentwire.Limits{Nodes: 9999}, 4002},
	} {
		t.Run(name, func(t *testing.T) {
			s := newStage()
			s.show = func(int) *world.Element { return c.root }
			seen := ask[*agentwire.Sight](t, open(t, options(s)), &agentwire.Look{Limits: c.limits})
			if _, err := seen.Elements(); err != nil || seen.Truncated != c.left {
				t.Errorf("%d left out, want %d, %v", seen.Truncated, c.left, err)
			}
		})
	}
}

func TestActRequiresVersion3(t *testing.T) {
	c, _ := connect(t, New(options(newStage())))
	wantFault(t, c, &agentwire.Act{}, agentwire.CodeNone)
}
