package wda

import (
	"context"
	"encoding/json"
	"math"
	"net/url"
	"slices"
	"strings"
	"time"

	"ios-agent/internal/device"
	"ios-agent/internal/driver/webdriver"
	"ios-agent/internal/fault"
	"ios-agent/internal/ui"
)

// lookGap is the pause between two looks at a moving screen.
const lookGap = 100 * time.Millisecond

// glance is one look at the app in front.
type glance struct {
	app    string
	sight  sight
	digest string // of the app and its tree
}

// Observe reads the app in front until its screen has been still for long enough. The driver repeats the looks, because WebDriverAgent
// does not wait. A screen that was still at the last look, with no action since, counts as still without waiting.
func (p *phone) Observe(ctx context.Context, w device.Wait) (*ui.Screen, error) {
	var last *glance
	watch := device.Watch{
		Clock: p.driver.opts.Clock, Gap: lookGap, Settled: p.settled,
		Glance: func(ctx context.Context) (string, error) {
			var err error
			if last, err = p.glance(ctx, w.Depth); err != nil {
				return "", err
			}
			return last.digest, nil
		},
		Whole: func(ctx context.Context, alone bool) (*ui.Screen, error) { return p.whole(ctx, last, alone) },
		Known: func(digest string) bool { return p.sole && digest == p.stillAt() },
	}
	screen, err := watch.Until(ctx, w)
	if err != nil && ctx.Err() != nil {
		return nil, unsent(err)
	}
	return screen, err
}

func (p *phone) stillAt() string {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.still
}

// settled records a look at a still screen.
func (p *phone) settled(digest string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.still = digest
}

// appInfo is the app in front.
type appInfo struct {
	Bundle string `json:"bundleId"`
	PID    int    `json:"pid"`
}

func (p *phone) front(ctx context.Context) (appInfo, error) {
	var info appInfo
	err := p.send(ctx, get("/wda/activeAppInfo"), &info)
	if err == nil && info.Bundle == "" {
		err = unsent(fault.New(fault.AgentFailed, "%s does not report which app is in front", p.who()))
	}
	if err == nil {
		err = device.CheckFront(p.who(), info.Bundle)
	}
	return info, err
}

// glance looks once.
func (p *phone) glance(ctx context.Context, depth int) (*glance, error) {
	g := &glance{}
	info, err := p.front(ctx)
	if err != nil {
		return nil, err
	}
	g.app = info.Bundle
	if g.sight, err = p.tree(ctx, depth); err != nil {
		return nil, err
	}
	g.digest = device.Digest(g.app, "", g.sight.root)
	return g, nil
}

// whole adds the parts that need further requests: the focus, and the alert that the system shows over the app. It returns nil if
// another app has come to the front meanwhile; it checks that only for a glance that no second glance confirms.
func (p *phone) whole(ctx context.Context, g *glance, alone bool) (*ui.Screen, error) {
	if alone {
		now, err := p.front(ctx)
		if err != nil || now.Bundle != g.app {
			return nil, err
		}
	}
	if err := p.focus(ctx, g.sight.root); err != nil {
		return nil, err
	}
	over, err := p.over(ctx, g)
	if err != nil {
		return nil, err
	}
	root, cover, left := g.sight.root, "", g.sight.left
	if over != nil {
		root = &ui.Node{Type: "Application", Made: true, Frame: root.Frame, Children: []*ui.Node{root, over.root}}
		cover, left = springboard, device.LeftOut(left, over.left)
	}
	p.note(g.sight.root.Frame)
	screen := ui.NewScreen(g.app, "running_foreground", root)
	screen.Truncated, screen.Cover, screen.Digest = left, cover, device.Digest(g.app, cover, root)
	return screen, nil
}

// note remembers the size of the screen.
func (p *phone) note(frame ui.Rect) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.screen = frame
}

// leftOut are attributes of the JSON that take long to compute, or that the driver derives itself.
var leftOut = []string{"visible", "accessible", "nativeAccessibilityElement", "frame", "focused", "minValue", "maxValue"}

// shallow is a depth at which XCTest can read trees that fail at greater depth.
const shallow = 30

// tree reads the tree of the active app. If the read fails, it reads once more with a smaller depth.
func (p *phone) tree(ctx context.Context, depth int) (sight, error) {
	if depth == 0 {
		depth = usualDepth
	}
	s, err := p.treeTo(ctx, depth)
	if webdriver.Is(err, webdriver.UnknownError) && depth > shallow {
		return p.treeTo(ctx, shallow)
	}
	return s, err
}

