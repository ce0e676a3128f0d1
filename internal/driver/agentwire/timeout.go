package agentwire

import (
	"math"
	"time"
	"unicode/utf8"
)

// The limits of an agent's silence. XCTest queries can take 5 to 10 seconds during transitions, so a request that waits in the agent
// gets a margin in addition to its own time.
const (
	usualTimeout = 30 * time.Second
	margin       = 15 * time.Second
	treeTimeout  = 120*time.Second + margin
	perCharacter = 100 * time.Millisecond
)

// Timeout is how long a client waits for the answer to r, or for the next heartbeat, before it closes the connection. A context can only
// shorten it.
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
func (m *LongPress) timeout() time.Duration   { return usualTimeout + seconds(m.Seconds) }
func (m *Button) timeout() time.Duration      { return usualTimeout + seconds(m.Seconds) }
func (m *Key) timeout() time.Duration         { return usualTimeout + time.Duration(m.Count)*perCharacter }

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

func (m *Look) timeout() time.Duration { return treeTimeout + m.Wait.longest() }

// The timeout of an Act is the sum of the timeouts of its input and its look.
func (m *Act) timeout() time.Duration {
	input := usualTimeout
	if r, err := UnmarshalRequest(m.Input); err == nil {
		input = Timeout(r)
	}
	return input + treeTimeout + m.Wait.longest()
}

func (w Wait) longest() time.Duration {
	return time.Duration(w.MaxMS)*time.Millisecond + time.Duration(w.PatienceMS)*time.Millisecond
}

// Silence is the maximum silence of an agent with pulses; after it, the agent has ended or its machine has stopped.
const Silence = 5 * time.Second

// StuckLimit is how long the agent's main queue may be stuck in r. XCTest waits half a minute for an app that does not answer a look, so
// a look has a longer limit; an input blocks the queue while the finger is down or keys are typed. A request may take longer, as long as
// the queue answers.
func StuckLimit(r Request) time.Duration {
	const look = 40 * time.Second
	switch m := r.(type) {
	case *Look, *DumpTree, *FindElement, *GetValue, *GetTargetInfo, *Screenshot, *SetTarget, *Heartbeat, *DeviceUDID:
		return look
	case *Act:
		if input, err := UnmarshalRequest(m.Input); err == nil {
			return Timeout(input)
		}
	}
	return Timeout(r)
}

// longest prevents an overflow of summed durations.
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
