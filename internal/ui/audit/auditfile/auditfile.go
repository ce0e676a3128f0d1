// Package auditfile reads the input files of an audit: Baseline reads known findings, Steps reads a journey. Errors are faults that name
// the file and the place.
package auditfile

import (
	"encoding/json"
	"errors"
	"io/fs"
	"strings"

	"ios-agent/internal/fault"
	"ios-agent/internal/hint"
	"ios-agent/internal/machine/docfile"
	"ios-agent/internal/ui/audit"
)

// Maximum file sizes in bytes.
const (
	mostBaseline = 4 << 20
	mostSteps    = 1 << 20
)

// Baseline reads known findings. If the caller will write the file, it need not exist yet.
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
			With("field", "baseline").WithHint("%s writes one; if this file is not a baseline, name another file", hint.Field("write_baseline"))
	}
	return b, nil
}

// Steps reads a journey: a JSON list of steps, or one step a line. Empty lines and lines that begin with # are skipped.
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