func (p *phone) treeTo(ctx context.Context, depth int) (sight, error) {
	if err := p.readTo(ctx, depth); err != nil {
		return sight{}, err
	}
	source, err := p.source(ctx)
	if err != nil {
		return sight{}, err
	}
	s, err := read(ctx, source)
	if ctx.Err() != nil { // a huge tree takes long to read, and the caller may have left
		return sight{}, unsent(ctx.Err())
	}
	if err != nil {
		return sight{}, unsent(fault.New(fault.AgentFailed, "cannot read the tree of %s: %w", p.who(), err))
	}
	s.left = s.leftOf(depth)
	return s, nil
}

// readTo sets the depth of later trees.
func (p *phone) readTo(ctx context.Context, depth int) error {
	s, err := p.connect(ctx)
	if err != nil {
		return unsent(err)
	}
	if s.readsTo(depth) {
		return nil
	}
	if err := p.set(ctx, map[string]any{"snapshotMaxDepth": depth}); err != nil {
		return err
	}
	s.readTo(depth)
	return nil
}

// set changes settings of the session.
func (p *phone) set(ctx context.Context, settings map[string]any) error {
	return p.send(ctx, ask("/appium/settings", map[string]any{"settings": settings}), nil)
}

// source reads the tree as JSON, or as XML from a server without JSON.
func (p *phone) source(ctx context.Context) ([]byte, error) {
	without := "excluded_attributes=" + url.QueryEscape(strings.Join(leftOut, ","))
	var value json.RawMessage
	err := p.send(ctx, get("/source?format=json&"+without), &value)
	if webdriver.Is(err, webdriver.InvalidArgument) {
		err = p.send(ctx, get("/source?"+without), &value)
	}
	if err != nil {
		return nil, err
	}
	var text string
	if json.Unmarshal(value, &text) == nil {
		return []byte(text), nil
	}
	return value, nil
}

// element is an element that WebDriverAgent found, with the attributes that the session's settings ask for.
type element struct {
	ID   webdriver.Element
	Type string `json:"type"`
	Name string `json:"attribute/name"`
	Rect struct{ X, Y, Width, Height float64 }
}

// UnmarshalJSON reads the id next to the other fields.
func (e *element) UnmarshalJSON(data []byte) error {
	type plain element
	if err := json.Unmarshal(data, (*plain)(e)); err != nil {
		return err
	}
	return e.ID.UnmarshalJSON(data)
}

// active is the element with the keyboard focus, or nil.
func (p *phone) active(ctx context.Context) (*element, error) {
	e := &element{}
	err := p.send(ctx, get("/element/active"), e)
	if webdriver.Is(err, webdriver.NoSuchElement) {
		return nil, nil
	}
	return e, err
}

// focus marks the field that has the focus. A screen without fields needs no request.
func (p *phone) focus(ctx context.Context, root *ui.Node) error {
	var fields []*ui.Node
	root.Walk(func(n *ui.Node) bool {
		if n.TakesText() {
			fields = append(fields, n)
		}
		return true
	})
	if len(fields) == 0 {
		return nil
	}
	e, err := p.active(ctx)
	if e == nil || err != nil {
		return err
	}
	if i := slices.IndexFunc(fields, e.is); i >= 0 {
		fields[i].Focused = true
	}
	return nil
}

// is reports whether a node of the tree is the element.
func (e *element) is(n *ui.Node) bool {
	name := n.Identifier
	if name == "" {
		name = n.Label
	}
	if "XCUIElementType"+n.Type != e.Type || name != e.Name {
		return false
	}
	f, r := n.Frame, e.Rect
	for _, d := range []float64{f.X - r.X, f.Y - r.Y, f.X + f.W - r.X - r.Width, f.Y + f.H - r.Y - r.Height} {
		if math.Abs(d) > 1 { // its frame is rounded
			return false
		}
	}
	return true
}

// over is the alert that the system shows over the app; the app's tree does not have it.
func (p *phone) over(ctx context.Context, g *glance) (*sight, error) {
	if g.app == springboard {
		return nil, nil
	}
	text, err := p.alertText(ctx)
	if err != nil || text == "" || shows(g.sight.root, text) {
		return nil, err
	}
	if err := p.set(ctx, map[string]any{"defaultActiveApplication": springboard}); err != nil {
		return nil, err
	}
	s, err := p.tree(ctx, 0)
	if back := p.set(context.WithoutCancel(ctx), map[string]any{"defaultActiveApplication": auto}); err == nil {
		err = back
	}
	if err != nil || device.AlertIn(s.root) == nil {
		return nil, err // it was answered meanwhile
	}
	return &s, nil
}

// shows reports whether a tree's alert has the text of the alert in front, which is then the app's own.
func shows(root *ui.Node, text string) bool {
	b := device.AlertIn(root)
	if b == nil {
		return false
	}
	all := true
	for line := range strings.SplitSeq(text, "\n") {
		has := false
		b.Walk(func(n *ui.Node) bool {
			has = has || n.Label == line || n.Value == line || strings.Contains(n.Label, line)
			return !has
		})
		all = all && has
	}
	return all
}
