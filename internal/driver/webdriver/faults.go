package webdriver

import (
	"context"
	"errors"

	"ios-agent/internal/fault"
	"ios-agent/internal/hint"
)

// codes maps W3C's codes to fault codes. Any other code is an error of the server itself.
var codes = map[Code]fault.Code{
	NoSuchElement:      fault.ElementNotFound,
	StaleElement:       fault.RefExpired,
	NotInteractable:    fault.ElementUnhittable,
	NotVisible:         fault.ElementUnhittable,
	ClickIntercepted:   fault.ElementUnhittable,
	UnexpectedAlert:    fault.ElementUnhittable,
	InvalidArgument:    fault.InvalidInput,
	InvalidSelector:    fault.InvalidInput,
	InvalidCoordinates: fault.InvalidInput,
	UnknownCommand:     fault.Unsupported,
	UnknownMethod:      fault.Unsupported,
	UnsupportedOp:      fault.Unsupported,
	NoCapture:          fault.ScreenshotFailed,
	Timeout:            fault.Timeout,
}

// Fault makes an error of this package the fault that a caller of a device gets, with the server's name in the message. Acts means that
// the command was an input: an error other than a refusal leaves its outcome unknown. A command that only reads sends no input, even if
// it fails. Other errors stay unchanged.
func Fault(err error, who string, acts bool) error {
	no, answered := errors.AsType[*Error](err)
	if answered && acts && !no.Refused() {
		return fault.New(fault.OutcomeUnknown, "%s failed during the input: %w", who, err).WithDispatch(fault.MaybeDispatched)
	}
	t, ok := errors.AsType[fault.Typed](err)
	if !ok {
		return err
	}
	f := t.Fault().Within(who)
	if !acts {
		return f.WithDispatch(fault.NotDispatched)
	}
	return f
}

// Fault says that the command did nothing where that is certain.
func (e *Error) Fault() *fault.Fault {
	code, known := codes[e.Code]
	if !known {
		code = fault.AgentFailed
	}
	f := fault.New(code, "%w", e)
	if e.Code == UnexpectedAlert {
		f = f.WithHint("answer the alert first: %s or %s", hint.Do("alert", "answer", "accept"), hint.Do("alert", "answer", "dismiss"))
	}
	if e.Refused() {
		return f.WithDispatch(fault.NotDispatched)
	}
	return f
}

// Fault says whether the command may have arrived.
func (e *SendError) Fault() *fault.Fault {
	switch {
	case e.Sent && e.Acts:
		return fault.New(fault.OutcomeUnknown, "%w", e).WithDispatch(fault.MaybeDispatched)
	case e.Slow || errors.Is(e.Err, context.DeadlineExceeded):
		return fault.New(fault.Timeout, "%w", e).WithDispatch(fault.NotDispatched)
	case errors.Is(e.Err, context.Canceled):
		return fault.New(fault.Cancelled, "%w", e).WithDispatch(fault.NotDispatched)
	}
	return fault.New(fault.AgentFailed, "%w", e).WithDispatch(fault.NotDispatched)
}

// Fault blames the address on the caller.
func (e *AddressError) Fault() *fault.Fault {
	return fault.New(fault.InvalidInput, "%w", e).WithHint("write it like http://127.0.0.1:8100").WithDispatch(fault.NotDispatched)
}

// Fault says that another program may be at the address.
func (e *AnswerError) Fault() *fault.Fault {
	if e.Acts && e.HTTP < 300 {
		return fault.New(fault.OutcomeUnknown, "%w", e).WithDispatch(fault.MaybeDispatched)
	}
	return fault.New(fault.AgentFailed, "%w", e).WithHint("check that a WebDriver server is at this address").
		WithDispatch(fault.NotDispatched)
}
