package device

import (
	"context"
	"io"
	"time"
)

// Eraser makes a device as new: apps, data and settings are gone. A booted device is shut down for it and stays down.
type Eraser interface {
	Erase(ctx context.Context) error
}

// App is an installed app.
type App struct {
	Bundle  string `json:"bundle_id"`
	Name    string `json:"name"`
	Version string `json:"version,omitempty"`
	Type    string `json:"app_type"` // User or System
	Path    string `json:"path,omitempty"`
	Data    string `json:"data_path,omitempty"`
	PID     int    `json:"pid,omitempty"` // when it runs
}

// Inventory tells which apps are installed, and removes one.
type Inventory interface {
	List(ctx context.Context) ([]App, error)
	Uninstall(ctx context.Context, bundleID string) error
}

// Links opens URLs, as if the user had tapped them.
type Links interface {
	OpenURL(ctx context.Context, url string) error
}

// Place is where the device believes to be.
type Place interface {
	SetLocation(ctx context.Context, latitude, longitude float64) error
	ClearLocation(ctx context.Context) error
}

// Permissions are what apps may do. Action is grant, revoke or reset; a reset without an app is one for all.
type Permissions interface {
	Permit(ctx context.Context, action, service, bundleID string) error
}

// Trust is whose certificates apps believe. The file is a certificate in PEM; one that is trusted already is fine.
type Trust interface {
	TrustRoot(ctx context.Context, path string) error
}

// Looks are settings of the whole screen.
type Looks interface {
	Look(ctx context.Context, option string) (string, error)
	SetLook(ctx context.Context, option, value string) error
	// OverrideStatusBar makes the status bar show something else; nothing to show is the truth again.
	OverrideStatusBar(ctx context.Context, show map[string]string) error
}

// Mailbox delivers push notifications.
type Mailbox interface {
	Push(ctx context.Context, bundleID string, payload []byte) error
}

// Pasteboard is what was copied.
type Pasteboard interface {
	Copy(ctx context.Context, text string) error
	Paste(ctx context.Context) (string, error)
}

// Buttons are those of the device's body.
type Buttons interface {
	Press(ctx context.Context, button string, hold time.Duration) error
}

// Film records the screen into a file until it is closed; closing makes the file whole.
type Film interface {
	Record(ctx context.Context, path, codec string) (io.Closer, error)
}

// Adjusted is one setting that was made right for automation, or why it was not.
type Adjusted struct {
	Setting string `json:"setting"`
	Value   string `json:"value"`             // empty: it is not set any more
	Error   string `json:"message,omitempty"` // why it was not
}

// Preparer sets what text entry and steady screens need: no autocorrection, no tips over the keyboard. Restore undoes it: what was
// set before is set again. On a device that was not prepared it does nothing.
type Preparer interface {
	Prepare(ctx context.Context) ([]Adjusted, error)
	Restore(ctx context.Context) ([]Adjusted, error)
}
