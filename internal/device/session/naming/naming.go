// Package naming tells in an answer which device it is about, when that is not the device of the session's last answer, and what drives it,
// when that is not what usually does: what a server tells is taken for the screen. While both stay the same it says nothing: it would cost
// tokens in every answer. The first device that a session names becomes its own. It observes calls.
package naming

import (
	"context"
	"strings"

	"ios-agent/internal/device/session"
	"ios-agent/internal/op"
)

// Guessed is the note of a call whose device nobody named or chose, and that could have meant another one.
type Guessed struct{}

// Named is the note of a call that names its device.
type Named struct{}

// In tells in the answers to sessions.
func In(sessions *session.Store) op.Observer {
	return op.Ended(func(_ context.Context, x *op.Exchange) {
		if x.Call.Device == nil || x.Call.Session == "" {
			return
		}
		s := sessions.Get(x.Call.Session)
		d, driven := x.Call.Device, driven(x.Call.Device)
		last := s.Answered(session.Answer{UDID: d.UDID, Driver: driven})
		if driven == last.Driver {
			driven = "" // it was told
		}
		if differs(s, last.UDID, x.Call) || driven != "" {
			name(x, driven)
		}
		if last.UDID == "" || last.UDID == d.UDID {
			choose(s, x)
		}
	})
}

// differs reports whether the device of an answer is not that of the session's last one. What an earlier process answered last is not
// known: the first answer of this process to such a session differs.
func differs(s *session.Session, last string, c *op.Call) bool {
	if last != "" {
		return last != c.Device.UDID
	}
	_, guessed := op.Noted[Guessed](c)
	return guessed || s.Resumed()
}

// choose makes a device that a call named the choice of a session that has none. A session that has to do with another one already named
// it for this call. What callers without a session name is nobody's choice.
func choose(s *session.Session, x *op.Exchange) {
	_, named := op.Noted[Named](x.Call)
	if named && x.Answer.Error == nil && s.Name != session.HTTP && s.Choice() == (session.Choice{}) {
		s.Use(session.Choice{UDID: x.Call.Device.UDID, Name: x.Call.Device.Name})
	}
}

// name says it, unless the answer does by itself. A name alone does not do: two simulators may have the same. No answer says by itself what
// drives a device.
func name(x *op.Exchange, driven string) {
	if d := x.Call.Device; driven != "" || !strings.Contains(x.Answer.Text(), d.UDID) {
		x.Notify(op.Notice{Kind: op.Chosen, Text: called(*d) + driven})
	}
}

// driven says what drives a device, and why; empty: what usually does.
func driven(d *op.Device) string {
	if d.Driver == "" {
		return ""
	}
	return ", driven by " + d.Driver + ": " + d.DrivenBecause
}

// called is the device's name with the beginning of its udid; the udid of one that has no name, as one that only its server knows.
func called(d op.Device) string {
	if d.Name == "" {
		return d.UDID
	}
	return d.Name + " (" + short(d.UDID) + ")"
}

// short is the beginning of a udid; the id of a desktop app is short.
func short(udid string) string {
	if len(udid) < 36 {
		return udid
	}
	return udid[:8]
}
