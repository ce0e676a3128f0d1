package agenttest

import (
	"errors"

	"ios-agent/internal/driver/agentwire"
)

// wanted is an element that an input is for.
type wanted struct {
	kind, identifier, label string
	rank                    int
}

// called is the element with that identifier, which must be there.
func (d *driver) called(identifier string) wanted {
	d.Helper()
	e := d.element(identifier)
	return wanted{kind: e.Type, identifier: identifier, label: e.Label}
}

// aim is the element as a look shows it, with a finger on its middle.
func (s sight) aim(d *driver, w wanted) *agentwire.Aim {
	d.Helper()
	left := w.rank
	var aim *agentwire.Aim
	walk(s.roots, func(e *agentwire.Element, _ int) {
		if e.Type != w.kind || e.Identifier != w.identifier || e.Label != w.label {
			return
		}
		if left == 0 {
			f := e.Frame
			aim = &agentwire.Aim{Type: e.Type, Identifier: e.Identifier, Label: e.Label, X: f.X, Y: f.Y, Width: f.Width, Height: f.Height,
				Rank: uint32(w.rank), AtX: f.X + f.Width/2, AtY: f.Y + f.Height/2}
		}
		left--
	})
	if aim == nil {
		d.Fatalf("%+v is not among %s", w, s.names())
	}
	return aim
}

var tapMe = wanted{kind: "Button", identifier: "controls-tap-button", label: "Tap Me"}

func encoded(d *driver, input agentwire.Request) []byte {
	d.Helper()
	bytes, err := agentwire.MarshalRequest(input)
	if err != nil {
		d.Fatal(err)
	}
	return bytes
}

// tapAt is an Act that taps what is aimed at.
func (d *driver) tapAt(aim *agentwire.Aim) agentwire.Act {
	d.Helper()
	tap := &agentwire.TapCoord{X: int32(aim.AtX), Y: int32(aim.AtY)}
	return agentwire.Act{App: App, Aim: aim, Input: encoded(d, tap), Wait: still()}
}

// does carries out an Act.
func (d *driver) does(m agentwire.Act) sight {
	d.Helper()
	return d.checked(ask[*agentwire.Sight](d, &m))
}

// taps what a fresh look shows.
func (d *driver) taps(w wanted) sight {
	d.Helper()
	return d.does(d.tapAt(d.look(agentwire.Look{Wait: still()}).aim(d, w)))
}

// refused wants an Act to fail with this code, and nothing to be sent.
func (d *driver) refused(code agentwire.Code, m agentwire.Act) *agentwire.AgentError {
	d.Helper()
	_, err := d.Do(d.ctx, &m)
	e, is := errors.AsType[*agentwire.AgentError](err)
	if !is || e.Code != code || e.Acted {
		d.Fatalf("%v, want code %s and nothing sent", err, code)
	}
	return e
}

// act: the input is carried out, and the answer is what came of it.
func act(b *bench) {
	d := b.driver()
	s := d.taps(tapMe)
	if s.Front != App || s.State != "running_foreground" || !s.Settled || s.Samples < 3 {
		b.Errorf("after a tap: %s", s)
	}
	s.aim(d, wanted{kind: "StaticText", identifier: "controls-tap-count", label: "Tapped: 1"})
	one := d.tapAt(s.aim(d, tapMe))
	one.Wait = agentwire.Wait{}
	if s := d.does(one); s.Samples < 2 {
		b.Errorf("a look before and one after: %s", s)
	}
	d.does(agentwire.Act{Input: one.Input, Wait: still()}) // not aimed, in whatever app
	d.reads("controls-tap-count", "Tapped: 3")

	d.tab("Text Input")
	d.taps(d.called("text-username-field"))
	s = d.does(agentwire.Act{App: App, Input: encoded(d, &agentwire.TypeText{Text: "Ada"}), Wait: still()})
	s.aim(d, wanted{kind: "StaticText", identifier: "text-username-value", label: "Username: Ada"})

	if s := d.does(agentwire.Act{App: App, Input: encoded(d, &agentwire.Button{Name: "home"}), Wait: still()}); s.Front != springboard {
		b.Errorf("after the home button: %s", s)
	}
}

