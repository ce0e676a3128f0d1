package world

import (
	"context"
	"strings"
	"time"
)

// keyboard is the state of an app's software keyboard.
type keyboard struct {
	Up    bool
	Since time.Time // when it began to appear or disappear
	Shift bool      // the next letter is a capital
	Plane int       // the visible plane
	Pad   string    // the visible pad instead of a plane; empty: none

	Covers     bool // the focused field stays covered by it
	Introduces bool // an introduction covers its keys
}

// Measures of the keyboard, in points. Its lowest part is the bar with the home indicator.
const (
	keyboardHeight = 302.0
	keyRowHeight   = 54.0
	keyHeight      = 42.0
	keyTop         = 8.0
	keyInset       = 3.0
	keyGap         = 6.0
	wideKey        = 48.0 // shift and delete
	moreWidth      = 92.0 // "123"
	returnWidth    = 96.0
	extraWidth     = 34.0 // a key next to the space bar
)

// planes are the sets of keys, row by row.
func planes() [][3]string {
	return [][3]string{
		{"qwertyuiop", "asdfghjkl", "zxcvbnm"},
		{"1234567890", "-/:;()€&@\"", ".,?!'"},
	}
}

func (k *keyboard) show(now time.Time) {
	if !k.Up {
		*k = keyboard{Up: true, Since: now}
	}
}

func (k *keyboard) hide(now time.Time) {
	if k.Up {
		k.Up, k.Since = false, now
	}
}

// ToggleSoftwareKeyboard hides the keyboard of the app in front, or shows it for the focused field, like ⌘K in Simulator. The field
// keeps the focus.
func (w *World) ToggleSoftwareKeyboard(ctx context.Context, udid string) error {
	return w.act(ctx, udid, keyboardTime, func(d *device, now time.Time) error {
		if p := d.process(d.Front); p != nil {
			p.turnKeyboard(!p.Keyboard.Up, now)
		}
		return nil
	})
}

// ToggleHardwareKeyboard connects or disconnects a hardware keyboard, like ⇧⌘K in Simulator.
func (w *World) ToggleHardwareKeyboard(ctx context.Context, udid string) error {
	return w.act(ctx, udid, keyboardTime, func(d *device, now time.Time) error {
		d.Hardware = !d.Hardware
		if p := d.process(d.Front); p != nil {
			p.turnKeyboard(!d.Hardware, now)
		}
		return nil
	})
}

// turnKeyboard shows or hides the keyboard of the focused field.
func (p *process) turnKeyboard(up bool, now time.Time) {
	p.changed()
	if !up {
		p.Keyboard.hide(now)
	} else if p.focused() != nil {
		p.Keyboard.show(now)
	}
}

func (k *keyboard) visible(now time.Time) bool {
	return k.Up && !k.late(now) || under(k.Since, now, keyboardTime)
}

// moving reports whether it is appearing, disappearing, or about to appear.
func (k *keyboard) moving(now time.Time) bool {
	return under(k.Since, now, keyboardTime) || k.late(now)
}

// keyboardElement is the keyboard at its present place.
func (p *process) keyboardElement(v *view, now time.Time, s Screen) *Element {
	tall := boardHeight(s)
	b := keys{process: p, view: v, left: s.Side, width: s.Width - 2*s.Side, rowHeight: (tall - keyTop - s.Bottom - barBelow(s)) / 4}
	b.board = &Element{Type: "Keyboard", Frame: Rect{Y: s.Height - tall, W: s.Width, H: tall}}
	switch pad := pads()[p.Keyboard.Pad]; {
	case p.Keyboard.Introduces:
		b.introduction()
	case pad != nil:
		b.pad(pad)
	default:
		plane := planes()[p.Keyboard.Plane%len(planes())]
		for i, row := range plane {
			b.row(i, row)
		}
		b.bottom(len(plane))
	}
	hidden := progress(p.Keyboard.Since, now, keyboardTime)
	if p.Keyboard.Up {
		hidden = 1 - hidden
	}
	shift(b.board, 0, tall*hidden, s.Scale)
	return b.board
}

