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
	Logs   []string `json:"logs,omitempty"`   // what it logged last
}

// EndReporter finds out why an app ended.
type EndReporter interface {
	Ended(ctx context.Context, bundleID string, since time.Time) (End, error)
}
