package webdriver

import (
	"context"
	"encoding/base64"
	"encoding/json"
	"os"
	"slices"
	"strconv"
	"strings"
	"time"

	"ios-agent/internal/fault"
	"ios-agent/internal/machine/regularfile"
)

// pasteboard reads the device's pasteboard, or puts a text on it.
func (one *session) pasteboard(ctx context.Context, text *string) (string, error) {
	input := map[string]any{}
	if text != nil {
		input["text"] = *text
	}
	var out struct{ Text string }
	err := one.on(ctx, "pasteboard", input, &out)
	return out.Text, err
}

// plain refuses content other than text: our pasteboard holds only text.
func (q *request) plain() error {
	kind := "plaintext"
	if err := q.may(map[string]any{"contentType": &kind}); err != nil {
		return err
	}
	if !strings.EqualFold(kind, "plaintext") {
		return fail(unsupported, "a pasteboard of the type %q is not supported", kind).hinted("plaintext is")
	}
	return nil
}

// copying puts a text on the pasteboard: in base64 for WebDriverAgent's and Appium's routes, unencoded for the extension.
func copying(encoded bool) handler {
	return func(ctx context.Context, q *request) (any, error) {
		var text string
		if err := q.take(map[string]any{"content": &text}); err != nil {
			return nil, err
		}
		if err := q.plain(); err != nil {
			return nil, err
		}
		if encoded {
			raw, err := base64.StdEncoding.DecodeString(text)
			if err != nil {
				return nil, fail(invalidArgument, "content is not base64: %v", err)
			}
			text = string(raw)
		}
		_, err := q.session.pasteboard(ctx, &text)
		return nil, err
	}
}

// pasting reads the pasteboard, with the same encodings.
func pasting(encoded bool) handler {
	return func(ctx context.Context, q *request) (any, error) {
		if err := q.plain(); err != nil {
			return nil, err
		}
		text, err := q.session.pasteboard(ctx, nil)
		if encoded {
			text = base64.StdEncoding.EncodeToString([]byte(text))
		}
		return text, err
	}
}

// place is the simulated location of a device. The location cannot be read, so a session returns its own setting.
type place struct {
	Latitude  *float64 `json:"latitude"`
	Longitude *float64 `json:"longitude"`
	Altitude  *float64 `json:"altitude,omitempty"`
}

func setPlace(ctx context.Context, q *request) (any, error) {
	var at place
	if err := q.may(map[string]any{"location": &at, "latitude": &at.Latitude, "longitude": &at.Longitude}); err != nil {
		return nil, err
	}
	if at.Latitude == nil || at.Longitude == nil {
		return nil, fail(invalidArgument, "a location needs a latitude and a longitude")
	}
	err := q.session.on(ctx, "set_location", map[string]any{"latitude": *at.Latitude, "longitude": *at.Longitude}, nil)
	if err == nil {
		q.session.put(at)
	}
	return nil, err
}

func resetPlace(ctx context.Context, q *request) (any, error) {
	err := q.session.on(ctx, "set_location", map[string]any{"clear": true}, nil)
	if err == nil {
		q.session.put(place{})
	}
	return nil, err
}

func (one *session) put(at place) {
	one.mu.Lock()
	defer one.mu.Unlock()
	one.at = at
}

func getPlace(_ context.Context, q *request) (any, error) {
	q.session.mu.Lock()
	defer q.session.mu.Unlock()
	return q.session.at, nil
}

// setAppearance sets dark or light; WebDriverAgent calls the style a name.
func setAppearance(ctx context.Context, q *request) (any, error) {
	var style string
	if err := q.may(map[string]any{"style": &style, "name": &style}); err != nil {
		return nil, err
	}
	if style = strings.ToLower(style); style != "dark" && style != "light" {
		return nil, fail(invalidArgument, "invalid style %q", style).hinted("dark or light")
	}
	return nil, q.session.on(ctx, "set_appearance", map[string]any{"mode": style}, nil)
}

func getAppearance(ctx context.Context, q *request) (any, error) {
	var out struct{ Mode string }
	err := q.session.on(ctx, "set_appearance", nil, &out)
	return map[string]any{"style": out.Mode}, err
}

