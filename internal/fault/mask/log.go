package mask

import (
	"context"
	"log/slog"
)

// Handler returns a log handler that hides secrets before next gets a record: the secrets of the set, and secrets that Credentials finds by
// their names and places.
func (s *Set) Handler(next slog.Handler) slog.Handler { return handler{s, next} }

type handler struct {
	set  *Set
	next slog.Handler
}

func (h handler) Enabled(ctx context.Context, level slog.Level) bool {
	return h.next.Enabled(ctx, level)
}

func (h handler) Handle(ctx context.Context, r slog.Record) error {
	clean := slog.NewRecord(r.Time, r.Level, h.set.Line(r.Message), r.PC)
	r.Attrs(func(a slog.Attr) bool {
		clean.AddAttrs(h.attr(a))
		return true
	})
	return h.next.Handle(ctx, clean)
}

func (h handler) WithAttrs(attrs []slog.Attr) slog.Handler {
	clean := make([]slog.Attr, len(attrs))
	for i, a := range attrs {
		clean[i] = h.attr(a)
	}
	return handler{h.set, h.next.WithAttrs(clean)}
}

func (h handler) WithGroup(name string) slog.Handler { return handler{h.set, h.next.WithGroup(name)} }

func (h handler) attr(a slog.Attr) slog.Attr {
	switch v := a.Value.Resolve(); v.Kind() {
	case slog.KindGroup:
		var group []slog.Attr
		for _, one := range v.Group() {
			group = append(group, h.attr(one))
		}
		return slog.Attr{Key: a.Key, Value: slog.GroupValue(group...)}
	case slog.KindString, slog.KindAny:
		return slog.String(a.Key, h.set.Line(v.String()))
	}
	return a
}

// Line returns a line of a log without the secrets of the set, and without the secrets that Credentials finds.
func (s *Set) Line(text string) string {
	shown, _ := Credentials(s.Text(text))
	return shown
}
