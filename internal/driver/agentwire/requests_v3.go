package agentwire

// Version is the newest protocol version that this package speaks. An agent that does not speak it speaks version 1.
const Version = 3

// Hello opens version 3 with an agent that has no token. It is sent in the frames of version 1: an agent that does not know it
// answers with an error and stays.
type Hello struct {
	Version uint16
	Token   string // always empty: an agent with a token is greeted instead
	Client  string // for the agent's log
}

// Greet opens version 3 with an agent that has a token. It is sent in the frames of version 1. The agent answers with a
// Challenge, by which the client knows that the agent has the token; a Prove then tells the agent the same of the client. The
// token itself never travels.
type Greet struct {
	Version uint16
	Nonce   []byte // NonceSize random bytes of the client
	Client  string // for the agent's log
}

// Prove ends what Greet began. The answer is a Welcome.
type Prove struct{ Proof []byte }

// Look waits in the agent until the screen is still, and answers with what is in front, which need not be the target.
// It can wait for a change.
type Look struct {
	Wait
	Limits
	Unlike string // a Sight's digest: as long as a still screen has it, keep looking, for PatienceMS
	// Candidates are bundle ids of apps that may be in front, one a line. They are asked only when neither the target nor
	// SpringBoard is in front. Empty: the host has not listed them.
	Candidates string
}

// Wait says how long to look.
type Wait struct {
	StableMS   uint32 // two looks this far apart must agree
	MinMS      uint32 // look at least this long
	MaxMS      uint32 // and at most this long
	PatienceMS uint32 // how long a change is looked for, from the beginning of the look
}

// Limits bound a tree. Unnamed containers with one child do not count for the depth.
type Limits struct {
	Depth uint32 // 0 is LookDepth
	Nodes uint32 // 0 is DefaultNodes
}

// LookDepth is the depth of a tree in version 3, unless a request says otherwise.
const LookDepth = 60

// The limits of a tree of version 1. DefaultNodes holds for version 3 too, unless a request says otherwise.
const (
	DefaultDepth = 30
	DefaultNodes = 5000
)

// Act sends an input and answers with the settled screen after it. What the input is aimed at is looked for afresh: if it is
// not there, moved, or cannot be reached, nothing is sent. As soon as the input is sent, the agent says so in a frame with
// the flag sent.
type Act struct {
	App   string // bundle id that must be in front; empty: any
	Aim   *Aim   // nil: the input is not aimed at an element
	Input []byte // an encoded request: one of the inputs
	Wait  Wait   // of the look after it; its patience is for a screen that differs from the one before the input
	Limits
}

// Aim is the element that an input is meant for, as the client saw it.
type Aim struct {
	Type, Identifier, Label string
	X, Y, Width, Height     float64 // its frame
	Rank                    uint32  // among the elements with the same type, identifier and label, in document order
	AtX, AtY                float64 // the point that the input touches
}

// Shutdown ends the agent as soon as it is answered with OK: its test passes, and xcodebuild leaves by itself.
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
