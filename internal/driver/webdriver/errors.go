package webdriver

import (
	"encoding/json"
	"errors"
	"fmt"
	"strconv"
	"strings"

	"ios-agent/internal/text/brief"
)

// Code is W3C's error code.
type Code string

// The codes that callers distinguish. A server may send others.
const (
	NoSuchElement       Code = "no such element"
	StaleElement        Code = "stale element reference"
	NotInteractable     Code = "element not interactable"
	NotVisible          Code = "element not visible" // WebDriverAgent's
	ClickIntercepted    Code = "element click intercepted"
	InvalidElementState Code = "invalid element state"
	InvalidArgument     Code = "invalid argument"
	InvalidSelector     Code = "invalid selector"
	InvalidCoordinates  Code = "invalid coordinates"
	InvalidSession      Code = "invalid session id"
	SessionNotCreated   Code = "session not created"
	UnknownCommand      Code = "unknown command"
	UnknownMethod       Code = "unknown method"
	UnknownError        Code = "unknown error"
	UnsupportedOp       Code = "unsupported operation"
	Timeout             Code = "timeout"
	NoSuchAlert         Code = "no such alert"
	UnexpectedAlert     Code = "unexpected alert open"
	NoCapture           Code = "unable to capture screen"
	NoSuchContext       Code = "no such context" // Appium's
)

// numbers are the codes of the JSON wire protocol, which WebDriverAgent spoke before 2019.
var numbers = map[int]Code{
	6: InvalidSession, 7: NoSuchElement, 9: UnknownCommand, 10: StaleElement, 11: NotVisible, 12: InvalidElementState,
	13: UnknownError, 19: InvalidSelector, 21: Timeout, 26: UnexpectedAlert, 27: NoSuchAlert, 29: InvalidCoordinates,
	32: InvalidSelector, 33: SessionNotCreated, 35: NoSuchContext, 60: NotInteractable,
}

// refusals are the codes of commands that did nothing.
var refusals = map[Code]bool{
	NoSuchElement: true, StaleElement: true, NotInteractable: true, NotVisible: true, ClickIntercepted: true, InvalidArgument: true,
	InvalidSelector: true, InvalidCoordinates: true, InvalidSession: true, SessionNotCreated: true, UnknownCommand: true,
	UnknownMethod: true, UnsupportedOp: true, NoSuchAlert: true, UnexpectedAlert: true, NoSuchContext: true,
}

// Error is an error answer of the server. The HTTP exchange itself succeeded.
type Error struct {
	Code    Code
	Message string
	HTTP    int
}

func (e *Error) Error() string {
	words := strings.TrimSpace(e.Message)
	if words == "" || words == string(e.Code) {
		return string(e.Code)
	}
	return string(e.Code) + ": " + words
}

// Refused reports whether the command did nothing. After any other error, the command may have done half of its work.
func (e *Error) Refused() bool { return refusals[e.Code] }

// Is reports whether err is an error answer with one of the codes.
func Is(err error, codes ...Code) bool {
	no, ok := errors.AsType[*Error](err)
	if !ok {
		return false
	}
	for _, c := range codes {
		if no.Code == c {
			return true
		}
	}
	return false
}

// SendError means that no answer came.
type SendError struct {
	URL  string
	Sent bool // the server may have received the command and run it
	Acts bool // the command changes something
	Slow bool // the server took longer than its limit
	Err  error
}

func (e *SendError) Error() string {
	if e.Sent {
		return fmt.Sprintf("the command may have reached %s: %v", e.URL, e.Err)
	}
	return fmt.Sprintf("the command did not reach %s: %v", e.URL, e.Err)
}

// Unwrap returns the error that broke the exchange.
func (e *SendError) Unwrap() error { return e.Err }

// NoServer reports whether the connection failed.
func (e *SendError) NoServer() bool {
	_, no := errors.AsType[*dialError](e.Err)
	return no && !e.Sent
}

type dialError struct{ err error }

func (e *dialError) Error() string { return e.err.Error() }

func (e *dialError) Unwrap() error { return e.err }

// errSlow is the cause of a context that ends because the server is silent.
var errSlow = errors.New("the server is silent")

// AddressError means that an address cannot be a server's.
type AddressError struct{ URL, Why string }

func (e *AddressError) Error() string {
	return fmt.Sprintf("invalid server address %q: %s", e.URL, e.Why)
}

// AnswerError means that the answer does not come from a WebDriver server.
type AnswerError struct {
	URL  string
	HTTP int
	Kind string // of the content
	Acts bool
	Why  string
}

func (e *AnswerError) Error() string {
	at := e.URL
	if at == "" {
		at = "the server"
	}
	text := fmt.Sprintf("cannot read the answer of %s: %s", at, e.Why)
	if e.HTTP != 0 {
		text += fmt.Sprintf(" (HTTP %d, %s)", e.HTTP, strconv.Quote(e.Kind))
	}
	return text
}

// envelope is an answer in any protocol: W3C's has a value only; older protocols have the session and a number.
type envelope struct {
	Value   json.RawMessage `json:"value"`
	Session *string         `json:"sessionId"`
	Status  *int            `json:"status"`
}

// read parses an answer.
func read(status int, body []byte) (Answer, error) {
	var e envelope
	if err := json.Unmarshal(body, &e); err != nil || e.Value == nil && e.Status == nil && e.Session == nil {
		why := "it must be JSON with a value"
		if 300 <= status && status < 400 {
			why = "it is a redirect, which the client does not follow"
		}
		return Answer{}, &AnswerError{Why: why}
	}
	if e.Value == nil {
		e.Value = json.RawMessage("null")
	}
	a := Answer{Value: e.Value}
	if e.Session != nil {
		a.Session = *e.Session
	}
	old := 0
	if e.Status != nil {
		old = *e.Status
	}
	if 200 <= status && status < 300 && old == 0 {
		return a, nil
	}
	return a, noOf(status, old, e.Value)
}

// noOf parses an error answer in its three forms: an object with W3C's word, an object with a message, and a message alone.
func noOf(status, old int, value json.RawMessage) *Error {
	no := &Error{Code: UnknownError, HTTP: status}
	if code, known := numbers[old]; known {
		no.Code = code
	}
	var said struct {
		Error   string `json:"error"`
		Message string `json:"message"`
	}
	switch {
	case json.Unmarshal(value, &said) == nil:
		no.Message = said.Message
		if said.Error != "" {
			no.Code = Code(brief.Clip(said.Error, mostCode))
		}
	case json.Unmarshal(value, &no.Message) != nil:
		no.Message = fmt.Sprintf("HTTP %d", status)
	}
	no.Message = brief.Clip(no.Message, mostMessage)
	return no
}

// Limits, in bytes, of the quoted parts of an error answer. WebDriverAgent's longest messages contain an element's description.
const (
	mostCode    = 100
	mostMessage = 2_000
)
