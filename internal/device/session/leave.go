package session

import (
	"maps"
	"sync"
	"time"
)

// Leaves is how long after its last call a session has left, if it drives no device: as long as a claim lasts that nobody uses.
const Leaves = 30 * time.Minute

// Calls knows when sessions made their last calls. Nobody says when a session is over: what belongs to one ends when it has left. It is
// safe for concurrent use.
type Calls struct {
	now   func() time.Time
	began time.Time

	mu    sync.Mutex
	last  map[string]time.Time
	swept time.Time // when it last looked for sessions that have left: among so many that is too dear for every call
}

// NewCalls makes one. To it a session that made no call yet made its last one now: a process before this one may have heard it.
func NewCalls(now func() time.Time) *Calls {
	return &Calls{now: now, began: now(), last: map[string]time.Time{}}
}

// Heard notes that a session made a call.
func (c *Calls) Heard(session string) {
	now := c.now()
	c.mu.Lock()
	defer c.mu.Unlock()
	_, known := c.last[session]
	if !known && len(c.last) >= mostSessions && now.Sub(c.swept) >= time.Second {
		c.swept = now
		maps.DeleteFunc(c.last, func(_ string, last time.Time) bool { return now.Sub(last) >= Leaves })
	}
	if known || len(c.last) < mostSessions {
		c.last[session] = now
	}
}

// Leave notes that a session is over: it has left, unless it calls again.
func (c *Calls) Leave(session string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if _, known := c.last[session]; known {
		c.last[session] = time.Time{}
	}
}

// Left reports whether a session made no call for so long that it has left.
func (c *Calls) Left(session string) bool {
	c.mu.Lock()
	last, known := c.last[session]
	c.mu.Unlock()
	if !known {
		last = c.began
	}
	return c.now().Sub(last) >= Leaves
}
