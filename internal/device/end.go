package device

import (
	"context"
	"time"
)

// End is the reason why an app is no longer running.
type End struct {
	Reason string   `json:"reason"`           // in one line: exception, signal, message
	Report string   `json:"report,omitempty"` // the file of the crash report
	ID     string   `json:"id,omitempty"`     // id of the crash report
	Crash  string   `json:"crash,omitempty"`  // a few lines of it
	Logs   []string `json:"logs,omitempty"`   // its last log lines or output
	Own    bool     `json:"own,omitempty"`    // it ended by itself without a known crash
	Hint   string   `json:"-"`                // next action, if it is not another launch
}

// Reports copies the crash reports that a device stores itself.
type Reports interface {
	// CopyReports copies the newest reports that are missing in an existing folder, up to a maximum number. It returns the number of
	// copied reports and of reports left on the device.
	CopyReports(ctx context.Context, dir string, most int) (copied, left int, err error)
}

// EndReporter finds out why an app ended.
type EndReporter interface {
	Ended(ctx context.Context, bundleID string, since time.Time) (End, error)
}