// act looks on: for a screen that differs from the one before the input.
func actPatience(b *bench) {
	d := b.driver()
	d.tab("Dynamic")
	m := d.tapAt(d.look(agentwire.Look{Wait: still()}).aim(d, d.called("dynamic-show-delayed")))
	m.Wait = agentwire.Wait{StableMS: 100, MaxMS: 5000, PatienceMS: 20_000}
	if s := d.does(m); !s.has("dynamic-delayed-label") || s.WaitedMS >= 10_000 {
		b.Errorf("what comes late: %s", s)
	}
	idle := d.tapAt(d.look(agentwire.Look{Wait: still()}).aim(d, d.called("dynamic-delayed-label")))
	idle.Wait = agentwire.Wait{StableMS: 100, MaxMS: 5000, PatienceMS: 700}
	if s := d.does(idle); s.WaitedMS < 700 {
		b.Errorf("nothing comes: %s", s)
	}
}

// actSettles: an element that slides in is reported at its resting place.
func actSettles(b *bench) {
	d := b.driver()
	d.tab("Navigation")
	s := d.taps(d.called("nav-sheet-button"))
	rests := d.element("nav-sheet-dismiss").Frame.Y
	if at := s.aim(d, d.called("nav-sheet-dismiss")); at.Y != rests {
		b.Errorf("sheet reported at %v, want its resting place %v", at.Y, rests)
	}
}

// act elsewhere: an input is for the app that it names.
func actElsewhere(b *bench) {
	d := b.driver()
	m := d.tapAt(d.look(agentwire.Look{}).aim(d, tapMe))
	m.App = springboard
	if e := d.refused(agentwire.CodeNotInFront, m); e.Message != App {
		b.Errorf("in front is %q", e.Message)
	}
	m.App = App
	d.ok(&agentwire.Button{Name: "home"})
	d.look(agentwire.Look{Wait: still()})
	if e := d.refused(agentwire.CodeNotInFront, m); e.Message != springboard {
		b.Errorf("in front is %q", e.Message)
	}
	m.Aim = nil
	d.refused(agentwire.CodeNotInFront, m)
	s := d.look(agentwire.Look{Wait: still()})
	icon := d.tapAt(s.aim(d, wanted{kind: "Icon", identifier: "Conformance", label: "Conformance"}))
	icon.App = springboard
	if s := d.does(icon); s.Front != App {
		b.Errorf("after a tap on the icon: %s", s)
	}
	d.reads("controls-tap-count", "Tapped: 0")
}

// act misses: an element that is gone, has moved, or cannot be reached is not touched.
func actMisses(b *bench) {
	d := b.driver()
	good := *d.look(agentwire.Look{Wait: still()}).aim(d, tapMe)
	for _, c := range []struct {
		code   agentwire.Code
		change func(*agentwire.Aim)
	}{
		{agentwire.CodeStale, func(a *agentwire.Aim) { a.Label = "Push Me" }},
		{agentwire.CodeStale, func(a *agentwire.Aim) { a.Identifier = "controls-no-button" }},
		{agentwire.CodeStale, func(a *agentwire.Aim) { a.Type = "Cell" }},
		{agentwire.CodeStale, func(a *agentwire.Aim) { a.Rank = 1 }},
		{agentwire.CodeUnstable, func(a *agentwire.Aim) { a.Y -= 2 }},
		{agentwire.CodeUnstable, func(a *agentwire.Aim) { a.X += 1.5 }},
		{agentwire.CodeUnstable, func(a *agentwire.Aim) { a.Width += 3 }},
		{agentwire.CodeUnstable, func(a *agentwire.Aim) { a.Height -= 3 }},
		{agentwire.CodeNotHittable, func(a *agentwire.Aim) { a.AtY = a.Y + a.Height + 3 }},
		{agentwire.CodeNotHittable, func(a *agentwire.Aim) { a.AtX, a.AtY = -5, -5 }},
	} {
		aim := good
		c.change(&aim)
		m := d.tapAt(&good)
		m.Aim = &aim
		d.refused(c.code, m)
	}
	d.reads("controls-tap-count", "Tapped: 0")
	close := good
	close.X, close.Y, close.Width, close.Height = close.X+0.9, close.Y-0.9, close.Width-0.9, close.Height+0.9
	d.does(d.tapAt(&close))
	d.reads("controls-tap-count", "Tapped: 1")
}

