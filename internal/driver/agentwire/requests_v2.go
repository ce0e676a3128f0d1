package agentwire

// Version is the newest protocol version that this package speaks.
const Version = 3

// Hello opens version 2. It is sent in the frames of version 1: an agent that does not know it answers with an
// error and stays.
type Hello struct {
	Version uint16
	Token   string // proves that the client started this agent, or was told by who did
	Client  string // for the agent's log
}

// Observe waits in the agent until the screen is still, and answers with what it shows.
type Observe struct {
	StableMS uint32 // two looks this far apart must agree
	MinMS    uint32 // look at least this long
	MaxMS    uint32 // and at most this long
	MaxDepth uint32 // 0 is DefaultDepth
	MaxNodes uint32 // 0 is DefaultNodes
}

// The limits of a tree, unless a request says otherwise.
const (
	DefaultDepth = 30
	DefaultNodes = 5000
)

func (*Hello) Opcode() Opcode   { return 0x20 }
func (*Observe) Opcode() Opcode { return 0x21 }

func (m *Hello) fields(c *cursor) {
	c.u16(&m.Version)
	c.str(&m.Token)
	c.str(&m.Client)
}

func (m *Observe) fields(c *cursor) {
	c.u32(&m.StableMS)
	c.u32(&m.MinMS)
	c.u32(&m.MaxMS)
	c.u32(&m.MaxDepth)
	c.u32(&m.MaxNodes)
}
