package capture

import (
	"cmp"
	"fmt"
	"strings"
	"time"

	"ios-agent/internal/network/flow"
	"ios-agent/internal/telemetry"
)

// hide removes known secrets from a flow, and notes where they were. The store cannot do it: to the store a body is bytes.
func (c *Capture) hide(f *flow.Flow) {
	text := func(s *string, place string) {
		if shown := c.o.Hide(*s); shown != *s {
			*s = shown
			f.Hidden = append(f.Hidden, place)
		}
	}
	content := func(b *[]byte, place string) {
		if len(*b) == 0 {
			return
		}
		s := string(*b)
		if shown := c.o.Hide(s); shown != s {
			*b = []byte(shown)
			f.Hidden = append(f.Hidden, place)
		}
	}
	header := func(h flow.Header, of string) {
		for i := range h {
			text(&h[i].Value, of+" header "+h[i].Name)
		}
	}
	text(&f.Request.URL, "url")
	text(&f.Error, "error")
	header(f.Request.Header, "request")
	header(f.Request.Trailer, "request")
	content(&f.Request.Body.Content, "request body")
	if f.Response != nil {
		header(f.Response.Header, "response")
		header(f.Response.Trailer, "response")
		content(&f.Response.Body.Content, "response body")
	}
	for i := range f.Messages {
		content(&f.Messages[i].Data, fmt.Sprintf("message %d", i+1))
	}
}

// entry is the log line of a failed flow.
func entry(f *flow.Flow) (e telemetry.Entry, failed bool) {
	facets := f.Facets()
	if !facets.Finished() || !facets.Broken() && facets.Status < 400 {
		return telemetry.Entry{}, false
	}
	took := time.Duration(facets.TotalMS * float64(time.Millisecond))
	return telemetry.Entry{
		Time: f.Started.Add(took), Device: facets.Device, App: facets.App, Process: cmp.Or(facets.Process, "proxy"), PID: f.Client.PID,
		Source: telemetry.Proxy, Level: level(&facets), Category: "http", Message: Line(&facets), Raw: "flow " + f.ID,
	}, true
}

// level is the severity of a flow's result.
func level(f *flow.Facets) telemetry.Level {
	switch {
	case f.Error != "" || f.Kind != "" || f.Status >= 500:
		return telemetry.Error
	case f.Status == 0 || f.Status >= 400:
		return telemetry.Warning
	}
	return telemetry.Info
}

// Line is a flow in one line, without its query: POST /order 500 (123 ms) shop.example.
func Line(f *flow.Facets) string {
	path, _, _ := strings.Cut(f.Path(), "?")
	host, _ := flow.Place(f.URL)
	came := fmt.Sprint(f.Status)
	switch {
	case f.Broken():
		came = "failed: " + cmp.Or(f.Error, string(f.Kind), "no response")
	case f.Status == 0:
		came = string(f.State)
	}
	return fmt.Sprintf("%s %s %s (%.0f ms) %s", f.Method, path, came, f.TotalMS, host)
}