// actUnder: an element under an alert is not touched, but the alert is.
func actUnder(b *bench) {
	d := b.driver()
	d.tab("Navigation")
	sheet := d.look(agentwire.Look{Wait: still()}).aim(d, d.called("nav-sheet-button"))
	d.taps(d.called("nav-alert-button"))
	d.refused(agentwire.CodeNotHittable, d.tapAt(sheet))
	d.taps(d.called("nav-alert-ok"))
	d.reads("nav-status-label", "Alert confirmed")

	d.asked("permissions-notifications")
	s := d.look(agentwire.Look{Wait: still()})
	d.refused(agentwire.CodeNotHittable, d.tapAt(s.aim(d, d.called("permissions-location"))))
	if s := d.does(d.tapAt(s.aim(d, wanted{kind: "Button", label: "Allow"}))); s.Front != App || s.Cover != "" {
		b.Errorf("after the answer: %s", s)
	}
	d.reads("permissions-answer", "Last answer: granted")
}

// act rank: of elements that are alike, the one in that place is meant.
func actRank(b *bench) {
	d := b.driver()
	d.open("nav-extras-button")
	d.reads("extras-duplicate-value", "Chosen: ")
	for rank, says := range []string{"Chosen: first", "Chosen: second"} {
		d.taps(wanted{kind: "Button", label: "Duplicate", rank: rank})
		d.reads("extras-duplicate-value", says)
	}
	m := d.tapAt(d.look(agentwire.Look{}).aim(d, wanted{kind: "Button", label: "Duplicate"}))
	m.Aim.Rank = 1
	d.refused(agentwire.CodeUnstable, m) // the second is elsewhere
	m.Aim.Rank = 2
	d.refused(agentwire.CodeStale, m)
	d.reads("extras-duplicate-value", "Chosen: second")
}

// act inputs: an input and nothing else; its own failure is the answer.
func actInputs(b *bench) {
	d := b.driver()
	tap := d.tapAt(d.look(agentwire.Look{Wait: still()}).aim(d, tapMe))
	bad := []agentwire.Request{&tap, &agentwire.Look{}, &agentwire.DumpTree{}, &agentwire.SetTarget{Bundle: App},
		&agentwire.Heartbeat{}, &agentwire.Hello{Version: agentwire.Version}, &agentwire.LongPress{X: 1, Y: 1}, &agentwire.Key{Name: "ab"}}
	for _, req := range bad {
		d.refused(agentwire.CodeBadRequest, agentwire.Act{App: App, Input: encoded(d, req), Wait: still()})
	}
	for _, nonsense := range [][]byte{nil, {0x02}, {0x06, 0xff}, {0xa0, 0x00}} {
		d.refused(agentwire.CodeBadRequest, agentwire.Act{App: App, Input: nonsense})
	}
	d.refused(agentwire.CodeNoFocus, agentwire.Act{App: App, Input: encoded(d, &agentwire.TypeText{Text: "lost"})})
	d.refused(agentwire.CodeNotFound, agentwire.Act{App: App, Input: encoded(d, &agentwire.TapElement{Selector: "nothing"})})
	d.reads("controls-tap-count", "Tapped: 0")
}

// act is sent: the flag comes before the answer, once, and never before a refusal.
func actSent(b *bench) {
	d := b.driver()
	good := d.tapAt(d.look(agentwire.Look{Wait: still()}).aim(d, tapMe))
	late := good
	late.App = springboard
	lost := agentwire.Act{App: App, Input: encoded(d, &agentwire.TypeText{Text: "lost"})}
	conn := agentwire.NewConn(b.raw(b.open(Options{})))
	greet(b, conn)
	if _, err := exchange(conn, 1, &agentwire.SetTarget{Bundle: App}); err != nil {
		b.Fatal(err)
	}
	for id, c := range map[uint32]struct {
		act  agentwire.Act
		sent int
		kind agentwire.Kind
	}{
		5: {good, 1, (&agentwire.Sight{}).Kind()}, 6: {late, 0, (&agentwire.Fault{}).Kind()}, 7: {lost, 0, (&agentwire.Fault{}).Kind()},
	} {
		sent := 0
		reply, err := exchange(conn, id, &c.act)
		for ; err == nil && (reply.Heartbeat || reply.Sent); reply, err = conn.ReadResponse() {
			if reply.Sent {
				sent++
			}
		}
		if err != nil || reply.ID != id || sent != c.sent || reply.Response.Kind() != c.kind {
			b.Errorf("act %d: sent %d times, then %+v, %v", id, sent, reply, err)
		}
	}
}
