package webdriver

import (
	"context"
	"encoding/base64"
	"encoding/json"
	"strconv"
	"strings"

	"ios-agent/internal/client/webdriver/page"
	"ios-agent/internal/fault"
)

// element reads the element in the path.
func (q *request) element(ctx context.Context) (*page.Node, error) {
	return q.session.element(ctx, q.params["element"])
}

func (one *session) element(ctx context.Context, id string) (*page.Node, error) {
	n := &page.Node{}
	if err := one.onElement(ctx, "get_element", id, nil, &n.Element); err != nil {
		return nil, err
	}
	return n, nil
}

// onElement runs an operation on an element. A missing element is stale.
func (one *session) onElement(ctx context.Context, name, id string, input map[string]any, into any) error {
	if !isID(id) {
		return fail(noSuchElement, "unknown element id %q", id)
	}
	if input == nil {
		input = map[string]any{}
	}
	input["ref"] = "@" + id
	err := one.on(ctx, name, input, into)
	if f, is := err.(*failure); is && (f.code == fault.ElementNotFound || f.code == fault.RefExpired) {
		f.kind, f.hint = staleElement, "the screen has changed since the element was found: find it again"
	}
	return err
}

// isID reports whether an id has our form: e and a number.
func isID(id string) bool {
	digits, is := strings.CutPrefix(id, "e")
	_, err := strconv.ParseUint(digits, 10, 32)
	return is && err == nil
}

// staleOr is the error for an element that is missing from a page.
func (one *session) staleOr(ctx context.Context, id string) error {
	if _, err := one.element(ctx, id); err != nil {
		return err
	}
	return fail(staleElement, "the element %s is not on the screen", id).hinted("find it again")
}

// reading makes a command from a function of an element.
func reading(read func(*page.Node) any) handler {
	return func(ctx context.Context, q *request) (any, error) {
		n, err := q.element(ctx)
		if err != nil {
			return nil, err
		}
		return read(n), nil
	}
}

// attributeOf is one attribute of an element, as text; null when it has none.
func attributeOf(ctx context.Context, q *request) (any, error) {
	n, err := q.element(ctx)
	if err != nil {
		return nil, err
	}
	value, known := n.Attribute(q.params["name"])
	if !known {
		return nil, fail(invalidArgument, "the attribute %q is unknown", q.params["name"]).
			hinted("name, label, value, type, rect, enabled, visible, hittable, selected, focused, placeholderValue, traits")
	}
	return value, nil
}

func click(ctx context.Context, q *request) (any, error) {
	return nil, q.session.onElement(ctx, "tap_element", q.params["element"], map[string]any{"scroll": true}, nil)
}

func clearElement(ctx context.Context, q *request) (any, error) {
	return nil, q.session.onElement(ctx, "clear", q.params["element"], map[string]any{"scroll": true}, nil)
}

// typed is the text of a body: {"text": "ab"}, or {"value": ["a", "b"]} as older clients send it.
func (q *request) typed(names ...string) (string, error) {
	for _, name := range names {
		raw, given := q.body[name]
		if !given || string(raw) == "null" {
			continue
		}
		var text string
		if json.Unmarshal(raw, &text) == nil {
			return text, nil
		}
		var parts []any
		if err := json.Unmarshal(raw, &parts); err != nil {
			return "", fail(invalidArgument, "%q in the body must be a text or a list of texts", name)
		}
		for _, part := range parts {
			switch v := part.(type) {
			case string:
				text += v
			case float64:
				text += strconv.FormatFloat(v, 'f', -1, 64)
			default:
				return "", fail(invalidArgument, "%q in the body must contain only texts", name)
			}
		}
		return text, nil
	}
	return "", fail(invalidArgument, "the body has no %q", names[0])
}

// setValue types into a field; a control without text is set to the value.
func setValue(ctx context.Context, q *request) (any, error) {
	text, err := q.typed("text", "value")
	if err != nil {
		return nil, err
	}
	n, err := q.element(ctx)
	if err != nil {
		return nil, err
	}
	switch strings.TrimPrefix(n.Type, page.TypePrefix) {
	case "Slider":
		share, err := strconv.ParseFloat(text, 64)
		if err != nil || share < 0 || share > 1 {
			return nil, fail(invalidArgument, "the value of a slider is %q; it must be from 0 to 1", text)
		}
		text = strconv.FormatFloat(100*share, 'f', -1, 64) + "%"
		return nil, q.session.onElement(ctx, "set_value", n.ID(), map[string]any{"to": text}, nil)
	case "PickerWheel", "Switch", "Toggle", "Stepper", "SegmentedControl":
		return nil, q.session.onElement(ctx, "set_value", n.ID(), map[string]any{"to": text}, nil)
	}
	return nil, q.session.enter(ctx, n.ID(), text)
}

// screenshot is a picture of the whole screen, as PNG in base64.
func screenshot(ctx context.Context, q *request) (any, error) {
	raw, err := q.session.picture(ctx)
	if err != nil {
		return nil, err
	}
	return base64.StdEncoding.EncodeToString(raw), nil
}

// elementScreenshot is a picture of the element's visible part.
func elementScreenshot(ctx context.Context, q *request) (any, error) {
	t, err := q.session.look(ctx)
	if err != nil {
		return nil, err
	}
	n := t.ByID(q.params["element"])
	if n == nil {
		return nil, q.session.staleOr(ctx, q.params["element"])
	}
	raw, err := q.session.picture(ctx)
	if err != nil {
		return nil, err
	}
	cut, err := crop(raw, n.Frame, t.Window())
	if err != nil {
		return nil, err
	}
	return base64.StdEncoding.EncodeToString(cut), nil
}
