package cli

import (
	"encoding/json"
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"ios-agent/internal/fault"
	"ios-agent/internal/machine/regularfile"
	"ios-agent/internal/op"
)

// document is a file that an operation writes for stdout, because the caller gave - as its path. The daemon writes into a temporary folder
// of the client; the client then copies the bytes to stdout.
type document struct{ path string }

// toStdout redirects an output file named - to a temporary file; nil if the input has no such file.
func (a *App) toStdout(o op.Op, input []byte) ([]byte, *document, error) {
	var given map[string]json.RawMessage
	if json.Unmarshal(input, &given) != nil {
		return input, nil, nil // the operation reports the mistake
	}
	for key, raw := range given {
		if !writes(o, key) || string(raw) != `"`+string(op.Dash)+`"` {
			continue
		}
		if a.asJSON || a.asRaw {
			return nil, nil, fault.New(fault.InvalidInput, "--%s - cannot be combined with --json or --raw", op.Field{Name: key}.Flag()).
				With("field", key).WithHint("name a file, or leave --json and --raw out")
		}
		dir, err := os.MkdirTemp("", "ios-agent-")
		if err != nil {
			return nil, nil, fault.New(fault.PathError, "cannot create a folder for the file: %w", err)
		}
		d := &document{filepath.Join(dir, "stdout")}
		given[key], _ = json.Marshal(d.path) // encoding a string never fails
		input, err = json.Marshal(given)
		return input, d, err
	}
	return input, nil, nil
}

// writes reports whether an input is an output file that may be stdout.
func writes(o op.Op, key string) bool {
	for _, f := range o.Fields() {
		if f.Stdout && f.Flag() == (op.Field{Name: key}).Flag() {
			return true
		}
	}
	return false
}

// finish copies the file to stdout; the answer's text goes to stderr.
func (d *document) finish(a *App, e op.Envelope) error {
	defer os.RemoveAll(filepath.Dir(d.path))
	if err := d.copy(a.Out); err != nil && e.Error == nil {
		return err
	}
	e.Stdout = strings.ReplaceAll(e.Stdout, d.path, "stdout")
	say(a.Err, e.Text())
	if code := e.ExitCode(); code != fault.ExitOK {
		return status(code)
	}
	return nil
}

func (d *document) copy(to io.Writer) error {
	f, err := regularfile.Open(d.path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil // the answer has the reason
	}
	if err != nil {
		return fault.New(fault.PathError, "cannot read the file for stdout: %w", err)
	}
	defer f.Close()
	if _, err := io.Copy(to, f); err != nil {
		return fault.New(fault.PathError, "cannot write to stdout: %w", err)
	}
	return nil
}
