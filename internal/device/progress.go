package device

import "context"

type listener struct{}

// WithProgress gives slow work on a device a function for its progress texts.
func WithProgress(ctx context.Context, tell func(string)) context.Context {
	return context.WithValue(ctx, listener{}, tell)
}

// Progress passes a text to the context's function, if it has one.
func Progress(ctx context.Context, message string) {
	if tell, ok := ctx.Value(listener{}).(func(string)); ok {
		tell(message)
	}
}
