package quern

import (
	"context"
	"time"

	"ios-agent/internal/op"
	"ios-agent/internal/telemetry"
)

// heartbeatAfter is how long a stream is silent before it says that it is there.
const heartbeatAfter = 15 * time.Second

// streamIn is quern's input.
type streamIn struct {
	Level     levelName  `json:"level,omitempty" doc:"this level and those above"`
	Process   string     `json:"process,omitempty" doc:"only of this process, exactly"`
	Subsystem string     `json:"subsystem,omitempty" doc:"only of this subsystem, exactly"`
	Category  string     `json:"category,omitempty" doc:"only of this category, exactly"`
	Source    sourceName `json:"source,omitempty" doc:"only of this source"`
	Match     string     `json:"match,omitempty" doc:"a part of the message, in any case"`
	Exclude   string     `json:"exclude,omitempty" doc:"no message that contains this, in any case"`
	Device    string     `json:"device_id,omitempty" doc:"only of this device; absent: of all"`
}

// EventName is quern's.
func (logEntry) EventName() string { return "log" }

// heartbeat says that the stream is there: at its beginning, and when nothing was logged for a while.
type heartbeat struct {
	Time   time.Time `json:"time"`
	Stored int64     `json:"buffer_size"` // entries
}

// EventName is quern's.
func (heartbeat) EventName() string { return "heartbeat" }

// gap says how many entries the stream left out because they were not read in time. quern says nothing then.
type gap struct {
	Time time.Time `json:"time"`
	Lost int64     `json:"lost"`
}

// EventName tells it from entries.
func (gap) EventName() string { return "lost" }

func (v views) streaming(s op.Spec) op.Op {
	s.Verb = op.None // people have their own verb
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
	v.finer(ctx, c, q, in.Level) // a stream has no place for what it says
	entries := v.core.Said.Follow(q)
	defer entries.Close()
	f := follower{entries: entries.C, lost: entries.Lost, now: v.core.Said.Now, emit: emit, stored: func() (int64, error) {
		usage, err := v.core.Said.Usage(ctx)
		return usage.Entries, err
	}}
	return f.run(ctx)
}

// follower tells what a subscription gives.
type follower struct {
	entries <-chan telemetry.Entry // closed when there will be no more
	lost    func() int64           // altogether
	stored  func() (int64, error)
	now     func() time.Time
	emit    func(any) error

	told int64 // of what was lost
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

// gap says what was lost since it was said last.
func (f *follower) gap() error {
	lost := f.lost()
	if lost == f.told {
		return nil
	}
	now := gap{f.now().UTC(), lost - f.told}
	f.told = lost
	return f.emit(now)
}
