package device

import (
	"context"

	"ios-agent/internal/ui"
)

// Pointing is a device with a mouse: a drag carries things and selects texts, and what scrolls is scrolled by Swipe. Its controls are
// set by Adjust.
type Pointing interface{ HasMouse() }

// Filler gives the text field at a point a text in one go, instead of what it holds. A fault UNSUPPORTED that says that nothing was sent
// means that this field takes texts only by keys.
type Filler interface {
	Fill(ctx context.Context, at ui.Point, text string) error
}

// Caret moves to the end of the text that has the focus, on a device where the focus comes without one.
type Caret interface {
	ToEnd(ctx context.Context) error
}

// Mortal is a device that ends for good, as a process does. Gone reports whether it has; it may be called at any time.
type Mortal interface{ Gone() bool }
