package quern

import (
	"cmp"
	"context"
	"time"

	"ios-agent/internal/op"
	"ios-agent/internal/telemetry/crashes"
	"ios-agent/internal/telemetry/steplines"
)

// crashesIn is quern's input.
type crashesIn struct {
	Limit int        `json:"limit,omitempty" doc:"maximum number" default:"10" min:"1" max:"100" more:"true"`
	Since op.Instant `json:"since,omitempty" doc:"start time as ISO 8601, in UTC without a zone"`
	UDID  string     `json:"udid,omitempty" doc:"only of this device"`
}

// crashesOut is quern's answer.
type crashesOut struct {
	Crashes []crashReport `json:"crashes"`
	Total   int           `json:"total"`
	Note    string        `json:"note,omitempty"`
}

// crashReport is quern's report and the reason of the crash.
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
	Reason    string    `json:"reason,omitempty"`
}

// The limits of a report in quern.
const (
	mostFrames = 5
	mostRaw    = 3000 // characters
)

func (v views) crashes(ctx context.Context, c *op.Call, in crashesIn) (crashesOut, error) {
	c.Note(steplines.Shown{})
	since, err := in.Since.Time()
	if err != nil {
		return crashesOut{}, err
	}
	found, others, err := v.core.Crashes.Find(ctx, crashes.Query{Device: deviceOf(in.UDID), Since: since})
	if err != nil {
		return crashesOut{}, err
	}
	out := crashesOut{Crashes: []crashReport{}, Total: len(found)}
	for _, one := range found[:min(len(found), in.Limit)] {
		out.Crashes = append(out.Crashes, reportOf(one))
	}
	if len(others) > 0 {
		out.Note = "this list has crashes only; the log also has other reports: " + crashes.Others(others)
	}
	return out, nil
}

func reportOf(c crashes.Crash) crashReport {
	out := crashReport{
		ID: c.ID, Time: c.Time.UTC(), Device: cmp.Or(c.UDID, noDevice), Process: c.Process, Exception: c.Exception, Codes: c.Codes,
		Signal: c.Signal, Frames: []string{}, File: c.Path, Raw: first(c.Raw, mostRaw), App: c.Bundle, Reason: c.Reason,
	}
	for _, f := range c.Frames[:min(len(c.Frames), mostFrames)] {
		out.Frames = append(out.Frames, f.String())
	}
	return out
}

// first is the beginning of a text, cut after most characters.
func first(text string, most int) string {
	for i := range text {
		if most--; most < 0 {
			return text[:i]
		}
	}
	return text
}
