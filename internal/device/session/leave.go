package session

import (
	"maps"
	"sync"
	"time"
)

// Leaves is the idle time after which a session without a driven device counts as over: the lifetime of an unused claim.
const Leaves = 30 * time.Minute

// Calls records the times of the sessions' last calls. A session has no explicit end: its resources end when it has been idle for
// Leaves. Calls is safe for concurrent use.
type Calls struct {
	now   func() time.Time
	began time.Time

	mu    sync.Mutex
	last  map[string]time.Time
	swept time.Time // time of the last search for idle sessions, which is too slow for every call
}

// NewCalls makes an empty record. A session without a call in it counts as active now: an earlier process may have had its calls.
func NewCalls(now func() time.Time) *Calls {
	return &Calls{now: now, began: now(), last: map[string]time.Time{}}
}

// Heard records a call of a session.
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

// Leave ends a session, unless it calls again.
func (c *Calls) Leave(session string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if _, known := c.last[session]; known {
		c.last[session] = time.Time{}
	}
}

// Left reports whether a session is over.
func (c *Calls) Left(session string) bool {
	c.mu.Lock()
	last, known := c.last[session]
	c.mu.Unlock()
	if !known {
		last = c.began
	}
	return c.now().Sub(last) >= Leaves
}
