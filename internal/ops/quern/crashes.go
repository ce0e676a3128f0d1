package quern

import (
	"context"
	"encoding/json"
	"fmt"
	"time"

	"ios-agent/internal/apple/crash"
	"ios-agent/internal/op"
	"ios-agent/internal/telemetry"
)

// crashesIn is quern's input.
type crashesIn struct {
	Limit int        `json:"limit,omitempty" doc:"how many" default:"10" min:"1" max:"100"`
	Since op.Instant `json:"since,omitempty" doc:"from this moment on, as ISO 8601; without a zone it is UTC"`
	UDID  string     `json:"udid,omitempty" doc:"only of this device"`
}

// crashesOut is quern's answer.
type crashesOut struct {
	Crashes []crashReport `json:"crashes"`
	Total   int           `json:"total"`
}

// crashReport is quern's.
type crashReport struct {
	ID        string    `json:"crash_id"`
	Time      time.Time `json:"timestamp"`
	Device    string    `json:"device_id"`
	Process   string    `json:"process"`
	Exception string    `json:"exception_type"`
	Codes     string    `json:"exception_codes"`
	Signal    string    `json:"signal"`
	Frames    []string  `json:"top_frames"`
	File      string    `json:"file_path"`
	Raw       string    `json:"raw_text"`
	App       string    `json:"bundle_id,omitempty"`
}

// The bounds of a report as quern shows it.
const (
	mostFrames = 5
	mostRaw    = 3000 // characters
)

func (v views) crashes(ctx context.Context, _ *op.Call, in crashesIn) (crashesOut, error) {
	since, err := in.Since.Time()
	if err != nil {
		return crashesOut{}, err
	}
	docs, total, err := v.core.Said.Documents(ctx, telemetry.DocumentQuery{
		Kind: string(telemetry.Crash), Device: deviceOf(in.UDID), Since: since, Limit: in.Limit,
	})
	out := crashesOut{Crashes: make([]crashReport, len(docs)), Total: total}
	for i, d := range docs {
		if out.Crashes[i], err = reportOf(d); err != nil {
			return crashesOut{}, err
		}
	}
	return out, err
}

func reportOf(d telemetry.Document) (crashReport, error) {
	var r crash.Report
	if err := json.Unmarshal(d.Body, &r); err != nil {
		return crashReport{}, fmt.Errorf("crash %s: %w", d.ID, err)
	}
	out := crashReport{ID: d.ID, Time: d.Time.UTC(), Device: d.Device, Process: r.App, Frames: []string{}, App: d.App}
	return out, nil
}

// first is the beginning of a text.
func first(text string, most int) string {
	for i := range text {
		if most--; most < 0 {
			return text[:i]
		}
	}
	return text
}
