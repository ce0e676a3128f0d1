package host

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
)

const maxOutputFile = 8 << 20

func (c Cmd) outputPath(i int) string {
	path := c.Outputs[i]
	if filepath.IsAbs(path) {
		return path
	}
	return filepath.Join(c.Dir, path)
}

func readOutputs(c Cmd, v *redactor) []outputFile {
	var all []outputFile
	for i, path := range c.Outputs {
		o := readOutput(c.outputPath(i), v)
		o.Path = v.text(path)
		all = append(all, o)
	}
	return all
}

func readOutput(path string, v *redactor) outputFile {
	info, err := os.Stat(path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return outputFile{Absent: true}
	case err != nil:
		return outputFile{Skipped: err.Error()}
	case !info.Mode().IsRegular(): // opening a pipe may never return
		return outputFile{Skipped: "not a regular file"}
	}
	b, err := readUpTo(path, maxOutputFile)
	if err != nil {
		return outputFile{Skipped: err.Error()}
	}
	return outputFile{content: contentOf(v.all(b))}
}

func readUpTo(path string, limit int64) ([]byte, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	b, err := io.ReadAll(io.LimitReader(f, limit+1))
	if int64(len(b)) > limit {
		return nil, fmt.Errorf("larger than %d MiB", limit>>20)
	}
	return b, err
}

// writeOutputs writes recorded files where this invocation wants them, never where the transcript says. A file whose
// content is not in the transcript is an error: otherwise it would look as if the program had not written it.
func writeOutputs(c Cmd, recorded []outputFile) error {
	var errs []error
	for i := range min(len(c.Outputs), len(recorded)) {
		o := recorded[i]
		switch {
		case o.Absent:
		case o.Skipped != "":
			errs = append(errs, fmt.Errorf("replay: output %s is not in the transcript: %s", c.Outputs[i], o.Skipped))
		default:
			errs = append(errs, os.WriteFile(c.outputPath(i), o.bytes(), 0o600))
		}
	}
	return errors.Join(errs...)
}
