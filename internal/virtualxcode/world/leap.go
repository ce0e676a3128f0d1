package world

import (
	"sync"
	"time"
)

// leaping is a clock that can be set, like the clock of a Mac. Setting it does not affect sleeps.
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
