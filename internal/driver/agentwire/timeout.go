package agentwire

import (
	"math"
	"time"
	"unicode/utf8"
)

// How long an agent may be silent. XCTest queries can take 5 to 10 seconds during transitions, so a request that waits in the
// agent gets a margin on top of its own time.
const (
	usualTimeout = 30 * time.Second
	margin       = 15 * time.Second
	treeTimeout  = 120*time.Second + margin
	perCharacter = 100 * time.Millisecond
)

// Timeout is how long a client waits for the answer to r, or for the next heartbeat, before it closes the connection. A
// context can only shorten it.
func Timeout(r Request) time.Duration {
	if p, ok := r.(interface{ timeout() time.Duration }); ok {
		return p.timeout()
	}
	return usualTimeout
}

func (*DumpTree) timeout() time.Duration      { return treeTimeout }
func (m *TapElement) timeout() time.Duration  { return waiting(m.TimeoutMS) }
func (m *TapByLabel) timeout() time.Duration  { return waiting(m.TimeoutMS) }
func (m *TapWithType) timeout() time.Duration { return waiting(m.TimeoutMS) }
func (m *GetValue) timeout() time.Duration    { return waiting(m.TimeoutMS) }
func (m *Observe) timeout() time.Duration {
	return treeTimeout + time.Duration(m.MaxMS)*time.Millisecond
}
func (m *LongPress) timeout() time.Duration { return usualTimeout + seconds(m.Seconds) }
func (m *Button) timeout() time.Duration    { return usualTimeout + seconds(m.Seconds) }
func (m *Key) timeout() time.Duration       { return usualTimeout + time.Duration(m.Count)*perCharacter }

func (m *Drag) timeout() time.Duration {
	return usualTimeout + seconds(m.PressSeconds) + seconds(m.HoldSeconds)
}

func (m *Swipe) timeout() time.Duration {
	if m.Seconds == nil {
		return usualTimeout
	}
	return usualTimeout + seconds(*m.Seconds)
}

func (m *TypeText) timeout() time.Duration {
	return usualTimeout + time.Duration(utf8.RuneCountInString(m.Text))*perCharacter
}

// longest keeps sums of durations from overflowing.
const longest = 24 * time.Hour

func waiting(ms *uint64) time.Duration {
	if ms == nil {
		return usualTimeout
	}
	return time.Duration(min(*ms, uint64(longest.Milliseconds())))*time.Millisecond + margin
}

func seconds(s float64) time.Duration {
	if math.IsNaN(s) || s < 0 {
		return 0
	}
	return time.Duration(min(s, longest.Seconds()) * float64(time.Second))
}
