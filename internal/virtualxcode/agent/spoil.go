package agent

import (
	"bytes"
	"encoding/binary"

	"ios-agent/internal/driver/agentwire"
	"ios-agent/internal/virtualxcode/flaw"
)

// spoil sends a broken answer if a fault asks for it, and closes the connection.
func (s *session) spoil(id uint32, resp agentwire.Response) (spoilt bool, err error) {
	bad, err := s.spoiltFrame(id, resp)
	if bad == nil || err != nil {
		return err != nil, err
	}
	_, err = s.net.Write(bad)
	s.net.Close()
	return true, err
}

// spoiltFrame is half of the answer, a frame of random bytes, or a header with a length beyond the limit. It is nil without a fault.
func (s *session) spoiltFrame(id uint32, resp agentwire.Response) ([]byte, error) {
	switch {
	case s.happens(flaw.AgentHalfFrame):
		var whole bytes.Buffer
		conn := agentwire.NewConn(&whole)
		conn.SetVersion(s.conn.Version())
		err := conn.WriteResponse(id, resp)
		return whole.Bytes()[:whole.Len()/2], err
	case s.happens(flaw.AgentGarbage):
		rubbish := bytes.Repeat([]byte{0xee}, 64)
		return append(binary.LittleEndian.AppendUint32(nil, uint32(len(rubbish))), rubbish...), nil
	case s.happens(flaw.AgentOversizedFrame):
		return append(binary.LittleEndian.AppendUint32(nil, agentwire.MaxFrame+1), make([]byte, 64)...), nil
	}
	return nil, nil
}
