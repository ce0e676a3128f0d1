package telemetry

import (
	"context"
	"log/slog"
	"strings"
	"time"
)

// serverLog passes the program's log records on, and adds important ones to the store.
type serverLog struct {
	slog.Handler
	store *Store
	least slog.Level
	group string // prefix of attribute names
	with  string // attributes of With, as text
}

// ServerProcess is the process of entries from this program's own log.
const ServerProcess = "ios-agent"

// Handler is a log handler that passes records on to next, and adds records of the level least and above to the store as entries of the
// source Server. The store's own log must use next directly, because one failure would otherwise log the next without an end.
func (s *Store) Handler(next slog.Handler, least slog.Level) slog.Handler {
	return &serverLog{Handler: next, store: s, least: least}
}

// Enabled reports whether the store or next wants records of a level.
func (h *serverLog) Enabled(ctx context.Context, level slog.Level) bool {
	return level >= h.least || h.Handler.Enabled(ctx, level)
}

// Handle adds a record and passes it on.
func (h *serverLog) Handle(ctx context.Context, r slog.Record) error {
	if r.Level >= h.least {
		var b strings.Builder
		b.WriteString(r.Message)
		b.WriteString(h.with)
		r.Attrs(func(a slog.Attr) bool {
			b.WriteString(attribute(h.group, a))
			return true
		})
		at := r.Time
		if at.IsZero() {
			at = time.Now()
		}
		h.store.Add(Entry{Time: at, Process: ServerProcess, Source: Server, Level: levelOf(r.Level), Message: b.String()})
	}
	if !h.Handler.Enabled(ctx, r.Level) {
		return nil
	}
	return h.Handler.Handle(ctx, r)
}

// WithAttrs is a handler whose records have additional attributes.
func (h *serverLog) WithAttrs(attrs []slog.Attr) slog.Handler {
	more := *h
	more.Handler = h.Handler.WithAttrs(attrs)
	for _, a := range attrs {
		more.with += attribute(h.group, a)
	}
	return &more
}

// WithGroup is a handler whose records have their attributes in a group.
func (h *serverLog) WithGroup(name string) slog.Handler {
	more := *h
	more.Handler = h.Handler.WithGroup(name)
	if name != "" {
		more.group += name + "."
	}
	return &more
}

// attribute is an attribute in the format of slog's text handler.
func attribute(group string, a slog.Attr) string {
	v := a.Value.Resolve()
	if v.Kind() != slog.KindGroup {
		return " " + group + a.Key + "=" + v.String()
	}
	text := ""
	for _, below := range v.Group() {
		name := group
		if a.Key != "" {
			name += a.Key + "."
		}
		text += attribute(name, below)
	}
	return text
}

// levelOf is the entry level of a slog level.
func levelOf(l slog.Level) Level {
	switch {
	case l >= slog.LevelError:
		return Error
	case l >= slog.LevelWarn:
		return Warning
	case l >= slog.LevelInfo:
		return Info
	}
	return Debug
}
