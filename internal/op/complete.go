package op

import "encoding/json"

// Input is what a call gives, by the names of the operation's fields, before it is decoded.
type Input map[string]json.RawMessage

// Completed is an input with what the call left out, and where each added value is from.
type Completed struct {
	Input   Input
	Sources map[string]string
}

// Completer adds values that a call may leave out, such as a session's defaults. The catalogue runs it on the raw input,
// before anything is decoded: what is absent differs from what is empty. It refuses an input that still lacks something.
type Completer func(c *Call, fields []Field, given Input) (Completed, error)

// completed runs the operation's completer. What the caller gave is checked first, and brought into one spelling: a wrong
// value is the caller's mistake, whatever a default would say.
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
