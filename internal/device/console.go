package device

import (
	"context"
	"time"
)

// Stream is what a device shows line by line. It ends by itself or with Close; who started it closes it, Device.Close does
// not. All methods may be called at any time, also outside the device's lane.
type Stream interface {
	// Done is closed when the last line has been delivered.
	Done() <-chan struct{}
	// Err tells why the stream ended by itself; nil while it runs, after a normal end and after Close.
	Err() error
	// Close ends the stream and waits until it has ended. A second call returns what the first one returned.
	Close() error
}

// Logs follow what the apps and the system of a device log. FollowLog returns when the log is being followed; the context
// covers this beginning only. Calls of line never overlap, and the log is read no faster than line returns. Both methods may be
// called outside the device's lane.
type Logs interface {
	FollowLog(ctx context.Context, what LogFilter, line func(string)) (Stream, error)
	// LogName is the name under which an installed app logs: that of its process.
	LogName(ctx context.Context, bundleID string) (string, error)
}

// PastLog shows what the system of a device kept of its log.
type PastLog interface {
	// ShowLog gives the lines from a moment on, the oldest first, and returns after the last one. For line the same holds as in Logs. It
	// may be called outside the device's lane.
	ShowLog(ctx context.Context, what LogFilter, since time.Time, line func(string)) error
}

// LogFilter says what of a log is followed, and how it is written. The zero value is everything, as text for people.
type LogFilter struct {
	Process    string   // only what this process logs
	Subsystems []string // only what these log; none is all
	Level      LogLevel // what is less grave is left out; empty is LogDebug
	Events     bool     // as JSON, one event a line; a reader should take events that go on over lines too
	On         bool     // the device was on a moment ago: it is not asked again
}

// LogLevel is the least grave message that is shown.
type LogLevel string

// The levels that a log can be followed at.
const (
	LogDefault LogLevel = "default" // and errors and faults
	LogInfo    LogLevel = "info"
	LogDebug   LogLevel = "debug"
)

// Console launches an app anew and follows what it prints. LaunchConsole returns when the app has been launched, with its
// pid, or 0 where the pid is unknown; the context covers this beginning only. The app ends with the stream, and the stream
// with the app. As after Apps.Launch, the app is in front. Launch.Restart is implied; Launch.Stdout and
// Launch.Stderr are not used. For line the same holds as in Logs.
type Console interface {
	LaunchConsole(ctx context.Context, bundleID string, how Launch, line func(string)) (Stream, int, error)
}

// Processes ends a process that is known by its pid, such as the one that Launch returned.
type Processes interface {
	EndProcess(ctx context.Context, pid int) error
}

// Owner says for whom something runs on a device: the client session that started it, and the device's udid.
type Owner struct {
	Session string `json:"session,omitempty"`
	UDID    string `json:"udid,omitempty"`
}

// Matches reports whether o has the session and the udid that want names; an empty field of want fits every owner.
func (o Owner) Matches(want Owner) bool {
	return (want.Session == "" || want.Session == o.Session) && (want.UDID == "" || want.UDID == o.UDID)
}
