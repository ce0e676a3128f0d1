package uiread

import (
	"bytes"

	"ios-agent/internal/fault"
)

// place is a reader's position in the input.
type place struct {
	whole []byte
	from  int
}

func (p place) after(n int) place { return place{p.whole, p.from + n} }

// fault reports unreadable input, with its place and the number of elements before it.
func (p place) fault(offset int, problem string, begun int) error {
	at := min(max(p.from+offset, 0), len(p.whole))
	line := bytes.Count(p.whole[:at], []byte("\n")) + 1
	column := at - bytes.LastIndexByte(p.whole[:at], '\n')
	return fault.New(fault.ParseFailed, "line %d, column %d: %s", line, column, problem).
		With("offset", at).With("line", line).With("column", column).With("begun", begun)
}
