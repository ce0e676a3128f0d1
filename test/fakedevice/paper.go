package fakedevice

import (
	"context"
	"fmt"
	"strings"
	"time"

	"ios-agent/internal/device"
	"ios-agent/internal/ui"
)

// UDID and Name belong to every Paper; App is the app in front.
const (
	UDID = "AAAA0000-1111-2222-3333-444444444444"
	Name = "Paper Phone"
	App  = "com.example.paper"
)

// Paper is a booted phone of 400×800 points that a test draws: it can look, be touched and typed into, and nothing that a simulator's host
// does. It writes down what is sent to it. All that is sent is done, unless Refuse says otherwise. Looks take no time: they report the
// time that they were asked to take.
type Paper struct {
	Draw   func() []*ui.Node // the content of the screen, for each look
	Sent   []string          // the inputs, in order: "tap 200,40"
	React  func(sent string) // gets each input, and may change the result of Draw
	Refuse func(sent string) error
	Blind  error // of every look
	Moving bool  // no look sees the screen still

	Question *device.Alert // the alert in front
	Pictures [][]byte      // one for each screenshot; the last one is given again
}

// Info, Driver and Close are methods of a device.
func (p *Paper) Info() device.Info { return Simulator(UDID, Name, device.Booted) }
func (p *Paper) Driver() string    { return Usual }
func (p *Paper) Close() error      { return nil }

// Observe draws the screen. It took as long as it was to take at least.
func (p *Paper) Observe(_ context.Context, w device.Wait) (*ui.Screen, error) {
	if p.Blind != nil {
		return nil, p.Blind
	}
	root := &ui.Node{Type: "Application", Label: "Paper", Frame: ui.Rect{W: 400, H: 800}}
	if p.Draw != nil {
		root.Children = p.Draw()
	}
	s := ui.NewScreen(App, "running_foreground", root)
	s.Waited, s.Settled = max(w.Stable, w.Min, w.Patience), !p.Moving
	return s, nil
}

func (p *Paper) send(format string, args ...any) error {
	said := fmt.Sprintf(format, args...)
	if p.Refuse != nil {
		if err := p.Refuse(said); err != nil {
			return err
		}
	}
	p.Sent = append(p.Sent, said)
	if p.React != nil {
		p.React(said)
	}
	return nil
}

func at(p ui.Point) string { return fmt.Sprintf("%g,%g", p.X, p.Y) }

// The inputs are written down as they came.

func (p *Paper) Tap(_ context.Context, to ui.Point) error { return p.send("tap %s", at(to)) }

func (p *Paper) DoubleTap(_ context.Context, to ui.Point) error {
	return p.send("double tap %s", at(to))
}

func (p *Paper) LongPress(_ context.Context, to ui.Point, long time.Duration) error {
	return p.send("press %s for %s", at(to), long)
}

func (p *Paper) Swipe(_ context.Context, from, to ui.Point, took time.Duration) error {
	return p.send("swipe %s to %s in %s", at(from), at(to), took)
}

func (p *Paper) Drag(_ context.Context, d device.Drag) error {
	return p.send("drag %s to %s, press %s, hold %s", at(d.From), at(d.To), d.Press, d.Hold)
}

func (p *Paper) Pinch(_ context.Context, to ui.Point, scale float64) error {
	return p.send("pinch %s by %g", at(to), scale)
}

func (p *Paper) SetValue(_ context.Context, to ui.Point, value string) error {
	return p.send("set %s to %s", at(to), value)
}

func (p *Paper) Type(_ context.Context, text string) error { return p.send("type %s", text) }

func (p *Paper) Clear(context.Context) error { return p.send("clear") }

func (p *Paper) Key(_ context.Context, name string, modifiers []string, times int) error {
	return p.send("key %s ×%d", strings.Join(append(modifiers, name), "+"), times)
}

func (p *Paper) Rotate(_ context.Context, to string) error { return p.send("rotate %s", to) }

func (p *Paper) Press(_ context.Context, button string, hold time.Duration) error {
	return p.send("button %s for %s", button, hold)
}

// Alert reads the question, and takes it away when it is answered.
func (p *Paper) Alert(_ context.Context, answer string) (*device.Alert, error) {
	asked := p.Question
	if answer == "" || asked == nil {
		return asked, nil
	}
	p.Question = nil
	return asked, p.send("answer %s", answer)
}

// Screenshot gives the pictures one after the other.
func (p *Paper) Screenshot(context.Context) ([]byte, error) {
	if err := p.send("screenshot"); err != nil {
		return nil, err
	}
	next := p.Pictures[0]
	if len(p.Pictures) > 1 {
		p.Pictures = p.Pictures[1:]
	}
	return next, nil
}
