package agent

import (
	"errors"
	"math"
	"testing"
	"time"

	"ios-agent/internal/driver/agentwire"
	"ios-agent/internal/virtualxcode/flaw"
	"ios-agent/internal/virtualxcode/world"
)

func TestGesturesReachWorld(t *testing.T) {
	s := newStage()
	c := open(t, options(s))
	ok(t, c, &agentwire.TapCoord{X: 10, Y: -5})
	ok(t, c, &agentwire.LongPress{X: 1, Y: 2, Seconds: 1.5})
	ok(t, c, &agentwire.Swipe{StartX: 195, StartY: 600, EndX: 195, EndY: 300})
	ok(t, c, &agentwire.Swipe{EndX: 9, Seconds: new(2.0)})
	ok(t, c, &agentwire.TypeText{Text: "hé"})
	wantActs(t, s, "tap {10 -5}", "press {1 2} 1.5s", "swipe {195 600} {195 300} 300ms", "swipe {0 0} {9 0} 2s", "type hé")
}

func TestInvalidDurationsAreRefused(t *testing.T) {
	s := newStage()
	c := open(t, options(s))
	for _, seconds := range []float64{0, -1, math.NaN(), math.Inf(1), 1e300} {
		wantFault(t, c, &agentwire.LongPress{Seconds: seconds}, agentwire.CodeBadRequest)
		wantFault(t, c, &agentwire.Swipe{Seconds: &seconds}, agentwire.CodeBadRequest)
	}
	wantActs(t, s)
}

func TestWorldFailuresMapToCodes(t *testing.T) {
	s := newStage()
	c := open(t, options(s))
	s.fails = world.ErrNoFocus
	wantFault(t, c, &agentwire.TypeText{Text: "a"}, agentwire.CodeNoFocus)
	s.fails = errors.New("the glass broke")
	wantFault(t, c, &agentwire.TapCoord{}, agentwire.CodeException)
}

func TestTapByEachSelector(t *testing.T) {
	for name, c := range map[string]struct {
		req  agentwire.Request
		want string
	}{
		"identifier":       {&agentwire.TapElement{Selector: "login"}, "tap {70 120}"},
		"first of many":    {&agentwire.TapElement{Selector: "row"}, "tap {195 225}"},
		"index":            {&agentwire.TapElement{Selector: "row[2]"}, "tap {195 325}"},
		"label":            {&agentwire.TapByLabel{Label: "Coffee"}, "tap {195 275}"},
		"label and type":   {&agentwire.TapWithType{Selector: "Log in", ByLabel: true, Type: "StaticText"}, "tap {70 120}"},
		"any type":         {&agentwire.TapWithType{Selector: "login", Type: "Any"}, "tap {70 120}"},
		"disabled":         {&agentwire.TapElement{Selector: "news"}, "tap {330 415}"},
		"waiting":          {&agentwire.TapElement{Selector: "login", TimeoutMS: new(uint64(1000))}, "tap {70 120}"},
		"waiting not long": {&agentwire.TapElement{Selector: "login", TimeoutMS: new(uint64(1))}, "tap {70 120}"},
		"waiting for ever": {&agentwire.TapElement{Selector: "login", TimeoutMS: new(uint64(math.MaxUint64))}, "tap {70 120}"},
		"timeout of zero":  {&agentwire.TapElement{Selector: "login", TimeoutMS: new(uint64(0))}, "tap {70 120}"},
	} {
		t.Run(name, func(t *testing.T) {
			s := newStage()
			ok(t, open(t, options(s)), c.req)
			wantActs(t, s, c.want)
		})
	}
}

func TestTapRefusesUnknownSelectors(t *testing.T) {
	s := newStage()
	c := open(t, options(s))
	for _, selector := range []string{"Login", "login[1]", "row[3]", "row[99999999999999999999]", "row[]", "row[-1]", "row[0", "row[٣]"} {
		wantFault(t, c, &agentwire.TapElement{Selector: selector}, agentwire.CodeNotFound)
	}
	wantFault(t, c, &agentwire.TapByLabel{Label: "Shop"}, agentwire.CodeNotFound) // the app is not its own descendant
	wantFault(t, c, &agentwire.TapWithType{Selector: "login", Type: "Cell"}, agentwire.CodeNotFound)
	wantFault(t, c, &agentwire.TapWithType{Selector: "login", Type: "button"}, agentwire.CodeBadRequest)
	wantActs(t, s)
}

func TestTapWaitsForAnElementToComeToRest(t *testing.T) {
	s := newStage()
	s.show = func(look int) *world.Element { return moved(tree(), max(0, 8-look)) }
	c := open(t, options(s))
	ok(t, c, &agentwire.TapElement{Selector: "login", TimeoutMS: new(uint64(2000))})
	wantActs(t, s, "tap {70 120}")
}

