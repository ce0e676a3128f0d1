package device

import (
	"context"
	"time"
)

// Stream is a stream of lines from a device. It ends by itself or with Close. The caller that started it closes it; Device.Close does
// not. All methods may be called at any time, also outside the device's lane.
type Stream interface {
	// Done is closed when the last line has been delivered.
	Done() <-chan struct{}
	// Err is the reason why the stream ended by itself; nil while it runs, after a normal end and after Close.
	Err() error
	// Close ends the stream and waits for its end. A second call returns the result of the first.
	Close() error
}

// Logs follow the log of a device's apps and system. FollowLog returns once the log is being followed; the context covers only this
// start. Calls of line never overlap, and the log is read no faster than line returns. Both methods may be called outside the device's
// lane.
type Logs interface {
	FollowLog(ctx context.Context, what LogFilter, line func(string)) (Stream, error)
	// LogName is the name that an installed app logs under: the name of its process.
	LogName(ctx context.Context, bundleID string) (string, error)
}

// PastLog reads the stored log of a device's system.
type PastLog interface {
	// ShowLog gives the lines from a moment on, the oldest first, and returns after the last one. The rules of Logs apply to line. It
	// may be called outside the device's lane.
	ShowLog(ctx context.Context, what LogFilter, since time.Time, line func(string)) error
}

// LogFilter selects the followed part of a log and its format. The zero value is everything, as text for people.
type LogFilter struct {
	Process    string   // only of this process
	Subsystems []string // only of these subsystems; empty: all
	Level      LogLevel // minimum level; empty is LogDebug
	Events     bool     // as JSON, one event per line; a reader should accept events of several lines
	On         bool     // the device was on a moment ago, so its state needs no check
}

// LogLevel is the minimum level of a followed log.
type LogLevel string

// The levels that a log can be followed at.
const (
	LogDefault LogLevel = "default" // and errors and faults
	LogInfo    LogLevel = "info"
	LogDebug   LogLevel = "debug"
)

// Console launches a new instance of an app and follows its output. LaunchConsole returns after the launch with the app's pid, or 0 if
// the pid is unknown; the context covers only this start. The app ends with the stream, and the stream with the app. As after
// Apps.Launch, the app is in front. Launch.Restart is implied; Launch.Stdout and Launch.Stderr are ignored. The rules of Logs apply to
// line.
type Console interface {
	LaunchConsole(ctx context.Context, bundleID string, how Launch, line func(string)) (Stream, int, error)
}

// Processes ends a process by its pid, such as the pid from Launch.
type Processes interface {
	EndProcess(ctx context.Context, pid int) error
}

// Owner is the owner of something that runs on a device: the client session that started it, and the device's udid.
type Owner struct {
	Session string `json:"session,omitempty"`
	UDID    string `json:"udid,omitempty"`
}

// Matches reports whether o has the session and the udid of want; an empty field of want matches every owner.
func (o Owner) Matches(want Owner) bool {
	return (want.Session == "" || want.Session == o.Session) && (want.UDID == "" || want.UDID == o.UDID)
}
