package flow

import (
	"bufio"
	"encoding/base64"
	"encoding/json"
	"io"
	"net/http"
	"net/url"
	"strings"
	"time"
	"unicode/utf8"
)

// This file writes HAR 1.2, as tools for web pages read it. Facts without a place in HAR are in fields whose name begins with an
// underscore, as the format requires; WebSockets and streams of events are written as Chrome writes them.

type harLog struct {
	Version string     `json:"version"`
	Creator harCreator `json:"creator"`
	Entries []harEntry `json:"entries"`
	Comment string     `json:"comment,omitempty"`
}

type harCreator struct {
	Name    string `json:"name"`
	Version string `json:"version"`
}

type harEntry struct {
	Started  string       `json:"startedDateTime"`
	Time     float64      `json:"time"`
	Request  harRequest   `json:"request"`
	Response harResponse  `json:"response"`
	Cache    struct{}     `json:"cache"`
	Timings  harTimings   `json:"timings"`
	Resource string       `json:"_resourceType,omitempty"`
	Messages []harMessage `json:"_webSocketMessages,omitempty"`
	Events   []harEvent   `json:"_eventSourceMessages,omitempty"`
	Flow     *harFlow     `json:"_flow,omitempty"`
	Comment  string       `json:"comment,omitempty"`
}

type harRequest struct {
	Method      string      `json:"method"`
	URL         string      `json:"url"`
	HTTPVersion string      `json:"httpVersion"`
	Cookies     []harCookie `json:"cookies"`
	Headers     []harPair   `json:"headers"`
	Query       []harPair   `json:"queryString"`
	PostData    *harPost    `json:"postData,omitempty"`
	HeadersSize int64       `json:"headersSize"`
	BodySize    int64       `json:"bodySize"`
}

type harResponse struct {
	Status      int         `json:"status"`
	StatusText  string      `json:"statusText"`
	HTTPVersion string      `json:"httpVersion"`
	Cookies     []harCookie `json:"cookies"`
	Headers     []harPair   `json:"headers"`
	Content     harContent  `json:"content"`
	RedirectURL string      `json:"redirectURL"`
	HeadersSize int64       `json:"headersSize"`
	BodySize    int64       `json:"bodySize"`
	Error       string      `json:"_error,omitempty"`
}

type harPair struct {
	Name  string `json:"name"`
	Value string `json:"value"`
}

type harCookie struct {
	Name     string `json:"name"`
	Value    string `json:"value"`
	Path     string `json:"path,omitempty"`
	Domain   string `json:"domain,omitempty"`
	Expires  string `json:"expires,omitempty"`
	HTTPOnly bool   `json:"httpOnly,omitempty"`
	Secure   bool   `json:"secure,omitempty"`
}

type harPost struct {
	MimeType string `json:"mimeType"`
	Text     string `json:"text"`
	Encoding string `json:"_encoding,omitempty"`
}

type harContent struct {
	Size        int64  `json:"size"`
	Compression int64  `json:"compression,omitempty"`
	MimeType    string `json:"mimeType"`
	Text        string `json:"text,omitempty"`
	Encoding    string `json:"encoding,omitempty"`
	Comment     string `json:"comment,omitempty"`
}

type harTimings struct {
	Blocked float64 `json:"blocked"`
	DNS     float64 `json:"dns"`
	Connect float64 `json:"connect"`
	Send    float64 `json:"send"`
	Wait    float64 `json:"wait"`
	Receive float64 `json:"receive"`
	SSL     float64 `json:"ssl"`
}

type harMessage struct {
	Type   string  `json:"type"`
	Time   float64 `json:"time"` // seconds since 1970
	Opcode int     `json:"opcode"`
	Data   string  `json:"data"`
	Size   int64   `json:"_size,omitempty"`
	Cut    bool    `json:"_cut,omitempty"`
	AtMS   int64   `json:"_at_ms,omitempty"`
}

// harEvent is an event of a stream (text/event-stream).
type harEvent struct {
	Time float64 `json:"time"` // seconds since 1970
	Name string  `json:"eventName"`
	ID   string  `json:"eventId"`
	Data string  `json:"data"`
	Size int64   `json:"_size,omitempty"`
	Cut  bool    `json:"_cut,omitempty"`
	AtMS int64   `json:"_at_ms,omitempty"`
}

// harFlow has the facts of a flow that HAR has no place for.
type harFlow struct {
	ID           string   `json:"id"`
	State        State    `json:"state"`
	Client       Client   `json:"client"`
	TLS          *TLS     `json:"tls,omitempty"`
	Timing       Timing   `json:"timing"`
	Trouble               // its error is also in the response
	Rule         string   `json:"rule,omitempty"`
	Repeats      string   `json:"repeats,omitempty"`
	Changed      bool     `json:"changed,omitempty"`
	Told         int      `json:"told,omitempty"`
	Hidden       []string `json:"hidden,omitempty"`
	Answered     bool     `json:"answered"` // the flow has a response
	RequestBody  harBody  `json:"request_body"`
	ResponseBody harBody  `json:"response_body"`
	Trailer      Header   `json:"trailer,omitempty"` // of the request
	Trailers     Header   `json:"response_trailer,omitempty"`
}