// A plateau of an easing curve: two looks agree, the third does not.
func TestTapWaitsThroughAPauseOfAnAnimation(t *testing.T) {
	s := newStage()
	s.show = func(look int) *world.Element {
		if look <= 2 {
			return moved(tree(), 30)
		}
		return tree()
	}
	c := open(t, options(s))
	ok(t, c, &agentwire.TapElement{Selector: "login", TimeoutMS: new(uint64(2000))})
	wantActs(t, s, "tap {70 120}")
}

func TestTapWithoutTimeoutDoesNotWait(t *testing.T) {
	s := newStage()
	s.show = func(look int) *world.Element { return moved(tree(), look) }
	ok(t, open(t, options(s)), &agentwire.TapElement{Selector: "login"})
	wantActs(t, s, "tap {70 122}")
}

func TestTimedOutTapReportsTheLastError(t *testing.T) {
	tap := &agentwire.TapElement{Selector: "login", TimeoutMS: new(uint64(3000))}
	for name, c := range map[string]struct {
		show func(look int) *world.Element
		code agentwire.Code
	}{
		"never there":     {func(int) *world.Element { return &world.Element{Type: "Application"} }, agentwire.CodeNotFound},
		"moving":          {func(look int) *world.Element { return moved(tree(), look%50) }, agentwire.CodeUnstable},
		"covered":         {func(int) *world.Element { return covered(tree()) }, agentwire.CodeNotHittable},
		"moved, then off": {func(look int) *world.Element { return moved(tree(), 100*look) }, agentwire.CodeNotHittable},
		"not running":     {func(int) *world.Element { return nil }, agentwire.CodeAppNotRunning},
	} {
		t.Run(name, func(t *testing.T) {
			s := newStage()
			s.show = c.show
			wantFault(t, open(t, options(s)), tap, c.code)
			wantActs(t, s)
			if s.looks < 60 {
				t.Errorf("looked %d times in 3 s, want one every 50 ms", s.looks)
			}
		})
	}
}

// moved is the tree with its button further down.
func moved(root *world.Element, dy int) *world.Element {
	root.Children[0].Children[0].Frame.Y += float64(dy)
	return root
}

// covered is the tree under an alert.
func covered(root *world.Element) *world.Element {
	alert := &world.Element{Type: "Alert", Label: "Sure?", Frame: world.Rect{X: 60, Y: 350, W: 270, H: 150}}
	root.Children = append(root.Children, &world.Element{Type: "Window", Frame: root.Frame, Children: []*world.Element{alert}})
	return root
}

func TestAgentCrashesAfterActWhenArmed(t *testing.T) {
	s := newStage()
	o := options(s)
	armed, crashed := false, 0
	o.TakeFault = func(name string) (flaw.Hit, bool) {
		was := armed && name == flaw.AgentCrashAfterAct
		armed = armed && !was
		return flaw.Hit{}, was
	}
	o.Crash = func() { crashed++ }
	c, served := connect(t, New(o))
	ok(t, c, &agentwire.TapCoord{X: 1})
	armed = true
	ok(t, c, &agentwire.Heartbeat{}) // not an act
	_, err := c.Do(t.Context(), &agentwire.TapCoord{X: 2})
	if e, is := errors.AsType[*agentwire.SendError](err); !is || !e.Sent {
		t.Errorf("error %v, want one that says it may have arrived", err)
	}
	if err := <-served; !errors.Is(err, ErrCrashed) || crashed != 1 {
		t.Errorf("Serve returned %v after %d crashes", err, crashed)
	}
	wantActs(t, s, "tap {1 0}", "tap {2 0}")
}

func TestFailedActDoesNotCrash(t *testing.T) {
	s := newStage()
	o := options(s)
	o.TakeFault = func(name string) (flaw.Hit, bool) { return flaw.Hit{}, name == flaw.AgentCrashAfterAct }
	c := open(t, o)
	wantFault(t, c, &agentwire.TapElement{Selector: "nothing"}, agentwire.CodeNotFound)
	ok(t, c, &agentwire.Heartbeat{})
}

func TestGetValueWaitsForItsTimeout(t *testing.T) {
	o := options(newStage())
	start := o.Clock.Now()
	c := open(t, o)
	wantFault(t, c, &agentwire.GetValue{Selector: "nothing", TimeoutMS: new(uint64(1000))}, agentwire.CodeNotFound)
	if took := o.Clock.Now().Sub(start); took != time.Second {
		t.Errorf("gave up after %s", took)
	}
}
