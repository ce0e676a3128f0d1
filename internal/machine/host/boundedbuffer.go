package host

import "sync"

// boundedBuffer keeps the first and the last bytes that are written to it, up to a maximum for each. Its memory grows up to the two maxima;
// a full tail is a ring.
type boundedBuffer struct {
	mu               sync.Mutex
	head, tail       []byte
	headCap, tailCap int
	next             int // oldest byte of a full ring
	total            int64
}

func headAndTail(limit int) *boundedBuffer {
	return &boundedBuffer{headCap: limit / 2, tailCap: limit - limit/2}
}

func tailOnly(limit int) *boundedBuffer { return &boundedBuffer{tailCap: limit} }

func (c *boundedBuffer) add(p []byte) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.total += int64(len(p))
	n := min(len(p), c.headCap-len(c.head))
	c.head = append(c.head, p[:n]...)
	c.addTail(p[n:])
}

func (c *boundedBuffer) addTail(p []byte) {
	p = p[max(0, len(p)-c.tailCap):]
	n := min(len(p), c.tailCap-len(c.tail))
	c.tail = append(c.tail, p[:n]...)
	for p = p[n:]; len(p) > 0; {
		n := copy(c.tail[c.next:], p)
		c.next = (c.next + n) % c.tailCap
		p = p[n:]
	}
}

// bytes returns the kept bytes, in order, and the number of dropped bytes.
func (c *boundedBuffer) bytes() (kept []byte, dropped int64) {
	c.mu.Lock()
	defer c.mu.Unlock()
	kept = make([]byte, 0, len(c.head)+len(c.tail))
	kept = append(kept, c.head...)
	kept = append(kept, c.tail[c.next:]...)
	kept = append(kept, c.tail[:c.next]...)
	return kept, c.total - int64(len(kept))
}
