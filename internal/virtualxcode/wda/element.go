package wda

import (
	"encoding/binary"
	"errors"
	"fmt"
	"hash/fnv"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"time"

	"ios-agent/internal/virtualxcode/flaw"
	"ios-agent/internal/virtualxcode/world"
)

func elementRoutes(t *table) {
	t.in(post, "/element", (*call).findOne)
	t.in(post, "/elements", (*call).findAll)
	t.in(get, "/element/active", (*call).focused)
	t.in(post, "/element/:uuid/element", (*call).findOne)
	t.in(post, "/element/:uuid/elements", (*call).findAll)
	t.in(get, "/element/:uuid/enabled", attributed("enabled"))
	t.in(get, "/element/:uuid/displayed", attributed("visible"))
	t.in(get, "/element/:uuid/selected", attributed("selected"))
	t.in(get, "/element/:uuid/rect", attributed("rect"))
	t.in(get, "/element/:uuid/name", attributed("type"))
	t.in(get, "/wda/element/:uuid/accessible", attributed("accessible"))
	t.in(get, "/element/:uuid/text", (*call).elementText)
	t.in(get, "/element/:uuid/attribute/:name", (*call).attribute)
	t.in(post, "/element/:uuid/value", (*call).setValue)
	t.in(post, "/element/:uuid/click", (*call).click)
	t.in(post, "/wda/element/:uuid/tap", (*call).click)
	t.in(post, "/element/:uuid/clear", (*call).clear)
	t.in(post, "/wda/pickerwheel/:uuid/select", (*call).turnWheel)
	t.in(post, "/wda/element/:uuid/keyboardInput", (*call).pressKeys)
	t.in(post, "/wda/keys", (*call).keys)
	t.in(post, "/wda/keyboard/dismiss", (*call).dismissKeyboard)
	t.in(get, "/element/:uuid/screenshot", (*call).screenshot)
	t.in(post, "/wda/element/:uuid/doubleTap", (*call).doubleTap)
	t.in(post, "/wda/element/:uuid/touchAndHold", (*call).touchAndHold)
	t.in(post, "/wda/element/:uuid/swipe", (*call).swipe)
	t.in(post, "/wda/element/:uuid/pinch", (*call).pinch)
	t.in(post, "/wda/element/:uuid/scroll", (*call).scroll)
	t.in(post, "/wda/tap", (*call).tapAt)
	t.in(post, "/wda/doubleTap", (*call).doubleTap)
	t.in(post, "/wda/touchAndHold", (*call).touchAndHold)
	t.in(post, "/wda/swipe", (*call).swipe)
	t.in(post, "/wda/pinch", (*call).pinch)
	t.in(post, "/wda/scroll", (*call).scroll)
	t.in(post, "/wda/dragfromtoforduration", (*call).dragFromTo)
	t.in(post, "/wda/pressAndDragWithVelocity", (*call).dragFromTo)
}

// handle identifies a found element, so that it can be found again.
type handle struct {
	app, kind, identifier, label string
	rank                         int // index among equal elements, in document order
}

func handleOf(app string, n *node, root *node) handle {
	h := handle{app: app, kind: n.Type, identifier: n.Identifier, label: n.Label}
	for _, other := range root.all() {
		if other.Element == n.Element {
			break
		}
		if h.fits(other) {
			h.rank++
		}
	}
	return h
}

// fits reports whether an element matches the handle. Text typed by a user does not matter.
func (h handle) fits(n *node) bool {
	return n.Type == h.kind && n.Identifier == h.identifier && (n.Identifier != "" || n.Label == h.label)
}

// id is constant for an element.
func (h handle) id() string {
	sum := fnv.New64a()
	fmt.Fprintf(sum, "%s\x00%s\x00%s\x00%s", h.app, h.kind, h.identifier, h.label)
	var b [8]byte
	binary.BigEndian.PutUint64(b[:], sum.Sum64())
	return fmt.Sprintf("%08X-0000-0000-%X-%04X%08X", h.rank+1, b[:2], b[2:4], b[4:])
}

const elementKey = "element-6066-11e4-a52e-4f735466cecf"

