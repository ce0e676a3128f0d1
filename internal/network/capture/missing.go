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

// miss logs among the app's lines that flows are missing, and counts them.
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

// cannotRead remembers a stored flow that cannot be read.
func (c *Capture) cannotRead(id string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if len(c.broken) < mostLost {
		c.broken[id] = true
	}
}

// Missing says why there are fewer flows than the proxy saw, each reason as a sentence: flows lost since this process began, flows that
// cannot be read, and a damaged store.
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
		why = append(why, brief.Count(n, "request")+" lost: their stored records are damaged")
	}
	if c.failing != nil {
		why = append(why, "cannot read the latest requests of the proxy: "+c.failing.Error())
	}
	return why
}
