//go:build darwin || macaxfake

package macax

import (
	"errors"
	"fmt"
	"os"
	"strings"
	"syscall"

	"ios-agent/internal/desktop"
	"ios-agent/internal/fault"
	"ios-agent/internal/hint"
	"ios-agent/internal/machine/processes"
)

// axError is AXError from AXError.h.
type axError int32

const (
	axSuccess                axError = 0
	axFailure                axError = -25200
	axIllegalArgument        axError = -25201
	axInvalidElement         axError = -25202
	axInvalidObserver        axError = -25203
	axCannotComplete         axError = -25204
	axAttributeUnsupported   axError = -25205
	axActionUnsupported      axError = -25206
	axNotificationUnsupports axError = -25207
	axNotImplemented         axError = -25208
	axAlreadyRegistered      axError = -25209
	axNotRegistered          axError = -25210
	axAPIDisabled            axError = -25211
	axNoValue                axError = -25212
)

var axNames = map[axError]string{
	axFailure: "Failure", axIllegalArgument: "IllegalArgument", axInvalidElement: "InvalidUIElement",
	axInvalidObserver: "InvalidUIElementObserver", axCannotComplete: "CannotComplete", axAttributeUnsupported: "AttributeUnsupported",
	axActionUnsupported: "ActionUnsupported", axNotificationUnsupports: "NotificationUnsupported", axNotImplemented: "NotImplemented",
	axAlreadyRegistered: "NotificationAlreadyRegistered", axNotRegistered: "NotificationNotRegistered", axAPIDisabled: "APIDisabled",
	axNoValue: "NoValue",
}

func (e axError) String() string {
	if name, known := axNames[e]; known {
		return "kAXError" + name
	}
	return fmt.Sprintf("AXError %d", int32(e))
}

// The panes of the permissions.
const (
	privacy       = "System Settings → Privacy & Security → "
	accessibility = privacy + "Accessibility"
	recording     = privacy + "Screen & System Audio Recording (Screen Recording before macOS 15)"
)

// errUntrusted says which program needs which permission, and where to give it. The first one has macOS ask the user.
func (l *library) errUntrusted() *fault.Fault {
	l.askedTrust.Do(func() {
		options := l.dictionaryCreate(0, []ref{l.trustedPrompt}, []ref{l.booleanTrue}, 1, l.keyCallbacks, l.valueCallbacks)
		l.trusted(options)
		l.release(options)
	})
	return l.errForbidden("use accessibility", accessibility)
}

// present returns a fault unless a user is logged in at the screen, which a daemon that was started over SSH may lack, and the screen is
// unlocked: a lock screen takes the input, and hides the windows.
func (l *library) present() error {
	d := l.session()
	if d == 0 {
		return fault.New(fault.ToolFailed, "no user is logged in at this Mac's screen, so no program has windows").
			WithHint("log in at the screen or through Screen Sharing, and start the daemon there").WithDispatch(fault.NotDispatched)
	}
	defer l.release(d)
	if locked, _ := l.bool(l.dictionaryGet(d, l.name("CGSSessionScreenIsLocked"))); locked {
		return fault.New(fault.DeviceLocked, "the screen of this Mac is locked").
			WithHint("unlock it, and keep it awake during the work: `caffeinate -d`").WithDispatch(fault.NotDispatched)
	}
	return nil
}

// errBlind is the same for pictures.
func (l *library) errBlind() *fault.Fault {
	l.askedCapture.Do(func() {
		if l.askCapture != nil {
			l.askCapture()
		}
	})
	return l.errForbidden("take pictures of windows", recording)
}

func (l *library) errForbidden(what, pane string) *fault.Fault {
	return fault.New(fault.Forbidden, "macOS does not let this program %s", what).With("pane", pane).
		WithHint("allow %s in %s, then stop the daemon (%s) and try again; a daemon has macOS ask for each permission once, on the screen",
			l.program(), pane, hint.Command("ios-agent daemon stop"))
}

// program names the program whose permissions macOS checks.
func (l *library) program() string {
	const started = "the program that started the daemon"
	if l.responsible != nil {
		if seen, err := processes.Inspect(int(l.responsible(int32(os.Getpid())))); err == nil && seen.Path != "" {
			return fmt.Sprintf("%q, %s,", bundle(seen.Path), started)
		}
	}
	return started + " (the terminal, editor or agent that you work in)"
}

// bundle is the app that a program is in; the program itself if it is in none.
func bundle(path string) string {
	if app, _, is := strings.Cut(path, ".app/"); is {
		return app + ".app"
	}
	return path
}

// alive reports why a process cannot be driven: it has ended, or it belongs to another user. Signal 0 finds that out.
func alive(pid int) error {
	if pid <= 0 {
		return syscall.ESRCH
	}
	return syscall.Kill(pid, 0)
}

// errNotOurs is the fault of a process that cannot be driven; nil if it can.
func (o Options) errNotOurs(pid int) error {
	switch err := o.Alive(pid); {
	case errors.Is(err, syscall.ESRCH):
		return fault.New(fault.AppNotRunning, "process %d has ended", pid).WithHint("start the program again")
	case errors.Is(err, syscall.EPERM):
		return fault.New(fault.Forbidden, "process %d belongs to another user", pid).
			WithHint("start the program as the user who runs ios-agent")
	case err != nil:
		return fault.New(fault.ToolFailed, "cannot check process %d: %w", pid, err)
	}
	return nil
}

// errSilent is the fault of a process that did not answer; for an action, the outcome is unknown.
func (a *App) errSilent(acting bool) error {
	if err := a.options.errNotOurs(a.pid); err != nil {
		return err
	}
	if acting {
		return fault.New(fault.OutcomeUnknown, "process %d did not answer within %s; it may have done the action", a.pid, answerWithin).
			WithHint("a dialog that the action opened can keep it busy: look before you repeat it").WithDispatch(fault.MaybeDispatched)
	}
	return fault.New(fault.Timeout, "process %d does not answer within %s: it is busy, paused, or shows no windows", a.pid, answerWithin).
		WithHint("try again; if a debugger has paused it, let it continue: %s", hint.Do("debug_continue"))
}

// fail is the error of an action on an element, or nil; cannot describes the action.
func (a *App) fail(e axError, on *element, cannot string) error {
	switch e {
	case axSuccess:
		return nil
	case axInvalidElement:
		a.elements.drop(a.lib, on)
		return &desktop.GoneError{Key: on.key}
	case axActionUnsupported, axAttributeUnsupported, axIllegalArgument, axNotImplemented, axNoValue:
		return &desktop.UnsupportedError{What: cannot}
	case axCannotComplete:
		return a.errSilent(true)
	case axAPIDisabled:
		return a.lib.errUntrusted()
	}
	return fault.New(fault.ToolFailed, "macOS answered %s: the element did not %s", e, cannot).
		WithHint("look at the element before you try another way").WithDispatch(fault.MaybeDispatched)
}
