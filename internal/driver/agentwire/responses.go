package agentwire

// OK means that the request succeeded.
type OK struct{}

// ErrorText is an error in version 1: text only.
type ErrorText struct{ Message string }

// Tree is the target's tree: a JSON array of elements, empty or with one root.
type Tree struct {
	JSON      string
	Truncated uint32 // nodes omitted because of the limits; readers of version 1 do not see it
}

// Image is a screenshot.
type Image struct{ PNG []byte }

// Value is a text, which may be empty.
type Value struct{ Text *string }

// Found is one element as JSON, or the literal null.
type Found struct {
	JSON      string
	Truncated uint32 // as in Tree
}

// TargetInfo is AppInfo as JSON.
type TargetInfo struct{ JSON string }

// Welcome is the answer to a valid Hello or Prove. From the next frame on, both sides speak the version in it.
type Welcome struct {
	Version uint16
	JSON    string // HelloInfo
}

// Fault is an error with a code: version 3's replacement for ErrorText.
type Fault struct {
	Code    Code
	Message string
}

// AlertState is the alert that an Alert found: its AlertInfo as JSON before the answer, or the literal null.
type AlertState struct{ JSON string }

// Kinds.
func (*OK) Kind() Kind         { return 0x00 }
func (*ErrorText) Kind() Kind  { return 0x01 }
func (*Tree) Kind() Kind       { return 0x02 }
func (*Image) Kind() Kind      { return 0x03 }
func (*Value) Kind() Kind      { return 0x04 }
func (*Found) Kind() Kind      { return 0x05 }
func (*TargetInfo) Kind() Kind { return 0x06 }
func (*Welcome) Kind() Kind    { return 0x10 }
func (*Fault) Kind() Kind      { return 0x11 }
func (*AlertState) Kind() Kind { return 0x13 }

func (*OK) fields(*cursor)            {}
func (m *ErrorText) fields(c *cursor) { c.str(&m.Message) }
func (m *Image) fields(c *cursor)     { c.blob(&m.PNG) }
func (m *Value) fields(c *cursor)     { opt(c, &m.Text, c.str) }

func (m *TargetInfo) fields(c *cursor) { c.str(&m.JSON) }
func (m *AlertState) fields(c *cursor) { c.str(&m.JSON) }

func (m *Tree) fields(c *cursor) {
	c.str(&m.JSON)
	extra(c, &m.Truncated)
}

func (m *Found) fields(c *cursor) {
	c.str(&m.JSON)
	extra(c, &m.Truncated)
}

func (m *Welcome) fields(c *cursor) {
	c.u16(&m.Version)
	c.str(&m.JSON)
}

func (m *Fault) fields(c *cursor) {
	c.u16((*uint16)(&m.Code))
	c.str(&m.Message)
}
