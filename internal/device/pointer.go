package device

import (
	"context"

	"ios-agent/internal/ui"
)

// Pointing is a device with a mouse: a drag moves things and selects text, and Swipe scrolls. Adjust sets its controls.
type Pointing interface{ HasMouse() }

// Filler replaces the content of the text field at a point at once. A fault UNSUPPORTED that was not dispatched means that this field
// accepts only keys.
type Filler interface {
	Fill(ctx context.Context, at ui.Point, text string) error
}

// Caret moves to the end of the focused text, on a device where the focus does not set a caret.
type Caret interface {
	ToEnd(ctx context.Context) error
}

// Mortal is a device that ends for good, as a process does. Gone reports whether it has ended; it may be called at any time.
type Mortal interface{ Gone() bool }
