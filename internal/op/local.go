package op

import (
	"cmp"
	"context"
	"encoding/json"
	"io"
)

// Local calls a catalogue in this process, for one session or for the session of the context.
type Local struct {
	Catalogue *Catalogue
	Session   string
	Dir       string    // relative paths are resolved against it; "": paths must be absolute
	Stdin     io.Reader // input for operations that read it; may be nil
}

var _ Caller = Local{}

// Call runs an operation.
func (l Local) Call(ctx context.Context, name string, input []byte, progress func(Event)) Envelope {
	if o, err := l.Catalogue.Lookup(name); err == nil {
		input = o.AbsolutePaths(input, l.Dir)
	}
	call := Call{
		Session: l.session(ctx), Client: cmp.Or(ClientOf(ctx), CLI), Parent: ParentOf(ctx), Alone: AloneOf(ctx), Dir: l.Dir, Stdin: l.Stdin,
	}
	return l.Catalogue.Run(ctx, name, call.WithProgress(progress), input)
}

// Stream runs a stream.
func (l Local) Stream(ctx context.Context, name string, input []byte, item func(json.RawMessage) error) Envelope {
	return l.Catalogue.Stream(ctx, name, Call{Session: l.session(ctx)}, input, func(v any) error {
		raw, err := json.Marshal(v)
		if err != nil {
			return err
		}
		return item(raw)
	})
}

func (l Local) session(ctx context.Context) string { return cmp.Or(SessionOf(ctx), l.Session) }
