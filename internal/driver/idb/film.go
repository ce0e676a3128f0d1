package idb

import (
	"bytes"
	"context"
	"errors"
	"io"
	"sync"
	"time"

	"ios-agent/internal/apple/simctl"
	"ios-agent/internal/device"
	"ios-agent/internal/driver/idbwire"
	logs "ios-agent/internal/driver/stream"
	"ios-agent/internal/fault"
	"ios-agent/internal/hint"
)

var (
	_ device.Film = (*phone)(nil)
	_ device.Logs = (*phone)(nil)
)

const (
	installTime = 5 * time.Minute  // in addition to the usual wait
	filmEnd     = 30 * time.Second // for writing a film
)

// film is a running recording.
type film struct {
	p     *phone
	s     *stream
	close func() error
}

// Record records the screen into a file, which the companion writes on this machine. The companion does not report the start, so the
// first moments may be missing.
func (p *phone) Record(ctx context.Context, path, codec string) (io.Closer, error) {
	if codec != "" && codec != "h264" {
		return nil, refuse(fault.Unsupported, "idb records in h264, not in %s", codec).WithHint("omit the codec")
	}
	c, err := p.connect(ctx)
	if err != nil {
		return nil, unsent(err)
	}
	f := &film{p: p, s: c.open(context.WithoutCancel(ctx), idbwire.Record)}
	f.close = sync.OnceValue(f.stop)
	if err := f.s.say(&idbwire.RecordRequest{Start: &idbwire.RecordStart{FilePath: path}}); err != nil {
		f.s.end()
		return nil, p.lost(err)
	}
	return f, nil
}

// Close ends the recording and waits until the file is complete. A second call returns the first result.
func (f *film) Close() error { return f.close() }

func (f *film) stop() error {
	late := time.AfterFunc(filmEnd, f.s.cancel)
	defer late.Stop()
	defer f.s.end()
	err := f.s.say(&idbwire.RecordRequest{Stop: &idbwire.Empty{}})
	f.s.done()
	for written := false; ; {
		var r idbwire.RecordResponse
		switch end := f.s.next(&r); {
		case end == nil:
			written = written || r.Payload != nil
		case errors.Is(end, io.EOF) && written:
			return nil
		default:
			if errors.Is(end, io.EOF) {
				end = errors.Join(err, errors.New("it ended without writing a film"))
			}
			return fault.New(fault.ScreenshotFailed, "%s did not write the film: %w", f.p.who(), end)
		}
	}
}

// follower is a followed log.
type follower struct {
	p    *phone
	s    *stream
	done chan struct{}

	mu  sync.Mutex
	err error
}

// FollowLog follows the log of the simulator. The companion runs the system's log program there, and reports its errors.
func (p *phone) FollowLog(ctx context.Context, what device.LogFilter, line func(string)) (device.Stream, error) {
	how, err := logs.LogOptions(what)
	if err != nil {
		return nil, refuse(fault.InvalidInput, "%w", err)
	}
	c, err := p.connect(ctx)
	if err != nil {
		return nil, unsent(err)
	}
	if !what.On {
		if err := p.verify(ctx, c); err != nil {
			return nil, err
		}
	}
	f := &follower{p: p, s: c.open(context.WithoutCancel(ctx), idbwire.Log), done: make(chan struct{})}
	if err := f.s.say(&idbwire.LogRequest{Arguments: how.Stream()}); err != nil {
		f.s.end()
		return nil, p.lost(err)
	}
	f.s.done()
	begun := make(chan struct{})
	go f.follow(func(text string) {
		if !simctl.LogHeading(text) {
			line(text)
		}
	}, sync.OnceFunc(func() { close(begun) }))
	late := time.NewTimer(logBegin)
	defer late.Stop()
	select {
	case <-begun:
	case <-f.done:
		if err := f.Err(); err != nil {
			return nil, err
		}
	case <-late.C: // the log prints nothing at its start
	case <-ctx.Done():
		return nil, errors.Join(ctx.Err(), f.Close())
	}
	return f, nil
}

// logBegin is how long a log may take to print its first line.
const logBegin = 3 * time.Second

// follow splits the output into lines.
func (f *follower) follow(line func(string), begun func()) {
	defer close(f.done)
	var rest []byte
	for {
		var r idbwire.LogResponse
		if err := f.s.next(&r); err != nil {
			if len(rest) > 0 {
				line(string(rest))
			}
			if !errors.Is(err, io.EOF) && !f.s.closed.Load() {
				f.mu.Lock()
				f.err = fault.New(fault.ToolFailed, "%s ended the log: %w", f.p.who(), err)
				f.mu.Unlock()
			}
			return
		}
		begun()
		rest = append(rest, r.Output...)
		for {
			one, after, whole := bytes.Cut(rest, []byte("\n"))
			if !whole {
				break
			}
			line(string(bytes.TrimSuffix(one, []byte("\r"))))
			rest = after
		}
		if len(rest) > longestLine {
			line(string(rest))
			rest = nil
		}
	}
}

// longestLine is the maximum length of a line.
const longestLine = 1 << 20

// Done is closed when the last line has been delivered.
func (f *follower) Done() <-chan struct{} { return f.done }

// Err is the error with which the log ended by itself.
func (f *follower) Err() error {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.err
}

// Close ends the log and waits for its end.
func (f *follower) Close() error {
	f.s.end()
	<-f.done
	return nil
}

// LogName is the app's name: the companion does not report the executable's name, and the two are nearly always equal.
func (p *phone) LogName(ctx context.Context, bundleID string) (string, error) {
	a, err := p.find(ctx, bundleID)
	if err != nil {
		return "", err
	}
	if a == nil {
		return "", refuse(fault.AppNotFound, "%s is not installed on %s", bundleID, p.info.Name).WithHint("%s lists the installed apps",
			hint.Do("list_apps"))
	}
	return a.Name, nil
}
