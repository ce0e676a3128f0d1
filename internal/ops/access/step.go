package access

import (
	"cmp"
	"context"
	"fmt"
	"strings"

	"ios-agent/internal/config"
	"ios-agent/internal/device/act"
	"ios-agent/internal/device/pool"
	"ios-agent/internal/device/session"
	"ios-agent/internal/fault"
	"ios-agent/internal/op"
	"ios-agent/internal/ui"
	"ios-agent/internal/ui/outline"
)

// mostMeanwhile is the maximum number of unexpected changes that an answer lists.
const mostMeanwhile = 5

// Looking is a call that looks at a device. It collects what happened on the device since the session last saw it.
type Looking struct {
	Call    *op.Call
	Handle  *pool.Handle
	Session *session.Session
	Quiet   bool // the result itself lists the changes, so the notice only names the sessions that drove

	lines []string
	who   string
}

// UDID is the udid of the device.
func (l *Looking) UDID() string { return l.Handle.Info().UDID }

// Saw notes what changed up to a screen that the step sees. The noted changes count as shown to the session.
func (l *Looking) Saw(screen *ui.Screen) {
	var lines []string
	l.Session.Refs(func(r *ui.Refs) {
		if lines = outline.SinceShown(screen, l.UDID(), r); len(lines) > 0 && !l.Quiet {
			r.Glimpse(l.UDID(), screen)
		}
	})
	l.changed(lines)
	if len(lines) > 0 && !l.Quiet {
		l.Session.Showed(l.UDID())
	}
}

// changed notes changes, and the other sessions that may have made them.
func (l *Looking) changed(lines []string) {
	if len(lines) == 0 {
		return
	}
	if others := l.Session.DroveSince(l.UDID()); len(others) > 0 {
		l.who = strings.Join(others, " and ") + " drove this device"
	}
	if !l.Quiet {
		l.lines = append(l.lines, lines...)
	}
}

func (l *Looking) tell() {
	lines := l.lines
	if over := len(lines) - mostMeanwhile; over > 0 {
		lines = append(lines[:mostMeanwhile:mostMeanwhile], fmt.Sprintf("… and %d more", over))
	}
	if len(lines) > 0 || l.who != "" {
		l.Call.Notify(op.Notice{Kind: op.Meanwhile, Text: l.who, Lines: lines})
	}
}

// Shown is the screen in an answer about something else: the changes since the session was last shown it, or its outline.
type Shown struct {
	Changes []string `json:"changes,omitempty"`
	Outline string   `json:"outline,omitempty" lines:"ours"`
}

// MostShown is the maximum number of lines of such a screen.
const MostShown = 15

// Show puts a screen into an answer. The caller can use its refs.
func (l *Looking) Show(screen *ui.Screen, still bool) (out Shown) {
	l.Session.Refs(func(r *ui.Refs) {
		if before := r.Shown(l.UDID()); before == nil || before.App != screen.App {
			out.Outline = outline.Of(screen, outline.Choice{Lines: MostShown}, l.UDID(), r)
		} else {
			out.Changes = outline.SinceShown(screen, l.UDID(), r)
		}
		if still {
			r.Remember(l.UDID(), screen)
		} else {
			r.Glimpse(l.UDID(), screen)
		}
	})
	l.Quiet = true
	l.changed(out.Changes)
	return out
}

// Text is the outline or the changes, to append to another text.
func (o Shown) Text() string {
	switch {
	case o.Outline != "":
		return "\n" + o.Outline
	case len(o.Changes) > 0:
		return "\n" + outline.Summary(o.Changes, MostShown)
	}
	return ""
}

// Unread says why an answer shows no screen.
func Unread(err error) string { return "cannot read the screen: " + err.Error() }

// Step runs fn with a step on the device, in its lane. The answer begins with what changed on the screen since the session was last shown
// it: an effect of an earlier step may have come late. The look of the step itself finds these changes; Step makes no extra look.
func (d Access) Step(ctx context.Context, l *Looking, fn func(act.Step) error) error {
	if err := d.held(l.UDID(), l.Call); err != nil {
		return err
	}
	return d.Do(ctx, l.Handle, func() error {
		err := fn(act.Step{Device: l.Handle.Device, Session: l.Session, Tell: l.Call.Progress, Seen: l.Saw})
		l.tell()
		if err == nil {
			l.Session.Showed(l.UDID())
		}
		return err
	})
}

// held is a fault if a debugger has paused an app of the device: a paused app does not answer, and a look would wait in vain. A client that
// wants to look all the same sets uiDebuggerGuardMode.
func (d Access) held(udid string, c *op.Call) error {
	app, is := d.Debuggers.Paused(udid)
	if !is || d.guardMode(c) != config.GuardError {
		return nil
	}
	f := fault.New(fault.AppPaused, "the app does not answer: it is paused, %s", app.Held()).With("debugger", app.ID).
		WithDispatch(fault.NotDispatched)
	if app.Session != c.Session {
		return f.WithHint("the session %q debugs it: wait until it is done, or use another device", app.Session)
	}
	return f
}

// guardMode is the client's setting for looks at a paused app.
func (d Access) guardMode(c *op.Call) string {
	set := d.Sessions.Get(c.Session).Defaults(c.Dir, c.Env).Setting(config.GuardMode())
	return cmp.Or(set, config.GuardError)
}
