package agent

import (
	"context"
	"math"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"ios-agent/internal/driver/agentwire"
	"ios-agent/internal/virtualxcode/world"
)

func (s *session) doubleTap(ctx context.Context, m *agentwire.DoubleTap) (agentwire.Response, error) {
	return done(s.opts.Screen.DoubleTap(ctx, s.opts.UDID, point(m.X, m.Y)))
}

// clear selects all text and deletes it.
func (s *session) clear(ctx context.Context, _ *agentwire.Clear) (agentwire.Response, error) {
	if err := s.opts.Screen.SelectAll(ctx, s.opts.UDID); err != nil {
		return nil, err
	}
	return done(s.opts.Screen.TypeText(ctx, s.opts.UDID, "\b"))
}

// keys map named keys to their text. The other keys have no effect: the caret is always at the end, and a keyboard does not scroll a
// phone.
func keys() map[string]string {
	typed := map[string]string{"return": "\n", "delete": "\b", "tab": "\t", "space": " "}
	for _, name := range agentwire.Keys() {
		if _, ok := typed[name]; !ok {
			typed[name] = ""
		}
	}
	return typed
}

// mostPresses is the maximum number of presses of one request.
const mostPresses = 1000

func (s *session) key(ctx context.Context, m *agentwire.Key) (agentwire.Response, error) {
	text, named := keys()[m.Name]
	switch {
	case m.Count > mostPresses:
		return nil, faultf(agentwire.CodeBadRequest, "%d presses of a key: want at most %d", m.Count, mostPresses)
	case named:
	case utf8.RuneCountInString(m.Name) == 1:
		text = m.Name
	default:
		return nil, faultf(agentwire.CodeBadRequest, "unknown key %q", m.Name)
	}
	if m.Modifiers&agentwire.Shift != 0 {
		text = strings.ToUpper(text)
	}
	if m.Modifiers&(agentwire.Command|agentwire.Control|agentwire.Option) != 0 {
		if m.Modifiers&agentwire.Command != 0 && text == "a" {
			return done(s.opts.Screen.SelectAll(ctx, s.opts.UDID))
		}
		text = "" // other shortcuts have no effect
	}
	return done(s.opts.Screen.TypeText(ctx, s.opts.UDID, strings.Repeat(text, int(max(m.Count, 1)))))
}

// usualVelocity is XCTest's default velocity of a drag, in points per second.
const usualVelocity = 500

func (s *session) drag(ctx context.Context, m *agentwire.Drag) (agentwire.Response, error) {
	if !rest(m.PressSeconds) || !rest(m.HoldSeconds) {
		return nil, faultf(agentwire.CodeBadRequest, "rests of %v and %v seconds: want from 0 to %d", m.PressSeconds, m.HoldSeconds,
			longestGesture)
	}
	velocity := m.Velocity
	if velocity == 0 {
		velocity = usualVelocity
	}
	distance := math.Hypot(float64(m.EndX-m.StartX), float64(m.EndY-m.StartY))
	took := distance / velocity
	if !(velocity > 0 && took <= longestGesture) {
		return nil, faultf(agentwire.CodeBadRequest, "a velocity of %v points a second", m.Velocity)
	}
	return done(s.opts.Screen.Drag(ctx, s.opts.UDID, world.Carry{
		From: point(m.StartX, m.StartY), To: point(m.EndX, m.EndY),
		Press: span(m.PressSeconds), Took: span(took), Holds: span(m.HoldSeconds),
	}))
}

// rest reports whether a touch may last that long.
func rest(seconds float64) bool { return seconds >= 0 && seconds <= longestGesture }

func span(seconds float64) time.Duration { return time.Duration(seconds * float64(time.Second)) }

// pinchTime is the duration of a pinch.
const pinchTime = 500 * time.Millisecond

func (s *session) pinch(ctx context.Context, m *agentwire.Pinch) (agentwire.Response, error) {
	if !(m.Scale > 0 && !math.IsInf(m.Scale, 1) && m.Scale != 1 && m.Velocity >= 0 && !math.IsInf(m.Velocity, 1)) {
		return nil, faultf(agentwire.CodeBadRequest, "a pinch to %v at %v a second", m.Scale, m.Velocity)
	}
	return done(s.opts.Screen.Pinch(ctx, s.opts.UDID, point(m.X, m.Y), m.Scale, pinchTime))
}

