package webdriver

import (
	"encoding/json"
	"errors"
	"fmt"
	"strconv"
	"strings"

	"ios-agent/internal/text/brief"
)

// Code is W3C's word for what went wrong.
type Code string

// The codes that somebody decides by. A server may send others.
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

// refusals are the codes of what was not even begun.
var refusals = map[Code]bool{
	NoSuchElement: true, StaleElement: true, NotInteractable: true, NotVisible: true, ClickIntercepted: true, InvalidArgument: true,
	InvalidSelector: true, InvalidCoordinates: true, InvalidSession: true, SessionNotCreated: true, UnknownCommand: true,
	UnknownMethod: true, UnsupportedOp: true, NoSuchAlert: true, UnexpectedAlert: true, NoSuchContext: true,
}

// Error is a server's no. The exchange itself went well.
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

// Refused reports whether the command was not even begun. An error of another kind may come when half of it is done.
func (e *Error) Refused() bool { return refusals[e.Code] }

// Is reports whether err is a server's no with one of the codes.
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

// SendError says that no answer came.
type SendError struct {
	URL  string
	Sent bool // the server may have received the command, and even done it
	Acts bool // the command changes something
	Slow bool // the server was silent for longer than it may be
	Err  error
}

func (e *SendError) Error() string {
	if e.Sent {
		return fmt.Sprintf("the command may have reached %s: %v", e.URL, e.Err)
	}
	return fmt.Sprintf("the command did not reach %s: %v", e.URL, e.Err)
}

// Unwrap gives what broke the exchange.
func (e *SendError) Unwrap() error { return e.Err }

// NoServer reports whether nobody could be connected to.
func (e *SendError) NoServer() bool {
	_, no := errors.AsType[*dialError](e.Err)
	return no && !e.Sent
}

type dialError struct{ err error }

func (e *dialError) Error() string { return e.err.Error() }

func (e *dialError) Unwrap() error { return e.err }

// errSlow is the cause of a context that ends because the server is silent.
var errSlow = errors.New("the server is silent")

// AddressError says that an address cannot be a server's.
type AddressError struct{ URL, Why string }

func (e *AddressError) Error() string {
	return fmt.Sprintf("%q is no address of a server: %s", e.URL, e.Why)
}

// AnswerError says that something answered in a way that a WebDriver server does not.
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
	text := fmt.Sprintf("the answer of %s cannot be read: %s", at, e.Why)
	if e.HTTP != 0 {
		text += fmt.Sprintf(" (HTTP %d, %s)", e.HTTP, strconv.Quote(e.Kind))
	}
	return text
}

// envelope is the answer of every protocol there was: W3C's has a value only; older ones say the session and a number.
type envelope struct {
	Value   json.RawMessage `json:"value"`
	Session *string         `json:"sessionId"`
	Status  *int            `json:"status"`
}

// read takes an answer apart.
func read(status int, body []byte) (Answer, error) {
	var e envelope
	if err := json.Unmarshal(body, &e); err != nil || e.Value == nil && e.Status == nil && e.Session == nil {
		why := "it is no JSON with a value"
		if 300 <= status && status < 400 {
			why = "it is a redirect, and none is followed"
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

// noOf is a server's no in its three forms: an object with W3C's word, an object with a message, and a message alone.
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

// How many bytes of a server's no are told. The longest that WebDriverAgent says have an element's description in them.
const (
	mostCode    = 100
	mostMessage = 2_000
)
