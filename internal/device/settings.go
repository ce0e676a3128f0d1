package device

import (
	"context"
	"io"
	"time"
)

// Eraser removes all apps, data and settings of a device. It shuts a booted device down first; the device stays off.
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
	PID     int    `json:"pid,omitempty"` // set while it runs
}

// Inventory lists the installed apps, and removes one.
type Inventory interface {
	List(ctx context.Context) ([]App, error)
	Uninstall(ctx context.Context, bundleID string) error
}

// Links opens URLs like a tap of the user.
type Links interface {
	OpenURL(ctx context.Context, url string) error
}

// Place sets the device's location.
type Place interface {
	SetLocation(ctx context.Context, latitude, longitude float64) error
	ClearLocation(ctx context.Context) error
}

// Permissions changes the permissions of apps. Action is grant, revoke or reset; a reset without an app is for all apps.
type Permissions interface {
	Permit(ctx context.Context, action, service, bundleID string) error
}

// Trust makes a device's apps trust a certificate. The file is a PEM certificate; repeating it is harmless.
type Trust interface {
	TrustRoot(ctx context.Context, path string) error
}

// Looks are settings of the whole screen.
type Looks interface {
	Look(ctx context.Context, option string) (string, error)
	SetLook(ctx context.Context, option, value string) error
	// OverrideStatusBar sets the contents of the status bar; an empty map restores the real ones.
	OverrideStatusBar(ctx context.Context, show map[string]string) error
}

// Mailbox delivers push notifications.
type Mailbox interface {
	Push(ctx context.Context, bundleID string, payload []byte) error
}

// Pasteboard reads and writes the pasteboard.
type Pasteboard interface {
	Copy(ctx context.Context, text string) error
	Paste(ctx context.Context) (string, error)
}

// Buttons presses the hardware buttons.
type Buttons interface {
	Press(ctx context.Context, button string, hold time.Duration) error
}

// Film records the screen into a file until it is closed; closing completes the file.
type Film interface {
	Record(ctx context.Context, path, codec string) (io.Closer, error)
}

// Adjusted is one setting that was prepared for automation, or the reason why it could not be.
type Adjusted struct {
	Setting string `json:"setting"`
	Value   string `json:"value"`             // empty: no longer set
	Error   string `json:"message,omitempty"` // the reason of a failure
}

// Preparer makes settings for reliable text entry and steady screens: no autocorrection, no tips over the keyboard. Restore sets the
// earlier values again. On an unprepared device it does nothing.
type Preparer interface {
	Prepare(ctx context.Context) ([]Adjusted, error)
	Restore(ctx context.Context) ([]Adjusted, error)
}
