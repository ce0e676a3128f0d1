package parse

import (
	"errors"
	"io"
	"io/fs"

	"ios-agent/internal/fault"
	"ios-agent/internal/machine/regularfile"
)

// mostInput is the maximum size of an input in bytes: larger than any real output, and small enough for memory.
const mostInput = 256 << 20

// File reads the output of a tool from a file.
func File(path string) ([]byte, error) {
	input, err := regularfile.Read(path, mostInput)
	return input, unreadable(path, err)
}

// Stream reads the output of a tool until its end.
func Stream(from io.Reader) ([]byte, error) {
	input, err := io.ReadAll(io.LimitReader(from, mostInput+1))
	if err == nil && len(input) > mostInput {
		err = &regularfile.LargeError{Most: mostInput}
	}
	return input, unreadable("the input", err)
}

func unreadable(what string, err error) error {
	var where *fs.PathError
	var large *regularfile.LargeError
	switch {
	case err == nil:
		return nil
	case errors.As(err, &large):
		return fault.New(fault.TooLarge, "%s holds more than %d MB", what, large.Most>>20).WithHint("parse a part of it")
	case errors.As(err, &where):
		err = where.Err
	}
	return fault.New(fault.PathError, "cannot read %s: %w", what, err)
}
