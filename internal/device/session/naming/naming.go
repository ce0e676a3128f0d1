// Package naming tells in an answer which device it is about, when that is not the device of the session's last answer. It observes calls.
// While the device stays the same it says nothing: it would cost tokens in every answer.
package naming

import (
	"context"
	"strings"

	"ios-agent/internal/device/session"
	"ios-agent/internal/op"
)

// Guessed is the note of a call whose device nobody named or chose, and that could have meant another one.
type Guessed struct{}

// In tells in the answers to sessions.
func In(sessions *session.Store) op.Observer {
	return op.Ended(func(_ context.Context, x *op.Exchange) {
		if x.Call.Device != nil && x.Call.Session != "" && differs(sessions.Get(x.Call.Session), x.Call) {
			name(x)
		}
	})
}

// differs reports whether the device of an answer is not that of the session's last one. What an earlier process answered last is not
// known: the first answer of this process to such a session differs.
func differs(s *session.Session, c *op.Call) bool {
	last := s.Answered(c.Device.UDID)
	if last != "" {
		return last != c.Device.UDID
	}
	_, guessed := op.Noted[Guessed](c)
	return guessed || s.Resumed()
}

// name says it, unless the answer does by itself. A name alone does not do: two simulators may have the same.
func name(x *op.Exchange) {
	d := x.Call.Device
	if !strings.Contains(x.Answer.Text(), d.UDID) {
		x.Notify(op.Notice{Kind: op.Chosen, Text: strings.TrimSpace(d.Name + " (" + short(d.UDID) + ")")})
	}
}

// short is the beginning of a udid; the id of a desktop app is short.
func short(udid string) string {
	if len(udid) < 36 {
		return udid
	}
	return udid[:8]
}
