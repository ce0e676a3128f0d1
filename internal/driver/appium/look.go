package appium

import (
	"cmp"
	"context"
	"encoding/base64"
	"encoding/json"
	"math"
	"strings"
	"time"

	"ios-agent/internal/device"
	"ios-agent/internal/driver/wda"
	"ios-agent/internal/driver/webdriver"
	"ios-agent/internal/fault"
	"ios-agent/internal/ui"
)

var (
	_ device.Eyes   = (*phone)(nil)
	_ device.Camera = (*phone)(nil)
)

const (
	springboard = "com.apple.springboard"
	// pause is the time between two looks at a moving screen.
	pause = 40 * time.Millisecond
	// usualDepth is the default depth of trees.
	usualDepth = 50
)

// glance is one look at the app in front.
type glance struct {
	front
	root      *ui.Node
	truncated int
	digest    string
}

// Observe looks until the screen has not changed for long enough. It polls, because the server cannot wait for that.
func (p *phone) Observe(ctx context.Context, w device.Wait) (*ui.Screen, error) {
	var last glance
	return device.Watch{
		Clock: p.driver.o.Clock, Gap: pause,
		Glance: func(ctx context.Context) (string, error) {
			var err error
			last, err = p.glance(ctx, w.Depth)
			return last.digest, err
		},
		Whole: func(ctx context.Context, _ bool) (*ui.Screen, error) { return p.whole(ctx, last) },
	}.Until(ctx, w)
}

// front is the app in front.
type front struct {
	Bundle string `json:"bundleId"`
	PID    int    `json:"pid"`
}

func (p *phone) front(ctx context.Context) (f front, err error) {
	err = p.lost(p.mobile(ctx, "activeAppInfo", nil, &f, false), false)
	if err == nil && f.Bundle == "" {
		err = unsent(fault.AgentFailed, "%s does not report which app is in front", p.who())
	}
	if err == nil {
		err = device.CheckFront(p.who(), f.Bundle)
	}
	return f, err
}

// glance looks once. The tree does not have the app's bundle id, so glance asks for the app first.
func (p *phone) glance(ctx context.Context, depth int) (g glance, err error) {
	if g.front, err = p.front(ctx); err != nil {
		return g, err
	}
	depth = cmp.Or(depth, usualDepth)
	if err := p.reads(ctx, depth); err != nil {
		return g, err
	}
	if g.root, g.truncated, err = p.tree(ctx, depth); err != nil {
		return g, err
	}
	g.digest = device.Digest(g.Bundle, "", g.root)
	return g, nil
}

// tree reads the tree of the active app. The JSON has details that the W3C page source lacks: identifiers besides labels, exact frames.
func (p *phone) tree(ctx context.Context, depth int) (root *ui.Node, left int, err error) {
	var value json.RawMessage
	err = p.mobile(ctx, "source", map[string]any{"format": "json"}, &value, false)
	if webdriver.Is(err, webdriver.UnknownMethod, webdriver.UnknownCommand, webdriver.InvalidArgument) {
		err = p.ask(ctx, webdriver.Get("/source"), &value) // an old server
	}
	if err != nil {
		return nil, 0, p.lost(err, false)
	}
	var text string
	if json.Unmarshal(value, &text) == nil {
		value = []byte(text)
	}
	root, left, err = wda.ReadTree(ctx, value, depth)
	if ctx.Err() != nil { // a huge tree takes long to read, and the caller may have left
		return nil, 0, p.lost(ctx.Err(), false)
	}
	if err != nil {
		return nil, 0, unsent(fault.AgentFailed, "cannot read the tree from %s: %w", p.who(), err)
	}
	return root, left, nil
}

// reads sets the depth of the session's trees, with exact frames.
func (p *phone) reads(ctx context.Context, depth int) error {
	p.mu.Lock()
	known := p.depth == depth && p.session != ""
	p.mu.Unlock()
	if known {
		return nil
	}
	err := p.set(ctx, map[string]any{"snapshotMaxDepth": depth, "includeNativeFrameInPageSource": true})
	if webdriver.Is(err, webdriver.UnknownCommand, webdriver.UnknownMethod) {
		err = nil // an old server has a fixed depth
	}
	if err != nil {
		return p.lost(err, false)
	}
	p.mu.Lock()
	p.depth = depth
	p.mu.Unlock()
	return nil
}

