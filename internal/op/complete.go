package op

import "encoding/json"

// Input is the input of a call before decoding, by the names of the operation's fields.
type Input map[string]json.RawMessage

// Completed is an input with added values for omitted fields, and the origin of each added value.
type Completed struct {
	Input   Input
	Sources map[string]string
}

// Completer adds values that a call may omit, such as a session's defaults. The catalogue runs it on the raw input, before decoding,
// because an absent value differs from an empty one. It refuses an input that still lacks a value.
type Completer func(c *Call, fields []Field, given Input) (Completed, error)

// completed runs the operation's completer. It first checks the caller's own values and normalises their spelling: a wrong value is the
// caller's mistake, even if a default exists.
func completed(s Spec, fields []Field, c *Call, given Input) (Input, error) {
	if s.Complete == nil {
		return given, nil
	}
	clean := Input{}
	for _, f := range fields {
		raw, ok := given[f.Name]
		if !ok {
			continue
		}
		value, err := f.parse(raw)
		if err == nil {
			clean[f.Name], err = json.Marshal(value)
		}
		if err != nil {
			return nil, invalid(s, f, err)
		}
	}
	done, err := s.Complete(c, fields, clean)
	c.Sources = done.Sources
	return done.Input, err
}
