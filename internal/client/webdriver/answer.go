package webdriver

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"strconv"

	"ios-agent/internal/client/webdriver/page"
	"ios-agent/internal/fault"
	"ios-agent/internal/hint"
)

// kind is an error of the W3C specification.
type kind struct {
	name   string
	status int
}

// The kinds that we have.
var (
	invalidArgument  = kind{"invalid argument", http.StatusBadRequest}
	invalidSelector  = kind{"invalid selector", http.StatusBadRequest}
	invalidSession   = kind{"invalid session id", http.StatusNotFound}
	invalidState     = kind{"invalid element state", http.StatusBadRequest}
	notInteractable  = kind{"element not interactable", http.StatusBadRequest}
	noSuchElement    = kind{"no such element", http.StatusNotFound}
	noSuchAlert      = kind{"no such alert", http.StatusNotFound}
	noSuchContext    = kind{"no such context", http.StatusNotFound}
	noSuchWindow     = kind{"no such window", http.StatusNotFound}
	staleElement     = kind{"stale element reference", http.StatusNotFound}
	outOfBounds      = kind{"move target out of bounds", http.StatusInternalServerError}
	notCreated       = kind{"session not created", http.StatusInternalServerError}
	noCapture        = kind{"unable to capture screen", http.StatusInternalServerError}
	timedOut         = kind{"timeout", http.StatusInternalServerError}
	unknownCommand   = kind{"unknown command", http.StatusNotFound}
	unknownMethod    = kind{"unknown method", http.StatusMethodNotAllowed}
	unknownError     = kind{"unknown error", http.StatusInternalServerError}
	unsupported      = kind{"unsupported operation", http.StatusInternalServerError}
	forbidden        = kind{"unknown error", http.StatusForbidden}
	tooManySessions  = kind{"session not created", http.StatusTooManyRequests}
	unexpectedlyOver = kind{"session not created", http.StatusServiceUnavailable}
)

// failure is an error with its kind.
type failure struct {
	kind
	message, hint string
	code          fault.Code // ios-agent's code; empty for WebDriver's own errors
}

func fail(k kind, format string, args ...any) *failure {
	return &failure{kind: k, message: fmt.Sprintf(format, args...)}
}

func refused(format string, args ...any) *failure {
	f := fail(forbidden, format, args...)
	f.code, f.hint = fault.Forbidden, fault.Forbidden.Hint()
	return f
}

func (f *failure) hinted(hint string) *failure {
	f.hint = hint
	return f
}

func (f *failure) Error() string { return f.name + ": " + f.message }

// kinds maps faults to the W3C's errors. All other faults are unknown errors.
var kinds = map[fault.Code]kind{
	fault.InvalidInput: invalidArgument, fault.PathError: invalidArgument, fault.TooLarge: invalidArgument,
	fault.ElementNotFound: noSuchElement, fault.ElementAmbiguous: noSuchElement, fault.RefExpired: staleElement,
	fault.ElementUnhittable: notInteractable, fault.ElementUnstable: notInteractable,
	fault.ElementNotEditable: invalidState, fault.NoFocus: invalidState, fault.TextNotEntered: invalidState,
	fault.AppNotFound: invalidArgument, fault.AppAmbiguous: invalidArgument,
	fault.ScreenshotFailed: noCapture, fault.Timeout: timedOut, fault.WaitTimeout: timedOut, fault.Unsupported: unsupported,
	fault.LeaseLost: invalidSession, fault.NotHolder: invalidSession, fault.DeviceClaimed: invalidSession,
}

// of converts a fault or an invalid selector to a failure with its kind.
func of(err error) *failure {
	if wrong, is := errors.AsType[*page.InvalidSelector](err); is {
		return fail(invalidSelector, "%s", wrong.Message).hinted(wrong.Hint)
	}
	f := fault.From(err)
	k, known := kinds[f.Code]
	if !known {
		k = unknownError
	}
	return &failure{kind: k, message: f.Message, hint: f.Hint, code: f.Code}
}

// over reports whether an error says that the session has lost its device.
func over(err error) bool {
	var f *failure
	return errors.As(err, &f) && f.code != "" && f.kind == invalidSession
}

// answer is a status and a value.
type answer struct {
	status int
	value  any
}

// failureOf is the W3C's form of an error; our code and hint are in its data.
func (s *Server) failureOf(err error) answer {
	var f *failure
	if !errors.As(err, &f) {
		f = of(err)
		if errors.Is(err, context.Canceled) {
			f.message = "the client disconnected"
		}
	}
	say := s.Say
	if say == nil {
		say = hint.Plain
	}
	message, advice := say(f.message), say(f.hint)
	if advice != "" {
		message += " (" + advice + ")"
	}
	value := map[string]any{"error": f.name, "message": message, "stacktrace": "", "traceback": ""}
	data := map[string]any{}
	if f.code != "" {
		data["code"] = f.code
	}
	if advice != "" {
		data["hint"] = advice
	}
	if len(data) > 0 {
		value["data"] = data
	}
	return answer{f.status, value}
}

// write sends an answer in one packet: a client with delayed acknowledgements would wait for a second one.
func write(w http.ResponseWriter, a answer, session string) {
	whole := map[string]any{"value": a.value}
	if session != "" {
		whole["sessionId"] = session
	}
	var buf bytes.Buffer
	e := json.NewEncoder(&buf)
	e.SetEscapeHTML(false) // a source is XML, not part of a web page
	if err := e.Encode(whole); err != nil {
		a.status = http.StatusInternalServerError
		buf.Reset()
		buf.WriteString(`{"value":{"error":"unknown error","message":"the answer cannot be written","stacktrace":""}}`)
	}
	raw := buf.Bytes()
	h := w.Header()
	h.Set("Content-Type", "application/json; charset=utf-8")
	h.Set("Cache-Control", "no-cache")
	h.Set("X-Content-Type-Options", "nosniff")
	h.Set("Content-Length", strconv.Itoa(len(raw)))
	w.WriteHeader(a.status)
	_, _ = w.Write(raw) // a disconnected client needs no answer
}
