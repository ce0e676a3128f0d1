package device

import (
	"context"
	"time"
)

// End is why an app is no longer running.
type End struct {
	Reason string   `json:"reason"`           // in one line: exception, signal, message
	Report string   `json:"report,omitempty"` // the file of the crash report
	ID     string   `json:"id,omitempty"`     // of the crash report, for who asks for it
	Crash  string   `json:"crash,omitempty"`  // a few lines of it
	Logs   []string `json:"logs,omitempty"`   // what it logged or printed last
	Own    bool     `json:"own,omitempty"`    // it ended without a crash, by itself as far as is known
	Hint   string   `json:"-"`                // what to do next, where that is not to launch it again
}

// Reports copies the crash reports that a device keeps itself.
type Reports interface {
	// CopyReports copies the newest reports that are not in the folder yet, at most so many, and tells how many it copied and how many
	// it left. The folder is there.
	CopyReports(ctx context.Context, dir string, most int) (copied, left int, err error)
}

// EndReporter finds out why an app ended.
type EndReporter interface {
	Ended(ctx context.Context, bundleID string, since time.Time) (End, error)
}
