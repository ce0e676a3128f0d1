package ops

import (
	"context"
	"errors"
	"path/filepath"

	"ios-agent/internal/fault"
	"ios-agent/internal/machine/host"
)

// toolFault gives a code to what running a program can end in; the code given is for a program that ran and said no.
func toolFault(err error, code fault.Code, what string) error {
	var missing *host.NotFoundError
	var exit *host.ExitError
	var late *host.TimeoutError
	switch {
	case err == nil:
		return nil
	case errors.As(err, &missing):
		return fault.New(fault.ToolMissing, "%s: %s is not installed: %w", what, filepath.Base(missing.Name), err)
	case errors.As(err, &late):
		return fault.New(fault.Timeout, "%s: %w", what, err)
	case errors.As(err, &exit):
		return fault.New(code, "%s: %w", what, err).With("stderr", exit.StderrTail).With("exit_code", exit.Code)
	case errors.Is(err, context.Canceled), errors.Is(err, context.DeadlineExceeded):
		return err
	}
	return fault.New(code, "%s: %w", what, err)
}