type harBody struct {
	Size   int64  `json:"size"`
	Coding string `json:"coding,omitempty"`
	Cut    bool   `json:"cut,omitempty"`
}

// HAROptions configure WriteHAR.
type HAROptions struct {
	Version  string // of ios-agent
	Comment  string
	NoBodies bool // neither bodies nor messages
}

// WriteHAR writes flows as HAR 1.2, one after the other, so its memory does not grow with their number. Redact the flows before. Bodies
// in files are left out.
func WriteHAR(w io.Writer, flows func(yield func(*Flow) bool), o HAROptions) error {
	out := bufio.NewWriter(w)
	head, err := json.Marshal(harLog{Version: "1.2", Creator: harCreator{"ios-agent", o.Version}, Comment: o.Comment, Entries: []harEntry{}})
	if err != nil {
		return err
	}
	before, after, _ := strings.Cut(string(head), `"entries":[]`)
	_, _ = out.WriteString(`{"log":` + before + `"entries":[`) // out.Flush returns the first error
	separator := "\n"
	for f := range flows {
		entry := entryOf(f)
		if o.NoBodies {
			entry.bare(f)
		}
		line, err := json.Marshal(entry)
		if err != nil {
			return err
		}
		_, _ = out.WriteString(separator)
		_, _ = out.Write(line)
		separator = ",\n"
	}
	_, _ = out.WriteString("\n]" + after + "}\n")
	return out.Flush()
}

func entryOf(f *Flow) harEntry {
	e := harEntry{
		Started: f.Started.Format(time.RFC3339Nano), Request: requestOf(&f.Request), Timings: timingsOf(&f.Timing), Response: harResponse{
			HTTPVersion: f.Request.Protocol, Cookies: []harCookie{}, Headers: []harPair{}, HeadersSize: -1, BodySize: -1, Error: f.Error,
		},
		Flow: &harFlow{
			ID: f.ID, State: f.State, Client: f.Client, TLS: f.TLS, Timing: f.Timing, Trouble: f.Trouble, Rule: f.Rule, Repeats: f.Repeats,
			Changed: f.Changed, Told: f.Told, Hidden: f.Hidden, Answered: f.Response != nil, RequestBody: bodyOf(&f.Request.Body),
			Trailer: f.Request.Trailer,
		},
	}
	for _, part := range []float64{e.Timings.Blocked, e.Timings.DNS, e.Timings.Connect, e.Timings.Send, e.Timings.Wait, e.Timings.Receive} {
		e.Time += max(part, 0)
	}
	if f.Response != nil {
		e.Response = responseOf(f.Response, f.Error)
		e.Flow.ResponseBody, e.Flow.Trailers = bodyOf(&f.Response.Body), f.Response.Trailer
	}
	for _, m := range f.Messages {
		if f.streams() {
			e.Resource, e.Events = "eventsource", append(e.Events, eventOf(f.Started, m))
		} else {
			e.Resource, e.Messages = "websocket", append(e.Messages, messageOf(f.Started, m))
		}
	}
	return e
}

// bare removes bodies and messages.
func (e *harEntry) bare(f *Flow) {
	e.Request.PostData, e.Messages, e.Events = nil, nil, nil
	if f.Response != nil {
		e.Response.Content = harContent{Size: f.Response.Body.Size, MimeType: e.Response.Content.MimeType, Comment: "the body is left out"}
	}
}

// streams reports whether the answer is a stream of events.
func (f *Flow) streams() bool {
	if f.Response == nil {
		return false
	}
	kind, _, _ := strings.Cut(f.Response.Header.Get("Content-Type"), ";")
	return strings.EqualFold(strings.TrimSpace(kind), "text/event-stream")
}

// eventOf reads an event's lines. An event without a name is called message, as in a browser.
func eventOf(started time.Time, m Message) harEvent {
	out := harEvent{
		Time: float64(started.UnixMilli()+m.AtMS) / 1000, Name: "message", Size: m.Size, Cut: m.Cut, AtMS: m.AtMS,
	}
	var data []string
	for line := range strings.SplitSeq(strings.ToValidUTF8(string(m.Data), "\uFFFD"), "\n") {
		field, value, _ := strings.Cut(line, ":")
		value = strings.TrimPrefix(value, " ")
		switch field {
		case "event":
			out.Name = value
		case "id":
			out.ID = value
		case "data":
			data = append(data, value)
		}
	}
	out.Data = strings.Join(data, "\n")
	return out
}

