package quern

import (
	"context"
	"time"

	"ios-agent/internal/op"
	"ios-agent/internal/telemetry"
)

// heartbeatAfter is the silence after which a stream sends a heartbeat.
const heartbeatAfter = 15 * time.Second

// streamIn is quern's input.
type streamIn struct {
	Level     levelName  `json:"level,omitempty" doc:"lowest level"`
	Process   string     `json:"process,omitempty" doc:"exact process name"`
	Subsystem string     `json:"subsystem,omitempty" doc:"exact subsystem"`
	Category  string     `json:"category,omitempty" doc:"exact category"`
	Source    sourceName `json:"source,omitempty" doc:"only of this source"`
	Match     string     `json:"match,omitempty" doc:"part of the message, in any case"`
	Exclude   string     `json:"exclude,omitempty" doc:"hide messages that contain this, in any case"`
	Device    string     `json:"device_id,omitempty" doc:"only of this device"`
}

// EventName is quern's name of the event.
func (logEntry) EventName() string { return "log" }

// heartbeat shows that the stream is alive: at its beginning, and after a silence.
type heartbeat struct {
	Time   time.Time `json:"time"`
	Stored int64     `json:"buffer_size"` // entries
}

// EventName is quern's name of the event.
func (heartbeat) EventName() string { return "heartbeat" }

// gap reports the number of entries that the stream dropped because the client read too slowly. quern has no such event.
type gap struct {
	Time time.Time `json:"time"`
	Lost int64     `json:"lost"`
}

// EventName differs from that of an entry.
func (gap) EventName() string { return "lost" }

func (v views) streaming(s op.Spec) op.Op {
	s.Verb = op.None // the command line has a core operation for it
	return op.NewLive[streamIn, logEntry](s, v.stream)
}

func (v views) stream(ctx context.Context, c *op.Call, in streamIn, emit func(any) error) error {
	q := telemetry.Query{
		Level: in.Level.level(), Process: in.Process, Subsystem: in.Subsystem, Category: in.Category, Sources: in.Source.sources(),
		Search: in.Match, Device: deviceOf(in.Device), Filters: v.core.Said.FiltersOf(c.Session),
	}
	if in.Exclude != "" {
		q.Exclude = []string{in.Exclude}
	}
	v.core.Said.Hear(ctx, c)
	v.finer(ctx, c, q, in.Level) // a stream has no place for its note
	entries := v.core.Said.Follow(q)
	defer entries.Close()
	f := follower{entries: entries.C, lost: entries.Lost, now: v.core.Said.Now, emit: emit, stored: func() (int64, error) {
		usage, err := v.core.Said.Usage(ctx)
		return usage.Entries, err
	}}
	return f.run(ctx)
}

// follower sends the entries of a subscription as events.
type follower struct {
	entries <-chan telemetry.Entry // closed at the end of the subscription
	lost    func() int64           // total number of dropped entries
	stored  func() (int64, error)
	now     func() time.Time
	emit    func(any) error

	told int64 // dropped entries that were reported
}

func (f *follower) run(ctx context.Context) error {
	if err := f.beat(); err != nil {
		return err
	}
	silence := time.NewTimer(heartbeatAfter)
	defer silence.Stop()
	for {
		var err error
		select {
		case <-ctx.Done():
			return nil
		case e, open := <-f.entries:
			if !open {
				return f.gap()
			}
			if err = f.gap(); err == nil {
				err = f.emit(entryOf(e))
			}
		case <-silence.C:
			if err = f.gap(); err == nil {
				err = f.beat()
			}
		}
		if err != nil {
			return err
		}
		silence.Reset(heartbeatAfter)
	}
}

func (f *follower) beat() error {
	stored, err := f.stored()
	if err != nil {
		return err
	}
	return f.emit(heartbeat{f.now().UTC(), stored})
}

// gap reports the entries dropped since the last report.
func (f *follower) gap() error {
	lost := f.lost()
	if lost == f.told {
		return nil
	}
	now := gap{f.now().UTC(), lost - f.told}
	f.told = lost
	return f.emit(now)
}