// told returns an element as part of an answer, and remembers its handle.
func (c *call) told(app string, n, root *node) any {
	h := handleOf(app, n, root)
	id := h.id()
	c.session.elements[id] = h
	said := map[string]any{"ELEMENT": id, elementKey: id}
	if setting[bool](c, "shouldUseCompactResponses") {
		return said
	}
	for field := range strings.SplitSeq(setting[string](c, "elementResponseAttributes"), ",") {
		name := strings.TrimPrefix(field, "attribute/")
		switch name {
		case "displayed":
			name = "visible"
		case "text":
			said[field] = first(n.value(), n.Label)
			continue
		}
		if field == "name" { // W3C's key for an element
			name = "type"
		}
		if v, ok := n.attribute(name); ok {
			said[field] = v
		}
	}
	return said
}

// element finds the element of a path on the screen again.
func (c *call) element() (n, root *node, err error) {
	h, known := c.session.elements[c.params["uuid"]]
	if !known {
		return nil, nil, problem(http.StatusNotFound, "no such element",
			"The element identified by \"%s\" is either not present or it has expired from the internal cache", c.params["uuid"])
	}
	if _, stale := c.happens(flaw.WDAStaleElement); stale {
		return nil, nil, staleElement(h)
	}
	root, app, err := c.snapshot()
	if err != nil {
		return nil, nil, err
	}
	rank := 0
	for _, n := range root.all() {
		if app == h.app && h.fits(n) {
			if rank == h.rank {
				return n, root, nil
			}
			rank++
		}
	}
	return nil, nil, staleElement(h)
}

func staleElement(h handle) error {
	return problem(http.StatusNotFound, "stale element reference",
		"The previously found element \"%s\" is not present in the current view anymore. Make sure the application UI has the expected state",
		h.kind)
}

func (c *call) findOne() (any, error) {
	found, app, root, err := c.search()
	if err != nil {
		return nil, err
	}
	if len(found) == 0 {
		return nil, problem(http.StatusNotFound, "no such element", "unable to find an element using '%s', value '%s'", c.text("using"),
			c.text("value"))
	}
	return c.told(app, found[0], root), nil
}

func (c *call) findAll() (any, error) {
	found, app, root, err := c.search()
	if err != nil {
		return nil, err
	}
	list := []any{}
	for _, n := range found {
		list = append(list, c.told(app, n, root))
	}
	return list, nil
}

// search looks below the element of the path, or in the whole app.
func (c *call) search() (found []*node, app string, root *node, err error) {
	var below *node
	if c.params["uuid"] != "" {
		if below, root, err = c.element(); err != nil {
			return nil, "", nil, err
		}
		app = c.session.elements[c.params["uuid"]].app
	} else {
		if root, app, err = c.snapshot(); err != nil {
			return nil, "", nil, err
		}
		below = root
	}
	found, err = locate(c.text("using"), c.text("value"), below)
	return found, app, root, err
}

// focused is the element with keyboard focus.
func (c *call) focused() (any, error) {
	root, app, err := c.snapshot()
	if err != nil {
		return nil, err
	}
	all := root.all()
	if i := slices.IndexFunc(all, func(n *node) bool { return n.Focused }); i >= 0 {
		return c.told(app, all[i], root), nil
	}
	return nil, problem(http.StatusNotFound, "no such element", "no element has the keyboard focus")
}

func attributed(name string) func(*call) (any, error) {
	return func(c *call) (any, error) {
		n, _, err := c.element()
		if err != nil {
			return nil, err
		}
		v, _ := n.attribute(name)
		return v, nil
	}
}

func (c *call) attribute() (any, error) {
	n, _, err := c.element()
	if err != nil {
		return nil, err
	}
	v, known := n.attribute(c.params["name"])
	if !known {
		return nil, invalid("The attribute '%s' is unknown", c.params["name"])
	}
	return v, nil
}

func (c *call) elementText() (any, error) {
	n, _, err := c.element()
	if err != nil {
		return nil, err
	}
	return first(n.value(), n.Label), nil
}

// click taps the middle of an element, even if another element covers it.
func (c *call) click() (any, error) {
	n, _, err := c.element()
	if err != nil {
		return nil, err
	}
	return nil, c.opts.World.Tap(c.ctx, c.opts.UDID, n.Frame.Centre())
}

// typed is the text of a command: a list of characters, or a text.
func (c *call) typed() (string, bool) {
	if list, ok := c.args["value"].([]any); ok {
		var text strings.Builder
		for _, part := range list {
			fmt.Fprint(&text, part)
		}
		return text.String(), true
	}
	if text, ok := c.args["value"].(string); ok {
		return text, true
	}
	text, ok := c.args["text"].(string)
	return text, ok
}

// typeText types into the focused element. Without a focus the keys are lost without an error.
func (c *call) typeText(text string) error {
	err := c.opts.World.TypeText(c.ctx, c.opts.UDID, keyed(text))
	if errors.Is(err, world.ErrNoFocus) {
		return nil
	}
	return err
}

