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

// typed are the traces of secrets that came from clients' environments and were typed. A typed secret stays on screens and in the output of
// apps when the daemon ends; the next daemon does not have the variable, and still has to hide it.
type typed struct {
	path string

	mu   sync.Mutex // held while the file is written: its content is what the process knows
	read bool
	file typedFile
}

// typedFile is what is kept.
type typedFile struct {
	mask.Traces
	Typed []time.Time `json:"typed"` // when each was typed last
}

// How long, and how many, secrets are remembered: the last ones; and how large the file may be.
const (
	keepTyped = 7 * 24 * time.Hour // as log lines are
	mostTyped = 32
	mostFile  = 256 << 10
)

// typedPath is where the traces of a home are.
func typedPath(home string) string { return filepath.Join(home, "typed.json") }

// load reads what an earlier process left. It needs the mutex.
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

// keySize is that of the keyed sums.
const keySize = 32

func (f *typedFile) drop(i int) {
	f.All, f.Typed = slices.Delete(slices.Clone(f.All), i, i+1), slices.Delete(slices.Clone(f.Typed), i, i+1)
}

// traces are the traces of earlier processes.
func (t *typed) traces() mask.Traces {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.load()
	return t.file.Traces
}

// remember keeps the trace of a secret, before it is typed.
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