func bodyOf(b *Body) harBody { return harBody{b.Size, b.Coding, b.Cut} }

func requestOf(r *Request) harRequest {
	out := harRequest{
		Method: r.Method, URL: r.URL, HTTPVersion: r.Protocol, Cookies: []harCookie{}, Headers: pairs(r.Header), Query: []harPair{},
		HeadersSize: -1, BodySize: r.Body.Size,
	}
	for _, h := range r.Header {
		if strings.EqualFold(h.Name, "cookie") {
			for part := range strings.SplitSeq(h.Value, ";") {
				name, value, _ := strings.Cut(strings.TrimSpace(part), "=")
				out.Cookies = append(out.Cookies, harCookie{Name: name, Value: value})
			}
		}
	}
	query, _, _ := strings.Cut(r.URL, "#")
	_, query, _ = strings.Cut(query, "?")
	for part := range strings.SplitSeq(query, "&") {
		if name, value, _ := strings.Cut(part, "="); part != "" {
			out.Query = append(out.Query, harPair{unescaped(name), unescaped(value)})
		}
	}
	if len(r.Body.Content) > 0 {
		text, encoding := textOf(r.Body.Content)
		out.PostData = &harPost{MimeType: r.Header.Get("Content-Type"), Text: text, Encoding: encoding}
	}
	return out
}

func unescaped(text string) string {
	if plain, err := url.QueryUnescape(text); err == nil {
		return strings.ToValidUTF8(plain, "\uFFFD")
	}
	return text
}

// textOf is a content as JSON can hold it.
func textOf(content []byte) (text, encoding string) {
	if utf8.Valid(content) {
		return string(content), ""
	}
	return base64.StdEncoding.EncodeToString(content), "base64"
}

func pairs(h Header) []harPair {
	out := make([]harPair, len(h))
	for i, f := range h {
		out[i] = harPair(f)
	}
	return out
}

func responseOf(r *Response, failed string) harResponse {
	out := harResponse{
		Status: r.Status, StatusText: r.Reason, HTTPVersion: r.Protocol, Cookies: []harCookie{}, Headers: pairs(r.Header), HeadersSize: -1,
		BodySize: r.Body.Size, RedirectURL: r.Header.Get("Location"), Error: failed,
		Content: harContent{Size: int64(len(r.Body.Content)), MimeType: r.Header.Get("Content-Type")},
	}
	out.Content.Text, out.Content.Encoding = textOf(r.Body.Content)
	switch {
	case r.Body.Cut:
		out.Content.Size = max(r.Body.Size, out.Content.Size)
		out.Content.Comment = "only the first part of the body"
	case r.Body.Coding != "":
		out.Content.Compression = out.Content.Size - r.Body.Size
	}
	for _, h := range r.Header {
		if !strings.EqualFold(h.Name, "set-cookie") {
			continue
		}
		if c, err := http.ParseSetCookie(h.Value); err == nil {
			one := harCookie{Name: c.Name, Value: c.Value, Path: c.Path, Domain: c.Domain, HTTPOnly: c.HttpOnly, Secure: c.Secure}
			if !c.Expires.IsZero() {
				one.Expires = c.Expires.UTC().Format(time.RFC3339)
			}
			out.Cookies = append(out.Cookies, one)
		}
	}
	return out
}

// mostMS is a bound beyond any real duration.
const mostMS = 1e12

// timingsOf gives -1 for an unknown duration, except for the three parts that HAR requires.
func timingsOf(t *Timing) harTimings {
	known := func(ms float64) float64 {
		if ms <= 0 {
			return -1
		}
		return min(ms, mostMS)
	}
	out := harTimings{Blocked: known(t.Held), DNS: known(t.DNS), Connect: known(t.Connect + t.TLS), SSL: known(t.TLS),
		Send: max(known(t.Request), 0), Receive: max(known(t.Response), 0)}
	out.Wait = min(max(t.Total-t.Held-t.DNS-t.Connect-t.TLS-t.Request-t.Response, 0), mostMS)
	return out
}

func messageOf(started time.Time, m Message) harMessage {
	out := harMessage{Type: "receive", Time: float64(started.UnixMilli()+m.AtMS) / 1000, Opcode: 2, Size: m.Size, Cut: m.Cut, AtMS: m.AtMS}
	if m.Sent {
		out.Type = "send"
	}
	switch {
	case m.Closes:
		out.Opcode = 8
	case m.Text:
		out.Opcode = 1
	}
	if m.Text && !m.Closes && utf8.Valid(m.Data) {
		out.Data = string(m.Data)
		return out
	}
	if out.Opcode == 1 {
		out.Opcode = 2 // invalid text is written as base64, like a binary message
	}
	out.Data = base64.StdEncoding.EncodeToString(m.Data)
	return out
}
