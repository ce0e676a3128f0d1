package op

import (
	"context"
	"encoding/json"
)

// Local calls a catalogue at hand, for one session.
type Local struct {
	Catalogue *Catalogue
	Session   string
}

var _ Caller = Local{}

// Call runs an operation.
func (l Local) Call(ctx context.Context, name string, input []byte, progress func(Event)) Envelope {
	return l.Catalogue.Run(ctx, name, Call{Session: l.Session}.WithProgress(progress), input)
}

// Stream runs a stream.
func (l Local) Stream(ctx context.Context, name string, input []byte, item func(json.RawMessage) error) Envelope {
	return l.Catalogue.Stream(ctx, name, Call{Session: l.Session}, input, func(v any) error {
		raw, err := json.Marshal(v)
		if err != nil {
			return err
		}
		return item(raw)
	})
}
