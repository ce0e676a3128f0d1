package agentwire

import (
	"errors"
	"fmt"
	"os"
	"time"
)

// DecodeKind is the kind of error in the bytes of a message.
type DecodeKind uint8

// The kinds of errors in a message.
const (
	InvalidOpcode DecodeKind = iota + 1
	InsufficientData
	BadUTF8
	InvalidPayload
)

var kindNames = [...]string{
	InvalidOpcode:    "invalid opcode",
	InsufficientData: "insufficient data",
	BadUTF8:          "bad UTF-8",
	InvalidPayload:   "invalid payload",
}

// String names the kind in words.
func (k DecodeKind) String() string {
	if int(k) < len(kindNames) && kindNames[k] != "" {
		return kindNames[k]
	}
	return fmt.Sprintf("decode kind %d", uint8(k))
}

// DecodeError means that a complete frame arrived and is invalid. The stream is still in step: an agent answers such a request with an
// error and reads on.
type DecodeError struct {
	Kind   DecodeKind
	Detail string
}

func (e *DecodeError) Error() string { return e.Kind.String() + ": " + e.Detail }

func decodeErrorf(kind DecodeKind, format string, args ...any) error {
	return &DecodeError{Kind: kind, Detail: fmt.Sprintf(format, args...)}
}

// ErrFrameTooLarge means that a frame exceeds MaxFrame. When reading, the stream is lost.
var ErrFrameTooLarge = errors.New("frame too large")

// SendError means that an exchange broke off. Sent decides whether a caller may try again: false means that no byte of the request was
// sent, true that the agent may have received and even executed it.
type SendError struct {
	Sent  bool
	Acted bool // the agent had confirmed that the input of an Act was sent
	Err   error
}

// AgentGone reports whether the agent must be replaced: it was silent, or its main queue hung. After a broken stream, a new one may
// work.
func (e *SendError) AgentGone() bool {
	var hung *HungError
	return e.Sent && (errors.As(e.Err, &hung) || errors.Is(e.Err, os.ErrDeadlineExceeded))
}

// HungError means that the agent's main queue did not answer for longer than the request allows.
type HungError struct {
	During Opcode
	Stuck  time.Duration
}

func (e *HungError) Error() string {
	return fmt.Sprintf("the agent's main queue has been stuck in %s for %s", e.During, e.Stuck.Round(time.Second))
}

func (e *SendError) Error() string {
	if e.Sent {
		return fmt.Sprintf("request may have reached the agent: %v", e.Err)
	}
	return fmt.Sprintf("request not sent: %v", e.Err)
}

// Unwrap returns the error that broke the exchange.
func (e *SendError) Unwrap() error { return e.Err }

// AgentError is an error that the agent reported. The exchange itself succeeded and the connection stays open.
type AgentError struct {
	Code    Code // CodeNone from an agent of version 1
	Message string
	Acted   bool // the agent had confirmed that the input of an Act was sent
}

func (e *AgentError) Error() string {
	if e.Code == CodeNone {
		return "agent: " + e.Message
	}
	return fmt.Sprintf("agent: %s (%s)", e.Message, e.Code)
}
