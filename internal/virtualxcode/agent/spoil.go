package agent

import (
	"bytes"

	"ios-agent/internal/agentwire"
	"ios-agent/internal/virtualxcode/world"
)

// spoil sends something else than the answer, when a fault asks for it: half of it and nothing more, or bytes whose
// length no frame can have.
func (s *session) spoil(id uint32, resp agentwire.Response) (spoilt bool, err error) {
	switch {
	case s.opts.TakeFault(world.AgentHalfFrame):
		var whole bytes.Buffer
		conn := agentwire.NewConn(&whole)
		conn.SetVersion(s.conn.Version())
		if err := conn.WriteResponse(id, resp); err != nil {
			return true, err
		}
		_, err = s.net.Write(whole.Bytes()[:whole.Len()/2])
	case s.opts.TakeFault(world.AgentGarbage):
		_, err = s.net.Write(bytes.Repeat([]byte{0xff}, 64))
	default:
		return false, nil
	}
	s.net.Close()
	return true, err
}
