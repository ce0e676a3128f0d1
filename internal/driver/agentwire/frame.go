package agentwire

import (
	"encoding/binary"
	"fmt"
	"io"
	"slices"
)

// MaxFrame is the longest frame that either side accepts, in bytes after the length.
const MaxFrame = 64 << 20

// firstChunk is the memory of a frame before its bytes arrive.
const firstChunk = 64 << 10

// flagHeartbeat marks a response that only says that the agent still works on the request.
const flagHeartbeat uint16 = 1 << 0

// FlagSent marks a response that only confirms that the input of an Act was sent. The answer follows.
const FlagSent uint16 = 1 << 1

// header comes before a message in version 3.
type header struct {
	id    uint32
	flags uint16
}

const (
	lengthSize = 4
	headerSize = 6
)

// startFrame returns a buffer with room for the length, and the header of version 3.
func startFrame(version uint16, h header) []byte {
	buf := make([]byte, lengthSize, 64)
	if version == 1 {
		return buf
	}
	buf = binary.LittleEndian.AppendUint32(buf, h.id)
	return binary.LittleEndian.AppendUint16(buf, h.flags)
}

// finishFrame writes the length into a started frame.
func finishFrame(buf []byte) error {
	n := len(buf) - lengthSize
	if n > MaxFrame {
		return fmt.Errorf("%d bytes to write: %w", n, ErrFrameTooLarge)
	}
	binary.LittleEndian.PutUint32(buf, uint32(n))
	return nil
}

// readFrame returns the next non-empty frame. It returns io.EOF only between frames.
func readFrame(r io.Reader) ([]byte, error) {
	for {
		var length [lengthSize]byte
		if _, err := io.ReadFull(r, length[:]); err != nil {
			return nil, err
		}
		n := binary.LittleEndian.Uint32(length[:])
		if n > MaxFrame {
			return nil, fmt.Errorf("%d bytes announced: %w", n, ErrFrameTooLarge)
		}
		if n > 0 {
			return readBody(r, int(n))
		}
	}
}

// readBody reads n bytes into memory that grows with the received bytes: the announced length may be wrong.
func readBody(r io.Reader, n int) ([]byte, error) {
	body := make([]byte, 0, min(n, firstChunk))
	for {
		have := len(body)
		m, err := io.ReadFull(r, body[have:min(n, cap(body))])
		body = body[:have+m]
		if err == io.EOF {
			err = io.ErrUnexpectedEOF
		}
		if err != nil || len(body) == n {
			return body, err
		}
		body = slices.Grow(body, min(n-len(body), len(body)))
	}
}

// splitHeader splits a frame of version 3 into header and message.
func splitHeader(frame []byte) (header, []byte, error) {
	if len(frame) < headerSize {
		return header{}, nil, decodeErrorf(InsufficientData, "frame of %d bytes has no header", len(frame))
	}
	h := header{binary.LittleEndian.Uint32(frame), binary.LittleEndian.Uint16(frame[4:])}
	return h, frame[headerSize:], nil
}
