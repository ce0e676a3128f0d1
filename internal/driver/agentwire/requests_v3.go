package agentwire

// Version is the newest protocol version that this package speaks. An agent without it speaks version 1.
const Version = 3

// Hello opens version 3 with an agent that has no token. Its frame has the format of version 1: an agent that does not know Hello
// answers with an error and keeps the connection.
type Hello struct {
	Version uint16
	Token   string // always empty: an agent with a token gets a Greet instead
	Client  string // for the agent's log
}

// Greet opens version 3 with an agent that has a token. Its frame has the format of version 1. The agent answers with a Challenge, which
// proves that it has the token; the client then sends its own proof in a Prove. The token itself never travels.
type Greet struct {
	Version uint16
	Nonce   []byte // NonceSize random bytes of the client
	Client  string // for the agent's log
}

// Prove completes a Greet. The answer is a Welcome.
type Prove struct{ Proof []byte }

// Look waits in the agent until the screen is still, and answers with the app in front, which may differ from the target. It can wait
// for a change.
type Look struct {
	Wait
	Limits
	Unlike string // digest of a Sight: while a still screen has this digest, keep looking, for PatienceMS
	// Candidates are bundle ids of apps that may be in front, one per line. The agent checks them only when neither the target nor
	// SpringBoard is in front. "" means that the host has not listed them.
	Candidates string
}

// Wait is the duration of a look.
type Wait struct {
	StableMS   uint32 // two looks with this distance must agree
	MinMS      uint32 // minimum duration
	MaxMS      uint32 // maximum duration
	PatienceMS uint32 // how long to wait for a change, from the start of the look
}

// Limits bound a tree. An unnamed container with one child does not count for the depth.
type Limits struct {
	Depth uint32 // maximum depth (default LookDepth)
	Nodes uint32 // maximum number of nodes (default DefaultNodes)
}

// LookDepth is the default depth of a tree in version 3.
const LookDepth = 60

// The limits of a tree of version 1. DefaultNodes is the default in version 3 too.
const (
	DefaultDepth = 30
	DefaultNodes = 5000
)

// Act sends an input and answers with the settled screen after it. The agent first finds the target of the input again: if the target is
// missing, has moved or cannot be reached, the agent does not send the input. As soon as the input is sent, the agent confirms it in a
// frame with the flag sent.
type Act struct {
	App   string // bundle id that must be in front; "": any
	Aim   *Aim   // nil: the input has no target element
	Input []byte // an encoded request: one of the inputs
	Wait  Wait   // the look after the input; its patience is for a screen that differs from the one before the input
	Limits
}

// Aim is the target element of an input, as the client saw it.
type Aim struct {
	Type, Identifier, Label string
	X, Y, Width, Height     float64 // its frame
	Rank                    uint32  // among the elements with the same type, identifier and label, in document order
	AtX, AtY                float64 // the point that the input touches
}

// Shutdown ends the agent after its answer OK: its test passes, and xcodebuild ends by itself.
type Shutdown struct{}

func (*Hello) Opcode() Opcode    { return 0x20 }
func (*Greet) Opcode() Opcode    { return 0x2b }
func (*Prove) Opcode() Opcode    { return 0x2c }
func (*Look) Opcode() Opcode     { return 0x2d }
func (*Act) Opcode() Opcode      { return 0x2e }
func (*Shutdown) Opcode() Opcode { return 0x2f }

func (m *Hello) fields(c *cursor) {
	c.u16(&m.Version)
	c.str(&m.Token)
	c.str(&m.Client)
}

func (m *Greet) fields(c *cursor) {
	c.u16(&m.Version)
	c.blob(&m.Nonce)
	c.str(&m.Client)
}

func (m *Prove) fields(c *cursor) { c.blob(&m.Proof) }

func (*Shutdown) fields(*cursor) {}

func (m *Look) fields(c *cursor) {
	m.Wait.fields(c)
	m.Limits.fields(c)
	c.str(&m.Unlike)
	c.str(&m.Candidates)
}

func (m *Wait) fields(c *cursor) {
	c.u32(&m.StableMS)
	c.u32(&m.MinMS)
	c.u32(&m.MaxMS)
	c.u32(&m.PatienceMS)
}

func (m *Limits) fields(c *cursor) {
	c.u32(&m.Depth)
	c.u32(&m.Nodes)
}

func (m *Act) fields(c *cursor) {
	c.str(&m.App)
	opt(c, &m.Aim, func(a *Aim) { a.fields(c) })
	c.blob(&m.Input)
	m.Wait.fields(c)
	m.Limits.fields(c)
}

func (m *Aim) fields(c *cursor) {
	c.str(&m.Type)
	c.str(&m.Identifier)
	c.str(&m.Label)
	c.f64(&m.X)
	c.f64(&m.Y)
	c.f64(&m.Width)
	c.f64(&m.Height)
	c.u32(&m.Rank)
	c.f64(&m.AtX)
	c.f64(&m.AtY)
}