// boardHeight is the height of the keyboard: lower on an iPhone in landscape.
func boardHeight(s Screen) float64 {
	if s.Side > 0 {
		return 205
	}
	return keyboardHeight
}

// barBelow is the height between the keys and the home indicator.
func barBelow(s Screen) float64 {
	if s.Side > 0 {
		return 0
	}
	return keyboardHeight - keyTop - 4*keyRowHeight - s.Bottom
}

// keys builds the keys of a keyboard.
type keys struct {
	*process
	view      *view
	left      float64
	width     float64
	rowHeight float64
	board     *Element
}

// row adds the characters of one row, centred; the last row of letters has shift and delete at its ends.
func (b keys) row(i int, characters string) {
	runes := []rune(characters)
	pitch := (b.width - 2*keyInset) / 10
	x := b.left + (b.width-pitch*float64(len(runes)))/2
	y := b.y(i)
	for _, r := range runes {
		b.character(r, Rect{X: pixel(x + keyGap/2), Y: y, W: pitch - keyGap, H: b.keyHeight()})
		x += pitch
	}
	if i == len(planes()[0])-1 {
		b.ends(y)
	}
}

func (b keys) y(row int) float64 { return b.board.Frame.Y + keyTop + b.rowHeight*float64(row) }

func (b keys) keyHeight() float64 { return b.rowHeight - (keyRowHeight - keyHeight) }

func (b keys) ends(y float64) {
	if b.Keyboard.Plane == 0 {
		shift := b.add("Button", "shift", "shift", Rect{X: b.left + keyInset, Y: y, W: wideKey, H: b.keyHeight()}, func(time.Time) {
			b.Keyboard.Shift = !b.Keyboard.Shift
		})
		shift.Selected = b.Keyboard.Shift
	}
	b.add("Key", "delete", "delete", Rect{X: b.left + b.width - keyInset - wideKey, Y: y, W: wideKey, H: b.keyHeight()},
		func(now time.Time) {
			b.enter('\b', now)
		})
}

// bottom adds the row with the space bar.
func (b keys) bottom(row int) {
	y := b.y(row)
	other := "numbers"
	if b.Keyboard.Plane != 0 {
		other = "letters"
	}
	b.add("Key", "more", other, Rect{X: b.left + keyInset, Y: y, W: moreWidth, H: b.keyHeight()}, func(time.Time) {
		b.Keyboard.Plane = (b.Keyboard.Plane + 1) % len(planes())
	})
	space := Rect{X: b.left + keyInset + moreWidth + keyGap, Y: y, H: b.keyHeight()}
	space.W = b.width - 2*keyInset - moreWidth - returnWidth - 2*keyGap
	for _, r := range b.extra() {
		space.W -= extraWidth + keyGap
		b.character(r, Rect{X: space.X + space.W + keyGap, Y: y, W: extraWidth, H: b.keyHeight()})
	}
	b.add("Key", "space", "space", space, func(now time.Time) { b.enter(' ', now) })
	b.add("Button", "Return", "return", Rect{X: b.left + b.width - keyInset - returnWidth, Y: y, W: returnWidth, H: b.keyHeight()},
		func(now time.Time) {
			b.enter('\n', now)
		})
}

// extra are the keys next to the space bar for the focused field, from right to left.
func (b keys) extra() string {
	if e := b.focused(); e != nil && b.Keyboard.Plane == 0 {
		return map[string]string{"email": ".@", "url": "./"}[e.Keyboard]
	}
	return ""
}

func (b keys) character(r rune, frame Rect) {
	text := string(r)
	if b.Keyboard.Shift {
		text = strings.ToUpper(text)
	}
	b.add("Key", text, text, frame, func(now time.Time) {
		b.Keyboard.Shift = false
		b.enter([]rune(text)[0], now)
	})
}

func (b keys) add(kind, id, label string, frame Rect, pressed func(time.Time)) *Element {
	e := &Element{Type: kind, Identifier: id, Label: label, Frame: frame, Look: Look{Style: "key"}}
	b.board.Children = append(b.board.Children, e)
	b.view.acts[e] = press(func(f finger) {
		b.changed()
		pressed(f.now)
	})
	return e
}
