package audit

import (
	"ios-agent/internal/ui"
)

// look is a screen with the facts that the rules need.
type look struct {
	screen   *ui.Screen
	title    string // without the parts that change with the content
	name     string // the screen's part of an identifier
	elements []*element
	byNode   map[*ui.Node]*element
	taken    map[string]int      // identifiers of the screen, with the number of elements of each
	flat     bool                // the source does not nest its elements
	promised map[string]*element // identifiers that are suggested, each for one element
	back     *ui.Node            // the system's back button
	memory   *Journey
}

// element is a node and its position.
type element struct {
	*ui.Node
	at        int      // its place in the document
	seen      ui.Rect  // its part within the screen and its scrolling containers
	row       *ui.Node // the list row that it is or lies in; nil: none
	container *ui.Node // the container that it must stay in; nil: the screen, or none when it is scrolled
	scrolled  bool
	bar       bool // in a bar at an edge of the screen
	system    bool // made by the system: its app cannot give it an identifier
	inner     bool // inside another actionable element
}

// place is where the walk is.
type place struct {
	clip                            ui.Rect
	row, container                  *ui.Node
	scrolled, bar, system, acts, in bool
}

// unjudged are the types whose content does not belong to the app: keys, the clock, a page.
var unjudged = map[string]bool{"Keyboard": true, "StatusBar": true, "WebView": true, "ScrollBar": true, "TouchBar": true}

// systemParts are the types whose parts the system creates: an app cannot change their identifiers or sizes.
var systemParts = map[string]bool{
	"Alert": true, "Stepper": true, "SegmentedControl": true, "Picker": true, "DatePicker": true, "TextField": true, "SecureTextField": true,
	"SearchField": true, "TextView": true, "ComboBox": true, "Slider": true, "PageIndicator": true, "Menu": true,
}

// bars are at the edges of the screen; content scrolls under them.
var bars = map[string]bool{"NavigationBar": true, "TabBar": true, "Toolbar": true, "MenuBar": true}

// rows are the types of list rows.
var rows = map[string]bool{"Cell": true, "TableRow": true, "OutlineRow": true}

// dismissRegion is UIKit's identifier for the area beside a sheet.
const dismissRegion = "PopoverDismissRegion"

func newLook(s *ui.Screen, memory *Journey) *look {
	l := &look{
		screen: s, byNode: map[*ui.Node]*element{}, taken: map[string]int{}, promised: map[string]*element{}, flat: true, memory: memory,
	}
	if s.Root == nil {
		return l
	}
	l.title = general(s.Title())
	l.name = camel(titleWords(s.Title()))
	if l.name == "" {
		l.name = camel(titleWords(s.AppName()))
	}
	if l.name == "" {
		l.name = "screen"
	}
	l.back = s.BackButton()
	l.walk(s.Root, place{clip: s.Viewport()})
	return l
}

// walk records an element and all below it that belong to the app.
func (l *look) walk(n *ui.Node, p place) {
	if unjudged[n.Type] || n.Source == ui.SourceWeb || n.Identifier == dismissRegion {
		return
	}
	if rows[n.Type] {
		p.row = n
	}
	p.bar = p.bar || bars[n.Type]
	e := &element{
		Node: n, at: len(l.elements), seen: n.Frame.Intersect(p.clip), row: p.row, container: p.container, scrolled: p.scrolled, bar: p.bar,
		system: p.system, inner: p.acts,
	}
	if n.Identifier != "" {
		l.taken[n.Identifier]++
	}
	if !n.Made {
		l.elements = append(l.elements, e)
		l.byNode[n] = e
	}
	if p.in && len(n.Children) > 0 {
		l.flat = false
	}
	p.in = p.in || n == l.screen.Root
	p.system = p.system || systemParts[n.Type]
	p.acts = p.acts || n.Interactive()
	switch {
	case n.Scrolls() && !n.Unplaced:
		p.clip, p.container, p.scrolled = e.seen, nil, true
	case holds(n):
		p.container = n
	}
	for _, c := range n.Children {
		l.walk(c, p)
	}
}

// holds reports whether touches outside the element never reach its content.
func holds(n *ui.Node) bool {
	return !n.OnlyGroups() && n.Type != "Application" && n.Type != "Window" && !n.Unplaced && !n.Frame.Empty()
}

// apparent reports whether a person can see a part of the element and no alert blocks it.
func (l *look) apparent(e *element) bool {
	return !e.Hidden && !e.Unplaced && !e.seen.Empty() && !l.screen.Behind(e.Node)
}

// acted are the visible actionable elements.
func (l *look) acted() (all []*element) {
	for _, e := range l.elements {
		if e.Interactive() && l.apparent(e) {
			all = append(all, e)
		}
	}
	return all
}

// judged are the elements that need a name: actionable elements, and images outside of them.
func (l *look) judged() (all []*element) {
	for _, e := range l.elements {
		if (e.Interactive() || e.Type == "Image" && !e.inner) && l.apparent(e) {
			all = append(all, e)
		}
	}
	return all
}

// owned reports whether the app itself could have given the element an identifier.
func (l *look) owned(e *element) bool { return !e.system && e.Node != l.back }

// texts are the texts of an element and of its content, in order.
func texts(n *ui.Node) (all []string) {
	n.Walk(func(d *ui.Node) bool {
		for _, text := range [...]string{d.Label, d.Placeholder} {
			if says(text) {
				all = append(all, text)
				break
			}
		}
		return true
	})
	return all
}
