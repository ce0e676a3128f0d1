package logs

import (
	"context"
	"fmt"
	"time"

	"ios-agent/internal/device"
	"ios-agent/internal/fault"
	"ios-agent/internal/hint"
	"ios-agent/internal/network/capture"
	"ios-agent/internal/op"
	"ios-agent/internal/op/answers"
	"ios-agent/internal/telemetry"
	"ios-agent/internal/text/brief"
)

// data shows and deletes the stored lines, crashes, builds and requests.
type data struct {
	said    *telemetry.Store
	flows   *capture.Capture
	answers *answers.Folder
}

// NewData makes the operations on stored data.
func NewData(d Deps) *data { return &data{d.Store, d.Flows, d.Answers} }

// Ops lists the operations on stored data.
func (d *data) Ops() []op.Op {
	groups := []string{"logs"}
	return []op.Op{
		op.New(op.Spec{
			Name: "data_show", Groups: groups, Verb: "data", Route: "GET /api/v1/data",
			Summary: "Show the size and the retention of stored logs", Hints: op.ReadOnly | op.Idempotent,
			Examples: []string{"data"},
		}, d.show),
		op.New(op.Spec{
			Name: "data_delete", Groups: groups, Verb: "data delete", Route: "POST /api/v1/data/delete",
			Summary: "Delete all stored logs, requests and builds of all sessions", Hints: op.Destructive | op.Idempotent,
			Examples: []string{"data delete"},
		}, d.delete),
	}
}

// dataOut is the stored data and its limits.
type dataOut struct {
	Path      string     `json:"path"`
	Bytes     int64      `json:"bytes"`
	Entries   int64      `json:"entries"`
	Documents int64      `json:"documents"`
	Oldest    *time.Time `json:"oldest,omitempty"`
	Dropped   int64      `json:"dropped"`
	KeepForMS int64      `json:"keep_for_ms"`
	KeepBytes int64      `json:"keep_bytes"`
	Notice    string     `json:"notice,omitempty"`
}

func dataOf(u telemetry.Usage) dataOut {
	out := dataOut{
		Path: u.Path, Bytes: u.Bytes, Entries: u.Entries, Documents: u.Documents, Dropped: u.Dropped,
		KeepForMS: u.KeepFor.Milliseconds(), KeepBytes: u.KeepBytes, Notice: u.Notice,
	}
	if !u.Oldest.IsZero() {
		out.Oldest = &u.Oldest
	}
	return out
}

// Text is one line, and one for each problem.
func (o dataOut) Text() string {
	text := fmt.Sprintf("%s in %s: %d lines, %d crashes, builds and requests", amount(o.Bytes), o.Path, o.Entries, o.Documents)
	if o.Oldest != nil {
		text += ", the oldest of " + o.Oldest.Format(time.RFC3339)
	}
	text += fmt.Sprintf("; kept for %s, up to %s", days(time.Duration(o.KeepForMS)*time.Millisecond), amount(o.KeepBytes))
	if o.Dropped > 0 {
		text += fmt.Sprintf("\n%d lines were dropped since the daemon started", o.Dropped)
	}
	if o.Notice != "" {
		text += "\n" + o.Notice
	}
	return text
}

func amount(bytes int64) string {
	switch {
	case bytes >= 1<<30:
		return fmt.Sprintf("%.3g GB", float64(bytes)/(1<<30))
	case bytes >= 1<<20:
		return fmt.Sprintf("%.3g MB", float64(bytes)/(1<<20))
	}
	return fmt.Sprintf("%d KB", (bytes+1023)>>10)
}

func days(d time.Duration) string {
	if d%(24*time.Hour) == 0 {
		return brief.Count(int(d/(24*time.Hour)), "day")
	}
	return d.String()
}

func (d *data) show(ctx context.Context, _ *op.Call, _ struct{}) (dataOut, error) {
	u, err := d.said.Usage(ctx)
	return dataOf(u), err
}

// dataDeleteOut says what was deleted.
type dataDeleteOut struct {
	Path      string `json:"path"`
	Bytes     int64  `json:"bytes"`
	Entries   int64  `json:"entries"`
	Documents int64  `json:"documents"`
}

// Text is one line.
func (o dataDeleteOut) Text() string {
	return fmt.Sprintf("deleted %d lines, %d crashes, builds and requests: %s in %s", o.Entries, o.Documents, amount(o.Bytes), o.Path)
}

func (d *data) delete(ctx context.Context, _ *op.Call, _ struct{}) (dataDeleteOut, error) {
	u, _ := d.said.Usage(ctx) // the deletion does not need the counts
	if err := d.said.Delete(ctx); err != nil {
		return dataDeleteOut{}, err
	}
	if err := d.flows.Delete(ctx); err != nil { // bodies of requests are separate files
		return dataDeleteOut{}, err
	}
	if err := d.answers.Clear(); err != nil {
		return dataDeleteOut{}, err
	}
	return dataDeleteOut{u.Path, u.Bytes, u.Entries, u.Documents}, nil
}

// Check is the doctor's check of the store.
func (d *data) Check(ctx context.Context, _ *op.Call) []device.Check {
	u, err := d.said.Usage(ctx)
	if err != nil {
		return []device.Check{{Name: "data", Status: "warn", Message: fault.From(err).Message, Hint: fault.From(err).Hint}}
	}
	said := fmt.Sprintf("%s of logs, crashes, builds and requests; kept for %s, up to %s", amount(u.Bytes), days(u.KeepFor),
		amount(u.KeepBytes))
	if u.Dropped > 0 {
		said += fmt.Sprintf("; %d lines were dropped since the daemon started", u.Dropped)
	}
	if u.Notice != "" {
		return []device.Check{{Name: "data", Status: "warn", Message: said + "; " + u.Notice,
			Hint: hint.Do("data_delete") + " removes the old file too"}}
	}
	return []device.Check{{Name: "data", Status: "ok", Message: said}}
}
