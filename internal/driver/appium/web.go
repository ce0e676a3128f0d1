package appium

import (
	"cmp"
	"context"
	_ "embed"
	"errors"
	"math"
	"net/http"
	"slices"

	"ios-agent/internal/device"
	"ios-agent/internal/driver/webdriver"
	"ios-agent/internal/fault"
	"ios-agent/internal/ui"
)

var _ device.Webs = (*phone)(nil)

//go:embed page.js
var walk string

const (
	native   = "NATIVE_APP"
	mostWeb  = 1500 // elements of one page
	longText = 500  // characters of one text
)

// page is the script's description of a page.
type page struct {
	Title    string       `json:"title"`
	URL      string       `json:"url"`
	Left     float64      `json:"left"` // of the visible part, in CSS pixels
	Top      float64      `json:"top"`
	Width    float64      `json:"width"`
	Height   float64      `json:"height"`
	Elements []webElement `json:"elements"`
}

type webElement struct {
	Type        string  `json:"type"`
	Label       string  `json:"label"`
	Identifier  string  `json:"identifier"`
	Value       string  `json:"value"`
	Placeholder string  `json:"placeholder"`
	X           float64 `json:"x"`
	Y           float64 `json:"y"`
	W           float64 `json:"w"`
	H           float64 `json:"h"`
	Disabled    bool    `json:"disabled"`
	Focused     bool    `json:"focused"`
	Selected    bool    `json:"selected"`
}

// Page reads the page in a web view: of all pages, the one whose shape matches the view. The session is in the app's own context before
// and after.
func (p *phone) Page(ctx context.Context, view device.WebView) ([]*ui.Node, error) {
	var contexts []string
	if err := p.read(ctx, "/contexts", &contexts); err != nil {
		return nil, err
	}
	contexts = slices.DeleteFunc(contexts, func(name string) bool { return name == native })
	if len(contexts) == 0 {
		return nil, unsent(fault.Unsupported, "%s found no page: the web view of the app is not inspectable", p.who()).
			WithHint("set isInspectable of the WKWebView (required since iOS 16.4), or build for debugging")
	}
	pages, err := p.pages(ctx, contexts)
	if err != nil {
		return nil, err
	}
	best := slices.MinFunc(pages, func(a, b page) int { return cmp.Compare(a.unlike(view), b.unlike(view)) })
	return best.nodes(view.Frame), nil
}

// pages reads the pages of contexts. It always switches back: the next look must read the app.
func (p *phone) pages(ctx context.Context, contexts []string) (found []page, err error) {
	defer func() {
		back, cancel := context.WithTimeout(context.WithoutCancel(ctx), endTime)
		defer cancel()
		if failed := p.enterContext(back, native); failed != nil {
			p.mu.Lock()
			p.session = "" // its context is unknown: the next session starts in the app
			p.mu.Unlock()
			err = errors.Join(err, failed)
		}
	}()
	for _, name := range contexts {
		if err := p.enterContext(ctx, name); err != nil {
			return nil, err
		}
		var one page
		body := map[string]any{"script": walk, "args": []any{mostWeb, longText}}
		err := p.ask(ctx, webdriver.Request{Method: http.MethodPost, Path: "/execute/sync", Body: body}, &one)
		if webdriver.Is(err, webdriver.NoSuchContext) {
			continue // the page was left meanwhile
		}
		if err != nil {
			return nil, p.lost(err, false)
		}
		found = append(found, one)
	}
	if len(found) == 0 {
		return nil, unsent(fault.Unsupported, "%s no longer finds a page", p.who()).WithHint("look again")
	}
	return found, nil
}

func (p *phone) enterContext(ctx context.Context, name string) error {
	r := webdriver.Request{Method: http.MethodPost, Path: "/context", Body: map[string]any{"name": name}}
	return p.lost(p.ask(ctx, r, nil), false)
}

// unlike is how much a page differs from a view in title and shape; no tool reports which page is in which view.
func (g page) unlike(view device.WebView) float64 {
	if g.Width <= 0 || g.Height <= 0 || view.Frame.Empty() {
		return math.MaxFloat64
	}
	far := math.Abs(g.Height/g.Width - view.Frame.H/view.Frame.W)
	if view.Title != "" && g.Title == view.Title {
		far -= 1
	}
	return far
}

// nodes are the elements with frames in points of the screen: the visible part of the page fills the view. Elements outside the view are
// hidden, so that a page cannot direct taps at other parts of the screen.
func (g page) nodes(frame ui.Rect) []*ui.Node {
	if g.Width <= 0 || g.Height <= 0 {
		return nil
	}
	scale := frame.W / g.Width
	var all []*ui.Node
	for _, e := range g.Elements[:min(len(g.Elements), mostWeb)] {
		if !slices.Contains(webTypes(), e.Type) {
			continue
		}
		one := &ui.Node{
			Type: e.Type, Label: e.Label, Identifier: e.Identifier, Value: e.Value, Placeholder: e.Placeholder, Source: ui.SourceWeb,
			Frame: ui.Rect{
				X: math.Round(frame.X + (e.X-g.Left)*scale), Y: math.Round(frame.Y + (e.Y-g.Top)*scale),
				W: math.Round(e.W * scale), H: math.Round(e.H * scale),
			},
			Disabled: e.Disabled, Focused: e.Focused, Selected: e.Selected, Secure: e.Type == "SecureTextField",
		}
		one.Hidden = !frame.Contains(one.Frame.Centre())
		all = append(all, one)
	}
	return all
}

// webTypes are the element types that the script may return. A page can manipulate the script's input, but cannot pose as an alert.
func webTypes() []string {
	return []string{"StaticText", "Button", "Link", "TextField", "SecureTextField", "SearchField", "TextView", "Switch", "RadioButton",
		"Slider", "Image", "PopUpButton"}
}
