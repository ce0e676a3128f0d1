package agentwire

// The inputs that version 1 lacks. Points are points of the screen.

// DoubleTap touches a point twice in quick succession.
type DoubleTap struct{ X, Y int32 }

// Clear empties the text field with the focus.
type Clear struct{}

// SetValue moves the control under a point to a value: a slider to a number from 0 to 1 (or "40%"), a picker wheel to the row with that
// text, a switch to 0 or 1.
type SetValue struct {
	X, Y  int32
	Value string
}

// Key presses a key of the keyboard Count times: a name of Keys, or one character.
type Key struct {
	Name      string
	Modifiers Modifiers
	Count     uint32 // 0 means once
}

// Modifiers are the keys that are pressed at the same time.
type Modifiers uint32

// The modifier keys.
const (
	Shift Modifiers = 1 << iota
	Control
	Option
	Command
)

// Keys are the keys that have a name.
func Keys() []string {
	return []string{"return", "delete", "forward-delete", "tab", "space", "escape", "up", "down", "left", "right", "home", "end", "page-up",
		"page-down"}
}

// Drag presses a point, waits, and moves to another point: for elements that a long press lifts, for the thumb of a slider, and for a
// list that must not continue to scroll.
type Drag struct {
	StartX, StartY, EndX, EndY int32
	PressSeconds               float64 // before the move
	Velocity                   float64 // points per second; 0 is the platform's default
	HoldSeconds                float64 // at the end, before the release
}

// Pinch moves two fingers around a point apart (Scale above 1) or together (below 1).
type Pinch struct {
	X, Y     int32
	Scale    float64
	Velocity float64 // scale a second; 0 is the platform's own
}

// Alert reads the alert in front, of the system or of the app, and answers it if asked to.
type Alert struct {
	Do     AlertAction
	Button string // with PressButton: its label
}

// AlertAction is the action on an alert.
type AlertAction uint8

// The actions on an alert. Accept presses its affirmative button, Dismiss the button that changes nothing.
const (
	ReadAlert AlertAction = iota
	AcceptAlert
	DismissAlert
	PressButton
)

// Button presses a hardware button: a name of Buttons.
type Button struct {
	Name    string
	Seconds float64 // duration; 0 is a short press
}

// Buttons are the buttons that a device may have; a missing button is unsupported.
func Buttons() []string {
	return []string{"home", "lock", "volume-up", "volume-down", "action", "camera", "siri"}
}

// Rotate turns the device: portrait, portrait-upside-down, landscape-left or landscape-right.
type Rotate struct{ To string }

// Opcodes.
func (*DoubleTap) Opcode() Opcode { return 0x22 }
func (*Clear) Opcode() Opcode     { return 0x23 }
func (*SetValue) Opcode() Opcode  { return 0x24 }
func (*Key) Opcode() Opcode       { return 0x25 }
func (*Drag) Opcode() Opcode      { return 0x26 }
func (*Pinch) Opcode() Opcode     { return 0x27 }
func (*Alert) Opcode() Opcode     { return 0x28 }
func (*Button) Opcode() Opcode    { return 0x29 }
func (*Rotate) Opcode() Opcode    { return 0x2a }

func (m *DoubleTap) fields(c *cursor) {
	c.i32(&m.X)
	c.i32(&m.Y)
}

func (*Clear) fields(*cursor) {}

func (m *SetValue) fields(c *cursor) {
	c.i32(&m.X)
	c.i32(&m.Y)
	c.str(&m.Value)
}

func (m *Key) fields(c *cursor) {
	c.str(&m.Name)
	c.u32((*uint32)(&m.Modifiers))
	c.u32(&m.Count)
}

func (m *Drag) fields(c *cursor) {
	c.i32(&m.StartX)
	c.i32(&m.StartY)
	c.i32(&m.EndX)
	c.i32(&m.EndY)
	c.f64(&m.PressSeconds)
	c.f64(&m.Velocity)
	c.f64(&m.HoldSeconds)
}

func (m *Pinch) fields(c *cursor) {
	c.i32(&m.X)
	c.i32(&m.Y)
	c.f64(&m.Scale)
	c.f64(&m.Velocity)
}

func (m *Alert) fields(c *cursor) {
	c.u8((*uint8)(&m.Do))
	c.str(&m.Button)
}

func (m *Button) fields(c *cursor) {
	c.str(&m.Name)
	c.f64(&m.Seconds)
}

func (m *Rotate) fields(c *cursor) { c.str(&m.To) }
