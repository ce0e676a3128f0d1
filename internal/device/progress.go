package device

import "context"

type listener struct{}

// WithProgress gives those who work on a device somebody to tell what takes so long.
func WithProgress(ctx context.Context, tell func(string)) context.Context {
	return context.WithValue(ctx, listener{}, tell)
}

// Progress tells whoever listens.
func Progress(ctx context.Context, message string) {
	if tell, ok := ctx.Value(listener{}).(func(string)); ok {
		tell(message)
	}
}
