package op

import (
	"encoding/json"
	"errors"
	"fmt"

	"ios-agent/internal/fault"
)

// MisfitError says where an input does not match the operation's schema. Other mistakes in an input (a missing file, two inputs that
// exclude each other) are plain faults.
type MisfitError struct {
	Field string          // empty: the input as a whole
	Kind  string          // the kind of mistake; see the constants
	Given json.RawMessage // the value; nil when it is missing

	err error
}

// The kinds of misfits, in the words of Python's servers.
const (
	Missing    = "missing"
	Unknown    = "extra_forbidden"
	NoObject   = "json_invalid"
	NoBool     = "bool_parsing"
	NoInt      = "int_parsing"
	NoFloat    = "float_parsing"
	NoString   = "string_type"
	NoList     = "list_type"
	NoInstant  = "datetime_from_date_parsing"
	NoChoice   = "literal_error"
	NoMatch    = "string_pattern_mismatch"
	TooSmall   = "greater_than_equal"
	TooGreat   = "less_than_equal"
	WrongValue = "value_error"
)

func (e *MisfitError) Error() string { return e.err.Error() }

func (e *MisfitError) Unwrap() error { return e.err }

// misfit makes a MisfitError; the caller puts the operation's name before it.
func misfit(kind, field string, given json.RawMessage, format string, args ...any) *MisfitError {
	return &MisfitError{Field: field, Kind: kind, Given: given, err: fmt.Errorf(format, args...)}
}

// Misfit returns the first mismatch between an input and the operation's schema; nil if it matches.
func (o Op) Misfit(input []byte) *MisfitError {
	_, input, err := o.sessionOf("", input)
	if err == nil {
		_, err = o.Read(input)
	}
	wrong, _ := errors.AsType[*MisfitError](err)
	return wrong
}

// Statuses are the HTTP statuses of operations whose clients expect other statuses than the codes have; nil means the statuses of the
// codes.
type Statuses struct {
	Name   string // name, in documents, of the product whose clients expect them
	Misfit int    // for an input that does not match the schema; the detail is a list then
	Codes  map[fault.Code]int
}

// Of returns the status of a code.
func (s *Statuses) Of(code fault.Code) int {
	if s != nil {
		if status, ok := s.Codes[code]; ok {
			return status
		}
	}
	return code.Status()
}

// Status returns the HTTP status for a fault of a call with this input.
func (o Op) Status(f *fault.Fault, input []byte) int {
	if o.Statuses != nil && f.Code == fault.InvalidInput && o.Misfit(input) != nil {
		return o.Statuses.Misfit
	}
	return o.Statuses.Of(f.Code)
}
