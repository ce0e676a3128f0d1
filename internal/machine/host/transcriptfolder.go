package host

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync"

	"ios-agent/internal/fault"
	"ios-agent/internal/fault/mask"
	"ios-agent/internal/machine/private"
)

const partSuffix = ".part"

// transcriptFolder is the folder of the transcripts; a nil folder gets none. A failure to write never disturbs a program: Host.Close
// returns it.
type transcriptFolder struct {
	dir     string
	secrets *mask.Set

	mu   sync.Mutex
	last int // the number of the last transcript
	errs []error
}

func openTranscriptFolder(dir string, secrets *mask.Set) (*transcriptFolder, error) {
	if dir == "" {
		return nil, nil
	}
	dir, err := makeFolder(dir)
	if err != nil {
		return nil, fmt.Errorf("record: %w", err)
	}
	if err := private.Folder(dir); err != nil {
		return nil, fault.During("the folder of transcripts", err)
	}
	files, err := os.ReadDir(dir)
	if err != nil {
		return nil, fmt.Errorf("record: %w", err)
	}
	r := &transcriptFolder{dir: dir, secrets: secrets}
	for _, f := range files {
		number, _, _ := strings.Cut(f.Name(), "-")
		if n, err := strconv.Atoi(number); err == nil {
			r.last = max(r.last, n)
		}
	}
	return r, nil
}

// create makes the next file. It skips existing numbers, because another host may record into the same folder.
func (r *transcriptFolder) create(program string) (*os.File, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	for {
		r.last++
		path := filepath.Join(r.dir, fmt.Sprintf("%06d-%s%s", r.last, fileName(program), transcriptSuffix))
		if _, err := os.Lstat(path); err == nil {
			continue
		}
		f, err := os.OpenFile(path+partSuffix, os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o600)
		if !errors.Is(err, fs.ErrExist) {
			return f, err
		}
	}
}

func (r *transcriptFolder) note(err error) {
	if err == nil {
		return
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	const enough = 10 // a full disk fails for every transcript
	if len(r.errs) < enough {
		r.errs = append(r.errs, fmt.Errorf("record: %w", err))
	}
}

func (r *transcriptFolder) failure() error {
	if r == nil {
		return nil
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	return errors.Join(r.errs...)
}
