package agentwire

import (
	"bufio"
	"io"
	"sync"
)

// Conn reads and writes the frames of one stream, at either end. One goroutine may read while others write; the reader changes the
// version, between frames only.
type Conn struct {
	r       *bufio.Reader
	w       io.Writer
	mu      sync.Mutex // guards writes and version
	version uint16

	said, heard func(header, []byte) // report written and read frames to a Talk; nil: no Talk
}

// NewConn returns a Conn that speaks version 1 until SetVersion.
func NewConn(rw io.ReadWriter) *Conn {
	return &Conn{r: bufio.NewReader(rw), w: rw, version: 1}
}

// Version is the version of the frames.
func (c *Conn) Version() uint16 {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.version
}

// SetVersion sets the format of the next frames.
func (c *Conn) SetVersion(v uint16) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.version = v
}

// WriteRequest sends r. Version 1 does not send the id. Every error is a *SendError.
func (c *Conn) WriteRequest(id uint32, r Request) error {
	return c.write(header{id: id}, func(buf []byte) ([]byte, error) { return appendRequest(buf, r) })
}

// WriteResponse answers the request with this id.
func (c *Conn) WriteResponse(id uint32, r Response) error {
	return c.write(header{id: id}, func(buf []byte) ([]byte, error) { return appendResponse(buf, r) })
}

// WriteHeartbeat tells the client that the agent still works on its request. Version 1 has no such frame, so it does nothing there.
func (c *Conn) WriteHeartbeat(id uint32, p Pulse) error {
	if c.Version() == 1 {
		return nil
	}
	return c.write(header{id, flagHeartbeat}, func(buf []byte) ([]byte, error) { return appendResponse(buf, &p) })
}

// WriteSent tells the client that the input of its Act was sent.
func (c *Conn) WriteSent(id uint32) error {
	return c.write(header{id, FlagSent}, func(buf []byte) ([]byte, error) { return appendResponse(buf, &OK{}) })
}

// write sends one frame in one Write. Its error says whether the frame may have arrived.
func (c *Conn) write(h header, message func([]byte) ([]byte, error)) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	buf, err := message(startFrame(c.version, h))
	if err == nil {
		err = finishFrame(buf)
	}
	if err != nil {
		return &SendError{Err: err}
	}
	if n, err := c.w.Write(buf); err != nil {
		return &SendError{Sent: n > 0, Err: err}
	}
	if c.said != nil {
		c.said(h, buf[len(startFrame(c.version, h)):])
	}
	return nil
}

// ReadRequest returns the next request and its id, which is 0 in version 1. A *DecodeError comes with the id if the frame has one and
// leaves the stream in step for the next read; any other error does not.
func (c *Conn) ReadRequest() (uint32, Request, error) {
	h, message, err := c.read()
	if err != nil {
		return h.id, nil, err
	}
	r, err := UnmarshalRequest(message)
	return h.id, r, err
}

// Reply is a response on the wire.
type Reply struct {
	ID        uint32 // 0 in version 1
	Heartbeat bool   // the agent still works on the request; Response is a Pulse
	Sent      bool   // the input of an Act was sent; Response is nil
	Response  Response
}

// ReadResponse returns the next response. Its errors follow the rules of ReadRequest.
func (c *Conn) ReadResponse() (Reply, error) {
	h, message, err := c.read()
	if err != nil {
		return Reply{ID: h.id}, err
	}
	if h.flags&FlagSent != 0 {
		return Reply{ID: h.id, Sent: true}, nil
	}
	r, err := UnmarshalResponse(message)
	return Reply{ID: h.id, Heartbeat: h.flags&flagHeartbeat != 0, Response: r}, err
}

func (c *Conn) read() (header, []byte, error) {
	var h header
	message, err := readFrame(c.r)
	if err == nil && c.Version() > 1 {
		h, message, err = splitHeader(message)
	}
	if err == nil && c.heard != nil {
		c.heard(h, message)
	}
	return h, message, err
}