// listApps are the installed apps by their bundle ids, with the keys of property lists.
func listApps(ctx context.Context, q *request) (any, error) {
	kind := "User"
	if err := q.may(map[string]any{"applicationType": &kind}); err != nil {
		return nil, err
	}
	all, err := q.session.apps(ctx)
	out := map[string]any{}
	for _, a := range all {
		if strings.EqualFold(a.Type, kind) || kind == "Any" {
			out[a.Bundle] = map[string]any{
				"CFBundleIdentifier": a.Bundle, "CFBundleDisplayName": a.Name, "CFBundleName": a.Name, "ApplicationType": kindOf(a.Type),
			}
		}
	}
	return out, err
}

// kindOf is the type of an app in property lists.
func kindOf(kind string) string {
	if kind == "" {
		return "User"
	}
	return strings.ToUpper(kind[:1]) + kind[1:]
}

// startFilm starts to record the screen, for at most ten minutes unless the client says otherwise.
func startFilm(ctx context.Context, q *request) (any, error) {
	var options struct {
		Limit json.RawMessage `json:"timeLimit"` // a number, or a number as text
	}
	if err := q.may(map[string]any{"options": &options}); err != nil {
		return nil, err
	}
	input := map[string]any{}
	if text := strings.Trim(string(options.Limit), `"`); text != "" && text != "null" {
		seconds, err := strconv.ParseFloat(text, 64)
		if err != nil {
			return nil, fail(invalidArgument, "invalid timeLimit %.40q", text)
		}
		input["seconds"] = int(within(seconds, 1, 3600))
	}
	return nil, q.session.on(ctx, "record_video", input, nil)
}

// mostFilm is the maximum size of a video in bytes: the client gets it as one text.
const mostFilm = 256 << 20

// stopFilm returns the video in base64 and removes the file.
func stopFilm(ctx context.Context, q *request) (any, error) {
	var out struct{ Path string }
	if err := q.session.on(ctx, "record_video", map[string]any{"stop": true}, &out); err != nil {
		return nil, err
	}
	raw, err := regularfile.Read(out.Path, mostFilm)
	if err != nil {
		return nil, of(fault.New(fault.PathError, "cannot read the video %s: %w", out.Path, err))
	}
	_ = os.Remove(out.Path) // only a copy
	return base64.StdEncoding.EncodeToString(raw), nil
}

// battery is the state that apps see in a simulator: unknown. No operation reads the battery of a physical device.
func battery(_ context.Context, q *request) (any, error) {
	if !q.session.simulator {
		return nil, fail(unsupported, "reading the battery of a physical device is not supported")
	}
	return map[string]any{"level": -1, "state": 0}, nil
}

// deviceTime is the time of a simulator, which is the Mac's.
func deviceTime(_ context.Context, q *request) (any, error) {
	if !q.session.simulator {
		return nil, fail(unsupported, "reading the time of a physical device is not supported").
			hinted("a screenshot shows it in the status bar")
	}
	return q.Now().Format(time.RFC3339), nil
}

// logTypes are the logs that a client may read.
var logTypes = []string{"syslog"}

// readLog returns the new log lines of the app in front, up to a maximum number of the newest.
func readLog(ctx context.Context, q *request) (any, error) {
	var kind string
	if err := q.take(map[string]any{"type": &kind}); err != nil {
		return nil, err
	}
	if !slices.Contains(logTypes, kind) {
		return nil, fail(invalidArgument, "unknown log type %q", kind).hinted(strings.Join(logTypes, ", "))
	}
	q.session.mu.Lock()
	after := q.session.logged
	q.session.mu.Unlock()
	input := map[string]any{"limit": mostLines}
	if after != "" {
		input["after"] = after
	}
	var out struct {
		Cursor string
		Lines  []struct {
			Time    time.Time
			Message string
		}
	}
	if err := q.session.on(ctx, "read_logs", input, &out); err != nil {
		return nil, err
	}
	q.session.mu.Lock()
	q.session.logged = out.Cursor
	q.session.mu.Unlock()
	lines := []any{}
	for _, l := range out.Lines {
		lines = append(lines, map[string]any{"timestamp": l.Time.UnixMilli(), "level": "ALL", "message": l.Message})
	}
	return lines, nil
}

// mostLines is the maximum number of log lines in an answer.
const mostLines = 1000
