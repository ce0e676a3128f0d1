package flow

import (
	"bytes"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/url"
	"strings"
	"time"

	"ios-agent/internal/fault"
)

// HARError says what is wrong with an archive, and where.
type HARError struct {
	Line, Column int    // of what is no JSON; 0 for what is no HAR
	Place        string // log.entries[3].startedDateTime
	Why          string
}

func (e *HARError) Error() string {
	if e.Line > 0 {
		return fmt.Sprintf("line %d, column %d: %s", e.Line, e.Column, e.Why)
	}
	return e.Place + ": " + e.Why
}

// Fault says what an archive must be.
func (e *HARError) Fault() *fault.Fault {
	return fault.New(fault.InvalidInput, "the HAR file cannot be read: %w", e).
		WithHint("export it again as HAR 1.2; browsers and ios-agent write that")
}

// ReadHAR reads an archive of ours, or of somebody else. What is wrong is a *HARError.
func ReadHAR(data []byte) ([]Flow, error) {
	data = bytes.TrimPrefix(data, []byte("\xef\xbb\xbf"))
	var all struct {
		Log *struct {
			Version *string    `json:"version"`
			Entries []harEntry `json:"entries"`
		} `json:"log"`
	}
	dec := json.NewDecoder(bytes.NewReader(data))
	if err := dec.Decode(&all); err != nil {
		return nil, harError(data, err)
	}
	if _, err := dec.Token(); !errors.Is(err, io.EOF) {
		line, column := lineOf(data, dec.InputOffset()+1)
		return nil, &HARError{Line: line, Column: column, Why: "there is something after the archive"}
	}
	switch {
	case all.Log == nil:
		return nil, &HARError{Place: "log", Why: "it is missing"}
	case all.Log.Entries == nil:
		return nil, &HARError{Place: "log.entries", Why: "it is missing"}
	case all.Log.Version != nil && *all.Log.Version != "" && !strings.HasPrefix(*all.Log.Version, "1."):
		return nil, &HARError{Place: "log.version", Why: fmt.Sprintf("%q is unknown", *all.Log.Version)}
	}
	flows := make([]Flow, len(all.Log.Entries))
	for i := range flows {
		f, err := all.Log.Entries[i].flow(i)
		if err != nil {
			err.Place = fmt.Sprintf("log.entries[%d].%s", i, err.Place)
			return nil, err
		}
		flows[i] = f
	}
	return flows, nil
}

// harError finds the place of what the reader of JSON says.
func harError(data []byte, err error) *HARError {
	offset, why := int64(len(data)), err.Error()
	var syntax *json.SyntaxError
	var kind *json.UnmarshalTypeError
	switch {
	case errors.As(err, &syntax):
		offset = syntax.Offset
	case errors.As(err, &kind):
		offset, why = kind.Offset, fmt.Sprintf("%s must not be a %s", kind.Field, kind.Value)
	case errors.Is(err, io.EOF), errors.Is(err, io.ErrUnexpectedEOF):
		why = "it ends too early"
	}
	line, column := lineOf(data, offset)
	return &HARError{Line: line, Column: column, Why: why}
}

func lineOf(data []byte, offset int64) (line, column int) {
	before := data[:min(max(offset-1, 0), int64(len(data)))]
	return 1 + bytes.Count(before, []byte("\n")), len(before) - bytes.LastIndexByte(before, '\n')
}

