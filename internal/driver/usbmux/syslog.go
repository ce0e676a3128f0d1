package usbmux

import (
	"bufio"
	"context"
	"errors"
	"io"
	"net"
	"strings"
	"sync"

	"ios-agent/internal/device"
	"ios-agent/internal/fault"
	"ios-agent/internal/hint"
	"ios-agent/internal/text/lazyregexp"
)

const (
	syslogRelay = "com.apple.syslog_relay"
	// mostEntry is the maximum length of a log entry; longer entries are cut.
	mostEntry = 64 << 10
)

// FollowLog follows the log of the device, as text: the relay has neither subsystems nor events.
func (h *handset) FollowLog(ctx context.Context, what device.LogFilter, line func(string)) (device.Stream, error) {
	if len(what.Subsystems) > 0 {
		return nil, fault.New(fault.Unsupported, "cannot filter the log of %s by subsystem: a physical device does not report subsystems",
			h.info.Name).WithHint("follow an app: %s", hint.Do("logs_start", "app", "APP"))
	}
	conn, err := h.driver.Mux.Service(ctx, h.info.UDID, syslogRelay)
	if err != nil {
		return nil, err
	}
	return follow(conn, what, line), nil
}

// relayed is a followed log.
type relayed struct {
	conn net.Conn
	done chan struct{}
	end  func() error

	mu     sync.Mutex
	closed bool
	err    error
}

var _ device.Stream = (*relayed)(nil)

func follow(conn net.Conn, what device.LogFilter, line func(string)) *relayed {
	r := &relayed{conn: conn, done: make(chan struct{})}
	r.end = sync.OnceValue(func() error {
		r.mu.Lock()
		r.closed = true
		r.mu.Unlock()
		err := conn.Close()
		<-r.done
		if errors.Is(err, net.ErrClosed) {
			return nil
		}
		return err
	})
	go func() {
		defer close(r.done)
		err := deliver(conn, what, line)
		r.mu.Lock()
		defer r.mu.Unlock()
		if !r.closed && !errors.Is(err, io.EOF) {
			r.err = fault.New(fault.ToolFailed, "the log of the device has ended: %w", err)
		}
		conn.Close()
	}()
	return r
}

// Done is closed when the last line has been delivered.
func (r *relayed) Done() <-chan struct{} { return r.done }

// Err is the error with which the log ended by itself.
func (r *relayed) Err() error {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.err
}

// Close ends the log and waits for its last line.
func (r *relayed) Close() error { return r.end() }

// deliver reads entries, each ending with a zero byte, until the end.
func deliver(from io.Reader, what device.LogFilter, line func(string)) error {
	in := bufio.NewReaderSize(from, mostEntry)
	for {
		entry, err := in.ReadSlice(0)
		cut := errors.Is(err, bufio.ErrBufferFull)
		if err != nil && !cut {
			return err
		}
		text := plain(strings.Trim(string(entry), "\x00\n"))
		if text != "" && wanted(text, what) {
			for part := range strings.SplitSeq(text, "\n") {
				line(part)
			}
		}
		for cut { // skip the rest of the entry
			_, err = in.ReadSlice(0)
			if cut = errors.Is(err, bufio.ErrBufferFull); err != nil && !cut {
				return err
			}
		}
	}
}

// head is the beginning of an entry: time, device, process, library, pid and level.
var head = lazyregexp.New(`^\w{3} +\d+ [\d:.]+ \S+ (.+?)(?:\([^()]*\))?\[\d+\] <(\w+)>: `)

// grades maps the relay's levels to levels of the unified log. Entries of other levels are always delivered.
var grades = map[string]device.LogLevel{"Debug": device.LogDebug, "Info": device.LogInfo}

// wanted reports whether an entry is delivered. An entry with an unknown beginning is.
func wanted(entry string, what device.LogFilter) bool {
	found := head.FindStringSubmatch(entry)
	if found == nil {
		return what.Process == ""
	}
	switch grade := grades[found[2]]; {
	case what.Process != "" && found[1] != what.Process:
		return false
	case grade == device.LogDebug:
		return what.Level == "" || what.Level == device.LogDebug
	case grade == device.LogInfo:
		return what.Level != device.LogDefault
	}
	return true
}

// plain undoes the relay's escapes of bytes other than printable ASCII, as vis(3) writes them: \M-x for a byte above 127, \^x for a
// control character, \134 for a backslash.
func plain(s string) string {
	out := make([]byte, 0, len(s))
	for len(s) > 0 {
		b, used := unescaped(s)
		out, s = append(out, b), s[used:]
	}
	return strings.ToValidUTF8(string(out), "\uFFFD")
}

// unescaped is the first byte of an escaped text, and the length of its escape.
func unescaped(s string) (b byte, used int) {
	switch {
	case len(s) >= 4 && strings.HasPrefix(s, `\M-`):
		return s[3] | 0x80, 4
	case len(s) >= 4 && strings.HasPrefix(s, `\M^`):
		return s[3] ^ 0x40 | 0x80, 4
	case len(s) >= 3 && strings.HasPrefix(s, `\^`):
		return s[2] ^ 0x40, 3
	case len(s) >= 4 && s[0] == '\\' && octal(s[1]) && octal(s[2]) && octal(s[3]):
		return (s[1]-'0')<<6 | (s[2]-'0')<<3 | (s[3] - '0'), 4
	}
	return s[0], 1
}

func octal(c byte) bool { return c >= '0' && c <= '7' }
