package connect

import (
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"time"

	"ios-agent/internal/fault"
	"ios-agent/internal/fault/mask"
)

// Redacted replaces text that must not be stored.
const Redacted = "[hidden]"

// Transcript records a run, step by step, one JSON object a line, in a file that only its owner can read. A nil Transcript writes nothing.
type Transcript struct {
	file    *os.File
	secrets *mask.Set
	now     func() time.Time
}

// NewTranscript creates the file; an existing file is refused. Secrets are never written to it.
func NewTranscript(path string, secrets *mask.Set, now func() time.Time) (*Transcript, error) {
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		return nil, fault.New(fault.PathError, "cannot create the transcript: %w", err)
	}
	file, err := os.OpenFile(path, os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o600)
	if err != nil {
		return nil, fault.New(fault.PathError, "cannot create the transcript: %w", err).WithHint("name a file that does not exist yet")
	}
	return &Transcript{file, secrets, now}, nil
}

// Path is the path of the file.
func (t *Transcript) Path() string {
	if t == nil {
		return ""
	}
	return t.file.Name()
}

// Close closes the file.
func (t *Transcript) Close() error {
	if t == nil {
		return nil
	}
	return t.file.Close()
}

// keep writes the picture of a step, a data URI, to a file next to the transcript, and returns the file's name.
func (t *Transcript) keep(step int, uri string) (name string, err error) {
	if t == nil {
		return "", nil
	}
	_, data, _ := strings.Cut(uri, ",")
	raw, err := base64.StdEncoding.DecodeString(data)
	if err != nil {
		return "", fault.New(fault.Internal, "cannot decode the picture of step %d: %w", step, err)
	}
	path := fmt.Sprintf("%s.%d.png", strings.TrimSuffix(t.file.Name(), ".jsonl"), step)
	file, err := os.OpenFile(path, os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o600)
	if err != nil {
		return "", fault.New(fault.PathError, "cannot write the picture of step %d: %w", step, err).
			WithHint("name a transcript in a new folder")
	}
	_, err = file.Write(raw)
	if err = errors.Join(err, file.Close()); err != nil {
		return "", fault.New(fault.PathError, "cannot write the picture of step %d: %w", step, err)
	}
	return filepath.Base(path), nil
}

// record is one line.
type record struct {
	Time     string          `json:"time"`
	Kind     string          `json:"kind"` // start, step, end
	Step     int             `json:"step,omitempty"`
	Goal     string          `json:"goal,omitempty"`
	App      string          `json:"app,omitempty"`
	Screen   string          `json:"screen,omitempty"`
	Outline  string          `json:"outline,omitempty"`
	Snapshot json.RawMessage `json:"snapshot,omitempty"`
	Picture  string          `json:"picture,omitempty"` // a file next to the transcript
	Actions  []Action        `json:"actions,omitempty"`
	Restart  bool            `json:"restart,omitempty"`
	Decision *Decision       `json:"decision,omitempty"`
	Verdict  string          `json:"verdict,omitempty"`
	Result   string          `json:"result,omitempty"`
	Code     string          `json:"code,omitempty"`
	Status   string          `json:"status,omitempty"`
	Message  string          `json:"message,omitempty"`
	TookMS   int64           `json:"took_ms,omitempty"`
}

// write appends a line immediately, so that a killed run leaves its record.
func (t *Transcript) write(r record) error {
	if t == nil {
		return nil
	}
	r.Time = t.now().UTC().Format(time.RFC3339)
	raw, err := json.Marshal(r)
	if err == nil {
		_, err = t.file.Write(append(t.secrets.JSON(raw), '\n'))
	}
	if err != nil {
		return fault.New(fault.PathError, "cannot write the transcript: %w", err)
	}
	return nil
}