// flow is an entry as a flow.
func (e *harEntry) flow(i int) (f Flow, wrong *HARError) {
	started, err := time.Parse(time.RFC3339Nano, e.Started)
	if err != nil || started.Year() < 0 || started.Year() > 9999 {
		return Flow{}, &HARError{Place: "startedDateTime", Why: fmt.Sprintf("%q is no time as in RFC 3339", e.Started)}
	}
	f = Flow{
		ID: fmt.Sprintf("f_%012x", i), Started: started, State: Done, Trouble: Trouble{Error: e.Response.Error},
		Request: Request{Method: e.Request.Method, URL: e.Request.URL, Protocol: e.Request.HTTPVersion, Header: fieldsOf(e.Request.Headers)},
		Timing: Timing{DNS: max(e.Timings.DNS, 0), Connect: max(e.Timings.Connect-max(e.Timings.SSL, 0), 0), TLS: max(e.Timings.SSL, 0),
			Request: max(e.Timings.Send, 0), Response: max(e.Timings.Receive, 0), Held: max(e.Timings.Blocked, 0), Total: max(e.Time, 0)},
	}
	if f.Request.Body, wrong = e.Request.PostData.body(e.Request.BodySize); wrong != nil {
		return Flow{}, wrong
	}
	if e.Response.Status != 0 || e.Flow != nil && e.Flow.Answered {
		r := &e.Response
		f.Response = &Response{Status: r.Status, Reason: r.StatusText, Protocol: r.HTTPVersion, Header: fieldsOf(r.Headers)}
		if f.Response.Body.Content, wrong = contentOf(r.Content.Text, r.Content.Encoding, "response.content.text"); wrong != nil {
			return Flow{}, wrong
		}
		f.Response.Body.Size = sizeOr(r.BodySize, f.Response.Body.Content)
	} else {
		f.State = Failed
	}
	for n, m := range e.Messages {
		one, wrong := m.message(started)
		if wrong != nil {
			wrong.Place = fmt.Sprintf("_webSocketMessages[%d].%s", n, wrong.Place)
			return Flow{}, wrong
		}
		f.Messages = append(f.Messages, one)
	}
	e.Flow.complete(&f)
	return f, nil
}

func fieldsOf(all []harPair) Header {
	if len(all) == 0 {
		return nil
	}
	out := make(Header, len(all))
	for i, p := range all {
		out[i] = Field(p)
	}
	return out
}

func sizeOr(size int64, content []byte) int64 {
	if size < 0 {
		return int64(len(content))
	}
	return size
}

func (p *harPost) body(size int64) (b Body, wrong *HARError) {
	if p == nil {
		return Body{Size: max(size, 0)}, nil
	}
	if b.Content, wrong = contentOf(p.Text, p.Encoding, "request.postData.text"); wrong != nil {
		return Body{}, wrong
	}
	if p.Text == "" && len(p.Params) > 0 {
		var form []string
		for _, one := range p.Params {
			form = append(form, url.QueryEscape(one.Name)+"="+url.QueryEscape(one.Value))
		}
		b.Content = []byte(strings.Join(form, "&"))
	}
	b.Size = sizeOr(size, b.Content)
	return b, nil
}

func contentOf(text, encoding, place string) ([]byte, *HARError) {
	switch {
	case text == "":
		return nil, nil
	case encoding == "base64":
		raw, err := base64.StdEncoding.DecodeString(text)
		if err != nil {
			return nil, &HARError{Place: place, Why: "it is no base64: " + err.Error()}
		}
		return raw, nil
	case encoding != "":
		return nil, &HARError{Place: place, Why: fmt.Sprintf("the encoding %q is unknown", encoding)}
	}
	return []byte(text), nil
}

func (m *harMessage) message(started time.Time) (Message, *HARError) {
	out := Message{Sent: m.Type == "send", Text: m.Opcode == 1, Closes: m.Opcode == 8, Cut: m.Cut, AtMS: m.AtMS, Size: m.Size}
	if m.AtMS == 0 && m.Time > 0 && m.Time < 1e11 {
		out.AtMS = max(int64(m.Time*1000+0.5)-started.UnixMilli(), 0)
	}
	encoding := "base64"
	if out.Text {
		encoding = ""
	}
	var wrong *HARError
	if out.Data, wrong = contentOf(m.Data, encoding, "data"); wrong != nil {
		return Message{}, wrong
	}
	if m.Size <= 0 {
		out.Size = int64(len(out.Data))
	}
	return out, nil
}

// complete adds what only we wrote.
func (h *harFlow) complete(f *Flow) {
	if h == nil {
		return
	}
	if h.ID != "" {
		f.ID = h.ID
	}
	if h.State != "" {
		f.State = h.State
	}
	f.Client, f.TLS, f.Timing, f.Trouble = h.Client, h.TLS, h.Timing, h.Trouble
	f.Rule, f.Repeats, f.Changed, f.Told, f.Hidden = h.Rule, h.Repeats, h.Changed, h.Told, h.Hidden
	put := func(b *Body, from harBody) { b.Size, b.Coding, b.Cut = from.Size, from.Coding, from.Cut }
	put(&f.Request.Body, h.RequestBody)
	f.Request.Trailer = h.Trailer
	if f.Response != nil {
		put(&f.Response.Body, h.ResponseBody)
		f.Response.Trailer = h.Trailers
	}
}