func (c *call) keys() (any, error) {
	text, ok := c.typed()
	if !ok {
		return nil, invalid("The 'value' argument must be an array")
	}
	return nil, c.typeText(text)
}

// setValue moves a wheel or a slider, and types into other elements.
func (c *call) setValue() (any, error) {
	n, _, err := c.element()
	if err != nil {
		return nil, err
	}
	text, ok := c.typed()
	if !ok {
		return nil, invalid("Neither 'value' nor 'text' parameter is provided")
	}
	switch n.Type {
	case "PickerWheel":
		return nil, c.opts.World.SetValue(c.ctx, c.opts.UDID, n.Frame.Centre(), text)
	case "Slider":
		share, err := strconv.ParseFloat(text, 64)
		if err != nil || share < 0 || share > 1 {
			return nil, invalid("Value of slider should be in 0..1 range")
		}
		return nil, c.opts.World.SetValue(c.ctx, c.opts.UDID, n.Frame.Centre(), text)
	}
	if err := c.focus(n); err != nil {
		return nil, err
	}
	return nil, c.typeText(text)
}

// focus taps a field unless it has the focus.
func (c *call) focus(n *node) error {
	if n.Focused {
		return nil
	}
	return c.opts.World.Tap(c.ctx, c.opts.UDID, n.Frame.Centre())
}

func (c *call) clear() (any, error) {
	n, _, err := c.element()
	if err != nil {
		return nil, err
	}
	if err := c.focus(n); err != nil {
		return nil, err
	}
	if err := c.opts.World.SelectAll(c.ctx, c.opts.UDID); err != nil {
		return nil, badState("the text cannot be cleared: %v", err)
	}
	return nil, c.typeText("\b")
}

// turnWheel moves a wheel to its next or previous row.
func (c *call) turnWheel() (any, error) {
	n, _, err := c.element()
	if err != nil {
		return nil, err
	}
	order := strings.ToLower(c.text("order"))
	i := slices.Index(n.Look.Rows, n.Value)
	switch order {
	case "next":
		i++
	case "previous":
		i--
	default:
		return nil, invalid("Only 'previous' and 'next' order values are supported. '%s' is given instead", order)
	}
	if n.Type != "PickerWheel" || i < 0 || i >= len(n.Look.Rows) {
		return nil, badState("the wheel cannot be turned further")
	}
	return nil, c.opts.World.SetValue(c.ctx, c.opts.UDID, n.Frame.Centre(), n.Look.Rows[i])
}

// dismissKeyboard presses a key that ends the input: return on the virtual keyboard.
func (c *call) dismissKeyboard() (any, error) {
	root, _, err := c.snapshot()
	if err != nil {
		return nil, err
	}
	if !slices.ContainsFunc(root.all(), func(n *node) bool { return n.Type == "Keyboard" }) {
		return nil, nil
	}
	return nil, c.opts.World.ToggleSoftwareKeyboard(c.ctx, c.opts.UDID)
}

// spot is the point of an older route's gesture: on the element, or at x and y, relative to the element if there is one.
func (c *call) spot() (world.Point, error) {
	at := world.Point{}
	uuid := c.params["uuid"]
	x, hasX := c.number("x")
	y, hasY := c.number("y")
	if uuid == "" || uuid == "0" {
		if !hasX || !hasY {
			return at, invalid("Both x and y coordinates must be provided")
		}
		return world.Point{X: x, Y: y}, nil
	}
	n, _, err := c.element()
	if err != nil {
		return at, err
	}
	if hasX && hasY {
		return world.Point{X: n.Frame.X + x, Y: n.Frame.Y + y}, nil
	}
	return n.Frame.Centre(), nil
}

func (c *call) tapAt() (any, error) {
	at, err := c.spot()
	if err != nil {
		return nil, err
	}
	return nil, c.opts.World.Tap(c.ctx, c.opts.UDID, at)
}

func (c *call) doubleTap() (any, error) {
	at, err := c.spot()
	if err != nil {
		return nil, err
	}
	return nil, c.opts.World.DoubleTap(c.ctx, c.opts.UDID, at)
}

func (c *call) touchAndHold() (any, error) {
	at, err := c.spot()
	if err != nil {
		return nil, err
	}
	seconds, _ := c.number("duration")
	return nil, c.opts.World.LongPress(c.ctx, c.opts.UDID, at, time.Duration(seconds*float64(time.Second)))
}
