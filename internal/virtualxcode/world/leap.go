package world

import (
	"sync"
	"time"
)

// leaping is a clock that can be set, as that of a Mac can. Sleeps are not affected, the time that is read is.
type leaping struct {
	Clock
	mu sync.Mutex
	by time.Duration
}

// Now is the time on the clock.
func (c *leaping) Now() time.Time {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.Clock.Now().Add(c.by)
}

func (c *leaping) leap(by time.Duration) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.by += by
}
