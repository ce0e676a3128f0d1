package agentwire

import (
	"encoding/hex"
	"hash/fnv"
)

// Pulse is the body of a heartbeat in version 3: how long the agent's main queue has not answered, and in which request.
type Pulse struct {
	StuckMS uint32 // 0 while the main queue answers, however long the request takes
	During  Opcode
}

// Challenge is the answer to a Greet: it proves that the agent has the token, and asks the client for the same proof.
type Challenge struct {
	Version uint16
	Nonce   []byte // NonceSize random bytes of the agent
	Proof   []byte // AgentProof of both nonces
}

// Sight is the result of a Look or an Act.
type Sight struct {
	Settled   bool // false: the screen still moved at MaxMS
	WaitedMS  uint32
	Samples   uint32 // number of looks at the tree, including looks before an input
	Truncated uint32 // nodes omitted because of the limits
	Front     string // bundle id of the app in front; "": neither the target nor SpringBoard nor a candidate is in front
	State     string // of Front, as in AppInfo; of the target when Front is empty
	Cover     string // bundle id of a system process that covers it; "": none
	Digest    string // Digest of Front, Cover and JSON
	JSON      string // as in Tree; an empty array when Front is empty
}

func (*Pulse) Kind() Kind     { return 0x14 }
func (*Challenge) Kind() Kind { return 0x15 }
func (*Sight) Kind() Kind     { return 0x16 }

func (m *Pulse) fields(c *cursor) {
	c.u32(&m.StuckMS)
	c.u8((*uint8)(&m.During))
}

func (m *Challenge) fields(c *cursor) {
	c.u16(&m.Version)
	c.blob(&m.Nonce)
	c.blob(&m.Proof)
}

func (m *Sight) fields(c *cursor) {
	c.flag(&m.Settled)
	c.u32(&m.WaitedMS)
	c.u32(&m.Samples)
	c.u32(&m.Truncated)
	c.str(&m.Front)
	c.str(&m.State)
	c.str(&m.Cover)
	c.str(&m.Digest)
	c.str(&m.JSON)
}

// Elements decodes the tree.
func (m *Sight) Elements() ([]Element, error) { return decode[[]Element](m.JSON, "tree") }

// Digest identifies a look for comparison: the FNV-1a hash of 64 bits, in hexadecimal, of the texts with a zero byte after each.
func Digest(front, cover, tree string) string {
	h := fnv.New64a()
	for _, text := range []string{front, cover, tree} {
		h.Write([]byte(text))
		h.Write([]byte{0})
	}
	return hex.EncodeToString(h.Sum(nil))
}
