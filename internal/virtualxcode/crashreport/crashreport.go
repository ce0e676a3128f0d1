// Package crashreport writes the crash reports of virtual apps: the kinds of crashes, the last output of an app (Said), and the .ips
// file that the Mac keeps (Write). A Crash and a Device carry all inputs; the package must not know the world.
package crashreport

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"time"

	"ios-agent/internal/virtualxcode/app"
	"ios-agent/internal/virtualxcode/uuid"
)

// Crash is an app that crashed.
type Crash struct {
	At, Started time.Time
	Bundle      string
	Name        string
	PID         int
	Kind        string // as in the app's definition
	Exception   string // the name of the uncaught exception, if any
	Message     string
	Screen      string // the screen that the app showed
	Line        int    // of the step in ui.yaml
	Front       bool   // the app was in front
}

// Device describes the device of a crash.
type Device struct {
	UDID        string
	Physical    bool // a physical device
	Number      int
	Runtime     string // its id
	RuntimeRoot string // the folder of its libraries
	Launchd     int    // the pid of the device's launchd
	Booted      time.Time
	App         *app.Bundle
	Executable  string // the path of the app's executable
}

// Said is the message that the app prints and logs when it crashes, or "".
func (c Crash) Said() string { return kinds()[c.Kind].said(c) }

// Signal is the signal that ended the process, such as SIGTRAP.
func (c Crash) Signal() string { return kinds()[c.Kind].signal }

// Sender is the sender of the signal.
func (c Crash) Sender() string { return kinds()[c.Kind].sender(c) }

// Type is the exception's type and its signal, such as EXC_BREAKPOINT (SIGTRAP).
func (c Crash) Type() string {
	return fmt.Sprintf("%s (%s)", kinds()[c.Kind].exception, c.Signal())
}

// Incident is the id of the crash on a device.
func (c Crash) Incident(udid string) string {
	return uuid.Of("crash", udid, c.Bundle, fmt.Sprint(c.PID), c.At.UTC().Format(time.RFC3339Nano))
}

// Write writes the report into a folder and returns its path. A second crash within the same second gets a number, as on a Mac.
func (c Crash) Write(dir string, d Device) (string, error) {
	data, err := c.Text(d)
	if err != nil {
		return "", err
	}
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return "", err
	}
	name := strings.ReplaceAll(c.Name, "/", ":") + c.At.Format("-2006-01-02-150405")
	for n := 0; ; n++ {
		file := filepath.Join(dir, name+".ips")
		if n > 0 {
			file = filepath.Join(dir, fmt.Sprintf("%s.%03d.ips", name, n))
		}
		f, err := os.OpenFile(file, os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o644)
		if os.IsExist(err) {
			continue
		}
		if err != nil {
			return "", err
		}
		_, err = f.Write(data)
		if closed := f.Close(); err == nil {
			err = closed
		}
		return file, err
	}
}
