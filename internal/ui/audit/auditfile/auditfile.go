// Package auditfile reads the files that an audit is given: the baseline, and the steps of a journey.
package auditfile

import (
	"encoding/json"
	"errors"
	"io/fs"
	"strings"

	"ios-agent/internal/fault"
	"ios-agent/internal/machine/docfile"
	"ios-agent/internal/ui/audit"
)

// How large the files may be.
const (
	mostBaseline = 4 << 20
	mostSteps    = 1 << 20
)

// Baseline reads known findings. One that is to be written need not be there yet.
func Baseline(path string, toWrite bool) (b audit.Baseline, err error) {
	text, err := docfile.ReadOwn(path, mostBaseline)
	if errors.Is(err, fs.ErrNotExist) && toWrite {
		return b, nil
	}
	if err == nil {
		err = docfile.JSON(text)
	}
	if err == nil {
		b, err = audit.ReadBaseline(text)
	}
	if err != nil {
		return b, fault.New(fault.PathError, "audit: the baseline %s: %s", docfile.Place(path, err), docfile.Reason(err)).
			With("field", "baseline").WithHint("`--write-baseline` writes one; name another file if this one is something else")
	}
	return b, nil
}

// Steps reads a journey: a JSON list of steps, or one step a line, where empty lines and those that begin with # say nothing.
func Steps(path string) ([]string, error) {
	text, err := docfile.ReadOwn(path, mostSteps)
	if err != nil {
		return nil, fault.New(fault.PathError, "audit: the steps %s: %w", path, err).With("field", "steps_file")
	}
	steps, err := lines(text)
	if err != nil {
		return nil, fault.New(fault.InvalidInput, "audit: the steps %s: %s", docfile.Place(path, err), docfile.Reason(err)).
			With("field", "steps_file").WithHint("write one step a line, or a JSON list of steps")
	}
	return steps, nil
}

func lines(text []byte) (steps []string, err error) {
	if strings.HasPrefix(strings.TrimSpace(string(text)), "[") {
		if err := docfile.JSON(text); err != nil {
			return nil, err
		}
		err = json.Unmarshal(text, &steps)
		return steps, err
	}
	for line := range strings.Lines(string(text)) {
		if line = strings.TrimSpace(line); line != "" && !strings.HasPrefix(line, "#") {
			steps = append(steps, line)
		}
	}
	return steps, nil
}
