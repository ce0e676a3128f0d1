package secrets

import (
	"crypto/rand"
	"encoding/json"
	"path/filepath"
	"slices"
	"sync"
	"time"

	"ios-agent/internal/fault/mask"
	"ios-agent/internal/machine/regularfile"
	"ios-agent/internal/machine/wholefile"
)

// typed stores the traces of typed secrets that came from clients' environments. A typed secret stays on screens and in the output of apps
// when the daemon ends; the next daemon does not have the variable, and must still hide the secret.
type typed struct {
	path string

	mu   sync.Mutex // held while the file is written, so that the file has the state of this process
	read bool
	file typedFile
}

// typedFile is the content of the file.
type typedFile struct {
	mask.Traces
	Typed []time.Time `json:"typed"` // when each secret was last typed
}

// Bounds of the stored traces: their maximum age and number, of which the latest stay, and the maximum size of the file in bytes.
const (
	keepTyped = 7 * 24 * time.Hour // as long as log lines
	mostTyped = 32
	mostFile  = 256 << 10
)

// typedPath is the file of a home's traces.
func typedPath(home string) string { return filepath.Join(home, "typed.json") }

// load reads the traces that an earlier process stored. The caller holds the mutex.
func (t *typed) load() {
	if t.read {
		return
	}
	t.read = true
	data, err := regularfile.Read(t.path, mostFile)
	f := typedFile{}
	if err != nil || json.Unmarshal(data, &f) != nil || len(f.Key) != keySize || len(f.All) != len(f.Typed) {
		f = typedFile{Traces: mask.Traces{Key: make([]byte, keySize)}}
		_, _ = rand.Read(f.Key) // it never fails
	}
	for i := len(f.All) - 1; i >= 0; i-- {
		if time.Since(f.Typed[i]) > keepTyped {
			f.drop(i)
		}
	}
	t.file = f
}

// keySize is the size in bytes of the key for the traces' sums.
const keySize = 32

func (f *typedFile) drop(i int) {
	f.All, f.Typed = slices.Delete(slices.Clone(f.All), i, i+1), slices.Delete(slices.Clone(f.Typed), i, i+1)
}

// traces returns the traces that earlier processes stored.
func (t *typed) traces() mask.Traces {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.load()
	return t.file.Traces
}

// remember stores the trace of a secret before the secret is typed.
func (t *typed) remember(value, shown string) error {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.load()
	if i := t.file.Index(value); i >= 0 {
		t.file.drop(i)
	}
	t.file.All, t.file.Typed = append(t.file.All, t.file.Of(value, shown)), append(t.file.Typed, time.Now().UTC())
	if len(t.file.All) > mostTyped {
		t.file.drop(0)
	}
	data, err := json.Marshal(t.file)
	if err == nil {
		err = wholefile.Write(t.path, data)
	}
	return err
}
