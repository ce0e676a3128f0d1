package op

import (
	"context"
	"encoding/json"
	"reflect"
	"time"

	"ios-agent/internal/text/oneline"
)

// Page is a part of a stream after a cursor.
type Page[Item any] struct {
	Items  []Item `json:"items"`
	Cursor string `json:"cursor"` // cursor for the next page
	Lost   int    `json:"lost"`   // number of items that were dropped before the reader came
}

// Cursor says from where to read a stream, how many items, and how long to wait for them.
type Cursor struct {
	After string
	Most  int
	Wait  time.Duration
}

// Source reads a stream. It returns at once when items are after the cursor, otherwise when one comes or the wait is over; an empty cursor
// means now.
type Source[In, Item any] func(ctx context.Context, c *Call, in In, at Cursor) (Page[Item], error)

// streamWait is the time that a stream waits for the next item before it checks whether the client still listens.
const streamWait = 30 * time.Second

// NewStream declares a stream (NDJSON on the command line, SSE over REST) and its twin for surfaces that cannot stream: an ordinary
// operation named read_NAME that returns a page after a cursor.
func NewStream[In, Item any](s Spec, source Source[In, Item]) []Op {
	s = checked(s)
	fields := fieldsOnce[In](s)
	stream := Op{
		Spec: s, out: reflect.TypeFor[Item](), fields: fields,
		stream: func(ctx context.Context, c *Call, input []byte, emit func(any) error) error {
			in, err := read[In](s, fields(), c, input)
			if err != nil {
				return err
			}
			return pump(ctx, c, in, source, emit)
		},
	}
	return []Op{stream, twin(s, source)}
}

// NewLive declares a stream that keeps no items for late readers and has no twin that reads pages. Its function emits items until ctx ends.
func NewLive[In, Item any](s Spec, live func(ctx context.Context, c *Call, in In, emit func(any) error) error) Op {
	s = checked(s)
	fields := fieldsOnce[In](s)
	return Op{
		Spec: s, out: reflect.TypeFor[Item](), fields: fields, text: itemText[Item],
		stream: func(ctx context.Context, c *Call, input []byte, emit func(any) error) error {
			in, err := read[In](s, fields(), c, input)
			if err != nil {
				return err
			}
			return live(ctx, c, in, emit)
		},
	}
}

// itemText returns the text of a stream's item, if its type has one.
func itemText[Item any](raw json.RawMessage) (string, bool) {
	var item Item
	if json.Unmarshal(raw, &item) != nil {
		return "", false
	}
	t, knows := any(item).(Texter)
	if !knows {
		return "", false
	}
	return oneline.Legible(oneline.Draw(t, Texter.Text)), true
}

// ItemText returns the text of an item of the stream; false if the item has only a JSON form.
func (o Op) ItemText(raw json.RawMessage) (string, bool) {
	if o.text == nil {
		return "", false
	}
	return o.text(raw)
}

// Named is an item of a stream with its own event name in SSE.
type Named interface{ EventName() string }

// EventName returns the name of an item in SSE.
func EventName(item any) string {
	if n, ok := item.(Named); ok {
		return n.EventName()
	}
	return "item"
}

// Event is the SSE name of the stream's items.
func (o Op) Event() string { return EventName(reflect.Zero(o.out).Interface()) }

func pump[In, Item any](ctx context.Context, c *Call, in In, source Source[In, Item], emit func(any) error) error {
	for at := (Cursor{Most: 100, Wait: streamWait}); ctx.Err() == nil; {
		page, err := source(ctx, c, in, at)
		if err != nil {
			return err
		}
		for _, item := range page.Items {
			if err := emit(item); err != nil {
				return err
			}
		}
		at.After = page.Cursor
	}
	return nil
}

type pageIn[In any] struct {
	In     In      `op:"inline"`
	Cursor string  `json:"cursor,omitempty" doc:"the cursor of the page before; empty: from the beginning"`
	Limit  int     `json:"limit,omitempty" doc:"at most this many items" default:"50" min:"1" max:"1000" more:"true"`
	Wait   float64 `json:"wait,omitempty" doc:"seconds to wait when there is nothing yet" default:"0" min:"0" max:"60" unit:"s"`
}

// Beginning is the cursor before all items that a stream still has.
const Beginning = "0"

func twin[In, Item any](s Spec, source Source[In, Item]) Op {
	s.Name, s.Verb, s.Route = "read_"+s.Name, None, None
	s.Timeout, s.Examples = 2*time.Minute, nil
	s.Summary += ", one page after a cursor"
	return New(s, func(ctx context.Context, c *Call, in pageIn[In]) (Page[Item], error) {
		if in.Cursor == "" {
			in.Cursor = Beginning
		}
		return source(ctx, c, in.In, Cursor{After: in.Cursor, Most: in.Limit, Wait: time.Duration(in.Wait * float64(time.Second))})
	})
}
