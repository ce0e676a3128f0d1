package atspi

import (
	"context"
	"errors"
	"fmt"

	"github.com/godbus/dbus/v5"

	"ios-agent/internal/fault"
	"ios-agent/internal/hint"
	"ios-agent/internal/machine/processes"
)

func notRunning(pid int) *fault.Fault {
	return fault.New(fault.AppNotRunning, "process %d is not running", pid).WithHint("start the program again, and use its new process id")
}

// noDisplay is the fault of a program without an X server. Pid 0 means a program that has not been started.
func noDisplay(pid int, wayland string) *fault.Fault {
	who := "the program"
	if pid != 0 {
		who = fmt.Sprintf("process %d", pid)
	}
	if wayland != "" {
		return fault.New(fault.Unsupported, "%s shows its windows on Wayland (%s), where programs cannot send each other input",
			who, wayland).WithHint("start it on an X server or on XWayland, with its X11 backend: DISPLAY set, " +
			"GDK_BACKEND=x11 for GTK, QT_QPA_PLATFORM=xcb for Qt, the switch ozone-platform=x11 for Chromium and Electron")
	}
	return fault.New(fault.ToolMissing, "%s has no display: DISPLAY is not set", who).
		WithHint("start it with DISPLAY set to an X server, such as Xvfb on a machine without a screen")
}

// noPlace names both missing variables at once.
func noPlace() *fault.Fault {
	const says = "the program has neither a display nor a session bus: DISPLAY and DBUS_SESSION_BUS_ADDRESS are not set"
	return fault.New(fault.ToolMissing, says).WithHint("set both with %s, or call from a desktop session; on a machine without a "+
		"screen, start Xvfb as the display and dbus-run-session for the bus", hint.Field("env"))
}

func noSession() *fault.Fault {
	return fault.New(fault.ToolMissing, "no session bus: DBUS_SESSION_BUS_ADDRESS is not set, or its bus does not answer").
		WithHint("start the program below dbus-run-session, or in a session that has a bus")
}

func noAccessibility(err error) *fault.Fault {
	return fault.New(fault.ToolMissing, "no accessibility bus: %w", err).
		WithHint("install at-spi2-core, which starts it on demand, and start the program again")
}

// absent is the fault of a process that is not on the bus. Its child may be.
func absent(pid, child int) *fault.Fault {
	if child != 0 {
		return fault.New(fault.Unsupported, "process %d is not on the accessibility bus, and its child %d is", pid, child).With("child", child).
			WithHint("use process %d", child)
	}
	return fault.New(fault.Unsupported, "process %d is not on the accessibility bus: it has no window yet, or its toolkit reports none", pid).
		WithHint("wait until it shows a window, or start it again with accessibility: GTK needs NO_AT_BRIDGE unset, " +
			"Qt needs QT_LINUX_ACCESSIBILITY_ALWAYS_ON=1, Chromium and Electron need the switch force-renderer-accessibility")
}

// silentError means that no answer came in time.
type silentError struct{ err error }

func (e *silentError) Error() string { return "no answer: " + e.err.Error() }
func (e *silentError) Unwrap() error { return e.err }

// explain turns an error of the bus into a fault with a remedy.
func (a *App) explain(err error) error {
	if err == nil {
		return nil
	}
	if _, is := fault.In(err); is {
		return err
	}
	if !processes.Alive(a.pid, a.start) {
		return notRunning(a.pid)
	}
	switch {
	case errors.Is(err, context.Canceled):
		return err
	case isSilent(err):
		return fault.New(fault.Timeout, "process %d does not answer on the accessibility bus: it is busy or stopped", a.pid).
			WithHint("try again; if a debugger or a signal stopped it, let it continue first")
	}
	return fault.New(fault.ToolFailed, "process %d: the accessibility bus: %w", a.pid, err).
		WithHint("look again; if the fault stays, start the program again, because it has left the bus")
}

func isSilent(err error) bool {
	_, is := errors.AsType[*silentError](err)
	return is || errors.Is(err, context.DeadlineExceeded) || isNamed(err, "org.freedesktop.DBus.Error.NoReply",
		"org.freedesktop.DBus.Error.Timeout", "org.freedesktop.DBus.Error.TimedOut")
}

// isRefusal reports whether an error is the answer to one call.
func isRefusal(err error) bool {
	_, pointer := errors.AsType[*dbus.Error](err)
	_, plain := errors.AsType[dbus.Error](err)
	return (pointer || plain) && !isSilent(err)
}

// isMissing reports whether an error means an unknown object, interface, method or bus name.
func isMissing(err error) bool {
	return isNamed(err, "org.freedesktop.DBus.Error.UnknownObject", "org.freedesktop.DBus.Error.UnknownMethod",
		"org.freedesktop.DBus.Error.UnknownInterface", "org.freedesktop.DBus.Error.UnknownProperty",
		"org.freedesktop.DBus.Error.ServiceUnknown", "org.freedesktop.DBus.Error.NameHasNoOwner", "org.freedesktop.DBus.Error.NotSupported",
		"org.freedesktop.DBus.Error.NoSuchObject", "org.freedesktop.DBus.Error.Disconnected", "org.freedesktop.DBus.Error.InvalidArgs",
		"org.freedesktop.DBus.Error.Failed")
}

func isNamed(err error, names ...string) bool {
	var e dbus.Error
	if p, is := errors.AsType[*dbus.Error](err); is {
		e = *p
	} else if e, is = errors.AsType[dbus.Error](err); !is {
		return false
	}
	for _, n := range names {
		if e.Name == n {
			return true
		}
	}
	return false
}