// alert reads the alert in front, the system's before the app's, and presses one of its buttons.
func (s *session) alert(ctx context.Context, m *agentwire.Alert) (agentwire.Response, error) {
	if m.Do > agentwire.PressButton {
		return nil, faultf(agentwire.CodeBadRequest, "unknown answer %d to an alert", m.Do)
	}
	trees, _, err := s.snapshot(ctx)
	if err != nil && !passing(err) {
		return nil, err
	}
	box, source := s.alertIn(trees)
	if box == nil {
		if m.Do == agentwire.ReadAlert {
			return agentwire.NewAlertState(nil)
		}
		return nil, faultf(agentwire.CodeNotFound, "no alert is open")
	}
	info, buttons := describe(box)
	info.Source = source
	if m.Do == agentwire.ReadAlert {
		return agentwire.NewAlertState(&info)
	}
	chosen, err := choose(m, buttons)
	if err != nil {
		return nil, err
	}
	if err := s.opts.Screen.Tap(ctx, s.opts.UDID, chosen.Frame.Centre()); err != nil {
		return nil, err
	}
	return agentwire.NewAlertState(&info)
}

// alertIn returns the top alert, and its owner.
func (s *session) alertIn(trees []*world.Element) (box *world.Element, source string) {
	for i, tree := range trees {
		for e := range tree.All() {
			if e.Type == "Alert" || e.Type == "Sheet" && e.Identifier == "" && s.asks(e) {
				box, source = e, s.aimedAt()
				if i > 0 {
					source = world.SpringBoard
				}
			}
		}
	}
	return box, source
}

// asks reports whether a sheet is a question: it has buttons and no text field.
func (s *session) asks(e *world.Element) bool {
	buttons := 0
	for c := range e.All() {
		switch c.Type {
		case "Button":
			buttons++
		case "TextField", "SecureTextField", "Table", "CollectionView", "ScrollView":
			return false
		}
	}
	return buttons > 0
}

func describe(box *world.Element) (info agentwire.AlertInfo, buttons []*world.Element) {
	info.Title, info.Buttons = box.Label, []string{}
	for e := range box.All() {
		switch {
		case e.Type == "Button":
			info.Buttons, buttons = append(info.Buttons, e.Label), append(buttons, e)
		case e.Type == "StaticText" && e.Label != info.Title:
			info.Text = strings.TrimSpace(info.Text + "\n" + e.Label)
		}
	}
	return info, buttons
}

// refusals are labels of buttons that refuse or cancel.
var refusals = []string{"cancel", "don’t allow", "don't allow", "not now", "no", "ask app not to track", "don’t allow paste"}

// choose returns the button for an answer.
func choose(m *agentwire.Alert, buttons []*world.Element) (*world.Element, error) {
	if len(buttons) == 0 {
		return nil, faultf(agentwire.CodeNotFound, "the alert has no button")
	}
	refuses := func(e *world.Element) bool { return slices.Contains(refusals, strings.ToLower(e.Label)) }
	switch m.Do {
	case agentwire.AcceptAlert:
		for _, e := range slices.Backward(buttons) {
			if !refuses(e) {
				return e, nil
			}
		}
		return buttons[len(buttons)-1], nil
	case agentwire.DismissAlert:
		if i := slices.IndexFunc(buttons, refuses); i >= 0 {
			return buttons[i], nil
		}
		return buttons[0], nil
	}
	if i := slices.IndexFunc(buttons, func(e *world.Element) bool { return e.Label == m.Button }); i >= 0 {
		return buttons[i], nil
	}
	return nil, faultf(agentwire.CodeNotFound, "the alert has no button %q", m.Button)
}

// button presses the home button, the only button of a simulator that XCTest can press.
func (s *session) button(ctx context.Context, m *agentwire.Button) (agentwire.Response, error) {
	switch {
	case !slices.Contains(agentwire.Buttons(), m.Name):
		return nil, faultf(agentwire.CodeBadRequest, "unknown button %q", m.Name)
	case !rest(m.Seconds):
		return nil, faultf(agentwire.CodeBadRequest, "a press of %v seconds: want from 0 to %d", m.Seconds, longestGesture)
	case m.Seconds > 0:
		return nil, faultf(agentwire.CodeUnsupported, "XCTest cannot hold the %s button", m.Name)
	case m.Name != "home":
		return nil, faultf(agentwire.CodeUnsupported, "XCTest cannot press the %s button of a simulator", m.Name)
	}
	_, err := s.opts.Screen.Launch(ctx, s.opts.UDID, world.SpringBoard, world.LaunchOptions{})
	return done(err)
}

var orientations = map[string]world.Orientation{
	"portrait": world.Portrait, "portrait-upside-down": world.PortraitUpsideDown,
	"landscape-left": world.LandscapeLeft, "landscape-right": world.LandscapeRight,
}

func (s *session) rotate(ctx context.Context, m *agentwire.Rotate) (agentwire.Response, error) {
	to, ok := orientations[m.To]
	if !ok {
		return nil, faultf(agentwire.CodeBadRequest, "unknown orientation %q", m.To)
	}
	return done(s.opts.Screen.Rotate(ctx, s.opts.UDID, to))
}
