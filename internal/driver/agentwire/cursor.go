package agentwire

import (
	"bytes"
	"encoding/binary"
	"math"
	"unicode/utf8"
)

// cursor walks the fields of one message in one direction: it takes them from buf when reading, else appends them. The first error stops
// it; later fields stay unchanged.
type cursor struct {
	buf     []byte
	reading bool
	hide    func(string) string // when writing for a Talk: the replacement of a text
	err     error
}

// take returns the next n bytes, or nil and an error. It never allocates, so a wrong count costs nothing.
func (c *cursor) take(n int) []byte {
	if c.err == nil && n > len(c.buf) {
		c.err = decodeErrorf(InsufficientData, "want %d bytes, have %d", n, len(c.buf))
	}
	if c.err != nil {
		return nil
	}
	b := c.buf[:n]
	c.buf = c.buf[n:]
	return b
}

func (c *cursor) u8(v *uint8) {
	if !c.reading {
		c.buf = append(c.buf, *v)
	} else if b := c.take(1); b != nil {
		*v = b[0]
	}
}

func (c *cursor) u16(v *uint16) {
	if !c.reading {
		c.buf = binary.LittleEndian.AppendUint16(c.buf, *v)
	} else if b := c.take(2); b != nil {
		*v = binary.LittleEndian.Uint16(b)
	}
}

func (c *cursor) u32(v *uint32) {
	if !c.reading {
		c.buf = binary.LittleEndian.AppendUint32(c.buf, *v)
	} else if b := c.take(4); b != nil {
		*v = binary.LittleEndian.Uint32(b)
	}
}

func (c *cursor) u64(v *uint64) {
	if !c.reading {
		c.buf = binary.LittleEndian.AppendUint64(c.buf, *v)
	} else if b := c.take(8); b != nil {
		*v = binary.LittleEndian.Uint64(b)
	}
}

func (c *cursor) i32(v *int32) {
	u := uint32(*v)
	c.u32(&u)
	*v = int32(u)
}

func (c *cursor) f64(v *float64) {
	u := math.Float64bits(*v)
	c.u64(&u)
	*v = math.Float64frombits(u)
}

// flag is a bool: any byte but zero reads as true, and true is written as 1.
func (c *cursor) flag(v *bool) {
	var u uint8
	if *v {
		u = 1
	}
	c.u8(&u)
	*v = u != 0
}

// count walks the length of a string or blob and returns the bytes to read.
func (c *cursor) count(have int) []byte {
	n := uint32(have) // finishFrame refuses a frame with a larger length
	c.u32(&n)
	if !c.reading || c.err != nil {
		return nil
	}
	if uint64(n) > uint64(len(c.buf)) {
		c.err = decodeErrorf(InsufficientData, "want %d bytes, have %d", n, len(c.buf))
		return nil
	}
	return c.take(int(n))
}

// str refuses invalid UTF-8 in both directions: a peer would refuse such a request only after it was sent, while refusing it here costs
// nothing.
func (c *cursor) str(v *string) {
	if c.hide != nil {
		*v = c.hide(*v)
	}
	b := c.count(len(*v))
	if c.err != nil {
		return
	}
	if c.reading {
		*v = string(b)
	} else {
		c.buf = append(c.buf, *v...)
	}
	if !utf8.ValidString(*v) {
		c.err = decodeErrorf(BadUTF8, "string of %d bytes", len(*v))
	}
}

func (c *cursor) blob(v *[]byte) {
	b := c.count(len(*v))
	if !c.reading {
		c.buf = append(c.buf, *v...)
	} else if c.err == nil {
		*v = bytes.Clone(b)
	}
}

// opt walks a flag byte and, if it is set, the field.
func opt[T any](c *cursor, v **T, field func(*T)) {
	present := *v != nil
	c.flag(&present)
	if !present || c.err != nil {
		return
	}
	if c.reading {
		*v = new(T)
	}
	field(*v)
}

// trailing is opt for a last field that older peers omit together with its flag.
func trailing[T any](c *cursor, v **T, field func(*T)) {
	if !c.reading || len(c.buf) > 0 {
		opt(c, v, field)
	}
}

// extra is a number at the end of an older message: zero is omitted, and a missing number reads as zero.
func extra(c *cursor, v *uint32) {
	if (c.reading && len(c.buf) >= 4) || (!c.reading && *v != 0) {
		c.u32(v)
	}
}