// set changes settings of the session. Setting them twice does no harm.
func (p *phone) set(ctx context.Context, settings map[string]any) error {
	r := webdriver.Act("/appium/settings", map[string]any{"settings": settings})
	r.Acts = false
	return p.ask(ctx, r, nil)
}

// whole adds the parts that need further requests: the field with the focus, and the system's alert over the app.
func (p *phone) whole(ctx context.Context, g glance) (*ui.Screen, error) {
	if err := p.focus(ctx, g.root); err != nil {
		return nil, err
	}
	over, err := p.over(ctx, g)
	if err != nil {
		return nil, err
	}
	root, cover := g.root, ""
	if over != nil {
		root, cover = &ui.Node{Type: "Application", Made: true, Frame: g.root.Frame, Children: []*ui.Node{g.root, over}}, springboard
	}
	screen := ui.NewScreen(g.Bundle, "running_foreground", root)
	screen.Truncated, screen.Cover, screen.Digest = g.truncated, cover, device.Digest(g.Bundle, cover, root)
	return screen, nil
}

// focus marks the field that has the focus. A screen without fields needs no request.
func (p *phone) focus(ctx context.Context, root *ui.Node) error {
	var fields []*ui.Node
	root.Walk(func(n *ui.Node) bool {
		if n.TakesText() {
			fields = append(fields, n)
		}
		n.Focused = false
		return true
	})
	if len(fields) == 0 {
		return nil
	}
	e, err := p.focused(ctx)
	if fault.Is(err, fault.NoFocus) {
		return nil
	}
	if err != nil {
		return err
	}
	var at struct{ X, Y, Width, Height float64 }
	err = p.ask(ctx, webdriver.Get(webdriver.Path("element", string(e), "rect")), &at)
	if webdriver.Is(err, webdriver.StaleElement, webdriver.NoSuchElement) {
		return nil // it lost the focus meanwhile
	}
	if err != nil {
		return p.lost(err, false)
	}
	for _, n := range fields {
		near := func(a, b float64) bool { return math.Abs(a-b) <= 1 }
		if near(n.Frame.X, at.X) && near(n.Frame.Y, at.Y) && near(n.Frame.W, at.Width) && near(n.Frame.H, at.Height) {
			n.Focused = true
			break
		}
	}
	return nil
}

// over is SpringBoard's alert over an app, or nil. The tree of the active app does not have it.
func (p *phone) over(ctx context.Context, g glance) (*ui.Node, error) {
	if g.Bundle == springboard {
		return nil, nil
	}
	var text string
	err := p.ask(ctx, webdriver.Get("/alert/text"), &text)
	if webdriver.Is(err, webdriver.NoSuchAlert) {
		return nil, nil
	}
	if err != nil {
		return nil, p.lost(err, false)
	}
	if own := device.AlertIn(g.root); own != nil && strings.HasPrefix(text, own.Label) {
		return nil, nil // the server reports SpringBoard's alert first
	}
	const active = "defaultActiveApplication"
	if err := p.set(ctx, map[string]any{active: springboard}); err != nil {
		return nil, p.lost(err, false)
	}
	root, _, err := p.tree(ctx, usualDepth)
	if back := p.set(context.WithoutCancel(ctx), map[string]any{active: "auto"}); err == nil {
		err = p.lost(back, false)
	}
	if err != nil || device.AlertIn(root) == nil {
		return nil, err
	}
	return root, nil
}

// Screenshot is a picture of the whole screen.
func (p *phone) Screenshot(ctx context.Context) ([]byte, error) {
	var picture string
	if err := p.read(ctx, "/screenshot", &picture); err != nil {
		return nil, err
	}
	data, err := base64.StdEncoding.DecodeString(picture)
	if err != nil {
		return nil, unsent(fault.ScreenshotFailed, "cannot read the screenshot from %s: %w", p.who(), err)
	}
	return data, nil
}
