package capture

import (
	"fmt"
	"maps"
	"slices"

	"ios-agent/internal/telemetry"
	"ios-agent/internal/text/brief"
)

// mostLost bounds the reasons, and the flows, that are remembered.
const mostLost = 1000

// miss says in the log of the apps that flows are not there, and remembers it.
func (c *Capture) miss(n int, why string) {
	if n == 0 {
		return
	}
	message := fmt.Sprintf("%d requests are missing here: %s", n, why)
	c.o.Store.Add(telemetry.Entry{Time: c.o.Now(), Source: telemetry.Proxy, Process: "ios-agent", Level: telemetry.Warning, Message: message})
	c.mu.Lock()
	defer c.mu.Unlock()
	if len(c.lost) < mostLost {
		c.lost[why] += n
	}
}

// cannotRead remembers a flow that the store has and cannot give.
func (c *Capture) cannotRead(id string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if len(c.broken) < mostLost {
		c.broken[id] = true
	}
}

// Missing says why there are fewer flows than the proxy saw, each reason as a sentence: what was lost since this process began, what
// cannot be read, and whether the store was damaged.
func (c *Capture) Missing() (why []string) {
	if notice := c.o.Store.Notice(); notice != "" {
		why = append(why, notice)
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, reason := range slices.Sorted(maps.Keys(c.lost)) {
		why = append(why, brief.Count(c.lost[reason], "request")+" lost: "+reason)
	}
	if n := len(c.broken); n > 0 {
		why = append(why, brief.Count(n, "request")+" lost: what is stored of them is damaged")
	}
	if c.failing != nil {
		why = append(why, "what the proxy saw lately cannot be read: "+c.failing.Error())
	}
	return why
}
