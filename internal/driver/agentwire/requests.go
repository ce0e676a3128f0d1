package agentwire

// Heartbeat checks whether the agent answers.
type Heartbeat struct{}

// TapCoord taps a point, in points from the origin of the target app.
type TapCoord struct{ X, Y int32 }

// TapElement taps the element whose identifier is Selector ("base" or "base[N]"). With a timeout the agent waits until the element
// exists, is hittable and stands still.
type TapElement struct {
	Selector  string
	TimeoutMS *uint64
}

// TapByLabel is TapElement by label.
type TapByLabel struct {
	Label     string
	TimeoutMS *uint64
}

// TapWithType is TapElement or TapByLabel among the elements of one type.
type TapWithType struct {
	Selector  string
	ByLabel   bool
	Type      string
	TimeoutMS *uint64
}

// TypeText types into the element with the keyboard focus, at the cursor.
type TypeText struct{ Text string }

// Swipe drags a finger from start to end; without Seconds it takes 0.3 seconds.
type Swipe struct {
	StartX, StartY, EndX, EndY int32
	Seconds                    *float64
}

// GetValue reads an element's value or, if it is empty, its label.
type GetValue struct {
	Selector  string
	ByLabel   bool
	Type      *string
	TimeoutMS *uint64
}

// LongPress holds a finger on a point.
type LongPress struct {
	X, Y    int32
	Seconds float64
}

// DumpTree asks for the target's whole tree.
type DumpTree struct{}

// Screenshot asks for the whole main screen.
type Screenshot struct{}

// SetTarget chooses the app for later requests. It does not launch the app, and never fails.
type SetTarget struct{ Bundle string }

// FindElement asks for the current state of one element, hittable included.
type FindElement struct {
	Selector string
	ByLabel  bool
	Type     *string
}

// GetTargetInfo asks for the target's description and whether it runs.
type GetTargetInfo struct{}

// DeviceUDID asks which simulator the agent runs on.
type DeviceUDID struct{}

// Opcodes. 0x15 belongs to Android (BridgeHealth) and must not be used.
func (*Heartbeat) Opcode() Opcode     { return 0x01 }
func (*TapCoord) Opcode() Opcode      { return 0x02 }
func (*TapElement) Opcode() Opcode    { return 0x03 }
func (*TapByLabel) Opcode() Opcode    { return 0x04 }
func (*TapWithType) Opcode() Opcode   { return 0x05 }
func (*TypeText) Opcode() Opcode      { return 0x06 }
func (*Swipe) Opcode() Opcode         { return 0x07 }
func (*GetValue) Opcode() Opcode      { return 0x08 }
func (*LongPress) Opcode() Opcode     { return 0x09 }
func (*DumpTree) Opcode() Opcode      { return 0x10 }
func (*Screenshot) Opcode() Opcode    { return 0x11 }
func (*SetTarget) Opcode() Opcode     { return 0x12 }
func (*FindElement) Opcode() Opcode   { return 0x13 }
func (*GetTargetInfo) Opcode() Opcode { return 0x14 }
func (*DeviceUDID) Opcode() Opcode    { return 0x16 }

func (*Heartbeat) fields(*cursor)     {}
func (*DumpTree) fields(*cursor)      {}
func (*Screenshot) fields(*cursor)    {}
func (*GetTargetInfo) fields(*cursor) {}
func (*DeviceUDID) fields(*cursor)    {}

func (m *TapCoord) fields(c *cursor) {
	c.i32(&m.X)
	c.i32(&m.Y)
}

func (m *TapElement) fields(c *cursor) {
	c.str(&m.Selector)
	trailing(c, &m.TimeoutMS, c.u64)
}

func (m *TapByLabel) fields(c *cursor) {
	c.str(&m.Label)
	trailing(c, &m.TimeoutMS, c.u64)
}

func (m *TapWithType) fields(c *cursor) {
	c.str(&m.Selector)
	c.flag(&m.ByLabel)
	c.str(&m.Type)
	trailing(c, &m.TimeoutMS, c.u64)
}

func (m *TypeText) fields(c *cursor) { c.str(&m.Text) }

func (m *Swipe) fields(c *cursor) {
	c.i32(&m.StartX)
	c.i32(&m.StartY)
	c.i32(&m.EndX)
	c.i32(&m.EndY)
	opt(c, &m.Seconds, c.f64)
}

func (m *GetValue) fields(c *cursor) {
	c.str(&m.Selector)
	c.flag(&m.ByLabel)
	opt(c, &m.Type, c.str)
	trailing(c, &m.TimeoutMS, c.u64)
}

func (m *LongPress) fields(c *cursor) {
	c.i32(&m.X)
	c.i32(&m.Y)
	c.f64(&m.Seconds)
}

func (m *SetTarget) fields(c *cursor) { c.str(&m.Bundle) }

func (m *FindElement) fields(c *cursor) {
	c.str(&m.Selector)
	c.flag(&m.ByLabel)
	opt(c, &m.Type, c.str)
}
