// Package naming names the device in an answer when it differs from the device of the session's last answer. It also names the driver when
// it is not the default one, because a driver's server decides what the screen shows. While both stay the same, it leaves answers
// unchanged, to save tokens. The first device that a session names becomes its own. In makes the op.Observer; it never drives a device.
package naming

import (
	"context"
	"strings"

	"ios-agent/internal/device/session"
	"ios-agent/internal/op"
)

// Guessed is the note of a call whose device was inferred and could have been another one.
type Guessed struct{}

// Named is the note of a call that names its device.
type Named struct{}

// In makes the observer that adds the names to the answers.
func In(sessions *session.Store) op.Observer {
	return op.Ended(func(_ context.Context, x *op.Exchange) {
		if x.Call.Device == nil || x.Call.Session == "" {
			return
		}
		s := sessions.Get(x.Call.Session)
		d, driven := x.Call.Device, driven(x.Call.Device)
		last := s.Answered(session.Answer{UDID: d.UDID, Driver: driven})
		if driven == last.Driver {
			driven = "" // the answer says so already
		}
		if differs(s, last.UDID, x.Call) || driven != "" {
			name(x, driven)
		}
		if last.UDID == "" || last.UDID == d.UDID {
			choose(s, x)
		}
	})
}

// differs reports whether the device of an answer differs from the session's last one. The last answer of an earlier process is
// unknown, so the first answer of this process differs.
func differs(s *session.Session, last string, c *op.Call) bool {
	if last != "" {
		return last != c.Device.UDID
	}
	_, guessed := op.Noted[Guessed](c)
	return guessed || s.Resumed()
}

// choose makes the device of a call the choice of a session without one. A session with claims already had its device chosen for this
// call. Callers without a session have no choice.
func choose(s *session.Session, x *op.Exchange) {
	_, named := op.Noted[Named](x.Call)
	if named && x.Answer.Error == nil && s.Name != session.HTTP && s.Choice() == (session.Choice{}) {
		s.Use(session.Choice{UDID: x.Call.Device.UDID, Name: x.Call.Device.Name})
	}
}

// name adds the device, unless the answer already has its udid. A name alone is not enough, because two simulators may share it. The
// driver is always added.
func name(x *op.Exchange, driven string) {
	if d := x.Call.Device; driven != "" || !strings.Contains(x.Answer.Text(), d.UDID) {
		x.Notify(op.Notice{Kind: op.Chosen, Text: called(*d) + driven})
	}
}

// driven is the driver of a device and the reason of its choice; empty for the default driver.
func driven(d *op.Device) string {
	if d.Driver == "" {
		return ""
	}
	return ", driven by " + d.Driver + ": " + d.DrivenBecause
}

// called is the device's name with the beginning of its udid. Without a name, as for a device that only its server knows, it is the
// udid.
func called(d op.Device) string {
	if d.Name == "" {
		return d.UDID
	}
	return d.Name + " (" + short(d.UDID) + ")"
}

// short is the beginning of a udid; the id of a desktop app is short already.
func short(udid string) string {
	if len(udid) < 36 {
		return udid
	}
	return udid[:8]
}
