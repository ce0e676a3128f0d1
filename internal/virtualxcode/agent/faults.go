package agent

import (
	"errors"
	"fmt"

	"ios-agent/internal/driver/agentwire"
	"ios-agent/internal/virtualxcode/world"
)

func faultf(code agentwire.Code, format string, args ...any) error {
	return &agentwire.AgentError{Code: code, Message: fmt.Sprintf(format, args...)}
}

// worldCodes map the world's errors to codes.
func worldCodes() map[error]agentwire.Code {
	return map[error]agentwire.Code{
		world.ErrNoFocus:      agentwire.CodeNoFocus,
		world.ErrNoValue:      agentwire.CodeUnsupported,
		world.ErrNotRunning:   agentwire.CodeAppNotRunning,
		world.ErrNotInstalled: agentwire.CodeAppNotRunning, // XCTest does not distinguish them
	}
}

// fault gives err a code. An unknown error gets the code of an XCTest exception.
func fault(err error) *agentwire.Fault {
	if e, ok := errors.AsType[*agentwire.AgentError](err); ok {
		return &agentwire.Fault{Code: e.Code, Message: e.Message}
	}
	if e, ok := errors.AsType[*agentwire.DecodeError](err); ok {
		return decodeFault(e)
	}
	for kind, code := range worldCodes() {
		if errors.Is(err, kind) {
			return &agentwire.Fault{Code: code, Message: err.Error()}
		}
	}
	return &agentwire.Fault{Code: agentwire.CodeException, Message: err.Error()}
}

func decodeFault(e *agentwire.DecodeError) *agentwire.Fault {
	f := &agentwire.Fault{Code: agentwire.CodeBadRequest, Message: "decode error: " + e.Error()}
	if e.Kind == agentwire.InvalidOpcode {
		f.Code = agentwire.CodeUnsupported
	}
	return f
}
